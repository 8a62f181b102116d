/* SPDX-License-Identifier: MIT */
#include "sections.h"

#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "doc.h"
#include "load.h"
#include "text.h"

#define FIRST_NOTES 3 /* the rest is folded */

/* "oscost on HOST, 2026-11-22" */
static const char *report_title(const struct run *run)
{
	const char *host =
		run_known(run->machine, "hostname", "unknown machine");
	const char *when = run_text(run->meta, "started_at");

	/* 2026-11-22T10:20:30Z reads better as 2026-11-22 10:20 UTC. */
	if (when && strlen(when) == 20 && when[10] == 'T' && when[19] == 'Z')
		return text_format("oscost on %s, %.10s %.5s UTC", host, when,
				   when + 11);
	return text_format("oscost on %s%s%s", host, when ? ", " : "",
			   when ? when : "");
}

/* Limits of the figures: the gravest first, the rest folded. */
static void put_warnings(struct doc *d, const struct notes *notes)
{
	if (!notes->n)
		return;
	doc_heading(d, "warnings", "About this run");
	doc_list(d);
	for (size_t i = 0; i < notes->n; i++) {
		if (i == FIRST_NOTES) {
			doc_list_end(d);
			doc_fold(d, "more-warnings",
				 text_format("%zu more", notes->n - i));
			doc_list(d);
		}
		doc_item(d, NULL, notes_text(&notes->v[i]));
	}
	doc_list_end(d);
	if (notes->n > FIRST_NOTES)
		doc_unfold(d);
}

/* The machine, the date and how certain the run is; "Linux 6.1 on ...". */
static void put_top(struct doc *d, const struct run *run)
{
	const char *grade;
	const char letter = grades_of_run(run, &grade);
	size_t programs = 0;

	for (size_t i = 0; i < run->nsections; i++)
		programs += run->sections[i].n > 0;
	doc_prose(d, "top", "machine", card_machine(run), "when",
		  run_known(run->meta, "started_at", "at an unknown time"),
		  "rows", text_plural(run->nrows, "row"), "programs",
		  text_plural(programs, "program"), "rounds", rounds_words(run),
		  "Grade", text_format("%c%s", *grade - 'a' + 'A', grade + 1),
		  "so",
		  prose(letter ? text_format("top-%c", letter) : "top-0",
			NULL));
}

static void put_contents(struct doc *d, const struct course *c)
{
	struct table pairs;

	doc_heading(d, "contents", "Contents");
	doc_list(d);
	if (c->predicted)
		prose_items(d, "contents-course");
	families_contents(d, c->run);
	if (pairs_fill(&pairs, c->run))
		doc_item(d, "#pairs", "New way against old way");
	if (c->ops.n && !c->predicted)
		prose_items(d, "contents-course");
	prose_items(d, "contents");
	doc_list_end(d);
}

static void put_card(struct doc *d, const struct run *run)
{
	struct table t;

	doc_heading(d, "card", "Card");
	for (size_t i = 0; i < run->figs->n; i++) {
		const struct figure *fig = &run->figs->v[i];

		if (!strcmp(fig->id, "card") && fig->drawn)
			doc_picture(d, fig->id, fig->caption);
	}
	card_table(&t, run);
	doc_table(d, &t, CARD_NONE);
	doc_prose(d, "legend");
	doc_list(d);
	doc_item(d, "#glossary", "Glossary: all terms");
	doc_list_end(d);
}

static void put_method(struct doc *d, const struct run *run)
{
	const char *profile = run_text(run->meta, "profile");
	const double seed = run_number(run->meta, "seed");
	const double goal = rounds_goal(run);

	doc_fold(d, "method", "Method");
	doc_prose(d, "method-rounds", "rounds", rounds_words(run), "of",
		  profile ? " of profile " : "", "profile",
		  profile ? profile : "", "order",
		  isfinite(seed) ? text_format(" (seed %.0f)", seed) : "");
	if (isfinite(goal))
		doc_prose(d, "method-goal", "goal",
			  text_format("%.8g", 100 * goal));
	doc_prose(d, "method-samples", "method",
		  run_known(run->machine, "timer.method", "unknown"));
	doc_prose(d, "method-value");
	doc_unfold(d);
}

