/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "doc.h"
#include "input.h"
#include "text.h"

/*
 * One file and no network: the style is inside, plots are inside, fonts are
 * the reader's own.  Plots keep a white ground in the dark, for their colours
 * were chosen on white.
 */
static const char style[] =
	":root{color-scheme:light dark;--ink:#1b1f24;--dim:#57606a;"
	"--paper:#fff;--band:#f3f5f7;--line:#d0d7de;--accent:#0b5cad;"
	"--warn:#fff4d6;--warnline:#b77f00;--bad:#b3261e}\n"
	"@media (prefers-color-scheme:dark){:root{--ink:#e6e9ec;--dim:#9aa4ae;"
	"--paper:#14171a;--band:#1e2327;--line:#3a424a;--accent:#7ab8f5;"
	"--warn:#3a2f10;--warnline:#d9a53a;--bad:#ff8a80}}\n"
	"*{box-sizing:border-box}\n"
	"body{margin:0 auto;padding:1.5rem 1rem 4rem;max-width:76rem;"
	"background:var(--paper);color:var(--ink);"
	"font:16px/1.55 system-ui,sans-serif;overflow-wrap:break-word}\n"
	"h1{font-size:1.7rem;line-height:1.2;margin:.5rem 0 1rem}\n"
	"h2{font-size:1.3rem;margin:2.5rem 0 .75rem;padding-top:.75rem;"
	"border-top:1px solid var(--line)}\n"
	"h3{font-size:1.05rem;margin:1.5rem 0 .5rem}\n"
	"p,ul,.warn{max-width:46rem}\n"
	"code{background:var(--band);padding:.1em .25em;border-radius:3px;"
	"font-size:.9em}\n"
	"a{color:var(--accent)}\n"
	"pre{background:var(--band);padding:.75rem 1rem;overflow-x:auto;"
	"border-radius:6px;font-size:.85rem}\n"
	".scroll{overflow-x:auto;margin:1rem 0;border:1px solid var(--line);"
	"border-radius:6px}\n"
	"table{border-collapse:separate;border-spacing:0;width:100%;font-size:."
	"85rem;"
	"font-variant-numeric:tabular-nums}\n"
	"caption{caption-side:top;text-align:left;padding:.5rem .6rem;"
	"color:var(--dim)}\n"
	"th,td{padding:.25rem .6rem;text-align:left;vertical-align:top;"
	"border-top:1px solid var(--line)}\n"
	"th{white-space:nowrap;background:var(--band);font-weight:600}\n"
	"td.n,th.n{text-align:right;white-space:nowrap}\n"
	"td.t{min-width:20rem}\n"
	"td:first-child,th:first-child{position:sticky;left:0;"
	"background:var(--paper);min-width:13rem;max-width:20rem}\n"
	"th:first-child{background:var(--band)}\n"
	"td.gc{background:var(--warn)}\n"
	"td.gd{background:var(--warn);color:var(--bad);font-weight:700}\n"
	"tr.skipped .gc,tr.skipped .gd{background:none;font-weight:400}\n"
	"tr.failed td{color:var(--bad)}\n"
	"tr.skipped td,tr.below_resolution td{color:var(--dim)}\n"
	".warn{background:var(--warn);border-left:4px solid var(--warnline);"
	"padding:.5rem 1rem;margin:.5rem 0;border-radius:0 6px 6px 0}\n"
	"figure{margin:1.25rem 0}\n"
	"figure .plot{background:#fff;border:1px solid var(--line);"
	"border-radius:6px;padding:.5rem;overflow-x:auto}\n"
	"figure img{display:block;height:auto;max-width:100%;margin:0 auto}\n"
	"figcaption{color:var(--dim);font-size:.9rem;margin-top:.4rem;"
	"max-width:46rem}\n"
	/* The card: its picture beside its table, if there is room. */
	"@media (min-width:70rem){#card+p+figure{float:left;width:52%;"
	"margin:0 0 1rem}#card+p+figure+.scroll{margin:0 0 1rem 54%}"
	"#card+p+figure+.scroll+p{clear:both}"
	"#card+p+figure+.scroll td{padding-top:.1rem;padding-bottom:.1rem}}\n"
	"@media (max-width:40rem){td.t{min-width:11rem}body{padding:1rem "
	".75rem 3rem;"
	"font-size:15px}td,th{padding:.25rem .4rem}"
	"td:first-child,th:first-child{min-width:6rem;max-width:9rem}}\n"
	"@page{size:landscape;margin:12mm}\n"
	"@media print{:root{--ink:#000;--dim:#333;--paper:#fff;--band:#eee;"
	"--line:#999;--warn:#fff;--accent:#000;--bad:#000}"
	"body{max-width:none;padding:0;font-size:10pt}"
	".scroll{overflow:visible;border:0}table{font-size:6.5pt}"
	"th,td{padding:.1rem .2rem}th{white-space:normal}"
	"td:first-child,th:first-child{position:static}"
	"td:first-child,th:first-child{min-width:0}td.t{min-width:11rem}"
	"tr,figure,.warn{break-inside:avoid}figure img{max-height:15cm}"
	"h2,h3{break-after:avoid}}\n";

