/* SPDX-License-Identifier: MIT */
#include "counters_msr.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define PMC0	     0x0c1u
#define PERFEVTSEL0  0x186u
#define FIXED_CTR0   0x309u
#define FIXED_CTRL   0x38du
#define GLOBAL_CTRL  0x38fu
#define SELECT_USR   (UINT64_C(1) << 16)
#define SELECT_OS    (UINT64_C(1) << 17)
#define SELECT_EN    (UINT64_C(1) << 22)
#define FIXED_GLOBAL 32 /* bit of the first fixed counter in GLOBAL_CTRL */
#define FIXED_OS     1u
#define FIXED_USR    2u
#define WHY_MAX	     160

/* No core retires more per second of whatever is counted. */
#define MAX_PER_NS 40
/* By how much the clock and the reads of the registers may be apart. */
#define SLACK_NS 100000000u

/* Event number and unit mask (SDM 20.2.1.2), and the fixed counter that counts
 * the same, or -1. */
static const struct architectural {
	unsigned char event, umask;
	int fixed;
} architectural[COUNTERS_HARDWARE] = {
	[COUNTERS_INSTRUCTIONS] = { 0xc0, 0x00, 0 },
	[COUNTERS_CYCLES] = { 0x3c, 0x00, 1 },
	[COUNTERS_REF_CYCLES] = { 0x3c, 0x01, 2 },
	[COUNTERS_LLC_REFERENCES] = { 0x2e, 0x4f, -1 },
	[COUNTERS_LLC_MISSES] = { 0x2e, 0x41, -1 },
	[COUNTERS_BRANCHES] = { 0xc4, 0x00, -1 },
	[COUNTERS_BRANCH_MISSES] = { 0xc5, 0x00, -1 },
};

static int device_read(void *arg, uint32_t reg, uint64_t *value)
{
	ssize_t n = pread(*(const int *)arg, value, sizeof(*value), reg);

	if (n == (ssize_t)sizeof(*value))
		return 0;
	return n < 0 ? -errno : -EIO;
}

static int device_write(void *arg, uint32_t reg, uint64_t value)
{
	ssize_t n = pwrite(*(const int *)arg, &value, sizeof(value), reg);

	if (n == (ssize_t)sizeof(value))
		return 0;
	return n < 0 ? -errno : -EIO;
}

const struct counters_msr_ops counters_msr_device = { device_read,
						      device_write };

/* The kernel's perf may use any of them, so none may be in use: not only those
 * that are wanted here. */
static int refuse_in_use(struct counters_msr *m,
			 const struct counters_arch *arch, char *why)
{
	uint64_t value;
	int err;

	for (unsigned int i = 0; i < arch->counters; i++) {
		err = m->ops->read(m->arg, PERFEVTSEL0 + i, &value);
		if (err)
			return err;
		if (value & SELECT_EN) {
			snprintf(why, WHY_MAX,
				 "general counter %u is in use: end other "
				 "tools, or sysctl kernel.nmi_watchdog=0",
				 i);
			return -EBUSY;
		}
	}
	if (arch->version < 2)
		return 0;
	err = m->ops->read(m->arg, FIXED_CTRL, &value);
	if (!err && value) {
		snprintf(why, WHY_MAX,
			 "the fixed counters are in use: end other tools, or "
			 "sysctl kernel.nmi_watchdog=0");
		return -EBUSY;
	}
	return err;
}

/* Write @value, remembering what was there. */
static int change(struct counters_msr *m, uint32_t reg, uint64_t value)
{
	uint64_t was;
	int err = m->ops->read(m->arg, reg, &was);

	if (err)
		return err;
	/* Remembered first: a write that fails may yet have been done. */
	m->saved[m->n_saved].reg = reg;
	m->saved[m->n_saved].value = was;
	m->n_saved++;
	return m->ops->write(m->arg, reg, value);
}

static int program_general(struct counters_msr *m, unsigned int event,
			   unsigned int counter, unsigned int bits,
			   bool user_only)
{
	const struct architectural *a = &architectural[event];
	uint64_t select = a->event | (uint64_t)a->umask << 8 | SELECT_USR |
			  SELECT_EN | (user_only ? 0 : SELECT_OS);

	m->counter[event] = PMC0 + counter;
	m->bits[event] = bits;
	return change(m, PERFEVTSEL0 + counter, select);
}

