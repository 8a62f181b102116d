/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "course.h"
#include "figures.h"
#include "sections.h"
#include "text.h"

/* Columns of the table of operations, as bits. */
#define ESTIMATES   0x3fu /* the five of the course, with the operation */
#define UP_TO_RATIO 0xffu
#define INTERVAL    6 /* a column's number */

enum { LEVEL, TITLE, OPERATIONS, FIGURES, COMPARISONS, HINT };

/* Descriptions by the programs that measure these operations. */
static void put_methods(struct doc *d, const struct course *c, const char *ids)
{
	const char *last = "";

	for (size_t i = 0; i < c->ops.n; i++) {
		const struct operation *op = &c->ops.v[i];
		const struct section *s;

		if (!text_glob(ids, op->id) || !strcmp(last, op->benchmark))
			continue;
		last = op->benchmark;
		s = run_section(c->run, last);
		doc_para(d, "Methodology. The program %s answers: %s %s", last,
			 s ? run_known(s->about, "summary", "") : "",
			 s ? "Say in your words how it measures."
			   : "It was not part of this run.");
	}
}

/* The operations of @ids, all if it is NULL, with some @columns. */
static void begin_table(struct table *t, const struct course *c,
			const char *ids, unsigned int columns)
{
	course_table(t, c, NULL, ids);
	for (size_t i = t->ncolumns; i-- > 0;)
		if (!(columns >> i & 1))
			table_drop(t, i);
}

/* Why that was predicted, and what limits the operations. */
static void put_reasons(struct doc *d, const struct course *c, const char *ids)
{
	struct table t;

	table_begin(&t, "operation|why this was predicted|limiter");
	t.caption = "Reasons of the predictions, and limiters";
	for (size_t i = 0; i < c->ops.n; i++) {
		const struct operation *op = &c->ops.v[i];
		const char *why = course_reason(op);
		const char *limiter =
			course_limiter(c, op, operations_row(op, c->run));

		if (text_glob(ids, op->id) && (why || limiter))
			table_line(&t, "", op->label, why, limiter);
	}
	table_prune(&t);
	doc_table(d, &t, NULL);
}

/* The operations of @ids, with the reasons. */
static void put_tables(struct doc *d, const struct course *c, const char *ids)
{
	struct table t;

	begin_table(&t, c, ids, ESTIMATES);
	t.caption = "Estimation and results";
	doc_table(d, &t, NULL);
	put_reasons(d, c, ids);
}

/* Those whose pictures were drawn, with the first sentence of their captions:
 * a paper has no room for more. */
static void put_figures(struct doc *d, const struct run *run, const char *ids)
{
	for (size_t i = 0; i < run->figs->n; i++) {
		const struct figure *f = &run->figs->v[i];
		const char *path = figures_path(run, f->id, "pdf");
		const char *end = strstr(f->caption, ". ");
		const size_t len = end ? (size_t)(end - f->caption) + 1
				       : strlen(f->caption);

		if (text_glob(ids, f->id) && !access(path, R_OK))
			doc_figure(d, f->id,
				   text_format("%.*s", (int)len, f->caption));
	}
}

/* Which program and row measured each operation. */
static void put_programs(struct doc *d, const struct course *c)
{
	struct table t;

	table_begin(&t, "operation|program and row");
	t.caption = "Programs and rows that measured the operations";
	for (size_t i = 0; i < c->ops.n; i++) {
		const struct operation *op = &c->ops.v[i];
		const struct row *row = operations_row(op, c->run);

		table_line(&t, "", op->label,
			   text_format("%s %s", op->benchmark,
				       row ? row->all.name : "(not measured)"));
	}
	doc_table(d, &t, NULL);
}

/* A machine; the text of that id if it is not known. */
static void put_machine(struct doc *d, const json_t *machine,
			const char *caption, const char *otherwise)
{
	struct table t;

	if (!machine) {
		doc_prose(d, otherwise);
		return;
	}
	sections_machine_table(&t, machine);
	t.caption = caption;
	doc_table(d, &t, NULL);
}

/* The `reference` lines, one a paragraph, with their numbers. */
static void put_references(struct doc *d, const struct run *run)
{
	const struct rowtable_line *line = NULL;
	unsigned int n = 0;

	while ((line = rowtable_next(&run->suite, "reference", line)))
		doc_para(d, "[%u] %s", ++n, line->n ? line->field[0] : "");
}

/* @hint, which may have other words for a virtual machine behind a |. */
static const char *words_for(const struct run *run, const char *hint)
{
	const char *under = run_text(run->machine, "hypervisor");
	const char *rest = hint, *hardware = text_split(&rest, '|');

	return rest && under && strcmp(under, "none") != 0 ? rest : hardware;
}

/* A chapter with no operations: a word for what the run knows, or text. */
static void put_hint(struct doc *d, const struct course *c, const char *hint)
{
	const struct run *run = c->run;
	const struct formula_world w = { run, &c->ops, NULL, NULL };
	const struct section *files = run_section(run, "file_read");

	if (!strcmp(hint, "machine")) {
		put_machine(d, run->machine,
			    "The machine, as it describes itself",
			    "course-machine");
	} else if (!strcmp(hint, "peer")) {
		put_machine(d, run->peer, "The server", "course-server");
	} else if (!strcmp(hint, "references")) {
		put_references(d, run);
	} else if (!strcmp(hint, "programs")) {
		put_programs(d, c);
	} else if (!strcmp(hint, "disk")) {
		if (files)
			sections_place(d, files);
		doc_prose(d, "course-disk");
	} else if (rowtable_given(hint)) {
		doc_paragraph(d, formula_text(words_for(run, hint), &w));
	}
}

static void put_summary(struct doc *d, const struct course *c)
{
	struct table t;

	begin_table(&t, c, NULL, UP_TO_RATIO);
	t.caption = "Summary of all operations";
	table_unbracket(&t, INTERVAL);
	doc_prose(d, "course-summary");
	doc_table(d, &t, NULL);
}

static void put_chapter(struct doc *d, const struct course *c,
			const char *const *field)
{
	if (!strcmp(field[OPERATIONS], "all")) {
		put_summary(d, c);
		return;
	}
	if (!rowtable_given(field[OPERATIONS])) {
		put_hint(d, c, field[HINT]);
		return;
	}
	put_methods(d, c, field[OPERATIONS]);
	put_tables(d, c, field[OPERATIONS]);
	if (rowtable_given(field[FIGURES]))
		put_figures(d, c->run, field[FIGURES]);
	if (rowtable_given(field[COMPARISONS]))
		comparisons_write(d, c, field[COMPARISONS]);
	doc_prose(d, "course-discussion", "hint", field[HINT]);
}

void course_skeleton(struct doc *d, const struct course *c)
{
	const struct rowtable_line *line = NULL;

	doc_begin(
		d,
		"Project Report: What Operations of an Operating System Cost");
	while ((line = rowtable_next(&c->run->suite, "chapter", line))) {
		if (atoi(line->field[LEVEL]) > 1)
			doc_fold(d, "", line->field[TITLE]);
		else
			doc_heading(d, "", line->field[TITLE]);
		put_chapter(d, c, line->field);
	}
	doc_end(d);
}
