/* SPDX-License-Identifier: MIT */
/*
 * Sampling is tested on made-up clocks at 1 GHz: no real time passes, nothing
 * is noisy.  A batch takes `constant + n x cost` ticks and what the test adds.
 */
#include <errno.h>
#include <stdlib.h>

#include "sample.h"
#include "tests.h"
#include "uniform.h"

#define MAX_CALLS 64

struct fake {
	double cost, constant;
	double drift;	     /* each batch takes this much longer */
	double after_others; /* the first batch after other code does, too */
	bool others;	     /* other code was there before the next batch */
	int unrecorded;
	double quantum;	   /* the clock advances in these steps */
	double start;	   /* of the next batch, on that clock */
	int hiccup_at;	   /* this call is disturbed (from 1) */
	int fail_at;	   /* this call fails (from 1) */
	const double *add; /* extra ticks of each call, or NULL */
	int calls;
	uint64_t iters[MAX_CALLS];
};

static const struct timer clock_1ghz = {
	.quantum_ticks = 26,
	.overhead_ticks = 30,
	.hz = 1e9,
};

static int fake_batch(void *arg, uint64_t iters, uint64_t *ticks)
{
	struct fake *f = arg;
	double t = f->constant + (double)iters * f->cost;

	if (f->calls < MAX_CALLS)
		f->iters[f->calls] = iters;
	if (f->others)
		t += f->after_others;
	f->others = false;
	if (!ticks) {
		f->unrecorded++;
		return 0;
	}
	t += f->drift * f->calls;
	if (f->add)
		t += f->add[f->calls];
	f->calls++;
	if (f->calls == f->fail_at)
		return -EIO;
	if (f->calls == f->hiccup_at)
		t += 1e6;
	if (f->quantum > 0) {
		double end = f->start + t;

		t = f->quantum *
		    (floor(end / f->quantum) - floor(f->start / f->quantum));
		f->start = end + 7.3; /* so that the phase varies */
	}
	*ticks = (uint64_t)t;
	return 0;
}

TEST(batch_length)
{
	struct timer c = { .quantum_ticks = 26,
			   .overhead_ticks = 30,
			   .hz = 1e9 };

	OK_NEAR(sample_batch_ticks(&c), 26000, 1e-9, "1000 quanta decide");
	c.quantum_ticks = 1;
	OK_NEAR(sample_batch_ticks(&c), 20000, 1e-9, "20 us decide");
	c.overhead_ticks = 9000;
	OK_NEAR(sample_batch_ticks(&c), 900000, 1e-9, "100 overheads decide");
}

TEST(pilot)
{
	struct fake f = { .cost = 10, .constant = 30 };
	double cold = 0;
	uint64_t n;

	OK(!sample_pilot(fake_batch, &f, &clock_1ghz, 1u << 30, &n, &cold),
	   "pilot: runs");
	OK(n == 4096, "pilot: doubles until a batch lasts 26000 ticks");
	OK(cold == 40, "pilot: the very first operation is the cold one");

	f = (struct fake) { .cost = 10, .constant = 30, .hiccup_at = 4 };
	sample_pilot(fake_batch, &f, &clock_1ghz, 1u << 30, &n, &cold);
	OK(n == 4096, "pilot: one disturbed batch does not end it");

	f = (struct fake) { .constant = 30 };
	OK(!sample_pilot(fake_batch, &f, &clock_1ghz, 1024, &n, &cold) &&
		   n == 1024,
	   "pilot: gives up on what costs nothing");

	f = (struct fake) { .cost = 1e6, .constant = 30 };
	OK(!sample_pilot(fake_batch, &f, &clock_1ghz, 1024, &n, &cold) &&
		   n == 1,
	   "pilot: one slow operation is a batch");

	f = (struct fake) { .cost = 10, .fail_at = 5 };
	OK(sample_pilot(fake_batch, &f, &clock_1ghz, 1024, &n, &cold) == -EIO,
	   "pilot: an operation's error comes back unchanged");
}

/* Ticks that a pass of 8 MiB took on a Zen 5 after other data, in parallel; a
 * disturbed pass each in the third and the last block. */
