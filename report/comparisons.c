/* SPDX-License-Identifier: MIT */
#include "course.h"

#include <math.h>
#include <string.h>

#include "load.h"
#include "rank.h"
#include "sections.h"
#include "text.h"

enum { ID, QUESTION, A_WORDS, A_ROW, B_WORDS, B_ROW, FIELDS };

/* One side of a comparison. */
struct side {
	const char *words;
	const struct row *row; /* NULL: this run does not have it */
	bool inverse;	       /* bytes a second are compared as ns a byte */
};

struct answer {
	struct side a, b;
	struct ratio ratio;
};

static const struct row *row_of(const struct run *run, const char *field)
{
	const char *program = text_split(&field, ' ');

	return field ? run_pick(run, program, field) : NULL;
}

static bool measured(const struct side *s)
{
	return s->row && s->row->all.status == RESULT_OK && s->row->all.unit &&
	       s->row->all.value > 0;
}

static double in_common(const struct side *s, double value)
{
	return s->inverse ? 1e9 / value : value;
}

/* The logarithms of its invocations' values. */
static double *logarithms(const struct side *s, size_t *n)
{
	double *v = text_alloc(s->row->n + 1, sizeof(*v));

	*n = 0;
	for (size_t i = 0; i < s->row->n && *n < RANK_MAX; i++) {
		const double x = log(in_common(s, s->row->values[i]));

		if (isfinite(x))
			v[(*n)++] = x;
	}
	return v;
}

static void set_interval(struct answer *x)
{
	size_t n, m;
	double *a = logarithms(&x->a, &n), *b = logarithms(&x->b, &m);
	struct rank_shift shift = { NAN, -INFINITY, INFINITY };

	if (n && m)
		rank_shift(&shift, b, m, a, n, 0.95);
	if (isfinite(shift.lo) && isfinite(shift.hi)) {
		x->ratio.low = exp(shift.lo);
		x->ratio.high = exp(shift.hi);
	}
}

static void set_ratio(struct answer *x)
{
	const char *a, *b;

	x->ratio = (struct ratio) { NAN, NAN, NAN };
	if (!measured(&x->a) || !measured(&x->b))
		return;
	a = x->a.row->all.unit;
	b = x->b.row->all.unit;
	x->a.inverse = !strcmp(a, "B/s") && !strcmp(b, "ns/B");
	x->b.inverse = !strcmp(a, "ns/B") && !strcmp(b, "B/s");
	if (!x->a.inverse && !x->b.inverse && strcmp(a, b) != 0)
		return;
	x->ratio.value = in_common(&x->a, x->a.row->all.value) /
			 in_common(&x->b, x->b.row->all.value);
	set_interval(x);
}

struct ratio comparisons_ratio(const struct row *a, const struct row *b)
{
	struct answer x = { .a = { NULL, a, false }, .b = { NULL, b, false } };

	set_ratio(&x);
	return x.ratio;
}

static void answer(struct answer *x, const char *const *field,
		   const struct run *run)
{
	*x = (struct answer) {
		.a = { field[A_WORDS], row_of(run, field[A_ROW]), false },
		.b = { field[B_WORDS], row_of(run, field[B_ROW]), false },
	};
	set_ratio(x);
}

const char *comparisons_times(const struct ratio *r)
{
	return isfinite(r->value) ? text_format("%.3g", r->value) : "–";
}

const char *comparisons_interval(const struct ratio *r)
{
	return isfinite(r->low) ? text_format("%.3g – %.3g", r->low, r->high)
	       : isfinite(r->value) ? "too few rounds"
				    : "–";
}

static const char *said(const struct side *s)
{
	if (!s->row)
		return text_format("%s: not measured in this run", s->words);
	return text_format("%s: %s (%s)", s->words, tables_value(&s->row->all),
			   s->row->all.name);
}

static bool wanted(const struct rowtable_line *line, const char *ids)
{
	return line->n == FIELDS && (!ids || text_glob(ids, line->field[ID]));
}

void comparisons_table(struct table *table, const struct rowtable *t,
		       const struct run *run, const char *ids)
{
	const struct rowtable_line *line = NULL;
	struct answer x;

	table_begin(table,
		    "comparison|first|second|first / second>|95 % interval>");
	while ((line = rowtable_next(t, "comparison", line))) {
		if (!wanted(line, ids))
			continue;
		answer(&x, line->field, run);
		table_line(table, "", line->field[QUESTION], said(&x.a),
			   said(&x.b), comparisons_times(&x.ratio),
			   comparisons_interval(&x.ratio));
	}
}

static const char *sentence(const char *question, const char *words,
			    const struct formula_world *w)
{
	return text_format("%s: %s", question, formula_text(words, w));
}

const char *comparisons_reason(const struct rowtable_line *line,
			       const struct rowtable *t,
			       const struct operations *ops,
			       const struct run *run)
{
	const struct rowtable_line *why = NULL;
	struct answer x;

	answer(&x, line->field, run);
	if (!x.a.row || !x.b.row || !isfinite(x.ratio.value))
		return NULL;
	while ((why = rowtable_next(t, "because", why))) {
		const struct formula_name names[] = {
			{ "a", x.a.row->all.value },
			{ "b", x.b.row->all.value },
			{ "ratio", x.ratio.value },
			{ "low", x.ratio.low },
			{ "high", x.ratio.high },
			{ NULL, 0 },
		};
		const struct formula_world w = { run, ops, NULL, t, names };
		const char *missing;
		double holds;

		if (why->n != 3 || strcmp(why->field[0], line->field[ID]) != 0)
			continue;
		holds = formula_value(why->field[1], &w, &missing);
		if (holds > 0)
			return sentence(line->field[QUESTION], why->field[2],
					&w);
	}
	return NULL;
}

void comparisons_write(struct doc *d, const struct rowtable *t,
		       const struct operations *ops, const struct run *run,
		       const char *ids)
{
	const struct rowtable_line *line = NULL;
	struct table table;

	comparisons_table(&table, t, run, ids);
	if (d->paper)
		table.caption = "Comparison";
	/* A paper has no room for the names of the rows. */
	for (size_t side = 1; d->paper && side <= 2; side++)
		table_unbracket(&table, side);
	if (table.nrows)
		d->format->table(d, &table);
	while ((line = rowtable_next(t, "comparison", line))) {
		const char *why =
			wanted(line, ids)
				? comparisons_reason(line, t, ops, run)
				: NULL;

		if (why)
			d->format->para(d, why);
	}
}