static int program(struct counters_msr *m, const struct counters_arch *arch,
		   bool user_only)
{
	uint64_t global = 0, fixed = 0;
	unsigned int next = 0;
	int err = 0;

	for (unsigned int e = 0; !err && e < COUNTERS_HARDWARE; e++) {
		int f = architectural[e].fixed;

		if (f >= 0 && arch->fixed_mask >> f & 1) {
			fixed |= (uint64_t)(FIXED_USR |
					    (user_only ? 0 : FIXED_OS))
				 << 4 * f;
			global |= UINT64_C(1) << (FIXED_GLOBAL + f);
			m->counter[e] = FIXED_CTR0 + (uint32_t)f;
			m->bits[e] = arch->fixed_bits;
		} else if (arch->events >> e & 1 && next < arch->counters) {
			global |= UINT64_C(1) << next;
			err = program_general(m, e, next, arch->counter_bits,
					      user_only);
			next++;
		}
	}
	if (err || arch->version < 2)
		return err;
	err = change(m, FIXED_CTRL, fixed);
	return err ? err : change(m, GLOBAL_CTRL, global);
}

static void explain(int err, char *why)
{
	if (err == -EPERM || err == -EACCES)
		snprintf(why, WHY_MAX,
			 "registers may not be written: as root, modprobe msr "
			 "allow_writes=on; not with Secure Boot's lockdown");
	else
		snprintf(why, WHY_MAX, "a register does not answer: %s",
			 strerror(-err));
}

static int read_all(struct counters_msr *m, uint64_t now[COUNTERS_HARDWARE])
{
	for (unsigned int e = 0; e < COUNTERS_HARDWARE; e++) {
		int err = m->counter[e]
				  ? m->ops->read(m->arg, m->counter[e], &now[e])
				  : 0;

		if (err)
			return err;
	}
	return 0;
}

int counters_msr_open(struct counters_msr *m,
		      const struct counters_msr_ops *ops, void *arg,
		      const struct counters_arch *arch, bool user_only,
		      uint64_t now_ns, char *why)
{
	int err;

	memset(m, 0, sizeof(*m));
	m->ops = ops;
	m->arg = arg;
	m->read_ns = now_ns;
	if (strcmp(arch->vendor, "GenuineIntel") != 0 || !arch->version) {
		snprintf(why, WHY_MAX,
			 "no architectural counters of Intel's kind here "
			 "(CPUID leaf 0AH)");
		return -EOPNOTSUPP;
	}
	why[0] = '\0';
	err = refuse_in_use(m, arch, why);
	if (!err)
		err = program(m, arch, user_only);
	if (!err)
		err = read_all(m, m->last);
	if (!err)
		return 0;
	if (!why[0])
		explain(err, why);
	counters_msr_close(m);
	return err;
}

static uint64_t mask_of(unsigned int bits)
{
	return bits >= 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
}

/* Whether a counter might have gone round in @passed_ns. */
static bool may_have_wrapped(const struct counters_msr *m, uint64_t passed_ns)
{
	for (unsigned int e = 0; e < COUNTERS_HARDWARE; e++)
		if (m->counter[e] &&
		    passed_ns >= mask_of(m->bits[e]) / MAX_PER_NS)
			return true;
	return false;
}

int counters_msr_read(struct counters_msr *m, uint64_t now_ns)
{
	uint64_t now[COUNTERS_HARDWARE] = { 0 };
	uint64_t diff[COUNTERS_HARDWARE];
	uint64_t passed_ns = now_ns - m->read_ns;
	bool lost = may_have_wrapped(m, passed_ns);
	int err = read_all(m, now);

	if (err)
		return err;
	/* Going back without having wrapped, a counter was reset meanwhile: by
	 * a suspension, or by moving the virtual machine. */
	for (unsigned int e = 0; e < COUNTERS_HARDWARE; e++) {
		diff[e] = (now[e] - m->last[e]) & mask_of(m->bits[e]);
		lost = lost || diff[e] / MAX_PER_NS > passed_ns + SLACK_NS;
	}
	for (unsigned int e = 0; e < COUNTERS_HARDWARE; e++) {
		if (!lost)
			m->sum[e] += diff[e];
		m->last[e] = now[e];
	}
	if (lost)
		m->lost_ns += passed_ns;
	m->read_ns = now_ns;
	return 0;
}

int counters_msr_close(struct counters_msr *m)
{
	int first = 0;

	while (m->n_saved > 0) {
		int err;

		m->n_saved--;
		err = m->ops->write(m->arg, m->saved[m->n_saved].reg,
				    m->saved[m->n_saved].value);
		first = first ? first : err;
	}
	memset(m->counter, 0, sizeof(m->counter));
	return first;
}