TEST(settle)
{
	static const double falling[] = { 10010, 9800, 8570, 7060, 2830, 1370,
					  1070,	 1050, 1050, 1680, 1050, 1070,
					  1050,	 1050, 1050, 1060, 1060, 1060,
					  1060,	 3060, 1050, 1060, 1060, 1050,
					  1060,	 1050, 1060, 1050, 1060, 1050 };
	static const double disturbed[] = { 900, 850, 800, 750, 700, 650,
					    600, 550, 500, 450, 400, 2000,
					    350, 300, 250, 200, 150, 100,
					    100, 100, 100, 100, 100, 100,
					    100, 100, 100, 100, 100, 100 };
	struct sample_settled out;
	struct fake f = { .cost = 10 };

	OK(!sample_settle(fake_batch, &f, 10, 1e9, &out) && out.batches == 12 &&
		   !out.still_falling,
	   "settle: what is level takes two blocks of six");
	f = (struct fake) { .constant = 1, .add = falling };
	OK(!sample_settle(fake_batch, &f, 1, 1e9, &out) && out.batches == 15 &&
		   out.best_ticks == 1051,
	   "settle: what falls goes on until six passes are no faster");
	f = (struct fake) { .add = disturbed };
	OK(!sample_settle(fake_batch, &f, 1, 1e9, &out) && out.batches > 18,
	   "settle: one disturbed pass does not end a fall");
	f = (struct fake) { .cost = 10, .drift = 1 };
	OK(!sample_settle(fake_batch, &f, 10, 1e9, &out) && out.batches == 12,
	   "settle: what rises is not waited for");
	f = (struct fake) { .constant = 10000, .drift = -1 };
	OK(!sample_settle(fake_batch, &f, 1, 200000, &out) &&
		   out.still_falling && out.batches == 21,
	   "settle: the time is bounded, and that it was over is said");
	f = (struct fake) { .cost = 10, .fail_at = 14, .drift = -1 };
	OK(sample_settle(fake_batch, &f, 100, 1e9, &out) == -EIO,
	   "settle: hands an error through");
}

TEST(quad)
{
	struct sample_series s = { .iters = 100 };
	struct fake f = { .cost = 10, .constant = 30, .drift = 5 };

	OK(!sample_quad(fake_batch, &f, &s), "quad: runs");
	OK(f.iters[0] == 100 && f.iters[1] == 200 && f.iters[2] == 200 &&
		   f.iters[3] == 100,
	   "quad: n, 2n, 2n, n");
	OK_NEAR(s.diff.v[0], 10, 1e-12, "quad: a steady drift cancels");
	OK(s.short_ticks.n == 2 && s.long_ticks.n == 2 && s.diff.n == 1 &&
		   f.unrecorded == 1,
	   "quad: every batch is kept but the one before them");
	f = (struct fake) { .cost = 10, .fail_at = 3 };
	OK(sample_quad(fake_batch, &f, &s) == -EIO && s.diff.n == 1,
	   "quad: a broken one leaves nothing");
	sample_series_free(&s);
}

static void fill(struct sample_series *s, struct fake *f, int quads)
{
	for (int i = 0; i < quads; i++)
		sample_quad(fake_batch, f, s);
}

/* Measured on a Zen 5: the first batch after other code took 40 % more, and the
 * difference lay below the least of its samples. */
TEST(after_other_code)
{
	struct sample_series s = { .iters = 100 };
	struct fake f = { .cost = 10, .constant = 30, .after_others = 400 };
	struct sample_estimate e;

	for (int i = 0; i < 5; i++) {
		f.others = true;
		sample_quad(fake_batch, &f, &s);
	}
	sample_difference(&s, &clock_1ghz, false, &e);
	OK_NEAR(e.value, 10, 1e-12,
		"quad: the state that other code left is in no batch");
	sample_series_free(&s);
}

