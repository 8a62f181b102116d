/* SPDX-License-Identifier: MIT */
#ifndef CONSOLE_H
#define CONSOLE_H

#include <stdio.h>

#include "table.h"

/* console_table() - @t in columns for a terminal; cells longer than
 * @max_width are cut with an ellipsis. */
void console_table(FILE *f, const struct table *t, size_t max_width);

#endif
