/* SPDX-License-Identifier: MIT */
#include "course.h"

#include <ctype.h>
#include <errno.h>
#include <ini.h>
#include <math.h>
#include <stdlib.h>
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

/* Set the third of @parts from the others, if it is NAN: time adds up; of a
 * bandwidth or a size it is the first. */
static void predictions_whole(double *parts, const char *unit)
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
	       (line = rowtable_of(&w->run->suite, "estimate", op->id, line)))
		try_line(op, line->field, w);
	return isfinite(op->rule[PREDICTED]);
}

void estimates_make(struct operations *ops, const struct run *run)
{
	double *predicted = text_alloc(ops->n, sizeof(*predicted));
	const struct formula_world w = { run, ops, predicted, NULL };
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

struct prefix {
	const char *name;
	double factor;
};

static const struct prefix of_seconds[] = {
	{ "n", 1 },   { "u", 1e3 }, { "µ", 1e3 }, { "μ", 1e3 }, /* Greek */
	{ "m", 1e6 }, { "", 1e9 },  { NULL, 0 },
};
static const struct prefix of_others[] = {
	{ "", 1 },
	{ "k", 1e3 },
	{ "K", 1e3 },
	{ "M", 1e6 },
	{ "G", 1e9 },
	{ "T", 1e12 },
	{ "Ki", 1024 },
	{ "Mi", 1048576 },
	{ "Gi", 1073741824 },
	{ "Ti", 1099511627776 },
	{ NULL, 0 },
};

static const struct {
	const char *name, *base;
	const struct prefix *prefixes;
	double factor;
} units[] = {
	{ "s", "ns", of_seconds, 1 },	      { "s/B", "ns/B", of_seconds, 1 },
	{ "B", "B", of_others, 1 },	      { "B/s", "B/s", of_others, 1 },
	{ "bit/s", "B/s", of_others, 0.125 }, { "Hz", "Hz", of_others, 1 },
};

static const char *expected(const char *want)
{
	if (!strcmp(want, "B/s"))
		return "a number and a unit: B/s, kB/s, MB/s, GB/s, KiB/s, "
		       "MiB/s, GiB/s, Mbit/s or Gbit/s";
	if (!strcmp(want, "B"))
		return "a number and a unit: B, kB, MB, GB, KiB, MiB or GiB";
	if (!strcmp(want, "ns/B"))
		return "a number and a unit: ns/B or us/B";
	if (!strcmp(want, "Hz"))
		return "a number and a unit: Hz, kHz, MHz or GHz";
	return "a number and a unit: ns, us, ms, s or cycles";
}

/* Digits with a point and perhaps an exponent, none of strtod()'s "inf",
 * "nan" or hexadecimal. */
static int read_number(const char *text, char **end, double *x)
{
	if (!isdigit((unsigned char)*text) && *text != '.')
		return -1;
	if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X'))
		return -1;
	*x = strtod(text, end);
	return *end == text || !isfinite(*x) ? -1 : 0;
}

/* How many @want one @unit is; NAN: it is none of these. */
static double factor_of(const char *unit, const char *want, double clock_hz)
{
	if (text_glob("cycle cycles", unit) && !strcmp(want, "ns"))
		return clock_hz > 0 ? 1e9 / clock_hz : NAN;
	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		for (const struct prefix *p = units[i].prefixes; p->name; p++)
			if (!strcmp(units[i].base, want) &&
			    !strcmp(text_format("%s%s", p->name, units[i].name),
				    unit))
				return p->factor * units[i].factor;
	return NAN;
}

const char *quantity_parse(const char *text, const char *want, double clock_hz,
			   double *value)
{
	const char *unit;
	char *end;
	double x, factor;
	size_t len;

	text += strspn(text, " \t");
	if (read_number(text, &end, &x))
		return expected(want);
	unit = end + strspn(end, " \t");
	len = strlen(unit);
	while (len && strchr(" \t", unit[len - 1]))
		len--;
	unit = text_format("%.*s", (int)len, unit);
	factor = *unit || x > 0 ? factor_of(unit, want, clock_hz) : 0;
	if (isnan(factor) && text_glob("cycle cycles", unit) &&
	    !strcmp(want, "ns"))
		return "'clock = N MHz' under [machine] above it, to turn "
		       "cycles into time";
	if (isnan(factor))
		return expected(want);
	*value = x * factor;
	return NULL;
}
