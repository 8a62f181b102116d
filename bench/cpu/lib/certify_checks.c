/* SPDX-License-Identifier: MIT */
#include "certify_checks.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "certify_sample.h"

/* The quantum of the method `clock` would be another clock's. */
static double tsc_quantum(const struct bench *b)
{
	const struct timer *t = bench_timer(b);

	return t->method == TIMER_CLOCK ? timer_quantum(TIMER_NONE, 10000)
					: t->quantum_ticks;
}

struct ensemble_clock certify_clock(const struct bench *b)
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
			    const struct clock_pair *start)
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
		bad += clock_backward(reads, &last);
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

static void check_offset(struct bench *b, const struct bench_case *c,
			 const struct clock_pair *start)
{
	const struct timer *t = bench_timer(b);
	double bound = 0, least = 0;
	unsigned int n = 0;
	int cpu;

	while ((cpu = bench_nth_cpu(b, n + 1)) >= 0) {
		struct clock_offset o;
		int err = clock_offset(b, &o, cpu, 2000, 20000000);

		if (err == -ETIMEDOUT) {
			bench_derive_skip(b, c, "CPU %d did not answer", cpu);
			return;
		}
		if (err)
			return;
		bound = fmax(bound,
			     fmax(fabs((double)o.low), fabs((double)o.high)));
		/* Zero outside of the bounds: they are really apart. */
		least = fmax(least, fmax((double)o.low, -(double)o.high));
		n++;
	}
	if (!n) {
		bench_derive_skip(b, c, "there is only one CPU");
		return;
	}
	bench_fact(b, c, "cpus", n + 1);
	bench_fact(b, c, "proven_ns", least * 1e9 / t->tsc_hz);
	judge(b, c, bound * 1e9 / t->tsc_hz, least <= 0,
	      "fails: the TSCs of two CPUs are apart, so what begins on one "
	      "and ends on another (fork, wake-up) is wrong by proven_ns");
}

static void check_drift(struct bench *b, const struct bench_case *c,
			const struct clock_pair *start)
{
	const double hz = bench_timer(b)->tsc_hz;
	struct clock_pair now;
	double ns, ppm, unsure;

	/* Long enough for a bound well below 50 ppm. */
	do
		clock_pair_read(&now, 100);
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
			const struct clock_pair *start)
{
	const struct timer *t = bench_timer(b);
	const enum timer_method method = t->method != TIMER_CLOCK
						 ? t->method
						 : timer_waiting(&t->features);
	const uint64_t pct = certify_seen_pct(method, certify_clock(b).quantum);

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
		       const struct clock_pair *start)
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
			  const struct clock_pair *start)
{
	const double ns = tsc_quantum(b) * 1e9 / bench_timer(b)->tsc_hz;

	judge(b, c, ns, ns <= 100,
	      "coarse: single events are known to no better than this step");
}

static const struct {
	const char *name;
	void (*check)(struct bench *b, const struct bench_case *c,
		      const struct clock_pair *start);
} checks[] = {
	{ "monotonic", check_monotonic }, { "offset", check_offset },
	{ "drift", check_drift },	  { "fence", check_fence },
	{ ARCH_TRAP, check_trap },	  { "quantum", check_quantum },
};

void certify_check(struct bench *b, const struct bench_case *c,
		   const struct clock_pair *start)
{
	CASE_OF(c, "check", checks)->check(b, c, start);
}
