/* SPDX-License-Identifier: MIT */
/*
 * certify - can the clock of this machine be trusted, and how far?
 *
 * The white paper's acceptance test of timing methods (sections 3.1 to 3.3).
 * For each method, ensembles of samples of an empty body (body=empty) show
 * whether the cost of measuring is constant: the least time, the variance in
 * an ensemble, and how both move from one ensemble to the next.  Then the body
 * grows by one store for each ensemble (body=loop): the least times must grow
 * with it, and the step at which they do is the resolution; so where the
 * clock advances in long steps there are more ensembles, four steps' worth of
 * stores.  Last a long dependent chain (body=chain): a method that reads the
 * clock before the chain is done is of no use, however constant it is.
 * stat=verdict is 2 if the method is accepted, 1 if it is good for batches
 * only (a single sample has no known error, for the variance moves), 0 if it is
 * rejected; "why" is in its evidence, and the rules are in clock/ensemble.h.
 *
 * The paper had interrupts off.  A program cannot do that, so the figures are
 * of the samples within 2 x the least + 100 ns, which cuts nothing off on a
 * machine like the paper's; those of all samples stand beside them in the
 * evidence ("all_samples"), and the paper's own ("paper").
 *
 * check=...: does the TSC ever go back, on any CPU (monotonic); how far apart
 * can the TSCs of two CPUs be (offset: a bound); does its rate agree with
 * CLOCK_MONOTONIC_RAW (drift); does the end of an interval wait for a long
 * chain (fence); the cost of CPUID, which a hypervisor makes long; the step in
 * which the clock advances (quantum).  "verdict" among the self-checks names
 * the loss if a check fails.
 *
 * Measures: ticks of the TSC, of one interval; ns, ppm and % in the checks.
 * Includes: nothing beside the two reads of the clock, in body=empty.
 * After:    G. Paoloni, Intel white paper 324264-001, 2010.
 * Needs:    an invariant TSC; RDTSCP for cpuid and lfence.
 */
#include <errno.h>
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "arch.h"
#include "bench.h"
#include "certificate.h"
#include "ensemble_body.h"
#include "partner.h"

#define PAPER_ENSEMBLES 1000

static const enum timer_method methods[] = { ARCH_CERTIFIED };
#define METHODS (sizeof(methods) / sizeof(*methods))

struct certify_state {
	uint64_t ensembles, least, samples; /* options; ensembles 0: choose */
	const char *log_path;

	struct timer_features features;
	struct timer_instant start; /* of the program: drift looks back to it */
	uint64_t step;		    /* stores that take one step of the clock */
	FILE *log;
	uint64_t scratch[2 * PAPER_ENSEMBLES];

	unsigned int adding;	  /* the figure of the point to be added */
	enum timer_method method; /* at work */
	volatile int variable;	  /* the paper's */
};

static __attribute__((noinline)) void chains(uint32_t n)
{
	ensemble_chains(n);
}

/* The choice of the method is made before the first interval begins.  With
 * cpuid and cpuid2 the CPUID that ends an interval is also the one in front of
 * the next: the sequence around each body is the method's, for half of the
 * exits to a hypervisor.  Between that CPUID and the read stands what moves the
 * loop on (of cpuid2 also the store of the sample), which takes a cycle or two
 * while the read is under way. */
#define TAKE(name, body, ...)                                            \
	static void take_##name(enum timer_method method, ##__VA_ARGS__, \
				uint64_t *ticks, uint32_t count)         \
	{                                                                \
		switch (method) {                                        \
			ARCH_SHARED_ENDS(count, ticks, body)             \
		default:                                                 \
			while (count--) {                                \
				uint64_t t_;                             \
				TIMER_INTERVAL(method, t_, body);        \
				*ticks++ = t_;                           \
			}                                                \
		}                                                        \
	}

/* Each body has its own function: nothing but the body lies inside. */
TAKE(empty, (void)0)
TAKE(loop, ensemble_stores(n, variable), uint32_t n, volatile int *variable)
TAKE(chain, ensemble_chain(3))
TAKE(chains, chains(n), uint32_t n)

/* Ticks of @count intervals around @body. */
static void take(void *ctx, enum certificate_body body, uint32_t n,
		 uint64_t *ticks, uint32_t count)
{
	struct certify_state *s = ctx;

	if (body == CERTIFICATE_EMPTY)
		take_empty(s->method, ticks, count);
	else if (body == CERTIFICATE_LOOP)
		take_loop(s->method, n, &s->variable, ticks, count);
	else if (n == 1)
		take_chain(s->method, ticks, count);
	else
		take_chains(s->method, n, ticks, count);
}

