/* SPDX-License-Identifier: MIT */
#include "record.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "io.h"

#define MAGIC 0x574f5252u
#define DEPTH 8 /* of lists in lists; a row has 4 */

/* One set of functions goes both ways: what they are given is written to @out,
 * or if that is NULL set to what is there. */
struct stream {
	FILE *out;
	const char *at, *end;
	bool bad; /* there is less, or something else */
};

static void pass(struct stream *s, void *data, size_t bytes)
{
	if (s->out) {
		fwrite(data, 1, bytes, s->out);
		return;
	}
	s->bad |= bytes > (size_t)(s->end - s->at);
	if (s->bad)
		return;
	memcpy(data, s->at, bytes);
	s->at += bytes;
}

/* With its NUL; of 0 bytes it is NULL. */
static void pass_text(struct stream *s, char **text)
{
	uint32_t bytes = s->out && *text ? (uint32_t)strlen(*text) + 1 : 0;

	pass(s, &bytes, sizeof(bytes));
	s->bad |= !s->out && bytes > (size_t)(s->end - s->at);
	if (s->bad || !bytes)
		return;
	if (!s->out)
		*text = malloc(bytes);
	s->bad |= !*text;
	if (*text)
		pass(s, *text, bytes);
	if (!*text || s->out)
		return;
	s->bad |= (*text)[bytes - 1] || strlen(*text) + 1 != bytes;
	if (s->bad) {
		free(*text);
		*text = NULL;
	}
}

static void pass_json(struct stream *s, json_t **v, int depth);

/* The members of an object, which have keys, or of an array. */
static void pass_list(struct stream *s, json_t *list, int depth)
{
	const bool keys = json_is_object(list);
	void *i = json_object_iter(list);
	uint32_t n = (uint32_t)(keys ? json_object_size(list)
				     : json_array_size(list));

	pass(s, &n, sizeof(n));
	for (uint32_t k = 0; k < n && !s->bad; k++) {
		char *key = NULL;
		json_t *v = NULL;

		if (s->out && keys) {
			key = (char *)json_object_iter_key(i);
			v = json_object_iter_value(i);
			i = json_object_iter_next(list, i);
		} else if (s->out) {
			v = json_array_get(list, k);
		}
		if (keys)
			pass_text(s, &key);
		pass_json(s, &v, depth);
		if (s->out)
			continue;
		s->bad |= keys ? json_object_set_new(list, key, v)
			       : json_array_append_new(list, v);
		free(key);
	}
}

static void pass_json(struct stream *s, json_t **v, int depth)
{
	int type = *v ? (int)json_typeof(*v) : JSON_NULL;
	char *text;
	json_int_t whole = json_integer_value(*v);
	double x = json_real_value(*v);

	pass(s, &type, sizeof(type));
	s->bad |= !depth;
	if (s->bad)
		return;
	switch (type) {
	case JSON_OBJECT:
	case JSON_ARRAY:
		if (!s->out)
			*v = type == JSON_OBJECT ? json_object() : json_array();
		pass_list(s, *v, depth - 1);
		break;
	case JSON_STRING:
		text = (char *)json_string_value(*v);
		pass_text(s, &text);
		if (s->out)
			break;
		*v = json_string(text);
		free(text);
		break;
	case JSON_INTEGER:
		pass(s, &whole, sizeof(whole));
		*v = s->out ? *v : json_integer(whole);
		break;
	case JSON_REAL:
		pass(s, &x, sizeof(x));
		*v = s->out ? *v : json_real(x);
		break;
	case JSON_NULL:
		*v = s->out ? *v : json_null();
		break;
	default:
		s->bad = true;
	}
	s->bad |= !s->out && !*v;
}

static void pass_row(struct stream *s, struct result *r)
{
	uint32_t magic = MAGIC;

	pass(s, &magic, sizeof(magic));
	s->bad |= magic != MAGIC;
	for (const struct result_column *c = result_columns; !s->bad && c->key;
	     c++) {
		void *at = (char *)r + c->offset;
		json_t **object = at;

		if (c->kind == COLUMN_TEXT)
			pass_text(s, at);
		else if (c->kind != COLUMN_JSON)
			pass(s, at, c->size);
		else
			pass_json(s, object, DEPTH);
		if (!s->out && c->kind == COLUMN_JSON && json_is_null(*object))
			*object = NULL;
	}
}

int record_put(int fd, const struct result *r)
{
	char *data = NULL;
	size_t bytes;
	struct stream s = { .out = open_memstream(&data, &bytes) };
	int err = s.out ? 0 : -ENOMEM;

	if (!err) {
		pass_row(&s, (struct result *)r);
		err = ferror(s.out) | fclose(s.out) ? -ENOMEM : 0;
	}
	if (!err)
		err = s.bad ? -EINVAL : io_write(fd, data, bytes, -1);
	free(data);
	return err;
}

int record_take(struct result *r, const char **at, const char *end)
{
	struct stream s = { .at = *at, .end = end };

	result_init(r);
	pass_row(&s, r);
	*at = s.at;
	if (!s.bad && r->benchmark && r->name && r->status >= RESULT_OK &&
	    r->status <= RESULT_FAILED)
		return 0;
	result_free(r);
	return -EBADMSG;
}
