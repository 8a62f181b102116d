/* SPDX-License-Identifier: MIT */
#ifndef SVG_H
#define SVG_H

#include <stdio.h>

/**
 * svg_inline() - write an SVG picture into an HTML page.
 * @svg: the whole file, as gnuplot or lstopo wrote it, or anything else.
 * @prefix: put before every id, so that two pictures of a page do not share
 *	    any; [a-z0-9_-].
 * @label: what the picture shows, for those who cannot see it.
 *
 * Only elements and attributes that draw are let through; scripts, event
 * attributes, foreign elements and links to anywhere are left out, so that a
 * picture from an untrusted directory cannot do more than be drawn.  Nothing
 * is written on failure.
 *
 * Return: 0 or -EINVAL (no picture, or its elements do not nest).
 */
int svg_inline(FILE *f, const char *svg, const char *prefix, const char *label);

#endif
