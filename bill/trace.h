/* SPDX-License-Identifier: MIT */
#ifndef TRACE_H
#define TRACE_H

#include "profile.h"

/* A process that waits to become the command. */
struct started {
	pid_t pid;
	int go;		  /* close it: the command begins */
	uint64_t *faults; /* that it had before */
};

/* command_start() - @fd: its standard input, output and error, -1: ours.
 * Return: 0 or -errno. */
int command_start(struct started *s, char **command, const int fd[3]);

/* status_of() - the exit status of what waitpid() gave: 128 + N for signal N.
 * now_ns() - of the monotonic clock. */
int status_of(int status);
uint64_t now_ns(void);

/**
 * trace_run() - run @arguments under a tracer, and count.
 * @why: set where the command was refused or could not be traced.
 *
 * Return: the status to exit with.
 */
int trace_run(struct profile *p, char **arguments, const char **why);

/**
 * plain_run() - run @command once more, alone and without its output.
 *
 * Return: 0 or -errno.
 */
int plain_run(struct run *r, char **command);

#endif
