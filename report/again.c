/* SPDX-License-Identifier: MIT */
#include "sections.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "text.h"

#define PLAIN                                                            \
	"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789" \
	"/_.,:=@%+-"

/* Options that say what is measured and how; others say where results and
 * programs were. */
#define KEPT                                                           \
	"--profile --rounds --precision --effort --only --cpu --prio " \
	"--timer --dir --seed"
#define LEFT_OUT "--bin --out --resume"

static bool made_of(const char *text, const char *characters)
{
	return *text && !text[strspn(text, characters)];
}

const char *again_word(const char *text)
{
	char *word, *to;

	if (made_of(text, PLAIN))
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

/* @word without the \ before its * and ?, as bash's %q writes them. */
static const char *unescaped(const char *word)
{
	char *plain = text_copy(word), *to = plain;

	for (const char *c = word; *c; c++)
		if (*c != '\\')
			*to++ = *c;
	*to = '\0';
	return plain;
}

const char *again_run(const char *recorded)
{
	const char *rest = recorded, *name = text_split(&rest, ' '), *value;
	const char *command = "oscost run";

	name = strrchr(name, '/') ? strrchr(name, '/') + 1 : name;
	if (!text_glob("run-all oscost-run-all", name))
		return NULL;
	while ((name = text_split(&rest, ' '))) {
		value = text_split(&rest, ' ');
		if (!value || *value == '-' || !made_of(value, PLAIN "*?\\"))
			return NULL;
		if (text_glob(LEFT_OUT, name))
			continue;
		if (!text_glob(KEPT, name))
			return NULL;
		command = text_format("%s %s %s", command, name,
				      again_word(unescaped(value)));
	}
	return command;
}
