/* SPDX-License-Identifier: MIT */
#include "result.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "io.h"

const struct result_column result_columns[] = {
#define COLUMN(kind, member, merge, key)                       \
	{ key, offsetof(struct result, member),                \
	  sizeof(((struct result *)0)->member), COLUMN_##kind, \
	  MERGE_##merge },
#include "columns.h"
	{ 0 },
};

static const char *const status_names[] = {
	[RESULT_OK] = "ok",
	[RESULT_BELOW_RESOLUTION] = "below_resolution",
	[RESULT_SKIPPED] = "skipped",
	[RESULT_FAILED] = "failed",
};

const char *result_status_name(enum result_status status)
{
	return status_names[status];
}

void result_init(struct result *r)
{
	memset(r, 0, sizeof(*r));
	for (const struct result_column *c = result_columns; c->key; c++) {
		void *at = (char *)r + c->offset;

		if (c->kind == COLUMN_NUMBER)
			*(double *)at = NAN;
		else if (c->kind == COLUMN_INDEX)
			*(int64_t *)at = -1;
		else if (c->kind == COLUMN_PAIR)
			((double *)at)[0] = ((double *)at)[1] = NAN;
	}
}

void result_free(struct result *r)
{
	for (const struct result_column *c = result_columns; r && c->key; c++) {
		void *at = (char *)r + c->offset;

		if (c->kind == COLUMN_TEXT)
			free(*(char **)at);
		else if (c->kind == COLUMN_JSON)
			json_decref(*(json_t **)at);
	}
	if (r)
		result_init(r);
}

void result_set(char **slot, const char *text)
{
	char *copy = text ? text_format("%s", text) : NULL;
	json_t *utf8 = json_string(copy);

	/* Of a path, or cut in a character: JSON would lose the key. */
	for (char *c = copy; !utf8 && c && *c; c++)
		if (!isascii((unsigned char)*c))
			*c = '?';
	json_decref(utf8);
	free(*slot);
	*slot = copy;
}

static void *bytes(size_t n)
{
	return text_alloc(1, n);
}

void result_json_memory(void)
{
	json_set_alloc_funcs(bytes, free);
}

bool result_is_level(const struct result *r)
{
	return r->unit && !strcmp(r->unit, "level");
}

/* What is not finite is null: JSON cannot say it. */
static json_t *member(const struct result *r, const struct result_column *c)
{
	const void *at = (const char *)r + c->offset;
	const double *x = at;

	switch (c->kind) {
	case COLUMN_TEXT:
		if (*(char *const *)at)
			return json_string(*(char *const *)at);
		break;
	case COLUMN_NUMBER:
		if (isfinite(*x))
			return json_real(*x);
		break;
	case COLUMN_PAIR:
		if (isfinite(x[0]) && isfinite(x[1]))
			return json_pack("[ff]", x[0], x[1]);
		break;
	case COLUMN_COUNT:
		return json_integer((json_int_t) * (const uint64_t *)at);
	case COLUMN_INDEX:
		if (*(const int64_t *)at >= 0)
			return json_integer(*(const int64_t *)at);
		break;
	case COLUMN_STATUS:
		return json_string(status_names[r->status]);
	case COLUMN_JSON:
		if (*(json_t *const *)at)
			return json_incref(*(json_t *const *)at);
	}
	return json_null();
}

json_t *result_to_json(const struct result *r)
{
	json_t *o = json_pack("{s:i}", "schema", RESULT_SCHEMA);

	for (const struct result_column *c = result_columns; c->key; c++)
		json_object_set_new(o, c->key, member(r, c));
	return o;
}

/* Return: whether @v is of its kind. */
static bool read_member(struct result *r, const struct result_column *c,
			json_t *v)
{
	void *at = (char *)r + c->offset;
	double pair[2];

	switch (c->kind) {
	case COLUMN_TEXT:
		result_set(at, json_string_value(v));
		return json_is_string(v);
	case COLUMN_NUMBER:
		*(double *)at = json_number_value(v);
		return json_is_number(v);
	case COLUMN_PAIR:
		if (!json_unpack(v, "[FF!]", &pair[0], &pair[1]))
			memcpy(at, pair, sizeof(pair));
		return true;
	case COLUMN_COUNT:
	case COLUMN_INDEX:
		*(int64_t *)at = json_integer_value(v);
		return json_is_integer(v);
	case COLUMN_STATUS:
		for (int i = 0; json_is_string(v) && i <= RESULT_FAILED; i++)
			if (!strcmp(status_names[i], json_string_value(v))) {
				r->status = (enum result_status)i;
				return true;
			}
		break;
	case COLUMN_JSON:
		*(json_t **)at = json_incref(v);
		return json_is_object(v);
	}
	return false;
}

int result_from_json(struct result *r, const json_t *object, const char **why)
{
	json_int_t schema =
		json_integer_value(json_object_get(object, "schema"));
	bool good = true;

	result_init(r);
	*why = "not an object";
	if (!json_is_object(object))
		return -EINVAL;
	*why = "another schema than 1 or 2";
	if (schema < 1 || schema > RESULT_SCHEMA)
		return -EPROTO;
	for (const struct result_column *c = result_columns; good && c->key;
	     c++) {
		json_t *v = json_object_get(object, c->key);

		*why = c->key;
		if ((v && !json_is_null(v)) || c->kind == COLUMN_STATUS)
			good = read_member(r, c, v);
	}
	if (good && r->benchmark && r->name)
		return 0;
	if (good)
		*why = "benchmark or case is missing";
	result_free(r);
	return -EINVAL;
}

int record_put(int fd, const struct result *r)
{
	char *record;
	size_t size;
	FILE *out = open_memstream(&record, &size);
	uint32_t bytes = 0;
	int err;

	if (!out)
		return -ENOMEM;
	fwrite(&bytes, sizeof(bytes), 1, out);
	fwrite(r, sizeof(*r), 1, out);
	for (const struct result_column *c = result_columns; c->key; c++) {
		const void *at = (const char *)r + c->offset;
		const bool is_json = c->kind == COLUMN_JSON;
		json_t *object = is_json ? *(json_t *const *)at : NULL;
		char *json = object ? json_dumps(object, JSON_COMPACT) : NULL;
		const char *text =
			c->kind == COLUMN_TEXT ? *(char *const *)at : json;

		if (is_json || c->kind == COLUMN_TEXT)
			fprintf(out, "%s%s%c", text ? "+" : "",
				text ? text : "", '\0');
		free(json);
	}
	err = ferror(out);
	if (fclose(out) || err)
		return -ENOMEM;
	bytes = (uint32_t)(size - sizeof(bytes));
	memcpy(record, &bytes, sizeof(bytes));
	err = io_write(fd, record, size, -1);
	free(record);
	return err;
}

int record_take(struct result *r, const char **at, const char *end)
{
	const size_t there = (size_t)(end - *at);
	const char *text, *nul;
	uint32_t bytes = 0;
	bool good = true;

	result_init(r);
	if (there >= sizeof(bytes))
		memcpy(&bytes, *at, sizeof(bytes));
	if (bytes < sizeof(*r) || bytes > there - sizeof(bytes))
		return -EBADMSG;
	memcpy(r, *at + sizeof(bytes), sizeof(*r));
	text = *at + sizeof(bytes) + sizeof(*r);
	*at += sizeof(bytes) + bytes;
	for (const struct result_column *c = result_columns; c->key; c++) {
		void *to = (char *)r + c->offset;

		if (c->kind != COLUMN_TEXT && c->kind != COLUMN_JSON)
			continue;
		memset(to, 0, c->size); /* a pointer of another process */
		nul = memchr(text, '\0', (size_t)(*at - text));
		good = good && nul;
		if (good && *text && c->kind == COLUMN_TEXT)
			result_set(to, text + 1);
		if (good && *text && c->kind == COLUMN_JSON) {
			*(json_t **)to = json_loads(text + 1, 0, NULL);
			good = json_is_object(*(json_t **)to);
		}
		text = good ? nul + 1 : *at;
	}
	if (good && text == *at && r->benchmark && r->name &&
	    (unsigned int)r->status <= RESULT_FAILED)
		return 0;
	result_free(r);
	return -EBADMSG;
}
