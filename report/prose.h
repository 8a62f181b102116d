/* SPDX-License-Identifier: MIT */
#ifndef PROSE_H
#define PROSE_H

#include "doc.h"

/* prose() - the text under the heading "## @id" in report/words/prose.md, with
 * each {NAME} replaced: names and their values (char *) in turn follow, and a
 * NULL. */
const char *prose(const char *id, ...) __attribute__((sentinel));

/* prose_table() - the table there, as rows of @t. */
void prose_table(struct table *t, const char *id);

/* prose_items() - the lines there, "href|text", as items of a list. */
void prose_items(struct doc *d, const char *id);

#endif
