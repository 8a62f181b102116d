/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "doc.h"
#include "figures.h"
#include "text.h"

#define PAPER	    6 /* columns of a table that one column of the page holds */
#define PAPER_ROWS  8 /* rows that it does not part */
#define PAPER_MANY  30 /* of more rows the letters are smaller */
#define PAPER_CELL  60 /* characters that a cell gets room for at most */
#define PAPER_SHORT 36 /* of three columns or more */
#define PAPER_FIRST 23 /* and one of the first of three columns to five */

/* Width that a column of a paper's table needs, in characters. */
static double share(const struct table *t, size_t column)
{
	const bool few = t->ncolumns > 2 && t->ncolumns <= PAPER;
	const double first = few ? PAPER_FIRST : 2 * PAPER_FIRST;
	const double cap = !column ? first : few ? PAPER_SHORT : PAPER_CELL;
	size_t most = 12; /* or a word of the head */

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
	/* The caption stays with the first. */
	fputs("\\begin{minipage}{\\linewidth}", d->f);
	if (!from && t->caption) {
		fputs("\\captionof{table}{", d->f);
		text_tex(d->f, t->caption);
		fputs("}\n", d->f);
	}
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
	fputs(from + n < t->nrows
		      ? "\\end{tabular}\\end{minipage}\\par\\nointerlineskip\n"
		      : "\\bottomrule\n\\end{tabular}\\end{minipage}\n",
	      d->f);
}

/* In one column of a paper, where it breaks after some rows; or, if that is too
 * narrow, over both at the top of a page, in front of the text behind it. */
static void tex_table(struct doc *d, const struct table *t)
{
	const bool wide = t->ncolumns > PAPER;
	const size_t together = wide ? t->nrows : PAPER_ROWS;
	double chars = 0;

	for (size_t j = 0; j < t->ncolumns; j++)
		chars += share(t, j);
	fputs(wide ? "\n\\twocolumn[{" : "\n{", d->f);
	fputs(wide || t->ncolumns == PAPER || t->nrows > PAPER_MANY
		      ? "\\fontsize{6.3}{7.2}\\selectfont"
		      : "\\scriptsize",
	      d->f);
	fputs("\\setlength{\\tabcolsep}{1.5pt}\\setlength{\\parskip}{0pt}\n",
	      d->f);
	for (size_t i = 0; i < t->nrows; i += together)
		paper_rows(d, t, i, together, chars);
	fputs(wide ? "\\par\\bigskip}]\\small\n" : "\\par}\n\n", d->f);
}

/*
 * The course's report: a paper in two columns, with no more in it than that
 * has. Characters that pdflatex does not know without more packages become a
 * question mark.
 */
const struct doc_format doc_tex = {
	.text = text_tex,
	.preamble = paper_tex,
	.begin = "%n%t}\\\\[3pt] Your names\\\\[6pt]\\end{center}}]\n\\small\n",
	.end = "\\end{document}\n",
	.heading = "\n\\section{%t}\n",
	.fold = "\n\\subsection{%t}\n",
	.para = "%t\n\n",
	.figure = "\n\\begin{figure}[htbp]"
		  "\\centering\n\\IfFileExists{" FIGURES_DIR
		  "/%n.pdf}{\\includegraphics[width=\\linewidth,"
		  "height=.85\\textheight,keepaspectratio]{" FIGURES_DIR
		  "/%n.pdf}}{\\fbox{%n.pdf lies with the results}}\n"
		  "\\caption{%t}\n\\end{figure}\n\n",
	.table = tex_table,
};
