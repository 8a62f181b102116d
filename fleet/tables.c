/* SPDX-License-Identifier: MIT */
/* `report fleet`: its results as tables, lines of text and JSON. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"
#include "compare.h"
#include "doc.h"
#include "err.h"
#include "fleet.h"
#include "text.h"

#define NAMED 5	 /* nodes that are named; of more the number is told */
#define VALUE 80 /* columns of a setting, such as all mitigations */

static const char *const verdicts[] = {
	[FLEET_GOOD] = "good",
	[FLEET_FLAGGED] = "flagged",
	[FLEET_CONFIRMED] = "confirmed",
	[FLEET_UNSEEN] = "not seen again",
	[FLEET_SHARED] = "the controls show it, too",
};

/* Nothing is left that a shell takes for more than text, in quotes or not; of
 * other signs units have "µ", two bytes. */
static const char *tame(char *text)
{
	for (char *c; (c = strstr(text, "µ"));) {
		*c = 'u';
		memmove(c + 1, c + 2, strlen(c + 2) + 1);
	}
	for (char *c = text; *c; c++)
		if (!isalnum((unsigned char)*c) && !strchr(" .,:;=%+_/-", *c))
			*c = '?';
	return text;
}

/* Why @node is bad, one line without anything that a shell or a scheduler takes
 * for more than text. */
static const char *words(const struct fleet *f, const struct fleet_node *node)
{
	const struct fleet_level *level = fleet_level(f, node, node->worst);
	const struct fleet_row *row = &f->rows[node->worst];

	return tame(text_format(
		"oscost: %s is %s, the median of %zu like it %s%s%s",
		row->title,
		text_units(node->cells[node->worst].value, row->what.unit),
		level->n, text_units(level->median, row->what.unit),
		node->nbeyond > 1
			? text_format("; %zu rows in all", node->nbeyond)
			: "",
		node->verdict == FLEET_CONFIRMED ? "; second run agrees" : ""));
}

/* Names of nodes, of which the first are written out. */
struct list {
	const char *text;
	size_t n;
};

static void add(struct list *l, const char *sep, const char *name)
{
	if (l->n++ < NAMED)
		l->text = text_join(l->text, sep, name);
}

static const char *list_text(const struct list *l)
{
	return l->n > NAMED
		       ? text_format("%s and %zu more", l->text, l->n - NAMED)
		       : l->text;
}

/* The value of setting @i on most nodes of @class (Boyer and Moore's vote) and,
 * in *@n, on how many; NULL unless they are more than half. */
static const char *most_common(const struct fleet *f,
			       const struct fleet_class *class, size_t i,
			       size_t *n)
{
	const char *most = NULL;
	size_t lead = 0;

	for (size_t k = 0; k < class->n; k++) {
		const char *value = f->nodes[class->nodes[k]].settings[i];

		if (!lead)
			most = value;
		lead += strcmp(value, most) != 0 ? (size_t)-1 : 1;
	}
	*n = 0;
	for (size_t k = 0; k < class->n; k++)
		*n += !strcmp(f->nodes[class->nodes[k]].settings[i], most);
	return 2 * *n > class->n ? most : NULL;
}

/* The settings in which @node is not as most of its class. */
static const char *differs_in(const struct fleet *f,
			      const struct fleet_node *node)
{
	const char *text = NULL, *name, *most;
	size_t n;

	for (size_t i = 0; (name = compare_setting_name(i)); i++) {
		most = most_common(f, &f->classes[node->class], i, &n);
		if (most && strcmp(most, node->settings[i]) != 0)
			text = text_join(text, ", ", name);
	}
	return text;
}

static void fill_differs(struct table *t, const struct fleet *f)
{
	const char *name, *most;

	table_begin(t, "class|setting|most common|nodes>|others");
	for (size_t k = 0; k < f->nclasses; k++)
		for (size_t i = 0; (name = compare_setting_name(i)); i++) {
			const struct fleet_class *class = &f->classes[k];
			struct list others = { NULL, 0 };
			size_t n;

			most = most_common(f, class, i, &n);
			for (size_t j = 0; j < class->n; j++) {
				const struct fleet_node *node =
					&f->nodes[class->nodes[j]];

				if (!most ||
				    strcmp(node->settings[i], most) != 0)
					add(&others, "; ",
					    text_format(
						    "%s (%s)",
						    text_cut(node->settings[i],
							     VALUE),
						    node->name));
			}
			/* Each has a host's name of its own. */
			if (others.n && strcmp(name, "host") != 0)
				table_line(t, "", class->letter, name,
					   most ? text_cut(most, VALUE) : NULL,
					   most ? text_count(n) : NULL,
					   list_text(&others));
		}
}

