/* SPDX-License-Identifier: MIT */
#include "timer.h"

#include <cpuid.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ensemble_body.h"
#include "quantum.h"
#include "stats.h"

/* CPUID takes 100 to 200 ticks on bare metal and thousands where it traps. */
#define CPUID_TRAP_TICKS 1000

#define RATE_WINDOW_NS	  260000000u /* METHOD: at least 250 ms */
#define CHECK_WINDOW_NS	  20000000u
#define RATE_TOLERANCE	  1e-3
#define SANDWICHES	  200
#define QUANTUM_READS	  4000
#define DELAY_ROUNDS	  256 /* with the reads some 100 ns: ten steps of 10 ns */
#define LONG_DELAY_ROUNDS 8192
#define COARSE_STEPS	  16 /* a clock that is coarse gets more reads */
#define COARSE_READS	  50
#define OVERHEAD_READS	  4000
#define OVERHEAD_NS	  15000000.0 /* not longer than 15 ms */

/* Chains are in asm and use a register operand: recent cores execute an add of
 * a small constant while renaming, which then takes no time at all. */
#define CHAIN 512

#define NOW_TRIES	3
#define NOW_ROUNDS	4   /* 6144 cycles, mostly: 2 to 3 us */
#define NOW_QUANTA	200 /* that many make an error of 0.5 % */
#define MOST_NOW_ROUNDS 200 /* 0.1 ms; a coarser clock cannot tell */

static const char *const names[TIMER_METHODS] = {
	[TIMER_CPUID] = "cpuid",   [TIMER_CPUID2] = "cpuid2",
	[TIMER_LFENCE] = "lfence", [TIMER_NONE] = "none",
	[TIMER_CLOCK] = "clock",
};

const char *timer_name(enum timer_method method)
{
	return names[method];
}

int timer_find(const char *name)
{
	for (int i = 0; i < TIMER_METHODS; i++)
		if (!strcmp(names[i], name))
			return i;
	return -EINVAL;
}

uint64_t timer_empty(enum timer_method method)
{
	uint64_t ticks;

	TIMER_INTERVAL(method, ticks, );
	return ticks;
}

__attribute__((noinline)) static uint64_t adds(uint64_t rounds)
{
	uint64_t x = rounds, one = 1;

	while (rounds--)
		__asm__ volatile(".rept 512\n\tadd %1, %0\n\t.endr"
				 : "+r"(x)
				 : "r"(one)
				 : "cc");
	return x;
}

__attribute__((noinline)) static uint64_t muls(uint64_t rounds)
{
	uint64_t x = rounds | 1, three = 3;

	while (rounds--)
		__asm__ volatile(".rept 512\n\timul %1, %0\n\t.endr"
				 : "+r"(x)
				 : "r"(three)
				 : "cc");
	return x;
}

/* @n chains of ensemble_body.h, 1 or 8k. */
__attribute__((noinline)) static void roots(uint32_t n)
{
	if (n == 1)
		ensemble_chain(3);
	else
		ensemble_chains(n);
}

/*
 * A fence that does not hold lets the clock be read before the chain is done.
 * One chain alone must take at least most of what a chain adds to a long run
 * of chains, where the ends do not count.
 */
static bool fence_holds(void)
{
	static const uint32_t chains[] = { 1, 8, 24 };
	uint64_t least[3] = { UINT64_MAX, UINT64_MAX, UINT64_MAX };

	for (unsigned int i = 0; i < 300; i++) {
		uint64_t ticks;
		const unsigned int k = i % 3;

		TIMER_INTERVAL(TIMER_LFENCE, ticks, roots(chains[k]));
		if (ticks < least[k])
			least[k] = ticks;
	}
	return (double)least[0] > 0.8 * (double)(least[2] - least[1]) / 16;
}

void timer_probe(struct timer_features *f)
{
	unsigned int a, b, c, d;

	memset(f, 0, sizeof(*f));
	if (__get_cpuid(1, &a, &b, &c, &d)) {
		f->tsc = d >> 4 & 1;
		f->hypervisor = c >> 31;
	}
	if (__get_cpuid(0x80000001, &a, &b, &c, &d))
		f->rdtscp = d >> 27 & 1;
	if (__get_cpuid(0x80000007, &a, &b, &c, &d))
		f->invariant = d >> 8 & 1;
	if (!f->tsc)
		return;
	f->cpuid_ticks = UINT64_MAX;
	for (int i = 0; i < 20; i++) {
		uint64_t t0 = timer_none_begin();

		__cpuid(0, a, b, c, d);
		t0 = timer_none_end() - t0;
		if (t0 < f->cpuid_ticks)
			f->cpuid_ticks = t0;
	}
	f->fence_holds = f->rdtscp && fence_holds();
}

