/* SPDX-License-Identifier: MIT */
#ifndef LAYER_H
#define LAYER_H

#include <stdbool.h>
#include <sys/types.h>

#include "stay.h"

/*
 * A layer is one row of layers[]: how a process puts itself under it, and how
 * it finds out that it really is.
 */
#define HOW_MAX 256

struct layer {
	const char *name;
	long least, most; /* of N behind "="; alike: there is none */
	const char *needs, *about;
	int flag; /* for apply() and prove() */
	/* Return: 0 or -errno: it cannot be had here.  May fork (stay()). */
	int (*apply)(const struct layer *l, long n);
	/* Whether it is in force; @how says what was seen. */
	bool (*prove)(const struct layer *l, long n, char how[HOW_MAX]);
};

extern const struct layer layers[]; /* the last has no name */

int seccomp_apply(const struct layer *l, long n);
bool seccomp_prove(const struct layer *l, long n, char how[HOW_MAX]);
enum { SECCOMP_BY_NUMBER, SECCOMP_BY_ARGUMENT, SECCOMP_DOCKER };

int landlock_apply(const struct layer *l, long n);
bool landlock_prove(const struct layer *l, long n, char how[HOW_MAX]);

int ptrace_apply(const struct layer *l, long n);
bool ptrace_prove(const struct layer *l, long n, char how[HOW_MAX]);

int traced_apply(const struct layer *l, long n);
bool traced_prove(const struct layer *l, long n, char how[HOW_MAX]);
enum { TRACED_UPROBE, TRACED_KPROBE, TRACED_TRACEPOINT };

#endif
