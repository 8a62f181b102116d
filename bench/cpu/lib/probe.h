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
 * probe_vdso() - does @fn, of the vDSO, do without a system call?
 *
 * The child forbids itself all system calls by seccomp and calls @fn.
 *
 * Return: NULL if it does, else the reason (static text): it makes one, or
 * that cannot be told here.
 */
const char *probe_vdso(probe_fn *fn, void *data);

/**
 * probe_int80() - can this process enter the kernel by int 0x80?
 *
 * Return: NULL if it can (getpid by int 0x80 gave the child's number), else
 * the reason, one sentence (static text).
 */
const char *probe_int80(void);

#endif
