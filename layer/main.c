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

struct settings {
	bool list, prove, help, version;
};

static const struct opt options[] = {
	OPT_FLAG('l', "list", settings, list,
		 "print the table of layers and exit, flag"),
	OPT_FLAG('p', "prove", settings, prove,
		 "print what shows that it is in force; needs no command, "
		 "flag"),
	OPT_FLAG('h', "help", settings, help, "print this and exit, flag"),
	OPT_FLAG('V', "version", settings, version,
		 "print the version and exit, flag"),
	OPT_END,
};

static void usage(const struct opt_set *sets)
{
	puts("usage: under LAYER -- COMMAND [ARGUMENT]...\n"
	     "       under --prove LAYER\n"
	     "       under --list\n"
	     "\n"
	     "under - run a command under a sandbox, a tracer, a probe\n"
	     "\n"
	     "It puts itself under the layer, sees that it is in force, and\n"
	     "executes the command in its place.  Some wait for the command\n"
	     "instead.  scripts/under has more layers, and several at once.\n");
	opts_help(stdout, sets);
	puts("\nExit status: the command's (128 + N if signal N ended it);\n"
	     "1 not in force, 2 usage, 77 not to be had here, 126 or 127 if\n"
	     "the command cannot be run.");
}

static void list(void)
{
	for (const struct layer *l = layers; l->name; l++) {
		char range[64] = "", name[64];
		const bool n = l->least != l->most;

		snprintf(name, sizeof(name), "%s%s", l->name, n ? "=N" : "");
		if (n)
			snprintf(range, sizeof(range), "; N: %ld to %ld",
				 l->least, l->most);
		printf("%-15s %s (needs %s%s)\n", name, l->about, l->needs,
		       range);
	}
}

/* Whether @text is layer @l, with its number. */
static bool is_layer(const struct layer *l, const char *text, long *n)
{
	const size_t len = strlen(l->name);
	char *end;

	*n = l->least;
	if (l->least == l->most)
		return !strcmp(text, l->name);
	if (strncmp(text, l->name, len) != 0 || text[len] != '=')
		return false;
	errno = 0;
	*n = strtol(text + len + 1, &end, 10);
	return end != text + len + 1 && !*end && !errno && *n >= l->least &&
	       *n <= l->most;
}

static int put_under(const char *text, bool tell)
{
	char how[HOW_MAX] = "";
	const struct layer *l = layers;
	long n = 0;
	int err;

	while (l->name && !is_layer(l, text, &n))
		l++;
	if (!l->name) {
		warn("no layer, or no value of it: '%s'; see --list", text);
		return EXIT_USAGE;
	}
	err = l->apply(l, n);
	if (err) {
		warn("skipped: %s: %s; needs %s", text, strerror(-err),
		     l->needs);
		return EXIT_SKIP;
	}
	if (!l->prove(l, n, how)) {
		warn("%s is not in force: %s", text, how);
		return EXIT_FAIL;
	}
	if (tell && (printf("%s: %s\n", text, how) < 0 || fflush(stdout))) {
		warn("standard output: %s", strerror(errno));
		return EXIT_FAIL;
	}
	return EXIT_OK;
}

static int run(char **operands, size_t n, bool tell)
{
	int status;

	if (!n || (n < 2 && !tell)) {
		warn("%s; try --help", n ? "no command" : "no layer");
		return EXIT_USAGE;
	}
	status = put_under(operands[0], tell);
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
