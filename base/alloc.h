/* SPDX-License-Identifier: MIT */
#ifndef ALLOC_H
#define ALLOC_H

#include <stddef.h>
#include <stdlib.h>

/* For programs that need not clean up: without memory these end the program.
 * text_grow() - array @p enlarged so that index @n fits: to be called for each
 * @n from 0 on.  Return: where it is now.  text_alloc() - zeroed; text_apart()
 * - that, and on cache lines of its own.  The others: a new string; a copy of
 * NULL is NULL. */
void *text_grow(void *p, size_t n, size_t size);
void *text_alloc(size_t count, size_t size);
void *text_apart(size_t size);
char *text_copy(const char *text);
char *text_format(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
