/* SPDX-License-Identifier: MIT */
#include "course.h"

#include <string.h>

#include "text.h"

enum { PROGRAMS, TERM, WORDS };

/* "64K" as "64 KiB"; other values as they are. */
static const char *plain(const char *value)
{
	const size_t digits = strspn(value, "0123456789");

	return digits && strchr("KMGT", value[digits]) && value[digits] &&
			       !value[digits + 1]
		       ? text_format("%.*s %ciB", (int)digits, value,
				     value[digits])
		       : value;
}

/* @words with @value in the place of its "*". */
static const char *filled(const char *words, const char *value)
{
	const char *star = strchr(words, '*');

	return star ? text_format("%.*s%s%s", (int)(star - words), words,
				  plain(value), star + 1)
		    : words;
}

const char *words_of(const struct rowtable *table, const char *program,
		     const char *axis, const char *value)
{
	const struct rowtable_line *line = NULL;
	const char *term = text_format("%s=%s", axis, value), *found = NULL;

	while (!found && (line = rowtable_next(table, "word", line)))
		if (text_glob(line->field[PROGRAMS], program) &&
		    text_glob(line->field[TERM], term))
			found = filled(strcmp(line->field[WORDS], "-") != 0
					       ? line->field[WORDS]
					       : "",
				       value);
	return found ? found : plain(value);
}
