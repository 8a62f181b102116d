/* SPDX-License-Identifier: MIT */
#include "compare.h"

#include <math.h>
#include <string.h>

#include "grade.h"
#include "rank.h"
#include "stats.h"
#include "text.h"

#define ALPHA 0.05
#define NS    1e9 /* in a second */

/* A run of format 1 had the plain median of what is grouped now: they differ by
 * less than half a step of the clock. */
static bool same_estimator(const char *a, const char *b)
{
	static const char grouped[] = "grouped_median", plain[] = "median";

	if (text_same(a, grouped))
		a = plain;
	if (text_same(b, grouped))
		b = plain;
	return text_same(a, b);
}

/* Why @row of @s cannot be compared with @r of A's first run, or NULL. */
static const char *obstacle(const struct comparison *c, const struct side *s,
			    const struct result *r, const struct row *row)
{
	const char *run = text_format("%s%c", s->n > 1 ? "a run of " : "",
				      s == c->b ? 'B' : 'A');

	if (!row)
		return text_format("%s has no such row", run);
	if (row->all.status != RESULT_OK)
		return text_format("%s has no value", run);
	if (!text_same(r->unit, row->all.unit))
		return "other unit";
	if (!same_estimator(r->estimator, row->all.estimator))
		return "other estimator";
	if (!text_same(r->timer, row->all.timer))
		return "other timing method";
	/* Two modes of those are no difference of this one. */
	if (c->counted && !isfinite(row->all.min))
		return "made of other rows";
	return NULL;
}

/* The values of a side, as logarithms of what they cost. */
struct units {
	double time[RANK_MAX], cycles[RANK_MAX];
	size_t n;
	double range[2]; /* of all samples, the logarithms */
	bool clocked;	 /* the core's frequency is known for each */
	double sign;	 /* of the logarithm of a value in that of its cost */
};

/* To leave a value out because it is not positive would bias the rest. */
static const char *add_unit(struct units *u, double value, double core_hz)
{
	if (!isfinite(value) || u->n == RANK_MAX)
		return NULL;
	if (value <= 0)
		return "not positive: no ratio";
	u->clocked = u->clocked && core_hz > 0;
	u->time[u->n] = u->sign * log(value);
	u->cycles[u->n] = u->time[u->n] + (core_hz > 0 ? log(core_hz) : 0);
	u->n++;
	return NULL;
}

/* The units of @s: invocations of one run, or one value for each of several
 * runs.  Return: NULL, or what is in the way. */
static const char *units(struct units *u, const struct comparison *c,
			 const struct side *s, const struct result *r)
{
	const char *why = NULL;

	u->n = 0;
	u->sign = text_same(r->better, "higher") ? -1 : 1;
	/* Only times and rates have cycles. */
	u->clocked = r->unit && text_glob("ns ns/B B/s 1/s", r->unit);
	u->range[0] = u->range[1] = NAN;
	for (size_t i = 0; i < s->n && !why; i++) {
		const struct row *row = run_find(&s->runs[i], r);

		why = obstacle(c, s, r, row);
		if (!why) {
			u->range[0] = fmin(u->range[0], log(row->least));
			u->range[1] = fmax(u->range[1], log(row->most));
		}
		if (!why && s->n > 1)
			why = add_unit(u, row->all.value, row->all.core_hz);
		else
			for (size_t j = 0; !why && j < row->n; j++)
				why = add_unit(u, row->values[j],
					       row->core_hz[j]);
	}
	return why || u->n ? why : "no values";
}

