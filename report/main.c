/* SPDX-License-Identifier: MIT */
/*
 * report - results in, tables and plots out; it measures nothing.
 */
#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"
#include "err.h"
#include "leaks.h"
#include "opts.h"
#include "result.h"
#include "text.h"

#define OPT_ROOT                                 \
	OPT_STR(0, "root", settings, root, NULL, \
		"where bench/, plots/ and scripts/ are, path")
#define OPT_OUT                                \
	OPT_STR(0, "out", settings, out, NULL, \
		"write pages (.md, .html) there, path")

static const struct opt root_opts[] = { OPT_ROOT, OPT_END };

static const struct opt make_opts[] = {
	OPT_ROOT,
	OPT_FLAG(0, "no-plots", settings, no_plots, "tables only"),
	OPT_END,
};

static const struct opt compare_opts[] = {
	OPT_STR(0, "threshold", settings, threshold, NULL,
		"exit status 3 if something is slower by more, percent"),
	OPT_STR(0, "floor", settings, floor, NULL,
		"smaller differences do not matter (default 2, or the "
		"threshold if that is less), percent"),
	OPT_STR(0, "aa", settings, aa, NULL,
		"results of `make aa`: what the same shows against itself does "
		"not matter either, paths"),
	OPT_OUT,
	OPT_FLAG(0, "all", settings, all,
		 "print all rows, not only those that differ"),
	OPT_FLAG(0, "same", settings, same,
		 "the sides are the same thing: fail if there are too many "
		 "false alarms"),
	OPT_FLAG(0, "json", settings, json,
		 "print JSON, with the rows that broke the threshold"),
	OPT_END,
};

static const struct opt history_opts[] = {
	OPT_OUT,
	OPT_FLAG(0, "all", settings, all,
		 "print all rows, not only those that differ"),
	OPT_END,
};

static const struct opt export_opts[] = {
	OPT_STR(0, "format", settings, format, "csv",
		"csv, json, or one that contrib/export has a program for, "
		"name"),
	OPT_ROOT,
	OPT_END,
};

static const struct opt due_opts[] = {
	OPT_STR(0, "goal", settings, goal, "1.5",
		"half the width of a 95 % interval, of its value, percent"),
	OPT_U64(0, "left", settings, left, "4294967295", 0, UINT32_MAX,
		"time that may still be spent, ms"),
	OPT_U64(0, "first", settings, first, "6", 1, 1000,
		"rounds after which intervals are looked at first, number"),
	OPT_U64(0, "least", settings, least, "12", 1, 1000,
		"rounds for each program, number"),
	OPT_U64(0, "most", settings, most, "30", 1, 1000,
		"no more rounds than these, number"),
	OPT_FLAG(0, "all", settings, all, "look at all rows, not core rows"),
	OPT_END,
};

static const struct opt coursework_opts[] = {
	OPT_ROOT,
	OPT_STR(0, "template", settings, template, NULL,
		"print the skeleton of the whole report, to be filled in: "
		"latex, name"),
	OPT_END,
};

static const struct opt common_opts[] = {
	OPT_FLAG('h', "help", settings, help, "print this and exit"),
	OPT_FLAG('V', "version", settings, version,
		 "print the version and exit"),
	OPT_END,
};

static bool is_root(const char *root)
{
	return !access(text_format("%s/bench/cpu/rows.tsv", root), R_OK);
}

/* Where bench/ and plots/ are: beside build/, beside the installed bin/, or
 * here. */
static const char *find_root(const char *given)
{
	static const char *const places[] = { "../..", "..",
					      "../share/oscost" };
	char exe[PATH_MAX];
	ssize_t len = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	const char *dir;

	if (given)
		return given;
	if (len > 0) {
		exe[len] = '\0';
		dir = dirname(exe);
		for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
			const char *root = text_format("%s/%s", dir, places[i]);

			if (is_root(root))
				return root;
		}
	}
	return ".";
}

#define MANY 65536

