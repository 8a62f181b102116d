/* SPDX-License-Identifier: MIT */
#ifndef LOAD_H
#define LOAD_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "result.h"
#include "rowtable.h"

/* A fact that the reader must know before trusting the figures: what is the
 * matter and what to do about it. */
struct note {
	const char *text, *remedy;
};

struct notes {
	struct note *v;
	size_t n;
};

/* notes_add() - @remedy may be NULL.  The same text is not added twice. */
void notes_add(struct notes *notes, const char *text, const char *remedy);

/* notes_format() - the same of a format of printf(), behind the remedy. */
#define notes_format(notes, remedy, ...) \
	notes_add(notes, text_format(__VA_ARGS__), remedy)

/* notes_text() - "what is the matter. Remedy: what to do". */
const char *notes_text(const struct note *note);

/* notes_warn() - print the texts on stderr. */
void notes_warn(const struct notes *notes);

/* notes_say() - @both: the text and, behind a blank line, the remedy. */
void notes_say(struct notes *notes, const char *both);

/* One case over all its invocations. */
struct row {
	struct result all;     /* aggregated */
	double *values;	       /* result_headline() of each invocation */
	double least, most;    /* of all their samples; most: less a tenth */
	double *core_hz;       /* at which each invocation ran; NAN: unknown */
	size_t n;	       /* how many invocations are in these */
	size_t rounds;	       /* how many there were, excluded ones too */
	unsigned int failures; /* of @n, how many failed */
	const char *missing;   /* why the first without a value has none */
	double earlier[2];     /* least and most value of earlier runs */
	size_t nearlier;       /* how many of them have one */
};

/* One program of the run: its rows in the order in which it printed them. */
struct section {
	const char *program;
	const json_t *about; /* its object in about.json, or NULL */
	struct row **rows;   /* of the run */
	size_t n;
	unsigned int rounds; /* see rounds.h */
	unsigned int last;   /* number of its last round, or 0 */
	double seconds;	     /* its shortest invocation; NAN: not known */
};

/* An attempt to run a program that gave nothing or not all. */
struct trouble {
	const char *program, *reason;
	json_int_t exit_status;
	unsigned int rounds; /* how many rounds went so */
};

struct figures;

/* A results directory, read. */
struct run {
	const char *dir;
	json_t *machine, *about, *meta; /* meta is run.json; NULL if absent */
	json_t *peer;			/* the other machine, or NULL */
	json_t *noise;			/* lines of noise.jsonl, or NULL */
	struct row *rows;
	size_t nrows;
	json_t *index; /* of the rows: see run_find() */
	struct section *sections;
	size_t nsections;
	struct trouble *troubles;
	size_t ntroubles;
	unsigned int rounds; /* most invocations of a row */
	unsigned int bad_lines;
	struct notes *notes; /* what was wrong with the files */
	/* Facts about the rows, rowtable_read(), and figures, figures_read(),
	 * of commands that use them. */
	struct rowtable suite;
	struct figures *figs;
};

/**
 * run_load() - read a results directory.
 * @core: only the core rows.
 *
 * Files and lines that cannot be used are left out with a note; only a
 * directory without a single usable row or reason is a failure.
 *
 * Return: NULL, or one line for the user.
 */
const char *run_load(struct run *run, const char *dir, bool core,
		     struct notes *notes);

/* run_free() - of one of thousands; any other is there until the end. */
void run_free(struct run *run);

/* Where a run has @name: run/ or beside the rows; its JSON, or NULL. */
const char *run_kept(const struct run *run, const char *name);
json_t *run_read_json(struct run *run, const char *name, json_type type);

/* run_planned() - the name of the program with that id in the plan (an id
 * stands for one program with certain arguments), or @id. */
const char *run_planned(const struct run *run, const char *id);

/* run_section() - the section of @program, or NULL. */
const struct section *run_section(const struct run *run, const char *program);

/* run_trouble() - the first trouble of @program, or NULL. */
const struct trouble *run_trouble(const struct run *run, const char *program);

