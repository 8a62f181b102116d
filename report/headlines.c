/* SPDX-License-Identifier: MIT */
#include "headlines.h"

#include <stdlib.h>
#include <string.h>

#include "quiet.h"
#include "tables.h"
#include "text.h"
#include "units.h"

#define FIRST_ROWS 5  /* of a program that has no headlines */
#define MAX_WIDTH  60 /* of a column on a terminal */
#define MAX_ROWS   14 /* of one program */

enum { COL_PROGRAM, COL_WHAT, COL_VALUE, COL_INTERVAL, COL_GRADE };

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
		char *rest = line, *benchmark, *name, *label;

		line[strcspn(line, "\n")] = '\0';
		benchmark = strsep(&rest, "\t");
		name = strsep(&rest, "\t");
		label = strsep(&rest, "\t");
		if (*line == '#' || !label)
			continue;
		h->v = text_grow(h->v, h->n, sizeof(*h->v));
		h->v[h->n++] =
			(struct headline) { text_copy(benchmark),
					    text_copy(name), text_copy(label) };
	}
	free(line);
	fclose(f);
}

void headlines_free(struct headlines *h)
{
	for (size_t i = 0; i < h->n; i++) {
		free(h->v[i].benchmark);
		free(h->v[i].name);
		free(h->v[i].label);
	}
	free(h->v);
	*h = (struct headlines) { 0 };
}

static void add_row(struct table *t, const struct row *row, const char *label)
{
	const struct result *r = &row->all;

	table_row(t,
		  r->status == RESULT_OK ? "" : result_status_name(r->status));
	table_cell(t, COL_PROGRAM, text_copy(r->benchmark));
	table_cell(t, COL_WHAT, text_copy(label));
	table_cell(t, COL_VALUE, tables_value(r));
	table_cell(t, COL_INTERVAL, tables_interval(r, true));
	table_cell(t, COL_GRADE, text_copy(r->grade));
}

static size_t add_chosen(struct table *t, const struct headlines *h,
			 const struct run *run, const struct section *s)
{
	size_t shown = 0;

	for (size_t i = 0; i < h->n; i++) {
		if (strcmp(h->v[i].benchmark, s->program) != 0)
			continue;
		for (size_t j = 0; j < s->n && shown < MAX_ROWS; j++) {
			const struct row *row = &run->rows[s->rows[j]];
			bool named = *h->v[i].label &&
				     strcmp(h->v[i].label, "-") != 0;

			if (!text_glob(h->v[i].name, row->all.name))
				continue;
			add_row(t, row, named ? h->v[i].label : row->all.name);
			shown++;
		}
	}
	return shown;
}

/* A program without a row: what run-all says of it. */
static void add_absent(struct table *t, const struct run *run,
		       const struct section *s)
{
	table_row(t, "failed");
	table_cell(t, COL_PROGRAM, text_copy(s->program));
	table_cell(t, COL_VALUE, text_copy("no row"));
	for (size_t i = 0; i < run->ntroubles; i++) {
		const struct trouble *x = &run->troubles[i];

		if (strcmp(x->program, s->program) != 0)
			continue;
		table_cell(t, COL_WHAT, text_copy(x->reason));
		table_cell(t, COL_VALUE, tables_exit(x->exit_status));
	}
}

static void add_section(struct table *t, const struct headlines *h,
			const struct run *run, const struct section *s)
{
	if (add_chosen(t, h, run, s))
		return;
	for (size_t j = 0; j < s->n && j < FIRST_ROWS; j++)
		add_row(t, &run->rows[s->rows[j]],
			run->rows[s->rows[j]].all.name);
	if (!s->n)
		add_absent(t, run, s);
}

static void fill_table(struct table *t, const struct headlines *h,
		       const struct run *run)
{
	*t = (struct table) { 0 };
	table_column(t, "program", false);
	table_column(t, "operation", false);
	table_column(t, "value", true);
	table_column(t, "95 % interval", true);
	table_column(t, "grade", false);
	for (size_t i = 0; i < run->nsections; i++)
		add_section(t, h, run, &run->sections[i]);
}

void headlines_table(struct table *t, const struct headlines *h,
		     const struct run *run)
{
	fill_table(t, h, run);
	/* On a phone two columns of names would leave no room for values. */
	for (size_t i = 0; i < t->nrows; i++) {
		char **cells = &t->cells[i * t->ncolumns];
		char *both =
			text_format("%s: %s", cells[COL_PROGRAM],
				    cells[COL_WHAT] ? cells[COL_WHAT] : "");

		free(cells[COL_PROGRAM]);
		free(cells[COL_WHAT]);
		cells[COL_PROGRAM] = both;
		cells[COL_WHAT] = NULL;
	}
	free(t->columns[COL_PROGRAM].head);
	t->columns[COL_PROGRAM].head = text_copy("operation");
	table_prune(t);
}

/* @text cut to MAX_WIDTH columns: a new string. */
static char *cut(const char *text)
{
	const char *end = text;

	for (size_t n = 0; *end && n < MAX_WIDTH - 1; n++)
		do
			end++;
		while (((unsigned char)*end & 0xc0) == 0x80);
	return text_format("%.*s%s", (int)(end - text), text, *end ? "…" : "");
}

/* A cell in @width columns. */
static void put_cell(FILE *f, const char *text, size_t width, bool right)
{
	char *part = cut(text ? text : "");
	size_t used = units_width(part);
	int pad = used < width ? (int)(width - used) : 0;

	if (right)
		fprintf(f, "%*s", pad, "");
	text_plain(f, part);
	free(part);
	if (!right)
		fprintf(f, "%*s", pad, "");
}

static void put_table(FILE *f, const struct table *t)
{
	size_t width[8] = { 0 };
	const char *program = "";

	for (size_t i = 0; i < t->nrows * t->ncolumns; i++) {
		size_t w = units_width(t->cells[i] ? t->cells[i] : "");

		if (w > MAX_WIDTH)
			w = MAX_WIDTH;
		if (w > width[i % t->ncolumns])
			width[i % t->ncolumns] = w;
	}
	for (size_t i = 0; i < t->nrows; i++) {
		char **cells = &t->cells[i * t->ncolumns];

		if (cells[COL_PROGRAM] &&
		    strcmp(program, cells[COL_PROGRAM]) != 0) {
			program = cells[COL_PROGRAM];
			fputc('\n', f);
			text_plain(f, program);
			fputc('\n', f);
		}
		fputs("  ", f);
		put_cell(f, cells[COL_WHAT], width[COL_WHAT], false);
		fputs("  ", f);
		put_cell(f, cells[COL_VALUE], width[COL_VALUE], true);
		fputs("  ", f);
		put_cell(f, cells[COL_INTERVAL], width[COL_INTERVAL], true);
		fputs("  ", f);
		text_plain(f, cells[COL_GRADE]);
		fputc('\n', f);
	}
}

void headlines_print(FILE *f, const struct headlines *h, const struct run *run)
{
	struct table t;

	fill_table(&t, h, run);
	put_table(f, &t);
	table_free(&t);
	quiet_print(f, run);
	for (size_t i = 0; i < run->notes->n; i++) {
		fputs(i ? "" : "\n", f);
		fputs("warning: ", f);
		text_plain(f, run->notes->v[i].text);
		if (run->notes->v[i].remedy) {
			fputs(": ", f);
			text_plain(f, run->notes->v[i].remedy);
		}
		fputc('\n', f);
	}
}
