/* SPDX-License-Identifier: MIT */
#ifndef WORDS_H
#define WORDS_H

#include "rowtable.h"

/**
 * words_of() - what a figure calls @value of @axis in @program's rows, by the
 * first `word` line of @table that fits.  Without one sizes become "64 KiB",
 * and all else stays; a value that the row does not have is "".
 *
 * Return: them; "" for what is not worth a word.
 */
const char *words_of(const struct rowtable *table, const char *program,
		     const char *axis, const char *value);

#endif
