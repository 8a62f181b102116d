/* SPDX-License-Identifier: MIT */
#ifndef PLAIN_CALLS_H
#define PLAIN_CALLS_H

#include <errno.h>

/* Behind ARCH_INLINE and arch_syscall() of arch.h, which includes this, where
 * there is one way into the kernel. */

ARCH_INLINE long raw_syscall(long number, long a, long b, long c)
{
	return arch_syscall(number, a, b, c, 0);
}

ARCH_INLINE long raw_syscall4(long number, long a, long b, long c, long d)
{
	return arch_syscall(number, a, b, c, d);
}

/* No gate for 32-bit calls: no row uses it. */
#define ARCH_INT80	      0
#define ARCH_MAP_LOW	      0
#define INT80_GETPID	      0
#define INT80_CLOCK_GETTIME64 0

static inline int raw_int80(int number, unsigned int a, unsigned int b,
			    unsigned int c, unsigned int d)
{
	return -ENOSYS;
}

#endif
