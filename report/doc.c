/* SPDX-License-Identifier: MIT */
#include "doc.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

/* Whether any line of the @len bytes at @s is indented as code is. */
static bool is_code(const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if ((i == 0 || s[i - 1] == '\n') &&
		    (s[i] == '\t' || !strncmp(s + i, "    ", 4)))
			return true;
	return false;
}

void doc_text(struct doc *d, const char *text)
{
	while (text && *text) {
		const char *end = strstr(text, "\n\n");
		size_t len = end ? (size_t)(end - text) : strlen(text);
		char *one = text_format("%.*s", (int)len, text);

		if (strspn(one, " \t\n") == len)
			;
		else if (is_code(one, len))
			d->format->code(d, one);
		else
			d->format->para(d, one);
		free(one);
		text += len;
		text += strspn(text, "\n");
	}
}
