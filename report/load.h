/* SPDX-License-Identifier: MIT */
#ifndef LOAD_H
#define LOAD_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "notes.h"
#include "result.h"

/* One case over all its invocations. */
struct row {
	struct result all;     /* aggregated */
	double *values;	       /* result_said() of each invocation */
	double least, most;    /* of all their samples; most: less a tenth */
	double *core_hz;       /* at which each invocation ran; NAN: unknown */
	double *distance_ns;   /* of its two CPUs; the same */
	size_t n;	       /* how many invocations */
	unsigned int failures; /* how many of them failed */
	const char *missing;   /* why the first without a value has none */
	double moves;	       /* per cent, with the place of its code; or 0 */
};

/* One program of the run: its rows in the order in which it printed them. */
struct section {
	const char *program;
	const json_t *about; /* its object in about.json, or NULL */
	size_t *rows;	     /* indexes into struct run */
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

/* A results directory, read. */
struct run {
	const char *dir;
	json_t *machine, *about, *meta; /* meta is run.json; NULL if absent */
	json_t *peer;			/* the other machine, or NULL */
	json_t *noise;			/* lines of noise.jsonl, or NULL */
	struct row *rows;
	size_t nrows;
	struct section *sections;
	size_t nsections;
	struct trouble *troubles;
	size_t ntroubles;
	unsigned int rounds; /* most invocations of a row */
	unsigned int bad_lines;
	struct notes *notes; /* what was wrong with the files */
};

/**
 * run_load() - read a results directory.
 * @why: on failure one line for the user.
 *
 * Files and lines that cannot be used are left out with a note; only a
 * directory without a single usable row or reason is a failure.
 *
 * Return: 0 or -errno.
 */
int run_load(struct run *run, const char *dir, struct notes *notes,
	     const char **why);

/* run_load_core() - the same, of the core rows alone. */
int run_load_core(struct run *run, const char *dir, struct notes *notes,
		  const char **why);

/* run_free() - of one of thousands; any other is there until the end. */
void run_free(struct run *run);

/* run_read_json() - DIR/@name, a @type; NULL with a note if it is none. */
json_t *run_read_json(struct run *run, const char *name, json_type type);

/* run_planned() - the name of the program with that id in the plan (an id
 * stands for one program with certain arguments), or @id. */
const char *run_planned(const struct run *run, const char *id);

/* run_section() - the section of @program, or NULL. */
const struct section *run_section(const struct run *run, const char *program);

/* run_text() - string at @path ("cpu.model") in @object, NULL if there is
 * none; run_number() - number there, NAN if there is none. */
const json_t *run_at(const json_t *object, const char *path);
const char *run_text(const json_t *object, const char *path);
double run_number(const json_t *object, const char *path);

#endif
