/* SPDX-License-Identifier: MIT */
#include "opts.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "units.h"

#define MAX_OPTS 64
#define FIRST_ID 256 /* above every short option letter */
#define OPERAND	 1   /* what getopt_long() says of one, if asked to */
/* A longer name pushes its help aside instead of everybody's. */
#define NAME_COLUMNS 16

static char whybuf[240];

__attribute__((format(printf, 1, 2))) static int refuse(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(whybuf, sizeof(whybuf), fmt, ap);
	va_end(ap);
	return -EINVAL;
}

/* @suffixes: of 2^10, 2^20 and so on.  Return: as parse_size(). */
static int parse(const char *text, const char *suffixes, uint64_t *out)
{
	unsigned int shift = 0;
	uint64_t n;
	char *end;

	/* strtoull() would also take "+1", " 1" and "-1". */
	if (!isdigit((unsigned char)text[0]))
		return -EINVAL;
	errno = 0;
	n = strtoull(text, &end, 10);
	if (errno)
		return -ERANGE;
	if (*end) {
		const char *suffix =
			strchr(suffixes, tolower((unsigned char)*end));

		if (!suffix || end[1])
			return -EINVAL;
		shift = 10 * (unsigned int)(suffix - suffixes + 1);
	}
	if (n > UINT64_MAX >> shift)
		return -ERANGE;
	*out = n << shift;
	return 0;
}

int parse_size(const char *text, uint64_t *out)
{
	return parse(text, "kmg", out);
}

/* The unit that ends a line of help: " ms" for "aimed length, ms; 0 chooses".
 * Empty if there is none. */
static void help_unit(const struct opt *o, char *buf, size_t size)
{
	const char *comma = strrchr(o->help, ',');

	buf[0] = '\0';
	if (comma)
		snprintf(buf, size, "%.*s", (int)strcspn(comma + 1, ";("),
			 comma + 1);
}

static int store_number(const struct opt *o, void *slot, const char *text)
{
	bool is_size = o->kind == OPT_KIND_SIZE;
	char min[UNITS_MAX], max[UNITS_MAX], unit[32];
	uint64_t n;
	int err = parse(text, is_size ? "kmg" : "", &n);

	if (!err && n >= o->min && n <= o->max) {
		*(uint64_t *)slot = n;
		return 0;
	}
	help_unit(o, unit, sizeof(unit));
	if (is_size) {
		units_size(min, o->min);
		units_size(max, o->max);
	} else {
		snprintf(min, sizeof(min), "%" PRIu64, o->min);
		snprintf(max, sizeof(max), "%" PRIu64, o->max);
	}
	return refuse("--%s: '%s' is not %s from %s to %s%s", o->name, text,
		      is_size ? "a size" : "a number", min, max, unit);
}

static int store(const struct opt *o, void *target, const char *text)
{
	void *slot = (char *)target + o->offset;
	struct opt_list *list;

	switch (o->kind) {
	case OPT_KIND_FLAG:
		*(bool *)slot = true;
		return 0;
	case OPT_KIND_STR:
		*(const char **)slot = text;
		return 0;
	case OPT_KIND_U64:
	case OPT_KIND_SIZE:
		return store_number(o, slot, text);
	case OPT_KIND_LIST:
		list = slot;
		if (list->n == OPT_LIST_MAX)
			return refuse("--%s: given more than %d times", o->name,
				      OPT_LIST_MAX);
		list->item[list->n++] = text;
		return 0;
	case OPT_KIND_END:
		break;
	}
	return refuse("--%s: of no known kind", o->name);
}

/* The rows of every set, flattened: what getopt_long() indexes. */
struct table {
	const struct opt *row[MAX_OPTS];
	void *target[MAX_OPTS];
	size_t n;
};

static int add_row(struct table *t, const struct opt *o, void *target)
{
	if (t->n == MAX_OPTS)
		return refuse("more than %d options", MAX_OPTS);
	for (size_t i = 0; i < t->n; i++) {
		if (!strcmp(t->row[i]->name, o->name))
			return refuse("--%s: defined twice", o->name);
		if (o->letter && t->row[i]->letter == o->letter)
			return refuse("-%c: both --%s and --%s", o->letter,
				      t->row[i]->name, o->name);
	}
	t->row[t->n] = o;
	t->target[t->n] = target;
	t->n++;
	return 0;
}

static int flatten(struct table *t, const struct opt_set *sets)
{
	t->n = 0;
	for (const struct opt_set *s = sets; s->title; s++) {
		for (const struct opt *o = s->opts; o && o->name; o++) {
			int err = add_row(t, o, s->target);

			if (err)
				return err;
		}
	}
	return 0;
}

