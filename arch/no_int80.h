/* SPDX-License-Identifier: MIT */
#ifndef NO_INT80_H
#define NO_INT80_H

#include <errno.h>

/* For architectures without a gate for 32-bit calls: no row uses it. */
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
