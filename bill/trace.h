/* SPDX-License-Identifier: MIT */
#ifndef TRACE_H
#define TRACE_H

#include <jansson.h>
#include <stdio.h>
#include <sys/types.h>

#include "operations.h"

#define PROFILE_FORMAT "oscost-bill-profile 1"

/* One feature of all calls of a class. */
enum { SUM, MIN, MAX, SUMS };

struct class_sum {
	uint64_t count, feature[FEATURES_MAX][SUMS]; /* as in the table */
};

/* The numbers of a run of the command; under a tracer only the first four. */
enum run {
	WALL_NS,
	MINOR_FAULTS,
	MAJOR_FAULTS,
	STATUS, /* exit status, 128 + signal */
	TRACED,
	USER_US = TRACED,
	SYSTEM_US,
	OWN_SWITCHES,	/* of its own will ... */
	OTHER_SWITCHES, /* ... or not */
	EXACT,		/* 1: the two times are measured, not by ticks; 0 */
	RUN,
};

/* The operations that a command asked for.  It has no paths, contents,
 * arguments. The processes that start the command share it (mmap()). */
struct profile {
	struct class_sum class[OPERATIONS_N];
	uint64_t calls[CALL_NUMBERS + 1]; /* all; the last: unknown numbers */
	json_t *unclassed; /* "name [OUTCOME] [kind]": how many have no class */
	uint64_t processes, threads; /* before the first nothing is counted */
	uint64_t exec_faults;	     /* inside an exec, whose cost has them */
	uint64_t faults_before; /* of the process that becomes the command */
	const char *faults;	/* how their kinds were found */
	uint64_t traced[RUN], untraced[RUN];
	const char *no_untraced; /* why there is no such run; NULL: there is */
};

/* profile_class() - one more of a class; @feature: by enum feature.
 * profile_unclassed() - one more call that has none; @outcome, @kind: or "". */
void profile_class(struct profile *p, int class,
		   const uint64_t feature[FEATURES]);
void profile_unclassed(struct profile *p, long nr, const char *outcome,
		       const char *kind);

/* profile_write() - as JSON.  Return: 0 or -errno. */
int profile_write(const struct profile *p, FILE *f);

/* command_start() - a process that waits to become the command until *@go is
 * closed.  Return: its PID, or -1 with errno. */
pid_t command_start(struct profile *p, char **command, int *go);

/* status_of() - the exit status of what waitpid() gave: 128 + N for signal
 * N. */
int status_of(int status);

/* trace_run() - run @arguments under a tracer, and count.  Where it is refused
 * or could not be traced, it warns and p->processes is 0.  Return: the status
 * to exit with. */
int trace_run(struct profile *p, char **arguments);

/* plain_run() - run @command once more, alone and without its output.  Return:
 * whether it came to its end. */
bool plain_run(struct profile *p, char **command);

#endif
