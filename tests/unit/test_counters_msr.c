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
	OK(m.reg[0x38d] == 0x333, "fixed counters: user and kernel");
	OK(m.reg[0x186] == 0x434f2e, "counter 0: LLC references");
	OK(m.reg[0x187] == 0x43412e, "counter 1: LLC misses");
	OK(m.reg[0x188] == 0x4300c4, "counter 2: branches");
	OK(m.reg[0x189] == 0x4300c5, "counter 3: branch misses");
	OK(m.reg[0x18a] == 0x30041, "counter 4 is not touched");
	OK(m.reg[0x38f] == 0x70000000f, "all seven are enabled");
	OK(m.reg[0x309] == BITS48 - 99 && m.reg[0xc1] == 1000,
	   "no counter is written");

	m.reg[0x309] = 900; /* wrapped: 100 to the end and 900 */
	m.reg[0x30a] = 500;
	m.reg[0x30b] = 400;
	m.reg[0xc1] = 1077;
	m.reg[0xc4] = 3;
	OK(!counters_msr_read(&s, SECOND), "v4 reads");
	OK(s.event[COUNTERS_INSTRUCTIONS].sum == 1000, "instructions, wrapped");
	OK(s.event[COUNTERS_CYCLES].sum == 500, "cycles");
	OK(s.event[COUNTERS_REF_CYCLES].sum == 400, "reference cycles");
	OK(s.event[COUNTERS_LLC_REFERENCES].sum == 77, "LLC references");
	OK(s.event[COUNTERS_LLC_MISSES].sum == 0, "LLC misses");
	OK(s.event[COUNTERS_BRANCH_MISSES].sum == 3, "branch misses");
	m.reg[0x309] = 1900;
	OK(!counters_msr_read(&s, 2 * SECOND), "v4 reads again");
	OK(s.event[COUNTERS_INSTRUCTIONS].sum == 2000, "sums go on");

	/* 2^48 / 40 per ns is about two hours. */
	m.reg[0x309] = 5000;
	OK(!counters_msr_read(&s, 8000 * SECOND), "v4 reads much later");
	OK(s.event[COUNTERS_INSTRUCTIONS].sum == 2000,
	   "what may have wrapped twice");
	OK(s.lost_ns == 7998 * SECOND, "is lost, and said to be");
	m.reg[0x309] = 5001;
	OK(!counters_msr_read(&s, 8001 * SECOND), "and counting goes on");
	OK(s.event[COUNTERS_INSTRUCTIONS].sum == 2001, "from there");

	m.reg[0x309] = 12;
	m.reg[0xc1]++;
	OK(!counters_msr_read(&s, 8002 * SECOND), "a counter was reset");
	OK(s.event[COUNTERS_INSTRUCTIONS].sum == 2001 &&
		   s.lost_ns == 7999 * SECOND,
	   "which is lost, not 2^48 instructions");
	m.reg[0x309] = 13;
	OK(!counters_msr_read(&s, 8003 * SECOND) &&
		   s.event[COUNTERS_INSTRUCTIONS].sum == 2002,
	   "and counted again from there");

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

static void refused(struct machine *m, const struct counters_arch *a, int err,
		    const char *word, const char *what)
{
	struct machine before = *m;
	struct counters_msr s;
	char why[WHY] = "";

	OK(counters_msr_open(&s, &fake, m, a, false, 0, why) == err, what);
	OK(strstr(why, word), what);
	OK(!memcmp(before.reg, m->reg, sizeof(m->reg)), what);
}

TEST(test_refusals)
{
	struct counters_arch a = intel(4, 4, 48), amd = intel(2, 6, 48),
			     none = intel(0, 0, 0);
	struct machine m;

	strcpy(amd.vendor, "AuthenticAMD");
	fresh(&m);
	refused(&m, &amd, -EOPNOTSUPP, "0AH", "not AMD's registers");
	OK(!m.writes, "nor written");
	refused(&m, &none, -EOPNOTSUPP, "0AH", "no monitoring at all");
	m.reg[0x189] |= 1 << 22;
	refused(&m, &a, -EBUSY, "counters are in use", "somebody else's");
	OK(!m.writes, "nothing written where another counts");
	fresh(&m);
	m.reg[0x38d] = 0xb0; /* as the NMI watchdog has it */
	refused(&m, &a, -EBUSY, "nmi_watchdog", "the watchdog's");
	OK(!m.writes, "nothing written where the watchdog counts");
	fresh(&m);
	m.refuse_write = 0x188;
	refused(&m, &a, -EPERM, "allow_writes", "a write that is refused");
	fresh(&m);
	m.refuse_write = 0x38f;
	refused(&m, &a, -EPERM, "allow_writes", "the last write is refused");
	fresh(&m);
	m.refuse_read = 0xc2;
	refused(&m, &a, -EIO, "does not answer", "a counter without answer");
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
