/* SPDX-License-Identifier: MIT */
#include "record.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "io.h"

#define MAGIC 0x574f5252u

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
	bool bad = !out ||
		   fwrite(&(uint32_t) { MAGIC }, sizeof(MAGIC), 1, out) != 1;
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
	if (out && !(ferror(out) | fclose(out)) && !bad)
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
	bool good = from && !memcmp(from, &(uint32_t) { MAGIC }, sizeof(MAGIC));

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
