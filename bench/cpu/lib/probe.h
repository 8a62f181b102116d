/* SPDX-License-Identifier: MIT */
#ifndef PROBE_H
#define PROBE_H

/*
 * Questions to the kernel that may end in a signal: each is asked by a child,
 * which is reaped before the answer is returned.
 */

/* Something to call, with data of its own.  It runs in the child. */
typedef void probe_fn(void *data);

/**
 * probe_enters_kernel() - does @fn make a system call?
 *
 * The child goes into seccomp's strict mode, in which every system call but
 * read, write and exit kills it, and calls @fn.
 *
 * Return: 0 no, 1 yes, -errno if it cannot be asked here.
 */
int probe_enters_kernel(probe_fn *fn, void *data);

/**
 * probe_int80() - can this process enter the kernel by int 0x80?
 *
 * Return: NULL if it can (getpid by int 0x80 gave the child's number), else
 * the reason, one sentence (static text).
 */
const char *probe_int80(void);

#endif
