/* SPDX-License-Identifier: MIT */
#include "load.h"

#include <math.h>
#include <string.h>

#include "err.h"
#include "grade.h"
#include "rank.h"
#include "sections.h"
#include "stats.h"
#include "text.h"
#include "units.h"

#define ROUNDS_MAX 1000 /* more than run-all takes */

/* A round in which the program failed left no row, only a line in run.json. */
static void count_line(struct run *run, const json_t *line)
{
	const char *id = run_text(line, "id");
	const char *program = id ? run_planned(run, id) : "";
	const double round = run_number(line, "round");
	const double took_s = run_number(line, "duration_s");

	if (!(round >= 1 && round <= ROUNDS_MAX))
		return;
	for (size_t i = 0; i < run->nsections; i++) {
		struct section *s = &run->sections[i];

		if (strcmp(s->program, program) != 0)
			continue;
		/* Several lines of the plan may be of one program. */
		if (round > s->last) {
			s->rounds++;
			s->last = (unsigned int)round;
		}
		s->seconds = fmin(s->seconds, took_s);
	}
}

void rounds_count(struct run *run)
{
	const json_t *line;
	size_t i;

	for (i = 0; i < run->nsections; i++) {
		run->sections[i].rounds = run->sections[i].last = 0;
		run->sections[i].seconds = NAN;
	}
	json_array_foreach(run_at(run->meta, "programs"), i, line)
		count_line(run, line);
	for (i = 0; i < run->nsections; i++) {
		struct section *s = &run->sections[i];

		for (size_t j = 0; j < s->n; j++)
			if (s->rounds < s->rows[j]->rounds)
				s->rounds = (unsigned int)s->rows[j]->rounds;
	}
}

/* The rounds that the rows of @s had which are core rows, or which are not. */
static unsigned int rounds_of(const struct section *s, bool core)
{
	size_t most = 0;

	for (size_t i = 0; i < s->n; i++) {
		const struct row *row = s->rows[i];

		if (tables_is_core(row) == core && most < row->rounds)
			most = row->rounds;
	}
	return (unsigned int)most;
}

bool rounds_ends(const struct run *run, unsigned int *least, unsigned int *most)
{
	*least = *most = 0;
	for (size_t i = 0; i < run->nsections; i++)
		for (int core = 0; core < 2; core++) {
			const unsigned int n =
				rounds_of(&run->sections[i], core);

			if (n && (!*least || n < *least))
				*least = n;
			if (n > *most)
				*most = n;
		}
	return *least != *most;
}

const char *rounds_text(const struct run *run)
{
	unsigned int least, most;

	return rounds_ends(run, &least, &most)
		       ? text_format("%u to %u", least, most)
		       : text_format("%u", most);
}

const char *rounds_words(const struct run *run)
{
	const char *n = rounds_text(run);

	return text_format("%s round%s", n, strcmp(n, "1") ? "s" : "");
}

static double share_of(const struct run *run, const char *key)
{
	const double pct = run_number(run->meta, key);

	return pct > 0 ? pct / 100 : NAN;
}

double rounds_precision(const struct run *run)
{
	return share_of(run, "precision_pct");
}

double rounds_goal(const struct run *run)
{
	return fmin(share_of(run, "goal_pct"), rounds_precision(run));
}

/* Whether more rounds can make @r more precise. */
static bool counts(const struct result *r)
{
	return r->status == RESULT_OK && isfinite(r->value) &&
	       !result_is_level(r);
}

/* Half the interval @low to @high, of its middle: INFINITY if there is none. */
static double half_of(double low, double high)
{
	if (low == high)
		return 0;
	return isfinite(high - low) ? (high - low) / fabs(high + low)
				    : INFINITY;
}

/* Take the numbers among the first @most values of @row, in order of the
 * rounds. Return: how many. */
static size_t numbers(const struct row *row, size_t most, double *x)
{
	size_t n = 0;

	for (size_t i = 0; i < row->n && i < most; i++)
		if (isfinite(row->values[i]))
			x[n++] = row->values[i];
	return n;
}

