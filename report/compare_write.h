/* SPDX-License-Identifier: MIT */
#ifndef COMPARE_WRITE_H
#define COMPARE_WRITE_H

#include "compare.h"
#include "doc.h"

/* Comparisons of one side with @n others. */
struct compare_view {
	const struct comparison *c;
	size_t n;
	bool all;     /* all rows; or those that differ */
	bool in_time; /* the sides are a history */
};

/* compare_write() - as a document; in one with a directory pictures are
 * expected there as compare-1.svg and so on. */
void compare_write(struct doc *d, const struct compare_view *v);

#endif
