/* SPDX-License-Identifier: MIT */
#include "sections.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "text.h"

#define LOWER	  "abcdefghijklmnopqrstuvwxyz"
#define DIGITS	  "0123456789"
#define LETTERS	  LOWER "ABCDEFGHIJKLMNOPQRSTUVWXYZ" DIGITS
#define MAX_WORDS 64

/* The form that each option's value must have; NULL: it is left out. */
static const struct {
	const char *name, *made_of;
} options[] = {
	{ "--profile", LOWER },
	{ "--rounds", DIGITS },
	{ "--precision", DIGITS "." },
	{ "--effort", DIGITS },
	{ "--only", LOWER DIGITS "_.*?[]- " },
	{ "--cpu", DIGITS },
	{ "--prio", DIGITS },
	{ "--timer", LOWER DIGITS },
	{ "--dir", LETTERS "/_.,:=@%+- " },
	{ "--seed", DIGITS },
	{ "--bin", NULL },
	{ "--out", NULL },
	{ "--resume", NULL },
};

static bool made_of(const char *text, const char *characters)
{
	return *text && !text[strspn(text, characters)];
}

const char *again_word(const char *text)
{
	char *word, *to;

	if (made_of(text, LETTERS "/_.,:=@%+-"))
		return text;
	for (const char *c = text; *c; c++)
		if (!isprint((unsigned char)*c))
			return NULL;
	/* Each ' becomes '\''. */
	to = word = text_alloc(4 * strlen(text) + 3, 1);
	*to++ = '\'';
	for (const char *c = text; *c; c++) {
		if (*c == '\'')
			to = stpcpy(to, "'\\'");
		*to++ = *c;
	}
	*to = '\'';
	return word;
}

const char *again_program(const char *name)
{
	return made_of(name, LOWER DIGITS "_")
		       ? text_format("build/bin/%s", name)
		       : NULL;
}

/* Splits @line, in place, as a shell would what %q has written.  Return: the
 * number of words, 0 if %q writes no such thing of plain words. */
static size_t split(char *line, char **words)
{
	size_t n = 0;
	char *to = line;

	for (const char *c = line; *c;) {
		if (*c == ' ') {
			c++;
			continue;
		}
		if (n == MAX_WORDS)
			return 0;
		words[n++] = to;
		for (; *c && *c != ' '; c++) {
			if (*c == '\\')
				c++;
			else if (!strchr(LETTERS "/_.,:=@%+-", *c))
				return 0;
			if (!isprint((unsigned char)*c))
				return 0;
			*to++ = *c;
		}
		/* The blank behind it has been read. */
		c += *c == ' ';
		*to++ = '\0';
	}
	return n;
}

/* @command with @name and its value, or NULL. */
static const char *with(const char *command, const char *name,
			const char *value)
{
	const char *longer = NULL;

	for (size_t i = 0; i < sizeof(options) / sizeof(*options); i++) {
		if (strcmp(name, options[i].name) != 0)
			continue;
		if (!options[i].made_of) {
			longer = command;
		} else if (made_of(value, options[i].made_of)) {
			longer = text_format("%s %s %s", command, name,
					     again_word(value));
		}
	}
	return longer;
}

const char *again_run(const char *recorded)
{
	/* One more for each word's end. */
	char *line = text_format("%s ", recorded), *words[MAX_WORDS];
	const size_t n = split(line, words);
	const char *command = NULL;
	const char *name = NULL;

	if (n % 2) {
		name = strrchr(words[0], '/');
		name = name ? name + 1 : words[0];
	}
	if (name &&
	    (!strcmp(name, "run-all") || !strcmp(name, "oscost-run-all")))
		command = "scripts/run-all";
	for (size_t i = 1; command && i < n; i += 2)
		command = with(command, words[i], words[i + 1]);
	return command;
}