/* How much more B is, in the unit of the row or in one of cycles. */
static void find_added(struct pair *p, const struct units *x,
		       const struct units *y)
{
	static const char *const units[][2] = {
		{ "ns", "cycles" },
		{ "ns/B", "cycles/B" },
		{ "B/s", "B/cycle" },
		{ "1/s", "1/cycle" },
	};
	const double *a = p->in_cycles ? x->cycles : x->time;
	const double *b = p->in_cycles ? y->cycles : y->time;
	double *v = text_alloc(x->n + y->n, sizeof(*v)), scale = 1;

	p->unit = p->a->all.unit;
	for (size_t i = 0; p->in_cycles && i < sizeof(units) / sizeof(*units);
	     i++)
		if (!strcmp(p->a->all.unit, units[i][0])) {
			p->unit = units[i][1];
			scale = x->sign > 0 ? NS : 1;
			break;
		}
	for (size_t i = 0; i < x->n + y->n; i++)
		v[i] = exp(x->sign * (i < x->n ? a[i] : b[i - x->n])) / scale;
	rank_shift(&p->added, v, x->n, v + x->n, y->n);
}

static void test_pair(struct pair *p, const struct comparison *c,
		      const struct units *x, const struct units *y)
{
	struct rank_shift cycles;
	double lesser;

	p->verdict = VERDICT_NOT_COMPARABLE;
	if (rank_least_p(x->n, y->n) >= ALPHA) {
		p->why = "too few rounds: 4 against 4 are needed";
		return;
	}
	rank_shift(&p->cost, x->time, x->n, y->time, y->n);
	p->p = p->p_time = trimmed_test(x->time, x->n, y->time, y->n);
	p->tested = true;
	p->verdict = VERDICT_SAME;
	if (!c->interleaved && x->clocked && y->clocked) {
		rank_shift(&cycles, x->cycles, x->n, y->cycles, y->n);
		lesser = rank_lesser(p->cost.shift, cycles.shift);
		p->clock = cycles.shift - p->cost.shift;
		p->in_cycles = fabs(cycles.shift) < fabs(p->cost.shift) &&
			       expm1(fabs(p->clock)) > c->floor;
		p->p = fmax(p->p,
			    trimmed_test(x->cycles, x->n, y->cycles, y->n));
		if (cycles.shift * p->cost.shift < 0)
			p->p = 1;
		p->cost = (struct rank_shift) {
			lesser,
			fmin(p->cost.lo, cycles.lo),
			fmax(p->cost.hi, cycles.hi),
		};
	}
	find_added(p, x, y);
}

static struct pair *new_pair(struct comparison *c, const struct row *row,
			     const struct row *b, const json_t *floors)
{
	struct pair *p = &c->v[c->n++];

	*p = (struct pair) {
		.a = row,
		.b = b,
		.floor = json_number_value(
			json_object_get(floors, run_key(&row->all))),
		.cost = { NAN, NAN, NAN },
		.added = { NAN, NAN, NAN },
		.at = { NAN, NAN },
		.share = { NAN, NAN },
		.verdict = VERDICT_NOT_COMPARABLE,
	};
	p->p = p->p_time = p->adjusted = p->clock = NAN;
	return p;
}

/* The units of @u that are in level @k; @at: their median, @share: of all. */
static void take_level(struct units *part, const struct units *u,
		       const struct strata *l, size_t k, double *at,
		       double *share)
{
	*part = *u;
	part->n = 0;
	for (size_t i = 0; i < u->n; i++)
		if (strata_of(l, u->time[i]) == k) {
			part->time[part->n] = u->time[i];
			part->cycles[part->n++] = u->cycles[i];
		}
	*at = part->n ? exp(u->sign * stats_median(part->time, part->n)) : NAN;
	*share = (double)part->n / (double)u->n;
}

/* Each value of @a is less than each of @b. */
static bool below(const struct units *a, const struct units *b)
{
	size_t i = 0;

	while (i < a->n * b->n && a->time[i / b->n] < b->time[i % b->n])
		i++;
	return i == a->n * b->n;
}

/* Each level in which there are rounds enough of both sides is a pair. If there
 * is none, and one side is below the other in all rounds, all are compared. */
