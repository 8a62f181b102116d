/* SPDX-License-Identifier: MIT */
/*
 * The rows of one node, as run_load() has them, but for a fleet: 10 000 nodes
 * are four million lines.  Of each line only the fields are taken that a fleet
 * is judged by, where they stand, without a tree of JSON.  A file in which
 * anything is unusual is left to run_load().
 */
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "fleet.h"
#include "input.h"
#include "sections.h"
#include "text.h"

/* What is taken of a line. */
enum kind { TEXT, NUMBER, STATUS, ROUND, SEED, SCHEMA };

static const struct {
	const char *key;
	size_t len;
	enum kind kind;
	size_t offset;
} fields[] = {
#define FIELD(kind, key, member)                                            \
	{                                                                   \
		key, sizeof(key) - 1, kind, offsetof(struct result, member) \
	}
	{ "schema", 6, SCHEMA, 0 },
	FIELD(TEXT, "benchmark", benchmark),
	FIELD(TEXT, "case", name),
	{ "status", 6, STATUS, 0 },
	FIELD(TEXT, "unit", unit),
	FIELD(TEXT, "better", better),
	FIELD(NUMBER, "value", value),
	FIELD(TEXT, "timer", timer),
	FIELD(NUMBER, "core_hz", core_hz),
	FIELD(TEXT, "tier", tier),
	FIELD(TEXT, "estimator", estimator),
	{ "round", 5, ROUND, 0 },
	{ "seed", 4, SEED, 0 },
	FIELD(NUMBER, "estimate", estimate),
	FIELD(NUMBER, "resolution", resolution),
	FIELD(NUMBER, "quantum", quantum),
	FIELD(NUMBER, "at_least", at_least),
	FIELD(NUMBER, "at_most", at_most),
#undef FIELD
};

#define FIELDS (sizeof(fields) / sizeof(*fields))

/* Behind the quote that ends the string which @p is in; NULL if there is none
 * or *@plain and something is escaped. */
static char *end_of_text(char *p, bool plain)
{
	for (;; p += 2) {
		p += strcspn(p, "\"\\");
		if (*p == '"')
			return p + 1;
		if (!*p || plain || !p[1])
			return NULL;
	}
}

/* Behind the value at @p; NULL if it does not end. */
static char *end_of_value(char *p)
{
	int depth = 0;

	for (; *p; p++) {
		if (*p == '"') {
			p = end_of_text(p + 1, false);
			if (!p)
				return NULL;
			p--;
		} else if (*p == '{' || *p == '[') {
			depth++;
		} else if (*p == '}' || *p == ']') {
			if (!depth)
				return p;
			depth--;
		} else if (*p == ',' && !depth) {
			return p;
		}
	}
	return NULL;
}

/* The @len bytes at @p as field @i.  Return: whether they can be. */
static bool take_field(struct result *r, size_t i, char *p, size_t len)
{
	char *slot = (char *)r + fields[i].offset, *end = p + len;
	const bool null = len == 4 && !memcmp(p, "null", 4);

	if (fields[i].kind == TEXT || fields[i].kind == STATUS) {
		if (null)
			return fields[i].kind == TEXT;
		if (len < 2 || *p != '"' || end_of_text(p + 1, true) != end)
			return false;
		for (size_t k = 0; k < len; k++)
			if (p[k] < ' ' || p[k] > '~')
				return false;
		end[-1] = '\0';
		if (fields[i].kind == TEXT) {
			*(char **)slot = p + 1;
			return true;
		}
		for (int s = RESULT_OK; s <= RESULT_FAILED; s++)
			if (!strcmp(p + 1,
				    result_status_name((enum result_status)s)))
				r->status = (enum result_status)s;
		return true;
	}
	if (null)
		return true;
	if (!strchr("-0123456789", *p))
		return false;
	switch (fields[i].kind) {
	case NUMBER:
		*(double *)slot = strtod(p, &end);
		break;
	case ROUND:
		r->round = strtoll(p, &end, 10);
		break;
	case SEED:
		r->seed = strtoull(p, &end, 10);
		break;
	default:
		return *p >= '1' && strtol(p, &end, 10) <= RESULT_SCHEMA;
	}
	return end == p + len;
}

/* The line at @p, with its end in *@next.  Return: whether it is one of ours,
 * with nothing unusual. */