static int store_default(const struct opt *o, void *target)
{
	void *slot = (char *)target + o->offset;

	if (o->kind == OPT_KIND_LIST)
		((struct opt_list *)slot)->n = 0;
	if (o->kind == OPT_KIND_FLAG)
		*(bool *)slot = false;
	return o->def ? store(o, target, o->def) : 0;
}

/* The row that getopt_long() means by @id, or -1. */
static int find_row(const struct table *t, int id)
{
	for (size_t i = 0; i < t->n; i++)
		if (id == FIRST_ID + (int)i || id == t->row[i]->letter)
			return (int)i;
	return -1;
}

/* getopt_long() has met something that it cannot take: @id is '?' or ':'. */
static int refuse_word(const struct table *t, int id, const char *word)
{
	int i = optopt ? find_row(t, optopt) : -1;

	if (i >= 0)
		return refuse("--%s: %s", t->row[i]->name,
			      id == ':' ? "needs a value" : "takes no value");
	if (optopt)
		return refuse("-%c: unknown option", optopt);
	return refuse("%s: unknown or ambiguous option", word);
}

/* Makes what getopt_long() wants of the table. */
static void describe(const struct table *t, struct option *longs, char *shorts)
{
	/* Operands come in their places, where the environment may not say
	 * (POSIXLY_CORRECT) that they end the options; and getopt_long() is
	 * not to print. */
	*shorts++ = '-';
	*shorts++ = ':';
	for (size_t i = 0; i < t->n; i++) {
		const struct opt *o = t->row[i];
		bool valued = o->kind != OPT_KIND_FLAG;

		longs[i].name = o->name;
		longs[i].has_arg = valued;
		longs[i].val = FIRST_ID + (int)i;
		if (!o->letter)
			continue;
		*shorts++ = (char)o->letter;
		if (valued)
			*shorts++ = ':';
	}
	*shorts = '\0';
}

/* The words from @behind to optind are no operands: move them before the
 * @operands that stand there. */
static void pass_operands(char **argv, int operands, int *behind)
{
	for (; *behind < optind; (*behind)++) {
		char **first = argv + *behind - operands, *word = argv[*behind];

		memmove(first + 1, first, (size_t)operands * sizeof(*argv));
		*first = word;
	}
}

int opts_parse(int argc, char **argv, const struct opt_set *sets,
	       const char **why)
{
	struct option longs[MAX_OPTS + 1] = { { 0 } };
	char shorts[2 * MAX_OPTS + 3];
	int id, err, behind = 1, operands = 0;
	struct table t;

	*why = whybuf;
	err = flatten(&t, sets);
	for (size_t i = 0; !err && i < t.n; i++)
		err = store_default(t.row[i], t.target[i]);
	if (err)
		return err;

	describe(&t, longs, shorts);
	optind = 0; /* glibc: forget all about an earlier parse */
	while ((id = getopt_long(argc, argv, shorts, longs, NULL)) != -1) {
		int i;

		if (id == '?' || id == ':')
			return refuse_word(&t, id, argv[optind - 1]);
		if (id == OPERAND) {
			operands++;
			behind = optind;
			continue;
		}
		pass_operands(argv, operands, &behind);
		i = find_row(&t, id);
		if (i < 0)
			return refuse("option %d: not in the table", id);
		err = store(t.row[i], t.target[i], optarg);
		if (err)
			return err;
	}
	pass_operands(argv, operands, &behind);
	return optind - operands;
}

static int name_columns(const struct opt_set *sets)
{
	size_t columns = 0;

	for (const struct opt_set *s = sets; s->title; s++) {
		for (const struct opt *o = s->opts; o && o->name; o++) {
			size_t len = strlen(o->name);

			if (len > columns && len <= NAME_COLUMNS)
				columns = len;
		}
	}
	return (int)columns;
}

void opts_help(FILE *f, const struct opt_set *sets)
{
	int columns = name_columns(sets);

	for (const struct opt_set *s = sets; s->title; s++) {
		if (!s->opts || !s->opts->name)
			continue;
		fprintf(f, "\n%s:\n", s->title);
		for (const struct opt *o = s->opts; o->name; o++) {
			char letter[] = { '-', (char)o->letter, ',', '\0' };

			fprintf(f, "  %-3s --%-*s  %s", o->letter ? letter : "",
				columns, o->name, o->help);
			if (o->kind == OPT_KIND_LIST)
				fprintf(f, " (repeatable)");
			if (o->def && *o->def)
				fprintf(f, " [%s]", o->def);
			fputc('\n', f);
		}
	}
}
