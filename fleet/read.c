/* SPDX-License-Identifier: MIT */
/*
 * The rows of one node, as run_load() has them, but for a fleet: 10 000 nodes
 * are four million lines.  Only the keys that a fleet is judged by are taken,
 * where they stand, without a tree of JSON.  A quote within a text is escaped,
 * so what is looked for (,"value":) is never in one.  A file in
 * which anything is not as our programs write it is left to run_load().
 */
#include <stdlib.h>
#include <string.h>

#include "fleet.h"
#include "input.h"
#include "sections.h"
#include "text.h"

/* In the order of a line (columns.h); params, which may have any key, end
 * before the status. */
static const struct {
	const char *key;
	enum { TEXT, STATUS, NUMBER, OPTIONAL, COUNT } kind;
	size_t offset;
} fields[] = {
#define FIELD(kind, key, member)                           \
	{                                                  \
		key, kind, offsetof(struct result, member) \
	}
	FIELD(TEXT, ",\"benchmark\":", benchmark),
	FIELD(TEXT, ",\"case\":", name),
	FIELD(STATUS, "},\"status\":", status),
	FIELD(TEXT, ",\"unit\":", unit),
	FIELD(TEXT, ",\"better\":", better),
	FIELD(NUMBER, ",\"value\":", value),
	FIELD(TEXT, ",\"timer\":", timer),
	FIELD(NUMBER, ",\"core_hz\":", core_hz),
	FIELD(OPTIONAL, ",\"core_share\":", core_share),
	FIELD(TEXT, ",\"tier\":", tier),
	FIELD(TEXT, ",\"estimator\":", estimator),
	FIELD(COUNT, ",\"round\":", round),
	FIELD(COUNT, ",\"seed\":", seed),
	FIELD(NUMBER, ",\"estimate\":", estimate),
	FIELD(NUMBER, ",\"resolution\":", resolution),
	FIELD(NUMBER, ",\"quantum\":", quantum),
	FIELD(NUMBER, ",\"at_least\":", at_least),
	FIELD(NUMBER, ",\"at_most\":", at_most),
#undef FIELD
};

/* The text that begins behind the quote at *@p, which moves behind it; NULL if
 * it is none of plain ASCII. */
static char *plain_text(char **p)
{
	char *text = *p + 1, *end = text;

	if (**p != '"')
		return NULL;
	while (*end >= ' ' && *end <= '~' && *end != '"' && *end != '\\')
		end++;
	if (*end != '"')
		return NULL;
	*end = '\0';
	*p = end + 1;
	return text;
}

/* The value at *@p as field @i.  Return: whether it can be. */
static bool take_field(struct result *r, size_t i, char **p)
{
	void *slot = (char *)r + fields[i].offset;
	char *text;

	if (!strncmp(*p, "null", 4)) {
		*p += 4;
		return fields[i].kind != STATUS;
	}
	if (fields[i].kind == TEXT || fields[i].kind == STATUS) {
		text = plain_text(p);
		if (text && fields[i].kind == TEXT)
			*(char **)slot = text;
		for (int s = RESULT_OK;
		     text && fields[i].kind == STATUS && s <= RESULT_FAILED;
		     s++)
			if (!strcmp(text,
				    result_status_name((enum result_status)s)))
				r->status = (enum result_status)s;
		return text;
	}
	text = *p;
	if (!strchr("-0123456789", *text))
		return false;
	if (fields[i].kind == COUNT)
		*(uint64_t *)slot = strtoull(text, p, 10);
	else
		*(double *)slot = strtod(text, p);
	return *p > text && strchr(",}", **p);
}

/* A line.  Return: whether it is one of ours, with nothing unusual; one that
 * failed may have been measured again. */
static bool take_line(struct result *r, char *line)
{
	static const char begin[] = "{\"schema\":2,";
	char *p = line + sizeof(begin) - 2;

	result_init(r);
	r->status = RESULT_FAILED;
	if (strncmp(line, begin, sizeof(begin) - 1) != 0)
		return false;
	for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++) {
		const char *key = fields[i].key;

		/* It is behind the field before, or the line is older. */
		if (fields[i].kind == OPTIONAL &&
		    strncmp(p, key, strlen(key)) != 0)
			continue;
		p = strstr(p, key);
		if (!p)
			return false;
		p += strlen(key);
		if (!take_field(r, i, &p))
			return false;
	}
	if (r->name)
		result_case_today(r->name);
	return r->benchmark && r->name && r->status != RESULT_FAILED &&
	       r->round >= 0;
}

/* Rows of one case together, in the order of the file. */
static int by_case(const void *a, const void *b)
{
	const struct result *x = *(const struct result *const *)a;
	const struct result *y = *(const struct result *const *)b;
	int order = strcmp(x->benchmark, y->benchmark);

	if (!order)
		order = strcmp(x->name, y->name);
	return order ? order : (x > y) - (x < y);
}

/* How many of the @n rows are of the case of the first; 0 if one of them was
 * measured twice. */
static size_t of_case(const struct result *const *v, size_t n)
{
	size_t same = 1;

	for (; same < n && !strcmp(v[0]->name, v[same]->name) &&
	       !strcmp(v[0]->benchmark, v[same]->benchmark);
	     same++)
		for (size_t i = 0; i < same; i++)
			if (v[i]->round == v[same]->round &&
			    v[i]->seed == v[same]->seed)
				return 0;
	return same;
}

/* Add the rows of all @n lines to @run.  Return: false if a line is there
 * twice. */
static bool make_rows(struct run *run, const struct result *lines, size_t n)
{
	const struct result **v = text_alloc(n + 1, sizeof(struct result *));
	size_t same = 1;

	for (size_t i = 0; i < n; i++)
		v[i] = &lines[i];
	qsort(v, n, sizeof(struct result *), by_case);
	for (size_t i = 0; i < n && same; i += same) {
		same = of_case(v + i, n - i);
		if (!same)
			break;
		run->rows =
			text_grow(run->rows, run->nrows, sizeof(*run->rows));
		run->rows[run->nrows] = (struct row) { .n = same };
		result_aggregate(&run->rows[run->nrows++].all, v + i, same);
	}
	free(v);
	return same;
}

/* The rows of DIR/invocations.jsonl.  Return: false if anything is unusual. */
static bool read_rows(struct run *run)
{
	size_t len = 0, n = 0;
	char *text = input_text(text_format("%s/invocations.jsonl", run->dir),
				INPUT_NO_LINK, &len);
	char *rest = text, *line;
	struct result *lines = NULL;
	bool good = text && len && strlen(text) == len && text[len - 1] == '\n';

	while (good && (line = strsep(&rest, "\n")) && *line) {
		lines = text_grow(lines, n, sizeof(*lines));
		good = take_line(&lines[n++], line);
	}
	good = good && !rest && make_rows(run, lines, n);
	free(lines);
	free(text);
	return good;
}

const char *fleet_read(struct run *run, const char *dir, struct notes *notes)
{
	*run = (struct run) { .dir = dir, .notes = notes };
	if (!read_rows(run)) {
		run_free(run);
		return run_load(run, dir, false, notes);
	}
	run->meta = run_read_json(run, "run.json", JSON_OBJECT);
	run->machine = run_read_json(run, "machine.json", JSON_OBJECT);
	run->noise = noise_certificate_read(dir, notes);
	return NULL;
}