/* The paper's own line, and behind it the same of all samples. */
static void log_row(void *ctx, enum certificate_body body, uint32_t ensemble,
		    const struct ensemble_row *quiet,
		    const struct ensemble_row *all)
{
	struct certify_state *s = ctx;

	if (!s->log)
		return;
	if (!ensemble)
		fprintf(s->log, "\n\n# method=%s body=%s\n",
			timer_name(s->method),
			body == CERTIFICATE_LOOP ? "loop" : "empty");
	fprintf(s->log,
		"loop_size:%u >>>> variance(cycles): %.3f; "
		"max_deviation: %llu ;min time: %llu"
		" (all samples: %.3f %llu %llu)\n",
		ensemble, (double)quiet->variance_milli / 1e3,
		(unsigned long long)quiet->max_deviation,
		(unsigned long long)quiet->min,
		(double)all->variance_milli / 1e3,
		(unsigned long long)all->max_deviation,
		(unsigned long long)all->min);
}

static const struct certificate_ops ops = {
	.take = take,
	.row = log_row,
};

/* The quantum of the method `clock` would be another clock's. */
static double tsc_quantum(const struct bench *b)
{
	const struct timer *t = bench_timer(b);

	return t->method == TIMER_CLOCK ? timer_quantum(TIMER_NONE, 10000)
					: t->quantum_ticks;
}

static struct ensemble_clock clock_of(const struct bench *b)
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

static void check_monotonic(struct bench *b, const struct bench_case *c)
{
	const uint64_t reads = 100000;
	uint64_t last = 0, bad = 0;
	unsigned int cpus = 0;
	int cpu, err = 0;

	while (!err && (cpu = bench_nth_cpu(b, cpus)) >= 0) {
		err = bench_pin(cpu);
		if (err)
			bench_derive_skip(b, c, "cannot be bound to CPU %d: %s",
					  cpu, strerror(-err));
		/* No read may be below the last one, also of another CPU. */
		for (uint64_t i = 0; !err && i < reads; i++) {
			const uint64_t now = timer_fenced_begin();

			bad += now < last; /* a coarse clock stands still */
			last = now;
		}
		cpus++;
	}
	if (bench_pin(bench_cpu(b)) || err)
		return;
	bench_fact(b, c, "cpus", cpus);
	bench_fact(b, c, "reads", (double)(reads * cpus));
	judge(b, c, (double)bad, !bad,
	      "fails: the TSC went back, so intervals can be wrong by any "
	      "amount; use --timer clock");
}

#define ROUNDS 2000

/* A reading of the partner's TSC; 0: asks it to read. */
struct ball {
	_Alignas(128) atomic_uint_fast64_t stamp;
};

static int play(struct partner *p, void *arg)
{
	struct ball *ball = arg;

	while (!partner_stopping(p))
		if (!atomic_load_explicit(&ball->stamp, memory_order_acquire))
			atomic_store_explicit(&ball->stamp,
					      timer_fenced_begin(),
					      memory_order_release);
	return 0;
}

/* The other side reads its TSC between two reads of this one, so each round
 * confines (TSC there) - (TSC here). */
static void confine(struct ball *ball, int64_t *low, int64_t *high)
{
	for (unsigned int round = 0; round < ROUNDS; round++) {
		const uint64_t before = timer_fenced_begin();
		uint64_t after, there;

		atomic_store_explicit(&ball->stamp, 0, memory_order_release);
		do
			there = atomic_load_explicit(&ball->stamp,
						     memory_order_acquire);
		while (!there);
		after = timer_fenced_begin();
		if ((int64_t)(there - after) > *low)
			*low = (int64_t)(there - after);
		if ((int64_t)(there - before) < *high)
			*high = (int64_t)(there - before);
	}
}

