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
 * figure=verdict is 2 if the method is accepted, 1 if it is good for batches
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
 * which the clock advances (quantum).  "verdict" in the evidence says what the
 * results lose if a check fails.
 *
 * Measures: ticks of the TSC, of one interval; ns, ppm and % in the checks.
 * Includes: nothing beside the two reads of the clock, in body=empty.
 * After:    G. Paoloni, Intel white paper 324264-001, 2010.
 * Needs:    an invariant TSC; RDTSCP for cpuid and lfence.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "arch.h"
#include "bench.h"
#include "certificate.h"
#include "ensemble_body.h"
#include "lib/clock_checks.h"

#define PAPER_ENSEMBLES 1000
#define PAPER_SAMPLES	100000

static const enum timer_method methods[] = { ARCH_CERTIFIED };
#define METHODS (sizeof(methods) / sizeof(*methods))

struct certify_state {
	uint64_t ensembles, least, samples; /* options; ensembles 0: choose */
	bool paper;
	const char *log_path;

	struct timer_features features;
	struct clock_checked checked;
	uint64_t step; /* stores that take one step of the clock */
	FILE *log;
	uint64_t scratch[2 * PAPER_ENSEMBLES];

	struct bench *bench;
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
#define TAKE(...)                                                \
	switch (method) {                                        \
		ARCH_SHARED_ENDS(count, ticks, __VA_ARGS__)      \
	default:                                                 \
		while (count--) {                                \
			uint64_t t_;                             \
			TIMER_INTERVAL(method, t_, __VA_ARGS__); \
			*ticks++ = t_;                           \
		}                                                \
	}

/* Each body has its own function: nothing but the body lies inside. */
static void take_empty(enum timer_method method, uint64_t *ticks,
		       uint32_t count)
{
	TAKE((void)0);
}

static void take_loop(enum timer_method method, uint32_t n,
		      volatile int *variable, uint64_t *ticks, uint32_t count)
{
	TAKE(ensemble_stores(n, variable));
}

static void take_chain(enum timer_method method, uint64_t *ticks,
		       uint32_t count)
{
	TAKE(ensemble_chain(3));
}

static void take_chains(enum timer_method method, uint32_t n, uint64_t *ticks,
			uint32_t count)
{
	TAKE(chains(n));
}

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

static bool stop(void *ctx)
{
	const struct certify_state *s = ctx;

	return bench_stopping(s->bench);
}

static const struct certificate_ops ops = {
	.take = take,
	.row = log_row,
	.stop = stop,
};

static uint64_t seen_pct(enum timer_method method, uint64_t quantum)
{
	static const struct certificate_ops alone = { .take = take };
	struct certify_state s = { .method = method };

	return certificate_seen(&alone, &s, quantum);
}

static const struct bench_case *row(const struct bench *b,
				    enum timer_method method,
				    const struct certificate_figure *f)
{
	return bench_find(b, "method=%s,body=%s,figure=%s", timer_name(method),
			  f->body, f->name);
}

static bool add_point(struct bench *b, void *state, struct bench_case *c)
{
	const struct certify_state *s = state;
	const struct certificate none = { .faults = 0 };
	struct certificate_figure f;
	unsigned int i = 0;

	if (case_has(c, "check")) {
		const struct clock_check *check =
			CASE_OF(c, "check", clock_checks);

		c->unit = check->unit;
		c->better = check->better;
		return true;
	}
	while (certificate_figure(&none, i, &f) &&
	       !(case_is(c, "body", f.body) && case_is(c, "figure", f.name)))
		i++;
	c->unit = f.unit;
	c->better =
		strcmp(f.better, "higher") != 0 ? BENCH_LOWER : BENCH_HIGHER;
	(void)timer_usable((enum timer_method)timer_find(case_str(c, "method")),
			   &s->features, &c->skip);
	return true;
}

static int certify_cases(struct bench *b, void *state)
{
	struct certify_state *s = state;
	const struct certificate none = { .faults = 0 };
	struct certificate_figure f;

	timer_probe(&s->features);
	bench_need(b, "tsc", s->features.counter ? NULL : "no TSC");
	BENCH_SET_NAMES(b, "checks", clock_checks);
	for (size_t m = 0; m < METHODS; m++)
		for (unsigned int i = 0; certificate_figure(&none, i, &f);
		     i++) {
			BENCH_SET_NAME(b, "method", timer_name(methods[m]));
			BENCH_SET_NAME(b, "body", f.body);
			BENCH_SET_NAME(b, "figure", f.name);
			bench_points(b, "method=$method body=$body"
					" figure=$figure; is derived");
		}
	return 0;
}

/* As many as the loop needs to grow by ENSEMBLE_STEPS steps of the clock. */
static void choose_ensembles(const struct bench *b, struct certify_state *s)
{
	const struct timer *t = bench_timer(b);
	const struct ensemble_clock clock = clock_of(b);
	const double core_hz = t->core_hz > 0 ? t->core_hz : t->tsc_hz;

	s->step = ensemble_step(clock.quantum, (uint64_t)core_hz, clock.hz);
	if (s->ensembles)
		return;
	s->ensembles = ENSEMBLE_STEPS * s->step;
	if (s->ensembles < s->least)
		s->ensembles = s->least;
	if (s->ensembles > PAPER_ENSEMBLES)
		s->ensembles = PAPER_ENSEMBLES;
}

static int certify_setup(struct bench *b, void *state)
{
	struct certify_state *s = state;

	s->bench = b;
	if (s->paper) {
		s->ensembles = PAPER_ENSEMBLES;
		s->samples = PAPER_SAMPLES;
	}
	if (!(bench_timer(b)->tsc_hz > 0))
		return bench_skip(b, "the rate of the TSC is not known");
	choose_ensembles(b, s);
	if (s->log_path[0]) {
		s->log = fopen(s->log_path, "we");
		if (!s->log)
			return bench_fail(b, errno, "open %s", s->log_path);
	}
	s->checked = (struct clock_checked) { timer_instant(), seen_pct };
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

/* Why the growing loop has no resolution. */
static void skip_resolution(struct bench *b, const struct certify_state *s,
			    const struct bench_case *c)
{
	const unsigned long long tried = s->ensembles / 2;

	if (tried < s->step)
		bench_derive_skip(b, c,
				  "a rise takes about %llu stores here, and "
				  "only %llu were tried",
				  (unsigned long long)s->step, tried);
	else
		bench_derive_skip(b, c,
				  "up to %llu more stores did not raise the "
				  "least time in nine places of ten",
				  tried);
}

static void report_figure(struct bench *b, const struct certify_state *s,
			  const struct bench_case *c,
			  const struct certificate *certificate,
			  const struct certificate_figure *f)
{
	const int64_t paper =
		certificate_paper(timer_name(s->method), f->body, f->name);

	if (f->known)
		bench_derive(b, c, scaled(f->value, f->decimals));
	else
		skip_resolution(b, s, c);
	bench_fact(b, c, "ensembles", (double)s->ensembles);
	bench_fact(b, c, "samples", samples_of(b, s));
	if (f->has_all)
		bench_fact(b, c, "all_samples", scaled(f->all, f->decimals));
	if (paper >= 0)
		bench_fact(b, c, "paper", (double)paper);
	if (!strcmp(f->name, "verdict")) {
		bench_fact_text(b, c, "verdict", certificate_word(certificate));
		bench_fact_text(b, c, "why", ensemble_why(certificate->faults));
	}
}

static bool is_wanted(const struct bench *b, enum timer_method method)
{
	const struct certificate none = { .faults = 0 };
	struct certificate_figure f;

	for (unsigned int i = 0; certificate_figure(&none, i, &f); i++)
		if (bench_selected(b, row(b, method, &f)))
			return true;
	return false;
}

static void certify_method(struct bench *b, struct certify_state *s)
{
	struct certificate c = { .clock = clock_of(b) };
	struct certificate_figure f;

	if (certificate_take(&c, &ops, s, (uint32_t)s->ensembles,
			     samples_of(b, s), s->scratch))
		return; /* interrupted */
	for (unsigned int i = 0; certificate_figure(&c, i, &f); i++)
		report_figure(b, s, row(b, s->method, &f), &c, &f);
}

/*
 * Everything happens here and not in sample(): the order of the ensembles is
 * part of the paper's test and must not be mixed by the harness.
 */
static int certify_derive(struct bench *b, void *state)
{
	struct certify_state *s = state;

	for (size_t m = 0; m < METHODS && !bench_stopping(b); m++) {
		s->method = methods[m];
		if (is_wanted(b, s->method))
			certify_method(b, s);
	}
	BENCH_EACH (b, c, "check")
		if (bench_selected(b, c) && !bench_stopping(b))
			CASE_OF(c, "check", clock_checks)
				->run(b, c, &s->checked);
	return 0;
}

static void certify_teardown(struct bench *b, void *state)
{
	struct certify_state *s = state;

	if (s->log && fclose(s->log))
		bench_fail(b, errno, "write %s", s->log_path);
	s->log = NULL;
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
	OPT_FLAG(0, "paper", certify_state, paper,
		 "the paper's sizes, 1000 ensembles of 100000 samples, flag"),
	OPT_STR(0, "log", certify_state, log_path, "",
		"write each ensemble's line here, as the paper does, file"),
	OPT_END,
};

const struct bench_desc bench_desc = {
	.name = "certify",
	.opts = certify_opts,
	.state_size = sizeof(struct certify_state),
	.points = "check=$checks; is derived; needs $tsc",
	.point = add_point,
	.cases = certify_cases,
	.setup = certify_setup,
	.derive = certify_derive,
	.teardown = certify_teardown,
};
