/* SPDX-License-Identifier: MIT */
#include "rowtable.h"

#include <errno.h>
#include <string.h>

#include "input.h"
#include "text.h"

static const char *const places[] = {
	"bench/cpu/rows.tsv",	"bench/task/rows.tsv", "bench/memory/rows.tsv",
	"bench/net/rows.tsv",	"bench/file/rows.tsv", "monitor/rows.tsv",
	"report/estimates.tsv", "report/figures.tsv",
};

static void add_line(struct rowtable *t, const char *text, const char *file,
		     size_t number)
{
	struct rowtable_line line = {
		.place = text_format("%s:%zu", file, number),
	};
	char *rest = text_copy(text), *field;

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
	struct input in;
	const int err =
		input_open(&in, text_format("%s/%s", root, place), INPUT_LINK);

	if (err)
		return err;
	while (input_next(&in)) {
		in.line[strcspn(in.line, "\n")] = '\0';
		if (*in.line && *in.line != '#')
			add_line(t, in.line, place, in.number);
	}
	return input_close(&in);
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

const struct rowtable_line *rowtable_next(const struct rowtable *t,
					  const char *kind,
					  const struct rowtable_line *last)
{
	for (size_t i = last ? (size_t)(last - t->v) + 1 : 0; i < t->n; i++)
		if (!strcmp(t->v[i].kind, kind))
			return &t->v[i];
	return NULL;
}
