/* SPDX-License-Identifier: MIT */
/* Facts of CPUID about counters, on the answers of many processors. */
#include <errno.h>
#include <string.h>

#include "counters.h"
#include "tests.h"

#define INTEL(max)                                         \
	{                                                  \
		0, max, 0x756e6547, 0x6c65746e, 0x49656e69 \
	}
#define AMD(max)                                           \
	{                                                  \
		0, max, 0x68747541, 0x444d4163, 0x69746e65 \
	}
#define ALL_SEVEN ((1u << COUNTERS_HARDWARE) - 1)

static const struct machine {
	const char *name;
	struct counters_leaf leaves[COUNTERS_LEAVES];
	struct counters_arch want;
} machines[] = {
	/* The paper's: version 2, two counters of 40 bits.  By hand from SDM
	 * volume 2A; leaf 0AH as public dumps have it. */
	{ "Core 2 Duo",
	  { INTEL(10),
	    { 1, 0x000006f6, 0, 0, 0 },
	    { 10, 0x07280202, 0, 0, 0x00000503 },
	    { 0x80000000, 0x80000008, 0, 0, 0 } },
	  { "GenuineIntel", 6, 15, false, 2, 2, 40, 3, 40, ALL_SEVEN, 7 } },
	/* Version 1 has no fixed counters, whatever EDX says; and this one
	 * (Core Duo) has no event 5 and 6 by EBX. */
	{ "version 1",
	  { INTEL(10),
	    { 1, 0x000006e8, 0, 0, 0 },
	    { 10, 0x07280201, 0x60, 0, 0x00000503 } },
	  { "GenuineIntel", 6, 14, false, 1, 2, 40, 0, 0,
	    ALL_SEVEN &
		    ~(1u << COUNTERS_BRANCHES | 1u << COUNTERS_BRANCH_MISSES),
	    0 } },
	/* Leaf 0AH recorded on a Skylake. */
	{ "Skylake",
	  { INTEL(0x16),
	    { 1, 0x000506e3, 0, 0x7ffafbff, 0 },
	    { 10, 0x07300404, 0, 0, 0x00000603 } },
	  { "GenuineIntel", 6, 94, false, 4, 4, 48, 3, 48, ALL_SEVEN, 7 } },
	/* Eight general and four fixed counters: the fourth counts slots and
	 * is no event of the paper. */
	{ "Ice Lake and later",
	  { INTEL(0x20),
	    { 1, 0x000806f8, 0, 0, 0 },
	    { 10, 0x08300805, 0, 0x0000000f, 0x00008604 } },
	  { "GenuineIntel", 6, 143, false, 5, 8, 48, 4, 48, ALL_SEVEN, 15 } },
	/* Leaf 0AH recorded on an Alder Lake. */
	{ "hybrid, on a large core",
	  { INTEL(0x20),
	    { 1, 0x00090672, 0, 0, 0 },
	    { 10, 0x07300605, 0, 0x00000007, 0x00008603 } },
	  { "GenuineIntel", 6, 151, false, 5, 6, 48, 3, 48, ALL_SEVEN, 7 } },
	/* Recorded on the machine that this was written on. */
	{ "virtual machine without counters",
	  { INTEL(0x20),
	    { 1, 0x000a0678, 0x00020800, 0xfffa3203, 0x1f8bfbff },
	    { 10, 0, 0, 0, 0 },
	    { 0x80000000, 0x80000008, 0, 0, 0 } },
	  { "GenuineIntel", 6, 167, true, 0, 0, 0, 0, 0, 0, 0 } },
	/* By hand from APM volume 3: PerfMonV2 with six core counters, 16
	 * branch records and 16 counters of the north bridge. */
	{ "Zen 4",
	  { AMD(0x10),
	    { 1, 0x00a60f12, 0, 0x7ef8320b, 0 },
	    { 0x80000000, 0x80000028, 0, 0, 0 },
	    { 0x80000001, 0x00a60f12, 0, 0x75c237ff, 0x2fd3fbff },
	    { 0x80000022, 7, 0x4106, 3, 0 } },
	  { "AuthenticAMD", 25, 97, false, 2, 6, 48, 0, 0, 0, 0 } },
	/* The leaf is above the maximum: its bits mean nothing. */
	{ "Zen 2",
	  { AMD(0x10),
	    { 1, 0x00870f10, 0, 0x7ed8320b, 0 },
	    { 0x80000000, 0x80000020, 0, 0, 0 },
	    { 0x80000001, 0x00870f10, 0, 0x75c237ff, 0x2fd3fbff },
	    { 0x80000022, 7, 0x4106, 3, 0 } },
	  { "AuthenticAMD", 23, 113, false, 0, 6, 48, 0, 0, 0, 0 } },
	/* Four at fixed places, since K7. */
	{ "K10",
	  { AMD(5),
	    { 1, 0x00100f42, 0, 0x00802009, 0 },
	    { 0x80000000, 0x8000001b, 0, 0, 0 },
	    { 0x80000001, 0x00100f42, 0, 0x000037ff, 0 } },
	  { "AuthenticAMD", 16, 4, false, 0, 4, 48, 0, 0, 0, 0 } },
	{ "virtual machine on Zen",
	  { AMD(0x10),
	    { 1, 0x00a00f11, 0, 0xfffa3203, 0 },
	    { 0x80000000, 0x80000028, 0, 0, 0 },
	    { 0x80000001, 0x00a00f11, 0, 0x00400233, 0 },
	    { 0x80000022, 0, 0, 0, 0 } },
	  { "AuthenticAMD", 25, 1, true, 0, 0, 0, 0, 0, 0, 0 } },
	/* Leaf 0AH is above the maximum of this emulator. */
	{ "old emulator",
	  { INTEL(4), { 10, 0x07300404, 0, 0, 0x00000603 } },
	  { "GenuineIntel", 0, 0, false, 0, 0, 0, 0, 0, 0, 0 } },
};

/* The rest of the array is empty. */
static size_t leaves_of(const struct machine *m)
{
	size_t n = 1;

	while (n < COUNTERS_LEAVES && m->leaves[n].leaf)
		n++;
	return n;
}

static bool same(const struct counters_arch *a, const struct counters_arch *b)
{
	return !strcmp(a->vendor, b->vendor) && a->family == b->family &&
	       a->model == b->model && a->hypervisor == b->hypervisor &&
	       a->version == b->version && a->counters == b->counters &&
	       a->counter_bits == b->counter_bits && a->fixed == b->fixed &&
	       a->fixed_bits == b->fixed_bits && a->events == b->events &&
	       a->fixed_mask == b->fixed_mask;
}

TEST(machines_of_others)
{
	for (const struct machine *m = machines;
	     m < machines + sizeof(machines) / sizeof(*machines); m++) {
		struct counters_arch got;

		OK(!counters_decode(&got, m->leaves, leaves_of(m)) &&
			   same(&got, &m->want),
		   m->name);
	}
}

TEST(this_machine)
{
	struct counters_leaf here[COUNTERS_LEAVES];
	struct counters_arch arch;
	const size_t n = counters_cpuid(here);

	OK(counters_decode(&arch, NULL, 0) == -EINVAL, "no leaves at all");
	OK(!n || (!counters_decode(&arch, here, n) &&
		  strlen(arch.vendor) == 12),
	   "this machine has a vendor");
}
