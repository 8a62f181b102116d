/* SPDX-License-Identifier: MIT */
#ifndef DOC_H
#define DOC_H

#include <stdio.h>

#include "table.h"

/*
 * A document, written once and rendered in each format.  All text is plain:
 * the format escapes it, so that nothing in it can become markup.
 */
struct doc;

struct doc_format {
	const char *suffix; /* of the file's name */
	void (*begin)(struct doc *d, const char *title);
	void (*end)(struct doc *d);
	/* @level 1 to 3; @id: [a-z0-9-], or NULL */
	void (*heading)(struct doc *d, int level, const char *id,
			const char *text);
	/* @text heads what follows, which is folded away in a page, until the
	 * call with NULL, NULL; no folds in folds; @id as above, never NULL */
	void (*fold)(struct doc *d, const char *id, const char *text);
	void (*para)(struct doc *d, const char *text);
	void (*warning)(struct doc *d, const char *text, const char *remedy);
	void (*code)(struct doc *d, const char *text);
	void (*table)(struct doc *d, const struct table *t);
	/* DIR/@name.svg with its caption; @name is safe in a link */
	void (*figure)(struct doc *d, const char *name, const char *caption);
	/* DIR/@name.svg, which is no figure with data */
	void (*picture)(struct doc *d, const char *name, const char *caption);
	void (*item)(struct doc *d, const char *href, const char *text);
	void (*list)(struct doc *d, int begin); /* 1 before, 0 after items */
};

struct doc {
	FILE *f;
	const char *dir;
	const struct doc_format *format;
	unsigned int figures; /* how many were put in */
	bool rows;	      /* HTML: there are rows for the script */
	bool paper;	      /* of little room: LaTeX */
};

/* doc_console is for a terminal: without pictures, links and notes. */
extern const struct doc_format doc_html, doc_md, doc_tex, doc_console;

typedef void doc_write_fn(struct doc *d, const void *what);

/* doc_pages() - @dir/@name.md and .html, by @write.  Return: 0, or -EIO after
 * the reason was said. */
int doc_pages(const char *dir, const char *name, doc_write_fn *write,
	      const void *what);

/* doc_text() - paragraphs of @text: blank lines part them, indented ones are
 * code. */
void doc_text(struct doc *d, const char *text);

#endif
