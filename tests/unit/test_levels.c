/* SPDX-License-Identifier: MIT */
/* Levels are found in curves whose levels are known, with noise and without. */
#include "../../bench/memory/lib/steps.h"

#include <errno.h>
#include <stdlib.h>

#include "tests.h"
#include "uniform.h"

#define KB	   1024.0
#define MB	   (1024.0 * 1024.0)
#define MAX_POINTS 128

struct truth {
	const char *name;
	size_t levels;
	double size[LEVELS_MAX], latency[LEVELS_MAX];
};

struct curve {
	double size[MAX_POINTS], latency[MAX_POINTS];
	size_t n;
};

/* The share of a random chase over @size that misses a cache of @cache bytes:
 * once it does not fit, the share that does not. */
static double missing(double size, double cache)
{
	return size <= cache ? 0 : fmin(1, (size - cache) / (0.5 * cache));
}

/* Four points to an octave from 1 KiB to @max. */
static void draw(struct curve *c, const struct truth *t, double max,
		 double spread)
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
		c->latency[c->n++] = latency * (1 + spread * (uniform() - 0.5));
	}
}

/* The size where the @i-th level ends, which is not the last. */
static double end_of(const struct curve *c, const struct level *l, int i)
{
	const int end = levels_end(c->latency, c->n, l[i].latency_ns,
				   l[i + 1].latency_ns);

	return end < 0 ? 0 : c->size[end];
}

/* Each level at most one step of the curve off, latency within @tolerance. */
static int found(const struct curve *c, const struct truth *t, double tolerance)
{
	struct level l[LEVELS_MAX];
	const int n = steps_levels(c->size, c->latency, c->n, l);
	int good = n == (int)t->levels;

	for (int i = 0; good && i < n; i++) {
		good = fabs(l[i].latency_ns / t->latency[i] - 1) <= tolerance;
		if (i + 1 < n)
			good = good &&
			       fabs(log2(end_of(c, l, i) / t->size[i])) <= 0.3;
	}
	if (!good)
		for (int i = 0; i < n; i++)
			printf("# level %d: %.2f ns\n", i + 1, l[i].latency_ns);
	return good;
}

static const struct truth machines[] = {
	{ "desktop", 4, { 32 * KB, 512 * KB, 16 * MB }, { 1.1, 3.8, 12, 92 } },
	{ "server", 4, { 48 * KB, 2 * MB, 105 * MB }, { 2.1, 6.7, 40, 145 } },
	{ "no third cache", 3, { 48 * KB, 2 * MB }, { 2.1, 6.7, 145 } },
	{ "levels that are near each other, the report's machine",
	  4,
	  { 32 * KB, 256 * KB, 8 * MB },
	  { 3.2, 7.2, 25, 68 } },
};

TEST(test_clean)
{
	struct curve c;

	for (int i = 0; i < 4; i++) {
		draw(&c, &machines[i], 512 * MB, 0);
		OK(found(&c, &machines[i], 0.05), machines[i].name);
	}
}

TEST(test_noise)
{
	int good = 0;

	for (int set = 0; set < 25; set++)
		for (int i = 0; i < 4; i++) {
			struct curve c;

			draw(&c, &machines[i], 512 * MB, 0.10);
			good += found(&c, &machines[i], 0.06);
		}
	printf("# %d of 100\n", good);
	OK(good == 100, "noise of +-5 %: all of 100 curves");
}

TEST(test_outlier)
{
	struct curve c;

	draw(&c, &machines[0], 256 * MB, 0.04);
	c.latency[6] *= 3;
	c.latency[30] *= 2;
	c.latency[c.n - 2] *= 1.5;
	OK(found(&c, &machines[0], 0.05),
	   "single points far off make no level");
}

