/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "doc.h"
#include "figures.h"
#include "text.h"

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
