/* SPDX-License-Identifier: MIT */
#ifndef MEMORY_H
#define MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* The page faults of a command, by kind. */
enum fault { FAULT_FILE, FAULT_COW, FAULT_ANON, FAULT_ZERO, FAULT_KINDS };

/*
 * An address space: what faults have put where.  The kernel says at which
 * address a fault was (perf); the maps say what is mapped there; the page
 * itself (/proc/PID/pagemap) what it became; and that there was a page before
 * says that it was copied.
 */
struct page {
	uint64_t number; /* + 1; 0: empty */
	enum fault kind; /* of the last fault */
	bool shared;	 /* by a fork since */
};

struct mapping {
	uint64_t from, to;
	bool file;
};

struct memory {
	unsigned int refs; /* tasks */
	int pagemap;	   /* file; -1: none */
	bool old;	   /* the mappings are to be read again */
	uint64_t brk;	   /* its last result */
	struct mapping *mapping;
	size_t mappings;
	struct page *page; /* a hash table */
	size_t pages, room;
};

/* memory_new() - of a new program.  memory_copy() - of a forked child.
 * memory_drop() - one user less. */
struct memory *memory_new(void);
struct memory *memory_copy(struct memory *m);
void memory_drop(struct memory *m);

/* memory_fault() - a fault of task @tid at @address.  Return: its kind. */
enum fault memory_fault(struct memory *m, pid_t tid, uint64_t address);

/* memory_forget() - the pages in this range are gone or may be others. */
void memory_forget(struct memory *m, uint64_t from, uint64_t to);

/* memory_present() - pages of task @tid that are there; what is beyond
 * MEMORY_LOOK of them is not looked at. */
#define MEMORY_LOOK (1U << 20)
uint64_t memory_present(struct memory *m, pid_t tid, uint64_t from,
			uint64_t to);

/* memory_resident() - pages of files and anonymous ones, and mappings, of task
 * @tid.  Return: whether it has any. */
bool memory_resident(pid_t tid, uint64_t *file, uint64_t *anonymous,
		     uint64_t *mappings);

/*
 * Where faults are, by perf's page-faults event of a process and all that it
 * starts.
 */
struct faults;

/* faults_open() - from the exec() of @pid on.  @how: gets a sentence on what
 * is counted or why not.  Return: NULL: not to be had here. */
struct faults *faults_open(pid_t pid, const char **how);

/* faults_read() - hand each fault that is not yet read to @fault.  Return of
 * it: false: the task is not known yet, try it the next time. */
typedef bool fault_fn(void *arg, pid_t tid, uint64_t address);
void faults_read(struct faults *f, fault_fn *fault, void *arg);

/* faults_close() - Return: how many came too fast. */
uint64_t faults_close(struct faults *f);

/* memory_read() - bytes of task @tid.  Return: bytes read, fewer where its
 * memory ends, or -1. */
ssize_t memory_read(pid_t tid, uint64_t at, void *to, size_t len);

#endif
