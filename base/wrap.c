/* SPDX-License-Identifier: MIT */
#include "wrap.h"

/* The byte after the character at @s. */
static const char *next(const char *s)
{
	do
		s++;
	while (((unsigned char)*s & 0xc0) == 0x80);
	return s;
}

bool wrap_line(struct wrap *w, size_t width)
{
	const char *end, *blank = NULL, *comma = NULL;
	size_t columns = 0;

	while (*w->rest == ' ')
		w->rest++;
	if (!*w->rest)
		return false;
	end = w->line = w->rest;
	while (*end && columns < width) {
		if (*end == ' ')
			blank = end;
		if (*end == ',')
			comma = end + 1;
		end = next(end);
		columns++;
	}
	if (*end && *end != ' ')
		end = blank ? blank : comma ? comma : end;
	w->rest = end;
	while (end[-1] == ' ')
		end--;
	w->len = (size_t)(end - w->line);
	return true;
}
