/* SPDX-License-Identifier: MIT */
/* The table of what was counted (--counters), below that of the times. */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "counters.h"
#include "out.h"
#include "units.h"

/* Keys of the object "counters" that are shown, in this order. */
static const struct {
	const char *key, *heading;
} shown[] = {
	{ "instructions", "instructions" },
	{ "cycles", "cycles" },
	{ "ipc", "IPC" },
	{ "llc_misses", "LLC misses" },
	{ "page_faults", "faults" },
	{ "branch_misses", "branch misses" },
	{ "context_switches", "switches" },
	{ "task_clock_ns", "CPU ns" },
	{ "intervals", "intervals" },
};

#define SHOWN	(sizeof(shown) / sizeof(*shown))
#define COLUMNS (SHOWN + 1)
#define FIT	(5 + 1) /* columns for which 80 have room */

static void put_counts(char **cells, const struct result *r, size_t columns)
{
	char text[UNITS_MAX];

	cells[0] = strdup(r->name);
	for (size_t k = 0; k + 1 < columns; k++) {
		const json_t *v = json_object_get(r->counters, shown[k].key);

		if (json_is_integer(v))
			snprintf(text, sizeof(text), "%" JSON_INTEGER_FORMAT,
				 json_integer_value(v));
		else if (json_is_number(v))
			units_number(text, json_number_value(v));
		if (json_is_number(v))
			cells[k + 1] = strdup(text);
	}
}

/* One line for each reason, with the events that it is the reason of. */
static void say_unknown(FILE *f, json_t *unknown)
{
	const char *said[COUNTERS_EVENTS];
	size_t n = 0;
	const char *event, *other;
	json_t *why, *same;

	json_object_foreach(unknown, event, why)
	{
		const char *text = json_string_value(why);
		char *line = NULL;
		size_t len;
		FILE *m;
		bool new = text &&n < COUNTERS_EVENTS;

		for (size_t i = 0; i < n && new; i++)
			new = strcmp(said[i], text) != 0;
		if (!new)
			continue;
		said[n++] = text;
		m = open_memstream(&line, &len);
		if (!m)
			return;
		fprintf(m, "unknown:");
		json_object_foreach(unknown, other, same)
		{
			if (json_equal(why, same))
				fprintf(m, " %s", other);
		}
		fprintf(m, ": %s", text);
		fclose(m);
		out_text(f, line, 2);
		free(line);
	}
}

/* Bounds differ from row to row and say little: they are left to JSON. */
static json_t *lasting_reasons(const struct result *r)
{
	json_t *unknown =
		json_deep_copy(json_object_get(r->counters, "unknown"));
	const char *event;
	json_t *why;
	void *next;

	json_object_foreach_safe(unknown, next, event, why)
	{
		if (json_is_string(why) && json_string_value(why)[0] == '<')
			json_object_del(unknown, event);
	}
	return unknown;
}

int out_counts(FILE *f, const struct result *rows, size_t n, bool wide)
{
	const size_t columns = wide ? COLUMNS : FIT;
	char **cells = calloc((n + 1) * COLUMNS, sizeof(*cells));
	char sides[COLUMNS] = "l";
	const struct result *first = NULL;
	size_t lines = 1;
	const char *scope;
	json_t *unknown;
	int err = 0;

	if (!cells)
		return -ENOMEM;
	cells[0] = strdup("of one operation");
	for (size_t k = 0; k + 1 < columns; k++) {
		cells[k + 1] = strdup(shown[k].heading);
		sides[k + 1] = 'r';
	}
	for (size_t i = 0; i < n; i++) {
		if (!rows[i].counters)
			continue;
		first = first ? first : &rows[i];
		put_counts(&cells[lines++ * columns], &rows[i], columns);
	}
	if (first) {
		scope = json_string_value(
			json_object_get(first->counters, "scope"));
		fprintf(f, "\ncounted of the thread that measures, %s:\n",
			scope ? scope : "-");
		if (wide)
			out_table(f, cells, lines, COLUMNS, sides);
		else
			err = out_folded(f, cells, lines, columns, NULL);
		unknown = lasting_reasons(first);
		say_unknown(f, unknown);
		json_decref(unknown);
	}
	for (size_t i = 0; i < (n + 1) * COLUMNS; i++)
		free(cells[i]);
	free(cells);
	return err;
}
