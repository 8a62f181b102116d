/* SPDX-License-Identifier: MIT */
/* Levels are compared with levels: where rounds are divided, and how often what
 * is the same is called different. */
#include "leaks.h"
#include "rank.h"
#include "tests.h"
#include "uniform.h"

#define ROWS 1000

static size_t find(struct strata *l, const double *x, size_t n, const double *y,
		   size_t m)
{
	double a[20], b[20];

	for (size_t i = 0; i < n; i++)
		a[i] = log(x[i]);
	for (size_t i = 0; i < m; i++)
		b[i] = log(y[i]);
	return strata_find(l, a, n, b, m) ? l->n : 0;
}

TEST(divided)
{
	static const double one[] = { 100, 101, 102, 103, 104, 105 };
	static const double two[] = { 100, 420, 101, 421, 102, 102 };
	static const double twice[] = { 200, 840, 202, 842, 204, 204 };
	static const double high[] = { 400, 401, 402, 403, 404, 405 };
	static const double up[] = { 400, 1600, 401, 1601, 402, 403 };
	static const double between[] = { 110, 150, 200, 260, 330, 410 };
	static const double seldom[] = { 100, 420, 421, 422, 423, 424 };
	static const double often[] = { 420, 100, 101, 102, 103, 104 };
	static const double far[] = { 1000, 1100, 1010, 1020, 1030, 1040 };
	struct strata l;

	OK(find(&l, one, 6, far, 6) == 1, "each side has one state");
	OK(find(&l, one, 6, often, 6) == 1, "one odd round is no state");
	OK(find(&l, two, 6, one, 6) == 2 && strata_of(&l, log(105)) == 0 &&
		   strata_of(&l, log(420)) == 1,
	   "one of two falls to the low level");
	OK(find(&l, high, 6, two, 6) == 2 && strata_of(&l, log(400)) == 1,
	   "or to the high one");
	OK(find(&l, two, 6, twice, 6) == 2 && strata_of(&l, log(204)) == 0 &&
		   strata_of(&l, log(420)) == 1,
	   "low with low and high with high, though B takes twice as long");
	OK(find(&l, two, 6, up, 6) == 3 && strata_of(&l, log(421)) == 1 &&
		   strata_of(&l, log(400)) == 1,
	   "A's high is B's low");
	OK(!find(&l, two, 6, between, 6), "B lies all over A's gap");
	OK(find(&l, two, 6, far, 6) == 2 && strata_of(&l, log(1000)) == 1,
	   "far above both: the nearer one is the high one");
	OK(find(&l, seldom, 6, often, 6) == 2,
	   "each side was once in the other's state");
}

/* The shape of a side's rounds: normal logarithms, and the high state in so
 * many of them. */
struct shape {
	const char *name;
	double deviation, tail; /* of 1 in 10: a tail that long */
	double drift;		/* from the first round to the last */
	double gap, high_a, high_b;
	double stays; /* so likely the state remains for a round */
};

static void draw(double *x, size_t n, const struct shape *s, double high)
{
	bool up = uniform() < high;

	for (size_t i = 0; i < n; i++) {
		if (uniform() >= s->stays)
			up = uniform() < high;
		x[i] = s->deviation * normal() + (up ? s->gap : 0) +
		       s->drift * (double)i / (double)n;
		if (uniform() < 0.1)
			x[i] -= s->tail * log(uniform());
	}
}

/* As compare_sides(): the least p of all levels, 1 if none can be tested. */
static double least_p(const double *x, const double *y, size_t n)
{
	struct strata l;
	double p = 1;

	if (!strata_find(&l, x, n, y, n))
		return 1;
	for (size_t k = 0; k < l.n; k++) {
		double a[40], b[40];
		size_t i = 0, j = 0;

		for (size_t r = 0; r < n; r++) {
			if (strata_of(&l, x[r]) == k)
				a[i++] = x[r];
			if (strata_of(&l, y[r]) == k)
				b[j++] = y[r];
		}
		if (i && j && rank_least_p(i, j) < 0.05)
			p = fmin(p, trimmed_test(a, i, b, j));
	}
	return p;
}

/* Rows of a thousand, of which none differs, that have p below 0.001: as one of
 * 50 core rows must to be called different. */
static void alarms(const struct shape *s, size_t n, double most)
{
	int found = 0, plain = 0;

	for (int row = 0; row < ROWS; row++) {
		double x[40], y[40];

		draw(x, n, s, s->high_a);
		draw(y, n, s, s->high_b);
		found += least_p(x, y, n) < 0.001;
		plain += trimmed_test(x, n, y, n) < 0.001;
	}
	printf("# %s, %zu rounds: %.1f %% called, by all rounds together "
	       "%.1f %%\n",
	       s->name, n, 100.0 * found / ROWS, 100.0 * plain / ROWS);
	OK(found <= most / 100 * ROWS, "few false alarms");
}

TEST(false_alarms)
{
	/* The most allowed, in per cent, for 6, 10, 20 and 40 rounds. */
	static const struct {
		struct shape shape;
		double most[4];
	} v[] = {
		{ { "log-normal, 10 %", 0.1, 0, 0, 0, 0, 0, 0 },
		  { 0.6, 0.6, 0.6, 0.6 } },
		{ { "log-normal, 40 %", 0.4, 0, 0, 0, 0, 0, 0 },
		  { 0.6, 0.6, 0.6, 0.6 } },
		{ { "heavy tail", 0.03, 0.5, 0, 0, 0, 0, 0 },
		  { 0.6, 0.6, 0.6, 0.6 } },
		{ { "drifting to twice", 0.05, 0, 0.7, 0, 0, 0, 0 },
		  { 0.6, 0.6, 0.6, 0.6 } },
		{ { "states 1 to 4, as often", 0.03, 0, 0, 1.4, 0.5, 0.5, 0 },
		  { 2.5, 1, 1, 1 } },
		{ { "states 1 to 4, 80 and 30 %", 0.03, 0, 0, 1.4, 0.8, 0.3,
		    0 },
		  { 16, 4, 2, 2 } },
		{ { "the same in spells", 0.03, 0, 0, 1.4, 0.5, 0.5, 0.8 },
		  { 32, 18, 3, 2 } },
	};
	static const size_t rounds[] = { 6, 10, 20, 40 };

	for (size_t i = 0; i < sizeof(v) / sizeof(*v); i++)
		for (size_t k = 0; k < 4; k++)
			alarms(&v[i].shape, rounds[k], v[i].most[k]);
}
