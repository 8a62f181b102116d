/* SPDX-License-Identifier: MIT */
#ifndef TASK_H
#define TASK_H

#include <sys/stat.h>
#include <sys/types.h>

#include "memory.h"
#include "operations.h"

/* An open file: dup() and fork() share it. */
struct file {
	unsigned int kind;
	unsigned int refs; /* descriptors, and mappings or other processes */
};

/* Descriptors; threads share them. */
struct files {
	unsigned int refs;
	size_t n;
	struct file **at; /* NULL: not open, or not looked up */
};

struct form; /* of a call: a row of calls.def */

/* A thread of the command. */
struct task {
	pid_t tid, pid;
	struct files *files;
	struct memory *memory;
	bool inside; /* a call */
	const struct form *form;
	struct call call;
	long nr;	    /* of the call, as it was made */
	char *path[2];	    /* read from its memory */
	bool known[2];	    /* path[] is of this call */
	struct stat before; /* of the file, the last path; st_nlink 0: none */
	uint64_t missed;    /* 0, or an address that was read in its place */
	uint64_t flags;	    /* of clone() */
	bool rights;	    /* its file gives the program more than the user */
	int64_t switches;   /* of its own will, before the call */
	struct task *next;  /* of the table's */
};

/* files_new() - what @tid has open at the begin, which is not its alone.
 * files_copy() - of a child.  Both: for one more user, as @f->refs++ is.
 * files_drop() - one user less. */
struct files *files_new(pid_t tid);
struct files *files_copy(const struct files *f);
void files_drop(struct files *f);

/* task_enter(), task_leave() - before and after @t's call, whose number,
 * arguments and result are in t->call: fill in kind, traits, features. */
void task_enter(struct task *t);
void task_leave(struct task *t);

/* task_exec() - its new program is loaded: some descriptors have closed. */
void task_exec(struct task *t);

/* task_catches() - whether signal @sig has a handler in @t. */
bool task_catches(const struct task *t, int sig);

#endif
