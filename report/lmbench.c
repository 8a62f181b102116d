/* SPDX-License-Identifier: MIT */
#include "sections.h"

#include <stdlib.h>
#include <string.h>

#include "doc.h"
#include "load.h"
#include "rowtable.h"
#include "text.h"

enum { GROUP, NAME, PROGRAM, CASES, REMARK, FIELDS };

enum {
	COL_NAME,
	COL_VALUE,
	COL_INTERVAL,
	COL_GRADE,
	COL_SOURCE,
	COL_REMARK,
};

/* "2 Context switching": the number says where the group stands. */
static int by_group(const void *a, const void *b)
{
	const struct rowtable_line *x = *(const struct rowtable_line *const *)a;
	const struct rowtable_line *y = *(const struct rowtable_line *const *)b;
	const long gx = strtol(x->field[GROUP], NULL, 10),
		   gy = strtol(y->field[GROUP], NULL, 10);

	return gx != gy ? (gx > gy) - (gx < gy) : (x > y) - (x < y);
}

void lmbench_read(struct lmbench *l, const char *root)
{
	const struct rowtable_line *line = NULL;
	struct rowtable table;

	*l = (struct lmbench) { 0 };
	rowtable_read(&table, root);
	while ((line = rowtable_next(&table, "lmbench", line))) {
		if (line->n != FIELDS)
			continue;
		/* NOLINTNEXTLINE(bugprone-sizeof-expression): of pointers */
		l->v = text_grow(l->v, l->n, sizeof(*l->v));
		l->v[l->n++] = line;
	}
	if (l->n)
		/* NOLINTNEXTLINE(bugprone-sizeof-expression): the same */
		qsort(l->v, l->n, sizeof(*l->v), by_group);
}

static const struct row *find(const struct rowtable_line *l,
			      const struct run *run)
{
	return run_pick(run, l->field[PROGRAM], l->field[CASES]);
}

static void add_line(struct table *t, const struct rowtable_line *l,
		     const struct row *row)
{
	const struct result *r = row ? &row->all : NULL;

	table_row(t, r && r->status != RESULT_OK ? result_status_name(r->status)
						 : "");
	table_cell(t, COL_NAME, l->field[NAME]);
	table_cell(t, COL_VALUE, r ? tables_value(r) : "not measured");
	if (r) {
		table_cell(t, COL_INTERVAL, tables_interval(r));
		table_cell(t, COL_GRADE, r->grade);
	}
	table_cell(t, COL_SOURCE,
		   r ? text_format("%s: %s", l->field[PROGRAM], r->name)
		     : l->field[PROGRAM]);
	table_cell(t, COL_REMARK,
		   strcmp(l->field[REMARK], "-") != 0 ? l->field[REMARK]
						      : NULL);
}

/* The lines of the group that begins at @first; *@next is the one after them.
 * Return: how many were measured. */
static size_t fill(struct table *t, const struct lmbench *l,
		   const struct run *run, size_t first, size_t *next)
{
	const char *group = l->v[first]->field[GROUP];
	size_t measured = 0, i;

	table_begin(t, "operation|value>|95 % interval>|grade|measured by|not "
		       "as lmbench");
	for (i = first; i < l->n && !strcmp(l->v[i]->field[GROUP], group);
	     i++) {
		const struct row *row = find(l->v[i], run);

		measured += row != NULL;
		add_line(t, l->v[i], row);
	}
	t->caption = group + strspn(group, "0123456789 ");
	*next = i;
	return measured;
}

bool lmbench_any(const struct lmbench *l, const struct run *run)
{
	for (size_t i = 0; i < l->n; i++)
		if (find(l->v[i], run))
			return true;
	return false;
}

void lmbench_write(struct doc *d, const struct lmbench *l,
		   const struct run *run)
{
	if (!lmbench_any(l, run))
		return;
	d->format->heading(d, 2, "lmbench", "In the groups of lmbench");
	d->format->para(d, prose("lmbench", NULL));
	for (size_t i = 0; i < l->n;) {
		struct table t;

		if (!fill(&t, l, run, i, &i))
			continue;
		/* A terminal has no room for the names of cases. */
		if (!d->dir) {
			table_drop(&t, COL_SOURCE);
			table_prune(&t);
		}
		d->format->table(d, &t);
	}
}
