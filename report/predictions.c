/* SPDX-License-Identifier: MIT */
#include "course.h"

#include <errno.h>
#include <ini.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "input.h"
#include "text.h"

/* Between libinih, which calls back without line numbers, and the table. */
struct parsing {
	struct predictions *p;
	const struct operations *ops;
	struct notes *notes;
	const char *rest; /* of the file's text */
	size_t line;
	bool goes_on; /* the line is indented: more of the last value */
	int bad;
};

static void complain(struct parsing *in, size_t line, const char *text)
{
	notes_add(in->notes, text_format("%s:%zu: %s", in->p->path, line, text),
		  "the line is left out");
	in->bad++;
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
	complain(in, in->line,
		 text_format("expected at most %d bytes in a line; a long text "
			     "goes on in the next line, indented",
			     room - 2));
	buf[0] = '#';
	buf[1] = '\0';
	return buf;
}

/* A key of which each may be given once; words may have many lines. */
static int take_words(struct parsing *in, const char **slot, const char *key,
		      const char *value)
{
	if (*slot && !in->goes_on) {
		complain(in, in->line,
			 text_format("%s is given twice: expected only one",
				     key));
		return 1;
	}
	*slot = *slot ? text_format("%s %s", *slot, value) : text_copy(value);
	return 1;
}

static int take_amount(struct parsing *in, double *slot, const char *key,
		       const char *value, const char *unit)
{
	const char *want;

	if (!*value)
		return 1;
	if (isfinite(*slot)) {
		complain(in, in->line,
			 text_format("%s is given twice: expected only one",
				     key));
		return 1;
	}
	want = quantity_parse(value, unit,
			      isfinite(in->p->clock_hz) ? in->p->clock_hz
							: in->p->core_hz,
			      slot);
	if (want)
		complain(in, in->line,
			 text_format("%s = %s: expected %s", key, value, want));
	return 1;
}

static int take_machine(struct parsing *in, const char *key, const char *value)
{
	if (!strcmp(key, "clock"))
		return take_amount(in, &in->p->clock_hz, key, value, "Hz");
	complain(in, in->line,
		 text_format(
			 "%s: expected clock, which is all that [machine] has",
			 key));
	return 1;
}

/* ini_handler; what it cannot use it has already complained about, so it
 * always says 1, "goes on". */
static int take(void *user, const char *section, const char *key,
		const char *value)
{
	struct parsing *in = user;
	const struct operation *op = operations_find(in->ops, section);
	struct prediction *one;

	if (!strcmp(section, "machine"))
		return take_machine(in, key, value);
	if (!op) {
		complain(in, in->line,
			 text_format("[%s]: expected the name of an operation "
				     "(make predictions lists them)",
				     section));
		return 1;
	}
	one = &in->p->v[op - in->ops->v];
	if (!strcmp(key, "base"))
		return take_amount(in, &one->base, key, value, op->unit);
	if (!strcmp(key, "software"))
		return take_amount(in, &one->software, key, value, op->unit);
	if (!strcmp(key, "predicted"))
		return take_amount(in, &one->predicted, key, value, op->unit);
	if (!strcmp(key, "why"))
		return *value ? take_words(in, &one->why, key, value) : 1;
	if (!strcmp(key, "limiter"))
		return *value ? take_words(in, &one->limiter, key, value) : 1;
	complain(in, in->line,
		 text_format("%s: expected base, software, predicted, why or "
			     "limiter",
			     key));
	return 1;
}

double predictions_whole(double base, double software, const char *unit)
{
	if (!text_glob("ns ns/B", unit) || !isfinite(software))
		return base;
	return isfinite(base) ? base + software : software;
}

static void predictions_init(struct predictions *p,
			     const struct operations *ops)
{
	*p = (struct predictions) { .n = ops->n, .clock_hz = NAN };
	p->v = text_alloc(ops->n, sizeof(*p->v));
	for (size_t i = 0; i < ops->n; i++)
		p->v[i].base = p->v[i].software = p->v[i].predicted = NAN;
}

int predictions_read(struct predictions *p, const struct operations *ops,
		     const char *path, double core_hz, struct notes *notes)
{
	const char *text = input_text(path, INPUT_LINK, NULL);
	struct parsing in = { p, ops, notes, text, 0, false, 0 };
	const int err = text ? 0 : -errno;
	int line;

	predictions_init(p, ops);
	p->core_hz = core_hz;
	p->path = path;
	if (err)
		return err;
	line = ini_parse_stream(read_one, &in, take, &in);
	if (line > 0)
		complain(&in, (size_t)line,
			 "expected [operation], key = value or a comment that "
			 "begins with #");
	for (size_t i = 0; i < ops->n; i++)
		if (!isfinite(p->v[i].predicted))
			p->v[i].predicted = predictions_whole(p->v[i].base,
							      p->v[i].software,
							      ops->v[i].unit);
	p->found = true;
	return in.bad;
}

void predictions_find(struct predictions *p, const struct operations *ops,
		      const struct run *run, const char *root)
{
	const char *path = text_format("%s/predictions.ini", run->dir);
	int err;

	if (access(path, F_OK))
		path = text_format("%s/predictions.ini", root);
	err = predictions_read(p, ops, path,
			       run_number(run->machine, "timer.core_hz"),
			       run->notes);
	if (err < 0 && err != -ENOENT)
		notes_add(run->notes,
			  text_format("%s: %s", path, input_error(-err)), NULL);
}
