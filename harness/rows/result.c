/* SPDX-License-Identifier: MIT */
#include "result.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"

const struct result_column result_columns[] = {
#define COLUMN(kind, member, merge, key) \
	{ key, offsetof(struct result, member), COLUMN_##kind, MERGE_##merge },
#include "columns.h"
	{ 0 },
};

static const char *const status_names[] = {
	[RESULT_OK] = "ok",
	[RESULT_BELOW_RESOLUTION] = "below_resolution",
	[RESULT_SKIPPED] = "skipped",
	[RESULT_FAILED] = "failed",
};

/* Axes as earlier versions called them; none of today is longer. */
static const char *const renamed[][2] = {
	{ "figure", "stat" }, { "measure", "stat" }, { "call", "op" },
	{ "what", "op" },     { "do", "op" },	     { "via", "by" },
	{ "how", "by" },
};

static const char *axis_today(const char *old, size_t len)
{
	for (size_t i = 0; i < sizeof(renamed) / sizeof(renamed[0]); i++)
		if (strlen(renamed[i][0]) == len &&
		    !strncmp(old, renamed[i][0], len))
			return renamed[i][1];
	return NULL;
}

void result_case_today(char *name)
{
	char *out = name;

	for (char before = ','; *name; before = *name++) {
		const size_t len =
			strchr("*,", before) ? strcspn(name, "*,=") : 0;
		const char *now =
			name[len] == '=' ? axis_today(name, len) : NULL;

		if (now) {
			out = stpcpy(out, now);
			name += len;
		}
		*out++ = *name;
	}
	*out = '\0';
}

static void params_today(json_t *params)
{
	for (size_t i = 0; i < sizeof(renamed) / sizeof(renamed[0]); i++) {
		json_t *v = json_object_get(params, renamed[i][0]);

		if (v) {
			json_object_set(params, renamed[i][1], v);
			json_object_del(params, renamed[i][0]);
		}
	}
}

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

	/* A path, or text cut in a character: JSON would lose the key. */
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

/* A number that is not finite is null: JSON has no other. */
static json_t *member(const struct result *r, const struct result_column *c)
{
	const void *at = (const char *)r + c->offset;
	const double *x = at;

	switch (c->kind) {
	case COLUMN_TEXT:
		return json_pack("s?", *(char *const *)at);
	case COLUMN_JSON:
		return json_pack("O?", *(json_t *const *)at);
	case COLUMN_STATUS:
		return json_string(status_names[r->status]);
	case COLUMN_NUMBER:
		return isfinite(*x) ? json_real(*x) : json_null();
	case COLUMN_PAIR:
		return isfinite(x[0]) && isfinite(x[1])
			       ? json_pack("[ff]", x[0], x[1])
			       : json_null();
	default:
		return *(const int64_t *)at < 0
			       ? json_null()
			       : json_integer(*(const int64_t *)at);
	}
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
	if (good && r->benchmark && r->name) {
		result_case_today(r->name);
		params_today(r->params);
		return 0;
	}
	if (good)
		*why = "benchmark or case is missing";
	result_free(r);
	return -EINVAL;
}

char *result_line(const struct result *r, size_t digits)
{
	json_t *o = result_to_json(r);
	char *json = json_dumps(o, JSON_COMPACT | JSON_REAL_PRECISION(digits));
	char *line = text_format("%s\n", json);

	free(json);
	json_decref(o);
	return line;
}

int result_take(struct result *r, const char **at, const char *end)
{
	const char *feed = memchr(*at, '\n', (size_t)(end - *at)), *why;
	json_t *o =
		feed ? json_loadb(*at, (size_t)(feed - *at), 0, NULL) : NULL;
	const int err = o ? result_from_json(r, o, &why) : -EBADMSG;

	json_decref(o);
	*at = feed ? feed + 1 : end;
	return err ? -EBADMSG : 0;
}
