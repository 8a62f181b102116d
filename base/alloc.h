/* SPDX-License-Identifier: MIT */
#ifndef ALLOC_H
#define ALLOC_H

#include <stddef.h>
#include <stdlib.h>

/* grow() - array @p enlarged so that index @n fits; doubles at powers of 2, so
 * it is called for each @n from 0 on.  Return: where it is now, or NULL: no
 * memory, and @p is as it was. */
static inline void *grow(void *p, size_t n, size_t size)
{
	if (n & (n - 1) || (n && n < 8))
		return p; /* still room: sizes are 8, 16, 32 ... */
	return reallocarray(p, n ? 2 * n : 8, size);
}

/* For programs that need not clean up: without memory these end the program.
 * text_grow() - as grow().  text_alloc() - zeroed; text_apart() - that, and
 * on cache lines of its own.  The others: a new string; a copy of NULL is
 * NULL. */
void *text_grow(void *p, size_t n, size_t size);
void *text_alloc(size_t count, size_t size);
void *text_apart(size_t size);
char *text_copy(const char *text);
char *text_format(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
