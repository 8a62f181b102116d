/* SPDX-License-Identifier: MIT */
#include <string.h>
#include <unistd.h>

#include "course.h"
#include "figures.h"
#include "sections.h"
#include "text.h"

#define COURSE_PAGE 8 /* columns of the table up to measured / predicted */

/* Columns that a paper has in its summary only: base hardware, software
 * overhead, interval; from the right. */
static const size_t summary_only[] = { 6, 2, 1 };

enum { LEVEL, TITLE, OPERATIONS, FIGURES, COMPARISONS, HINT, FIELDS };

static bool given(const char *field)
{
	return strcmp(field, "-") != 0;
}

/* "3.4 System Call" where the format does not number. */
static void put_heading(struct doc *d, const char *const *field,
			unsigned int at[2])
{
	const bool top = !strcmp(field[LEVEL], "1");

	at[0] += top;
	at[1] = top ? 0 : at[1] + 1;
	d->format->heading(d, top ? 2 : 3, NULL,
			   d->paper ? field[TITLE]
			   : top    ? text_format("%u %s", at[0], field[TITLE])
				    : text_format("%u.%u %s", at[0], at[1],
						  field[TITLE]));
}

/* What the programs that measure these operations say of themselves. */
static void put_methods(struct doc *d, const struct course *c,
			const struct run *run, const char *ids)
{
	const char *last = "";

	for (size_t i = 0; i < c->ops.n; i++) {
		const struct operation *op = &c->ops.v[i];
		const struct section *s;
		const char *summary;

		if (!text_glob(ids, op->id) || !strcmp(last, op->benchmark))
			continue;
		last = op->benchmark;
		s = run_section(run, last);
		summary = s ? run_text(s->about, "summary") : NULL;
		d->format->para(
			d, text_format(
				   "Methodology. The program %s answers: %s %s",
				   last, summary ? summary : "",
				   s ? "Say in your words how it measures."
				     : "It was not part of this run."));
	}
}

/* The operations of @ids, with the reasons; or, if it is NULL, all of them. */
static void put_tables(struct doc *d, const struct course *c,
		       const struct run *run, const char *ids)
{
	struct table t;

	course_table(&t, c, run, NULL, ids);
	/* As many columns as a page that stands upright has room for. */
	while (t.ncolumns > COURSE_PAGE)
		table_drop(&t, t.ncolumns - 1);
	for (size_t i = 0; ids && d->paper && i < 3; i++)
		table_drop(&t, summary_only[i]);
	if (!ids && d->paper)
		table_unbracket(&t, summary_only[0]);
	t.caption = ids ? "Estimation and results" : "Summary";
	d->format->table(d, &t);
	if (!ids)
		return;
	course_reasons(&t, c, ids);
	if (t.nrows)
		d->format->table(d, &t);
}

/* A paper has no room for more than the first sentence of a caption. */
static void put_figure(struct doc *d, const struct figure *f)
{
	const char *end = strstr(f->caption, ". ");

	d->format->figure(d, f->id,
			  d->paper && end
				  ? text_format("%.*s",
						(int)(end - f->caption + 1),
						f->caption)
				  : f->caption);
}

/* Those whose pictures were drawn. */
static void put_figures(struct doc *d, const struct figures *figs,
			const struct run *run, const char *ids)
{
	for (size_t i = 0; i < figs->n; i++) {
		const struct figure *f = &figs->v[i];
		const char *path = text_format("%s/" FIGURES_DIR "/%s.pdf",
					       run->dir, f->id);

		if (text_glob(ids, f->id) && !access(path, R_OK))
			put_figure(d, f);
	}
}

/* Which program and row measured each operation. */
static void put_programs(struct doc *d, const struct course *c,
			 const struct run *run)
{
	struct table t;

	table_begin(&t, "operation|program and row");
	for (size_t i = 0; i < c->ops.n; i++) {
		const struct operation *op = &c->ops.v[i];
		const struct row *row = operations_row(op, run);

		table_pair(&t, op->label,
			   text_format("%s %s", op->benchmark,
				       row ? row->all.name : "(not measured)"));
	}
	d->format->table(d, &t);
}

static void put_machine(struct doc *d, const json_t *machine)
{
	struct table t;

	if (!machine) {
		d->format->para(d, "To be written: this run has no description "
				   "of that machine.");
		return;
	}
	sections_machine_table(&t, machine);
	d->format->table(d, &t);
}

/* A chapter with no operations: a word for what the run knows, or text. */
static void put_hint(struct doc *d, const struct course *c,
		     const struct run *run, const char *hint)
{
	const struct formula_world w = { run, &c->ops, NULL, &c->table, NULL };
	const struct section *files = run_section(run, "file_read");

	if (!strcmp(hint, "machine")) {
		put_machine(d, run->machine);
	} else if (!strcmp(hint, "peer")) {
		put_machine(d, run->peer);
	} else if (!strcmp(hint, "programs")) {
		put_programs(d, c, run);
	} else if (!strcmp(hint, "disk")) {
		if (files)
			sections_place(d, run, files);
		d->format->para(d, "To be written: model, cache, speed: lsblk "
				   "-o NAME,MODEL,SIZE,ROTA.");
	} else if (given(hint)) {
		d->format->para(d, formula_text(hint, &w));
	}
}

static void put_summary(struct doc *d, const struct course *c,
			const struct run *run)
{
	struct table t;

	put_tables(d, c, run, NULL);
	/* A paper to be handed in is of this machine. */
	if (d->paper)
		return;
	course_2017(&t, c, run);
	d->format->table(d, &t);
}

static void put_chapter(struct doc *d, const struct course *c,
			const struct run *run, const struct figures *figs,
			const char *const *field)
{
	if (!strcmp(field[OPERATIONS], "all")) {
		put_summary(d, c, run);
		return;
	}
	if (!given(field[OPERATIONS])) {
		put_hint(d, c, run, field[HINT]);
		return;
	}
	put_methods(d, c, run, field[OPERATIONS]);
	put_tables(d, c, run, field[OPERATIONS]);
	if (given(field[FIGURES]))
		put_figures(d, figs, run, field[FIGURES]);
	if (given(field[COMPARISONS]))
		comparisons_write(d, &c->table, &c->ops, run,
				  field[COMPARISONS]);
	d->format->para(d,
			text_format("Discussion. To be written: %s Where "
				    "measured and predicted differ, say why.",
				    field[HINT]));
}

void course_skeleton(struct doc *d, const struct course *c,
		     const struct run *run, const struct figures *figs)
{
	const struct rowtable_line *line = NULL;
	unsigned int at[2] = { 0, 0 };

	d->paper = d->format == &doc_tex;
	d->format->begin(
		d,
		"Project Report: What Operations of an Operating System Cost");
	while ((line = rowtable_next(&c->table, "chapter", line))) {
		if (line->n != FIELDS)
			continue;
		put_heading(d, line->field, at);
		put_chapter(d, c, run, figs, line->field);
	}
	d->format->end(d);
}
