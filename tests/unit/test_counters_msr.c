/* SPDX-License-Identifier: MIT */
/* The registers as the paper programs them, on a made-up machine. */
#include <errno.h>
#include <string.h>

#include "counters_set.h"
#include "tests.h"

#define REGS   0x400
#define WHY    160
#define SECOND UINT64_C(1000000000)
#define BITS48 ((UINT64_C(1) << 48) - 1)

/* Registers that can refuse, and remember who wrote. */
struct machine {
	uint64_t reg[REGS];
	uint32_t refuse_read, refuse_write; /* 0: none */
	unsigned int writes;
};

static int fake_read(void *arg, uint32_t reg, uint64_t *value)
{
	struct machine *m = arg;

	if (reg >= REGS || reg == m->refuse_read)
		return -EIO;
	*value = m->reg[reg];
	return 0;
}

static int fake_write(void *arg, uint32_t reg, uint64_t value)
{
	struct machine *m = arg;

	m->writes++;
	if (reg >= REGS || reg == m->refuse_write)
		return -EPERM;
	m->reg[reg] = value;
	return 0;
}

static const struct counters_msr_ops fake = { fake_read, fake_write };

static struct counters_arch intel(unsigned int version, unsigned int counters,
				  unsigned int bits)
{
	struct counters_arch a = { .vendor = "GenuineIntel",
				   .version = version,
				   .counters = counters,
				   .counter_bits = bits,
				   .events = (1u << COUNTERS_HARDWARE) - 1 };

	if (version > 1) {
		a.fixed = 3;
		a.fixed_mask = 7;
		a.fixed_bits = bits;
	}
	return a;
}

/* A machine as the firmware leaves it: general counters globally enabled,
 * none selected; odd values in what must be restored. */
static void fresh(struct machine *m)
{
	memset(m, 0, sizeof(*m));
	for (int i = 0; i < 8; i++)
		m->reg[0x186 + i] = 0x30041; /* selected, but not enabled */
	m->reg[0x38f] = 0xff;
}

TEST(test_version_4)
{
	static const struct {
		uint64_t shown, s, sum, lost_s;
		const char *what;
	} later[] = {
		{ 1900, 2, 2000, 0, "sums go on" },
		/* 2^48 / 40 per ns is about two hours. */
		{ 5000, 8000, 2000, 7998, "it may have wrapped twice" },
		{ 5001, 8001, 2001, 7998, "counting goes on from there" },
		{ 12, 8002, 2001, 7999, "a reset is no 2^48 instructions" },
		{ 13, 8003, 2002, 7999, "and counted again from there" },
	};
	struct counters_arch a = intel(4, 4, 48);
	struct machine m, before;
	struct counters_msr s;
	char why[WHY] = "";

	fresh(&m);
	m.reg[0x309] = BITS48 - 99; /* about to wrap */
	m.reg[0xc1] = 1000;
	before = m;
	OK(!counters_msr_open(&s, &fake, &m, &a, false, 0, why), "v4 opens");
	OK_STR(why, "", "v4: nothing to complain of");
	/* Fixed counters: user and kernel; counters 0 to 3: LLC references and
	 * misses, branches and their misses; all enabled, none written. */
	OK(m.reg[0x38d] == 0x333 && m.reg[0x186] == 0x434f2e &&
		   m.reg[0x187] == 0x43412e && m.reg[0x188] == 0x4300c4 &&
		   m.reg[0x189] == 0x4300c5 && m.reg[0x38f] == 0x70000000f,
	   "seven events are selected and enabled");
	OK(m.reg[0x18a] == 0x30041 && m.reg[0x309] == BITS48 - 99 &&
		   m.reg[0xc1] == 1000,
	   "counter 4 is not touched, no counter is written");

	m.reg[0x309] = 900; /* wrapped: 100 to the end and 900 */
	m.reg[0x30a] = 500;
	m.reg[0x30b] = 400;
	m.reg[0xc1] = 1077;
	m.reg[0xc4] = 3;
	OK(!counters_msr_read(&s, SECOND), "v4 reads");
	OK(s.event[COUNTERS_INSTRUCTIONS].sum == 1000 &&
		   s.event[COUNTERS_CYCLES].sum == 500 &&
		   s.event[COUNTERS_REF_CYCLES].sum == 400 &&
		   s.event[COUNTERS_LLC_REFERENCES].sum == 77 &&
		   s.event[COUNTERS_LLC_MISSES].sum == 0 &&
		   s.event[COUNTERS_BRANCH_MISSES].sum == 3,
	   "each event, also of a counter that wrapped");
	for (size_t i = 0; i < sizeof(later) / sizeof(*later); i++) {
		m.reg[0x309] = later[i].shown;
		m.reg[0xc1] += i == 3;
		OK(!counters_msr_read(&s, later[i].s * SECOND) &&
			   s.event[COUNTERS_INSTRUCTIONS].sum == later[i].sum &&
			   s.lost_ns == later[i].lost_s * SECOND,
		   later[i].what);
	}
	OK(!counters_msr_close(&s), "v4 closes");
	OK(!memcmp(m.reg + 0x186, before.reg + 0x186, 8 * sizeof(*m.reg)),
	   "the selects are restored");
	OK(m.reg[0x38d] == 0 && m.reg[0x38f] == 0xff,
	   "the controls are restored");
	m.writes = 0;
	OK(!counters_msr_close(&s) && !m.writes, "closed only once");
}