static void put_pairs(struct doc *d, const struct run *run)
{
	struct table t;

	if (!pairs_fill(&t, run))
		return;
	doc_heading(d, "pairs", "New way against old way");
	doc_prose(d, "pairs");
	doc_table(d, &t, NULL);
}

static void put_missing(struct doc *d, const struct run *run)
{
	struct table t;

	doc_fold(d, "missing", "Not measured, and why");
	tables_missing(&t, run);
	doc_table(d, &t, "Every case of every program has a value.");
	doc_unfold(d);
}

/* The command that made the run; in words if there is none that may be typed.
 */
static void put_command(struct doc *d, const struct run *run)
{
	const char *command = again_run(
		run_known(run->meta, "command_line", "scripts/run-all"));

	doc_para(d, "This run was made by oscost %s (git %s) with",
		 run_known(run->meta, "suite_version", "of unknown version"),
		 run_known(run->meta, "git_id", "unknown"));
	if (command)
		doc_code(d, command);
	else
		doc_prose(d, "no-command");
}

static void put_reproduce(struct doc *d, const struct run *run)
{
	const char *dir = again_word(run->dir);

	doc_fold(d, "reproduce", "How to get this again");
	put_command(d, run);
	doc_prose(d, "again");
	doc_code(d, text_format("oscost report %s", dir ? dir : "DIR"));
	doc_paragraph(d, "Raw data beside this file:");
	doc_list(d);
	prose_items(d, "files");
	doc_item(d, run_kept(run, "log.txt"), "what the programs said");
	doc_list_end(d);
	doc_unfold(d);
}

static void put_glossary(struct doc *d)
{
	struct table t;

	doc_fold(d, "glossary", "Glossary");
	prose_table(&t, "glossary");
	doc_table(d, &t, NULL);
	doc_unfold(d);
}

void report_write(struct doc *d, const void *what)
{
	const struct course *c = what;
	const struct run *run = c->run;

	doc_begin(d, report_title(run));
	put_top(d, run);
	put_card(d, run);
	put_warnings(d, run->notes);
	put_contents(d, c);
	/* A user who predicted wants to see that first. */
	if (c->predicted)
		course_write(d, c);
	families_write(d, run);
	put_pairs(d, run);
	if (!c->predicted)
		course_write(d, c);
	doc_heading(d, "run", "The machine, and how it was measured");
	put_glossary(d);
	sections_machine(d, run);
	sections_noise(d, run);
	sections_timer(d, run);
	put_method(d, run);
	put_missing(d, run);
	put_reproduce(d, run);
	doc_end(d);
}

#define PLAIN                                                            \
	"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789" \
	"/_.,:=@%+-"

/* Options that say what is measured and how; others say where results and
 * programs were. */
#define KEPT                                                           \
	"--profile --rounds --precision --effort --only --cpu --prio " \
	"--timer --dir --seed"
#define LEFT_OUT "--bin --out --resume"

static bool made_of(const char *text, const char *characters)
{
	return *text && !text[strspn(text, characters)];
}

const char *again_word(const char *text)
{
	char *word, *to;

	if (made_of(text, PLAIN))
		return text;
	for (const char *c = text; *c; c++)
		if (!isprint((unsigned char)*c))
			return NULL;
	/* Each ' becomes '\''. */
	to = word = text_alloc(4 * strlen(text) + 3, 1);
	*to++ = '\'';
	for (const char *c = text; *c; c++) {
		if (*c == '\'')
			to = stpcpy(to, "'\\'");
		*to++ = *c;
	}
	*to = '\'';
	return word;
}

const char *again_run(const char *recorded)
{
	const char *rest = recorded, *name = text_split(&rest, ' '), *value;
	const char *command = "oscost run";

	name = strrchr(name, '/') ? strrchr(name, '/') + 1 : name;
	if (!text_glob("run-all oscost-run-all", name))
		return NULL;
	while ((name = text_split(&rest, ' '))) {
		value = text_split(&rest, ' ');
		if (!value || *value == '-' || !made_of(value, PLAIN "*?\\"))
			return NULL;
		if (text_glob(LEFT_OUT, name))
			continue;
		if (!text_glob(KEPT, name))
			return NULL;
		command = text_format("%s %s %s", command, name, value);
	}
	return command;
}
