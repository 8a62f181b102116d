/* SPDX-License-Identifier: MIT */
#include "alloc.h"

#include <stdio.h>
#include <string.h>

#include "err.h"

#define CACHE_LINE 64

static void *need(void *p)
{
	if (!p)
		die(EXIT_FAIL, "no memory");
	return p;
}

void *text_grow(void *p, size_t n, size_t size)
{
	if (n & (n - 1) || (n && n < 8))
		return p; /* still room: sizes are 8, 16, 32 ... */
	return need(reallocarray(p, n ? 2 * n : 8, size));
}

void *text_alloc(size_t count, size_t size)
{
	return need(calloc(count ? count : 1, size));
}

void *text_apart(size_t size)
{
	const size_t all = (size / CACHE_LINE + 1) * CACHE_LINE;

	return memset(need(aligned_alloc(CACHE_LINE, all)), 0, all);
}

char *text_copy(const char *text)
{
	return text ? need(strdup(text)) : NULL;
}

char *text_format(const char *fmt, ...)
{
	char *text;
	int len;

	WITH_ARGS(len = vasprintf(&text, fmt, ap));
	return need(len < 0 ? NULL : text);
}
