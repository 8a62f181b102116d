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

#define KIND(id, ...) id##_KIND,
enum {
#include "kinds.def"
	KINDS
};

#define KIND(id, ...) KIND_##id = 1 << id##_KIND,
enum kind {
#include "kinds.def"
	ANY = (1 << KINDS) - 1,
};

#define FEATURE(...)
#define TRAIT(id) id##_TRAIT,
enum {
#include "features.def"
};

#define FEATURE(...)
#define TRAIT(id) id = 1 << id##_TRAIT,
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
	long made, nr; /* its number; that of the call it is classed as */
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

/* kind_like() - the kind of what is described as in kinds.def. */
unsigned int kind_like(const char *description);
const char *kind_name(unsigned int kind);

#endif
