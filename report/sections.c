/* SPDX-License-Identifier: MIT */
#include "sections.h"

#include <math.h>
#include <string.h>

#include "again.h"
#include "card.h"
#include "families.h"
#include "grades.h"
#include "instructions.h"
#include "noise_certificate.h"
#include "pairs.h"
#include "rounds.h"
#include "tables.h"
#include "text.h"

#define FIRST_NOTES 3 /* the rest is folded */

const char *report_title(const struct run *run)
{
	const char *host = run_text(run->machine, "hostname");
	const char *when = run_text(run->meta, "started_at");

	if (!host)
		host = "unknown machine";
	/* 2026-11-22T10:20:30Z reads better as 2026-11-22 10:20 UTC. */
	if (when && strlen(when) == 20 && when[10] == 'T' && when[19] == 'Z')
		return text_format("oscost on %s, %.10s %.5s UTC", host, when,
				   when + 11);
	return text_format("oscost on %s%s%s", host, when ? ", " : "",
			   when ? when : "");
}

static void put_note(struct doc *d, const char *text, const char *remedy)
{
	d->format->item(d, NULL,
			text_format("%s%s%s", text, remedy ? ". Remedy: " : "",
				    remedy ? remedy : ""));
}

/* What limits the figures: the gravest first, the rest folded. */
static void put_warnings(struct doc *d, const struct run *run,
			 const struct figures *figs)
{
	const size_t n = run->notes->n + (figs->trouble != NULL);

	if (!n)
		return;
	d->format->heading(d, 2, "warnings", "This run");
	d->format->list(d, 1);
	for (size_t i = 0; i < n; i++) {
		if (i == FIRST_NOTES) {
			d->format->list(d, 0);
			d->format->fold(d, "more-warnings",
					text_format("%zu more", n - i));
			d->format->list(d, 1);
		}
		if (i < run->notes->n)
			put_note(d, run->notes->v[i].text,
				 run->notes->v[i].remedy);
		else
			put_note(d, figs->trouble, figs->remedy);
	}
	d->format->list(d, 0);
	if (n > FIRST_NOTES)
		d->format->fold(d, NULL, NULL);
}

/* What this is and how to read it, for who has never seen one. */
static void put_intro(struct doc *d, const struct run *run)
{
	const char *machine = card_machine(run), *rounds = rounds_text(run),
		   *text;
	size_t programs = 0;

	for (size_t i = 0; i < run->nsections; i++)
		programs += run->sections[i].n > 0;
	text = text_format(
		"What operations of an operating system cost on this machine "
		"(%s): %zu rows of %zu programs, each of which ran as a fresh "
		"process in each of %s rounds. A value is the median over the "
		"rounds; the interval beside it says how sure it is, the grade "
		"how far another run may lie (A within 2 %%, B 5 %%, C 10 %%, "
		"D further or not to be relied on), and < that the cost was "
		"too small to be told from nothing.",
		machine, run->nrows, programs, rounds);
	d->format->para(d, text);
}

static void put_contents(struct doc *d, const struct run *run,
			 const struct report_parts *parts)
{
	d->format->heading(d, 2, "contents", "Contents");
	d->format->list(d, 1);
	if (parts->course->ops.n) {
		d->format->item(d, "#coursework", "Predicted and measured");
		d->format->item(d, "#comparisons", "Comparisons");
	}
	if (pairs_any(&parts->course->table, run))
		d->format->item(d, "#pairs", "New way against old way");
	if (lmbench_any(parts->lmbench, run))
		d->format->item(d, "#lmbench", "In the groups of lmbench");
	if (parts->ledger)
		d->format->item(d, "#instructions", "Instructions and time");
	families_contents(d, run, &parts->course->table, parts->figs);
	d->format->item(d, "#machine", "The machine");
	d->format->item(d, "#noise", "Noise certificate");
	d->format->item(d, "#timer", "Timer certificate");
	d->format->item(d, "#method", "Method");
	d->format->item(d, "#missing", "Not measured, and why");
	d->format->item(d, "#reproduce", "How to get this again");
	d->format->item(d, "#glossary", "Glossary");
	d->format->list(d, 0);
}

static void put_card(struct doc *d, const struct run *run,
		     const struct report_parts *parts)
{
	const char *machine = card_machine(run), *grade;
	struct table t;

	d->format->heading(d, 2, "card", "Card");
	d->format->para(d, machine);
	grades_of_run(run, &grade);
	d->format->para(d, text_format("%c%s", *grade - 'a' + 'A', grade + 1));
	for (size_t i = 0; i < parts->figs->n; i++) {
		const struct figure *fig = &parts->figs->v[i];

		if (fig->card && fig->drawn)
			d->format->picture(d, fig->id, fig->caption);
	}
	card_table(&t, parts->card, run);
	if (t.nrows)
		d->format->table(d, &t);
	else
		d->format->para(d, CARD_NONE);
}

static void put_missing(struct doc *d, const struct run *run)
{
	struct table t;

	d->format->fold(d, "missing", "Not measured, and why");
	tables_missing(&t, run);
	if (t.nrows)
		d->format->table(d, &t);
	else
		d->format->para(d, "Every case of every program has a value.");
	d->format->fold(d, NULL, NULL);
}

/* The command that made the run; in words if there is none that may be typed.
 */
static void put_command(struct doc *d, const struct run *run)
{
	const char *recorded = run_text(run->meta, "command_line");
	const char *id = run_text(run->meta, "git_id");
	const char *version = run_text(run->meta, "suite_version");
	const char *command =
		again_run(recorded ? recorded : "scripts/run-all");

	d->format->para(
		d, text_format("This run was made by oscost %s (git %s) with",
			       version ? version : "of unknown version",
			       id ? id : "unknown"));
	if (command)
		d->format->code(d, command);
	else
		d->format->para(d, "a command that is not repeated here: what "
				   "run.json has is no command of run-all with "
				   "the rows of the suite.");
}

