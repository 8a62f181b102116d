/* SPDX-License-Identifier: MIT */
#include "doc.h"

#include <stdarg.h>
#include <string.h>

#include "embed.h"
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
static const char *section(const char *id)
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

const char *prose(const char *id, ...)
{
	const char *rest = joined(text_copy(section(id))), *out = "", *name;

	while (*rest) {
		const size_t plain = strcspn(rest, "{");
		const size_t len = rest[plain] ? strcspn(rest + plain, "}") : 0;
		const char *value = "";
		va_list ap;

		va_start(ap, id);
		while (len && (name = va_arg(ap, const char *))) {
			const char *given = va_arg(ap, const char *);

			if (strlen(name) == len - 1 &&
			    !strncmp(name, rest + plain + 1, len - 1))
				value = given;
		}
		va_end(ap);
		out = text_format("%s%.*s%s", out, (int)plain, rest, value);
		rest += plain + len + (len > 0);
	}
	return out;
}

void prose_items(struct doc *d, const char *id)
{
	const char *rest = section(id), *line;

	while ((line = text_split(&rest, '\n'))) {
		const char *href = text_split(&line, '|');

		d->format->item(d, href, line);
	}
}

void prose_table(struct table *t, const char *id)
{
	const char *rest = section(id), *line;

	table_begin(t, text_split(&rest, '\n'));
	while ((line = text_split(&rest, '\n'))) {
		table_row(t, "");
		for (size_t i = 0; i < t->ncolumns; i++)
			table_cell(t, i, text_split(&line, '|'));
	}
}
