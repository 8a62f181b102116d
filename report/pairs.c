/* SPDX-License-Identifier: MIT */
#include "sections.h"

#include <math.h>
#include <string.h>

#include "course.h"
#include "doc.h"
#include "load.h"
#include "text.h"

enum { WORDS, PROGRAM, NEW, OLD };

#define POINTS_MAX 32

/* One point at which both ways were asked for. */
struct both {
	const char *at; /* "n=8" or "" */
	const struct row *new, *old;
	struct ratio ratio; /* of new to old */
};

struct points {
	struct both v[POINTS_MAX];
	size_t n;
};

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
	const char *star = glob && strchr(new, '*') ? strchr(glob, '*') : NULL;

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

static void find_points(struct points *p, const struct rowtable_line *line,
			const struct run *run)
{
	const struct section *s = run_section(run, line->field[PROGRAM]);

	p->n = 0;
	for (size_t i = 0; s && i < s->n && p->n < POINTS_MAX; i++) {
		const struct row *new = &run->rows[s->rows[i]];
		const char *value = value_at(line->field[NEW], new->all.name);
		const char *old = value ? name_with(line->field[OLD], value,
						    line->field[NEW])
					: NULL;
		struct both *x = &p->v[p->n];

		if (old) {
			x->at = at_words(line->field[NEW], value);
			x->new = new;
			x->old = run_pick(run, line->field[PROGRAM], old);
			x->ratio = comparisons_ratio(x->new, x->old);
			p->n++;
		}
	}
}

static bool is_faster(const struct both *x)
{
	return x->ratio.high < 1; /* not if it is NAN */
}

static bool is_slower(const struct both *x)
{
	return x->ratio.low > 1;
}

typedef bool point_fn(const struct both *x);

/* Whether @is holds of all points [@from, @to). */
static bool all(const struct points *p, point_fn *is, size_t from, size_t to)
{
	while (from < to && is(&p->v[from]))
		from++;
	return from == to;
}

static size_t count(const struct points *p, point_fn *is)
{
	size_t n = 0;

	for (size_t i = 0; i < p->n; i++)
		n += is(&p->v[i]);
	return n;
}

static bool is_known(const struct both *x)
{
	return isfinite(x->ratio.low);
}

/* Points without a value do not count. */
static void drop_unknown(struct points *p, const struct points *from)
{
	p->n = 0;
	for (size_t i = 0; i < from->n; i++)
		if (is_known(&from->v[i]))
			p->v[p->n++] = from->v[i];
}

/* "@word from n=8 on", "@word up to n=8", "@word at 2 of 5 points". */
static const char *where(const struct points *p, point_fn *is, const char *word)
{
	const size_t n = count(p, is);

	if (n == p->n)
		return p->n > 1 ? text_format("%s from %s on", word, p->v[0].at)
				: word;
	if (n == 1 && !is(&p->v[p->n - 1]))
		for (size_t i = 0; i < p->n; i++)
			if (is(&p->v[i]))
				return text_format("%s at %s", word,
						   p->v[i].at);
	if (all(p, is, p->n - n, p->n))
		return text_format("%s from %s on", word, p->v[p->n - n].at);
	if (all(p, is, 0, n))
		return text_format("%s up to %s", word, p->v[n - 1].at);
	return text_format("%s at %zu of %zu points", word, n, p->n);
}

static const char *verdict(const struct points *all_points)
{
	struct points p;
	const char *faster, *slower;

	drop_unknown(&p, all_points);
	if (!p.n)
		return "not measured";
	if (!count(&p, is_faster) && !count(&p, is_slower))
		return "no clear difference";
	faster = count(&p, is_faster) ? where(&p, is_faster, "faster") : NULL;
	slower = count(&p, is_slower) ? where(&p, is_slower, "slower") : NULL;
	return text_format("%s%s%s", faster ? faster : "",
			   faster && slower ? ", " : "", slower ? slower : "");
}

/* Why the way of @row has no value, or NULL. */
static const char *reason(const struct row *row)
{
	return !row			      ? "not measured in this run"
	       : row->all.status == RESULT_OK ? NULL
	       : row->all.reason	      ? row->all.reason
					      : tables_value(&row->all);
}

/* Each point that both ways have, with the ratio of new to old and its 95 %
 * interval; each pair with its verdict. */
static void add_pair(struct table *t, const char *words,
		     const struct points *all_points)
{
	struct points p;

	drop_unknown(&p, all_points);
	for (size_t i = 0; i < p.n; i++) {
		const struct both *x = &p.v[i];

		table_line(t, "", i ? NULL : words, x->at,
			   tables_value(&x->new->all),
			   tables_value(&x->old->all),
			   comparisons_times(&x->ratio),
			   comparisons_interval(&x->ratio),
			   i ? NULL : verdict(&p));
	}
}

/* Points that cannot be compared, by the reason. */
static void add_unknown(struct table *t, const char *words,
			const struct points *p)
{
	for (size_t i = 0; i < p->n; i++) {
		const struct both *x = &p->v[i];
		const char *new = reason(x->new), *old = reason(x->old);
		const char *why = new	? text_format("the new way: %s", new)
				  : old ? text_format("the old way: %s", old)
					: "too few rounds";

		if (!is_known(x))
			table_group(t, "", why, "",
				    *x->at ? text_format("%s, %s", words, x->at)
					   : words);
	}
}

/* Whether the new way of @line has a row. */
static bool has_new(const struct rowtable_line *line, const struct run *run)
{
	const struct section *s = run_section(run, line->field[PROGRAM]);
	const char *value = NULL;
	bool has;

	for (size_t i = 0; s && i < s->n && !value; i++)
		value = value_at(line->field[NEW],
				 run->rows[s->rows[i]].all.name);
	has = value;
	return has;
}

bool pairs_any(const struct rowtable *t, const struct run *run)
{
	const struct rowtable_line *line = NULL;

	while ((line = rowtable_next(t, "pair", line)))
		if (has_new(line, run))
			return true;
	return false;
}

void pairs_write(struct doc *d, const struct rowtable *t, const struct run *run)
{
	const struct rowtable_line *line = NULL;
	struct table known, unknown;

	if (!pairs_any(t, run))
		return;
	table_begin(&known, "new against old|at|new>|old>|new / old>|95 % "
			    "interval>|the new way is");
	table_begin(&unknown, "not compared: reason||points>|which");
	while ((line = rowtable_next(t, "pair", line))) {
		struct points p;

		find_points(&p, line, run);
		add_pair(&known, line->field[WORDS], &p);
		add_unknown(&unknown, line->field[WORDS], &p);
	}
	table_prune(&unknown);
	d->format->heading(d, 2, "pairs", "New way against old way");
	d->format->para(d, prose("pairs", NULL));
	d->format->table(d, &known);
	d->format->table(d, &unknown);
}
