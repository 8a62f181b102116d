/* SPDX-License-Identifier: MIT */
#ifndef PROC_ROOM_H
#define PROC_ROOM_H

#include <stddef.h>

#include "bench.h"

/**
 * proc_room() - how many more processes or threads this user may make now.
 * @why: gets which limit is the narrowest, one phrase with its figures.
 * @size: of @why, bytes.
 *
 * Looks at RLIMIT_NPROC (where the kernel enforces it for this user), at
 * pids.max of the cgroup and of all those above it, v1 and v2, and at
 * kernel.threads-max.  Others may take what is free now, so it is no promise:
 * the maker of a process must still expect EAGAIN.
 *
 * Cost: a scan of /proc only if RLIMIT_NPROC is enforced; else some 100 us.
 */
long proc_room(char *why, size_t size);

/**
 * proc_refused() - @what could not be made, and @err (positive errno) is why.
 *
 * Return: that of bench_skip() where a limit was reached or the kernel lacks
 * it (EAGAIN, ENOMEM, EMFILE, ENFILE, ENOSYS), else that of bench_fail().
 */
int proc_refused(struct bench *b, int err, const char *what);

#endif