TEST(exact_estimates)
{
	struct sample_series s = { .iters = 100 };
	struct fake f = { .cost = 10, .constant = 30 };
	struct sample_estimate e;
	double per_op[24];
	int good = 0;

	fill(&s, &f, 6);
	sample_difference(&s, &clock_1ghz, false, &e);
	OK_NEAR(e.value, 10, 1e-12, "difference: the cost of one operation");
	OK_NEAR(e.constant, 30, 1e-12, "difference: what does not repeat");
	OK_NEAR(e.resolution, 0.26, 1e-12,
		"difference: without noise a quantum over the operations");
	sample_difference(&s, &clock_1ghz, true, &e);
	OK_NEAR(e.value, 10, 1e-12, "min difference: the same cost");
	sample_per_operation(&s, 30, per_op);
	for (int i = 0; i < 24; i++)
		good += fabs(per_op[i] - 10) < 1e-12;
	OK(good == 24, "per operation: every batch, the constant taken out");
	sample_series_free(&s);
}

/* Single shots get this wrong (METHOD 2): 5.62 ticks on a clock that advances
 * in steps of 26. */
TEST(coarse_clock)
{
	struct sample_series s = { .iters = 8192 };
	struct fake f = { .cost = 5.62, .constant = 52, .quantum = 26 };
	struct sample_estimate e;

	fill(&s, &f, 25);
	sample_difference(&s, &clock_1ghz, false, &e);
	OK_NEAR(e.value, 5.62, 26.0 / 8192,
		"difference: sees far below the clock's step");
	OK(e.value > e.resolution, "and above its own resolution");
	sample_series_free(&s);
}

TEST(below_resolution)
{
	/* By hand: quads of n, 2n, 2n, n = 100 operations that cost nothing,
	 * with these extra ticks give differences 0, 2, -2, 0, 1 (a 200th of
	 * 0, 400, -400, 0, 200).  Median 0; deviations 0 0 1 2 2, MAD 1. */
	static const double noise[] = { 0, 0, 0, 0, 0, 400, 0, 0, 400, 0,
					0, 0, 0, 0, 0, 0,   0, 0, 200, 0 };
	struct sample_series s = { .iters = 100 };
	struct fake f = { .constant = 30, .add = noise };
	struct sample_estimate e;

	fill(&s, &f, 5);
	sample_difference(&s, &clock_1ghz, false, &e);
	OK_NEAR(e.value, 0, 1e-12, "nothing costs nothing");
	OK_NEAR(e.resolution, 3 * (1 + 4.5 / 4) * 1.2533 * 1.4826 / sqrt(5),
		1e-9, "noise: three standard errors, more for few");
	OK(e.value < e.resolution, "so it is below resolution");
	sample_series_free(&s);
}

/* A clock that jitters by one step, always in the same direction. */
TEST(capped)
{
	static const double jitter[] = {
		0,  26, 26, 0,	0,  26, 26, 0,	0,  26,
		26, 0,	0,  26, 26, 0,	0,  26, 26, 0
	};
	struct sample_series s = { .iters = 1 << 20, .capped = true };
	struct fake f = { .constant = 30, .add = jitter };
	struct sample_estimate e;

	fill(&s, &f, 5);
	sample_difference(&s, &clock_1ghz, false, &e);
	OK_NEAR(e.resolution, 26000.0 / (1 << 20), 1e-12,
		"what never fills a batch costs less than one over n");
	OK(e.value > 0 && e.value < e.resolution,
	   "so a jitter is no result, however regular");
	sample_series_free(&s);
}

TEST(one_disturbed_batch)
{
	struct sample_series s = { .iters = 100 };
	struct fake f = { .cost = 10, .constant = 30, .hiccup_at = 6 };
	struct sample_estimate e;

	fill(&s, &f, 5);
	sample_difference(&s, &clock_1ghz, false, &e);
	OK_NEAR(e.value, 10, 1e-12, "one hiccup does not move the median");
	OK(s.long_ticks.v[2] > 1e6, "but its batch is kept");
	sample_series_free(&s);
}

TEST(vectors)
{
	struct sample_vec vec = { 0 };
	int good = 1;

	for (int i = 0; i < 1000; i++)
		sample_push(&vec, i);
	for (int i = 0; i < 1000; i++)
		good &= vec.v[i] == i;
	OK(good && vec.n == 1000, "a vector grows and keeps its order");
	sample_free(&vec);
	OK(!vec.n && !vec.v, "and is empty when freed");
}

/* Reading of a clock of @step ticks at @time: whole ticks of whole steps. */
static double shows(double step, double time)
{
	return floor(floor(time / step) * step);
}