static void test_levels(struct comparison *c, struct pair *p,
			const json_t *floors, const struct strata *l,
			const struct units *x, const struct units *y)
{
	static const char *const names[] = { "low", "middle", "high" };
	struct units *a = text_alloc(1, sizeof(*a));
	struct units *b = text_alloc(1, sizeof(*b));

	c->states++;
	p->why = "too few rounds in the same state: 4 against 4 are needed";
	for (size_t k = 0; k < l->n; k++) {
		/* The level by the values, of which a rate is a low cost. */
		const size_t level = x->sign < 0 ? l->n - 1 - k : k;
		double at[2], share[2];

		take_level(a, x, l, level, &at[0], &share[0]);
		take_level(b, y, l, level, &at[1], &share[1]);
		if (!a->n || !b->n || rank_least_p(a->n, b->n) >= ALPHA)
			continue;
		if (p->level)
			p = new_pair(c, p->a, p->b, floors);
		p->level = names[k && l->n == 2 ? 2 : k];
		memcpy(p->at, at, sizeof(at));
		memcpy(p->share, share, sizeof(share));
		p->why = NULL;
		test_pair(p, c, a, b);
	}
	if (!p->level && (below(x, y) || below(y, x))) {
		p->why = NULL;
		test_pair(p, c, x, y);
	}
}

static void test_row(struct comparison *c, struct pair *p, const json_t *floors,
		     const struct units *x, const struct units *y)
{
	struct strata l = { .n = 1 };

	if (result_is_level(&p->a->all) ||
	    strata_find(&l, x->time, x->n, y->time, y->n)) {
		if (l.n > 1)
			test_levels(c, p, floors, &l, x, y);
		else
			test_pair(p, c, x, y);
	} else {
		p->why = "one side has two states and the other lies between";
	}
}

/* Counts have no noise: they differ if their ranges lie further apart than
 * either is wide. */
static void test_counts(struct pair *p, const struct units *x,
			const struct units *y)
{
	const double *a = p->range_a, *b = p->range_b;
	const double width = fmax(a[1] - a[0], b[1] - b[0]);
	const double value = p->a->all.value;

	rank_shift(&p->cost, x->time, x->n, y->time, y->n);
	p->cost.lo = b[0] - a[1];
	p->cost.hi = b[1] - a[0];
	p->unit = p->a->all.unit;
	p->added = (struct rank_shift) {
		value * expm1(p->cost.shift),
		value * expm1(p->cost.lo),
		value * expm1(p->cost.hi),
	};
	p->p = fmax(p->cost.lo, -p->cost.hi) > width ? 0 : 1;
	p->tested = true;
	p->verdict = VERDICT_SAME;
}

static void add_row(struct comparison *c, const struct row *row,
		    const json_t *floors)
{
	const struct result *r = &row->all;
	static struct units one, other;
	struct units *const x = &one, *const y = &other;
	struct pair *p = new_pair(c, row, run_find(c->b->runs, r), floors);

	p->first = true;
	c->first[row - c->a->runs->rows] = c->n - 1;
	if (r->status == RESULT_BELOW_RESOLUTION && p->b &&
	    p->b->all.status == RESULT_BELOW_RESOLUTION)
		p->why = "both too small to measure";
	if (!p->why)
		p->why = units(x, c, c->a, r);
	if (!p->why)
		p->why = units(y, c, c->b, r);
	memcpy(p->range_a, x->range, sizeof(p->range_a));
	memcpy(p->range_b, y->range, sizeof(p->range_b));
	if (!p->why && c->counted)
		test_counts(p, x, y);
	else if (!p->why)
		test_row(c, p, floors, x, y);
	if (c->counted)
		p->p_time = p->p;
}

bool ledger_is(const struct run *run)
{
	return text_same(run_text(run->meta, "clock"), "icount");
}

bool compare_is_detail(const struct result *r)
{
	return text_same(r->tier, "detail");
}

