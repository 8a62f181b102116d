/* SPDX-License-Identifier: MIT */
#ifndef OPTS_H
#define OPTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/*
 * Options are data.  One table row feeds the parser, the defaults, the range
 * check, --help, the man page and the shell completion, so they cannot
 * disagree.
 */
enum opt_kind {
	OPT_KIND_END,
	OPT_KIND_FLAG, /* bool */
	OPT_KIND_U64,  /* uint64_t, decimal */
	OPT_KIND_SIZE, /* uint64_t bytes, with an optional k, m or g (2^10n) */
	OPT_KIND_STR,  /* const char *, borrowed from argv */
	OPT_KIND_LIST, /* struct opt_list: may be given many times */
};

#define OPT_LIST_MAX 256

struct opt_list {
	const char *item[OPT_LIST_MAX]; /* borrowed from argv */
	size_t n;
};

struct opt {
	int letter;	  /* short form, 0 if none */
	const char *name; /* long form */
	enum opt_kind kind;
	size_t offset;	   /* of the value, inside the struct being filled */
	const char *def;   /* default, as the user would type it; or NULL */
	uint64_t min, max; /* inclusive; numbers only */
	/* One line, ends with ", unit"; NULL: an earlier name of another
	 * option, which has the same member. */
	const char *help;
};

/* Fails to compile unless @member of struct @type has C type @ctype. */
#define OPT_OFFSET(type, member, ctype)  \
	(offsetof(struct type, member) + \
	 0 * sizeof(_Generic(((struct type *)0)->member, ctype : 0)))

/* clang-format off */
#define OPT_U64(c, name, type, member, def, min, max, help) \
	{ c, name, OPT_KIND_U64, OPT_OFFSET(type, member, uint64_t), \
	  def, min, max, help }
#define OPT_SIZE(c, name, type, member, def, min, max, help) \
	{ c, name, OPT_KIND_SIZE, OPT_OFFSET(type, member, uint64_t), \
	  def, min, max, help }
#define OPT_FLAG(c, name, type, member, help) \
	{ c, name, OPT_KIND_FLAG, OPT_OFFSET(type, member, bool), \
	  NULL, 0, 0, help }
#define OPT_STR(c, name, type, member, def, help) \
	{ c, name, OPT_KIND_STR, OPT_OFFSET(type, member, const char *), \
	  def, 0, 0, help }
#define OPT_LIST(c, name, type, member, help) \
	{ c, name, OPT_KIND_LIST, OPT_OFFSET(type, member, struct opt_list), \
	  NULL, 0, 0, help }
#define OPT_END { 0, NULL, OPT_KIND_END, 0, NULL, 0, 0, NULL }
/* clang-format on */

/* A table and the struct it fills. */
struct opt_set {
	const char *title;
	const struct opt *opts; /* OPT_END-terminated; NULL means empty */
	void *target;
};

/*
 * opts_parse() - fill the targets of @sets from the defaults, then argv.
 * @argv: its operands are moved behind its options, as by getopt_long().
 * @sets: up to one without a title; each name and letter is there once.
 * @why: on failure, one line for the user (static buffer).
 * Numbers are digits only: no sign, no blank.  The last value of an option
 * counts, unless it has a list.
 *
 * Return: index of the first operand in @argv, or -EINVAL (what was parsed
 * before the error is stored).
 */
int opts_parse(int argc, char **argv, const struct opt_set *sets,
	       const char **why);

/* opts_help() - print one aligned line per option to @f. */
void opts_help(FILE *f, const struct opt_set *sets);

/* opts_meant() - "; did you mean NAME?" for the name in @names ("csv, json")
 * that is most like @word, or "" if none is (static buffer). */
const char *opts_meant(const char *word, const char *names);

/* parse_size() - read a byte count such as "64", "4k" or "1m" to @out.
 * Return: 0, -EINVAL (not a number), or -ERANGE (does not fit 64 bits). */
int parse_size(const char *text, uint64_t *out);

#endif