static void put_reproduce(struct doc *d, const struct run *run)
{
	const char *program = again_program(
		run->nsections ? run->sections[0].program : "nop");
	const char *dir = again_word(run->dir);

	d->format->fold(d, "reproduce", "How to get this again");
	put_command(d, run);
	d->format->para(d, "One program alone, at the highest priority, and "
			   "this report again from the same data:");
	d->format->code(
		d, text_format("sudo chrt -r 99 %s\nbuild/bin/report make %s",
			       program ? program : "build/bin/nop",
			       dir ? dir : "DIR"));
	d->format->para(d, "Raw data beside this file:");
	d->format->list(d, 1);
	d->format->item(d, "invocations.jsonl", "every row of every round");
	d->format->item(d, "report.csv", "the tables for a spreadsheet");
	d->format->item(d, "report.json", "the tables for a program");
	d->format->item(d, "machine.json", "the machine");
	d->format->item(d, "run.json", "the run");
	d->format->item(d, "noise.jsonl", "what the noise certificate saw");
	d->format->item(d, "log.txt", "what the programs said");
	d->format->list(d, 0);
	d->format->fold(d, NULL, NULL);
}

static void put_glossary(struct doc *d)
{
	static const char *const words[][2] = {
		{ "operation", "what is priced" },
		{ "batch", "n operations in one timed interval" },
		{ "sample", "the cost that one batch or one event gave" },
		{ "invocation", "one execution of a program, a fresh process" },
		{ "round", "one pass over all programs, in random order" },
		{ "case", "one point of a program's axes, such as args=3" },
		{ "value", "median of the invocations' values" },
		{ "95 % interval",
		  "where the true median lies; exact, from order statistics; "
		  "in brackets half its width as a share of the value" },
		{ "n", "how many invocations gave a value; all, where the row "
		       "has none" },
		{ "min, mean, std. dev.",
		  "over all samples of all invocations; nothing discarded" },
		{ "p50, p90, p99",
		  "percentiles of single events: p50 the median over "
		  "invocations, the others of all events together" },
		{ "cold", "the first event of an invocation, before any "
			  "warm-up; the median over invocations" },
		{ "tick", "unit of the time stamp counter; not a core cycle" },
		{ "cycle", "of the core, at the frequency it was seen to have "
			   "during the invocation" },
		{ "quantum", "the step in which the clock advances" },
		{ "overhead", "two reads of the clock with nothing between" },
		{ "below resolution",
		  "the cost cannot be told from nothing, or the invocations "
		  "disagree whether there is one, which also noise may cause; "
		  "it is less than the figure behind the <" },
		{ "98 ns (80 %) or 420 ns (20 %)",
		  "the rounds fall in two groups, at least 1.4 times apart: "
		  "their medians, and the share of the rounds in each. The "
		  "median of all rounds would be one or the other by chance, "
		  "so it is not shown, and there is no interval" },
		{ "unstable",
		  "a rate whose time was too small to measure in some rounds: "
		  "the remark says from where to where the rates were" },
		{ "grade",
		  "how far the value of another run of this kind may lie, at "
		  "95 %: A within 2 %, B 5 %, C 10 %, D further; it is the "
		  "root of 2 times half the interval, or the distance of an "
		  "earlier run of this machine where that is greater. Rounds "
		  "in two groups or with a trend are D. C at best: other work "
		  "had the CPU in 5 % of the samples, or in half of them the "
		  "frequency moved, the core was shared, a CPU quota held the "
		  "program back or the host took time; D: in 20 %, or the "
		  "program was bound to no CPU: the remark says so. Fewer than "
		  "6 rounds give no grade" },
		{ "grade of the run", "what 9 of 10 core rows have at least" },
		{ "quiet, noisy",
		  "share of a CPU's time that other work took, in the noise "
		  "certificate: quiet under 0.1 %, nearly quiet under 1 %, "
		  "noisy under 5 %, very noisy" },
		{ "evidence",
		  "what proves that the operation happened: seen/expected in "
		  "one invocation, on average; and facts about how it was "
		  "measured, least…greatest where they differ" },
		{ "disturbed",
		  "samples during which the program was switched out "
		  "(involuntary), moved to another CPU (migrated) or "
		  "throttled, the frequency changed, or another hardware "
		  "thread worked on the core (shared)" },
		{ "KiB, MB/s",
		  "2^10 bytes for sizes; 10^6 bytes a second for rates" },
	};
	struct table t = { 0 };

	d->format->fold(d, "glossary", "Glossary");
	table_column(&t, "word", false);
	table_column(&t, "meaning", false);
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		table_pair(&t, words[i][0], words[i][1]);
	d->format->table(d, &t);
	d->format->fold(d, NULL, NULL);
}

void report_write(struct doc *d, const struct run *run,
		  const struct report_parts *parts)
{
	d->format->begin(d, report_title(run));
	put_card(d, run, parts);
	put_warnings(d, run, parts->figs);
	put_contents(d, run, parts);
	course_write(d, parts->course, run);
	pairs_write(d, &parts->course->table, run);
	lmbench_write(d, parts->lmbench, run);
	instructions_write(d, run, parts->ledger);
	families_write(d, run, &parts->course->table, parts->figs);
	d->format->heading(d, 2, "run", "How it was measured");
	put_intro(d, run);
	put_glossary(d);
	sections_machine(d, run);
	sections_noise(d, run);
	sections_timer(d, run, parts->figs);
	sections_method(d, run);
	put_missing(d, run);
	put_reproduce(d, run);
	d->format->end(d);
}
