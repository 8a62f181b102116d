/* SPDX-License-Identifier: MIT */
#include <string.h>
#include <unistd.h>

#include "course.h"
#include "figures.h"
#include "sections.h"
#include "text.h"

/* Columns of the table of operations, as bits. */
#define OPERATION   1u
#define ESTIMATES   0x3fu /* the five of the course, with the operation */
#define UP_TO_RATIO 0xffu
#define LIMITER	    0x100u
#define INTERVAL    6 /* a column's number */

enum { LEVEL, TITLE, OPERATIONS, FIGURES, COMPARISONS, HINT };

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

/* Descriptions by the programs that measure these operations. */
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

/* The operations of @ids, all if it is NULL, with some @columns.  Return:
 * whether the last of them has text. */
static bool begin_table(struct table *t, const struct course *c,
			const struct run *run, const char *ids,
			unsigned int columns)
{
	bool any = false;

	course_table(t, c, run, NULL, ids);
	for (size_t i = t->ncolumns; i-- > 0;)
		if (!(columns >> i & 1))
			table_drop(t, i);
	for (size_t i = 1; i <= t->nrows; i++)
		any |= t->cells[i * t->ncolumns - 1] != NULL;
	return any;
}

/* Why that was predicted, and what limits the operations: in one table where
 * both are known of all. */
static void put_reasons(struct doc *d, const struct course *c,
			const struct run *run, const char *ids)
{
	struct table why, limits, both;
	const bool limited =
		begin_table(&limits, c, run, ids, OPERATION | LIMITER);

	course_reasons(&why, c, ids);
	why.caption = "Reasons of the predictions";
	limits.caption = "Limiters: what keeps the operation from being faster";
	if (limited && why.nrows == limits.nrows) {
		table_begin(&both, "operation|why this was predicted|limiter");
		both.caption = "Reasons of the predictions, and limiters: what "
			       "keeps the operation from being faster";
		for (size_t i = 0; i < why.nrows; i++)
			table_line(&both, "", why.cells[2 * i],
				   why.cells[2 * i + 1],
				   limits.cells[2 * i + 1]);
		d->format->table(d, &both);
		return;
	}
	if (why.nrows)
		d->format->table(d, &why);
	if (limited)
		d->format->table(d, &limits);
}

/* The operations of @ids, with the reasons. */
static void put_tables(struct doc *d, const struct course *c,
		       const struct run *run, const char *ids)
{
	struct table t;

	begin_table(&t, c, run, ids, d->paper ? ESTIMATES : UP_TO_RATIO);
	t.caption = "Estimation and results";
	d->format->table(d, &t);
	put_reasons(d, c, run, ids);
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
	t.caption = "Programs and rows that measured the operations";
	for (size_t i = 0; i < c->ops.n; i++) {
		const struct operation *op = &c->ops.v[i];
		const struct row *row = operations_row(op, run);

		table_pair(&t, op->label,
			   text_format("%s %s", op->benchmark,
				       row ? row->all.name : "(not measured)"));
	}
	d->format->table(d, &t);
}

static void put_machine(struct doc *d, const json_t *machine,
			const char *caption)
{
	struct table t;

	sections_machine_table(&t, machine);
	t.caption = caption;
	d->format->table(d, &t);
}

/* The server of the rows of the network. */
static void put_peer(struct doc *d, const struct run *run)
{
	if (run->peer)
		put_machine(d, run->peer, "The server");
	else
		d->format->para(
			d,
			"The server is this machine: its remote operations go "
			"through a pair of virtual network cards (veth) into a "
			"network namespace of the same kernel, so both ends "
			"share its CPUs, and no cable or switch is on the "
			"way.");
}

static void put_compiler(struct doc *d, const struct run *run)
{
	const char *compiler = run_text(run->machine, "compiler");
	const char *flags = run_text(run->machine, "flags");

	d->format->para(
		d,
		text_format("The programs are written in C. They were compiled "
			    "by %s with the flags %s.",
			    compiler ? compiler : "an unknown compiler",
			    flags ? flags : "that are not known"));
}

/* The `reference` lines, one a paragraph, with their numbers. */
static void put_references(struct doc *d, const struct rowtable *table)
{
	const struct rowtable_line *line = NULL;
	unsigned int n = 0;

	while ((line = rowtable_next(table, "reference", line)))
		d->format->para(d, text_format("[%u] %s", ++n,
					       line->n ? line->field[0] : ""));
}

/* @hint, which may have other words for a virtual machine behind a |. */
static const char *words_for(const struct run *run, const char *hint)
{
	const char *under = run_text(run->machine, "hypervisor");
	const char *rest = hint, *hardware = text_split(&rest, '|');

	return rest && under && strcmp(under, "none") != 0 ? rest : hardware;
}

/* A chapter with no operations: a word for what the run knows, or text. */
static void put_hint(struct doc *d, const struct course *c,
		     const struct run *run, const char *hint)
{
	const struct formula_world w = { run, &c->ops, NULL, &c->table, NULL };
	const struct section *files = run_section(run, "file_read");

	if (!strcmp(hint, "machine") && run->machine) {
		put_machine(d, run->machine,
			    "The machine, as it describes itself");
	} else if (!strcmp(hint, "machine")) {
		d->format->para(d, "To be written: this run has no description "
				   "of that machine.");
	} else if (!strcmp(hint, "peer")) {
		put_peer(d, run);
	} else if (!strcmp(hint, "compiler")) {
		put_compiler(d, run);
	} else if (!strcmp(hint, "references")) {
		put_references(d, &c->table);
	} else if (!strcmp(hint, "programs")) {
		put_programs(d, c, run);
	} else if (!strcmp(hint, "disk")) {
		if (files)
			sections_place(d, run, files);
		d->format->para(d, "To be written: model, cache, speed: lsblk "
				   "-o NAME,MODEL,SIZE,ROTA.");
	} else if (rowtable_given(hint)) {
		d->format->para(d, formula_text(words_for(run, hint), &w));
	}
}

static void put_summary(struct doc *d, const struct course *c,
			const struct run *run)
{
	struct table t;

	begin_table(&t, c, run, NULL, UP_TO_RATIO);
	t.caption = "Summary of all operations";
	if (d->paper) {
		table_unbracket(&t, INTERVAL);
		d->format->para(d, "The table on top of the next page has all "
				   "operations.");
	}
	d->format->table(d, &t);
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
	if (!rowtable_given(field[OPERATIONS])) {
		put_hint(d, c, run, field[HINT]);
		return;
	}
	put_methods(d, c, run, field[OPERATIONS]);
	put_tables(d, c, run, field[OPERATIONS]);
	if (rowtable_given(field[FIGURES]))
		put_figures(d, figs, run, field[FIGURES]);
	if (rowtable_given(field[COMPARISONS]))
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
		put_heading(d, line->field, at);
		put_chapter(d, c, run, figs, line->field);
	}
	d->format->end(d);
}
