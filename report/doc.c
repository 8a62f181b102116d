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

/* Write @form: see struct doc_format. */
static void put(struct doc *d, const char *form, const char *name,
		const char *text)
{
	for (; form && *form; form++) {
		if (*form != '%') {
			fputc(*form, d->f);
			continue;
		}
		form++;
		if (*form == 't')
			d->format->text(d->f, text);
		else if (*form == 'c')
			d->format->verbatim(d->f, text);
		else if (*form == 'i')
			d->format->image(d, name, text);
		else
			fputs(name, d->f);
	}
}

void doc_begin(struct doc *d, const char *title)
{
	put(d, d->format->begin, d->format->preamble, title);
}

void doc_end(struct doc *d)
{
	put(d, d->rows ? d->format->script : NULL, page_js, NULL);
	put(d, d->format->end, NULL, NULL);
}

void doc_heading(struct doc *d, const char *id, const char *text)
{
	put(d, d->format->heading, id, text);
}

void doc_fold(struct doc *d, const char *id, const char *text)
{
	put(d, d->format->fold, id, text);
}

void doc_unfold(struct doc *d)
{
	put(d, d->format->unfold, NULL, NULL);
}

void doc_paragraph(struct doc *d, const char *text)
{
	put(d, d->format->para, NULL, text);
}

void doc_warning(struct doc *d, const char *text, const char *remedy)
{
	doc_para(d, "Warning: %s%s%s", text, remedy ? ". Remedy: " : "",
		 remedy ? remedy : "");
}

void doc_list(struct doc *d)
{
	put(d, d->format->list, NULL, NULL);
}

void doc_item(struct doc *d, const char *href, const char *text)
{
	put(d, href ? d->format->link : d->format->item, href, text);
}

void doc_list_end(struct doc *d)
{
	put(d, d->format->list_end, NULL, NULL);
}

void doc_code(struct doc *d, const char *text)
{
	const char *line;

	put(d, d->format->code, NULL, NULL);
	while ((line = text_split(&text, '\n')))
		put(d, d->format->code_line, NULL, line);
	put(d, d->format->code_end, NULL, NULL);
}

void doc_picture(struct doc *d, const char *name, const char *caption)
{
	put(d, d->format->picture, name, caption);
}

void doc_figure(struct doc *d, const char *name, const char *caption)
{
	put(d, d->format->figure, name,
	    d->format->numbered
		    ? text_format("Figure %u: %s", ++d->figures, caption)
		    : caption);
}

void doc_table(struct doc *d, const struct table *t, const char *otherwise)
{
	if (t->nrows)
		d->format->table(d, t);
	else if (otherwise)
		doc_paragraph(d, otherwise);
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
			doc_code(d, one);
		else
			doc_paragraph(d, one);
		text += len;
		text += strspn(text, "\n");
	}
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
