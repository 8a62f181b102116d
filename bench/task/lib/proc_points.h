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
enum proc_kind {
	PROC_KIND_SPAWN,
	PROC_KIND_MEMORY,
	PROC_KIND_PAGE, /* derived: of two of the kind before */
	PROC_KIND_FIRST,
	PROC_KIND_VIEW, /* recorded with the kind before */
};

/* Who forks: the measuring program, or the small one. */
enum proc_parent { PROC_PARENT_SUITE, PROC_PARENT_SMALL, PROC_PARENTS };

/* Programs of their own: what the exec kinds execute, one that has no libc or
 * one that a dynamic linker starts, and the small one that forks. */
enum proc_helper { PROC_STATIC, PROC_DYNAMIC, PROC_FORKER, PROC_HELPERS };

struct proc_point {
	enum proc_kind kind;
	enum proc_op op;
	size_t bytes; /* touched by the parent */
	bool huge;    /* in huge pages */
	bool again;   /* and again before each fork */
	enum proc_parent parent;
	enum proc_helper program;
	const struct bench_case *self;
	const struct bench_case *with, *without; /* PROC_KIND_PAGE */
};

#define PROC_POINTS_MAX 48

struct proc_points {
	struct proc_point v[PROC_POINTS_MAX];
	size_t n;
	char helper[PROC_HELPERS][PATH_MAX];
	const struct bench_case *fork0;
	const struct bench_case *view[PROC_PARENTS][2]; /* child, parent */
};

/* proc_points_add() - add all cases; the point of a case is its @arg. */
void proc_points_add(struct bench *b, struct proc_points *s);

/* proc_points_place() - copies of the programs that @p needs, made once.
 * Return: 0, bench_fail() or bench_skip(). */
int proc_points_place(struct bench *b, struct proc_points *s,
		      const struct proc_point *p);

/* proc_points_derive() - values of the derived cases. */
void proc_points_derive(struct bench *b, const struct proc_points *s);

/* proc_point_status() - the exit status of its child if all went well. */
int proc_point_status(const struct proc_point *p);

/* proc_point_processes() - how many it has at a time, besides the measuring
 * one: the small one, the shell. */
int proc_point_processes(const struct proc_point *p);

/* proc_point_page() - size of its pages, bytes. */
size_t proc_point_page(const struct proc_point *p);

#endif
