/* SPDX-License-Identifier: MIT */
#include "clock_checks.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "arch.h"
#include "partner.h"

/* The quantum of the method `clock` would be another clock's. */
static double tsc_quantum(const struct bench *b)
{
	const struct timer *t = bench_timer(b);

	return t->method == TIMER_CLOCK ? timer_quantum(TIMER_NONE, 10000)
					: t->quantum_ticks;
}

struct ensemble_clock clock_of(const struct bench *b)
{
	return (struct ensemble_clock) {
		.quantum = (uint64_t)ceil(tsc_quantum(b)),
		.hz = (uint64_t)bench_timer(b)->tsc_hz,
	};
}

static void judge(struct bench *b, const struct bench_case *c, double value,
		  bool good, const char *loss)
{
	bench_derive(b, c, value);
	bench_fact_text(b, c, "verdict", good ? "pass" : loss);
}

static void check_monotonic(struct bench *b, const struct bench_case *c,
			    const struct clock_checked *with)
{
	const uint64_t reads = 100000;
	uint64_t last = 0, bad = 0;
	unsigned int cpus = 0;
	int cpu;

	while ((cpu = bench_nth_cpu(b, cpus)) >= 0) {
		int err = bench_pin(cpu);

		if (err) {
			bench_derive_skip(b, c, "cannot be bound to CPU %d: %s",
					  cpu, strerror(-err));
			break;
		}
		/* No read may be below the last one, also of another CPU. */
		for (uint64_t i = 0; i < reads; i++) {
			const uint64_t now = timer_fenced_begin();

			bad += now < last; /* a coarse clock stands still */
			last = now;
		}
		cpus++;
	}
	if (bench_pin(bench_cpu(b)) || cpu >= 0)
		return;
	bench_fact(b, c, "cpus", cpus);
	bench_fact(b, c, "reads", (double)(reads * cpus));
	judge(b, c, (double)bad, !bad,
	      "fails: the TSC went back, so intervals can be wrong by any "
	      "amount; use --timer clock");
}

#define ROUNDS	 2000
#define LIMIT_NS 20000000

/* A ball on a cache line of its own; odd: to the partner, even: back. */
struct ball {
	_Alignas(128) atomic_uint_fast64_t turn;
	_Alignas(128) atomic_uint_fast64_t stamp;
};

static int play(struct partner *p, void *arg)
{
	struct ball *ball = arg;
	uint64_t turn = 1;

	while (!partner_stopping(p)) {
		if (atomic_load_explicit(&ball->turn, memory_order_acquire) !=
		    turn)
			continue;
		atomic_store_explicit(&ball->stamp, timer_fenced_begin(),
				      memory_order_relaxed);
		atomic_store_explicit(&ball->turn, turn + 1,
				      memory_order_release);
		turn += 2;
	}
	return 0;
}

/* The other side reads its TSC between two reads of this one, so each round
 * confines (TSC there) - (TSC here).  Return: how many rounds there were. */
static unsigned int confine(struct ball *ball, int64_t *low, int64_t *high)
{
	const uint64_t until_ns = timer_clock_begin() + LIMIT_NS;
	unsigned int round = 0, spins = 0;

	for (; round < ROUNDS; round++) {
		const uint64_t turn = 2 * (uint64_t)round + 1;
		const uint64_t before = timer_fenced_begin();
		uint64_t after, there;

		atomic_store_explicit(&ball->turn, turn, memory_order_release);
		while (atomic_load_explicit(&ball->turn,
					    memory_order_acquire) == turn)
			if (!(++spins & 1023) && timer_clock_begin() > until_ns)
				return round;
		after = timer_fenced_begin();
		there = atomic_load_explicit(&ball->stamp,
					     memory_order_relaxed);
		if ((int64_t)(there - after) > *low)
			*low = (int64_t)(there - after);
		if ((int64_t)(there - before) < *high)
			*high = (int64_t)(there - before);
	}
	return round;
}

