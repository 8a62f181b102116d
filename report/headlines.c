/* SPDX-License-Identifier: MIT */
#include "headlines.h"

#include <stdlib.h>
#include <string.h>

#include "noise.h"
#include "quiet.h"
#include "tables.h"
#include "text.h"
#include "units.h"

#define FIRST_ROWS 25 /* of a run without any row of the list */
#define WIDTH	   80 /* of a line on a terminal */

enum { COL_GROUP, COL_WHAT, COL_VALUE, COL_INTERVAL, COL_GRADE, COLUMNS };

void headlines_read(struct headlines *h, const char *root)
{
	char *path = text_format("%s/plots/headlines.tsv", root);
	FILE *f = fopen(path, "r");
	char *line = NULL;
	size_t room = 0;

	*h = (struct headlines) { 0 };
	free(path);
	if (!f)
		return;
	while (getline(&line, &room, f) > 0) {
		char *rest = line, *field[5];

		line[strcspn(line, "\n")] = '\0';
		if (*line == '#')
			continue;
		for (size_t i = 0; i < 5; i++)
			field[i] = strsep(&rest, "\t");
		if (!field[3])
			continue;
		h->v = text_grow(h->v, h->n, sizeof(*h->v));
		h->v[h->n++] = (struct headline) {
			text_copy(field[0]), text_copy(field[1]),
			text_copy(field[2]), text_copy(field[3]),
			text_copy(field[4]),
		};
	}
	free(line);
	fclose(f);
}

void headlines_free(struct headlines *h)
{
	for (size_t i = 0; i < h->n; i++) {
		free(h->v[i].group);
		free(h->v[i].program);
		free(h->v[i].name);
		free(h->v[i].label);
		free(h->v[i].size);
	}
	free(h->v);
	*h = (struct headlines) { 0 };
}

/* The last row of @s that is called @name: of several numbers of CPUs all. */
static const struct row *find(const struct run *run, const struct section *s,
			      const char *name)
{
	for (size_t i = s->n; i-- > 0;)
		if (text_glob(name, run->rows[s->rows[i]].all.name))
			return &run->rows[s->rows[i]];
	return NULL;
}

static void add_row(struct table *t, const char *group, const struct row *row,
		    char *label)
{
	const struct result *r = &row->all;
	bool ok = r->status == RESULT_OK;

	table_row(t, ok ? "" : result_status_name(r->status));
	table_cell(t, COL_GROUP, text_copy(group));
	table_cell(t, COL_WHAT, label);
	table_cell(t, COL_VALUE, tables_value(r));
	table_cell(t, COL_INTERVAL,
		   ok || r->status == RESULT_BELOW_RESOLUTION
			   ? tables_interval(r, true)
			   : text_copy(r->reason));
	table_cell(t, COL_GRADE, text_copy(r->grade));
}

/* A program that ended without any row: what run-all says of it. */
static void add_absent(struct table *t, const struct run *run,
		       const struct headline *h, const char *reason)
{
	table_row(t, "failed");
	table_cell(t, COL_GROUP, text_copy(h->group));
	table_cell(t, COL_WHAT, text_copy(h->label));
	table_cell(t, COL_VALUE, text_copy("no row"));
	for (size_t i = 0; i < run->ntroubles; i++)
		if (!strcmp(run->troubles[i].program, h->program))
			reason = run->troubles[i].reason;
	table_cell(t, COL_INTERVAL, text_copy(reason));
}

static char *label_of(const struct run *run, const struct section *s,
		      const struct headline *h)
{
	const struct row *size = h->size ? find(run, s, h->size) : NULL;
	char buf[UNITS_MAX];

	if (!size || size->all.status != RESULT_OK)
		return text_copy(h->label);
	return text_format("%s, %s", h->label,
			   units_format(buf, size->all.value, size->all.unit));
}