bool timer_usable(enum timer_method method, const struct timer_features *f,
		  const char **why)
{
	if (method == TIMER_CLOCK)
		return true;
	if (!f->tsc) {
		*why = "this processor has no time-stamp counter";
		return false;
	}
	if (!f->rdtscp && (method == TIMER_CPUID || method == TIMER_LFENCE)) {
		*why = "this processor has no RDTSCP";
		return false;
	}
	return true;
}

enum timer_method timer_choose(const struct timer_features *f, const char **why)
{
	if (!f->tsc || !f->rdtscp) {
		*why = "no RDTSCP on this processor, so the kernel's clock";
		return TIMER_CLOCK;
	}
	if (!f->invariant) {
		*why = "the TSC is not invariant, so the kernel's clock";
		return TIMER_CLOCK;
	}
	if (f->cpuid_ticks < CPUID_TRAP_TICKS && !f->hypervisor) {
		*why = "CPUID does not trap: the white paper's method";
		return TIMER_CPUID;
	}
	if (!f->fence_holds) {
		*why = "LFENCE does not hold a long chain back here, so CPUID, "
		       "though it may trap";
		return TIMER_CPUID;
	}
	*why = f->cpuid_ticks < CPUID_TRAP_TICKS
		       ? "under a hypervisor, where CPUID may trap at any time"
		       : "CPUID traps to the hypervisor; LFENCE holds a long "
			 "chain back";
	return TIMER_LFENCE;
}

struct instant {
	uint64_t ns, ticks;
};

/* The TSC between two readings of the clock, the closest pair of many. */
static struct instant tightest(void)
{
	struct instant best = { 0, 0 };
	uint64_t least = UINT64_MAX;

	for (int i = 0; i < SANDWICHES; i++) {
		uint64_t ns0 = timer_clock_begin();
		uint64_t ticks = timer_lfence_begin();
		uint64_t ns1 = timer_clock_begin();

		if (ns1 - ns0 < least) {
			least = ns1 - ns0;
			best.ns = ns0 + (ns1 - ns0) / 2;
			best.ticks = ticks;
		}
	}
	return best;
}

double timer_tsc_hz(uint64_t window_ns)
{
	struct instant a = tightest(), b;
	struct timespec rest = { 0, 1000000 };

	/* Sleeping leaves the CPU to others; the TSC is invariant. */
	while (timer_clock_begin() - a.ns < window_ns)
		nanosleep(&rest, NULL);
	b = tightest();
	return (double)(b.ticks - a.ticks) * 1e9 / (double)(b.ns - a.ns);
}

/* Ticks of one link of a chain: least of 2n less least of n. */
static double link_ticks(enum timer_method method, uint64_t (*chain)(uint64_t),
			 uint64_t rounds, unsigned int tries)
{
	uint64_t best1 = UINT64_MAX, best2 = UINT64_MAX;

	for (unsigned int i = 0; i < tries; i++) {
		uint64_t ticks;

		TIMER_INTERVAL(method, ticks, chain(rounds));
		if (ticks < best1)
			best1 = ticks;
		TIMER_INTERVAL(method, ticks, chain(2 * rounds));
		if (ticks < best2)
			best2 = ticks;
	}
	return best2 > best1
		       ? (double)(best2 - best1) / (double)(rounds * CHAIN)
		       : 0;
}

/*
 * An addition is one cycle, but beside a busy hardware thread a long chain of
 * them was seen to take 1.031 for minutes, when one of multiplications took
 * 3.002.  So additions only say how many whole cycles a multiplication has.
 */
static double core_hz(const struct timer *t, unsigned int tries, double *cycles)
{
	/* 20480 adds or 7168 muls, of 3 cycles mostly: 5 to 10 us */
	const double add = link_ticks(t->method, adds, 40, tries);
	const double mul = link_ticks(t->method, muls, 14, tries);
	const double whole = add > 0 ? round(mul / add) : 0;

	*cycles = 0;
	if (!(add > 0) || !(mul > 0))
		return 0;
	*cycles =
		whole < 1 || fabs(mul / add - whole) > 0.2 ? mul / add : whole;
	return t->hz * *cycles / mul;
}

double timer_core_hz(const struct timer *t, unsigned int tries)
{
	double cycles;

	return core_hz(t, tries, &cycles);
}

/* How to read the clock of @method for its own sake: that method may be one
 * that does not wait, or takes long (CPUID). */
static enum timer_method plain_method(enum timer_method method)
{
	return method == TIMER_CLOCK ? TIMER_CLOCK : TIMER_LFENCE;
}

/* How many multiplies are long enough for this clock, and what the two reads
 * add to them. */
