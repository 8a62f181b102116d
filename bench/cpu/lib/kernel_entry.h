/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_ENTRY_H
#define KERNEL_ENTRY_H

#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>

#include "arch.h"

/* Ways to the kernel's code, and whether they are to be had here. */

/**
 * vdso_find() - address of function @name ("__vdso_clock_gettime") in the
 * vDSO, the shared object that the kernel maps into each process, so that it
 * can be called without libc.
 *
 * Return: the address, or NULL if there is no vDSO or no such function.
 *
 * Source: Documentation/ABI/stable/vdso and tools/testing/selftests/vDSO of
 * the Linux kernel.
 */
void *vdso_find(const char *name);

/*
 * Questions that may end in a signal: each is asked by a child, which is reaped
 * before the answer is returned.
 */

/* Something to call, with data of its own.  It runs in the child. */
typedef void probe_fn(void *data);

/**
 * probe_vdso() - does @fn, of the vDSO, do without a system call?
 *
 * The child calls @fn once, for what it needs of the kernel at first; then it
 * forbids itself all system calls by seccomp and calls @fn again.
 *
 * Return: NULL if it does, else the reason (static text): it makes one, or
 * that is unknown here.
 */
const char *probe_vdso(probe_fn *fn, void *data);

/**
 * probe_int80() - can this process enter the kernel by int 0x80?
 *
 * Return: NULL if it can (getpid by int 0x80 gave the child's number), else
 * the reason, one sentence (static text).
 */
const char *probe_int80(void);

static inline uint64_t timespec_ns(const struct timespec *t)
{
	return (uint64_t)t->tv_sec * 1000000000u + (uint64_t)t->tv_nsec;
}

/* kernel_ns() - clock @id by a system call. */
static inline uint64_t kernel_ns(clockid_t id)
{
	struct timespec now = { 0 };

	raw_syscall(SYS_clock_gettime, id, (long)&now, 0);
	return timespec_ns(&now);
}

#endif