static void fill_classes(struct table *t, const struct fleet *f)
{
	table_begin(t, "class|hardware|nodes>|slow nodes>|rows judged>|"
		       "rows with two levels>|a node is flagged that is");
	for (size_t k = 0; k < f->nclasses; k++) {
		const struct fleet_class *class = &f->classes[k];
		size_t bad = 0, states[FLEET_ROW_JUDGED + 1] = { 0 };

		for (size_t i = 0; i < class->n; i++)
			bad += fleet_is_bad(&f->nodes[class->nodes[i]]);
		for (size_t i = 0; i < f->nrows; i++)
			states[class->levels[i].state]++;
		table_line(t, "", class->letter, class->name,
			   text_count(class->n), text_count(bad),
			   text_count(states[FLEET_ROW_JUDGED]),
			   text_count(states[FLEET_ROW_SPLIT]),
			   class->bounds ? class->bounds->words
					 : "(none: three nodes of a kind are "
					   "the least)");
	}
}

static const char *above(const struct fleet_cell *cell)
{
	return text_format("%.3g %%", 100 * expm1((double)cell->effect));
}

static void fill_slow(struct table *t, const struct fleet *f)
{
	table_begin(t, "node|class|row|cost above the median>|z>|rows>|"
		       "second run|noise|other than most of its class in");
	for (size_t i = 0; i < f->n; i++) {
		const struct fleet_node *node = &f->nodes[i];
		const struct fleet_cell *cell = &node->cells[node->worst];

		if (node->verdict == FLEET_GOOD)
			continue;
		table_line(t, fleet_is_bad(node) ? "failed" : "skipped",
			   node->name, f->classes[node->class].letter,
			   f->rows[node->worst].title, above(cell),
			   text_format("%.3g", cell->z),
			   text_count(node->nbeyond),
			   node->verdict == FLEET_FLAGGED
				   ? "none"
				   : verdicts[node->verdict],
			   node->noise, differs_in(f, node));
	}
}

static void fill_slow_rows(struct table *t, const struct fleet *f)
{
	table_begin(t, "node|row|here>|median>|cost above the median>|z>|"
		       "in the second run");
	for (size_t i = 0; i < f->n * f->nrows; i++) {
		const struct fleet_node *node = &f->nodes[i / f->nrows];
		const size_t row = i % f->nrows;
		const struct fleet_cell *cell = &node->cells[row];
		const char *unit = f->rows[row].what.unit;

		if (node->verdict == FLEET_GOOD || !cell->beyond ||
		    fleet_level(f, node, row)->state != FLEET_ROW_JUDGED)
			continue;
		table_line(t, "", node->name, f->rows[row].title,
			   text_units(cell->value, unit),
			   text_units(fleet_level(f, node, row)->median, unit),
			   above(cell), text_format("%.3g", cell->z),
			   node->verdict == FLEET_FLAGGED ? NULL
			   : cell->again		  ? "again"
							  : "no");
	}
}

static void fill_absent(struct table *t, const struct fleet *f)
{
	table_begin(t, "node|status|after s>|reason");
	for (size_t i = 0; i < f->n; i++) {
		const struct fleet_node *node = &f->nodes[i];

		if (!text_glob("ok", node->status))
			table_line(t, "failed", node->name, node->status,
				   node->seconds, node->reason);
	}
}

