/* SPDX-License-Identifier: MIT */
#ifndef CONSOLE_H
#define CONSOLE_H

#include <stdio.h>

#include "table.h"

/* console_table() - @t in columns; on a terminal long cells are cut with an
 * ellipsis. */
void console_table(FILE *f, const struct table *t);

/* console_paragraph() - @text, on a terminal in lines of 80 columns. */
void console_paragraph(FILE *f, const char *text);

/* console_text() - @text in lines of up to 80 columns, parted at blanks; the
 * first begins with @first, the others with @more.  A word that is longer than
 * a line is cut where the line ends, never inside a character. */
void console_text(FILE *f, const char *text, const char *first,
		  const char *more);

#endif
