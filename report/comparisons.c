/* SPDX-License-Identifier: MIT */
#include "course.h"

#include <math.h>
#include <string.h>

#include "doc.h"
#include "grade.h"
#include "load.h"
#include "rank.h"
#include "sections.h"
#include "text.h"

/* The fields of a `comparison` line. */
enum { ID, QUESTION, A_WORDS, A_ROW, B_WORDS, B_ROW };

/* One side of a comparison. */
struct side {
	const struct row *row; /* NULL: this run does not have it */
	bool inverse;	       /* bytes a second are compared as ns a byte */
};

static const struct row *row_of(const struct run *run, const char *field)
{
	const char *program = text_split(&field, ' ');

	return field ? run_pick(run, program, field) : NULL;
}

static bool measured(const struct row *row)
{
	return row && row->all.status == RESULT_OK && row->all.unit &&
	       row->all.value > 0;
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

/* A row with two states has no value between them, so no quotient either. */
static void set_states(struct ratio *r, const struct side *a,
		       const struct side *b)
{
	const struct result *x = &a->row->all, *y = &b->row->all;
	struct states s = { .low = x->value, .high = x->value };
	struct states t = { .low = y->value, .high = y->value };

	states_of(&s, x);
	states_of(&t, y);
	r->least = fmin(in_common(a, s.low), in_common(a, s.high)) /
		   fmax(in_common(b, t.low), in_common(b, t.high));
	r->most = fmax(in_common(a, s.low), in_common(a, s.high)) /
		  fmin(in_common(b, t.low), in_common(b, t.high));
}

static void set_interval(struct ratio *r, const struct side *a,
			 const struct side *b)
{
	size_t n, m;
	double *x = logarithms(a, &n), *y = logarithms(b, &m);
	struct rank_shift shift = { NAN, -INFINITY, INFINITY };

	if (n && m)
		rank_shift(&shift, y, m, x, n);
	if (isfinite(shift.lo) && isfinite(shift.hi)) {
		r->low = exp(shift.lo);
		r->high = exp(shift.hi);
	}
}

struct ratio comparisons_ratio(const struct row *a, const struct row *b)
{
	struct ratio r = { NAN, NAN, NAN, NAN, NAN };
	struct side x = { a, false }, y = { b, false };

	if (!measured(a) || !measured(b))
		return r;
	x.inverse = !strcmp(a->all.unit, "B/s") && !strcmp(b->all.unit, "ns/B");
	y.inverse = !strcmp(a->all.unit, "ns/B") && !strcmp(b->all.unit, "B/s");
	if (!x.inverse && !y.inverse && strcmp(a->all.unit, b->all.unit) != 0)
		return r;
	r.value = in_common(&x, a->all.value) / in_common(&y, b->all.value);
	set_states(&r, &x, &y);
	set_interval(&r, &x, &y);
	return r;
}

/* "1.25", or "0.05 to 0.09" */
static const char *times(const struct ratio *r)
{
	return !isfinite(r->value) ? "–"
	       : r->least < r->most
		       ? text_format("%.3g to %.3g", r->least, r->most)
		       : text_format("%.3g", r->value);
}

/* "1.2 – 1.3", or why not. */
static const char *interval(const struct ratio *r)
{
	return isfinite(r->low) ? text_format("%.3g – %.3g", r->low, r->high)
	       : isfinite(r->value) ? "too few rounds"
				    : "–";
}

static const char *said(const char *words, const struct row *row)
{
	return row ? text_format("%s: %s (%s)", words, tables_value(&row->all),
				 row->all.name)
		   : text_format("%s: not measured in this run", words);
}

static const char *reason(const struct rowtable_line *line,
			  const struct formula_world *w)
{
	const struct rowtable_line *why = NULL;
	const char *missing;

	while ((why = rowtable_of(&w->run->suite, "because", line->field[ID],
				  why)))
		if (formula_value(why->field[1], w, &missing) > 0)
			return text_format("%s: %s", line->field[QUESTION],
					   formula_text(why->field[2], w));
	return NULL;
}

void comparisons_write(struct doc *d, const struct course *c, const char *ids)
{
	const struct run *run = c->run;
	const struct rowtable_line *line = NULL;
	const char **why = NULL;
	struct table table;
	size_t n = 0;

	table_begin(&table,
		    "comparison|first|second|first / second>|95 % interval>");
	if (d->paper)
		table.caption = "Comparison";
	while ((line = rowtable_next(&run->suite, "comparison", line))) {
		const struct row *a = row_of(run, line->field[A_ROW]);
		const struct row *b = row_of(run, line->field[B_ROW]);
		const struct ratio r = comparisons_ratio(a, b);
		const struct formula_name names[] = {
			{ "a", a ? a->all.value : NAN },
			{ "b", b ? b->all.value : NAN },
			{ "ratio", r.value },
			{ "low", r.low },
			{ "high", r.high },
			{ NULL, 0 },
		};

		if (ids && !text_glob(ids, line->field[ID]))
			continue;
		table_line(&table, "", line->field[QUESTION],
			   said(line->field[A_WORDS], a),
			   said(line->field[B_WORDS], b), times(&r),
			   interval(&r));
		why = text_grow(why, n, sizeof(*why));
		why[n++] = isfinite(r.value)
				   ? reason(line,
					    &(struct formula_world) {
						    run, &c->ops, NULL, names })
				   : NULL;
	}
	/* A paper has no room for the names of the rows. */
	for (size_t side = 1; d->paper && side <= 2; side++)
		table_unbracket(&table, side);
	if (table.nrows)
		doc_table(d, &table, NULL);
	for (size_t i = 0; i < n; i++)
		if (why[i])
			doc_paragraph(d, why[i]);
}

/* The fields of a `pair` line. */
enum { WORDS, PROGRAM, NEW, OLD };

/* The value that @name has where pattern @glob has its `*`, or all of it where
 * @glob has none, NULL if it does not match. */
static const char *value_at(const char *glob, const char *name)
{
	const char *star = strchr(glob, '*');
	const size_t before = star ? (size_t)(star - glob) : strlen(glob);
	const size_t after = star ? strlen(star + 1) : 0;
	const size_t len = strlen(name);

	if (len < before + after || strncmp(name, glob, before) != 0 ||
	    (star ? strcmp(name + len - after, star + 1) != 0
		  : len != before) ||
	    (star && memchr(name + before, ',', len - before - after)))
		return NULL;
	return text_format("%.*s", (int)(len - before - after), name + before);
}

/* @glob with @value in place of its `*`, if @new has one too: a `*` of @glob
 * alone is what the machine decides. */
static const char *name_with(const char *glob, const char *value,
			     const char *new)
{
	const char *star = strchr(new, '*') ? strchr(glob, '*') : NULL;

	return star ? text_format("%.*s%s%s", (int)(star - glob), glob, value,
				  star + 1)
		    : glob;
}

/* "n=8", of the axis that has the `*` in @glob. */
static const char *at_words(const char *glob, const char *value)
{
	const char *star = strchr(glob, '*'), *axis = star;

	while (axis && axis > glob && axis[-1] != ',')
		axis--;
	return star ? text_format("%.*s%s", (int)(star - axis), axis, value)
		    : "";
}

static const char *verdict(const struct ratio *r)
{
	return isnan(r->low) ? "too few rounds"
	       : r->high < 1 ? "faster"
	       : r->low > 1  ? "slower"
			     : "no clear difference";
}

/* A row for each point of @line that both ways have a value at. */
static void add_pair(struct table *t, const struct rowtable_line *line,
		     const struct run *run)
{
	const struct section *s = run_section(run, line->field[PROGRAM]);
	const char *words = line->field[WORDS], *new = line->field[NEW];

	for (size_t i = 0; s && i < s->n; i++) {
		const struct row *a = s->rows[i], *b;
		const char *value = value_at(new, a->all.name);
		struct ratio r;

		if (!value)
			continue;
		b = run_pick(run, s->program,
			     name_with(line->field[OLD], value, new));
		r = comparisons_ratio(a, b);
		if (!isfinite(r.value))
			continue;
		table_line(t, "", words, at_words(new, value),
			   tables_value(&a->all), tables_value(&b->all),
			   times(&r), interval(&r), verdict(&r));
		words = NULL;
	}
}

bool pairs_fill(struct table *t, const struct run *run)
{
	const struct rowtable_line *line = NULL;

	table_begin(t, "new against old|at|new>|old>|new / old>|95 % interval>|"
		       "the new way is");
	while ((line = rowtable_next(&run->suite, "pair", line)))
		add_pair(t, line, run);
	return t->nrows;
}