/* Adjust p, or p of the times, of all that are tested, of the details or of the
 * core.  Return: how many they are. */
static size_t adjust(struct comparison *c, bool times, bool details)
{
	double *p = text_alloc(c->n, sizeof(*p));
	double *adjusted = text_alloc(c->n, sizeof(*adjusted));
	size_t n = 0;

	for (size_t i = 0; i < c->n; i++)
		if (c->v[i].tested &&
		    compare_is_detail(&c->v[i].a->all) == details)
			p[n++] = times ? c->v[i].p_time : c->v[i].p;
	rank_false_discovery(adjusted, p, n);
	for (size_t i = 0, k = 0; i < c->n; i++)
		if (c->v[i].tested &&
		    compare_is_detail(&c->v[i].a->all) == details)
			c->v[i].adjusted = adjusted[k++];
	return n;
}

static void judge(struct comparison *c)
{
	adjust(c, true, true);
	adjust(c, true, false);
	for (size_t i = 0; i < c->n; i++)
		c->v[i].by_frequency = c->v[i].adjusted < ALPHA;
	c->tested = adjust(c, false, true);
	c->tested += adjust(c, false, false);
	for (size_t i = 0; i < c->n; i++) {
		struct pair *q = &c->v[i];
		const double change = expm1(fabs(q->cost.shift));
		const bool resolved = q->tested && q->adjusted < ALPHA;

		c->raw += q->tested && q->p < ALPHA;
		c->resolved += resolved;
		q->by_frequency = q->by_frequency && !resolved;
		if (resolved)
			q->verdict = !(change > fmax(c->floor, q->floor))
					     ? VERDICT_SMALL
				     : q->cost.shift > 0 ? VERDICT_SLOWER
							 : VERDICT_FASTER;
		c->verdicts[q->verdict]++;
	}
}

static size_t count_only_b(const struct comparison *c)
{
	const struct run *run = c->b->runs;
	size_t n = 0;

	for (size_t i = 0; i < run->nrows; i++)
		n += !run_find(c->a->runs, &run->rows[i].all);
	return n;
}

/* Whether scripts/ab measured all runs of both sides in turn. */
static bool one_session(const struct side *a, const struct side *b)
{
	const char *session = run_text(a->runs[0].meta, "session");

	for (size_t i = 0; i < a->n; i++)
		if (!session || !*session ||
		    !text_same(session, run_text(a->runs[i].meta, "session")))
			return false;
	for (size_t i = 0; i < b->n; i++)
		if (!text_same(session, run_text(b->runs[i].meta, "session")))
			return false;
	return true;
}

void compare_sides(struct comparison *c, const struct side *a,
		   const struct side *b, double floor, const json_t *floors)
{
	const struct run *run = a->runs;

	*c = (struct comparison) { .a = a, .b = b, .floor = floor };
	c->counted = ledger_is(a->runs) && ledger_is(b->runs);
	c->interleaved = one_session(a, b);
	c->rows_with_floor = json_object_size(floors);
	c->v = text_alloc(run->nrows * STRATA_MAX, sizeof(*c->v));
	c->first = text_alloc(run->nrows, sizeof(*c->first));
	for (size_t i = 0; i < 2 * run->nsections; i++) {
		const bool details = i >= run->nsections;
		const struct section *s =
			&run->sections[details ? i - run->nsections : i];

		for (size_t j = 0; j < s->n; j++) {
			const struct row *row = s->rows[j];

			if (compare_is_detail(&row->all) == details)
				add_row(c, row, floors);
		}
	}
	judge(c);
	c->only_b = count_only_b(c);
}

const struct pair *compare_row(const struct comparison *c, const struct pair *p)
{
	return &c->v[c->first[p->a - c->a->runs->rows]];
}

bool compare_breaks(const struct pair *p, double threshold)
{
	return threshold >= 0 && p->verdict == VERDICT_SLOWER &&
	       expm1(p->cost.shift) > threshold;
}
