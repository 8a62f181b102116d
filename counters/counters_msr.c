/* SPDX-License-Identifier: MIT */
#include "counters_set.h"

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

static int done(ssize_t n)
{
	return n == sizeof(uint64_t) ? 0 : n < 0 ? -errno : -EIO;
}

static int device_read(void *arg, uint32_t reg, uint64_t *value)
{
	return done(pread(*(const int *)arg, value, sizeof(*value), reg));
}

static int device_write(void *arg, uint32_t reg, uint64_t value)
{
	return done(pwrite(*(const int *)arg, &value, sizeof(value), reg));
}

const struct counters_msr_ops counters_msr_device = { device_read,
						      device_write };

/* The kernel's perf may use any of them, so none may be in use: not only those
 * that are wanted here. */
static int refuse_in_use(struct counters_msr *m,
			 const struct counters_arch *arch, char *why)
{
	uint64_t value, used = 0;
	int err = 0;

	for (unsigned int i = 0; !err && i < arch->counters; i++) {
		err = m->ops->read(m->arg, PERFEVTSEL0 + i, &value);
		used |= err ? 0 : value & SELECT_EN;
	}
	if (!err && arch->version >= 2) {
		err = m->ops->read(m->arg, FIXED_CTRL, &value);
		used |= err ? 0 : value;
	}
	if (err || !used)
		return err;
	snprintf(why, COUNTERS_WHY_MAX,
		 "the counters are in use: end other tools, or sysctl "
		 "kernel.nmi_watchdog=0");
	return -EBUSY;
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
	m->saved[m->n_saved++].value = was;
	return m->ops->write(m->arg, reg, value);
}

static int program(struct counters_msr *m, const struct counters_arch *arch,
		   bool user_only)
{
	const uint64_t select =
		SELECT_USR | SELECT_EN | (user_only ? 0 : SELECT_OS);
	uint64_t global = 0, fixed = 0;
	unsigned int next = 0;
	int err = 0;

	for (unsigned int e = 0; !err && e < COUNTERS_HARDWARE; e++) {
		const struct architectural *a = &architectural[e];

		if (a->fixed >= 0 && arch->fixed_mask >> a->fixed & 1) {
			fixed |= (uint64_t)(FIXED_USR |
					    (user_only ? 0 : FIXED_OS))
				 << 4 * a->fixed;
			global |= UINT64_C(1) << (FIXED_GLOBAL + a->fixed);
			m->event[e].reg = FIXED_CTR0 + (uint32_t)a->fixed;
			m->event[e].bits = arch->fixed_bits;
		} else if (arch->events >> e & 1 && next < arch->counters) {
			global |= UINT64_C(1) << next;
			m->event[e].reg = PMC0 + next;
			m->event[e].bits = arch->counter_bits;
			err = change(m, PERFEVTSEL0 + next++,
				     select | a->event |
					     (uint64_t)a->umask << 8);
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
		snprintf(why, COUNTERS_WHY_MAX,
			 "registers may not be written: as root, modprobe msr "
			 "allow_writes=on; not with Secure Boot's lockdown");
	else
		snprintf(why, COUNTERS_WHY_MAX,
			 "a register does not answer: %s", strerror(-err));
}

static int read_all(struct counters_msr *m, uint64_t now[COUNTERS_HARDWARE])
{
	int err = 0;

	for (unsigned int e = 0; !err && e < COUNTERS_HARDWARE; e++)
		if (m->event[e].reg)
			err = m->ops->read(m->arg, m->event[e].reg, &now[e]);
	return err;
}

int counters_msr_open(struct counters_msr *m,
		      const struct counters_msr_ops *ops, void *arg,
		      const struct counters_arch *arch, bool user_only,
		      uint64_t now_ns, char *why)
{
	uint64_t now[COUNTERS_HARDWARE] = { 0 };
	int err;

	*m = (struct counters_msr) { .ops = ops,
				     .arg = arg,
				     .read_ns = now_ns };
	if (strcmp(arch->vendor, "GenuineIntel") != 0 || !arch->version) {
		snprintf(why, COUNTERS_WHY_MAX,
			 "no architectural counters of Intel's kind here "
			 "(CPUID leaf 0AH)");
		return -EOPNOTSUPP;
	}
	why[0] = '\0';
	err = refuse_in_use(m, arch, why);
	if (!err)
		err = program(m, arch, user_only);
	if (!err)
		err = read_all(m, now);
	for (unsigned int e = 0; e < COUNTERS_HARDWARE; e++)
		m->event[e].last = now[e];
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

int counters_msr_read(struct counters_msr *m, uint64_t now_ns)
{
	uint64_t now[COUNTERS_HARDWARE] = { 0 }, diff[COUNTERS_HARDWARE];
	const uint64_t passed_ns = now_ns - m->read_ns;
	bool lost = false;
	const int err = read_all(m, now);

	if (err)
		return err;
	/* It may have gone round in this time; or, going back without having
	 * done so, it was reset: by a suspension, or by moving the virtual
	 * machine. */
	for (unsigned int e = 0; e < COUNTERS_HARDWARE; e++) {
		const uint64_t mask = mask_of(m->event[e].bits);

		diff[e] = (now[e] - m->event[e].last) & mask;
		lost |= m->event[e].reg &&
			(passed_ns >= mask / MAX_PER_NS ||
			 diff[e] / MAX_PER_NS > passed_ns + SLACK_NS);
		m->event[e].last = now[e];
	}
	for (unsigned int e = 0; !lost && e < COUNTERS_HARDWARE; e++)
		m->event[e].sum += diff[e];
	if (lost)
		m->lost_ns += passed_ns;
	m->read_ns = now_ns;
	return 0;
}

int counters_msr_close(struct counters_msr *m)
{
	int first = 0;

	while (m->n_saved-- > 0) {
		const int err = m->ops->write(m->arg, m->saved[m->n_saved].reg,
					      m->saved[m->n_saved].value);

		first = first ? first : err;
	}
	m->n_saved = 0;
	memset(m->event, 0, sizeof(m->event));
	return first;
}
