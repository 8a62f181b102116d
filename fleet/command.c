/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"
#include "doc.h"
#include "err.h"
#include "fleet.h"
#include "text.h"

/* The tables in their order; a terminal shows those that are BRIEF. */
enum { BRIEF = 1, FOLDED = 2 };

static const struct {
	const char *id, *title;
	unsigned int how;
	fleet_table_fn *fill;
} tables[] = {
	{ "slow", "Slow nodes", BRIEF, fleet_slow },
	{ "slow-rows", "Their rows", FOLDED, fleet_slow_rows },
	{ "absent", "Nodes without results", BRIEF, fleet_absent },
	{ "classes", "Classes of hardware", BRIEF, fleet_classes },
	{ "differs", "What differs within a class", 0, fleet_differs },
	{ "rows", "All rows over the nodes", FOLDED, fleet_rows },
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
	size_t measured = 0, bad = 0, verdicts[FLEET_SHARED + 1] = { 0 },
	       gone = 0;

	for (size_t i = 0; i < f->n; i++) {
		const struct fleet_node *node = &f->nodes[i];

		measured += !!node->cells;
		bad += fleet_is_bad(node);
		verdicts[node->verdict]++;
		gone += fleet_is(node, "failed lost");
	}
	return text_format("Nodes: %zu, measured %zu (classes of hardware: "
			   "%zu), slow %zu (confirmed by a second run %zu; "
			   "%zu more not), lost or failed %zu.",
			   f->n, measured, f->nclasses, bad,
			   verdicts[FLEET_CONFIRMED],
			   verdicts[FLEET_UNSEEN] + verdicts[FLEET_SHARED],
			   gone);
}

static void write_fleet(struct doc *d, const void *what)
{
	const struct fleet *f = what;
	const bool brief = d->format == &doc_console;
	struct table t;

	doc_begin(d, "oscost: a fleet");
	doc_paragraph(d, count(f));
	for (size_t i = 0; i < f->notes.n && !brief; i++)
		doc_warning(d, f->notes.v[i].text, NULL);
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
		       fleet_is(&f->nodes[i], "failed lost");
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
