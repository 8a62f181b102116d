/* SPDX-License-Identifier: MIT */
#ifndef RAW_CALLS_H
#define RAW_CALLS_H

/* Behind ARCH_INLINE and arch_syscall() of arch.h, which includes this. */

ARCH_INLINE long raw_syscall(long number, long a, long b, long c)
{
	return arch_syscall(number, a, b, c, 0);
}

ARCH_INLINE long raw_syscall4(long number, long a, long b, long c, long d)
{
	return arch_syscall(number, a, b, c, d);
}

#endif