static int ascending(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* The largest error of the grouped median, in steps, over events of @least to
 * @least + 3 steps that scatter by up to @scatter steps to either side. */
static double grouped_error(double step, double least, double scatter)
{
	static double x[20001];
	const size_t n = sizeof(x) / sizeof(x[0]);
	double worst = 0;

	for (int tenth = 0; tenth < 30; tenth++) {
		const double d = least + tenth / 10.0;

		for (size_t i = 0; i < n; i++) {
			const double begin = 1000 * uniform() * step;
			const double time =
				(d + scatter * (2 * uniform() - 1)) * step;

			x[i] = shows(step, begin + time) - shows(step, begin);
		}
		qsort(x, n, sizeof(x[0]), ascending);
		worst = fmax(worst,
			     fabs(sample_grouped_median(x, n, step) / step -
				  d));
	}
	return worst;
}

TEST(grouped_median)
{
	static const double steps[] = { 22.5, 41.67, 26 };
	static const double even[] = { 20, 20, 40, 40 };
	static const double apart[] = { 20, 80 };

	for (size_t i = 0; i < 3; i++) {
		OK(grouped_error(steps[i], 1.2, 0) < 0.11,
		   "events of one length: within a tenth of a step");
		OK(grouped_error(steps[i], 4, 3) < 0.09,
		   "events that scatter: no worse");
	}
	OK_NEAR(sample_grouped_median(even, 4, 20), 30, 1e-12,
		"half of one step and half of two: one and a half");
	OK_NEAR(sample_grouped_median(even, 1, 20), 20, 1e-12,
		"a single event is what it is");
	OK_NEAR(sample_grouped_median(apart, 2, 20), 50, 1e-12,
		"two events apart: the middle, where none is");
	OK_NEAR(sample_grouped_median(apart, 2, 0), 50, 1e-12,
		"without steps: the plain median");
}

/* Quads of an earlier visit with the difference 7, and of this one with 0, 1, 2
 * ... that took @ticks; one waited for @waited in all, and what came before
 * took
 * @before.  Return: how many are left; their differences are in *@s. */
static size_t left_of(struct sample_series *s, const double *ticks, size_t n,
		      double waited, double before)
{
	struct sample_series base = { 0 };
	struct quad_times t = { .before = before, .waited = waited };
	unsigned int dropped;

	sample_series_free(s);
	sample_push(&s->diff, 7);
	for (size_t i = 0; i < n; i++) {
		sample_push(&s->diff, (double)i);
		sample_push(&t.quad, ticks[i]);
	}
	for (size_t i = 0; i < 2 * (n + 1); i++) {
		sample_push(&s->short_ticks, (double)i);
		sample_push(&s->long_ticks, (double)i);
	}
	dropped = sample_drop_waits(s, &base, &t, 0.1);
	sample_free(&t.quad);
	return s->diff.n == n + 1 - dropped && s->long_ticks.n == 2 * s->diff.n
		       ? n - dropped
		       : 99;
}

TEST(waits)
{
	static const double one[] = { 100, 104, 4101, 99, 180 };
	static const double alike[] = { 4100, 4101, 4100 };
	struct sample_series s = { 0 };

	OK(left_of(&s, one, 5, 0, 0) == 5, "nothing waited");
	OK(left_of(&s, one, 5, 4000, 50) == 4 && s.diff.v[0] == 7 &&
		   s.diff.v[3] == 3 && s.short_ticks.v[6] == 8 &&
		   s.long_ticks.v[7] == 9,
	   "the one that waited is dropped, with its batches");
	OK(left_of(&s, one, 5, 4082, 50) == 3, "two waited");
	OK(left_of(&s, one, 5, 5000, 5000) == 3,
	   "what they are not long enough for was in the warm-up");
	OK(left_of(&s, one, 5, 5000, 50) == 0,
	   "or in all, if that was too short for it");
	OK(left_of(&s, alike, 3, 12000, 100) == 0,
	   "all waited alike: none is left");
	OK(left_of(&s, alike, 3, 900, 100) == 3, "a tenth is borne");
	OK(left_of(&s, one, 0, 900, 100) == 0, "there is none");
	sample_series_free(&s);
}
