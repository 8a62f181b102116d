/* SPDX-License-Identifier: MIT */
#include "doc.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "err.h"
#include "figures.h"
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

void doc_put(struct doc *d, const char *form, const char *name,
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

void doc_end(struct doc *d)
{
	doc_put(d, d->rows ? d->format->script : NULL, page_js, NULL);
	doc_put(d, d->format->end, NULL, NULL);
}

void doc_code(struct doc *d, const char *text)
{
	const char *line;

	doc_put(d, d->format->code, NULL, NULL);
	while ((line = text_split(&text, '\n')))
		doc_put(d, d->format->code_line, NULL, line);
	doc_put(d, d->format->code_end, NULL, NULL);
}

void doc_figure(struct doc *d, const char *name, const char *caption)
{
	doc_put(d, d->format->figure, name,
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

static void md_table(struct doc *d, const struct table *t)
{
	/* Above, as in HTML: below it would head the next table. */
	if (t->caption) {
		fputc('*', d->f);
		text_md(d->f, t->caption);
		fputs("*\n\n", d->f);
	}
	fputc('|', d->f);
	for (size_t i = 0; i < t->ncolumns; i++) {
		fputc(' ', d->f);
		text_md(d->f, t->columns[i].head);
		fputs(" |", d->f);
	}
	fputs("\n|", d->f);
	for (size_t i = 0; i < t->ncolumns; i++)
		fputs(t->columns[i].number ? " ---: |" : " --- |", d->f);
	for (size_t i = 0; i < t->nrows; i++) {
		fputs("\n|", d->f);
		for (size_t j = 0; j < t->ncolumns; j++) {
			fputc(' ', d->f);
			text_md(d->f, t->cells[i * t->ncolumns + j]);
			fputs(" |", d->f);
		}
	}
	fputs("\n\n", d->f);
}

const struct doc_format doc_md = {
	.text = text_md,
	.verbatim = text_plain,
	.begin = "# %t\n\n",
	.heading = "<a id=\"%n\"></a>\n\n## %t\n\n",
	.fold = "<a id=\"%n\"></a>\n\n### %t\n\n",
	.para = "%t\n\n",
	/* Indented: nothing in it can end it, as a fence could be. */
	.code_line = "    %c\n",
	.code_end = "\n",
	.item = "- %t\n",
	.link = "- [%t](%n)\n",
	.list_end = "\n",
	.picture = "![%t](" FIGURES_DIR "/%n.svg)\n\n",
	.figure = "![%t](" FIGURES_DIR "/%n.svg)\n\n*%t* ([PDF](" FIGURES_DIR
		  "/%n.pdf), [data](" FIGURES_DIR "/%n.dat))\n\n",
	.numbered = true,
	.table = md_table,
};

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
