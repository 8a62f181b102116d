/* SPDX-License-Identifier: MIT */
/* Levels are found in curves whose levels are known, with noise and without. */
#include "../../bench/lib/levels.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "tap.h"

#define KB	   1024.0
#define MB	   (1024.0 * 1024.0)
#define MAX_POINTS 128

struct truth {
	size_t levels;
	double size[LEVELS_MAX], latency[LEVELS_MAX];
};

struct curve {
	double size[MAX_POINTS], latency[MAX_POINTS];
	size_t n;
};

/* A fixed sequence, so that a test that passes passes always. */
static double noise(uint64_t *x)
{
	*x = *x * 6364136223846793005u + 1442695040888963407u;
	return (double)(*x >> 11) / 9007199254740992.0 - 0.5;
}

/* What a random chase sees of a cache of @cache bytes at @size: once it does
 * not fit, the share that does not. */
static double missing(double size, double cache)
{
	return size <= cache ? 0 : fmin(1, (size - cache) / (0.5 * cache));
}

/* Four points to an octave from 1 KiB to @max. */
static void draw(struct curve *c, const struct truth *t, double max,
		 double spread, uint64_t seed)
{
	c->n = 0;
	for (int step = 0; c->n < MAX_POINTS; step++) {
		const double size = KB * pow(2, step / 4.0);
		double latency = t->latency[0];

		if (size > max)
			break;
		for (size_t i = 0; i + 1 < t->levels; i++)
			latency += missing(size, t->size[i]) *
				   (t->latency[i + 1] - t->latency[i]);
		c->size[c->n] = size;
		c->latency[c->n++] = latency * (1 + spread * noise(&seed));
	}
}

/* Each level at most one step of the curve off, latency within @tolerance. */
static int found(const struct curve *c, const struct truth *t, double tolerance)
{
	struct level l[LEVELS_MAX];
	const int n = levels_find(c->size, c->latency, c->n, l);
	int good = n == (int)t->levels;

	for (int i = 0; good && i < n; i++) {
		good = fabs(l[i].latency_ns / t->latency[i] - 1) <= tolerance;
		if (i + 1 < n)
			good = good &&
			       fabs(log2(l[i].size_bytes / t->size[i])) <= 0.3;
	}
	if (!good)
		for (int i = 0; i < n; i++)
			printf("# level %d: %.0f B, %.2f ns\n", i + 1,
			       l[i].size_bytes, l[i].latency_ns);
	return good;
}

static const struct truth desktop = {
	.levels = 4,
	.size = { 32 * KB, 512 * KB, 16 * MB },
	.latency = { 1.1, 3.8, 12, 92 },
};

static const struct truth server = {
	.levels = 4,
	.size = { 48 * KB, 2 * MB, 105 * MB },
	.latency = { 2.1, 6.7, 40, 145 },
};

static const struct truth no_l3 = {
	.levels = 3,
	.size = { 48 * KB, 2 * MB },
	.latency = { 2.1, 6.7, 145 },
};

static const struct truth old = {
	/* levels that are near each other */
	.levels = 4,
	.size = { 32 * KB, 256 * KB, 8 * MB },
	.latency = { 3.2, 7.2, 25, 68 },
};

static void test_clean(void)
{
	struct curve c;

	draw(&c, &desktop, 256 * MB, 0, 1);
	OK(found(&c, &desktop, 0.05), "four levels, desktop");
	draw(&c, &server, 512 * MB, 0, 1);
	OK(found(&c, &server, 0.05), "four levels, server");
	draw(&c, &no_l3, 256 * MB, 0, 1);
	OK(found(&c, &no_l3, 0.05), "three levels: no third cache");
	draw(&c, &old, 256 * MB, 0, 1);
	OK(found(&c, &old, 0.05), "four levels, the report's machine");
}

static void test_noise(void)
{
	const struct truth *truths[] = { &desktop, &server, &no_l3, &old };
	int good = 0;

	for (uint64_t seed = 1; seed <= 25; seed++)
		for (int i = 0; i < 4; i++) {
			struct curve c;

			draw(&c, truths[i], 512 * MB, 0.10, seed);
			good += found(&c, truths[i], 0.06);
		}
	printf("# %d of 100\n", good);
	OK(good == 100, "noise of +-5 %: all of 100 curves");
}

static void test_outlier(void)
{
	struct curve c;

	draw(&c, &desktop, 256 * MB, 0.04, 3);
	c.latency[6] *= 3;
	c.latency[30] *= 2;
	c.latency[c.n - 2] *= 1.5;
	OK(found(&c, &desktop, 0.05), "single points far off make no level");
}

static void test_degenerate(void)
{
	struct level l[LEVELS_MAX];
	struct curve c;
	const struct truth flat = { .levels = 1, .latency = { 5 } };

	draw(&c, &flat, 64 * MB, 0.05, 1);
	OK(found(&c, &flat, 0.05), "a flat curve is one level");
	OK(levels_find(c.size, c.latency, 0, l) == 0, "no points, no level");
	OK(levels_find(c.size, c.latency, 2, l) == 0,
	   "two points are no plateau");
	c.latency[3] = 0;
	OK(levels_find(c.size, c.latency, c.n, l) == -EINVAL,
	   "a latency of 0 is refused");
	c.latency[3] = NAN;
	OK(levels_find(c.size, c.latency, c.n, l) == -EINVAL,
	   "a missing latency is refused");
	for (size_t i = 0; i < c.n; i++)
		c.latency[i] = pow(1.5, (double)i);
	OK(levels_find(c.size, c.latency, c.n, l) == 0,
	   "a steep ramp has no plateau");
}

static void test_match(void)
{
	const double caches[] = { 48 * KB, 2 * MB, 105 * MB };
	const struct level three[] = {
		{ .size_bytes = 40 * KB },
		{ .size_bytes = 1.75 * MB },
		{ .size_bytes = 256 * MB },
	};
	const struct level four[] = {
		{ .size_bytes = 48 * KB },
		{ .size_bytes = 2.5 * MB },
		{ .size_bytes = 24 * MB },
		{ .size_bytes = 256 * MB },
	};
	const double unknown[] = { 0, 0, 0 };

	OK(levels_match(three, 3, caches, 3, 0) == 0, "first cache");
	OK(levels_match(three, 3, caches, 3, 1) == 1, "second cache");
	OK(levels_match(three, 3, caches, 3, 2) == -ENOENT,
	   "the last level is memory, not the third cache");
	OK(levels_match(four, 4, caches, 3, 2) == 2,
	   "a third cache of which others take a part");
	OK(levels_match(four, 4, unknown, 3, 0) == -ENOENT, "unknown caches");
	OK(levels_match(four, 4, caches, 3, 3) == -ENOENT, "no such cache");
}

int main(void)
{
	test_clean();
	test_noise();
	test_outlier();
	test_degenerate();
	test_match();
	return tap_done();
}