static void add_headline(struct table *t, const struct run *run,
			 const struct headline *h)
{
	const struct section *s = run_section(run, h->program);
	const struct row *row = s ? find(run, s, h->name) : NULL;

	if (row)
		add_row(t, h->group, row, label_of(run, s, h));
	else if (s)
		add_absent(t, run, h, "not among the rows of this run");
}

void headlines_table(struct table *t, const struct headlines *h,
		     const struct run *run)
{
	*t = (struct table) { 0 };
	table_column(t, "", false);
	table_column(t, "operation", false);
	table_column(t, "value", true);
	table_column(t, "95 % interval", true);
	table_column(t, "grade", false);
	for (size_t i = 0; i < h->n; i++)
		add_headline(t, run, &h->v[i]);
	if (t->nrows)
		return;
	for (size_t i = 0; i < run->nrows && i < FIRST_ROWS; i++)
		add_row(t, run->rows[i].all.benchmark, &run->rows[i],
			text_copy(run->rows[i].all.name));
}

char *headlines_quality(const struct run *run)
{
	char share[UNITS_MAX], *text;
	struct quiet q;

	quiet_sum(&q, run);
	if (q.n)
		text = text_format(
			"noise: grade %c on CPU %d: others took %s of its "
			"time; more in Findings",
			noise_grade(quiet_share(&q.v[0])), q.v[0].cpu,
			units_percent(share, quiet_share(&q.v[0])));
	else
		text = text_copy("noise: no certificate; each row has its own "
				 "grade; more in Findings");
	quiet_free(&q);
	return text;
}

/* @text in @width columns. */
static void put_cell(FILE *f, const char *text, size_t width, bool right)
{
	char *part = text_cut(text ? text : "", width);
	int pad = (int)(width - units_width(part));

	fprintf(f, "%*s", right ? pad : 0, "");
	text_plain(f, part);
	fprintf(f, "%*s", right ? 0 : pad, "");
	free(part);
}

/* Widest cell of @column, at most @max. */
static size_t widest(const struct table *t, size_t column, size_t max)
{
	size_t width = 0;

	for (size_t i = 0; i < t->nrows; i++) {
		const char *cell = t->cells[i * t->ncolumns + column];
		size_t w = cell ? units_width(cell) : 0;

		width = w > width ? w : width;
	}
	return width < max ? width : max;
}

static void put_table(FILE *f, const struct table *t)
{
	size_t group = widest(t, COL_GROUP, WIDTH / 5);
	size_t value = widest(t, COL_VALUE, WIDTH / 6);
	size_t what = widest(t, COL_WHAT, WIDTH - group - value - 32);
	const char *before = "";

	for (size_t i = 0; i < t->nrows; i++) {
		char **cells = &t->cells[i * t->ncolumns];
		bool again = !strcmp(before, cells[COL_GROUP]);
		char *rest =
			text_cut(cells[COL_INTERVAL] ? cells[COL_INTERVAL] : "",
				 WIDTH - group - what - value - 4);

		before = cells[COL_GROUP];
		put_cell(f, again ? "" : before, group, false);
		fputc(' ', f);
		put_cell(f, cells[COL_WHAT], what, false);
		fputc(' ', f);
		put_cell(f, cells[COL_VALUE], value, true);
		fputs(*rest ? "  " : "", f);
		text_plain(f, rest);
		fputc('\n', f);
		free(rest);
	}
}

void headlines_print(FILE *f, const struct headlines *h, const struct run *run)
{
	char *quality = headlines_quality(run);
	struct table t;

	headlines_table(&t, h, run);
	put_table(f, &t);
	table_free(&t);
	fprintf(f, "%s\n\n", quality);
	free(quality);
	quiet_print_causes(f, run);
	for (size_t i = 0; i < run->notes->n; i++) {
		fputs("warning: ", f);
		text_plain(f, run->notes->v[i].text);
		if (run->notes->v[i].remedy) {
			fputs(": ", f);
			text_plain(f, run->notes->v[i].remedy);
		}
		fputc('\n', f);
	}
}
