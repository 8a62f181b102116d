/* SPDX-License-Identifier: MIT */
/* The numbers that may be asked for beside those of a text or a table. */
#include "axes.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "case.h"
#include "units.h"
#include "verdict.h"

static void number_text(char *text, size_t size, int kind, int64_t value)
{
	if (kind == BENCH_SIZE)
		units_size(text, (uint64_t)value);
	else
		snprintf(text, size, "%" PRId64, value);
}

/* The number in @text, if @axis can take it. */
static bool parse_number(const struct bench_open *axis, const char *text,
			 int64_t *value)
{
	const bool digits = !text[strspn(text, "0123456789")];
	uint64_t n;

	/* A count has no suffix. */
	if ((axis->kind != BENCH_SIZE && !digits) || parse_size(text, &n) ||
	    n > INT64_MAX)
		return false;
	*value = (int64_t)n;
	return *value >= axis->least && *value <= axis->most &&
	       (!axis->step || *value % axis->step == 0);
}

static int ask(struct axes *a, const struct bench_open *axis, int64_t value)
{
	for (size_t i = 0; i < a->n; i++)
		if (a->asked[i].axis == axis && a->asked[i].value == value)
			return 0;
	if (a->n == BENCH_ASKED)
		return -E2BIG;
	a->asked[a->n].axis = axis;
	a->asked[a->n++].value = value;
	return 0;
}

/* One term of a pattern, "size=2048", goes to @f as names have it. */
static int ask_term(struct axes *a, const struct bench_open *open, char *term,
		    FILE *f)
{
	char *text = strchr(term, '=');
	char number[UNITS_MAX];
	int64_t value;

	for (; text && open && open->axis; open++) {
		const size_t len = (size_t)(text - term);

		if (strlen(open->axis) != len ||
		    strncmp(open->axis, term, len) != 0 ||
		    !parse_number(open, text + 1, &value))
			continue;
		number_text(number, sizeof(number), open->kind, value);
		fprintf(f, "%s=%s", open->axis, number);
		return ask(a, open, value);
	}
	fputs(term, f);
	return 0;
}

static int ask_one(struct axes *a, const struct bench_open *open,
		   const char *glob)
{
	const bool wild = strpbrk(glob, "*?[");
	char *copy = strdup(glob), *rest = copy, *term, *own = NULL;
	size_t len;
	FILE *f = open_memstream(&own, &len);
	int err = copy && f ? 0 : -ENOMEM;

	while (!err && (term = strsep(&rest, ","))) {
		if (term != copy)
			fputc(',', f);
		err = ask_term(a, wild ? NULL : open, term, f);
	}
	free(copy);
	if (f && fclose(f))
		err = -ENOMEM;
	a->glob[a->globs++] = own;
	return err;
}

int axes_ask(struct axes *a, const struct bench_open *open,
	     const struct opt_list *globs)
{
	int err = 0;

	*a = (struct axes) { 0 };
	for (size_t i = 0; !err && i < globs->n; i++)
		err = ask_one(a, open, globs->item[i]);
	return err;
}

void axes_close(struct axes *a)
{
	while (a->globs)
		free(a->glob[--a->globs]);
}

static void range_text(const struct bench_open *axis, char *text, size_t size)
{
	char least[UNITS_MAX], most[UNITS_MAX], step[UNITS_MAX];

	number_text(least, sizeof(least), axis->kind, axis->least);
	number_text(most, sizeof(most), axis->kind, axis->most);
	number_text(step, sizeof(step), axis->kind, axis->step);
	snprintf(text, size, "%s to %s%s%s", least, most,
		 axis->step > 1 ? " in steps of " : "",
		 axis->step > 1 ? step : "");
}

void axes_say(const struct bench_open *open, char *text, size_t size)
{
	size_t len = 0;

	text[0] = '\0';
	for (; open && open->axis && len < size; open++) {
		char range[3 * UNITS_MAX + 32];

		range_text(open, range, sizeof(range));
		len += (size_t)snprintf(text + len, size - len, "%s%s from %s",
					len ? ", " : "", open->axis, range);
	}
}

void axes_help(FILE *f, const struct bench_open *open)
{
	if (!open)
		return;
	fprintf(f,
		"\nOther numbers that --case may ask for, such as --case "
		"'%s=N':\n",
		open->axis);
	for (; open->axis; open++) {
		char range[3 * UNITS_MAX + 32];

		range_text(open, range, sizeof(range));
		fprintf(f, "  %-8s  %s\n", open->axis, range);
	}
}

static bool is_among(const int64_t *values, size_t stride, size_t n,
		     int64_t value)
{
	for (size_t i = 0; i < n; i++)
		if (*(const int64_t *)((const char *)values + i * stride) ==
		    value)
			return true;
	return false;
}

size_t axes_beside(const struct bench *b, const char *name,
		   const int64_t *table, size_t stride, size_t n,
		   int64_t *values)
{
	size_t more = 0;

	for (size_t i = 0; i < b->asked.n; i++) {
		const int64_t value = b->asked.asked[i].value;

		if (!strcmp(b->asked.asked[i].axis->axis, name) &&
		    !is_among(table, stride, n, value))
			values[more++] = value;
	}
	return more;
}

size_t bench_values(const struct bench *b, const char *axis,
		    const int64_t *table, size_t n, int64_t *values)
{
	memmove(values, table, n * sizeof(*table));
	return n + axes_beside(b, axis, table, sizeof(*table), n, values + n);
}

bool axes_is_asked(const struct bench *b, const struct bench_param *p)
{
	if (p->kind == BENCH_STR)
		return false;
	for (size_t i = 0; i < b->asked.n; i++)
		if (b->asked.asked[i].value == p->number &&
		    !strcmp(b->asked.asked[i].axis->axis, p->axis))
			return true;
	return false;
}
