/* SPDX-License-Identifier: MIT */
#include "result.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io.h"

/* What each record begins with. */
static const uint32_t mark = 0x574f5252u;

const struct result_column result_columns[] = {
#define COLUMN(kind, member, merge, key, heading, shown) \
	{ key,                                           \
	  heading,                                       \
	  offsetof(struct result, member),               \
	  sizeof(((struct result *)0)->member),          \
	  COLUMN_##kind,                                 \
	  MERGE_##merge,                                 \
	  SHOWN_##shown },
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

int result_set(char **slot, const char *text)
{
	char *copy = text ? strdup(text) : NULL;

	if (text && !copy)
		return -ENOMEM;
	free(*slot);
	*slot = copy;
	return 0;
}

bool result_is_level(const struct result *r)
{
	return r->unit && !strcmp(r->unit, "level");
}

/* What is not finite is null: JSON cannot say it. */
json_t *result_member(const struct result *r, const struct result_column *c)
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
	int bad = !o;

	for (const struct result_column *c = result_columns; c->key; c++)
		bad |= json_object_set_new(o, c->key, result_member(r, c));
	if (!bad)
		return o;
	json_decref(o);
	return NULL;
}

/* Return: 0, -EINVAL if @v is of another kind, or -ENOMEM. */
static int read_member(struct result *r, const struct result_column *c,
		       json_t *v)
{
	void *at = (char *)r + c->offset;
	double pair[2];

	switch (c->kind) {
	case COLUMN_TEXT:
		if (!json_is_string(v))
			break;
		return result_set(at, json_string_value(v));
	case COLUMN_NUMBER:
		if (!json_is_number(v))
			break;
		*(double *)at = json_number_value(v);
		return 0;
	case COLUMN_PAIR:
		if (!json_unpack(v, "[FF!]", &pair[0], &pair[1]))
			memcpy(at, pair, sizeof(pair));
		return 0;
	case COLUMN_COUNT:
	case COLUMN_INDEX:
		if (!json_is_integer(v))
			break;
		*(int64_t *)at = json_integer_value(v);
		return 0;
	case COLUMN_STATUS:
		for (int i = 0; json_is_string(v) && i <= RESULT_FAILED; i++)
			if (!strcmp(status_names[i], json_string_value(v))) {
				r->status = (enum result_status)i;
				return 0;
			}
		break;
	case COLUMN_JSON:
		if (!json_is_object(v))
			break;
		*(json_t **)at = json_incref(v);
		return 0;
	}
	return -EINVAL;
}

int result_from_json(struct result *r, const json_t *object, const char **why)
{
	json_int_t schema =
		json_integer_value(json_object_get(object, "schema"));
	int err = 0;

	result_init(r);
	*why = "not an object";
	if (!json_is_object(object))
		return -EINVAL;
	*why = "another schema than 1 or 2";
	if (schema < 1 || schema > RESULT_SCHEMA)
		return -EPROTO;
	for (const struct result_column *c = result_columns; !err && c->key;
	     c++) {
		json_t *v = json_object_get(object, c->key);

		*why = c->key;
		if ((v && !json_is_null(v)) || c->kind == COLUMN_STATUS)
			err = read_member(r, c, v);
	}
	if (!err && r->benchmark && r->name)
		return 0;
	if (!err) {
		*why = "benchmark or case is missing";
		err = -EINVAL;
	}
	result_free(r);
	return err;
}

/* Of a text, or an object as its text: how many bytes with its NUL, and they;
 * none is 0 bytes. */
static void put_text(FILE *out, const char *text)
{
	const uint32_t bytes = text ? (uint32_t)strlen(text) + 1 : 0;

	fwrite(&bytes, sizeof(bytes), 1, out);
	fwrite(text ? text : "", 1, bytes, out);
}

int record_put(int fd, const struct result *r)
{
	char *data = NULL;
	size_t bytes;
	FILE *out = open_memstream(&data, &bytes);
	bool bad = !out || fwrite(&mark, sizeof(mark), 1, out) != 1;
	int err = -ENOMEM;

	for (const struct result_column *c = result_columns; !bad && c->key;
	     c++) {
		const void *at = (const char *)r + c->offset;

		if (c->kind == COLUMN_JSON) {
			/* Numbers to the last bit; NULL of what is null. */
			json_t *object = *(json_t *const *)at;
			char *text = json_dumps(object, JSON_COMPACT);

			bad = !text && json_is_object(object);
			put_text(out, text);
			free(text);
		} else if (c->kind == COLUMN_TEXT) {
			put_text(out, *(char *const *)at);
		} else {
			fwrite(at, 1, c->size, out);
		}
	}
	bad |= out && ferror(out);
	bad |= out && fclose(out);
	if (!bad)
		err = io_write(fd, data, bytes, -1);
	free(data);
	return err;
}

/* The next @bytes, as long as there are so many; else NULL. */
static const char *take(const char **at, const char *end, size_t bytes)
{
	const char *from = *at;

	if (!from || bytes > (size_t)(end - from))
		return *at = NULL;
	*at += bytes;
	return from;
}

/* A member with its length before it.  Return: whether it is one. */
static bool take_text(void *to, const char **at, const char *end, bool is_json)
{
	const char *length = take(at, end, sizeof(uint32_t)), *text;
	uint32_t bytes = 0;

	if (length)
		memcpy(&bytes, length, sizeof(bytes));
	text = take(at, end, bytes);
	if (!bytes || !text)
		return text;
	if (text[bytes - 1] || strlen(text) + 1 != bytes)
		return false;
	if (!is_json)
		return !result_set(to, text);
	*(json_t **)to = json_loads(text, 0, NULL);
	return json_is_object(*(json_t **)to);
}

int record_take(struct result *r, const char **at, const char *end)
{
	const char *from = take(at, end, sizeof(uint32_t));
	bool good = from && !memcmp(from, &mark, sizeof(mark));

	result_init(r);
	for (const struct result_column *c = result_columns; good && c->key;
	     c++) {
		void *to = (char *)r + c->offset;

		if (c->kind == COLUMN_TEXT || c->kind == COLUMN_JSON) {
			good = take_text(to, at, end, c->kind == COLUMN_JSON);
			continue;
		}
		from = take(at, end, c->size);
		good = from;
		if (good)
			memcpy(to, from, c->size);
	}
	if (good && r->benchmark && r->name && r->status >= RESULT_OK &&
	    r->status <= RESULT_FAILED)
		return 0;
	result_free(r);
	return -EBADMSG;
}
