/* SPDX-License-Identifier: MIT */
/* What CPUID says of counters, on the answers of many processors. */
#include <errno.h>
#include <string.h>

#include "counters.h"
#include "tap.h"

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
	  { .vendor = "GenuineIntel",
	    .family = 6,
	    .model = 15,
	    .version = 2,
	    .counters = 2,
	    .counter_bits = 40,
	    .fixed = 3,
	    .fixed_bits = 40,
	    .events = ALL_SEVEN,
	    .fixed_mask = 7 } },
	/* Version 1 has no fixed counters, whatever EDX says; and this one
	 * (Core Duo) has no event 5 and 6 by EBX. */
	{ "version 1",
	  { INTEL(10),
	    { 1, 0x000006e8, 0, 0, 0 },
	    { 10, 0x07280201, 0x60, 0, 0x00000503 } },
	  { .vendor = "GenuineIntel",
	    .family = 6,
	    .model = 14,
	    .version = 1,
	    .counters = 2,
	    .counter_bits = 40,
	    .events = ALL_SEVEN & ~(1u << COUNTERS_BRANCHES |
				    1u << COUNTERS_BRANCH_MISSES) } },
	/* Leaf 0AH recorded on a Skylake. */
	{ "Skylake",
	  { INTEL(0x16),
	    { 1, 0x000506e3, 0, 0x7ffafbff, 0 },
	    { 10, 0x07300404, 0, 0, 0x00000603 } },
	  { .vendor = "GenuineIntel",
	    .family = 6,
	    .model = 94,
	    .version = 4,
	    .counters = 4,
	    .counter_bits = 48,
	    .fixed = 3,
	    .fixed_bits = 48,
	    .events = ALL_SEVEN,
	    .fixed_mask = 7 } },
	/* Eight general and four fixed counters: the fourth counts slots and
	 * is no event of the paper. */
	{ "Ice Lake and later",
	  { INTEL(0x20),
	    { 1, 0x000806f8, 0, 0, 0 },
	    { 10, 0x08300805, 0, 0x0000000f, 0x00008604 } },
	  { .vendor = "GenuineIntel",
	    .family = 6,
	    .model = 143,
	    .version = 5,
	    .counters = 8,
	    .counter_bits = 48,
	    .fixed = 4,
	    .fixed_bits = 48,
	    .events = ALL_SEVEN,
	    .fixed_mask = 15 } },
	/* Leaf 0AH recorded on an Alder Lake. */
	{ "hybrid, on a large core",
	  { INTEL(0x20),
	    { 1, 0x00090672, 0, 0, 0 },
	    { 10, 0x07300605, 0, 0x00000007, 0x00008603 } },
	  { .vendor = "GenuineIntel",
	    .family = 6,
	    .model = 151,
	    .version = 5,
	    .counters = 6,
	    .counter_bits = 48,
	    .fixed = 3,
	    .fixed_bits = 48,
	    .events = ALL_SEVEN,
	    .fixed_mask = 7 } },
	{ "hybrid, on a small core",
	  { INTEL(0x20), { 10, 0x07300605, 0, 0x00000007, 0x00008603 } },
	  { .vendor = "GenuineIntel",
	    .version = 5,
	    .counters = 6,
	    .counter_bits = 48,
	    .fixed = 3,
	    .fixed_bits = 48,
	    .events = ALL_SEVEN,
	    .fixed_mask = 7 } },
	/* Recorded on the machine that this was written on. */
	{ "virtual machine without counters",
	  { INTEL(0x20),
	    { 1, 0x000a0678, 0x00020800, 0xfffa3203, 0x1f8bfbff },
	    { 10, 0, 0, 0, 0 },
	    { 0x80000000, 0x80000008, 0, 0, 0 } },
	  { .vendor = "GenuineIntel",
	    .family = 6,
	    .model = 167,
	    .hypervisor = true } },
	/* By hand from APM volume 3: PerfMonV2 with six core
	 * counters, 16 branch records and 16 counters of the north
	 * bridge. */
	{ "Zen 4",
	  { AMD(0x10),
	    { 1, 0x00a60f12, 0, 0x7ef8320b, 0 },
	    { 0x80000000, 0x80000028, 0, 0, 0 },
	    { 0x80000001, 0x00a60f12, 0, 0x75c237ff, 0x2fd3fbff },
	    { 0x80000022, 7, 0x4106, 3, 0 } },
	  { .vendor = "AuthenticAMD",
	    .family = 25,
	    .model = 97,
	    .version = 2,
	    .counters = 6,
	    .counter_bits = 48 } },
	/* The leaf is above the maximum: what stands there means
	   nothing. */
	{ "Zen 2",
	  { AMD(0x10),
	    { 1, 0x00870f10, 0, 0x7ed8320b, 0 },
	    { 0x80000000, 0x80000020, 0, 0, 0 },
	    { 0x80000001, 0x00870f10, 0, 0x75c237ff, 0x2fd3fbff },
	    { 0x80000022, 7, 0x4106, 3, 0 } },
	  { .vendor = "AuthenticAMD",
	    .family = 23,
	    .model = 113,
	    .version = 0,
	    .counters = 6,
	    .counter_bits = 48 } },
	/* Four at fixed places, since K7. */
	{ "K10",
	  { AMD(5),
	    { 1, 0x00100f42, 0, 0x00802009, 0 },
	    { 0x80000000, 0x8000001b, 0, 0, 0 },
	    { 0x80000001, 0x00100f42, 0, 0x000037ff, 0 } },
	  { .vendor = "AuthenticAMD",
	    .family = 16,
	    .model = 4,
	    .counters = 4,
	    .counter_bits = 48 } },
	{ "virtual machine on Zen",
	  { AMD(0x10),
	    { 1, 0x00a00f11, 0, 0xfffa3203, 0 },
	    { 0x80000000, 0x80000028, 0, 0, 0 },
	    { 0x80000001, 0x00a00f11, 0, 0x00400233, 0 },
	    { 0x80000022, 0, 0, 0, 0 } },
	  { .vendor = "AuthenticAMD",
	    .family = 25,
	    .model = 1,
	    .hypervisor = true } },
	/* Leaf 0AH is above the maximum of this emulator. */
	{ "old emulator",
	  { INTEL(4), { 10, 0x07300404, 0, 0, 0x00000603 } },
	  { .vendor = "GenuineIntel" } },
};