/* half_of() the interval of the first @rounds values of @row, before what
 * rounds do not fix (steps of the clock or of sizes) was added. */
static double half_first(const struct row *row, unsigned int rounds)
{
	double *x = text_alloc(row->n, sizeof(*x)), half = INFINITY;
	size_t n = numbers(row, rounds, x), lo, hi;

	stats_sort(x, n);
	if (stats_order_ranks(n, 0.95, &lo, &hi) > 0)
		half = half_of(x[lo - 1], x[hi - 1]);
	return half;
}

double rounds_half(const struct section *s, unsigned int rounds)
{
	double widest = NAN;

	for (size_t i = 0; i < s->n; i++) {
		const struct row *row = s->rows[i];

		if (counts(&row->all) && isnan(row->all.at_least))
			widest = fmax(widest, half_first(row, rounds));
	}
	return widest;
}

size_t rounds_wide(const struct section *s, double within, size_t *rows)
{
	size_t wide = 0;

	*rows = 0;
	for (size_t i = 0; i < s->n; i++) {
		const struct result *r = &s->rows[i]->all;

		if (!counts(r))
			continue;
		++*rows;
		/* As wide as the step between two sizes: rounds do not fix
		 * that. */
		wide += isnan(r->at_least) &&
			half_of(r->ci95[0], r->ci95[1]) > within;
	}
	return wide;
}

bool rounds_gave_up(const struct run *run, const struct section *s)
{
	unsigned int lost = 0;

	for (size_t i = 0; i < run->ntroubles; i++)
		if (!strcmp(run->troubles[i].program, s->program) &&
		    run->troubles[i].exit_status != EXIT_SKIP)
			lost += run->troubles[i].rounds;
	return lost && (!s->n || (lost >= 2 && 2 * lost >= s->rounds));
}

#define FALSE_SHARE 0.05 /* of the rows that are called */

/* Whether the @n values @x of @r, in order, move by more than another run may
 * differ by, the best grade allowing for that.  The medians of their halves are
 * half of the way of an even trend apart.  @x is put into another order. */
static bool matters(const struct result *r, double *x, size_t n)
{
	const double way = 2 * fabs(stats_median(x + n / 2, n - n / 2) -
				    stats_median(x, n / 2));
	const double half = grade_halfwidth(r);

	return way > fabs(r->value) * fmax(M_SQRT2 * half, grade_bound('A'));
}

static void mark(struct result *r, double from, double to, double p)
{
	r->trend = json_pack("{s:f,s:f,s:f}", "from", from, "to", to, "p", p);
	r->ci95[0] = r->ci95[1] = NAN;
}

void trend_mark(struct run *run)
{
	double *p = text_alloc(run->nrows, sizeof(*p));
	double *adjusted = text_alloc(run->nrows, sizeof(*adjusted));
	double x[RANK_MAX] = { 0 };

	for (size_t i = 0; i < run->nrows; i++) {
		const size_t n = numbers(&run->rows[i], RANK_MAX, x);

		p[i] = n > 1 ? rank_trend(x, n) : 1;
	}
	rank_false_discovery(adjusted, p, run->nrows);
	for (size_t i = 0; i < run->nrows; i++) {
		struct result *r = &run->rows[i].all;
		const size_t n = numbers(&run->rows[i], RANK_MAX, x);
		const double from = x[0], to = n ? x[n - 1] : 0;

		if (n && r->status == RESULT_OK && adjusted[i] <= FALSE_SHARE &&
		    matters(r, x, n))
			mark(r, from, to, adjusted[i]);
	}
}

const char *trend_text(const struct result *r)
{
	const char *unit;
	double per;

	if (!r->trend)
		return NULL;
	per = units_scale(r->value, r->unit, &unit);
	return text_format("%s → %s %s",
			   text_number(run_number(r->trend, "from") / per),
			   text_number(run_number(r->trend, "to") / per), unit);
}
