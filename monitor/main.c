// SPDX-License-Identifier: MIT
/*
 * cpu_load - what does each core really do while the system says 100 %?
 * (docs/load.md)
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cpu_load.h"
#include "err.h"
#include "grid.h"
#include "opts.h"

#define INTERVAL_MIN_NS 10000000u /* a step of /proc/stat */

/* The widest core can do a tenth of it. */
#define WIDTH_MAX 100

static const struct opt options[] = {
	OPT_STR('i', "interval", settings, interval, "1s",
		"between samples, such as 1s, 100ms; at least 10ms"),
	OPT_STR('d', "duration", settings, duration, NULL,
		"sample for so long (default: until stopped), such as 60s, 5m"),
	OPT_STR('c', "cpus", settings, cpus, NULL,
		"of these CPUs only, list such as 0-3,7"),
	OPT_STR('w', "width", settings, width_text, NULL,
		"most instructions per cycle (default: by the CPU's model), "
		"number"),
	OPT_FLAG(0, "msr", settings, msr,
		 "count through /dev/cpu/N/msr as the paper does, flag"),
	OPT_FLAG(0, "csv", settings, csv, "write CSV, flag"),
	OPT_STR('o', "output", settings, output, NULL,
		"write CSV here, not to standard output, file"),
	OPT_FLAG(0, "version", settings, version,
		 "print the version and exit, flag"),
	OPT_FLAG('h', "help", settings, help, "print this and exit, flag"),
	OPT_END,
};

static void print_help(const struct opt_set *sets)
{
	printf("usage: %s [options] [-- command [argument]...]\n",
	       program_invocation_short_name);
	puts("\ncpu_load - what does each core really do while the system says "
	     "100 %?\n\n"
	     "The operating system calls a core loaded while something runs on "
	     "it, also while it\nwaits for memory.  This shows beside that how "
	     "many instructions the core retired\nof those that it could have: "
	     "instructions / (cycles x most per cycle), for each\nCPU; until "
	     "stopped, for a duration, or while a command runs.\n\n"
	     "On a terminal it shows a live table, elsewhere it writes CSV, "
	     "with a command only\nthe summary, unless --csv or --output is "
	     "given.  An unknown figure is an empty field.\n");
	opts_help(stdout, sets);
	puts("\nExit status: 0 sampled (also where counters are unknown), 1 "
	     "failed, 2 usage; that of the command, if there is one, or its "
	     "death by a signal; 126 or 127 if it cannot be run.");
}

static double read_width(const char *text)
{
	double width;
	char *end;

	if (!text)
		return 0;
	errno = 0;
	width = strtod(text, &end);
	if (errno || end == text || *end || !(width > 0) || width > WIDTH_MAX)
		die(EXIT_USAGE,
		    "--width %s: not a number over 0 and up to %d (try --help)",
		    text, WIDTH_MAX);
	return width;
}

static uint64_t read_time(const char *option, const char *text)
{
	uint64_t ns = 0;

	if (text && (duration_parse(text, &ns) || ns < INTERVAL_MIN_NS))
		die(EXIT_USAGE,
		    "--%s %s: not a time of 10ms or more (try --help)", option,
		    text);
	return ns;
}

static void choose_outputs(struct settings *set)
{
	const bool terminal = isatty(STDOUT_FILENO);

	set->rows = set->csv || set->output || (!terminal && !set->command);
	set->screen = terminal && !set->command && (!set->rows || set->output);
}

/* Return: whether there is anything to sample. */
static bool parse(struct settings *set, int argc, char **argv)
{
	const struct opt_set sets[] = {
		{ "Options", options, set },
		{ NULL, NULL, NULL },
	};
	const char *why;
	int own = 1, parsed;

	/* "--" parts our options from the command, whose options are its own.
	 */
	while (own < argc && strcmp(argv[own], "--") != 0)
		own++;
	set->command = own < argc ? argv + own + 1 : NULL;
	parsed = opts_parse(own, argv, sets, &why);
	if (parsed < 0)
		die(EXIT_USAGE, "%s (try --help)", why);
	if (set->help)
		print_help(sets);
	else if (set->version)
		puts("cpu_load (oscost " OSCOST_VERSION ")");
	if (set->help || set->version)
		return false;
	if (parsed < own)
		die(EXIT_USAGE, "%s: write -- before the command (try --help)",
		    argv[parsed]);
	if (set->command && !set->command[0])
		die(EXIT_USAGE, "there is no command behind -- (try --help)");
	set->interval_ns = read_time("interval", set->interval);
	set->duration_ns = read_time("duration", set->duration);
	set->width = read_width(set->width_text);
	if (set->command && set->duration)
		die(EXIT_USAGE, "a command ends by itself: no --duration with "
				"it (try --help)");
	choose_outputs(set);
	return true;
}

int main(int argc, char **argv)
{
	struct settings set = { 0 };

	if (parse(&set, argc, argv))
		return sampler_run(&set);
	return flush_stdout();
}