/* The paper's Core Duo: two counters, no fixed ones, no global control. */
TEST(test_version_1)
{
	struct counters_arch a = intel(1, 2, 40);
	struct machine m;
	struct counters_msr s;
	char why[WHY] = "";

	fresh(&m);
	m.refuse_read = 0x38d; /* is not there */
	m.reg[0xc1] = (UINT64_C(1) << 40) - 1;
	OK(!counters_msr_open(&s, &fake, &m, &a, true, 0, why), "v1 opens");
	OK(m.reg[0x186] == 0x4100c0, "counter 0: instructions, user only");
	OK(m.reg[0x187] == 0x41003c, "counter 1: cycles, user only");
	OK(!s.event[COUNTERS_REF_CYCLES].reg && !s.event[COUNTERS_BRANCHES].reg,
	   "no more than two at a time");
	OK(m.reg[0x38f] == 0xff, "the global control is not touched");
	m.reg[0xc1] = 6;
	OK(!counters_msr_read(&s, SECOND) &&
		   s.event[COUNTERS_INSTRUCTIONS].sum == 7,
	   "40 bits wrap");
	m.reg[0xc1] = 7;
	OK(!counters_msr_read(&s, 31 * SECOND) && s.lost_ns == 30 * SECOND,
	   "half a minute is too long for 40 bits");
	OK(!counters_msr_close(&s) && m.reg[0x186] == 0x30041 &&
		   m.reg[0x187] == 0x30041,
	   "v1 restores");
}

TEST(test_refusals)
{
	struct counters_arch a = intel(4, 4, 48), amd = intel(2, 6, 48),
			     none = intel(0, 0, 0);
	/* A register that is set, or refuses; @reg: 0 none. */
	const struct {
		const struct counters_arch *a;
		uint32_t reg, read, write;
		uint64_t value;
		int err;
		const char *word, *what;
	} t[] = {
		{ &amd, 0, 0, 0, 0, -EOPNOTSUPP, "0AH", "AMD" },
		{ &none, 0, 0, 0, 0, -EOPNOTSUPP, "0AH", "no monitoring" },
		{ &a, 0x189, 0, 0, 0x430041, -EBUSY, "counters are in use",
		  "another counts" },
		/* As the NMI watchdog has it. */
		{ &a, 0x38d, 0, 0, 0xb0, -EBUSY, "nmi_watchdog", "watchdog" },
		{ &a, 0, 0, 0x188, 0, -EPERM, "allow_writes", "a write" },
		{ &a, 0, 0, 0x38f, 0, -EPERM, "allow_writes",
		  "the last write" },
		{ &a, 0, 0xc2, 0, 0, -EIO, "does not answer", "a counter" },
	};

	strcpy(amd.vendor, "AuthenticAMD");
	for (size_t i = 0; i < sizeof(t) / sizeof(*t); i++) {
		struct machine m, before;
		struct counters_msr s;
		char why[WHY] = "";

		fresh(&m);
		m.reg[t[i].reg] = t[i].value;
		m.refuse_read = t[i].read;
		m.refuse_write = t[i].write;
		before = m;
		OK(counters_msr_open(&s, &fake, &m, t[i].a, false, 0, why) ==
				   t[i].err &&
			   strstr(why, t[i].word),
		   t[i].what);
		OK(!memcmp(before.reg, m.reg, sizeof(m.reg)) &&
			   (t[i].write || !m.writes || t[i].read),
		   "nothing has changed");
	}
}

TEST(test_close_goes_on)
{
	struct counters_arch a = intel(4, 4, 48);
	struct machine m;
	struct counters_msr s;
	char why[WHY];

	fresh(&m);
	OK(!counters_msr_open(&s, &fake, &m, &a, false, 0, why), "opens");
	m.refuse_write = 0x38d;
	OK(counters_msr_close(&s) == -EPERM, "a failed restore is told");
	OK(m.reg[0x186] == 0x30041 && m.reg[0x38f] == 0xff,
	   "and the others are restored all the same");
}
