/* SPDX-License-Identifier: MIT */
#ifndef OPERATIONS_H
#define OPERATIONS_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * The operations of the kernel that a program pays for: one row each.  A row
 * is a class of calls (or an event) that has one cost, which may grow with one
 * to three features.  From the table (operations.def) come the
 * classifier, the names in a profile, and the cost of each row.
 */
enum { OK = 0 };

/* Kinds of a descriptor, or of a path: PROC, or FILE for all else. */
enum kind {
	KIND_FILE = 1 << 0, /* regular, and no file of PROC */
	KIND_DIR = 1 << 1,
	KIND_PROC = 1 << 2, /* of proc, sysfs and the like: any */
	KIND_PIPE = 1 << 3,
	KIND_TCP = 1 << 4,
	KIND_UDP = 1 << 5,
	KIND_UNIX = 1 << 6,
	KIND_SOCKET = 1 << 7, /* other sockets */
	KIND_EVENTFD = 1 << 8,
	KIND_EPOLL = 1 << 9,
	KIND_TIMERFD = 1 << 10,
	KIND_TTY = 1 << 11,
	KIND_NULL = 1 << 12, /* /dev/null */
	KIND_OTHER = 1 << 13,
	KIND_BAD = 1 << 14, /* not open, or not to be looked up */
	ANY = (1 << 15) - 1,
};

enum trait {
	NEW = 1 << 0,	   /* a file is created, pages are added to one */
	NOTHING = 1 << 1,  /* the call returned 0 */
	WAITED = 1 << 2,   /* the task gave up the CPU in the call */
	REPLACED = 1 << 3, /* what was there under this name or number */
	SHARED = 1 << 4,   /* other descriptors, names or processes have it */
	EMPTY = 1 << 5,	   /* no path, an address of 0 */
	ANONYMOUS = 1 << 6,
	FIXED = 1 << 7,
	ODD = 1 << 8,	 /* costs much more, and no row has it */
	LOCK = 1 << 9,	 /* the call's command: locks of a range */
	FLAGS = 1 << 10, /* flags of a descriptor */
	ADD = 1 << 11,
	REMOVE = 1 << 12,
	WAIT = 1 << 13,
	WAKE = 1 << 14,
	VFORK = 1 << 15,   /* the parent waits until exec or exit */
	MEMORY = 1 << 16,  /* one address space for both */
	DYNAMIC = 1 << 17, /* has an interpreter (ld.so) */
	SCRIPT = 1 << 18,  /* begins with #! */
	LESS = 1 << 19,	   /* shrinks */
};

enum feature {
	FEATURE_NONE,
	COMPONENTS, /* of the path, as walked: those of links, too, not "." */
	BYTES,	    /* that were read or written */
	NEW_PAGES,  /* that were added to the file */
	PAGES,	 /* touched, freed, resident in the range or mapped by faults */
	ENTRIES, /* of a directory */
	DESCRIPTORS,
	FILE_PAGES,	 /* resident in the address space: of files, ... */
	ANONYMOUS_PAGES, /* ... its own, which an end frees (a fork: all) ... */
	SHARED_PAGES,	 /* ... and shared since a fork */
	MAPPINGS,	 /* of the address space */
	FEATURES,
};

#define PATH_STAT "stat lstat newfstatat statx"
#define EPOLLS	  "epoll_wait epoll_pwait epoll_pwait2"
#define NULLS                                                                  \
	"getpid getppid gettid getuid geteuid getgid getegid getpgrp getpgid " \
	"getsid umask set_robust_list set_tid_address rseq arch_prctl "        \
	"getresuid getresgid"

#define OPERATION(id, ...) OP_##id,
enum {
#include "operations.def"
	OPERATIONS_N
};
#undef OPERATION

#define FEATURES_MAX 4

struct operation {
	const char *id, *name, *calls; /* @id: as in the table */
	int outcome;
	unsigned int kinds, traits;
	enum feature feature[FEATURES_MAX]; /* FEATURE_NONE: no more */
};

extern const struct operation operations[OPERATIONS_N];
extern const char *const feature_names[FEATURES];

/* One system call, with what is known of it. */
struct call {
	long nr;
	uint64_t args[6];
	int64_t ret; /* or -errno */
	unsigned int kind, traits;
	uint64_t feature[FEATURES];
};

/* operation_of() - the class of @c: an index; -1: it has none. */
int operation_of(const struct call *c);

/* call_name() - of a number of this machine, NULL: unknown.  call_number() -
 * the other way round; -1: this machine has no such call. */
const char *call_name(long nr);
long call_number(const char *name);
#define CALL_NUMBERS 1024 /* more than any number */

/* kind_name() - of one bit of enum kind. */
const char *kind_name(unsigned int kind);

#endif
