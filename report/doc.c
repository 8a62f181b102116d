/* SPDX-License-Identifier: MIT */
#include "doc.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

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

int doc_file(const char *dir, const char *name, const char *suffix,
	     doc_file_fn *write, const void *what)
{
	const char *path = text_format("%s/%s.%s", dir, name, suffix);
	const char *draft = text_format("%s/.%s.%s.new", dir, name, suffix);
	FILE *f = text_create(draft);
	int bad = !f;

	if (f) {
		bad = write(f, what) || ferror(f);
		bad |= fclose(f);
	}
	if (!bad && !rename(draft, path))
		return 0;
	warn("%s: %s", path, strerror(errno));
	unlink(draft);
	return -EIO;
}

struct page {
	const char *dir;
	const struct doc_format *format;
	doc_write_fn *write;
	const void *what;
};

static int put_page(FILE *f, const void *arg)
{
	const struct page *p = arg;
	struct doc d = { .f = f, .dir = p->dir, .format = p->format };

	p->write(&d, p->what);
	return 0;
}

int doc_pages(const char *dir, const char *name, doc_write_fn *write,
	      const void *what)
{
	struct page p = { dir, &doc_md, write, what };
	int err = doc_file(dir, name, "md", put_page, &p);

	p.format = &doc_html;
	return doc_file(dir, name, "html", put_page, &p) || err ? -EIO : 0;
}
