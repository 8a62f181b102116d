/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "due.h"
#include "leaks.h"
#include "stats.h"
#include "tests.h"
#include "uniform.h"

#define MOST 30

static const struct due_rule rule = { 0.015, INFINITY, 6, 12, MOST };

/* The error at a look: 3 % after 6 rounds, and so on. */
static double by_root(const void *arg, unsigned int rounds)
{
	const double sigma = *(const double *)arg;

	return sigma / sqrt(rounds);
}

TEST(looks)
{
	struct due_program p = { .rounds = 5 };
	double sigma = 0.03 * sqrt(6);

	due_look(&p, &rule, by_root, &sigma);
	OK(!p.looked && isnan(p.half), "nobody looks at five rounds");
	p.rounds = 23;
	due_look(&p, &rule, by_root, &sigma);
	OK(p.looked == 6, "3 % after 6 rounds need 24: the next look is there");
	OK_NEAR(p.half, 0.03, 1e-12, "what was seen stands until then");
	p.rounds = 24;
	due_look(&p, &rule, by_root, &sigma);
	OK(p.looked == 24, "there it is");
	sigma = INFINITY;
	due_look(&p, &rule, by_root, &sigma);
	OK(p.looked == 6, "no interval: all rounds that there may be");
	sigma = NAN;
	due_look(&p, &rule, by_root, &sigma);
	OK(p.looked == 6 && isnan(p.half), "no row: never again");
	sigma = 0;
	due_look(&p, &rule, by_root, &sigma);
	OK(p.looked == 12 && p.half == 0, "no scatter: the least");
}

/* Programs of a tenth of a second with intervals as given after 6 rounds. */
static size_t choose(const double *half, struct due_program *p, size_t n,
		     double left_s)
{
	struct due_rule r = rule;

	r.left_s = left_s;
	for (size_t i = 0; i < n; i++)
		p[i] = (struct due_program) { 6, 6, 0.1, 6, half[i], false };
	return due_choose(p, n, &r, 7);
}

TEST(choices)
{
	struct due_program p[4];
	const double half[] = { 0.03, 0.001, NAN, INFINITY };

	OK(choose(half, p, 4, INFINITY) == 1 && p[3].due,
	   "who needs most is in each round");
	OK(choose(half, p, 3, INFINITY) == 1 && p[0].due,
	   "one that has its goal waits for its turn");
	OK(choose(&half[1], p, 1, INFINITY) == 1, "it has the least rounds");
	OK(!choose(&half[2], p, 1, INFINITY), "no row needs none");
	OK(!choose(half, p, 4, 0), "no time left");
	OK(choose(half, p, 2, 1e-3) == 2, "nobody is left out of too little");
}

/* All rounds of two programs with @half after 6 of them, of 0.1 s each, in
 * @left_s.  Return: the rounds that the first has, and in @gap the most between
 * two of them. */
static unsigned int run_out(double half, double left_s, unsigned int *gap,
			    unsigned int *other)
{
	struct due_rule r = rule;
	struct due_program p[2] = { { 6, 6, 0.1, 6, half, false },
				    { 6, 6, 0.1, 6, INFINITY, false } };

	*gap = 0;
	for (unsigned int round = 7;; round++) {
		r.left_s = left_s;
		if (!due_choose(p, 2, &r, round))
			break;
		for (size_t i = 0; i < 2; i++) {
			if (!p[i].due)
				continue;
			if (i == 0 && *gap < round - p[i].last)
				*gap = round - p[i].last;
			p[i].rounds++;
			p[i].last = round;
			left_s -= p[i].seconds;
		}
	}
	*other = p[1].rounds;
	return p[0].rounds;
}

TEST(spreads)
{
	unsigned int gap, other;

	OK(run_out(0.001, INFINITY, &gap, &other) == 12 && other == 30,
	   "12 rounds, 30 rounds");
	OK(gap == 4, "6 rounds in the next 24: every fourth");
	OK(run_out(0.03, INFINITY, &gap, &other) == 24 && gap <= 2,
	   "18 in 24: none is left out twice");
	OK(run_out(0.001, 2.05, &gap, &other) == 12 && other == 20,
	   "if time is short, who is certain has the least");
	OK(run_out(0.03, 2.0, &gap, &other) + other <= 32 && other < 22,
	   "and no more is spent than there is, but for a round");
}

/* Rows of rounds: of times with a tail, of normal ones, with outliers. */
static double tail(double spread)
{
	return 1 - spread * log(uniform());
}

static double bell(double spread)
{
	return 1 + spread * normal();
}

static double outliers(double spread)
{
	return 1 + spread * normal() / sqrt(-log(uniform()));
}

/* The interval of a row after each number of rounds. */
struct row {
	double low[MOST + 1], high[MOST + 1];
};

static void measure(struct row *row, double (*draw)(double), double spread)
{
	static size_t lo[MOST + 1], hi[MOST + 1];
	double sorted[MOST];

	for (unsigned int n = 1; n <= MOST; n++) {
		const double x = draw(spread);
		unsigned int at = n - 1;

		for (; at > 0 && sorted[at - 1] > x; at--)
			sorted[at] = sorted[at - 1];
		sorted[at] = x;
		if (!lo[n])
			stats_order_ranks(n, 0.95, &lo[n], &hi[n]);
		row->low[n] = sorted[lo[n] - 1];
		row->high[n] = sorted[hi[n] - 1];
	}
}

static double half_after(const void *arg, unsigned int n)
{
	const struct row *row = arg;

	return (row->high[n] - row->low[n]) / (row->high[n] + row->low[n]);
}

/* Share of rows whose interval holds @median; @each: a look after each round.
 */
static double coverage(double (*draw)(double), double spread, double median,
		       bool each)
{
	const int rows = 20000;
	int held = 0;

	for (int i = 0; i < rows; i++) {
		struct due_program p = { 6, 6, 0.1, 0, NAN, false };
		struct row row;

		measure(&row, draw, spread);
		for (;;) {
			due_look(&p, &rule, half_after, &row);
			if (each) {
				p.looked = p.rounds;
				p.half = half_after(&row, p.rounds);
			}
			if (!due_choose(&p, 1, &rule, p.last + 1))
				break;
			p.rounds++;
			p.last++;
		}
		held += row.low[p.rounds] <= median &&
			median <= row.high[p.rounds];
	}
	return held / (double)rows;
}

/* Spreads around that at which stopping does most harm. */
TEST(covers)
{
	const double spreads[] = { 0.015, 0.02, 0.027, 0.037, 0.05, 0.067 };
	double least = 1, each = 1;

	for (size_t i = 0; i < sizeof(spreads) / sizeof(*spreads); i++) {
		const double s = spreads[i], m = 1 + s * log(2);

		least = fmin(least, coverage(tail, s, m, false));
		least = fmin(least, coverage(bell, s, 1, false));
		least = fmin(least, coverage(outliers, s, 1, false));
		each = fmin(each, coverage(tail, s, m, true));
	}
	printf("# least share: %.4f; looking after each round: %.4f\n", least,
	       each);
	/* Four standard errors below 95 %. */
	OK(least > 0.944, "an interval holds its median as it says");
	OK(each < 0.944, "which a look after each round would spoil");
}
