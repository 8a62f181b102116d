/* SPDX-License-Identifier: MIT */
#include "sections.h"

#include <math.h>
#include <string.h>

#include "course.h"
#include "doc.h"
#include "load.h"
#include "text.h"

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
		const struct row *a = &run->rows[s->rows[i]], *b;
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
			   comparisons_times(&r), comparisons_interval(&r),
			   verdict(&r));
		words = NULL;
	}
}

bool pairs_fill(struct table *t, const struct rowtable *rows,
		const struct run *run)
{
	const struct rowtable_line *line = NULL;

	table_begin(t, "new against old|at|new>|old>|new / old>|95 % interval>|"
		       "the new way is");
	while ((line = rowtable_next(rows, "pair", line)))
		add_pair(t, line, run);
	return t->nrows;
}
