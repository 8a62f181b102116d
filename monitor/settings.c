// SPDX-License-Identifier: MIT
#include "settings.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
	OPT_U64('p', "pid", settings, pid, NULL, 1, INT32_MAX,
		"of this process with its threads, not of the machine, number"),
	OPT_STR('g', "cgroup", settings, cgroup, NULL,
		"of this cgroup: a directory or the group's path, text"),
	OPT_STR('c', "cpus", settings, cpus, NULL,
		"of these CPUs only, list such as 0-3,7"),
	OPT_STR('w', "width", settings, width_text, NULL,
		"most instructions per cycle (default: by the CPU's model), "
		"number"),
	OPT_STR('s', "source", settings, source, "stat",
		"of the system's load: stat (/proc/stat, steps of 10 ms) or "
		"switches (every context switch, exact), name"),
	OPT_FLAG(0, "msr", settings, msr,
		 "count through /dev/cpu/N/msr as the paper does, flag"),
	OPT_U64(0, "priority", settings, priority, NULL, 0, 99,
		"run as SCHED_FIFO, so that a busy machine does not make it "
		"late (default: 1 if permitted; 0: as it was started), number"),
	OPT_FLAG('j', "json", settings, json, "write JSON Lines, flag"),
	OPT_FLAG(0, "csv", settings, csv, "write CSV, flag"),
	OPT_STR('o', "output", settings, output, NULL,
		"write CSV or JSON here, not to standard output, file"),
	OPT_STR(0, "replay", settings, replay, NULL,
		"read a recording (see docs/cpu_load.md), directory"),
	OPT_FLAG(0, "version", settings, version,
		 "print the version and exit, flag"),
	OPT_FLAG('h', "help", settings, help, "print this and exit, flag"),
	OPT_END,
};

static void print_help(const struct opt_set *sets)
{
	puts("usage: cpu_load [options] [-- command [argument]...]\n\n"
	     "cpu_load - what does each core really do while the system says "
	     "100 %?\n\n"
	     "The operating system calls a core loaded while something runs on "
	     "it, also while it\nwaits for memory.  This shows beside that how "
	     "many instructions the core retired\nof those that it could have: "
	     "instructions / (cycles x most per cycle), for each\nCPU, a "
	     "process or a cgroup; until stopped, for a duration, or while a "
	     "command\nruns.\n\n"
	     "On a terminal it shows a live table, elsewhere it writes CSV, "
	     "with a command only\nthe summary, unless --csv, --json or "
	     "--output is given.  What cannot be known\nis an empty field "
	     "(null in JSON); the reason is said once.\n");
	opts_help(stdout, sets);
	puts("\nExit status: 0 sampled (also where counters are unknown), 1 "
	     "failed, 2 usage; that of the command, if there is one, or its "
	     "death by a signal; 126 or 127 if it cannot be run.");
}

static int refuse(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

static int refuse(const char *fmt, ...)
{
	char text[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	warn("%s (try --help)", text);
	return EXIT_USAGE;
}

static int read_width(struct settings *set)
{
	char *end;

	if (!set->width_text)
		return -1;
	errno = 0;
	set->width = strtod(set->width_text, &end);
	if (errno || end == set->width_text || *end || !(set->width > 0) ||
	    set->width > WIDTH_MAX)
		return refuse("--width %s: not a number over 0 and up to %d",
			      set->width_text, WIDTH_MAX);
	return -1;
}

static int read_times(struct settings *set)
{
	if (duration_parse(set->interval, &set->interval_ns) ||
	    set->interval_ns < INTERVAL_MIN_NS)
		return refuse("--interval %s: not a time of 10ms or more",
			      set->interval);
	if (set->duration &&
	    (duration_parse(set->duration, &set->duration_ns) ||
	     set->duration_ns < INTERVAL_MIN_NS))
		return refuse("--duration %s: not a time of 10ms or more",
			      set->duration);
	return -1;
}

static int check_source(struct settings *set)
{
	set->switches = !strcmp(set->source, "switches");
	if (!set->switches && strcmp(set->source, "stat") != 0)
		return refuse("--source %s: neither stat nor switches",
			      set->source);
	if (set->switches && (set->pid || set->cgroup || set->replay))
		return refuse("--source switches is for the whole machine");
	return -1;
}

static int check_together(const struct settings *set)
{
	if (!!set->pid + !!set->cgroup + !!set->replay > 1)
		return refuse("--pid, --cgroup and --replay exclude each "
			      "other");
	if (set->csv && set->json)
		return refuse("--csv and --json exclude each other");
	if (set->cpus && (set->pid || set->cgroup))
		return refuse("--cpus is for the whole machine");
	if (set->msr && (set->pid || set->cgroup || set->replay))
		return refuse("--msr is for the whole machine");
	if (set->command && (set->duration || set->replay))
		return refuse("a command ends by itself: no --duration and no "
			      "--replay with it");
	return -1;
}

static void choose_outputs(struct settings *set)
{
	const bool terminal = isatty(STDOUT_FILENO);

	if (set->csv || set->json || set->output ||
	    (!terminal && !set->command))
		set->format = set->json ? DATA_JSON : DATA_CSV;
	set->screen = terminal && !set->command && !set->replay &&
		      (set->format == DATA_NONE || set->output);
}

/* "--" parts our options from the command, whose options are its own. */
static int split_command(struct settings *set, int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (!strcmp(argv[i], "--")) {
			set->command = argv + i + 1;
			return i;
		}
	return argc;
}

int settings_parse(struct settings *set, int argc, char **argv)
{
	const struct opt_set sets[] = {
		{ "Options", options, set },
		{ NULL, NULL, NULL },
	};
	static int (*const checks[])(struct settings *) = {
		read_times,
		read_width,
		check_source,
	};
	const char *why;
	int own, parsed, status;

	memset(set, 0, sizeof(*set));
	set->priority = PRIORITY_DEFAULT;
	own = split_command(set, argc, argv);
	parsed = opts_parse(own, argv, sets, &why);
	if (parsed < 0)
		return refuse("%s", why);
	if (set->help || set->version) {
		if (set->help)
			print_help(sets);
		else
			puts("cpu_load (oscost " OSCOST_VERSION ")");
		return fflush(stdout) ? EXIT_FAIL : EXIT_OK;
	}
	if (parsed < own)
		return refuse("%s: write -- before the command", argv[parsed]);
	if (set->command && !set->command[0])
		return refuse("there is no command behind --");
	for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]); i++) {
		status = checks[i](set);
		if (status >= 0)
			return status;
	}
	status = check_together(set);
	if (status < 0)
		choose_outputs(set);
	return status;
}
