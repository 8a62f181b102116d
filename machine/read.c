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

char *machine_cpuinfo(const char *text, const char *key)
{
	size_t len = strlen(key);

	for (const char *line = text; line && *line && *line != '\n';) {
		const char *v = line + len;
		const char *next = strchr(line, '\n');

		if (!strncmp(line, key, len) && (*v == '\t' || *v == ':')) {
			v += strspn(v, "\t :");
			return text_format("%.*s", (int)strcspn(v, "\n"), v);
		}
		line = next ? next + 1 : NULL;
	}
	return NULL;
}