static void plan_core_hz_now(struct timer *t)
{
	const double round_ticks =
		t->core_hz > 0 ? CHAIN * t->multiply_cycles * t->hz / t->core_hz
			       : 0;
	uint64_t least = UINT64_MAX;

	t->now_rounds = 0;
	if (!(round_ticks > 0))
		return;
	for (int i = 0; i < 50; i++) {
		const uint64_t ticks = timer_empty(plain_method(t->method));

		least = ticks < least ? ticks : least;
	}
	t->now_offset_ticks = (double)least;
	t->now_rounds = (unsigned int)
		fmin(MOST_NOW_ROUNDS + 1,
		     fmax(NOW_ROUNDS,
			  ceil(NOW_QUANTA * t->quantum_ticks / round_ticks)));
	if (t->now_rounds > MOST_NOW_ROUNDS)
		t->now_rounds = 0;
}

double timer_core_hz_now(const struct timer *t)
{
	const enum timer_method method = plain_method(t->method);
	uint64_t least = UINT64_MAX;

	if (!t->now_rounds)
		return 0;
	muls(1); /* its code may have left the caches */
	for (int i = 0; i < NOW_TRIES; i++) {
		uint64_t ticks;

		TIMER_INTERVAL(method, ticks, muls(t->now_rounds));
		least = ticks < least ? ticks : least;
	}
	if ((double)least <= t->now_offset_ticks)
		return 0;
	return t->hz * t->now_rounds * CHAIN * t->multiply_cycles /
	       ((double)least - t->now_offset_ticks);
}

/* From 64 cycles to @most and 64, never as many as the time before: at the
 * least so many that a clock which is kept from standing still by a tick of
 * its own is not read twice within one step. */
static inline void irregular_delay(uint32_t i, uint32_t most)
{
	uint32_t rounds = 64 + i * 2654435761u % most;

	__asm__ volatile("1: dec %0\n\t"
			 "jnz 1b"
			 : "+r"(rounds)
			 :
			 : "cc");
}

/* @q gets the differences of @reads readings, more of a clock that rarely
 * advances, with delays of up to @most cycles between them. */
static void read_steps(struct quantum *q, enum timer_method method,
		       uint32_t reads, uint32_t most)
{
	uint64_t last = timer_begin(method);

	quantum_start(q);
	for (uint32_t i = 0;
	     i < reads || (q->n < COARSE_STEPS && i < COARSE_READS * reads);
	     i++) {
		uint64_t now;

		irregular_delay(i, most);
		now = timer_begin(method);
		quantum_add(q, now - last);
		last = now;
		if (!(i % 64) && quantum_is_fine(q))
			break;
	}
}

double timer_quantum(enum timer_method method, uint32_t reads)
{
	struct quantum q;

	method = plain_method(method);
	read_steps(&q, method, reads, DELAY_ROUNDS);
	/* A long step shows few of its multiples in short delays. */
	if (quantum_step(&q) == QUANTUM_ONE && !quantum_is_fine(&q))
		read_steps(&q, method, reads / 4, LONG_DELAY_ROUNDS);
	return (double)quantum_step(&q) / QUANTUM_ONE;
}

static int measure_overhead(struct timer *t)
{
	size_t n = OVERHEAD_READS, edge;
	double *x = malloc(n * sizeof(*x));
	double sum = 0, cost;
	uint64_t t0;

	if (!x)
		return -ENOMEM;
	for (int i = 0; i < 100; i++)
		timer_empty(t->method); /* warm */
	t0 = timer_clock_begin();
	for (int i = 0; i < 10; i++)
		timer_empty(t->method);
	cost = (double)(timer_clock_begin() - t0) / 10;
	if (cost * (double)n > OVERHEAD_NS)
		n = (size_t)fmax(200, OVERHEAD_NS / cost);
	for (size_t i = 0; i < n; i++)
		x[i] = (double)timer_empty(t->method);
	stats_sort(x, n);
	edge = n / 20;
	for (size_t i = edge; i < n - edge; i++)
		sum += x[i];
	t->overhead_ticks = sum / (double)(n - 2 * edge);
	t->overhead_spread_ticks = fmax(x[n - 1 - edge] - t->overhead_ticks,
					t->overhead_ticks - x[edge]);
	free(x);
	return 0;
}

int timer_calibrate(struct timer *t, enum timer_method method, double tsc_hz)
{
	const char *why = "";
	double check;

	t->method = method;
	if (!timer_usable(method, &t->features, &why))
		return -ENOTSUP;
	if (t->features.tsc && t->features.invariant) {
		if (tsc_hz > 0) {
			check = timer_tsc_hz(CHECK_WINDOW_NS);
			if (fabs(check / tsc_hz - 1) > RATE_TOLERANCE)
				tsc_hz = 0;
		}
		t->tsc_hz = tsc_hz > 0 ? tsc_hz : timer_tsc_hz(RATE_WINDOW_NS);
	}
	t->hz = method == TIMER_CLOCK ? 1e9
		: t->tsc_hz > 0	      ? t->tsc_hz
				      : timer_tsc_hz(RATE_WINDOW_NS);
	t->quantum_ticks = timer_quantum(method, QUANTUM_READS);
	t->core_hz = core_hz(t, 30, &t->multiply_cycles);
	plan_core_hz_now(t);
	return measure_overhead(t);
}