TEST(test_degenerate)
{
	struct level l[LEVELS_MAX];
	struct curve c;
	const struct truth flat = { .levels = 1, .latency = { 5 } };

	draw(&c, &flat, 64 * MB, 0.05);
	OK(found(&c, &flat, 0.05), "a flat curve is one level");
	OK(steps_levels(c.size, c.latency, 0, l) == 0, "no points, no level");
	OK(steps_levels(c.size, c.latency, 2, l) == 0,
	   "two points are no plateau");
	c.latency[3] = 0;
	OK(steps_levels(c.size, c.latency, c.n, l) == -EINVAL,
	   "a latency of 0 is refused");
	c.latency[3] = NAN;
	OK(steps_levels(c.size, c.latency, c.n, l) == -EINVAL,
	   "a missing latency is refused");
	for (size_t i = 0; i < c.n; i++)
		c.latency[i] = pow(1.5, (double)i);
	OK(steps_levels(c.size, c.latency, c.n, l) == 0,
	   "a steep ramp has no plateau");
}

/* A Zen 5 in a guest: 48 KiB, 1 MiB, and 32 MiB of which others leave what they
 * leave: no plateau is to be had of so few points. */
TEST(test_known)
{
	const double caches[] = { 48 * KB, 1 * MB, 32 * MB };
	const double size[] = { 16 * KB,  24 * KB,  48 * KB, 64 * KB,
				128 * KB, 512 * KB, 1 * MB,  2 * MB,
				4 * MB,	  8 * MB,   16 * MB, 64 * MB };
	double ns[] = { 1.0, 1.1,  1.9,	 3.5,  3.7, 3.8,
			7.6, 12.5, 13.3, 97.5, 14,  146 };
	const double unknown[] = { 48 * KB, 0, 32 * MB };
	struct level l;

	OK(!levels_known(size, ns, 12, caches, 0, 146, &l) && l.first == 0 &&
		   l.last == 1 && fabs(l.latency_ns - 1.05) < 1e-9,
	   "known: the first cache, up to the half of it");
	OK(!levels_known(size, ns, 12, caches, 1, 146, &l) &&
		   size[l.first] == 128 * KB && size[l.last] == 512 * KB &&
		   fabs(l.latency_ns - 3.75) < 1e-9,
	   "known: the second, from twice the first to half of its own");
	OK(!levels_known(size, ns, 12, caches, 2, 146, &l) &&
		   size[l.first] == 2 * MB && size[l.last] == 4 * MB &&
		   fabs(l.latency_ns - 12.9) < 1e-9,
	   "known: the third, up to where it is memory's time");
	ns[7] = 100;
	OK(!levels_known(size, ns, 12, caches, 2, 146, &l) &&
		   size[l.first] == 4 * MB && l.latency_ns == 13.3,
	   "known: what comes before its first size is left out");
	ns[8] = ns[10] = 99;
	OK(levels_known(size, ns, 12, caches, 2, 146, &l) == -ENOENT,
	   "known: nothing faster than memory is no cache");
	OK(!levels_known(size, ns, 12, caches, 2, NAN, &l) &&
		   size[l.last] == 16 * MB,
	   "known: where memory is not known all of its sizes count");
	OK(levels_known(size, ns, 12, unknown, 2, 146, &l) == -ENOENT,
	   "known: nothing behind a cache that is not known");
}

/* Half-way in logarithms from 4 to 16 ns is 8. */
TEST(test_end)
{
	double ns[] = { 4, 4.1, 3.9, 7.9, 8.1, 15, 16 };

	OK(levels_end(ns, 7, 4, 16) == 3, "end: before half-way");
	ns[1] = 9;
	OK(levels_end(ns, 7, 4, 16) == 3,
	   "end: one point far off before it is noise");
	ns[6] = 7;
	OK(levels_end(ns, 7, 4, 16) == 3, "end: and one behind it");
	OK(levels_end(ns, 7, 100, 200) == 6, "end: nothing is slower");
	OK(levels_end(ns, 7, 0.5, 1) == -ENOENT, "end: all is slower");
	OK(levels_end(ns, 7, 4, NAN) == -ENOENT,
	   "end: of a level behind which nothing is known");
}

/* Recorded on 23 November 2026 in a guest on an AMD EPYC (Zen 3: 32 KiB,
 * 512 KiB, and 32 MiB that all guests share), ns by KiB; 0: not measured. */
