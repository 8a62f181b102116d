/* SPDX-License-Identifier: MIT */
#ifndef PROC_POINTS_H
#define PROC_POINTS_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "bench.h"
#include "proc_spawn.h"

/* The rows of process: what they are and how they follow from each other.  The
 * axes are explained in the comment that opens that file. */
extern const char proc_points[];

/* Who forks: the measuring program, or the small one. */
enum proc_parent { PROC_PARENT_SUITE, PROC_PARENT_SMALL, PROC_PARENTS };

/* Programs of their own: what the exec kinds execute, one that has no libc or
 * one that a dynamic linker starts, and the small one that forks. */
enum proc_helper { PROC_STATIC, PROC_DYNAMIC, PROC_FORKER, PROC_HELPERS };

/* The state of a case. */
struct proc_point {
	enum proc_op op;
	bool first;   /* of the first instruction */
	size_t bytes; /* touched by the parent */
	size_t page;  /* of it, bytes */
	bool huge;    /* in huge pages */
	bool again;   /* and again before each fork */
	enum proc_parent parent;
	enum proc_helper program;
	uint64_t firsts, child_firsts;
};

/* Copies of the helpers' programs, made once. */
struct proc_helpers {
	char path[PROC_HELPERS][PATH_MAX];
};

/* proc_points_set() - what the text needs to know of this machine. */
void proc_points_set(struct bench *b);

/* proc_point_fill() - the point of @c, from its values. */
bool proc_point_fill(struct bench *b, void *state, struct bench_case *c);

/* proc_points_place() - copies of the programs that @p needs.
 * Return: 0, bench_fail() or bench_skip(). */
int proc_points_place(struct bench *b, struct proc_helpers *h,
		      const struct proc_point *p);

/* proc_point_status() - the exit status of its child if all went well. */
int proc_point_status(const struct proc_point *p);

#endif
