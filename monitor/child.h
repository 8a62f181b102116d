/* SPDX-License-Identifier: MIT */
#ifndef CHILD_H
#define CHILD_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

/* The command whose run is watched. */
struct child {
	pid_t pid;
	bool ended;
	int status; /* as waitpid() gives it, once ended */
};

/* child_start() - fork and execute.  @mask: the signals that are to be blocked
 * in it.  Return: 0, or -errno of fork() or execvp(): there is none then. */
int child_start(struct child *child, char **argv, const sigset_t *mask);

/* child_reap() - whether the command has ended; never waits. */
bool child_reap(struct child *child);

/* child_exit() - end this process as the command ended: by its status, or by
 * the signal that killed it.  @otherwise: the status if the command ended
 * with 0. */
_Noreturn void child_exit(const struct child *child, int otherwise);

#endif
