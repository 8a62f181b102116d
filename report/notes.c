/* SPDX-License-Identifier: MIT */
#include "load.h"

#include <string.h>

#include "text.h"

void notes_add(struct notes *notes, const char *text, const char *remedy)
{
	for (size_t i = 0; i < notes->n; i++) {
		if (!strcmp(notes->v[i].text, text)) {
			return;
		}
	}
	notes->v = text_grow(notes->v, notes->n, sizeof(*notes->v));
	notes->v[notes->n++] = (struct note) { text, remedy };
}

void notes_say(struct notes *notes, const char *both)
{
	const char *end = strstr(both, "\n\n");

	if (end)
		notes_add(notes, text_format("%.*s", (int)(end - both), both),
			  end[2] ? end + 2 : NULL);
	else
		notes_add(notes, both, NULL);
}
