/* SPDX-License-Identifier: MIT */
#ifndef TRACE_H
#define TRACE_H

#include <jansson.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "operations.h"

#define PROFILE_FORMAT "oscost-bill-profile 1"

/* One feature of all calls of a class. */
struct feature_sum {
	uint64_t sum, min, max;
};

struct class_sum {
	uint64_t count;
	struct feature_sum feature[FEATURES_MAX]; /* as in the table */
};

/* A run of the command; of that under a tracer @usage has only the faults. */
struct run {
	int64_t wall_ns;
	int status; /* to exit with: 128 + signal */
	struct rusage usage;
};

/* The operations that a command asked for.  It has no paths, contents,
 * arguments.  The processes that start the command share it (mmap()). */
struct profile {
	struct class_sum class[OPERATIONS_N];
	uint64_t calls[CALL_NUMBERS + 1]; /* all; the last: unknown numbers */
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
 * profile_call() - the same of a call that has ended.
 * profile_unclassed() - of one that has no class; @outcome: or "". */
void profile_event(struct profile *p, int class, const uint64_t *feature);
void profile_call(struct profile *p, const struct call *c);
void profile_unclassed(struct profile *p, const struct call *c,
		       const char *outcome);

/* profile_write() - as JSON.  Return: 0 or -errno. */
int profile_write(const struct profile *p, FILE *f);

/* command_start() - a process that waits to become the command until *@go is
 * closed.  Return: its PID, or -1 with errno. */
pid_t command_start(struct profile *p, char **command, int *go);

/* status_of() - the exit status of what waitpid() gave: 128 + N for signal
 * N. */
int status_of(int status);

/* trace_run() - run @arguments under a tracer, and count.  Where it is refused
 * or could not be traced, it warns and p->processes is 0.  A signal that was
 * sent to us is a reason for no second run.  Return: the status to exit with. */
int trace_run(struct profile *p, char **arguments);

/* plain_run() - run @command once more, alone and without its output.  Return:
 * whether it came to its end. */
bool plain_run(struct profile *p, char **command);

#endif
