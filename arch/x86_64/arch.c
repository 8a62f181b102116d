/* SPDX-License-Identifier: MIT */
/* An x86-64 processor's description of itself, and how its clock is to be
 * read. */
#include <cpuid.h>
#include <string.h>

#include "arch_ask.h"

/* CPUID takes 100 to 200 ticks on bare metal and thousands where it traps. */
#define CPUID_TRAP_TICKS 1000

#define MUL_CYCLES 3 /* latency assumed of a 32-bit multiply */

void arch_probe(struct timer_features *f)
{
	unsigned int a, b, c, d;

	if (__get_cpuid(1, &a, &b, &c, &d)) {
		f->counter = d >> 4 & 1;
		f->hypervisor = c >> 31;
	}
	if (__get_cpuid(0x80000001, &a, &b, &c, &d))
		f->fenced = f->counter && d >> 27 & 1; /* RDTSCP */
	if (__get_cpuid(0x80000007, &a, &b, &c, &d))
		f->invariant = d >> 8 & 1;
	for (int i = 0; f->counter && i < 20; i++) {
		uint64_t t0 = timer_none_begin();

		__cpuid(0, a, b, c, d);
		t0 = timer_none_end() - t0;
		if (t0 < f->trap_ticks)
			f->trap_ticks = t0;
	}
}

bool timer_usable(enum timer_method method, const struct timer_features *f,
		  const char **why)
{
	if (method == TIMER_CLOCK)
		return true;
	if (!f->counter) {
		*why = "this processor has no time-stamp counter";
		return false;
	}
	if (!f->fenced && (method == TIMER_CPUID || method == TIMER_LFENCE)) {
		*why = "this processor has no RDTSCP";
		return false;
	}
	return true;
}

enum timer_method timer_choose(const struct timer_features *f, const char **why)
{
	if (!f->counter || !f->invariant) {
		*why = "no invariant TSC, so the kernel's clock";
		return TIMER_CLOCK;
	}
	if (f->trap_ticks < CPUID_TRAP_TICKS && !f->hypervisor) {
		*why = f->fenced ? "CPUID does not trap: the white paper's "
				   "method"
				 : "no RDTSCP on this processor: the white "
				   "paper's first method";
		return f->fenced ? TIMER_CPUID : TIMER_CPUID2;
	}
	if (!f->fence_holds) {
		*why = "LFENCE does not hold a long chain back here, so CPUID, "
		       "though it may trap";
		return f->fenced ? TIMER_CPUID : TIMER_CPUID2;
	}
	if (!f->fenced) {
		*why = "no RDTSCP on this processor, and CPUID may trap; "
		       "LFENCE holds a long chain back";
		return TIMER_LFENCE2;
	}
	*why = f->trap_ticks < CPUID_TRAP_TICKS
		       ? "under a hypervisor, where CPUID may trap at any time"
		       : "CPUID traps to the hypervisor; LFENCE holds a long "
			 "chain back";
	return TIMER_LFENCE;
}

/* CPUID leaf 40000000H holds the hypervisor's signature, if there is one. */
bool arch_hypervisor(char signature[ARCH_SIGNATURE])
{
	unsigned int a, b, c, d;

	memset(signature, 0, ARCH_SIGNATURE);
	if (!__get_cpuid(1, &a, &b, &c, &d))
		return false;
	if (!(c & 1u << 31))
		return true;
	__cpuid(0x40000000, a, b, c, d);
	memcpy(signature, &b, 4);
	memcpy(signature + 4, &c, 4);
	memcpy(signature + 8, &d, 4);
	return true;
}

/* From Fog's tables: 3 on every Intel Core (family 6) and Zen (17H and later,
 * and Hygon's 18H). */
double arch_multiply_cycles(void)
{
	unsigned int a, vendor, c, d, family;

	if (!__get_cpuid(0, &a, &vendor, &c, &d))
		return 0;
	if (!__get_cpuid(1, &a, &(unsigned int) { 0 }, &c, &d))
		return 0;
	family = (a >> 8 & 15) + (a >> 20 & 255);
	if (vendor == signature_INTEL_ebx)
		return family == 6 ? MUL_CYCLES : 0;
	if (vendor == signature_AMD_ebx || vendor == 0x6f677948) /* Hygo */
		return family >= 0x17 ? MUL_CYCLES : 0;
	return 0;
}

bool arch_cpuid(uint32_t leaf, uint32_t regs[4])
{
	__cpuid_count(leaf, 0, regs[0], regs[1], regs[2], regs[3]);
	return true;
}

const char *arch_no_llc(const char *vendor)
{
	if (strcmp(vendor, "AuthenticAMD") != 0 &&
	    strcmp(vendor, "HygonGenuine") != 0)
		return NULL;
	return "cores of this kind do not see the last-level cache; "
	       "their generic cache events are those of L2: perf stat "
	       "-e cache-misses, or -a -e l3_misses for the uncore";
}
