/* SPDX-License-Identifier: MIT */
#ifndef RAW_CALLS_H
#define RAW_CALLS_H

/* For architectures that have the calls of today alone (newfstatat, openat),
 * behind ARCH_INLINE and arch_syscall() of arch.h, which includes this. */

ARCH_INLINE long raw_syscall(long number, long a, long b, long c)
{
	return arch_syscall(number, a, b, c, 0);
}

ARCH_INLINE long raw_stat(const char *path, struct stat *st)
{
	return arch_syscall(SYS_newfstatat, AT_FDCWD, (long)path, (long)st, 0);
}

ARCH_INLINE long raw_open(const char *path, int flags)
{
	return arch_syscall(SYS_openat, AT_FDCWD, (long)path, flags, 0);
}

#endif
