/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "machine.h"

json_t *machine_string(const char *text)
{
	json_t *s = text && *text ? json_string(text) : NULL;

	return s ? s : json_null();
}

json_t *machine_text(char *text)
{
	json_t *s = machine_string(text);

	free(text);
	return s;
}

void machine_set(json_t *o, const char *key, json_t *value)
{
	if (!json_object_get(o, key) || json_is_null(json_object_get(o, key)))
		json_object_set_new(o, key, value);
	else
		json_decref(value);
}

char *machine_field(const char *text, const char *key)
{
	const size_t len = strlen(key);

	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (!strncmp(line, key, len) && line[len] &&
		    strchr("\t:=", line[len])) {
			line += len + strspn(line + len, "\t :=\"'");
			return text_format("%.*s", (int)strcspn(line, "\n\"'"),
					   line);
		}
	}
	return NULL;
}

/* @text of a file as that kind of fact. */
static json_t *value_of(const struct machine_fact *f, char *text)
{
	char *begin = strchr(text, '[');

	switch (f->kind) {
	case FACT_NUMBER:
		return json_integer((json_int_t)strtoul(text, NULL, 0));
	case FACT_CHOSEN:
		if (begin)
			begin[strcspn(begin, "]")] = '\0';
		return machine_string(begin ? begin + 1 : NULL);
	case FACT_IS_0:
	case FACT_IS_1:
		return json_boolean(*text ==
				    (f->kind == FACT_IS_0 ? '0' : '1'));
	default:
		return machine_string(text);
	}
}

void machine_fill(json_t *o, const char *root, const struct machine_fact *facts)
{
	for (const struct machine_fact *f = facts; f->key; f++) {
		char *text = f->field ? sysfile_text("%s%s", root, f->file)
				      : sysfile_first("%s%s", root, f->file);
		char *field = f->field ? machine_field(text, f->field) : text;

		machine_set(o, f->key,
			    field ? value_of(f, field) : json_null());
		if (f->field)
			free(field);
		free(text);
	}
}
