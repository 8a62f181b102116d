/* SPDX-License-Identifier: MIT */
#include "sections.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "grade.h"
#include "load.h"
#include "text.h"

#define OTHERS	  "Other programs"
#define MISTAKES  "mistakes" /* the program of the lab: docs/rows.md */
#define ID_PREFIX (sizeof("family-") - 1)

/* The place of the files according to the rows: the words of the one that
 * has weighed it, else those of any. */
static const char *place_of(const struct section *s)
{
	const char *place = NULL;

	for (size_t i = 0; i < s->n; i++) {
		const json_t *e = s->rows[i]->all.evidence;
		const char *device = run_text(e, "device");

		if (device)
			return device;
		if (!place)
			place = run_text(e, "place");
	}
	return place;
}

static const char *meaning(const char *place)
{
	if (strstr(place, ", which is memory"))
		return "No row describes a disk.";
	return prose("place-device", NULL);
}

void sections_place(struct doc *d, const struct section *s)
{
	const char *place = place_of(s);

	if (!place)
		return;
	/* As harness/rows/aggregate.c calls texts that it has no room for. */
	if (!strcmp(place, "varies"))
		place = "several places, not the same in all rounds";
	doc_para(d, "Test files were on %s. %s", place, meaning(place));
}

static bool runs(const struct rowtable_line *l, const char *program)
{
	static const char *const kinds[] = { "run", "once", "peer", "export" };

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (!strcmp(l->kind, kinds[i]) && l->n > 1 &&
		    !strcmp(l->field[1], program))
			return true;
	return false;
}

/* The `family` line above the one that runs @program, or NULL. */
static const struct rowtable_line *family_of(const struct run *run,
					     const char *program)
{
	const struct rowtable *t = &run->suite;
	const struct rowtable_line *family = NULL;

	for (size_t i = 0; i < t->n; i++) {
		if (!strcmp(t->v[i].kind, "family"))
			family = &t->v[i];
		else if (runs(&t->v[i], program))
			return family;
	}
	return NULL;
}

/* certify's rows stand in the timer certificate. */
static bool is_of(const struct rowtable_line *family, const struct run *run,
		  const struct section *s)
{
	return strcmp(s->program, "certify") != 0 &&
	       family_of(run, s->program) == family;
}

/* "bench/cpu/rows.tsv:2" has the family cpu. */
static const char *family_id(const struct rowtable_line *family)
{
	const char *end = family ? strrchr(family->place, '/') : NULL;
	const char *at = end;

	while (at && at > family->place && at[-1] != '/')
		at--;
	return end ? text_format("family-%.*s", (int)(end - at), at)
		   : "family-others";
}

/* Whether @fig was drawn, and is that of @name: the first of its programs. */
static bool is_figure_of(const struct figure *fig, const char *name)
{
	const size_t len = strlen(name);

	return fig->drawn && strcspn(fig->benchmark, " ") == len &&
	       !strncmp(fig->benchmark, name, len);
}

void sections_figures(struct doc *d, const struct run *run, const char *program)
{
	const struct figures *figs = run->figs;

	for (size_t i = 0; i < figs->n; i++)
		if (is_figure_of(&figs->v[i], program))
			doc_figure(d, figs->v[i].id, figs->v[i].caption);
}

/* The fields of a `mistake` line (docs/rows.md). */
enum part { ID, TITLE, BAD, BAD_ROW, GOOD, ROW, MOST, LEAST, DOES, WHY, HERE };

/* NAN: nothing is claimed on this side, and no factor compares with it. */
static double bound(const char *field)
{
	return strcmp(field, "-") != 0 ? strtod(field, NULL) : NAN;
}

/* The rows of one mistake in the run. */
struct found {
	const struct row *naive, *proper; /* NULL: not in this run */
	double right, factor;		  /* naive / right; NAN: unknown */
	bool shown;			  /* as it is claimed */
};

/* In the naive figure's unit: where the mistake is in an interval, half of the
 * proper row's own in percent. */
static double right_figure(const struct found *x)
{
	const char *unit = x->naive ? x->naive->all.unit : NULL;

	if (!x->proper || !unit || x->proper->all.status != RESULT_OK)
		return NAN;
	return !strcmp(unit, "%") ? 100 * grade_halfwidth(&x->proper->all)
	       : !strcmp(unit, "cycles") ? x->proper->all.cycles
					 : x->proper->all.value;
}

static struct found find(const struct rowtable_line *l, const struct run *run)
{
	const char *const *f = l->field;
	struct found x = { .naive = run_pick(run, f[BAD], f[BAD_ROW]),
			   .proper = run_pick(run, f[GOOD], f[ROW]),
			   .factor = NAN };

	x.right = right_figure(&x);
	if (x.right > 0 && x.naive->all.status == RESULT_OK)
		x.factor = x.naive->all.value / x.right;
	x.shown = x.factor <= bound(f[MOST]) || x.factor >= bound(f[LEAST]);
	return x;
}

static const char *proper_value(const struct found *x)
{
	if (!x->proper)
		return "not measured";
	if (!x->naive || x->proper->all.status != RESULT_OK ||
	    x->right == x->proper->all.value)
		return tables_value(&x->proper->all);
	return isnan(x->right)
		       ? NULL
		       : text_format("%.3g %s", x->right, x->naive->all.unit);
}

/* "at most 0.8 or at least 1.25" */
static const char *claim(const struct rowtable_line *l)
{
	const double most = bound(l->field[MOST]);
	const double least = bound(l->field[LEAST]);

	return isnan(least) ? text_format("at most %g", most)
	       : isnan(most)
		       ? text_format("at least %g", least)
		       : text_format("at most %g or at least %g", most, least);
}

