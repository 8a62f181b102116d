/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "doc.h"
#include "figures.h"
#include "input.h"
#include "text.h"

#define LONG_TEXT   40 /* characters: needs a wide column */
#define LONG_NUMBER 20 /* bytes: an interval, which may take two lines */

static void put_part(FILE *f, const char *begin, const char *end)
{
	text_html(f, text_format("%.*s", (int)(end - begin), begin));
}

/* Text with `commands` in it. */
static void put_text(FILE *f, const char *text)
{
	const char *begin, *end;

	while ((begin = strchr(text, '`')) && (end = strchr(begin + 1, '`'))) {
		put_part(f, text, begin);
		fputs("<code>", f);
		put_part(f, begin + 1, end);
		fputs("</code>", f);
		text = end + 1;
	}
	text_html(f, text);
}

/* Names of cases have no blanks; let lines break behind their commas. */
static void put_breakable(FILE *f, const char *text)
{
	while (text && *text) {
		size_t len = strcspn(text, ",");

		len += text[len] == ',';
		text_html(f, text_format("%.*s", (int)len, text));
		text += len;
		if (*text && *text != ' ')
			fputs("<wbr>", f);
	}
}

/* A noisy row shows at a glance. */
static const char *grade_class(const struct column *c, const char *text)
{
	if (strcmp(c->head, "grade") != 0 || !text)
		return NULL;
	return !strcmp(text, "C") ? "gc" : !strcmp(text, "D") ? "gd" : NULL;
}

/* The @j-th cell of a line.  Without the end tag, which HTML does not need:
 * there are 30 000 cells.  For the same reason those of a table of rows have
 * no class: begin_table() names its columns of text. */
static void html_cell(struct doc *d, const char *name, const struct table *t,
		      size_t j, const char *text)
{
	const struct column *c = &t->columns[j];
	const char *class = grade_class(c, text);

	/* The case beside the words for it. */
	if (t->class && !strcmp(c->head, "case"))
		class = "c";
	if (!class && !t->program && c->number)
		class = strlen(text ? text : "") > LONG_NUMBER ? "i" : "n";
	else if (!class && !t->program && strlen(text ? text : "") > LONG_TEXT)
		class = "t";
	fprintf(d->f, "<%s", name);
	if (class)
		fprintf(d->f, " class=%s", class);
	fputc('>', d->f);
	put_breakable(d->f, text);
}

/* A table of rows says which of its columns stand in a narrow one, which have
 * text, and whose they are. */
static void begin_table(struct doc *d, const struct table *t)
{
	fputs("<div class=\"scroll\" tabindex=\"0\"><table", d->f);
	if (t->program) {
		d->rows = true;
		fprintf(d->f, " class=\"rows s%zu", t->shown);
		for (size_t j = 0; j < t->ncolumns; j++)
			if (!t->columns[j].number)
				fprintf(d->f, " l%zu", j + 1);
		fprintf(d->f, "\" data-shown=\"%zu\" data-of=\"", t->shown);
		text_html(d->f, t->program);
		fputc('"', d->f);
	} else if (t->class) {
		fprintf(d->f, " class=\"%s\"", t->class);
	}
	fputs(">\n", d->f);
}

static void html_table(struct doc *d, const struct table *t)
{
	begin_table(d, t);
	if (t->caption) {
		fputs("<caption>", d->f);
		text_html(d->f, t->caption);
		fputs("</caption>\n", d->f);
	}
	fputs("<thead><tr>", d->f);
	for (size_t i = 0; i < t->ncolumns; i++)
		html_cell(d, "th", t, i, t->columns[i].head);
	fputs("</thead>\n<tbody>\n", d->f);
	for (size_t i = 0; i < t->nrows; i++) {
		if (*t->marks[i])
			fprintf(d->f, "<tr class=\"%s\">", t->marks[i]);
		else
			fputs("<tr>", d->f);
		for (size_t j = 0; j < t->ncolumns; j++)
			html_cell(d, "td", t, j, t->cells[i * t->ncolumns + j]);
		fputc('\n', d->f);
	}
	fputs("</tbody></table></div>\n", d->f);
}

/* RFC 4648, section 4. */
static void put_base64(FILE *f, const char *text)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmno"
				     "pqrstuvwxyz0123456789+/";
	const unsigned char *at = (const unsigned char *)text;
	size_t len = strlen(text);

	for (size_t i = 0; i < len; i += 3) {
		unsigned int b = i + 1 < len ? at[i + 1] : 0;
		unsigned int c = i + 2 < len ? at[i + 2] : 0;
		unsigned int bits = (unsigned int)at[i] << 16 | b << 8 | c;

		fputc(digits[bits >> 18], f);
		fputc(digits[bits >> 12 & 63], f);
		fputc(i + 1 < len ? digits[bits >> 6 & 63] : '=', f);
		fputc(i + 2 < len ? digits[bits & 63] : '=', f);
	}
}

/* As an image in the page: the page is one file, and a browser neither runs a
 * script in an image nor fetches anything for it, whoever wrote it. */
static void put_image(struct doc *d, const char *name, const char *caption)
{
	const char *file = text_format(FIGURES_DIR "/%s.svg", name);
	const char *svg = input_text(text_format("%s/%s", d->dir, file),
				     INPUT_NO_LINK, NULL);

	if (svg && strstr(svg, "<svg")) {
		fputs("<img alt=\"", d->f);
		text_html(d->f, caption);
		fputs("\" src=\"data:image/svg+xml;base64,", d->f);
		put_base64(d->f, svg);
		fputs("\">", d->f);
	} else {
		fprintf(d->f, "<p>%s cannot be shown here.</p>\n", file);
	}
}

/* No network, no fonts but the reader's own: style and script are in the page.
 * Without the script everything is there as well, only wider and unsorted. */
const struct doc_format doc_html = {
	.text = put_text,
	.verbatim = text_html,
	.image = put_image,
	.preamble = page_css,
	.begin = "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
		 "<meta charset=\"utf-8\">\n"
		 "<meta name=\"viewport\" content=\"width=device-width, "
		 "initial-scale=1\">\n"
		 "<meta name=\"color-scheme\" content=\"light dark\">\n"
		 "<title>%t</title>\n<style>\n%n</style>\n</head>\n<body>\n"
		 "<main>\n<h1>%t</h1>\n",
	.script = "<script>\n%n</script>\n",
	.end = "</main>\n</body>\n</html>\n",
	.heading = "<h2 id=\"%n\">%t</h2>\n",
	.fold = "<details id=\"%n\"><summary>%t</summary>\n",
	.unfold = "</details>\n",
	.para = "<p>%t</p>\n",
	.code = "<pre>",
	.code_line = "%t\n",
	.code_end = "</pre>\n",
	.list = "<ul>\n",
	.item = "<li>%t</li>\n",
	.link = "<li><a href=\"%n\">%t</a></li>\n",
	.list_end = "</ul>\n",
	.picture = "<figure><div class=\"plot\">%i</div>\n"
		   "<figcaption>%t</figcaption></figure>\n",
	.figure = "<figure class=half><div class=\"plot\">%i</div>\n"
		  "<figcaption>%t</figcaption></figure>\n",
	.numbered = true,
	.table = html_table,
};
