/* SPDX-License-Identifier: MIT */
#ifndef SECTIONS_H
#define SECTIONS_H

#include <stdio.h>

#include "course.h"
#include "doc.h"
#include "figures.h"
#include "load.h"
#include "rowtable.h"

/*
 * The card: the `core` lines (docs/rows.md) that have words, the figures that a
 * person quotes.  Wherever it is shown, times come first, then bandwidths, each
 * in the order of their size, then what has no value, with the reason.
 * Operations of programs that are not part of the run are left out.
 */
/* Where no operation of it is part of a run. */
#define CARD_NONE "This run has no operation of the card."

/* card_table() - operation, value, interval, grade; where there is no value the
 * reason stands behind the operation. */
void card_table(struct table *t, const struct run *run);

/* card_print() - machine, quality and table for a terminal of 80 columns: three
 * lines more than it has operations, unless a CPU's number has three digits. */
void card_print(FILE *f, const struct run *run);

/* card_collect() - the operations with a value as points of card.svg: a
 * category for each, by its words; x is its place; y in ns, or in B/s. */
void card_collect(struct plotdata *d, const struct run *run);

const char *card_machine(const struct run *run);

/* report_write() - the whole report, of a struct course, as one document. */
doc_write_fn report_write;

/* The machine and how it was timed; in a file of their own. */
void sections_machine(struct doc *d, const struct run *run);
void sections_machine_table(struct table *t, const json_t *machine);
void sections_timer(struct doc *d, const struct run *run);

/* sections_figures() - those of @program that were drawn. */
void sections_figures(struct doc *d, const struct run *run,
		      const char *program);

/* sections_place() - where the files of a program's rows lay, and what that
 * says of its figures; nothing if it has no files. */
void sections_place(struct doc *d, const struct section *s);

/* tables_section() - the table of one section, every case a row. */
void tables_section(struct table *t, const struct run *run,
		    const struct section *section);

/* tables_core() - the rows of @core, which may be of several programs, with the
 * words for them and without what describes samples; tables_is_core()
 * - those that people quote. */
void tables_core(struct table *t, const struct run *run,
		 const struct section *core);
bool tables_is_core(const struct row *row);

/* tables_words() - the name of @row on the card or, if @more, in the course or
 * for lmbench; NULL if it has none. */
const char *tables_words(const struct run *run, const struct row *row,
			 bool more);

/* tables_missing() - the cases that have no value, and the programs that gave
 * none, by reason. */
void tables_missing(struct table *t, const struct run *run);

/* tables_value() - as out_value(), with a digit more where it would else lie
 * out of its interval. */
const char *tables_value(const struct result *r);

/* tables_range() - "12.31 – 12.40 ns", in the unit that the value of @r has. */
const char *tables_range(const struct result *r, double least, double most);

/* tables_interval() - "12.31 – 12.40 ns (±0.4 %)", or NULL where there is
 * none, or where it would reach from one state of the row to the other. */
const char *tables_interval(const struct result *r);

/* tables_both() - the value, and the interval in brackets. */
const char *tables_both(const struct result *r);

/* tables_mark() - of a row of a table: "", or why it has no value. */
const char *tables_mark(const struct result *r);

/* tables_exit() - what an exit status of a program means. */
const char *tables_exit(json_int_t status);

/*
 * The chapters of the families of programs: the `family` lines, each with
 * the programs that the rest of its file runs (docs/rows.md).
 */

/* families_contents() - an item for each family that has a program in @run, or
 * a figure whose first "program" is its folder. */
void families_contents(struct doc *d, const struct run *run);

/* families_write() - a few words, the core rows and the figures of each; all
 * rows of its programs folded. */
void families_write(struct doc *d, const struct run *run);

/*
 * New ways of doing something against old ones: the `pair` lines of a rowtable
 * (docs/rows.md).
 */

/* pairs_fill() - a row for each point that both ways of a pair have a value
 * at.  Return: whether there is one. */
bool pairs_fill(struct table *t, const struct run *run);

/* warnings_add() - what the results say against themselves, each with the
 * remedy, as notes of @run. */
void warnings_add(struct run *run);

/*
 * The noise certificate of a run: what `machine noise` saw on each CPU before,
 * between the rounds and after, added up (noise.jsonl).
 */
/* Causes of lost time. */
enum noise_cause {
	NOISE_TASKS,
	NOISE_THROTTLED,
	NOISE_INTERRUPTS,
	NOISE_UNSEEN,
	NOISE_CAUSES,
};

struct noise_cpu {
	int cpu;
	bool measuring, hypervisor;
	double spun_us, lost_us, longest_us, steal_us;
	double causes_us[NOISE_CAUSES];
	json_t *tasks;	    /* "name (pid 7)": us that it ran */
	json_t *interrupts; /* by kind: how many */
	double *adds; /* for each core cycle (clock/reference.h), by look */
	size_t n_adds;
};

struct noise_certificate {
	struct noise_cpu *v; /* the measuring one first, then the worst */
	size_t n;
};

/* noise_certificate_read() - the lines of DIR/noise.jsonl as an array, NULL if
 * there is no such file; lines that cannot be used are left out with a note. */
json_t *noise_certificate_read(const char *dir, struct notes *notes);

/* noise_certificate_sum() - add up run->noise; n is 0 if there is nothing. */
void noise_certificate_sum(struct noise_certificate *q, const struct run *run);

/* noise_cpu_share() - of the time of @c that others took, 0 to 1. */
double noise_cpu_share(const struct noise_cpu *c);

/* noise_cpu_verdict() - one line: word, share, longest gap. */
const char *noise_cpu_verdict(const struct noise_cpu *c);

/* noise_of_run() - how quiet the measuring CPU was in @run, NULL if nobody
 * looked; *@word: in one word. */
const char *noise_of_run(const struct run *run, const char **word);

/* noise_cpu_cause() - what @cause was on @c, with names, a blank line, and what
 * can be done about it; NULL where it took next to nothing.  noise_cpu_shared()
 * - the same of how often another hardware thread of the core of @c was seen to
 * work; NULL where there were too few looks to tell, or it never was. */
const char *noise_cpu_cause(const struct noise_cpu *c, enum noise_cause cause);
const char *noise_cpu_shared(const struct noise_cpu *c);

/* noise_cpu_main_cause() - the one that took most of @c. */
enum noise_cause noise_cpu_main_cause(const struct noise_cpu *c);

/* noise_certificate_print() - a few lines for a terminal; nothing if there is
 * nothing. */
void noise_certificate_print(FILE *f, const struct run *run);

/* sections_noise() - the section of the report. */
void sections_noise(struct doc *d, const struct run *run);

/*
 * Commands that the report gives to be typed, also under sudo.  Results may be
 * anybody's: each word of a command is ours or quoted, and what does not look
 * as it must is no command.
 */

/* again_word() - @text as one word of a shell; NULL if it has a
 * character that a line cannot show. */
const char *again_word(const char *text);

/* again_run() - what measures as @recorded (a run's command line, quoted as
 * bash's %q does) did: scripts/run-all with those of its options that say what
 * is measured and how; where the results and the programs were is left out.
 * NULL if that is no command line of run-all, if a value has other signs than
 * names and patterns have, or if the rows were in a file of the user's own
 * (--suite). */
const char *again_run(const char *recorded);

/* export_csv() - all rows, one line each, with a heading, as the programs'
 * --csv writes them; export_json() - {schema, machine, run, noise, rows}.  Both
 * take a struct run.  Return: 0 or -ENOMEM. */
doc_file_fn export_csv, export_json;

#endif
