/* SPDX-License-Identifier: MIT */
#ifndef DOC_H
#define DOC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* A table of text, before anybody knows in which format it is written. */
struct column {
	const char *head;
	bool number; /* aligned to the right */
};

struct table {
	const char *caption; /* NULL for none */
	struct column *columns;
	size_t ncolumns;
	const char **cells; /* row after row; NULL is an empty cell */
	const char **marks; /* of each row: "", or a word such as "failed" */
	size_t nrows;
	const char *program; /* whose rows they are; NULL: no rows of one */
	size_t shown;	     /* of those: columns that a narrow table has */
	const char *class;   /* of the page's style and script; or NULL */
};

/* No string is copied. */
void table_column(struct table *t, const char *head, bool number);

/* table_begin() - an empty table with the columns of @heads, which are parted
 * by
 * |; of one that ends with > the cells are aligned to the right. */
void table_begin(struct table *t, const char *heads);

/* table_line() - a row with these cells; those behind them are empty. */
#define table_line(t, mark, ...)                                    \
	table_cells(t, mark, (const char *const[]) { __VA_ARGS__ }, \
		    sizeof((const char *const[]) { __VA_ARGS__ }) / \
			    sizeof(char *))
void table_cells(struct table *t, const char *mark, const char *const *cells,
		 size_t n);

/* table_row() - begin a row of empty cells. */
void table_row(struct table *t, const char *mark);

/* table_cell() - fill the cell of the current row in @column. */
void table_cell(struct table *t, size_t column, const char *text);

/* table_group() - count @name in the row with the reason @why and the result
 * @what: a reason, a result, a number and names. */
void table_group(struct table *t, const char *mark, const char *why,
		 const char *what, const char *name);

/* table_drop() - take out one column. */
void table_drop(struct table *t, size_t column);

/* table_unbracket() - take out what stands in the last brackets of the cells
 * of @column, with all behind it. */
void table_unbracket(struct table *t, size_t column);

/* table_prune() - take out columns in which no cell has text. */
void table_prune(struct table *t);

/* console_table() - @t in columns; on a terminal in lines of 80 columns. */
void console_table(FILE *f, const struct table *t);

/* console_text() - @text in lines of up to 80 columns, parted at blanks; the
 * first begins with @first, the others with @more.  A word that is longer than
 * a line is cut where the line ends, never inside a character. */
void console_text(FILE *f, const char *text, const char *first,
		  const char *more);

/*
 * A document, written once and rendered in each format.  All text is plain:
 * the format escapes it, so that nothing in it can become markup.
 */
struct doc;

/* Forms of the parts of a document.  In each %t is the text, by @text; %c the
 * same, by @verbatim; %n a name or a link, which is ours; %i the picture of
 * that name.  NULL: the format has no such part. */
struct doc_format {
	void (*text)(FILE *f, const char *text);
	void (*verbatim)(FILE *f, const char *text);
	void (*image)(struct doc *d, const char *name, const char *caption);
	const char *preamble; /* %n in @begin */
	const char *begin, *end;
	const char *script; /* with %n, where there are rows for it */
	const char *heading, *fold, *unfold, *para;
	const char *code, *code_line, *code_end;
	const char *list, *item, *link, *list_end;
	const char *picture, *figure;
	bool numbered; /* the captions of figures get numbers here */
	void (*table)(struct doc *d, const struct table *t);
};

struct doc {
	FILE *f;
	const char *dir;
	const struct doc_format *format;
	unsigned int figures; /* how many were put in */
	bool rows;	      /* HTML: there are rows for the script */
	bool paper;	      /* of little room: LaTeX */
};

/* doc_console is for a terminal: without pictures, links and lists. */
extern const struct doc_format doc_html, doc_md, doc_tex, doc_console;

/* doc_put() - one part: @form of the format, with @name and @text. */
void doc_put(struct doc *d, const char *form, const char *name,
	     const char *text);

#define doc_begin(d, title) \
	doc_put(d, (d)->format->begin, (d)->format->preamble, title)
void doc_end(struct doc *d);

/* doc_heading() - @id: [a-z0-9-]; doc_fold() - one below it, of what is folded
 * away in a page until doc_unfold(); no folds in folds. */
#define doc_heading(d, id, text) doc_put(d, (d)->format->heading, id, text)
#define doc_fold(d, id, text)	 doc_put(d, (d)->format->fold, id, text)
#define doc_unfold(d)		 doc_put(d, (d)->format->unfold, NULL, NULL)

/* doc_paragraph() - @text; doc_para() - by a format of printf(); doc_prose() -
 * of prose(): its id, then names and values in turn. */
#define doc_paragraph(d, text) doc_put(d, (d)->format->para, NULL, text)
#define doc_para(d, ...)       doc_paragraph(d, text_format(__VA_ARGS__))
#define doc_prose(d, ...)      doc_paragraph(d, prose(__VA_ARGS__, NULL))

/* doc_code() - lines as they are.  doc_text() - paragraphs of @text: blank
 * lines part them, indented ones are code. */
void doc_code(struct doc *d, const char *text);
void doc_text(struct doc *d, const char *text);

/* doc_list(), doc_item() for each, @href: a link or NULL, doc_list_end(). */
#define doc_list(d) doc_put(d, (d)->format->list, NULL, NULL)
#define doc_item(d, href, text) \
	doc_put(d, (href) ? (d)->format->link : (d)->format->item, href, text)
#define doc_list_end(d) doc_put(d, (d)->format->list_end, NULL, NULL)

/* doc_picture() - FIGURES_DIR/@name.svg with its caption; @name is safe in a
 * link; doc_figure() - one with data. */
#define doc_picture(d, name, caption) \
	doc_put(d, (d)->format->picture, name, caption)
void doc_figure(struct doc *d, const char *name, const char *caption);

/* doc_table() - @t; @otherwise (or NULL: nothing) if it has no rows. */
void doc_table(struct doc *d, const struct table *t, const char *otherwise);

/* doc_file() - @dir/@name.@suffix, written by @write beside and then moved into
 * its place.  Return: 0, or -EIO after the reason was printed. */
typedef int doc_file_fn(FILE *f, const void *what);
int doc_file(const char *dir, const char *name, const char *suffix,
	     doc_file_fn *write, const void *what);

typedef void doc_write_fn(struct doc *d, const void *what);

/* doc_pages() - @dir/@name.md and .html, by @write.  Return: as
 * doc_file(). */
int doc_pages(const char *dir, const char *name, doc_write_fn *write,
	      const void *what);

/* prose() - the text under the heading "## @id" in report/words/prose.md, with
 * each {NAME} replaced: names and their values (char *) in turn follow, and a
 * NULL. */
const char *prose(const char *id, ...) __attribute__((sentinel));

/* prose_section() - the same as it stands there. */
const char *prose_section(const char *id);

/* prose_table() - the table there, as rows of @t. */
void prose_table(struct table *t, const char *id);

/* prose_items() - the lines there, "href|text", as items of a list. */
void prose_items(struct doc *d, const char *id);

#endif
