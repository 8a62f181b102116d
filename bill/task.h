/* SPDX-License-Identifier: MIT */
#ifndef TASK_H
#define TASK_H

#include <stddef.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include "trace.h"

#define PAGE_SIZE ((uint64_t)sysconf(_SC_PAGESIZE))

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

struct mapping {
	uint64_t from, to, inode;
};

/*
 * An address space: what faults have put where.  The kernel says at which
 * address a fault was (perf); the maps say what is mapped there; the page
 * itself (/proc/PID/pagemap) what it became; and that there was a page before
 * says that it was copied.
 */
struct memory {
	unsigned int refs; /* tasks */
	bool old;	   /* the mappings are to be read again */
	uint64_t brk;	   /* its last result */
	struct mapping *mapping;
	size_t mappings;
	struct area *area; /* its pages */
	size_t areas;
};

/* A thread of the command. */
struct task {
	pid_t tid, pid;
	struct files *files;
	struct memory *memory;
	bool inside;		 /* a call */
	bool makes;		 /* another task, in this call */
	const struct form *form; /* a row of calls.def */
	struct call call;
	struct stat before; /* of the file, the last path; st_nlink 0: none */
	uint64_t missed;    /* 0, or an address that was read in its place */
	uint64_t flags;	    /* of clone() */
	bool rights;	    /* its file gives the program more than the user */
	int64_t switches;   /* of its own will, before the call; -1: not read */
};

/* files_new() - what @tid has open at the begin, which is not its alone.
 * files_copy() - of a child; @same: it shares them.  files_drop() - one user
 * less. */
struct files *files_new(pid_t tid);
struct files *files_copy(struct files *from, bool same);
void files_drop(struct files *f);

/* task_enter(), task_leave() - before and after @t's call, whose number,
 * arguments and result are in t->call: fill in kind, traits, features. */
void task_enter(struct task *t);
void task_leave(struct task *t);

/* task_exec() - its new program is loaded: some descriptors have closed. */
void task_exec(struct task *t);

/* task_catches() - whether signal @sig has a handler in @t. */
bool task_catches(const struct task *t, int sig);

/* memory_new() - of a new program.  memory_copy() - of a child; @same: it
 * shares it.  memory_drop() - one user less. */
struct memory *memory_new(void);
struct memory *memory_copy(struct memory *from, bool same);
void memory_drop(struct memory *m);

/* memory_fault() - count a fault of task @tid at @address. */
void memory_fault(struct memory *m, pid_t tid, uint64_t address,
		  struct profile *p);

/* memory_forget() - the pages in this range are gone or may be others. */
void memory_forget(struct memory *m, uint64_t from, uint64_t to);

/* memory_present() - pages of task @tid that are there; what is beyond
 * MEMORY_LOOK of them is not looked at. */
#define MEMORY_LOOK (1U << 20)
uint64_t memory_present(pid_t tid, uint64_t from, uint64_t to);

/* memory_resident() - the features FILE_PAGES, ANONYMOUS_PAGES, SHARED_PAGES
 * and MAPPINGS of task @tid; a @fork copies those that are shared, too, as its
 * own.  Return: whether it has any pages. */
bool memory_resident(pid_t tid, bool fork, uint64_t feature[FEATURES]);

/* memory_read() - bytes of task @tid.  Return: bytes read, fewer where its
 * memory ends, or -1. */
ssize_t memory_read(pid_t tid, uint64_t at, void *to, size_t len);

/* faults_open() - see where faults are, by perf's page-faults event, from the
 * exec() of @pid on, also of all that it starts.  Return: a sentence on what is
 * counted or why not.
 * faults_read() - hand each fault that is not yet read to @fault.  Return of
 * it: false: the task is not known yet, try it the next time.  @running: the
 * newest are left, for the kernel may not have done them yet. */
typedef bool fault_fn(pid_t tid, uint64_t address);
const char *faults_open(pid_t pid);
void faults_read(fault_fn *fault, bool running);

#endif
