/* SPDX-License-Identifier: MIT */
#include "sections.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "doc.h"
#include "load.h"
#include "rowtable.h"
#include "text.h"

/* The fields of an `lmbench` line; a group is "2 Context switching": the number
 * says where it stands. */
enum { GROUP, NAME, PROGRAM, CASES, REMARK };

#define COL_SOURCE 4

static const struct row *find(const struct rowtable_line *l,
			      const struct run *run)
{
	return run_pick(run, l->field[PROGRAM], l->field[CASES]);
}

static void add_line(struct table *t, const struct rowtable_line *l,
		     const struct row *row)
{
	const struct result *r = row ? &row->all : NULL;

	table_line(t, r ? tables_mark(r) : "", l->field[NAME],
		   r ? tables_value(r) : "not measured",
		   r ? tables_interval(r) : NULL, r ? r->grade : NULL,
		   r ? text_format("%s: %s", l->field[PROGRAM], r->name)
		     : l->field[PROGRAM],
		   rowtable_given(l->field[REMARK]));
}

/* The number of the group after @last, LONG_MAX if that was the last one. */
static long next_group(const struct rowtable *t, long last)
{
	const struct rowtable_line *l = NULL;
	long next = LONG_MAX;

	while ((l = rowtable_next(t, "lmbench", l))) {
		const long group = strtol(l->field[GROUP], NULL, 10);

		if (group > last && group < next)
			next = group;
	}
	return next;
}

/* The lines of a group.  Return: how many were measured. */
static size_t fill(struct table *table, const struct rowtable *t,
		   const struct run *run, long group)
{
	const struct rowtable_line *l = NULL;
	size_t measured = 0;

	table_begin(table, "operation|value>|95 % interval>|grade|measured by|"
			   "not as lmbench");
	while ((l = rowtable_next(t, "lmbench", l))) {
		char *name;
		const struct row *row = find(l, run);

		if (strtol(l->field[GROUP], &name, 10) != group)
			continue;
		measured += row != NULL;
		add_line(table, l, row);
		table->caption = name + strspn(name, " ");
	}
	return measured;
}

bool lmbench_any(const struct rowtable *t, const struct run *run)
{
	const struct rowtable_line *l = NULL;

	while ((l = rowtable_next(t, "lmbench", l)))
		if (find(l, run))
			return true;
	return false;
}

void lmbench_write(struct doc *d, const struct rowtable *t,
		   const struct run *run)
{
	struct table table;
	long group = -1;

	if (!lmbench_any(t, run))
		return;
	d->format->heading(d, 2, "lmbench", "In the groups of lmbench");
	d->format->para(d, prose("lmbench", NULL));
	while ((group = next_group(t, group)) < LONG_MAX) {
		if (!fill(&table, t, run, group))
			continue;
		/* A terminal has no room for the names of cases. */
		if (!d->dir) {
			table_drop(&table, COL_SOURCE);
			table_prune(&table);
		}
		d->format->table(d, &table);
	}
}
