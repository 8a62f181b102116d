/* SPDX-License-Identifier: MIT */
#ifndef WRAP_H
#define WRAP_H

#include <stdbool.h>
#include <stddef.h>

/* Text in lines of so many columns. */
struct wrap {
	const char *rest; /* what is still to be written */
	const char *line;
	size_t len; /* bytes of the line */
};

/**
 * wrap_line() - the next line, of at most @width columns, at least 1.
 *
 * Lines are parted at blanks, which fall away; a word that is too long behind
 * its last comma, and where it has none at the end of the line, never inside a
 * character.
 *
 * Return: whether there was one.
 */
bool wrap_line(struct wrap *w, size_t width);

#endif
