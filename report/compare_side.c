/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "compare.h"
#include "text.h"

int side_load(struct side *s, const char *list, char **why)
{
	int err = 0;

	*s = (struct side) { .name = text_copy(list) };
	*why = NULL;
	while (*list && !err) {
		size_t len = strcspn(list, ",");
		char *dir = text_format("%.*s", (int)len, list);

		s->runs = text_grow(s->runs, s->n, sizeof(*s->runs));
		if (len) {
			free(*why);
			err = run_load(&s->runs[s->n++], dir, &s->notes, why);
		}
		free(dir);
		list += len + (list[len] == ',');
	}
	if (!err && !s->n) {
		*why = text_copy("a side of the comparison needs a results "
				 "directory");
		err = -1;
	}
	return err;
}

void side_free(struct side *s)
{
	for (size_t i = 0; i < s->n; i++)
		run_free(&s->runs[i]);
	free(s->runs);
	free(s->name);
	notes_free(&s->notes);
	*s = (struct side) { 0 };
}