static void add_row(struct table *t, const struct rowtable_line *l,
		    const struct run *run)
{
	const struct found x = find(l, run);
	const char *const *f = l->field;
	const bool known = isfinite(x.factor);

	table_line(t, "", f[TITLE],
		   x.naive ? tables_value(&x.naive->all) : NULL,
		   proper_value(&x),
		   known ? text_format("%.3g x", x.factor) : NULL, claim(l),
		   known ? x.shown ? "yes" : "no" : NULL,
		   text_format("%s: %s", f[GOOD], f[ROW]));
}

/* The page of the lab of wrong numbers: what each naive program printed in this
 * run, what the row that measures it properly did, the factor, if it is as
 * claimed, and why. */
static void put_mistakes(struct doc *d, const struct run *run)
{
	const struct rowtable_line *l = NULL;
	struct table t;

	table_begin(&t, "mistake|the naive program prints>|measured "
			"properly>|factor>|claimed factor|shown here|by");
	while ((l = rowtable_next(&run->suite, "mistake", l)))
		add_row(&t, l, run);
	doc_table(d, &t, NULL);
	while ((l = rowtable_next(&run->suite, "mistake", l)))
		doc_prose(d, "mistake", "title", l->field[TITLE], "id",
			  l->field[ID], "does", l->field[DOES], "why",
			  l->field[WHY], "here", l->field[HERE]);
}

/* An id for links; numbered if the name has what an id must not have. */
static const char *anchor(const struct run *run, const struct section *s)
{
	char *id = text_format("program-%s", s->program);
	bool changed = false;

	for (char *c = id; *c; c++) {
		if (!strchr("abcdefghijklmnopqrstuvwxyz0123456789_-", *c)) {
			*c = '-';
			changed = true;
		}
	}
	return changed ? text_format("%s-%zu", id, (size_t)(s - run->sections))
		       : id;
}

/* "Measures: ns for one call." */
static void put_fact(struct doc *d, const struct section *s, const char *label,
		     const char *key)
{
	const char *text = run_known(s->about, key, "");

	if (*text)
		doc_para(d, "%s: %s", label, text);
}

/* All of one program: what it asks, and every row. */
static void put_program(struct doc *d, const struct run *run,
			const struct section *s)
{
	const char *summary = run_text(s->about, "summary");
	struct table t;

	doc_fold(d, anchor(run, s),
		 summary ? text_format("%s – %s", s->program, summary)
			 : s->program);
	sections_place(d, s);
	doc_text(d, run_text(s->about, "text"));
	put_fact(d, s, "Measures", "measures");
	put_fact(d, s, "Includes", "includes");
	put_fact(d, s, "After", "after");
	put_fact(d, s, "Needs", "needs");
	if (!strcmp(s->program, MISTAKES))
		put_mistakes(d, run);
	if (s->n) {
		tables_section(&t, run, s);
		doc_table(d, &t, NULL);
	} else {
		doc_paragraph(d, "This program gave no row.");
	}
	doc_unfold(d);
}

static void put_core(struct doc *d, const struct run *run,
		     const struct rowtable_line *family)
{
	struct section core = { 0 };
	struct table table;

	core.rows = text_alloc(run->nrows + 1, sizeof(struct row *));
	for (size_t i = 0; i < run->nsections; i++) {
		const struct section *s = &run->sections[i];

		for (size_t j = 0; is_of(family, run, s) && j < s->n; j++)
			if (tables_is_core(s->rows[j]))
				core.rows[core.n++] = s->rows[j];
	}
	if (core.n) {
		tables_core(&table, run, &core);
		doc_table(d, &table, NULL);
	}
}

typedef void put_fn(struct doc *d, const struct run *run, const char *id,
		    const struct rowtable_line *family);

/* Put each family with a program in @run, or a figure by itself; the last one
 * is of the programs that have none. */
static void put_each(put_fn *put, struct doc *d, const struct run *run)
{
	const struct figures *figs = run->figs;
	const struct rowtable_line *family = NULL;

	do {
		const char *id;
		bool has = false;

		family = rowtable_next(&run->suite, "family", family);
		id = family_id(family);
		for (size_t i = 0; i < run->nsections; i++)
			has |= is_of(family, run, &run->sections[i]);
		for (size_t i = 0; i < figs->n; i++)
			has |= is_figure_of(&figs->v[i], id + ID_PREFIX);
		if (has)
			put(d, run, id, family);
	} while (family);
}

static void put_item(struct doc *d, const struct run *run, const char *id,
		     const struct rowtable_line *family)
{
	doc_item(d, text_format("#%s", id), family ? family->field[0] : OTHERS);
}

void families_contents(struct doc *d, const struct run *run)
{
	put_each(put_item, d, run);
}

static void put_family(struct doc *d, const struct run *run, const char *id,
		       const struct rowtable_line *family)
{
	doc_heading(d, id, family ? family->field[0] : OTHERS);
	if (family)
		doc_paragraph(d, family->field[1]);
	put_core(d, run, family);
	for (size_t i = 0; i < run->nsections; i++)
		if (is_of(family, run, &run->sections[i]))
			sections_figures(d, run, run->sections[i].program);
	sections_figures(d, run, id + ID_PREFIX);
	for (size_t i = 0; i < run->nsections; i++)
		if (is_of(family, run, &run->sections[i]))
			put_program(d, run, &run->sections[i]);
}

void families_write(struct doc *d, const struct run *run)
{
	put_each(put_family, d, run);
}
