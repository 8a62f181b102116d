/* SPDX-License-Identifier: MIT */
#ifndef NOTES_H
#define NOTES_H

#include <stddef.h>

/* What the reader must know before trusting the figures: what is the matter
 * and what to do about it. */
struct note {
	const char *text, *remedy;
};

struct notes {
	struct note *v;
	size_t n;
};

/* notes_add() - @remedy may be NULL.  The same text is not added twice. */
void notes_add(struct notes *notes, const char *text, const char *remedy);

/* notes_say() - @both: the text and, behind a blank line, the remedy. */
void notes_say(struct notes *notes, const char *both);

#endif
