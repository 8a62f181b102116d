/* SPDX-License-Identifier: MIT */
/*
 * report - results in, tables and plots out; it measures nothing but the
 * machine that it describes: its clock and its noise.
 */
#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"
#include "err.h"
#include "opts.h"
#include "text.h"

struct settings {
	const char *root;
	const char *threshold, *floor, *aa, *out, *format;
	const char *within;
	bool no_plots, all, same, help, version;
};

static const struct opt make_opts[] = {
	OPT_STR(0, "root", settings, root, NULL,
		"where plots/ and scripts/plot are, path"),
	OPT_FLAG(0, "no-plots", settings, no_plots, "tables only"),
	OPT_END,
};

static const struct opt compare_opts[] = {
	OPT_STR(0, "threshold", settings, threshold, NULL,
		"exit status 3 if something is slower by more, percent"),
	OPT_STR(0, "floor", settings, floor, NULL,
		"smaller differences do not matter (default 2, or the "
		"threshold "
		"if that is less), percent"),
	OPT_STR(0, "aa", settings, aa, NULL,
		"results of `make aa`: what the same shows against itself "
		"does not matter either, paths"),
	OPT_STR(0, "out", settings, out, NULL,
		"write pages (.md, .html) there, path"),
	OPT_FLAG(0, "all", settings, all,
		 "print all rows, not only those that differ"),
	OPT_FLAG(0, "same", settings, same,
		 "the sides are the same thing: fail if there are too many "
		 "false alarms"),
	OPT_END,
};

static const struct opt export_opts[] = {
	OPT_STR(0, "format", settings, format, "csv",
		"csv, json, gobench, openmetrics, dashboard or "
		"dashboard-bigger, name"),
	OPT_END,
};

static const struct opt wide_opts[] = {
	OPT_STR(0, "within", settings, within, "2",
		"half the width of a 95 % interval, of its value, percent"),
	OPT_END,
};

static const struct opt common_opts[] = {
	OPT_FLAG('h', "help", settings, help, "print this and exit"),
	OPT_FLAG('V', "version", settings, version,
		 "print the version and exit"),
	OPT_END,
};

static void usage(FILE *f, const struct opt_set *sets)
{
	fputs("usage: report make [--root DIR] [--no-plots] DIR\n"
	      "       report summary DIR\n"
	      "       report coursework DIR\n"
	      "       report lmbench DIR\n"
	      "       report predictions [FILE]\n"
	      "       report compare [OPTION]... A B [C]...\n"
	      "       report history [--out DIR] [--all] DIR...\n"
	      "       report wide [--within PERCENT] DIR\n"
	      "       report failed DIR\n"
	      "       report export --format NAME DIR\n"
	      "\n"
	      "make     from a results directory to report.md, report.html,\n"
	      "         report.tex, report.csv, report.json, plots; prints "
	      "the\n"
	      "         most important rows\n"
	      "summary  print these rows, causes of noise and warnings; "
	      "nothing "
	      "is written\n"
	      "coursework\n"
	      "         print the table of predicted and measured figures\n"
	      "lmbench  print the figures that lmbench's summary has, in its "
	      "groups\n"
	      "predictions\n"
	      "         print a file of predictions to fill in, or check "
	      "FILE\n",
	      f);
	opts_help(f, sets);
}

static bool is_root(const char *root)
{
	char *path = text_format("%s/bench/cpu/rows.tsv", root);
	bool yes = !access(path, R_OK);

	free(path);
	return yes;
}

/* Where bench/ and plots/ are: beside build/, beside the installed bin/, or
 * here. */
static char *find_root(const char *given)
{
	static const char *const places[] = { "../..", "..",
					      "../share/oscost" };
	char exe[PATH_MAX];
	ssize_t len = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	const char *dir;

	if (given)
		return text_copy(given);
	if (len > 0) {
		exe[len] = '\0';
		dir = dirname(exe);
		for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
			char *root = text_format("%s/%s", dir, places[i]);

			if (is_root(root))
				return root;
			free(root);
		}
	}
	return text_copy(".");
}

static int do_make(const struct settings *set, const char *dir)
{
	char *root = find_root(set->root);
	int status = command_make(root, dir, set->no_plots);

	free(root);
	return status;
}

static int with_root(const struct settings *set,
		     int (*command)(const char *root, const char *arg),
		     const char *arg)
{
	char *root = find_root(set->root);
	int status = command(root, arg);

	free(root);
	return status;
}

/* @argv[0] is the command, its operands follow. */
static int dispatch(const struct settings *set, int argc, char **argv)
{
	const char *command = argc ? argv[0] : "";

	if (!strcmp(command, "make") && argc == 2)
		return do_make(set, argv[1]);
	if (!strcmp(command, "summary") && argc == 2)
		return with_root(set, command_summary, argv[1]);
	if (!strcmp(command, "lmbench") && argc == 2)
		return with_root(set, command_lmbench, argv[1]);
	if (!strcmp(command, "coursework") && argc == 2)
		return with_root(set, command_coursework, argv[1]);
	if (!strcmp(command, "predictions") && argc <= 2)
		return with_root(set, command_predictions, argv[1]);
	if (!strcmp(command, "history") && argc >= 2)
		return command_history(set->out, set->all, (size_t)argc - 1,
				       argv + 1);
	if (!strcmp(command, "export") && argc == 2)
		return command_export(set->format, argv[1]);
	if (!strcmp(command, "wide") && argc == 2)
		return command_wide(set->within, argv[1]);
	if (!strcmp(command, "failed") && argc == 2)
		return command_failed(argv[1]);
	if (!strcmp(command, "compare") && argc >= 3)
		return command_compare(
			&(struct compare_options) { set->threshold, set->floor,
						    set->aa, set->out, set->all,
						    set->same },
			(size_t)argc - 1, argv + 1);
	warn("say make DIR, summary DIR, coursework DIR, "
	     "lmbench "
	     "DIR, predictions, compare A B, history DIR..., wide DIR, "
	     "failed DIR or export DIR; try --help");
	return EXIT_USAGE;
}

int main(int argc, char **argv)
{
	struct settings set = { 0 };
	const struct opt_set sets[] = {
		{ "Options of make", make_opts, &set },
		{ "Options of compare and history", compare_opts, &set },
		{ "Options of export", export_opts, &set },
		{ "Options of wide", wide_opts, &set },
		{ "Common options", common_opts, &set },
		{ NULL, NULL, NULL },
	};
	const char *why;
	int first;

	/* Before its options, which report does not have. */
	if (argc > 1 && !strcmp(argv[1], "machine"))
		die(EXIT_USAGE, "the machine is described by a program of its "
				"own; type: build/bin/machine");
	if (argc > 1 && !strcmp(argv[1], "noise"))
		die(EXIT_USAGE, "the noise is watched by a program of its own; "
				"type: build/bin/machine noise");
	first = opts_parse(argc, argv, sets, &why);
	if (first < 0)
		die(EXIT_USAGE, "%s; try --help", why);
	if (set.help) {
		usage(stdout, sets);
		return EXIT_OK;
	}
	if (set.version) {
		puts("report " OSCOST_VERSION);
		return EXIT_OK;
	}
	return dispatch(&set, argc - first, argv + first);
}
