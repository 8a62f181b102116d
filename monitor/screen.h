/* SPDX-License-Identifier: MIT */
#ifndef SCREEN_H
#define SCREEN_H

#include <stddef.h>
#include <stdio.h>

#include "row.h"

/**
 * screen_draw() - the table of one sample, over the one before.
 * @head: lines that stand above it.
 *
 * It fits the terminal of standard output: where there are more CPUs than
 * lines, the busiest are shown.
 */
void screen_draw(FILE *f, const char *head, const struct row *rows, size_t n);

#endif
