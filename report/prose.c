/* SPDX-License-Identifier: MIT */
#include "doc.h"

#include <stdarg.h>
#include <string.h>

#include "err.h"
#include "text.h"

/* Lines are joined; what parts paragraphs stays. */
static const char *joined(char *text)
{
	for (char *c = text; (c = strchr(c, '\n')); c++)
		if (c[1] == '\n')
			c += strspn(c, "\n") - 1;
		else
			*c = ' ';
	return text;
}

/* Up to the next heading, without what is blank around it. */
const char *prose_section(const char *id)
{
	const char *head = text_format("\n## %s\n", id);
	const char *at = strstr(prose_md, head), *end;

	if (!at)
		die(EXIT_FAIL, "no text of %s", id);
	at += strlen(head);
	at += strspn(at, "\n");
	end = strstr(at, "\n## ");
	end = end ? end : at + strlen(at);
	while (end > at && end[-1] == '\n')
		end--;
	return text_format("%.*s", (int)(end - at), at);
}

/* Names and values in turn. */
struct given {
	va_list *ap;
};

static const char *value_of(const char *name, const void *arg)
{
	const struct given *given = arg;
	const char *known, *value = "";
	va_list ap;

	va_copy(ap, *given->ap);
	while ((known = va_arg(ap, const char *))) {
		const char *said = va_arg(ap, const char *);

		if (!strcmp(known, name))
			value = said;
	}
	va_end(ap);
	return value;
}

const char *prose(const char *id, ...)
{
	const char *text;
	va_list ap;

	va_start(ap, id);
	text = text_fill(joined(text_copy(prose_section(id))), value_of,
			 &(struct given) { &ap });
	va_end(ap);
	return text;
}

void prose_items(struct doc *d, const char *id)
{
	const char *rest = prose_section(id), *line;

	while ((line = text_split(&rest, '\n'))) {
		const char *href = text_split(&line, '|');

		doc_item(d, href, line);
	}
}

void prose_table(struct table *t, const char *id)
{
	const char *rest = prose_section(id), *line;

	table_begin(t, text_split(&rest, '\n'));
	while ((line = text_split(&rest, '\n'))) {
		table_row(t, "");
		for (size_t i = 0; i < t->ncolumns; i++)
			table_cell(t, i, text_split(&line, '|'));
	}
}
