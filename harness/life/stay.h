/* SPDX-License-Identifier: MIT */
#ifndef STAY_H
#define STAY_H

#include <sys/types.h>

/**
 * stay() - fork; what follows is done by the child.  The parent waits for it,
 * passes signals on, and exits with the child's status (128 + N if signal N
 * ended it).  If the parent is killed the child is, too.
 *
 * Return: 0 in the child, or -errno.
 */
int stay(void);

/* stay_fork() - the part of it that forks.  Return: as fork(). */
pid_t stay_fork(void);

/* stay_wait() - the part that waits, for any child until it was @pid.  Return:
 * the status to exit with. */
int stay_wait(pid_t pid);

/* stay_status() - the same, of what waitpid() gave. */
int stay_status(int status);

#endif
