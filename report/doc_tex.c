/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "doc.h"
#include "text.h"

#define WIDE	  90  /* characters: wider tables go across the page */
#define VERY_WIDE 140 /* and these in tiny letters */
#define LONG_CELL 18  /* bytes: columns with longer text get a fixed width */

/*
 * LaTeX to \input into a document: no preamble of its own, unless it is whole.
 * Characters that pdflatex does not know without more packages become a
 * question mark.
 */
static void begin_whole(struct doc *d, const char *title)
{
	fputs("% Made by oscost, to be filled in.  pdflatex finds the figures "
	      "where this\n"
	      "% lies beside them, in the directory of the results.\n"
	      "\\documentclass[a4paper]{article}\n"
	      "\\usepackage[margin=25mm]{geometry}\n"
	      "\\usepackage{graphicx,booktabs,longtable,array,caption}\n"
	      "\\title{",
	      d->f);
	text_tex(d->f, title);
	fputs("}\n\\author{Your names}\n\\begin{document}\n\\maketitle\n"
	      "\\sloppy\n",
	      d->f);
}

static void tex_begin(struct doc *d, const char *title)
{
	if (d->whole) {
		begin_whole(d, title);
		return;
	}
	fputs("% Made by oscost.  \\input this into a document with:\n"
	      "%   \\usepackage{booktabs,longtable,array,pdflscape,caption}\n"
	      "\\section*{",
	      d->f);
	text_tex(d->f, title);
	fputs("}\n", d->f);
}

static void tex_end(struct doc *d)
{
	if (d->whole)
		fputs("\\end{document}\n", d->f);
}

static void tex_heading(struct doc *d, int level, const char *id,
			const char *text)
{
	if (d->whole)
		fputs(level <= 2 ? "\n\\section{" : "\n\\subsection{", d->f);
	else
		fputs(level <= 2 ? "\n\\subsection*{" : "\n\\subsubsection*{",
		      d->f);
	text_tex(d->f, text);
	fputs("}\n", d->f);
}

static void tex_fold(struct doc *d, const char *id, const char *text)
{
	if (text)
		tex_heading(d, 3, id, text);
}

static void tex_para(struct doc *d, const char *text)
{
	text_tex(d->f, text);
	fputs("\n\n", d->f);
}

static void tex_warning(struct doc *d, const char *text, const char *remedy)
{
	fputs("\\textbf{Warning:} ", d->f);
	text_tex(d->f, text);
	if (remedy) {
		fputs(". \\emph{Remedy:} ", d->f);
		text_tex(d->f, remedy);
	}
	fputs("\n\n", d->f);
}

/* Line by line in typewriter, not verbatim: nothing in it can end it. */
static void tex_code(struct doc *d, const char *text)
{
	while (*text) {
		size_t len = strcspn(text, "\n");

		fputs("\\noindent\\texttt{", d->f);
		for (size_t i = 0; i < len; i++) {
			char c[2] = { text[i], '\0' };

			if (*c == ' ')
				fputs("\\ ", d->f);
			else
				text_tex(d->f, c);
		}
		fputs("}\\par\n", d->f);
		text += len + (text[len] == '\n');
	}
	fputc('\n', d->f);
}

static size_t longest(const struct table *t, size_t column)
{
	size_t most = strlen(t->columns[column].head);

	for (size_t i = 0; i < t->nrows; i++) {
		const char *cell = t->cells[i * t->ncolumns + column];

		if (cell && strlen(cell) > most)
			most = strlen(cell);
	}
	return most;
}

/* In characters, more or less. */
static size_t width(const struct table *t)
{
	size_t chars = 0;

	for (size_t j = 0; j < t->ncolumns; j++) {
		size_t most = longest(t, j);

		chars += (most > LONG_CELL ? LONG_CELL : most) + 2;
	}
	return chars;
}

