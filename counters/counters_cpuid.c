/* SPDX-License-Identifier: MIT */
/* The processor's description of its counters. */
#include <errno.h>
#include <string.h>

#include "counters.h"

#include "arch_ask.h"

#define MONITORING     0x0au
#define EXTENDED_MAX   0x80000000u
#define EXTENDED_FLAGS 0x80000001u
#define AMD_MONITORING 0x80000022u

/* AMD's counters are 48 bits wide; no leaf says so.  (PPR for family 19H,
 * MSRC001_0200: "CTR: performance counter value, bits 47:0".) */
#define AMD_BITS     48
#define AMD_EXTENDED 6 /* with PerfCtrExtCore, else ... */
#define AMD_LEGACY   4

size_t counters_cpuid(struct counters_leaf leaves[COUNTERS_LEAVES])
{
	static const uint32_t wanted[COUNTERS_LEAVES] = {
		0, 1, MONITORING, EXTENDED_MAX, EXTENDED_FLAGS, AMD_MONITORING
	};

	for (size_t i = 0; i < COUNTERS_LEAVES; i++) {
		uint32_t regs[4];

		if (!arch_cpuid(wanted[i], regs))
			return 0;
		leaves[i] =
			(struct counters_leaf) { wanted[i], regs[0], regs[1],
						 regs[2], regs[3] };
	}
	return COUNTERS_LEAVES;
}

struct set {
	const struct counters_leaf *leaves;
	size_t n;
};

/* Above the maximum a processor answers with another leaf's data, and some
 * emulators with anything. */
static const struct counters_leaf *find(const struct set *s, uint32_t leaf)
{
	const struct counters_leaf *max = NULL, *found = NULL;

	for (const struct counters_leaf *l = s->leaves; l < s->leaves + s->n;
	     l++) {
		max = l->leaf == (leaf & EXTENDED_MAX) ? l : max;
		found = l->leaf == leaf ? l : found;
	}
	/* A processor without extended leaves answers 80000000H with less. */
	return max && max->eax >= leaf ? found : NULL;
}

/* SDM volume 2A, CPUID leaf 0AH. */
static void decode_intel(struct counters_arch *a, const struct set *s)
{
	/* EBX has a bit for each event that is not there. */
	static const enum counters_event order[] = {
		COUNTERS_CYCLES,	COUNTERS_INSTRUCTIONS,
		COUNTERS_REF_CYCLES,	COUNTERS_LLC_REFERENCES,
		COUNTERS_LLC_MISSES,	COUNTERS_BRANCHES,
		COUNTERS_BRANCH_MISSES,
	};
	const struct counters_leaf *l = find(s, MONITORING);
	unsigned int length;

	if (!l || !(l->eax & 0xff))
		return;
	a->version = l->eax & 0xff;
	a->counters = l->eax >> 8 & 0xff;
	a->counter_bits = l->eax >> 16 & 0xff;
	length = l->eax >> 24;
	for (unsigned int i = 0; i < COUNTERS_HARDWARE && i < length; i++)
		if (!(l->ebx >> i & 1))
			a->events |= 1u << order[i];
	if (a->version < 2)
		return;
	a->fixed = l->edx & 0x1f;
	a->fixed_bits = l->edx >> 5 & 0xff;
	a->fixed_mask = (1u << a->fixed) - 1;
	/* From version 5 on there may be more of them, with gaps. */
	if (a->version >= 5)
		a->fixed_mask |= l->ecx;
	a->fixed = (unsigned int)__builtin_popcount(a->fixed_mask);
}

/* APM volume 3, CPUID 8000_0001H and 8000_0022H. */
static void decode_amd(struct counters_arch *a, const struct set *s)
{
	const struct counters_leaf *flags = find(s, EXTENDED_FLAGS);
	const struct counters_leaf *l = find(s, AMD_MONITORING);

	/* Without PerfCtrExtCore a guest may have no counters at all, and no
	 * leaf tells: what can be opened tells. */
	if (flags && flags->ecx >> 23 & 1)
		a->counters = AMD_EXTENDED;
	else if (!a->hypervisor)
		a->counters = AMD_LEGACY;
	if (l && l->eax & 1) {
		a->version = 2;
		a->counters = l->ebx & 0xf;
	}
	if (a->counters)
		a->counter_bits = AMD_BITS;
}

static void decode_signature(struct counters_arch *a, const struct set *s)
{
	const struct counters_leaf *l = find(s, 1);
	unsigned int family, model;

	if (!l)
		return;
	family = l->eax >> 8 & 0xf;
	model = l->eax >> 4 & 0xf;
	if (family == 6 || family == 15)
		model |= l->eax >> 12 & 0xf0;
	if (family == 15)
		family += l->eax >> 20 & 0xff;
	a->family = family;
	a->model = model;
	a->hypervisor = l->ecx >> 31;
}

int counters_decode(struct counters_arch *arch,
		    const struct counters_leaf *leaves, size_t n)
{
	struct set s = { leaves, n };
	const struct counters_leaf *l = find(&s, 0);

	memset(arch, 0, sizeof(*arch));
	if (!l)
		return -EINVAL;
	memcpy(arch->vendor, &l->ebx, 4);
	memcpy(arch->vendor + 4, &l->edx, 4);
	memcpy(arch->vendor + 8, &l->ecx, 4);
	decode_signature(arch, &s);
	if (!strcmp(arch->vendor, "AuthenticAMD") ||
	    !strcmp(arch->vendor, "HygonGenuine"))
		decode_amd(arch, &s);
	else
		decode_intel(arch, &s);
	return 0;
}