static void check_offset(struct bench *b, const struct bench_case *c,
			 const struct clock_checked *with)
{
	const double to_ns = 1e9 / bench_timer(b)->tsc_hz;
	double bound = 0, least = 0;
	unsigned int n = 0, rounds;
	int cpu;

	while ((cpu = bench_nth_cpu(b, n + 1)) >= 0) {
		int64_t low = INT64_MIN, high = INT64_MAX;
		struct ball ball = { 0 };
		struct partner partner;

		if (partner_start(b, &partner, PARTNER_THREAD, cpu, play,
				  &ball))
			return;
		rounds = confine(&ball, &low, &high);
		partner_stop(&partner);
		if (!rounds) {
			bench_derive_skip(b, c, "CPU %d did not answer", cpu);
			return;
		}
		bound = fmax(bound,
			     fmax(fabs((double)low), fabs((double)high)));
		/* Zero outside of the bounds: they are really apart. */
		least = fmax(least, fmax((double)low, -(double)high));
		n++;
	}
	if (!n) {
		bench_derive_skip(b, c, "there is only one CPU");
		return;
	}
	bench_fact(b, c, "cpus", n + 1);
	bench_fact(b, c, "proven_ns", least * to_ns);
	judge(b, c, bound * to_ns, least <= 0,
	      "fails: the TSCs of two CPUs are apart, so what begins on one "
	      "and ends on another (fork, wake-up) is wrong by proven_ns");
}

static void check_drift(struct bench *b, const struct bench_case *c,
			const struct clock_checked *with)
{
	const struct timer_instant *start = &with->start;
	const double hz = bench_timer(b)->tsc_hz;
	struct timer_instant now;
	double ns, ppm, unsure;

	/* Long enough for a bound well below 50 ppm. */
	do
		now = timer_instant();
	while (now.ns - start->ns < 50000000);
	ns = (double)(now.ns - start->ns);
	ppm = fabs((double)(now.ticks - start->ticks) * 1e9 / ns / hz - 1) *
	      1e6;
	unsure = (double)(now.width_ns + start->width_ns) / ns * 1e6;
	bench_fact_text(b, c, "rate",
			"against CLOCK_MONOTONIC_RAW, which may be this "
			"counter at the rate that the firmware states");
	bench_fact(b, c, "seconds", ns / 1e9);
	bench_fact(b, c, "uncertainty_ppm", unsure);
	judge(b, c, ppm, ppm <= 50 + unsure,
	      "fails: the TSC's rate moves against CLOCK_MONOTONIC_RAW, so ns "
	      "drift in the course of a run; use --timer clock");
}

static void check_fence(struct bench *b, const struct bench_case *c,
			const struct clock_checked *with)
{
	const struct timer *t = bench_timer(b);
	const enum timer_method method = t->method != TIMER_CLOCK
						 ? t->method
						 : timer_waiting(&t->features);
	const uint64_t pct = with->seen_pct(method, clock_of(b).quantum);

	bench_fact_text(b, c, "method", timer_name(method));
	judge(b, c, (double)pct, pct >= 80,
	      "fails: intervals end before the measured code does, so single "
	      "events read too short; use another --timer");
}

/* On bare metal CPUID takes 100 to 250 cycles; an exit costs over 1000.  A
 * counter's read takes some ten. */
static bool traps(const struct timer *t)
{
	const double core = t->core_hz > 0 ? t->core_hz : t->tsc_hz;

	return (double)t->features.trap_ticks * core / t->tsc_hz >= 1000 ||
	       t->features.trap_ns >= TIMER_TRAP_NS;
}

static void check_trap(struct bench *b, const struct bench_case *c,
		       const struct clock_checked *with)
{
	const struct timer *t = bench_timer(b);
	const double ns =
		t->features.trap_ns > 0
			? t->features.trap_ns
			: (double)t->features.trap_ticks * 1e9 / t->tsc_hz;

	bench_fact(b, c, "hypervisor", t->features.hypervisor);
	if (t->features.trap_ticks == UINT64_MAX || !(t->tsc_hz > 0)) {
		bench_derive_skip(b, c, "it could not be timed here");
		return;
	}
	judge(b, c, ns, !traps(t), ARCH_TRAP_LOSS);
}

static void check_quantum(struct bench *b, const struct bench_case *c,
			  const struct clock_checked *with)
{
	const double ns = tsc_quantum(b) * 1e9 / bench_timer(b)->tsc_hz;

	judge(b, c, ns, ns <= 100,
	      "coarse: single events are known to no better than this step");
}

const struct clock_check clock_checks[CLOCK_CHECKS] = {
	{ "monotonic", "1", BENCH_LOWER, check_monotonic },
	{ "offset", "ns", BENCH_LOWER, check_offset },
	{ "drift", "ppm", BENCH_LOWER, check_drift },
	{ "fence", "%", BENCH_HIGHER, check_fence },
	{ ARCH_TRAP, "ns", BENCH_LOWER, check_trap },
	{ "quantum", "ns", BENCH_LOWER, check_quantum },
};
