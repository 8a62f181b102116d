/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "doc.h"
#include "text.h"

#define WIDE	    90	/* characters: wider tables go across the page */
#define VERY_WIDE   140 /* and these in tiny letters */
#define LONG_CELL   18	/* bytes: columns with longer text get a fixed width */
#define PAPER	    5  /* columns of a table that one column of a paper holds */
#define PAPER_ROWS  8  /* rows that it does not part */
#define PAPER_MANY  30 /* of more rows the letters are smaller */
#define PAPER_CELL  60 /* characters that a cell gets room for at most */
#define PAPER_FIRST 23 /* and one of the first of three columns to five */

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
	      "\\documentclass[a4paper,twocolumn]{article}\n"
	      "\\usepackage[margin=16mm,bottom=20mm,columnsep=7mm]{geometry}\n"
	      "\\usepackage{graphicx,booktabs,array,caption}\n"
	      "\\captionsetup{font=scriptsize,skip=2pt}\n"
	      "\\setlength{\\parindent}{0pt}\\setlength{\\parskip}{2pt}\n"
	      "\\setlength{\\floatsep}{6pt}\\setlength{\\textfloatsep}{8pt}\n"
	      "\\setlength{\\dblfloatsep}{6pt}\n"
	      "\\renewcommand{\\topfraction}{.95}\\renewcommand{"
	      "\\dbltopfraction}{.95}\n"
	      "\\renewcommand{\\bottomfraction}{.9}\\renewcommand{"
	      "\\textfraction}{.03}\n"
	      "\\setcounter{topnumber}{4}\\setcounter{dbltopnumber}{3}\n"
	      "\\makeatletter\n"
	      "\\renewcommand{\\section}{\\@startsection{section}{1}{0pt}{-6pt}"
	      "{2pt}{\\normalsize\\bfseries}}\n"
	      "\\renewcommand{\\subsection}{\\@startsection{subsection}{2}{0pt}"
	      "{-4pt}{1pt}{\\small\\bfseries}}\n"
	      "\\makeatother\n"
	      "\\begin{document}\\sloppy\\raggedbottom\n"
	      "\\twocolumn[{\\begin{center}{\\Large ",
	      d->f);
	text_tex(d->f, title);
	fputs("}\\\\[3pt] Your names\\\\[6pt]\\end{center}}]\n\\small\n", d->f);
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

/* What a column of a paper's table asks for, in characters: its longest cell,
 * and the longest word above it. */
static double share(const struct table *t, size_t column)
{
	const bool few = t->ncolumns > 2 && t->ncolumns <= PAPER;
	const double first = few ? PAPER_FIRST : 2 * PAPER_FIRST;
	const double cap = column ? PAPER_CELL : first;
	size_t most = 10, len;

	for (const char *s = t->columns[column].head; *s; s += len + !!s[len]) {
		len = strcspn(s, " ");
		most = len > most ? len : most;
	}
	for (size_t i = 0; i < t->nrows; i++) {
		const char *cell = t->cells[i * t->ncolumns + column];

		if (cell && strlen(cell) > most)
			most = strlen(cell);
	}
	return 2 + ((double)most > cap ? cap : (double)most);
}

/* All columns share the width that there is. */
static void put_upright(struct doc *d, const struct table *t, double whole)
{
	for (size_t j = 0; j < t->ncolumns; j++)
		fprintf(d->f,
			">{\\%s\\arraybackslash}p{\\dimexpr "
			"%.3f\\linewidth-2\\tabcolsep\\relax}",
			t->columns[j].number ? "raggedleft" : "raggedright",
			share(t, j) / whole);
}

static void put_row(struct doc *d, const struct table *t,
		    const char *const *cells)
{
	for (size_t j = 0; j < t->ncolumns; j++) {
		fputs(j ? " & " : "", d->f);
		text_tex(d->f, cells ? cells[j] : t->columns[j].head);
	}
	fputs(" \\tabularnewline\n", d->f);
}

/* The rows of a paper's table from @from on, as many as stay together. */
static void paper_rows(struct doc *d, const struct table *t, size_t from,
		       size_t n, double chars)
{
	fputs("\\begin{tabular}{@{}", d->f);
	put_upright(d, t, chars);
	fputs("@{}}\n", d->f);
	if (!from) {
		fputs("\\toprule\n", d->f);
		put_row(d, t, NULL);
		fputs("\\midrule\n", d->f);
	}
	for (size_t i = from; i < from + n && i < t->nrows; i++)
		put_row(d, t, &t->cells[i * t->ncolumns]);
	fputs(from + n < t->nrows ? "\\end{tabular}\\par\\nointerlineskip\n"
				  : "\\bottomrule\n\\end{tabular}\n",
	      d->f);
}

/* In one column of a paper, where it breaks after some rows; or, if that is too
 * narrow, over both at the top of a page. */
static void paper_table(struct doc *d, const struct table *t)
{
	const bool wide = t->ncolumns > PAPER;
	const size_t together = wide ? t->nrows : PAPER_ROWS;
	double chars = 0;

	for (size_t j = 0; j < t->ncolumns; j++)
		chars += share(t, j);
	fputs(wide ? "\\begin{table*}[tbp]\n" : "\n{", d->f);
	if (t->caption && wide) {
		fputs("\\caption*{", d->f);
		text_tex(d->f, t->caption);
		fputs("}\n", d->f);
	}
	fputs(wide || t->nrows > PAPER_MANY ? "\\fontsize{6.3}{7.2}\\selectfont"
					    : "\\scriptsize",
	      d->f);
	fputs("\\setlength{\\tabcolsep}{1.5pt}\\setlength{\\parskip}{0pt}\n",
	      d->f);
	for (size_t i = 0; i < t->nrows; i += together)
		paper_rows(d, t, i, together, chars);
	fputs(wide ? "\\end{table*}\n" : "\\par}\n\n", d->f);
}

static void tex_table(struct doc *d, const struct table *t)
{
	size_t chars = width(t);
	bool across = chars > WIDE;

	if (!t->nrows)
		return;
	if (d->whole) {
		paper_table(d, t);
		return;
	}
	fputs(across ? "\\begin{landscape}\n" : "", d->f);
	fprintf(d->f,
		"{%s\\setlength{\\tabcolsep}{3pt}\n"
		"\\begin{longtable}{@{}",
		chars > VERY_WIDE ? "\\tiny" : "\\scriptsize");
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

static void put_picture(struct doc *d, const char *name, const char *caption)
{
	fprintf(d->f,
		"\n\\begin{figure}[htbp]\\centering\n"
		"\\IfFileExists{%s.png}{\\includegraphics[width=\\linewidth,"
		"height=50mm,keepaspectratio]{%s.png}}{\\fbox{%s.png lies with "
		"the results}}\n"
		"\\caption{",
		name, name, name);
	text_tex(d->f, caption);
	fputs("}\n\\end{figure}\n\n", d->f);
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
