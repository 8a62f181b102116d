/* SPDX-License-Identifier: MIT */
#include "notes.h"

#include <stdlib.h>
#include <string.h>

#include "text.h"

void notes_add(struct notes *notes, char *text, char *remedy)
{
	for (size_t i = 0; i < notes->n; i++) {
		if (!strcmp(notes->v[i].text, text)) {
			free(text);
			free(remedy);
			return;
		}
	}
	notes->v = text_grow(notes->v, notes->n, sizeof(*notes->v));
	notes->v[notes->n++] = (struct note) { text, remedy };
}

void notes_free(struct notes *notes)
{
	for (size_t i = 0; i < notes->n; i++) {
		free(notes->v[i].text);
		free(notes->v[i].remedy);
	}
	free(notes->v);
	*notes = (struct notes) { 0 };
}
