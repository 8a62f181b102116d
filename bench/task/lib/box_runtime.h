/* SPDX-License-Identifier: MIT */
#ifndef BOX_RUNTIME_H
#define BOX_RUNTIME_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "bench.h"

/* A container runtime (crun, runc), its bundle and its record. */
struct box_runtime {
	char program[PATH_MAX], bundle[PATH_MAX], record[PATH_MAX];
	char said[PATH_MAX]; /* a file with its messages */
	char name[64];	     /* of the container and of its control group */
	int watch;	     /* on the program in the bundle; -1: none */
};

/* box_runtime_missing() - NULL, or a sentence: it is not installed. */
const char *box_runtime_missing(const char *name);

/**
 * box_runtime_open() - make a bundle in @dir, of the root @dir/lower, and note
 * the control groups that runtime @name may leave.
 *
 * Return: 0, bench_fail() or bench_skip().
 */
int box_runtime_open(struct bench *b, struct box_runtime *r, const char *name,
		     const char *dir);

/* box_runtime_run() - one `run` of it, @ticks raw, in a process that does not
 * see the empty version 2 tree of a system with control groups of version 1,
 * which crun refuses.  Return: as above. */
int box_runtime_run(struct bench *b, struct box_runtime *r,
		    enum timer_method method, uint64_t *ticks);

/* box_runtime_seen() - whether the program in the bundle was opened since it
 * was last asked. */
bool box_runtime_seen(struct box_runtime *r);

/* box_runtime_close() - one that is closed is fine. */
void box_runtime_close(struct box_runtime *r);

#endif
