/* SPDX-License-Identifier: MIT */
#ifndef TEXT_H
#define TEXT_H

#include <stdbool.h>
#include <stdio.h>

#include "alloc.h"
#include "units.h"

/*
 * Strings of the report.  A results directory may hold anything, so every name
 * and reason from there goes through one of the writers below and nothing
 * else decides what is markup.  A command of the report is a
 * process that ends: nothing is freed one by one, so a string may be passed on,
 * kept or left as it is, whoever made it.
 */

/* text_create() - a new file to write, in the place of what is there; NULL with
 * errno. */
FILE *text_create(const char *path);

/* text_plural() - "1 row", "3 rows". */
const char *text_plural(size_t n, const char *noun);

/* text_count() - "3". */
#define text_count(n) text_format("%zu", (size_t)(n))

/* text_join() - @more behind @list with @sep between; @more if @list is NULL.
 */
const char *text_join(const char *list, const char *sep, const char *more);

/* text_fill() - @text with each {NAME} replaced by what @value says of it. */
const char *text_fill(const char *text,
		      const char *(*value)(const char *name, const void *arg),
		      const void *arg);

/* text_split() - the text up to the next @sep, or to the end, a new string;
 * *@rest, which it begins, is behind that then, or NULL.  NULL if *@rest is. */
const char *text_split(const char **rest, char sep);

/* text_cut() - @text in at most @max columns, with an ellipsis if it is
 * longer; never inside a character. */
const char *text_cut(const char *text, size_t max);

/* text_same() - whether both are the same text, or both NULL. */
bool text_same(const char *a, const char *b);

/* text_glob() - whether @s matches one of the space-separated @globs. */
bool text_glob(const char *globs, const char *s);

/* The writers.  NULL is written as nothing.  Control characters become a
 * question mark in all of them. */
void text_plain(FILE *f, const char *s);   /* one line for a terminal */
void text_html(FILE *f, const char *s);	   /* element text, attributes */
void text_md(FILE *f, const char *s);	   /* one line of Markdown */
void text_tex(FILE *f, const char *s);	   /* LaTeX, for pdflatex */
void text_gnuplot(FILE *f, const char *s); /* quoted; never substituted */
void text_data(FILE *f, const char *s);	   /* one quoted word in a .dat */

/* Texts that are in the program: files of report/ and report/words/. */
extern const char page_css[], page_js[], paper_tex[], prose_md[],
	predictions_ini[];

#endif
