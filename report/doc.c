/* SPDX-License-Identifier: MIT */
#include "doc.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "err.h"
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
		const char *one = text_format("%.*s", (int)len, text);

		if (strspn(one, " \t\n") == len)
			;
		else if (is_code(one, len))
			d->format->code(d, one);
		else
			d->format->para(d, one);
		text += len;
		text += strspn(text, "\n");
	}
}

void doc_table(struct doc *d, const struct table *t, const char *otherwise)
{
	if (t->nrows)
		d->format->table(d, t);
	else if (otherwise)
		d->format->para(d, otherwise);
}

static int write_page(const struct doc_format *format, const char *dir,
		      const char *name, doc_write_fn *write, const void *what)
{
	const char *path = text_format("%s/%s.%s", dir, name, format->suffix);
	struct doc d = { .f = text_create(path), .dir = dir, .format = format };
	int bad = !d.f;

	if (d.f) {
		write(&d, what);
		bad = ferror(d.f);
		bad |= fclose(d.f);
	}
	if (bad)
		warn("%s: %s", path, strerror(errno));
	return bad ? -EIO : 0;
}

int doc_pages(const char *dir, const char *name, doc_write_fn *write,
	      const void *what)
{
	const int err = write_page(&doc_md, dir, name, write, what);

	return write_page(&doc_html, dir, name, write, what) || err ? -EIO : 0;
}