/* run_text() - string at @path ("cpu.model") in @object, NULL if there is
 * none; run_known() - @otherwise then; run_shown() - any value there for
 * people, "unknown" for null and what is absent; run_number() - number there,
 * NAN if there is none. */
const json_t *run_at(const json_t *object, const char *path);
const char *run_text(const json_t *object, const char *path);
const char *run_known(const json_t *object, const char *path,
		      const char *otherwise);
const char *run_shown(const json_t *object, const char *path);
double run_number(const json_t *object, const char *path);

/* run_key() - what a row is found by in another run, a new string; run_find() -
 * the one of
 * @run that is the same as @r, or NULL. */
char *run_key(const struct result *r);
struct row *run_find(const struct run *run, const struct result *r);

/* run_pick() - the row of @program that the first of the space-separated @globs
 * matches; one without a result only if none of them matches one that has.
 * Return: it, or NULL. */
const struct row *run_pick(const struct run *run, const char *program,
			   const char *globs);

/*
 * How many rounds the programs of a run had.  They differ because run-all gives
 * more to those with a wide interval (due.h), and where a run was stopped in
 * the middle of a round.
 */

/* rounds_count() - set rounds, last and seconds of each section; the rows are
 * there. */
void rounds_count(struct run *run);

/* rounds_ends() - least and most rounds of rows; the core rows of a program
 * count apart from its others.  Return: whether they differ. */
bool rounds_ends(const struct run *run, unsigned int *least,
		 unsigned int *most);

/* rounds_text() - "10" or "10 to 30"; rounds_words() - and " rounds". */
const char *rounds_text(const struct run *run);
const char *rounds_words(const struct run *run);

/* rounds_half() - widest half of an interval that rows of @s had after so many
 * @rounds, as a share of its middle: INFINITY if a row had no interval, NAN if
 * no row counts (see rounds_wide()). */
double rounds_half(const struct section *s, unsigned int rounds);

/* rounds_precision() - half the width of an interval, as a share of its
 * value, that the user asked for; NAN if nothing was. */
double rounds_precision(const struct run *run);

/* rounds_goal() - the same, which decided who got more rounds; NAN if all
 * programs had the same. */
double rounds_goal(const struct run *run);

/**
 * rounds_wide() - how many rows of @s are less precise than @within.
 * @within: as of rounds_precision(), 0 or more.
 * @rows: gets the number of rows with a value, out of which they are.
 *
 * A value without an interval, because fewer than 6 invocations gave one or
 * because they have a trend, is not precise at all.  Rows without a value
 * (skipped, failed, below resolution), and levels, which are words, are not
 * counted: no round makes them precise.
 */
size_t rounds_wide(const struct section *s, double within, size_t *rows);

/* rounds_gave_up() - whether the program of @s has failed as a whole: it gave
 * nothing in at least half of its rounds, and in two, or never anything, and
 * said of none that it skips. */
bool rounds_gave_up(const struct run *run, const struct section *s);

/**
 * trend_mark() - find the rows of @run whose values rise or fall with the
 * rounds, by Kendall's exact test; of those that are called, 5 % at most are
 * called wrongly (false discovery rate over all rows).  A row that moves by no
 * more than another run may differ by (grade.h), or by no more than grade A
 * allows, is none.
 *
 * The row gets "trend" {from, to: values of the first and the last round; p:
 * adjusted}, and loses its interval: that is for rounds that are alike.
 */
void trend_mark(struct run *run);

/* trend_text() - "6.60 → 22.9 µs", NULL if there is no trend. */
const char *trend_text(const struct result *r);

/*
 * How far the values of another run may lie (harness/rows/grade.h): widened by
 * the earlier runs that are known, and summed up for the run.
 */

/* grades_earlier() - grade the rows of @run by the earlier runs beside its
 * directory too: as far as a value of the last 10 of the same machine, kernel,
 * build and settings lies from the row's.  Their report.json is read; rows that
 * are of the worst grade by themselves are left out. */
void grades_earlier(struct run *run);

/* grades_of_run() - the grade that 9 of 10 core rows have at least, 0 if there
 * is none; *@text: one sentence of what it means. */
char grades_of_run(const struct run *run, const char **text);

#endif