static bool take_line(struct result *r, char *p, char **next)
{
	unsigned int seen = 0;

	result_init(r);
	r->status = RESULT_FAILED;
	if (*p++ != '{')
		return false;
	for (;;) {
		char *key = p + 1, *value, *end;
		size_t len;

		if (*p != '"' || !(p = end_of_text(key, true)) || *p != ':')
			return false;
		len = (size_t)(p - 1 - key);
		value = ++p;
		end = end_of_value(value);
		if (!end)
			return false;
		for (size_t i = 0; i < FIELDS; i++) {
			if (fields[i].len != len ||
			    memcmp(fields[i].key, key, len) != 0)
				continue;
			/* A key that stands there twice is unusual. */
			if (seen & 1u << i ||
			    !take_field(r, i, value, (size_t)(end - value)))
				return false;
			seen |= 1u << i;
			break;
		}
		p = end + 1;
		if (*end == '}')
			break;
		if (*end != ',')
			return false;
	}
	*next = p + 1;
	/* Schema, benchmark, case and status; one that failed may have been
	 * measured again. */
	return *p == '\n' && (seen & 0xf) == 0xf && r->benchmark && r->name &&
	       r->status != RESULT_FAILED && r->round >= 0;
}

struct lines {
	struct result *v;
	size_t n;
};

/* Of one case together, in the order of the file. */
static int by_case(const void *a, const void *b)
{
	const struct result *x = *(const struct result *const *)a;
	const struct result *y = *(const struct result *const *)b;
	int order = strcmp(x->benchmark, y->benchmark);

	if (!order)
		order = strcmp(x->name, y->name);
	return order ? order : (x > y) - (x < y);
}

static bool same_case(const struct result *x, const struct result *y)
{
	return !strcmp(x->name, y->name) && !strcmp(x->benchmark, y->benchmark);
}

/* Whether a round and seed of the case were read before. */
static bool is_twice(const struct result *const *rows, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (rows[i]->round == rows[n]->round &&
		    rows[i]->seed == rows[n]->seed)
			return true;
	return false;
}

/* Hand the rows to @take.  Return: false if anything is unusual. */
static bool take_rows(const struct lines *lines, fleet_take_fn *take, void *arg)
{
	const struct result **v =
		text_alloc(lines->n + 1, sizeof(const struct result *));
	struct result *rows = text_alloc(lines->n, sizeof(*rows));
	size_t from = 0, nrows = 0;
	bool good = true;

	for (size_t i = 0; i < lines->n; i++)
		v[i] = &lines->v[i];
	qsort(v, lines->n, sizeof(const struct result *), by_case);
	while (good && from < lines->n) {
		size_t n = 1;

		while (good && from + n < lines->n &&
		       same_case(v[from], v[from + n])) {
			good = !is_twice(&v[from], n);
			n++;
		}
		if (good)
			result_aggregate(&rows[nrows++], &v[from], n);
		from += n;
	}
	for (size_t i = 0; good && i < nrows; i++)
		take(arg, &rows[i], nrows - i);
	while (nrows)
		result_free(&rows[--nrows]);
	free(rows);
	free(v);
	return good;
}

/* The rows of DIR/invocations.jsonl.  Return: false if anything is unusual. */
static bool read_rows(const char *dir, fleet_take_fn *take, void *arg)
{
	char *path = text_format("%s/invocations.jsonl", dir);
	size_t len = 0;
	char *text = input_text(path, INPUT_NO_LINK, &len);
	char *p = text;
	struct lines lines = { 0 };
	bool good = text && len && strlen(text) == len;

	while (good && *p) {
		lines.v = text_grow(lines.v, lines.n, sizeof(*lines.v));
		good = take_line(&lines.v[lines.n], p, &p);
		lines.n++;
	}
	good = good && take_rows(&lines, take, arg);
	free(lines.v);
	free(text);
	free(path);
	return good;
}

int fleet_read(struct run *run, const char *dir, struct notes *notes,
	       fleet_take_fn *take, void *arg, const char **why)
{
	int err;

	*run = (struct run) { .dir = text_copy(dir), .notes = notes };
	*why = NULL;
	if (read_rows(dir, take, arg)) {
		run->meta = run_read_json(run, "run.json", JSON_OBJECT);
		run->machine = run_read_json(run, "machine.json", JSON_OBJECT);
		run->noise = noise_certificate_read(dir, notes);
		return 0;
	}
	run_free(run);
	err = run_load(run, dir, notes, why);
	for (size_t i = 0; !err && i < run->nrows; i++)
		take(arg, &run->rows[i].all, run->nrows - i);
	return err;
}
