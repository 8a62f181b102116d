/* SPDX-License-Identifier: MIT */
#ifndef PROC_SPAWN_H
#define PROC_SPAWN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "timer.h"

/* The ways to make a process and to see it end. */
enum proc_op {
	PROC_FORK,
	PROC_VFORK,
	PROC_CLONE3,
	PROC_FORK_EXEC,
	PROC_VFORK_EXEC,
	PROC_POSIX_SPAWN,
	PROC_FORK_SH,
	PROC_FIRST, /* fork, timed on both sides */
	PROC_OPS    /* how many there are */
};

/* The exit status of oscost-hello where a dynamic linker has started it: a
 * program that is another, or static, ends with another. */
#define PROC_LINKED 42

/* proc_op_name() - "fork", "vfork", ...; proc_executes() - whether it needs a
 * program. */
const char *proc_op_name(enum proc_op op);
bool proc_executes(enum proc_op op);

/* proc_reap() - wait for @pid, whatever signals come.  Return: its exit
 * status, 128 + the signal that ended it, or -errno. */
int proc_reap(pid_t pid);

/* proc_vfork() - vfork(), and in the child execve() of @argv, or its end if
 * that is NULL; reap it.  Return: as above (127: exec failed). */
int proc_vfork(char *const argv[]);

/* Raw ticks. */
struct proc_result {
	uint64_t ticks; /* from the call until the child was reaped */
	/* PROC_FIRST: from just before fork to the first instruction after. */
	uint64_t in_child, in_parent;
	int64_t status; /* as of proc_reap() */
};

/**
 * proc_make() - make a process by @op, wait for it and reap it, whatever
 * signals come, and time that.
 * @program: what the exec kinds execute; absolute path.
 * @child_end: in memory that is shared with children.
 */
void proc_make(enum timer_method method, enum proc_op op, const char *program,
	       volatile uint64_t *child_end, struct proc_result *r);

/* What bench/task/exec/forker.c is asked for on fd 0, packet by packet; it
 * answers on fd 1 with a struct proc_result, and gives one unasked when it is
 * there.  Its argument is what the exec kinds execute. */
struct proc_request {
	int32_t op, method; /* enum proc_op, enum timer_method */
};

#endif
