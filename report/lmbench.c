/* SPDX-License-Identifier: MIT */
#include "sections.h"

#include <stdlib.h>
#include <string.h>

#include "doc.h"
#include "load.h"
#include "rowtable.h"
#include "text.h"

#define FIELDS 5

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
	const struct lmbench_line *x = a, *y = b;
	const long gx = strtol(x->group, NULL, 10),
		   gy = strtol(y->group, NULL, 10);

	if (gx != gy)
		return gx < gy ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
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
		l->v = text_grow(l->v, l->n, sizeof(*l->v));
		l->v[l->n] = (struct lmbench_line) {
			line->field[0],
			line->field[1],
			line->field[2],
			line->field[3],
			strcmp(line->field[4], "-") ? line->field[4] : NULL,
			l->n,
		};
		l->n++;
	}
	if (l->n)
		qsort(l->v, l->n, sizeof(*l->v), by_group);
}

static const struct row *find(const struct lmbench_line *l,
			      const struct run *run)
{
	return run_pick(run, l->benchmark, l->cases);
}

static void add_line(struct table *t, const struct lmbench_line *l,
		     const struct row *row)
{
	const struct result *r = row ? &row->all : NULL;

	table_row(t, r && r->status != RESULT_OK ? result_status_name(r->status)
						 : "");
	table_cell(t, COL_NAME, l->name);
	table_cell(t, COL_VALUE, r ? tables_value(r) : "not measured");
	if (r) {
		table_cell(t, COL_INTERVAL, tables_interval(r));
		table_cell(t, COL_GRADE, r->grade);
	}
	table_cell(t, COL_SOURCE,
		   r ? text_format("%s: %s", l->benchmark, r->name)
		     : l->benchmark);
	table_cell(t, COL_REMARK, l->remark);
}

/* The lines of the group that begins at @first; *@next is the one after them.
 * Return: how many were measured. */
static size_t fill(struct table *t, const struct lmbench *l,
		   const struct run *run, size_t first, size_t *next)
{
	const char *group = l->v[first].group;
	size_t measured = 0, i;

	table_begin(t, "operation|value>|95 % interval>|grade|measured by|not "
		       "as lmbench");
	for (i = first; i < l->n && !strcmp(l->v[i].group, group); i++) {
		const struct row *row = find(&l->v[i], run);

		measured += row != NULL;
		add_line(t, &l->v[i], row);
	}
	t->caption = group + strspn(group, "0123456789 ");
	*next = i;
	return measured;
}

bool lmbench_any(const struct lmbench *l, const struct run *run)
{
	for (size_t i = 0; i < l->n; i++)
		if (find(&l->v[i], run))
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
