/* SPDX-License-Identifier: MIT */
#include "course.h"

#include <errno.h>
#include <ini.h>
#include <math.h>
#include <string.h>

#include "input.h"
#include "text.h"

/* Between libinih, which calls back without line numbers, and the table. */
struct parsing {
	struct operations *ops;
	const char *path;
	struct notes *notes;
	const char *rest;	  /* of the file's text */
	double clock_hz, core_hz; /* [machine] clock; of this run; or NAN */
	size_t line;
	bool goes_on; /* the line is indented: more of the last value */
	int bad;
};

/* Return: 1, which lets libinih go on. */
static int complain(struct parsing *in, const char *text)
{
	notes_format(in->notes, "the line is left out", "%s:%zu: %s", in->path,
		     in->line, text);
	in->bad++;
	return 1;
}

/* ini_reader: as fgets(), but no line is ever given in two parts, of which
 * the second would be read as a line of its own. */
static char *read_one(char *buf, int room, void *stream)
{
	struct parsing *in = stream;
	const char *line = in->rest;
	const size_t len = strcspn(line, "\n");

	if (!*line)
		return NULL;
	in->rest += len + (line[len] == '\n');
	in->line++;
	in->goes_on = *line == ' ' || *line == '\t';
	if (snprintf(buf, (size_t)room, "%.*s\n", (int)len, line) < room)
		return buf;
	complain(in, text_format("expected at most %d bytes in a line; a long "
				 "text goes on in the next line, indented",
				 room - 2));
	snprintf(buf, (size_t)room, "#");
	return buf;
}

static int twice(struct parsing *in, const char *key)
{
	return complain(in, text_format("%s is given twice: expected only one",
					key));
}

/* Words may have many lines. */
static int take_words(struct parsing *in, const char **slot, const char *key,
		      const char *value)
{
	if (!*value)
		return 1;
	if (*slot && !in->goes_on)
		return twice(in, key);
	*slot = *slot ? text_format("%s %s", *slot, value) : text_copy(value);
	return 1;
}

static int take_amount(struct parsing *in, double *slot, const char *key,
		       const char *value, const char *unit)
{
	const double hz = isfinite(in->clock_hz) ? in->clock_hz : in->core_hz;
	const char *want;

	if (!*value)
		return 1;
	if (isfinite(*slot))
		return twice(in, key);
	want = quantity_parse(value, unit, hz, slot);
	return want ? complain(in, text_format("%s = %s: expected %s", key,
					       value, want))
		    : 1;
}

static int take_part(struct parsing *in, struct operation *op, const char *key,
		     const char *value)
{
	const struct {
		const char *key;
		double *amount;
		const char **words;
	} keys[] = {
		{ "base", &op->said[BASE], NULL },
		{ "software", &op->said[SOFTWARE], NULL },
		{ "predicted", &op->said[PREDICTED], NULL },
		{ "why", NULL, &op->why },
		{ "limiter", NULL, &op->limiter },
	};

	const int bad = in->bad;

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		if (strcmp(key, keys[i].key) != 0)
			continue;
		if (keys[i].words)
			return take_words(in, keys[i].words, key, value);
		take_amount(in, keys[i].amount, key, value, op->unit);
		op->unusable |= in->bad > bad;
		return 1;
	}
	return complain(in, text_format("%s: expected base, software, "
					"predicted, why or limiter",
					key));
}

/* ini_handler */
static int take(void *user, const char *section, const char *key,
		const char *value)
{
	struct parsing *in = user;
	struct operation *op = operations_find(in->ops, section);

	if (op)
		return take_part(in, op, key, value);
	if (strcmp(section, "machine") != 0)
		return complain(in, text_format("[%s]: expected the name of an "
						"operation (make predictions "
						"lists them)",
						section));
	if (!strcmp(key, "clock"))
		return take_amount(in, &in->clock_hz, key, value, "Hz");
	return complain(in, text_format("%s: expected clock, which is all that "
					"[machine] has",
					key));
}

void predictions_whole(double *parts, const char *unit)
{
	const double a = parts[BASE], b = parts[SOFTWARE];

	if (!isfinite(parts[PREDICTED]))
		parts[PREDICTED] = !text_glob("ns ns/B", unit) || !isfinite(b)
					   ? a
				   : isfinite(a) ? a + b
						 : b;
}

int predictions_read(struct operations *ops, const char *path, double core_hz,
		     struct notes *notes)
{
	const char *text = input_text(path, INPUT_LINK, NULL);
	struct parsing in = { .ops = ops,
			      .path = path,
			      .notes = notes,
			      .rest = text,
			      .clock_hz = NAN,
			      .core_hz = core_hz };
	int line;

	if (!text)
		return -errno;
	line = ini_parse_stream(read_one, &in, take, &in);
	if (line > 0) {
		in.line = (size_t)line;
		complain(&in, "expected [operation], key = value or a comment "
			      "that begins with #");
	}
	for (size_t i = 0; i < ops->n; i++)
		if (!ops->v[i].unusable)
			predictions_whole(ops->v[i].said, ops->v[i].unit);
	return in.bad;
}

/* The fields of an `estimate` line. */
enum { ID, CONDITION, BASE_BY, SOFTWARE_BY, WORDS };

/* A field's value; @none if it is "-"; NAN with what it lacks, unless something
 * lacked already. */
static double field_value(const char *field, double none,
			  const struct formula_world *w, const char **missing)
{
	return *missing		       ? NAN
	       : rowtable_given(field) ? formula_value(field, w, missing)
				       : none;
}

/* The estimate by one line, whose condition may not hold; without one the
 * words say what the first such line lacks. */
static void try_line(struct operation *op, const char *const *field,
		     const struct formula_world *w)
{
	const char *missing = NULL;
	const double holds = field_value(field[CONDITION], 1, w, &missing);
	const double base = field_value(field[BASE_BY], NAN, w, &missing);
	const double software =
		field_value(field[SOFTWARE_BY], NAN, w, &missing);

	if (!missing && holds > 0) {
		op->words = formula_text(field[WORDS], w);
		op->rule[BASE] = base;
		op->rule[SOFTWARE] = software;
		predictions_whole(op->rule, op->unit);
	} else if (missing && !op->words) {
		op->words = text_format("no estimate, which needs %s", missing);
	}
}

/* Return: whether there is an estimate of @op now that was not there. */
static bool estimate(struct operation *op, const struct formula_world *w)
{
	const struct rowtable_line *line = NULL;

	if (isfinite(op->rule[PREDICTED]))
		return false;
	op->words = NULL;
	while (!isfinite(op->rule[PREDICTED]) &&
	       (line = rowtable_of(w->table, "estimate", op->id, line)))
		try_line(op, line->field, w);
	return isfinite(op->rule[PREDICTED]);
}

void estimates_make(struct operations *ops, const struct rowtable *table,
		    const struct run *run)
{
	double *predicted = text_alloc(ops->n, sizeof(*predicted));
	const struct formula_world w = { run, ops, predicted, table, NULL };
	bool more = true;

	for (size_t i = 0; i < ops->n; i++)
		predicted[i] = NAN;
	/* Until none has become possible by another. */
	while (more) {
		more = false;
		for (size_t i = 0; i < ops->n; i++) {
			more |= estimate(&ops->v[i], &w);
			predicted[i] = ops->v[i].rule[PREDICTED];
		}
	}
}
