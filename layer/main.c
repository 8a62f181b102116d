/* SPDX-License-Identifier: MIT */
/* under - run a command under a layer (docs/layers.md). */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "err.h"
#include "layer.h"
#include "opts.h"

#define CHOSEN_MAX 64

struct settings {
	bool list, prove, help, version;
};

static const struct opt options[] = {
	OPT_FLAG('l', "list", settings, list,
		 "print the table of layers and exit, flag"),
	OPT_FLAG('p', "prove", settings, prove,
		 "print what shows that they are in force; needs no command, "
		 "flag"),
	OPT_FLAG('h', "help", settings, help, "print this and exit, flag"),
	OPT_FLAG('V', "version", settings, version,
		 "print the version and exit, flag"),
	OPT_END,
};

/* What was typed for each row of layers[]; NULL: not asked for. */
struct choice {
	const char *text;
	long n;
};

static void usage(const struct opt_set *sets)
{
	puts("usage: under LAYER[,LAYER]... -- COMMAND [ARGUMENT]...\n"
	     "       under --prove LAYER[,LAYER]...\n"
	     "       under --list\n"
	     "\n"
	     "under - run a command under a sandbox, a namespace, a tracer "
	     "...\n"
	     "\n"
	     "It puts itself under the layers, in the order of the list, sees\n"
	     "that each is in force, and executes the command in its place.\n"
	     "With cgroup, ptrace and pidns it waits for the command "
	     "instead.\n");
	opts_help(stdout, sets);
	puts("\nExit status: the command's (128 + N if signal N ended it);\n"
	     "1 not in force, 2 usage, 77 not to be had here, 126 or 127 if\n"
	     "the command cannot be run.");
}

static void list(void)
{
	for (const struct layer *l = layers; l->name; l++) {
		char name[64], needs[128];

		snprintf(name, sizeof(name), "%s%s%s", l->name,
			 l->value ? "=" : "", l->value ? l->value : "");
		needs[0] = '\0';
		if (l->least != l->most)
			snprintf(needs, sizeof(needs), "; N: %ld to %ld",
				 l->least, l->most);
		printf("%-15s %s (needs %s%s)\n", name, l->about, l->needs,
		       needs);
	}
}

/* Whether @text is layer @l, with its number; -ERANGE: it has another value. */
static int is_layer(const struct layer *l, const char *text, long *n)
{
	const size_t len = strlen(l->name);
	char *end;

	if (strncmp(text, l->name, len) != 0 || (text[len] && text[len] != '='))
		return 0;
	text += len + (text[len] == '=');
	if (!l->value)
		return !text[-1] || !*text ? text[-1] != '=' : -ERANGE;
	if (strcmp(l->value, "N") != 0)
		return strcmp(text, l->value) ? -ERANGE : 1;
	errno = 0;
	*n = strtol(text, &end, 10);
	return end == text || *end || errno || *n < l->least || *n > l->most
		       ? -ERANGE
		       : 1;
}

/* Return: EXIT_OK or EXIT_USAGE. */
static int choose(struct choice *chosen, char *names)
{
	for (char *text; (text = strsep(&names, ","));) {
		const char *what = "no layer";
		size_t i;
		long n;
		int is = 0;

		for (i = 0; layers[i].name; i++) {
			n = layers[i].least;
			is = is_layer(&layers[i], text, &n);
			if (is == 1)
				break;
			if (is)
				what = "not a value that layer has";
		}
		if (is == 1 && chosen[i].text)
			what = "twice the layer";
		if (is != 1 || chosen[i].text) {
			warn("%s: '%s'; see --list", what, text);
			return EXIT_USAGE;
		}
		chosen[i] = (struct choice) { text, n };
	}
	return EXIT_OK;
}

/* Proved at once: from inside a namespace that comes later, the group or the
 * tracer cannot be seen.  Nothing that comes later takes a layer away. */
static int put_under(const struct layer *l, const struct choice *c, bool tell)
{
	char how[HOW_MAX] = "";
	const int err = l->apply(l, c->n);

	if (err) {
		warn("skipped: %s: %s; needs %s", c->text, strerror(-err),
		     l->needs);
		return EXIT_SKIP;
	}
	if (!l->prove(l, c->n, how)) {
		warn("%s is not in force: %s", c->text, how);
		return EXIT_FAIL;
	}
	if (tell && (printf("%s: %s\n", c->text, how) < 0 || fflush(stdout))) {
		warn("standard output: %s", strerror(errno));
		return EXIT_FAIL;
	}
	return EXIT_OK;
}

static int run(char **operands, size_t n, bool tell)
{
	struct choice chosen[CHOSEN_MAX] = { 0 };
	int status;

	if (!n || (n < 2 && !tell)) {
		warn("%s; try --help", n ? "no command" : "no layer");
		return EXIT_USAGE;
	}
	status = choose(chosen, operands[0]);
	for (size_t i = 0; layers[i].name && status == EXIT_OK; i++)
		if (chosen[i].text)
			status = put_under(&layers[i], &chosen[i], tell);
	if (status != EXIT_OK || n < 2)
		return status;
	execvp(operands[1], operands + 1);
	status = errno == ENOENT ? 127 : 126;
	warn("%s: %s", operands[1], strerror(errno));
	return status;
}

int main(int argc, char **argv)
{
	struct settings set = { 0 };
	const struct opt_set sets[] = {
		{ "Options", options, &set },
		{ NULL, NULL, NULL },
	};
	const char *why;
	int first;

	first = opts_parse(argc, argv, sets, &why);
	if (first < 0)
		die(EXIT_USAGE, "%s; try --help", why);
	if (set.help)
		usage(sets);
	else if (set.version)
		puts("under (oscost " OSCOST_VERSION ")");
	else if (set.list)
		list();
	else
		return run(argv + first, (size_t)(argc - first), set.prove);
	return fflush(stdout) || ferror(stdout) ? EXIT_FAIL : EXIT_OK;
}