static const struct command {
	const char *name, *operands, *help;
	int least, most; /* operands */
	const struct opt *opts;
	command_fn *run;      /* by its operands, or */
	command_run_fn *with; /* by the run in DIR */
} commands[] = {
	{ "make", " DIR",
	  "write report.md, .html, .csv, .json and plots into DIR", 1, 1,
	  make_opts, .with = run_make },
	{ "card", " DIR", "print the card of a run; write nothing", 1, 1,
	  root_opts, .with = run_card },
	{ "show", " DIR",
	  "print the card, causes of noise and warnings; write nothing", 1, 1,
	  root_opts, .with = run_show },
	{ "coursework", " DIR", "print predicted and measured figures", 1, 1,
	  coursework_opts, .run = command_coursework },
	{ "predictions", " [FILE]",
	  "print a file of predictions to fill in, or check FILE", 0, 1,
	  root_opts, .run = command_predictions },
	{ "compare", " A B [C]...", "compare B, C, ... with A", 2, MANY,
	  compare_opts, .run = command_compare },
	{ "history", " DIR DIR...",
	  "compare runs in order of time with the first", 2, MANY, history_opts,
	  .run = command_history },
	{ "fleet", " DIR",
	  "find the slow nodes among many (oscost fleet made DIR)", 1, 1, NULL,
	  .run = command_fleet },
	{ "due", " DIR", "name the programs of a run's next round", 1, 1,
	  due_opts, .run = command_due },
	{ "failed", " DIR", "print the rows that failed", 1, 1, NULL,
	  .with = run_failed },
	{ "export", " DIR", "print the rows in another format", 1, 1,
	  export_opts, .run = command_export },
};

#define COMMANDS (sizeof(commands) / sizeof(commands[0]))

static const struct command *find_command(const char *name)
{
	for (size_t i = 0; name && i < COMMANDS; i++)
		if (!strcmp(commands[i].name, name))
			return &commands[i];
	return NULL;
}

static const char *command_names(void)
{
	const char *all = commands[0].name;

	for (size_t i = 1; i < COMMANDS; i++)
		all = text_format("%s, %s", all, commands[i].name);
	return all;
}

/* The command before a word: "report", or "oscost" where that started us. */
#define called program_invocation_short_name

static void help_all(const struct opt_set *common)
{
	printf("usage: %s COMMAND [OPTION]... [DIR]...\n\n", called);
	for (size_t i = 0; i < COMMANDS; i++)
		printf("  %s %s%s\n      %s\n", called, commands[i].name,
		       commands[i].operands, commands[i].help);
	for (size_t i = 0; i < COMMANDS; i++) {
		const char *title =
			text_format("Options of %s", commands[i].name);
		const struct opt_set sets[] = {
			{ title, commands[i].opts, NULL },
			{ NULL, NULL, NULL },
		};

		if (commands[i].opts)
			opts_help(stdout, sets);
	}
	opts_help(stdout, common);
}

int main(int argc, char **argv)
{
	struct settings set = { 0 };
	const struct command *c = find_command(argc > 1 ? argv[1] : NULL);
	const struct opt_set sets[] = {
		{ "Options", c ? c->opts : NULL, &set },
		{ "Common options", common_opts, &set },
		{ NULL, NULL, NULL },
	};
	const char *why, *name = c ? c->name : "";
	int first, operands, status;

	signal(SIGXFSZ, SIG_IGN); /* ulimit -f: write() says so */
	result_json_memory();
	if (c) {
		argc--;
		argv++;
	}
	first = opts_parse(argc, argv, sets, &why);
	if (first < 0)
		die(EXIT_USAGE, "%s; try %s%s%s --help", why, called,
		    c ? " " : "", name);
	if (set.help && c) {
		printf("usage: %s %s [OPTION]...%s\n\n%s\n", called, name,
		       c->operands, c->help);
		opts_help(stdout, sets);
	} else if (set.help) {
		help_all(sets + 1);
	} else if (set.version) {
		puts("report " OSCOST_VERSION);
	}
	if (set.help || set.version)
		return flush_stdout();
	if (!c && first < argc)
		die(EXIT_USAGE, "unknown command '%s'%s; try %s --help",
		    argv[first], opts_meant(argv[first], command_names()),
		    called);
	if (!c)
		die(EXIT_USAGE,
		    "expected a command first, such as %s make DIR; "
		    "try %s --help",
		    called, called);
	operands = argc - first;
	if (operands < c->least || operands > c->most)
		die(EXIT_USAGE, "expected %s %s%s; try %s %s --help", called,
		    name, c->operands, called, name);
	set.root = find_root(set.root);
	status = c->run ? c->run(&set, argv + first)
			: command_with_run(&set, argv[first], false, c->with);
	return flush_stdout() && !status ? EXIT_FAIL : status;
}
