/* SPDX-License-Identifier: MIT */
#include "rowtable.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

static const char *const places[] = { "bench/cpu", "bench/task", "bench/memory",
				      "bench/net", "bench/file", "monitor" };

static void add_line(struct rowtable *t, const char *text, const char *file,
		     size_t number)
{
	struct rowtable_line line = {
		.text = text_copy(text),
		.place = text_format("%s/rows.tsv:%zu", file, number),
	};
	char *rest = line.text, *field;

	line.kind = strsep(&rest, "\t");
	while ((field = strsep(&rest, "\t"))) {
		line.field = text_grow(line.field, line.n, sizeof(char *));
		line.field[line.n++] = field;
	}
	t->v = text_grow(t->v, t->n, sizeof(*t->v));
	t->v[t->n++] = line;
}

static int read_file(struct rowtable *t, const char *root, const char *place)
{
	char *path = text_format("%s/%s/rows.tsv", root, place), *line = NULL;
	FILE *f = fopen(path, "r");
	size_t room = 0, number = 0;

	free(path);
	if (!f)
		return -errno;
	while (getline(&line, &room, f) > 0) {
		number++;
		line[strcspn(line, "\n")] = '\0';
		if (*line && *line != '#')
			add_line(t, line, place, number);
	}
	free(line);
	fclose(f);
	return 0;
}

int rowtable_read(struct rowtable *t, const char *root)
{
	int err = 0;

	*t = (struct rowtable) { 0 };
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		const int now = read_file(t, root, places[i]);

		err = err ? err : now;
	}
	return t->n ? 0 : err ? err : -ENODATA;
}

void rowtable_free(struct rowtable *t)
{
	for (size_t i = 0; i < t->n; i++) {
		free(t->v[i].text);
		free(t->v[i].field);
		free(t->v[i].place);
	}
	free(t->v);
	*t = (struct rowtable) { 0 };
}

const struct rowtable_line *rowtable_next(const struct rowtable *t,
					  const char *kind,
					  const struct rowtable_line *last)
{
	for (size_t i = last ? (size_t)(last - t->v) + 1 : 0; i < t->n; i++)
		if (!strcmp(t->v[i].kind, kind))
			return &t->v[i];
	return NULL;
}
