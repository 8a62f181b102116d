/* SPDX-License-Identifier: MIT */
#ifndef PROC_SPAWN_H
#define PROC_SPAWN_H

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
	PROC_OPS /* how many there are */
};

/* The exit status of oscost-hello where a dynamic linker has started it: a
 * program that is another, or static, ends with another. */
#define PROC_LINKED 42

/* proc_op_name() - "fork", "vfork", ... */
const char *proc_op_name(enum proc_op op);

/**
 * proc_spawn() - make a process by @op, wait for it and reap it.
 * @program: what the exec kinds execute; absolute path.
 *
 * The child is always reaped before this returns, whatever signals come.
 *
 * Return: exit status of the child (0 is good; 127: exec failed), 128 + the
 * signal that ended it, or -errno: EAGAIN, ENOMEM, ENOSYS.
 */
int proc_spawn(enum proc_op op, const char *program);

/* proc_reap() - wait for @pid, whatever signals come.  Return: its exit
 * status, 128 + the signal that ended it, or -errno. */
int proc_reap(pid_t pid);

/* From just before fork to the first instruction after it, raw ticks. */
struct proc_first {
	uint64_t in_child, in_parent;
};

/**
 * proc_first() - one fork, timed on both sides.
 * @child_end: in memory that is shared with children.
 *
 * Return: exit status of the child, which was reaped, or -errno.
 */
int proc_first(enum timer_method method, volatile uint64_t *child_end,
	       struct proc_first *out);

#endif
