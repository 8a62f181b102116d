/* SPDX-License-Identifier: MIT */
#include "opts.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "err.h"
#include "units.h"

/* As --invocations; a longer name pushes its help aside. */
#define NAME_COLUMNS 11

static char whybuf[240];

__attribute__((format(printf, 1, 2))) static int refuse(const char *fmt, ...)
{
	WITH_ARGS(vsnprintf(whybuf, sizeof(whybuf), fmt, ap));
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

#define OPT_EACH(set, o, sets)                                      \
	for (const struct opt_set *set = (sets); set->title; set++) \
		for (const struct opt *o = set->opts; o && o->name; o++)

/* The defaults; and a name or letter is there once. */
static int begin(const struct opt_set *sets)
{
	OPT_EACH (set, o, sets) {
		void *slot = (char *)set->target + o->offset;
		int err = 0;

		if (o->kind == OPT_KIND_LIST)
			((struct opt_list *)slot)->n = 0;
		if (o->kind == OPT_KIND_FLAG)
			*(bool *)slot = false;
		if (o->def)
			err = store(o, set->target, o->def);
		if (err)
			return err;
		OPT_EACH (other, p, sets) {
			if (p == o)
				continue;
			if (!strcmp(p->name, o->name))
				return refuse("--%s: defined twice", o->name);
			if (o->letter && p->letter == o->letter)
				return refuse("-%c: both --%s and --%s",
					      o->letter, o->name, p->name);
		}
	}
	return 0;
}

/* The option of this @letter, or 0: whose name or that alone begins with the
 * @len bytes at @name; NULL if there is none. */
static const struct opt *find(const struct opt_set *sets, int letter,
			      const char *name, size_t len, void **target)
{
	const struct opt *found = NULL;
	size_t n = 0;

	OPT_EACH (set, o, sets) {
		if (letter ? o->letter != letter
			   : strncmp(o->name, name, len) != 0)
			continue;
		*target = set->target;
		if (letter || !o->name[len])
			return o;
		found = o;
		n++;
	}
	return n == 1 ? found : NULL;
}

/* @value: what stands in its word, or NULL: then @next is it, and one word more
 * is taken. */
static int take(const struct opt *o, void *target, const char *value,
		const char *next, int *words)
{
	if (o->kind == OPT_KIND_FLAG)
		return value ? refuse("--%s: takes no value", o->name)
			     : store(o, target, NULL);
	if (!value && !next)
		return refuse("--%s: needs a value", o->name);
	*words += !value;
	return store(o, target, value ? value : next);
}

/* @next: the word behind it, or NULL.  Return: how many words were taken, or
 * -EINVAL. */
static int take_long(const struct opt_set *sets, const char *word,
		     const char *next)
{
	const char *name = word + 2, *end = strchrnul(name, '=');
	void *target;
	const struct opt *o =
		find(sets, 0, name, (size_t)(end - name), &target);
	int words = 1, err;

	if (!o)
		return refuse("%s: unknown or ambiguous option", word);
	err = take(o, target, *end ? end + 1 : NULL, next, &words);
	return err ? err : words;
}

/* The same of "-abc", "-nvalue" and "-n value". */
static int take_letters(const struct opt_set *sets, const char *word,
			const char *next)
{
	int words = 1;

	for (const char *at = word + 1; *at; at++) {
		void *target;
		const struct opt *o = find(sets, *at, NULL, 0, &target);
		const bool valued = o && o->kind != OPT_KIND_FLAG;
		int err;

		if (!o)
			return refuse("-%c: unknown option", *at);
		err = take(o, target, valued && at[1] ? at + 1 : NULL, next,
			   &words);
		if (err || valued)
			return err ? err : words;
	}
	return words;
}

int opts_parse(int argc, char **argv, const struct opt_set *sets,
	       const char **why)
{
	char **operand = text_alloc((size_t)argc, sizeof(*operand));
	int i = 1, to = 1, words = begin(sets);

	*why = whybuf;
	for (bool end = false; words >= 0 && i < argc && !end;) {
		/* Behind the last one there may be words that are not ours. */
		const char *next = i + 1 < argc ? argv[i + 1] : NULL;

		if (*argv[i] != '-' || !argv[i][1]) {
			operand[i - to] = argv[i];
			i++;
			continue;
		}
		end = !strcmp(argv[i], "--");
		words = end		    ? 1
			: argv[i][1] == '-' ? take_long(sets, argv[i], next)
					    : take_letters(sets, argv[i], next);
		/* They are moved before the operands that stand there. */
		for (int k = 0; k < words; k++)
			argv[to++] = argv[i++];
	}
	memcpy(argv + to, operand, (size_t)(i - to) * sizeof(*argv));
	free(operand);
	return words < 0 ? words : to;
}

void opts_help(FILE *f, const struct opt_set *sets)
{
	for (const struct opt_set *s = sets; s->title; s++) {
		if (!s->opts || !s->opts->name)
			continue;
		fprintf(f, "\n%s:\n", s->title);
		for (const struct opt *o = s->opts; o->name; o++) {
			char letter[] = { '-', (char)o->letter, ',', '\0' };

			fprintf(f, "  %-3s --%-*s  %s", o->letter ? letter : "",
				NAME_COLUMNS, o->name, o->help);
			if (o->kind == OPT_KIND_LIST)
				fprintf(f, " (repeatable)");
			if (o->def && *o->def)
				fprintf(f, " [%s]", o->def);
			fputc('\n', f);
		}
	}
}