static void put_layout(struct doc *d, const struct table *t)
{
	double each = t->ncolumns < 4 ? 0.9 / (double)t->ncolumns : 0.1;

	for (size_t j = 0; j < t->ncolumns; j++) {
		if (t->columns[j].number && longest(t, j) <= LONG_CELL)
			fputc('r', d->f);
		else if (longest(t, j) <= LONG_CELL)
			fputc('l', d->f);
		else
			fprintf(d->f, ">{\\raggedright}p{%.2f\\linewidth}",
				each);
	}
}

/* All columns share the width of a page that stands upright. */
static void put_upright(struct doc *d, const struct table *t)
{
	const double first = t->ncolumns < 4 ? 0.3 : 0.23;
	const double rest = (1 - first) / (double)(t->ncolumns - 1);

	for (size_t j = 0; j < t->ncolumns; j++)
		fprintf(d->f,
			">{\\%s\\arraybackslash}p{\\dimexpr %.3f\\linewidth"
			"-2\\tabcolsep\\relax}",
			t->columns[j].number ? "raggedleft" : "raggedright",
			j ? rest : first);
}

static void put_row(struct doc *d, const struct table *t, char *const *cells)
{
	for (size_t j = 0; j < t->ncolumns; j++) {
		fputs(j ? " & " : "", d->f);
		text_tex(d->f, cells ? cells[j] : t->columns[j].head);
	}
	fputs(" \\tabularnewline\n", d->f);
}

static void tex_table(struct doc *d, const struct table *t)
{
	size_t chars = width(t);
	bool across = chars > WIDE && !d->whole;

	if (!t->nrows)
		return;
	fputs(across ? "\\begin{landscape}\n" : "", d->f);
	fprintf(d->f,
		"{%s\\setlength{\\tabcolsep}{3pt}\n"
		"\\begin{longtable}{@{}",
		chars > VERY_WIDE && !d->whole ? "\\tiny" : "\\scriptsize");
	if (d->whole)
		put_upright(d, t);
	else
		put_layout(d, t);
	fputs("@{}}\n", d->f);
	if (t->caption) {
		fputs("\\caption*{", d->f);
		text_tex(d->f, t->caption);
		fputs("}\\tabularnewline\n", d->f);
	}
	fputs("\\toprule\n", d->f);
	put_row(d, t, NULL);
	fputs("\\midrule\n\\endhead\n\\bottomrule\n\\endfoot\n", d->f);
	for (size_t i = 0; i < t->nrows; i++)
		put_row(d, t, &t->cells[i * t->ncolumns]);
	fputs("\\end{longtable}}\n", d->f);
	fputs(across ? "\\end{landscape}\n" : "", d->f);
}

/* Where it is named: a float would meet long tables. */
static void put_picture(struct doc *d, const char *name, const char *caption)
{
	fprintf(d->f,
		"\n\\noindent\\begin{minipage}{\\linewidth}\\centering\n"
		"\\IfFileExists{%s.png}"
		"{\\includegraphics[width=0.8\\linewidth]{%s.png}}"
		"{\\fbox{%s.png lies with the results}}\n"
		"\\captionof{figure}{",
		name, name, name);
	text_tex(d->f, caption);
	fputs("}\n\\end{minipage}\n\n", d->f);
}

/* Pictures stay where they are: a document elsewhere would not find them. */
static void tex_figure(struct doc *d, const char *name, const char *caption)
{
	if (d->whole) {
		put_picture(d, name, caption);
		return;
	}
	fprintf(d->f, "%% figure %s.png: ", name);
	text_tex(d->f, caption);
	fputc('\n', d->f);
}

static void tex_list(struct doc *d, int begin)
{
	fputs(begin ? "\\begin{itemize}\n" : "\\end{itemize}\n", d->f);
}

static void tex_item(struct doc *d, const char *href, const char *text)
{
	fputs("\\item ", d->f);
	text_tex(d->f, text);
	fputc('\n', d->f);
}

const struct doc_format doc_tex = {
	.suffix = "tex",
	.begin = tex_begin,
	.end = tex_end,
	.heading = tex_heading,
	.fold = tex_fold,
	.para = tex_para,
	.warning = tex_warning,
	.code = tex_code,
	.table = tex_table,
	.figure = tex_figure,
	.picture = tex_figure,
	.list = tex_list,
	.item = tex_item,
};
