/* SPDX-License-Identifier: MIT */
#ifndef SYNC_FUTEX_H
#define SYNC_FUTEX_H

#include <errno.h>
#include <linux/futex.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/*
 * Futexes as the kernel has them (libc has no wrapper).  @private: both sides
 * are threads of one process, so that the kernel need not look up the page.
 */

/* futex_wait() - sleep while *@word is @value.  Return: 0 (also for a spurious
 * wake-up) or -errno: -EAGAIN if it was not @value, -EINTR. */
static inline int futex_wait(_Atomic uint32_t *word, uint32_t value,
			     bool private)
{
	const int op = FUTEX_WAIT | (private ? FUTEX_PRIVATE_FLAG : 0);

	return syscall(SYS_futex, word, op, value, NULL, NULL, 0) ? -errno : 0;
}

/* futex_wake() - wake at most @n.  Return: how many were woken, or -errno. */
static inline int futex_wake(_Atomic uint32_t *word, int n, bool private)
{
	const int op = FUTEX_WAKE | (private ? FUTEX_PRIVATE_FLAG : 0);
	const long woken = syscall(SYS_futex, word, op, n, NULL, NULL, 0);

	return woken < 0 ? -errno : (int)woken;
}

#endif