/* The problem of a row; NULL: there is none. */
static const char *odd_of(const struct fleet *f,
			  const struct fleet_class *class, size_t row)
{
	const enum fleet_state state = class->levels[row].state;
	const char *text = state == FLEET_ROW_FEW ? "too few nodes" : NULL;
	struct list failed = { NULL, 0 }, beyond = { NULL, 0 };

	for (size_t k = 0; k < class->n; k++) {
		const struct fleet_node *node = &f->nodes[class->nodes[k]];
		const struct fleet_cell *cell = &node->cells[row];

		if (cell->there && cell->status == RESULT_FAILED)
			add(&failed, ", ", node->name);
		if (cell->beyond)
			add(&beyond, ", ", node->name);
	}
	if (state == FLEET_ROW_SPLIT)
		text = text_format("two levels, slower: %s",
				   list_text(&beyond));
	if (failed.n)
		text = text_join(text, "; ",
				 text_format("failed on %zu: %s", failed.n,
					     list_text(&failed)));
	return text;
}

static const char *units(const struct fleet_level *level, double x,
			 const char *unit)
{
	return level->n ? text_units(x, unit) : NULL;
}

static void fill_rows(struct table *t, const struct fleet *f)
{
	table_begin(t, "class|row|nodes>|median>|MAD>|least>|greatest>|"
		       "what is odd");
	for (size_t i = 0; i < f->nclasses * f->nrows; i++) {
		const struct fleet_class *class = &f->classes[i / f->nrows];
		const size_t row = i % f->nrows;
		const struct fleet_level *level = &class->levels[row];
		const char *unit = f->rows[row].what.unit;
		const char *why = odd_of(f, class, row);

		if (why || level->state != FLEET_ROW_NONE)
			table_line(t, "", class->letter, f->rows[row].title,
				   text_count(level->n),
				   units(level, level->median, unit),
				   units(level, level->mad, unit),
				   units(level, level->min, unit),
				   units(level, level->max, unit), why);
	}
}

static json_t *beyond(const struct fleet *f, const struct fleet_node *node)
{
	json_t *list = json_array();

	for (size_t i = 0; i < f->nrows; i++) {
		const struct fleet_cell *cell = &node->cells[i];
		const struct fleet_level *level = fleet_level(f, node, i);
		const struct result *r = &f->rows[i].what;

		if (cell->beyond && level->state == FLEET_ROW_JUDGED)
			json_array_append_new(
				list,
				json_pack("{s:s, s:s, s:s, s:f, s:f, s:f, s:f, "
					  "s:b}",
					  "benchmark", r->benchmark, "case",
					  r->name, "unit", r->unit, "value",
					  cell->value, "median", level->median,
					  "cost_ratio",
					  exp((double)cell->effect), "z",
					  (double)cell->z, "again",
					  cell->again));
	}
	return list;
}

static json_t *list_of(const struct fleet *f)
{
	json_t *list = json_array();

	for (size_t i = 0; i < f->n; i++) {
		const struct fleet_node *node = &f->nodes[i];
		const bool flagged = node->cells && node->verdict != FLEET_GOOD;

		json_array_append_new(
			list,
			json_pack(
				"{s:s, s:s, s:s*, s:s*, s:s*, s:s, s:b, s:s*, "
				"s:o*, s:o*}",
				"node", node->name, "status", node->status,
				"status_reason", node->reason, "hardware",
				node->cells ? f->classes[node->class].name
					    : NULL,
				"noise", node->noise, "verdict",
				verdicts[node->verdict], "bad",
				fleet_is_bad(node), "reason",
				flagged ? words(f, node) : NULL, "rows",
				flagged ? beyond(f, node) : NULL, "distance",
				isfinite(node->ordinary) && node->cells
					? json_real(node->ordinary)
					: NULL));
	}
	return list;
}

/* The findings, for programs. */
static json_t *fleet_json(const struct fleet *f)
{
	return json_pack("{s:i, s:o}", "schema", 2, "nodes", list_of(f));
}

/* The tables in their order; a terminal shows those that are BRIEF. */
enum { BRIEF = 1, FOLDED = 2 };

static const struct {
	const char *id, *title;
	unsigned int how;
	void (*fill)(struct table *t, const struct fleet *f);
} tables[] = {
	{ "slow", "Slow nodes", BRIEF, fill_slow },
	{ "slow-rows", "Their rows", FOLDED, fill_slow_rows },
	{ "absent", "Nodes without results", BRIEF, fill_absent },
	{ "classes", "Classes of hardware", BRIEF, fill_classes },
	{ "differs", "What differs within a class", 0, fill_differs },
	{ "rows", "All rows over the nodes", FOLDED, fill_rows },
};