static void check_offset(struct bench *b, const struct bench_case *c)
{
	const double to_ns = 1e9 / bench_timer(b)->tsc_hz;
	double bound = 0, least = 0;
	unsigned int n = 0;
	int cpu;

	while ((cpu = bench_nth_cpu(b, n + 1)) >= 0) {
		int64_t low = INT64_MIN, high = INT64_MAX;
		struct ball ball = { 1 };
		struct partner partner;

		if (partner_start(b, &partner, PARTNER_THREAD, cpu, play,
				  &ball))
			return;
		confine(&ball, &low, &high);
		partner_stop(&partner);
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

static void check_drift(struct bench *b, const struct bench_case *c)
{
	const struct timer_instant *start = c->arg;
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

static void check_fence(struct bench *b, const struct bench_case *c)
{
	const struct timer *t = bench_timer(b);
	const enum timer_method method = t->method != TIMER_CLOCK
						 ? t->method
						 : timer_waiting(&t->features);
	struct certify_state s = { .method = method };
	const uint64_t pct = certificate_seen(&ops, &s, clock_of(b).quantum);

	bench_fact_text(b, c, "method", timer_name(method));
	judge(b, c, (double)pct, pct >= 80,
	      "fails: intervals end before the measured code does, so single "
	      "events read too short; use another --timer");
}

static void check_trap(struct bench *b, const struct bench_case *c)
{
	const struct timer *t = bench_timer(b);
	const double core = t->core_hz > 0 ? t->core_hz : t->tsc_hz;
	const double ns =
		t->features.trap_ns > 0
			? t->features.trap_ns
			: (double)t->features.trap_ticks * 1e9 / t->tsc_hz;

	bench_fact(b, c, "hypervisor", t->features.hypervisor);
	if (t->features.trap_ticks == UINT64_MAX || !(t->tsc_hz > 0)) {
		bench_derive_skip(b, c, "it could not be timed here");
		return;
	}
	/* On bare metal CPUID takes 100 to 250 cycles; an exit costs over 1000.
	 * A counter's read takes some ten. */
	judge(b, c, ns,
	      (double)t->features.trap_ticks * core / t->tsc_hz < 1000 &&
		      t->features.trap_ns < TIMER_TRAP_NS,
	      ARCH_TRAP_LOSS);
}

static void check_quantum(struct bench *b, const struct bench_case *c)
{
	const double ns = tsc_quantum(b) * 1e9 / bench_timer(b)->tsc_hz;

	judge(b, c, ns, ns <= 100,
	      "coarse: single events are known to no better than this step");
}

/* Each does it, derives the value of @c, and adds what the results lose if it
 * fails as the fact "verdict". */
static const struct check {
	const char *name, *unit;
	enum bench_better better;
	void (*run)(struct bench *b, const struct bench_case *c);
} checks[] = {
	{ "monotonic", "1", BENCH_LOWER, check_monotonic },
	{ "offset", "ns", BENCH_LOWER, check_offset },
	{ "drift", "ppm", BENCH_LOWER, check_drift },
	{ "fence", "%", BENCH_HIGHER, check_fence },
	{ ARCH_TRAP, "ns", BENCH_LOWER, check_trap },
	{ "quantum", "ns", BENCH_LOWER, check_quantum },
};

static bool add_point(struct bench *b, void *state, struct bench_case *c)
{
	const struct certify_state *s = state;
	const struct certificate none = { .faults = 0 };
	struct certificate_figure f;

	if (case_has(c, "check")) {
		const struct check *check = CASE_OF(c, "check", checks);

		c->arg = &s->start;
		c->unit = check->unit;
		c->better = check->better;
		return true;
	}
	c->index = s->adding;
	certificate_figure(&none, s->adding, &f);
	c->unit = f.unit;
	c->better = f.higher ? BENCH_HIGHER : BENCH_LOWER;
	(void)timer_usable((enum timer_method)timer_find(case_str(c, "method")),
			   &s->features, &c->skip);
	return true;
}

static void certify_cases(struct bench *b, void *state)
{
	struct certify_state *s = state;
	const struct certificate none = { .faults = 0 };
	struct certificate_figure f;

	timer_probe(&s->features);
	bench_need(b, "tsc", s->features.counter ? NULL : "no TSC");
	BENCH_SET_NAMES(b, "checks", checks);
	for (size_t m = 0; m < METHODS; m++)
		for (s->adding = 0; certificate_figure(&none, s->adding, &f);
		     s->adding++) {
			BENCH_SET_NAME(b, "method", timer_name(methods[m]));
			BENCH_SET_NAME(b, "body", f.body);
			BENCH_SET_NAME(b, "figure", f.name);
			bench_points(b, "method=$method body=$body"
					" stat=$figure; is derived");
		}
}

static int certify_setup(struct bench *b, void *state)
{
	struct certify_state *s = state;
	const struct timer *t = bench_timer(b);
	double core_hz;

	if (!(t->tsc_hz > 0))
		return bench_skip(b, "the rate of the TSC is not known");
	core_hz = t->core_hz > 0 ? t->core_hz : t->tsc_hz;
	s->step = ensemble_step(clock_of(b).quantum, (uint64_t)core_hz,
				(uint64_t)t->tsc_hz);
	/* As many as the loop needs to grow by ENSEMBLE_STEPS steps. */
	if (!s->ensembles)
		s->ensembles =
			(uint64_t)fmin(PAPER_ENSEMBLES,
				       fmax((double)s->least,
					    ENSEMBLE_STEPS * (double)s->step));
	if (s->log_path[0]) {
		s->log = fopen(s->log_path, "we");
		if (!s->log)
			return bench_fail(b, errno, "open %s", s->log_path);
	}
	s->start = timer_instant();
	return 0;
}

/* At least as many samples as a 1 % tail needs, whatever the effort. */
static uint32_t samples_of(const struct bench *b, const struct certify_state *s)
{
	const double n = (double)s->samples * bench_effort(b);

	return n < 100 ? 100 : (uint32_t)n;
}

static double scaled(wide value, unsigned int decimals)
{
	return (double)value / pow(10, decimals);
}

static void report_figure(struct bench *b, const struct certify_state *s,
			  const struct bench_case *c,
			  const struct certificate *certificate)
{
	struct certificate_figure f;
	int64_t paper;

	if (!certificate_figure(certificate, (unsigned int)c->index, &f))
		return;
	paper = certificate_paper(timer_name(s->method), f.body, f.name);
	if (!f.unknown)
		bench_derive(b, c, scaled(f.value, f.decimals));
	else if (s->ensembles / 2 < s->step)
		bench_derive_skip(b, c,
				  "a rise takes about %llu stores here, and "
				  "only %llu were tried",
				  (unsigned long long)s->step,
				  (unsigned long long)s->ensembles / 2);
	else
		bench_derive_skip(b, c,
				  "up to %llu more stores did not raise the "
				  "least time in nine places of ten",
				  (unsigned long long)s->ensembles / 2);
	bench_fact(b, c, "ensembles", (double)s->ensembles);
	bench_fact(b, c, "samples", samples_of(b, s));
	if (f.has_all)
		bench_fact(b, c, "all_samples", scaled(f.all, f.decimals));
	if (paper >= 0)
		bench_fact(b, c, "paper", (double)paper);
	if (!strcmp(f.name, "verdict")) {
		bench_fact_text(b, c, "verdict", certificate_word(certificate));
		bench_fact_text(b, c, "why", ensemble_why(certificate->faults));
	}
}

/*
 * Everything happens here and not in sample(): the order of the ensembles is
 * part of the paper's test and must not be mixed by the harness.
 */
static void certify_derive(struct bench *b, void *state)
{
	struct certify_state *s = state;
	struct certificate certificate = { .faults = 0 };
	int taken = -1; /* the method that it is of; its cases follow it */

	BENCH_EACH (b, c, "method") {
		const int method = timer_find(case_str(c, "method"));

		if (!bench_selected(b, c))
			continue;
		if (method != taken) {
			taken = method;
			s->method = (enum timer_method)method;
			certificate =
				(struct certificate) { .clock = clock_of(b) };
			certificate_take(&certificate, &ops, s,
					 (uint32_t)s->ensembles,
					 samples_of(b, s), s->scratch);
		}
		report_figure(b, s, c, &certificate);
	}
	BENCH_EACH (b, c, "check")
		if (bench_selected(b, c))
			CASE_OF(c, "check", checks)->run(b, c);
	if (s->log && fclose(s->log))
		bench_fail(b, errno, "write %s", s->log_path);
}

static const struct opt certify_opts[] = {
	OPT_U64(0, "ensembles", certify_state, ensembles, NULL, 2,
		PAPER_ENSEMBLES,
		"ensembles for each body, count; else by the clock's steps "
		"and --least"),
	OPT_U64(0, "least", certify_state, least, "100", 2, PAPER_ENSEMBLES,
		"ensembles for each body at least, count"),
	OPT_U64(0, "samples", certify_state, samples, "10000", 100, 1000000,
		"samples in an ensemble (at --effort 100), count"),
	OPT_STR(0, "log", certify_state, log_path, "",
		"write each ensemble's line here, as the paper does, file"),
	OPT_END,
};

const struct bench_desc bench_desc = {
	.opts = certify_opts,
	.state_size = sizeof(struct certify_state),
	.points = "check=$checks; is derived; needs $tsc",
	.point = add_point,
	.cases = certify_cases,
	.setup = certify_setup,
	.derive = certify_derive,
};
