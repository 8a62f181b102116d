/* SPDX-License-Identifier: MIT */
#ifndef ABOUT_H
#define ABOUT_H

#include <jansson.h>
#include <stdio.h>

/*
 * What a program says of itself: the comment that opens its file, in the form
 * that bench.h describes.
 */

/* about_summary() - the question of the first line; caller frees; NULL if out
 * of memory. */
char *about_summary(const char *about);

/* about_json() - {"name", "summary", "text", "measures", "includes", "after",
 * "needs"}; a part that is absent is null.  NULL if out of memory. */
json_t *about_json(const char *name, const char *about);

#endif