#define ZEN3_POINTS 37 /* [35] is 64 MiB, memory */

static const double zen3_kib[ZEN3_POINTS] = {
	1,    2,    3,	   4,	  6,	 8,	12,    16,   24,   28,
	32,   36,   40,	   48,	  64,	 96,	128,   192,  256,  384,
	448,  512,  576,   640,	  768,	 1024,	1536,  2048, 3072, 4096,
	6144, 8192, 16384, 32768, 40960, 65536, 262144
};

static const double zen3_ns[][ZEN3_POINTS] = {
	{ 1.495, 1.468, 1.463, 1.468, 1.481, 1.456, 1.468, 1.481, 1.464, 1.47,
	  1.561, 3.225, 4.344, 4.509, 4.421, 4.519, 4.587, 4.474, 4.439, 7.083,
	  9.246, 9.049, 11.63, 13.08, 14.1,  18.38, 19.13, 22.22, 23.21, 19.86,
	  48.3,	 45.94, 123.8, 102.7, 104.4, 113.8, 116.4 },
	{ 1.416, 1.41,	1.441, 1.435, 1.403, 1.429, 1.428, 1.403, 1.413, 1.396,
	  1.49,	 3.143, 4.053, 4.242, 4.233, 4.26,  4.242, 4.247, 4.27,	 5.98,
	  7.625, 8.515, 10.39, 13.23, 17.05, 16.18, 18.55, 22.22, 18.56, 20.25,
	  26.35, 20.47, 49.62, 94.82, 103.2, 123,   132.8 },
	{ 1.501, 1.481, 1.481, 1.496, 1.515, 1.568, 1.516, 1.509, 1.503, 1.484,
	  1.614, 3.048, 4.272, 4.359, 4.597, 4.405, 4.395, 4.665, 4.4,	 5.996,
	  6.589, 8.274, 10.79, 12.67, 16.66, 18.96, 25.2,  21.99, 20.67, 24.17,
	  20.75, 102.7, 105.7, 104.2, 140.1, 122.9, 156 },
	{ 1.454, 1.481, 1.436, 1.455, 1.455, 1.488, 1.463, 1.566, 1.47,	 1.467,
	  1.577, 3.203, 4.289, 4.548, 4.492, 4.423, 4.473, 4.473, 4.691, 6.216,
	  7.062, 8.836, 11.57, 13.06, 18.31, 17.96, 17.02, 23.48, 18.95, 23.77,
	  41.4,	 71.71, 84.2,  82.27, 102.3, 117.8, 148.9 },
	{ 1.553, 1.616, 1.616, 1.621, 1.524, 1.553, 1.569, 1.565, 1.611, 1.54,
	  1.718, 3.093, 4.745, 4.832, 4.914, 4.877, 4.601, 4.704, 4.593, 5.914,
	  7.624, 8.81,	11.39, 13.38, 19.54, 20.64, 18.61, 21.74, 18.65, 22.44,
	  34.98, 53.29, 70.74, 107.7, 94.03, 114.1, 0 },
};

/* Whether the level is @l when nothing but its own sizes was measured. */
static bool same_of_own(const struct curve *c, const double *caches, size_t i,
			double memory_ns, const struct level *l)
{
	struct curve own = { .n = 0 };
	struct level of_own;

	for (size_t k = 0; k < c->n; k++) {
		if (!levels_is_of(caches, i, c->size[k]))
			continue;
		own.size[own.n] = c->size[k];
		own.latency[own.n++] = c->latency[k];
	}
	return !levels_known(own.size, own.latency, own.n, caches, i, memory_ns,
			     &of_own) &&
	       of_own.latency_ns == l->latency_ns &&
	       own.size[of_own.last] == c->size[l->last];
}