#define TABLES (sizeof(tables) / sizeof(*tables))

static bool fill(struct table *t, size_t i, const struct fleet *f)
{
	tables[i].fill(t, f);
	table_prune(t);
	return t->nrows;
}

/* "Nodes: 11, measured 11 ..." */
static const char *count(const struct fleet *f)
{
	size_t measured = 0, bad = 0, as[FLEET_SHARED + 1] = { 0 }, gone = 0;

	for (size_t i = 0; i < f->n; i++) {
		const struct fleet_node *node = &f->nodes[i];

		measured += !!node->cells;
		bad += fleet_is_bad(node);
		as[node->verdict]++;
		gone += text_glob("failed lost", node->status);
	}
	return text_format("Nodes: %zu, measured %zu (classes of hardware: "
			   "%zu), slow %zu (confirmed by a second run %zu; "
			   "%zu more not), lost or failed %zu.",
			   f->n, measured, f->nclasses, bad,
			   as[FLEET_CONFIRMED],
			   as[FLEET_UNSEEN] + as[FLEET_SHARED], gone);
}

static void write_fleet(struct doc *d, const void *what)
{
	const struct fleet *f = what;
	const bool brief = d->format == &doc_console;
	struct table t;

	doc_begin(d, "oscost: a fleet");
	doc_paragraph(d, count(f));
	for (size_t i = 0; i < f->notes.n && !brief; i++)
		doc_para(d, "Warning: %s", notes_text(&f->notes.v[i]));
	for (size_t i = 0; i < TABLES; i++) {
		if ((brief && !(tables[i].how & BRIEF)) || !fill(&t, i, f))
			continue;
		if (tables[i].how & FOLDED)
			doc_fold(d, tables[i].id, tables[i].title);
		else
			doc_heading(d, tables[i].id, tables[i].title);
		doc_table(d, &t, NULL);
		if (tables[i].how & FOLDED)
			doc_unfold(d);
	}
	if (!brief)
		doc_prose(d, "fleet-method");
	doc_end(d);
}

static int put_json(FILE *file, const void *f)
{
	return json_dumpf(fleet_json(f), file,
			  JSON_INDENT(1) | JSON_REAL_PRECISION(9));
}

static void tell(const struct fleet *f)
{
	notes_warn(&f->notes);
	if (f->more_notes)
		warn("%zu more such notes", f->more_notes);
}

/* The second run, if there is one.  Return: NULL, or what is wrong with it. */
static const char *read_again(struct fleet *f, const char *dir)
{
	const char *path = text_format("%s/confirm", dir);
	struct fleet again = { 0 };
	const char *why = NULL;

	if (!access(text_format("%s/fleet.tsv", path), F_OK)) {
		why = fleet_load(&again, path);
		if (!why)
			fleet_confirm(f, &again);
		tell(&again);
	}
	return why;
}

/* Return: an exit status. */
static int report(struct fleet *f, const char *dir)
{
	bool bad = false;

	write_fleet(&(struct doc) { .f = stdout, .format = &doc_console }, f);
	if (doc_pages(dir, "fleet", write_fleet, f) |
	    doc_file(dir, "fleet", "json", put_json, f))
		return EXIT_USAGE;
	for (size_t i = 0; i < f->n; i++)
		bad |= fleet_is_bad(&f->nodes[i]) ||
		       text_glob("failed lost", f->nodes[i].status);
	return bad ? EXIT_FAIL : EXIT_OK;
}

int command_fleet(const struct settings *set, char **names)
{
	struct fleet f = { 0 };
	const char *why = fleet_load(&f, names[0]);
	int status = EXIT_OK;

	tell(&f);
	if (!why) {
		fleet_judge(&f);
		why = read_again(&f, names[0]);
	}
	if (why)
		warn("%s", why);
	else
		status = report(&f, names[0]);
	return why || fflush(stdout) || ferror(stdout) ? EXIT_USAGE : status;
}
