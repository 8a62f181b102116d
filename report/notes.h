/* SPDX-License-Identifier: MIT */
#ifndef NOTES_H
#define NOTES_H

#include <stddef.h>

/* What the reader must know before trusting the figures: what is the matter
 * and what to do about it. */
struct note {
	char *text, *remedy;
};

struct notes {
	struct note *v;
	size_t n;
};

/* notes_add() - takes both strings (from text_format()); @remedy may be
 * NULL.  The same text is not added twice. */
void notes_add(struct notes *notes, char *text, char *remedy);
void notes_free(struct notes *notes);

#endif