TEST(test_zen3)
{
	const double caches[] = { 32 * KB, 512 * KB, 32 * MB };
	const size_t rounds = sizeof(zen3_ns) / sizeof(zen3_ns[0]);
	size_t first = 0, second = 0, third = 0, levels = 0, same = 0;

	for (size_t r = 0; r < rounds; r++) {
		struct curve c = { .n = 0 };
		double next_ns = zen3_ns[r][35];
		size_t end[3] = { 0 };
		struct level l;

		for (size_t i = 0; i < ZEN3_POINTS && zen3_ns[r][i] > 0; i++) {
			c.size[c.n] = zen3_kib[i] * KB;
			c.latency[c.n++] = zen3_ns[r][i];
		}
		for (size_t i = 3; i-- > 0; next_ns = l.latency_ns) {
			if (levels_known(c.size, c.latency, c.n, caches, i,
					 zen3_ns[r][35], &l))
				continue;
			same += same_of_own(&c, caches, i, zen3_ns[r][35], &l);
			levels++;
			end[i] = (size_t)levels_end(c.latency, c.n,
						    l.latency_ns, next_ns);
			third += i == 2 && l.latency_ns > 17 &&
				 l.latency_ns < 24;
		}
		first += zen3_kib[end[0]] == 32;
		second += zen3_kib[end[1]] == 512;
	}
	OK(levels > 2 * rounds && same == levels,
	   "Zen 3: a level is the same, made of its own sizes alone");
	OK(first == rounds, "Zen 3: where the first cache ends");
	OK(second == rounds, "Zen 3: where the second cache ends");
	OK(third == rounds, "Zen 3: the third cache, not memory");
}

/* The price of translation on the same machine, ns by pages: 64 entries, and
 * 2048.  In the second round the walk has no plateau. */
#define TLB_POINTS 32

static const double tlb_pages[TLB_POINTS] = {
	8,    12,   16,	  24,	32,   40,   48,	  56,	64,    72,   80,
	96,   112,  128,  192,	256,  384,  512,  640,	768,   1024, 1280,
	1536, 1792, 2048, 2560, 3072, 4096, 6144, 8192, 12288, 16384
};

static const double tlb_ns[2][TLB_POINTS] = {
	{ 1.521, 1.569, 1.552, 1.537, 1.569, 1.602, 1.552, 1.566,
	  1.55,	 4.409, 4.25,  4.426, 4.49,  4.455, 4.442, 4.336,
	  4.374, 4.312, 5.146, 4.751, 4.899, 4.925, 5.044, 4.907,
	  5.111, 18.41, 26.36, 28.75, 34.69, 31.33, 34.34, 54.07 },
	{ 1.476, 1.482, 1.386, 1.483, 1.483, 1.482, 1.474, 1.412,
	  1.441, 4.17,	3.995, 4.003, 3.98,  3.987, 3.981, 4.011,
	  3.672, 3.653, 4.134, 4.157, 4.247, 4.387, 4.497, 4.712,
	  8.119, 17.44, 17.87, 25.06, 38.18, 42.19, 90.69, 74.84 },
};

TEST(test_tlb)
{
	struct level l[LEVELS_MAX];
	struct curve c = { .n = TLB_POINTS };
	int n = steps_levels(tlb_pages, tlb_ns[0], TLB_POINTS, l);

	memcpy(c.size, tlb_pages, sizeof(tlb_pages));
	memcpy(c.latency, tlb_ns[0], sizeof(tlb_ns[0]));
	OK(n == 3 && end_of(&c, l, 0) == 64 && end_of(&c, l, 1) == 2048,
	   "Zen 3: both levels of the TLB");
	OK(n == 3 && steps_rise(tlb_ns[0], TLB_POINTS, &l[2]) == -ENOENT,
	   "one point far off behind the last plateau is no rise");
	n = steps_levels(tlb_pages, tlb_ns[1], TLB_POINTS, l);
	memcpy(c.latency, tlb_ns[1], sizeof(tlb_ns[1]));
	OK(n == 2 && end_of(&c, l, 0) == 64, "no plateau behind the second");
	n = n == 2 ? steps_rise(tlb_ns[1], TLB_POINTS, &l[1]) : -1;
	OK(n >= 0 && tlb_pages[n] == 1792, "but a rise, and where it begins");
}