static void tag(struct doc *d, const char *name, const char *text)
{
	fprintf(d->f, "<%s>", name);
	text_html(d->f, text);
	fprintf(d->f, "</%s>\n", name);
}

static void put_part(FILE *f, const char *begin, const char *end)
{
	char *part = text_format("%.*s", (int)(end - begin), begin);

	text_html(f, part);
	free(part);
}

static void html_begin(struct doc *d, const char *title)
{
	fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
	      "<meta charset=\"utf-8\">\n"
	      "<meta name=\"viewport\" "
	      "content=\"width=device-width, initial-scale=1\">\n"
	      "<meta name=\"color-scheme\" content=\"light dark\">\n",
	      d->f);
	tag(d, "title", title);
	fprintf(d->f, "<style>\n%s</style>\n</head>\n<body>\n", style);
	tag(d, "h1", title);
}

static void html_end(struct doc *d)
{
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
		char *line = text_format("%.*s", (int)len, text);

		text_html(d->f, line);
		free(line);
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
		char *part;

		len += text[len] == ',';
		part = text_format("%.*s", (int)len, text);
		text_html(f, part);
		free(part);
		text += len;
		if (*text && *text != ' ')
			fputs("<wbr>", f);
	}
}

static void html_cell(struct doc *d, const char *name, const struct column *c,
		      const char *text)
{
	bool wide = text && strlen(text) > 40;
	/* A noisy row shows at a glance. */
	bool noisy = text && (!strcmp(text, "C") || !strcmp(text, "D")) &&
		     !strcmp(c->head, "grade");

	fprintf(d->f, "<%s%s>", name,
		c->number      ? " class=\"n\""
		: wide	       ? " class=\"t\""
		: !noisy       ? ""
		: *text == 'C' ? " class=\"gc\""
			       : " class=\"gd\"");
	put_breakable(d->f, text);
	fprintf(d->f, "</%s>", name);
}

static void html_table(struct doc *d, const struct table *t)
{
	if (!t->nrows)
		return;
	fputs("<div class=\"scroll\" tabindex=\"0\"><table>\n", d->f);
	if (t->caption)
		tag(d, "caption", t->caption);
	fputs("<thead><tr>", d->f);
	for (size_t i = 0; i < t->ncolumns; i++)
		html_cell(d, "th", &t->columns[i], t->columns[i].head);
	fputs("</tr></thead>\n<tbody>\n", d->f);
	for (size_t i = 0; i < t->nrows; i++) {
		if (*t->marks[i])
			fprintf(d->f, "<tr class=\"%s\">", t->marks[i]);
		else
			fputs("<tr>", d->f);
		for (size_t j = 0; j < t->ncolumns; j++)
			html_cell(d, "td", &t->columns[j],
				  t->cells[i * t->ncolumns + j]);
		fputs("</tr>\n", d->f);
	}
	fputs("</tbody></table></div>\n", d->f);
}

/* RFC 4648, section 4. */
static void put_base64(FILE *f, const char *text)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				     "abcdefghijklmnopqrstuvwxyz0123456789+/";
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

/* As an image: a browser neither runs a script in it nor fetches anything for
 * it, whoever wrote it. */
static void put_picture(struct doc *d, const char *name, const char *label)
{
	char *path = text_format("%s/%s.svg", d->dir, name);
	char *svg = input_text(path, INPUT_NO_LINK, NULL);

	fputs("<figure><div class=\"plot\">", d->f);
	if (svg && strstr(svg, "<svg")) {
		fputs("<img alt=\"", d->f);
		text_html(d->f, label);
		fputs("\" src=\"data:image/svg+xml;base64,", d->f);
		put_base64(d->f, svg);
		fputs("\">", d->f);
	} else {
		fputs("<p>", d->f);
		text_html(d->f, name);
		fputs(".svg cannot be shown here.</p>", d->f);
	}
	fputs("</div>\n<figcaption>", d->f);
	free(svg);
	free(path);
}

static void html_picture(struct doc *d, const char *name, const char *caption)
{
	put_picture(d, name, caption);
	text_html(d->f, caption);
	fputs("</figcaption></figure>\n", d->f);
}

static void html_figure(struct doc *d, const char *name, const char *caption)
{
	put_picture(d, name, caption);
	fprintf(d->f, "Figure %u: ", ++d->figures);
	text_html(d->f, caption);
	fprintf(d->f,
		" (<a href=\"%s.png\">PNG</a>, "
		"<a href=\"%s.dat\">data</a>)</figcaption></figure>\n",
		name, name);
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
	.suffix = "html",
	.begin = html_begin,
	.end = html_end,
	.heading = html_heading,
	.para = html_para,
	.warning = html_warning,
	.code = html_code,
	.table = html_table,
	.figure = html_figure,
	.picture = html_picture,
	.item = html_item,
	.list = html_list,
};
