/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "doc.h"
#include "figures.h"
#include "input.h"
#include "text.h"

#define LONG_TEXT   40 /* characters: needs a wide column */
#define LONG_NUMBER 20 /* bytes: an interval, which may take two lines */

static void tag(struct doc *d, const char *name, const char *text)
{
	fprintf(d->f, "<%s>", name);
	text_html(d->f, text);
	fprintf(d->f, "</%s>\n", name);
}

static void put_part(FILE *f, const char *begin, const char *end)
{
	text_html(f, text_format("%.*s", (int)(end - begin), begin));
}

/* No network, no fonts but the reader's own: style and script are in the page.
 * Without the script everything is there as well, only wider and unsorted. */
static void html_begin(struct doc *d, const char *title)
{
	fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
	      "<meta charset=\"utf-8\">\n"
	      "<meta name=\"viewport\" content=\"width=device-width, "
	      "initial-scale=1\">\n"
	      "<meta name=\"color-scheme\" content=\"light dark\">\n",
	      d->f);
	tag(d, "title", title);
	fprintf(d->f, "<style>\n%s</style>\n</head>\n<body>\n<main>\n",
		page_css);
	tag(d, "h1", title);
}

static void html_end(struct doc *d)
{
	fputs("</main>\n", d->f);
	if (d->rows)
		fprintf(d->f, "<script>\n%s</script>\n", page_js);
	fputs("</body>\n</html>\n", d->f);
}

static void html_heading(struct doc *d, int level, const char *id,
			 const char *text)
{
	fprintf(d->f, "<h%d", level);
	if (id)
		fprintf(d->f, " id=\"%s\"", id);
	fputc('>', d->f);
	text_html(d->f, text);
	fprintf(d->f, "</h%d>\n", level);
}

static void html_fold(struct doc *d, const char *id, const char *text)
{
	if (!text) {
		fputs("</details>\n", d->f);
		return;
	}
	fprintf(d->f, "<details id=\"%s\"><summary>", id);
	text_html(d->f, text);
	fputs("</summary>\n", d->f);
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

static void html_para(struct doc *d, const char *text)
{
	fputs("<p>", d->f);
	put_text(d->f, text);
	fputs("</p>\n", d->f);
}

static void html_warning(struct doc *d, const char *text, const char *remedy)
{
	fputs("<div class=\"warn\" role=\"note\"><strong>Warning:</strong> ",
	      d->f);
	put_text(d->f, text);
	if (remedy) {
		fputs(".<br><em>Remedy:</em> ", d->f);
		put_text(d->f, remedy);
	}
	fputs("</div>\n", d->f);
}

static void html_code(struct doc *d, const char *text)
{
	fputs("<pre>", d->f);
	while (*text) {
		size_t len = strcspn(text, "\n");

		text_html(d->f, text_format("%.*s", (int)len, text));
		text += len;
		if (*text == '\n') {
			fputc('\n', d->f);
			text++;
		}
	}
	fputs("</pre>\n", d->f);
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
	if (!t->nrows)
		return;
	begin_table(d, t);
	if (t->caption)
		tag(d, "caption", t->caption);
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

	fputs("<div class=\"plot\">", d->f);
	if (svg && strstr(svg, "<svg")) {
		fputs("<img alt=\"", d->f);
		text_html(d->f, caption);
		fputs("\" src=\"data:image/svg+xml;base64,", d->f);
		put_base64(d->f, svg);
		fputs("\">", d->f);
	} else {
		tag(d, "p", text_format("%s cannot be shown here.", file));
	}
	fputs("</div>\n<figcaption>", d->f);
}

static void html_picture(struct doc *d, const char *name, const char *caption)
{
	fputs("<figure>", d->f);
	put_image(d, name, caption);
	text_html(d->f, caption);
	fputs("</figcaption></figure>\n", d->f);
}

static void html_figure(struct doc *d, const char *name, const char *caption)
{
	fputs("<figure class=half>", d->f);
	put_image(d, name, caption);
	fprintf(d->f, "Figure %u: ", ++d->figures);
	text_html(d->f, caption);
	fputs("</figcaption></figure>\n", d->f);
}

static void html_list(struct doc *d, int begin)
{
	fputs(begin ? "<ul>\n" : "</ul>\n", d->f);
}

static void html_item(struct doc *d, const char *href, const char *text)
{
	fputs("<li>", d->f);
	if (href)
		fprintf(d->f, "<a href=\"%s\">", href);
	text_html(d->f, text);
	fputs(href ? "</a></li>\n" : "</li>\n", d->f);
}

const struct doc_format doc_html = {
	.begin = html_begin,
	.end = html_end,
	.heading = html_heading,
	.fold = html_fold,
	.para = html_para,
	.warning = html_warning,
	.code = html_code,
	.table = html_table,
	.figure = html_figure,
	.picture = html_picture,
	.item = html_item,
	.list = html_list,
};
