/* SPDX-License-Identifier: MIT */
#ifndef BILL_H
#define BILL_H

#include <errno.h>
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#define PAGE_SIZE ((uint64_t)sysconf(_SC_PAGESIZE))

/* ---- Operations: the tables, *.def ------------------------------------- */

/* Bits: the number of each, the bit, and the number again, to go on behind it.
 */
#define KIND(id, ...) \
	id##_KIND, KIND_##id = 1 << id##_KIND, id##_KIND_ = id##_KIND,
enum kind {
#include "kinds.def"
	KINDS,
	ANY = (1 << KINDS) - 1,
};

#define FEATURE(...)
#define TRAIT(id) id##_TRAIT, id = 1 << id##_TRAIT, id##_TRAIT_ = id##_TRAIT,
enum trait {
#include "features.def"
};

#define FEATURE(id, name) id,
#define TRAIT(id)
enum feature {
	FEATURE_NONE,
#include "features.def"
	FEATURES,
};

#define OPERATION(id, ...) OP_##id,
enum operation_id {
#include "operations.def"
	OPERATIONS_N
};

#define FEATURES_MAX 5
enum { OK = 0 };

extern const struct operation {
	const char *id, *name, *calls; /* @id: as in the table */
	int outcome;
	unsigned int kinds, traits;
	enum feature feature[FEATURES_MAX]; /* FEATURE_NONE: no more */
} operations[OPERATIONS_N];

/* One system call, with what is known of it. */
struct call {
	long made, nr; /* its number; that of the call it is classed as */
	uint64_t args[6];
	int64_t ret; /* or -errno */
	unsigned int kind, traits;
	uint64_t feature[FEATURES];
};

#define CALL_NUMBERS 1024 /* more than any number */

/* call_class() - an index of operations; -1: it has none.
 * call_name() - of a number of this machine, NULL: unknown.  call_number() -
 * the other way round; -1: this machine has no such call.  kind_like() - the
 * kind of what is described as in kinds.def. */
int call_class(const struct call *c);
const char *call_name(long nr);
long call_number(const char *name);
unsigned int kind_like(const char *description);

/* ---- The profile: counts of a command ---------------------------------- */

struct class_sum {
	uint64_t count;
	struct feature_sum {
		uint64_t sum, min, max;
	} feature[FEATURES_MAX]; /* as in the table */
};

/* A run of the command; of that under a tracer @usage has only the faults. */
struct run {
	int64_t wall_ns;
	int status; /* to exit with: 128 + signal */
	struct rusage usage;
};

/* It has no paths, contents, arguments.  The processes that start the command
 * share it (mmap()). */
struct profile {
	struct class_sum class[OPERATIONS_N];
	json_t *calls;	   /* "name": how many were made */
	json_t *unclassed; /* "name [OUTCOME] [kind]": how many have no class */
	uint64_t processes, threads;
	uint64_t exec_faults; /* inside an exec, whose cost has them */
	long faults_before;   /* of the process that becomes the command */
	const char *faults;   /* how their kinds were found */
	struct run traced, untraced;
	bool exact; /* user and system time are measured, not by ticks */
	const char *no_untraced; /* why there is no such run; NULL: there is */
};

/* profile_event() - one more of a class; @feature: by enum feature, NULL: none.
 * profile_made() - a call by its name.  profile_call() - by its class;
 * @outcome: it has none for that reason; NULL: it has ended. */
void profile_event(struct profile *p, int class, const uint64_t *feature);
void profile_made(struct profile *p, const struct call *c);
void profile_call(struct profile *p, const struct call *c, const char *outcome);

/* profile_write() - as JSON.  Return: 0 or -errno.
 * profile_classes() - print the table of classes. */
int profile_write(const struct profile *p, FILE *f);
void profile_classes(void);

/* trace_run() - trace @pid, which becomes the command when @go is closed, and
 * all that it starts, and count.  Where it is refused or could not be traced,
 * it warns and p->processes is 0.  A signal that was sent to us is a reason for
 * no second run.  Return: the status to exit with. command_status() - the exit
 * status of what waitpid() gave: 128 + N for signal N. */
int trace_run(struct profile *p, pid_t pid, int go);
int command_status(int status);

/* ---- Tasks ------------------------------------------------------------- */

/*
 * An address space: what faults have put where.  The kernel says at which
 * address a fault was (perf); the maps say what is mapped there; the page
 * itself (/proc/PID/pagemap) what it became; and that there was a page before
 * says that it was copied.
 */
struct memory {
	unsigned int refs; /* tasks */
	char *maps;	   /* of /proc; NULL: to be read again */
	uint64_t brk;	   /* its last result */
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
	int64_t switches;   /* of its own will, before the call; -1: not read */
};

/* files_new() - what @tid has open at the begin, which is not its alone.
 * files_copy() - of a child; @same: it shares them.  files_drop() - one user
 * less. */
struct files *files_new(pid_t tid);
struct files *files_copy(struct files *from, bool same);
void files_drop(struct files *f);

/* task_enter(), task_leave() - before and after @t's call, whose number,
 * arguments and result are in t->call: fill in kind, traits, features.
 * task_exec() - its new program is loaded: some descriptors have closed.
 * task_catches() - whether signal @sig has a handler in @t. */
void task_enter(struct task *t);
void task_leave(struct task *t);
void task_exec(struct task *t);
bool task_catches(const struct task *t, int sig);

/* memory_new() - of a new program.  memory_copy() - of a child; @same: it
 * shares it.  memory_drop() - one user less. */
struct memory *memory_new(void);
struct memory *memory_copy(struct memory *from, bool same);
void memory_drop(struct memory *m);

/* memory_fault() - count a fault of task @tid at @address.
 * memory_forget() - the pages in this range are gone or may be others. */
void memory_fault(struct memory *m, pid_t tid, uint64_t address,
		  struct profile *p);
void memory_forget(struct memory *m, uint64_t from, uint64_t to);

/* memory_present() - pages of task @tid that are there; with its memory as
 * @small, else NULL, without those of huge pages, which go at once; what is
 * beyond MEMORY_LOOK of them is not looked at. */
#define MEMORY_LOOK (1U << 20)
uint64_t memory_present(const struct memory *small, pid_t tid, uint64_t from,
			uint64_t to);

/* memory_resident() - the features FILE_PAGES, COMMON_PAGES, ANONYMOUS_PAGES,
 * SHARED_PAGES and MAPPINGS of task @tid, without huge pages; a @fork copies
 * those that are shared, too, as its own.  Return: whether it has any pages. */
bool memory_resident(pid_t tid, bool fork, uint64_t feature[FEATURES]);

/* memory_read() - bytes of task @tid.  Return: bytes read, fewer where its
 * memory ends, or -1. */
ssize_t memory_read(pid_t tid, uint64_t at, void *to, size_t len);

#endif