#define SAME(member)                                                   \
	do {                                                           \
		snprintf(what, sizeof(what), "%s: " #member, m->name); \
		OK_NEAR(got.member, m->want.member, 0, what);          \
	} while (0)

/* The rest of the array is empty. */
static size_t leaves_of(const struct machine *m)
{
	size_t n = 1;

	while (n < COUNTERS_LEAVES && m->leaves[n].leaf)
		n++;
	return n;
}

static void test_machine(const struct machine *m)
{
	struct counters_arch got;
	char what[80];

	OK(!counters_decode(&got, m->leaves, leaves_of(m)), m->name);
	OK_STR(got.vendor, m->want.vendor, m->name);
	SAME(family);
	SAME(model);
	SAME(hypervisor);
	SAME(version);
	SAME(counters);
	SAME(counter_bits);
	SAME(fixed);
	SAME(fixed_bits);
	SAME(events);
	SAME(fixed_mask);
}

int main(void)
{
	struct counters_leaf here[COUNTERS_LEAVES];
	struct counters_arch arch;
	size_t n = counters_cpuid(here);

	for (size_t i = 0; i < sizeof(machines) / sizeof(*machines); i++)
		test_machine(&machines[i]);
	OK(counters_decode(&arch, NULL, 0) == -EINVAL, "no leaves at all");
	OK(!n || !counters_decode(&arch, here, n), "this machine");
	OK(!n || strlen(arch.vendor) == 12, "this machine has a vendor");
	return tap_done();
}
