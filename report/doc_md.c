/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "doc.h"
#include "figures.h"
#include "text.h"

static void md_begin(struct doc *d, const char *title)
{
	fputs("# ", d->f);
	text_md(d->f, title);
	fputs("\n\n", d->f);
}

static void md_end(struct doc *d)
{
}

static void md_heading(struct doc *d, int level, const char *id,
		       const char *text)
{
	if (id)
		fprintf(d->f, "<a id=\"%s\"></a>\n\n", id);
	for (int i = 0; i < level; i++)
		fputc('#', d->f);
	fputc(' ', d->f);
	text_md(d->f, text);
	fputs("\n\n", d->f);
}

static void md_fold(struct doc *d, const char *id, const char *text)
{
	if (text)
		md_heading(d, 3, id, text);
}

static void md_para(struct doc *d, const char *text)
{
	text_md(d->f, text);
	fputs("\n\n", d->f);
}

static void md_warning(struct doc *d, const char *text, const char *remedy)
{
	fputs("> **Warning:** ", d->f);
	text_md(d->f, text);
	if (remedy) {
		fputs(". *Remedy:* ", d->f);
		text_md(d->f, remedy);
	}
	fputs("\n\n", d->f);
}

/* Indented code: nothing in it can end it, as a fence could be. */
static void md_code(struct doc *d, const char *text)
{
	while (*text) {
		size_t len = strcspn(text, "\n");

		fputs("    ", d->f);
		for (size_t i = 0; i < len; i++)
			fputc((unsigned char)text[i] < 0x20 && text[i] != '\t'
				      ? '?'
				      : text[i],
			      d->f);
		fputc('\n', d->f);
		text += len + (text[len] == '\n');
	}
	fputc('\n', d->f);
}

static void md_table(struct doc *d, const struct table *t)
{
	if (!t->nrows)
		return;
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

static void md_figure(struct doc *d, const char *name, const char *caption)
{
	d->figures++;
	fputs("![", d->f);
	text_md(d->f, caption);
	fprintf(d->f, "](" FIGURES_DIR "/%s.svg)\n\n*Figure %u: ", name,
		d->figures);
	text_md(d->f, caption);
	fprintf(d->f,
		"* ([PDF](" FIGURES_DIR "/%s.pdf), [data](" FIGURES_DIR
		"/%s.dat))\n\n",
		name, name);
}

static void md_picture(struct doc *d, const char *name, const char *caption)
{
	fputs("![", d->f);
	text_md(d->f, caption);
	fprintf(d->f, "](" FIGURES_DIR "/%s.svg)\n\n", name);
}

static void md_list(struct doc *d, int begin)
{
	if (!begin)
		fputc('\n', d->f);
}

static void md_item(struct doc *d, const char *href, const char *text)
{
	fputs("- ", d->f);
	if (href)
		fputc('[', d->f);
	text_md(d->f, text);
	if (href)
		fprintf(d->f, "](%s)", href);
	fputc('\n', d->f);
}

const struct doc_format doc_md = {
	.begin = md_begin,
	.end = md_end,
	.heading = md_heading,
	.fold = md_fold,
	.para = md_para,
	.warning = md_warning,
	.code = md_code,
	.table = md_table,
	.figure = md_figure,
	.picture = md_picture,
	.item = md_item,
	.list = md_list,
};
