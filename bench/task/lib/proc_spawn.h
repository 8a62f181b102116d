/* SPDX-License-Identifier: MIT */
#ifndef PROC_SPAWN_H
#define PROC_SPAWN_H

#include <stdint.h>
#include <sys/types.h>

#include "timer.h"

/* The exit status of oscost-hello where a dynamic linker has started it: a
 * program that is another, or static, ends with another. */
#define PROC_LINKED 42

/*
 * One process, which proc_make() makes in one of the ways, waits for and reaps,
 * whatever signals come.  Raw ticks.
 */
struct proc {
	char *program; /* what the exec kinds execute; absolute path */
	volatile uint64_t *child_end; /* in memory that children share */

	uint64_t ticks; /* from the call until the child was reaped */
	/* PROC_FIRST: from just before fork to the first instruction after. */
	uint64_t in_child, in_parent;
	int64_t status;	     /* as of proc_reap() */
	int64_t children_ns; /* of the small program: they have run so long */
};

/* The names of the ways; from PROC_EXECUTES on they execute the program. */
enum { PROC_FIRST = 3, PROC_EXECUTES, PROC_FORK_SH = 7, PROC_WAYS };
extern const char *const proc_ways[PROC_WAYS];
void proc_make(struct proc *s, int way, enum timer_method method);

/* proc_reap() - wait for @pid, whatever signals come.  Return: its exit
 * status, 128 + the signal that ended it, or -errno. */
int proc_reap(pid_t pid);

/* A request to bench/task/exec/forker.c on fd 0, packet by packet; it answers
 * on fd 1 with a struct proc, and sends one unasked when it is ready.  Its
 * argument is the program that the exec kinds execute. */
struct proc_request {
	int32_t way, method; /* enum timer_method */
};

#endif
