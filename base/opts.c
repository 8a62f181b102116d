/* SPDX-License-Identifier: MIT */
#include "opts.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "err.h"
#include "units.h"

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
	const char *suffix;
	uint64_t n;
	char *end;

	/* strtoull() would also take "+1", " 1" and "-1". */
	if (!isdigit((unsigned char)text[0]))
		return -EINVAL;
	errno = 0;
	n = strtoull(text, &end, 10);
	if (errno)
		return -ERANGE;
	suffix = strchr(suffixes, tolower((unsigned char)*end));
	if (!suffix || (*end && end[1]))
		return -EINVAL;
	if (*end)
		shift = 10 * (unsigned int)(suffix - suffixes + 1);
	if (n > UINT64_MAX >> shift)
		return -ERANGE;
	*out = n << shift;
	return 0;
}

int parse_size(const char *text, uint64_t *out)
{
	return parse(text, "kmg", out);
}

static int store_number(const struct opt *o, void *slot, const char *text)
{
	bool is_size = o->kind == OPT_KIND_SIZE;
	char min[UNITS_MAX], max[UNITS_MAX];
	uint64_t n;
	int err = parse(text, is_size ? "kmg" : "", &n);

	if (!err && n >= o->min && n <= o->max) {
		*(uint64_t *)slot = n;
		return 0;
	}
	if (is_size) {
		units_size(min, o->min);
		units_size(max, o->max);
	} else {
		snprintf(min, sizeof(min), "%" PRIu64, o->min);
		snprintf(max, sizeof(max), "%" PRIu64, o->max);
	}
	return refuse("--%s takes %s to %s, not '%s'", o->name, min, max, text);
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

static int store_defaults(const struct opt_set *sets)
{
	int err = 0;

	OPT_EACH (set, o, sets) {
		void *slot = (char *)set->target + o->offset;

		if (o->kind == OPT_KIND_LIST)
			((struct opt_list *)slot)->n = 0;
		if (o->kind == OPT_KIND_FLAG)
			*(bool *)slot = false;
		if (o->def && !err)
			err = store(o, set->target, o->def);
	}
	return err;
}

/* getopt_long() returns a letter, or of a long name this and its place in the
 * tables. */
#define LONG_NAMES 256
#define OPTS_MAX   100 /* more than any program has */

static const struct opt *find(const struct opt_set *sets, int code,
			      void **target)
{
	int name = LONG_NAMES;

	OPT_EACH (set, o, sets) {
		*target = set->target;
		if (code == name++ || code == o->letter)
			return o;
	}
	return NULL;
}

/* Whether the @m letters of @name share more of both ends of @word than @most,
 * which it becomes: all of it, or half of their mean length at least. */
static bool nearer(const char *word, const char *name, size_t m, size_t *most)
{
	const size_t n = strlen(word);
	size_t same = 0, tail = 0;

	while (same < n && same < m && word[same] == name[same])
		same++;
	while (same + tail < n && same + tail < m &&
	       word[n - 1 - tail] == name[m - 1 - tail])
		tail++;
	if (same + tail <= *most || (same < n && 4 * (same + tail) < n + m))
		return false;
	*most = same + tail;
	return true;
}

const char *opts_meant(const char *word, const char *names)
{
	static char meant[80];
	size_t n, most = 0;

	for (*meant = '\0'; *names; names += n + strspn(names + n, ", ")) {
		n = strcspn(names, ",");
		if (nearer(word, names, n, &most))
			snprintf(meant, sizeof(meant), "; did you mean %.*s?",
				 (int)n, names);
	}
	return meant;
}

/* @code: ':' for a missing value, or '?'.  @word: the last that was read. */
static int misuse(const struct opt_set *sets, int code, const char *word)
{
	const char *name = word + strspn(word, "-"), *meant = NULL;
	const struct opt *bad;
	size_t most = 0;
	void *target;

	OPT_EACH (set, o, sets)
		if (o->help && nearer(name, o->name, strlen(o->name), &most))
			meant = o->name;
	if (!optopt)
		return refuse("%s: %s option%s%s%s", word,
			      meant && strstr(meant, name) == meant
				      ? "ambiguous"
				      : "unknown",
			      meant ? "; did you mean --" : "",
			      meant ? meant : "", meant ? "?" : "");
	bad = find(sets, optopt, &target);
	if (!bad)
		return refuse("-%c: unknown option", optopt);
	return refuse("--%s: %s", bad->name,
		      code == ':' ? "needs a value" : "takes no value");
}

int opts_parse(int argc, char **argv, const struct opt_set *sets,
	       const char **why)
{
	int err = store_defaults(sets), code, n = 0;
	/* A missing value is no unknown option. */
	char letters[2 * OPTS_MAX] = ":", *letter = letters + 1;
	struct option names[OPTS_MAX + 1] = { 0 };

	*why = whybuf;
	OPT_EACH (set, o, sets) {
		const bool valued = o->kind != OPT_KIND_FLAG;

		names[n] = (struct option) { o->name, valued, NULL,
					     LONG_NAMES + n };
		n++;
		if (o->letter)
			*letter++ = (char)o->letter;
		if (o->letter && valued)
			*letter++ = ':';
	}
	unsetenv("POSIXLY_CORRECT"); /* operands may stand anywhere */
	optind = 0;		     /* from the first word on, each time */
	opterr = 0;
	while (!err &&
	       (code = getopt_long(argc, argv, letters, names, NULL)) >= 0) {
		void *target;
		const struct opt *o = find(sets, code, &target);

		err = o ? store(o, target, optarg)
			: misuse(sets, code, argv[optind - 1]);
	}
	return err ? err : optind;
}

void opts_help(FILE *f, const struct opt_set *sets)
{
	for (const struct opt_set *s = sets; s->title; s++) {
		if (!s->opts || !s->opts->name)
			continue;
		fprintf(f, "\n%s:\n", s->title);
		for (const struct opt *o = s->opts; o->name; o++) {
			char letter[] = { '-', (char)o->letter, ',', '\0' };

			if (!o->help)
				continue;
			fprintf(f, "  %-3s --%-*s  %s", o->letter ? letter : "",
				(int)strlen("invocations"), o->name, o->help);
			if (o->kind == OPT_KIND_LIST)
				fprintf(f, " (repeatable)");
			if (o->def && *o->def)
				fprintf(f, " [%s]", o->def);
			fputc('\n', f);
		}
	}
}
