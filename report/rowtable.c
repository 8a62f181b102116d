/* SPDX-License-Identifier: MIT */
#include "rowtable.h"

#include <errno.h>
#include <string.h>

#include "input.h"
#include "load.h"
#include "text.h"

static const char *const places[] = {
	"bench/cpu/rows.tsv",	"bench/task/rows.tsv", "bench/memory/rows.tsv",
	"bench/net/rows.tsv",	"bench/file/rows.tsv", "monitor/rows.tsv",
	"report/estimates.tsv", "report/figures.tsv",
};

/* How many fields a line has; of other kinds the readers look themselves. */
static const struct {
	const char *kind;
	size_t fields;
} kinds[] = {
	{ "because", 3 },   { "chapter", 6 },  { "comparison", 6 },
	{ "core", 4 },	    { "course", 12 },  { "estimate", 5 },
	{ "family", 2 },    { "limit", 5 },    { "lmbench", 5 },
	{ "mark", 3 },	    { "mistake", 11 }, { "pair", 4 },
	{ "predicted", 3 }, { "term", 2 },     { "word", 3 },
};

static bool has_fields(const struct rowtable_line *line)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (!strcmp(kinds[i].kind, line->kind))
			return line->n == kinds[i].fields;
	return true;
}

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
	if (!has_fields(&line))
		return;
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

void rowtable_read(struct rowtable *t, const char *root, struct notes *notes)
{
	static struct rowtable all;
	const bool known = all.n;
	int err = 0;

	for (size_t i = 0; !known && i < sizeof(places) / sizeof(*places);
	     i++) {
		const int now = read_file(&all, root, places[i]);

		err = err ? err : now;
	}
	if (!all.n)
		notes_format(notes,
			     "--root names the directory that holds bench/ and "
			     "plots/",
			     "%s/bench/*/rows.tsv: %s: there is no "
			     "card, no plot and no coursework table",
			     root, input_error(err ? -err : ENODATA));
	*t = all;
}

const char *rowtable_given(const char *field)
{
	return strcmp(field, "-") != 0 ? field : NULL;
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

const struct rowtable_line *rowtable_of(const struct rowtable *t,
					const char *kind, const char *id,
					const struct rowtable_line *last)
{
	do
		last = rowtable_next(t, kind, last);
	while (last && strcmp(last->field[0], id) != 0);
	return last;
}

/* The fields of a `word` line. */
enum { PROGRAMS, TERM, WORDS };

/* "64K" as "64 KiB"; other values as they are. */
static const char *with_unit(const char *value)
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
				  with_unit(value), star + 1)
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
	return found ? found : with_unit(value);
}
