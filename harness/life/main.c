/* SPDX-License-Identifier: MIT */
/*
 * The life of every benchmark program.  Started by a user it is the
 * supervisor; started by its supervisor it is one invocation.  This is the one
 * file that knows all the other modules, and that may exit.
 */
#include <alloca.h>
#include <errno.h>
#include <inttypes.h>
#include <libgen.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "alloc.h"
#include "bench.h"
#include "copies.h"
#include "err.h"
#include "guard.h"
#include "io.h"
#include "life.h"
#include "opts.h"
#include "out.h"
#include "result.h"
#include "topo.h"

#define STACK_SPREAD 4096
#define NOT_GIVEN    UINT64_MAX

struct settings {
	struct invocation_plan plan;
	bool json, csv, wide, list, describe, version, help;
};

/* The settings of this process, the program's own state, and the outcome: they
 * live as long as the process. */
static struct settings set;
static void *state;
static struct bench program;

static const struct opt common_opts[] = {
	OPT_LIST('c', "case", settings, plan.globs,
		 "measure only cases that match, glob of the whole name or "
		 "of some of its terms"),
	OPT_FLAG(0, "core", settings, plan.core,
		 "measure only the core rows, those that are quoted, flag"),
	OPT_FLAG('l', "list", settings, list, "list the cases and exit, flag"),
	OPT_U64('n', "rounds", settings, plan.invocations, "6", 1, 10000,
		"fresh processes to measure in, count"),
	OPT_U64(0, "invocations", settings, plan.invocations, NULL, 1, 10000,
		NULL),
	OPT_FLAG(0, "marks", settings, plan.marks, NULL),
	OPT_U64(0, "cpu", settings, plan.cpu, NULL, 0, 65535,
		"CPU to measure on (default: the last usable one of the "
		"fastest kind), the kernel's number"),
	OPT_STR(0, "cpus", settings, plan.cpus, NULL,
		"use these CPUs only, list such as 0-3,7"),
	OPT_STR(0, "copies", settings, plan.copies, NULL,
		"do each operation on so many CPUs at once, numbers or all, "
		"parted by commas: 1,2,4,all"),
	OPT_STR('t', "timer", settings, plan.timer, "auto",
		"timing method: auto, " TIMER_NAMES "or clock, name"),
	OPT_U64('e', "effort", settings, plan.effort, "100", 1, 10000,
		"how many samples to take, percent of the usual"),
	OPT_U64(0, "seed", settings, plan.seed, NULL, 1, INT64_MAX,
		"seed of all random choices (default: random), number"),
	OPT_U64(0, "round", settings, plan.round, NULL, 1, 1000000,
		"number of the round in a run, count"),
	OPT_STR(0, "dir", settings, plan.dir, NULL,
		"where test files may be made (default: here), directory"),
	OPT_FLAG(0, "counters", settings, plan.counters,
		 "count events around the operations, too: instructions, "
		 "cycles, misses, faults, switches, flag"),
	OPT_FLAG('j', "json", settings, json,
		 "write JSON Lines (docs/results-format.md), flag"),
	OPT_FLAG(0, "csv", settings, csv, "write CSV, flag"),
	OPT_FLAG(0, "wide", settings, wide,
		 "print the other figures of each row, too, flag"),
	OPT_FLAG(0, "describe", settings, describe,
		 "write what this program measures as JSON and exit, flag"),
	OPT_FLAG(0, "version", settings, version,
		 "print the version and exit, flag"),
	OPT_FLAG('h', "help", settings, help, "print this and exit, flag"),
	OPT_END,
};

static void help(const struct opt_set *sets)
{
	char open[1024];

	printf("usage: %s [options]\n\n%s", program_invocation_short_name,
	       bench_about);
	opts_help(stdout, sets);
	points_open(bench_desc.open ? bench_desc.open : bench_desc.points, open,
		    sizeof(open));
	if (*open)
		printf("\nOther numbers, asked for with --case 'AXIS=N':\n "
		       "%s\n",
		       open + 1);
	puts("\nExit status: 0 measured, 1 failed, 2 usage, 77 skipped; "
	     "128 + N if stopped by signal N.");
}

/* The program, or copies of it.  Return: as invocation_open(). */
static int open_it(void)
{
	const struct bench_desc *desc = &bench_desc;

	if (set.plan.copies)
		copies_wrap(&desc, &state);
	return invocation_open(&program, desc, state, &set.plan);
}

static void complain(int code)
{
	if (code)
		warn("%s%s%s", code == EXIT_SKIP ? "skipped: " : "",
		     program.verdict.why,
		     code == EXIT_USAGE ? " (try --help)" : "");
}

/* Write the rows to the supervisor.  Return: the exit code. */
static int write_rows(int code)
{
	size_t measured = 0, skipped = 0;
	char first[256] = ""; /* of those that were skipped */
	int worst = code == EXIT_FAIL ? EXIT_BROKEN : code;

	EACH_RUN (&program, run) {
		struct result row;
		char *line;
		int err;

		if (run->verdict.state == CASE_FAILED && run->choice.hidden &&
		    !code) {
			warn("%s: %s", run->c.name, run->verdict.why);
			worst = EXIT_FAIL;
		}
		if (run->verdict.state == CASE_UNSELECTED || run->choice.hidden)
			continue;
		rows_make(&program, run, &row);
		if (row.status == RESULT_FAILED && !code) {
			warn("%s: %s", row.name, row.reason);
			worst = EXIT_FAIL;
		}
		if (row.status == RESULT_SKIPPED && !skipped++)
			snprintf(first, sizeof(first), "%s: %s", row.name,
				 row.reason ? row.reason : "");
		measured += row.status <= RESULT_BELOW_RESOLUTION;
		line = result_line(&row, 17);
		err = io_write(STDOUT_FILENO, line, strlen(line), -1);
		free(line);
		result_free(&row);
		if (err)
			die(EXIT_FAIL, "cannot write: %s", strerror(-err));
	}
	if (!worst && !measured && skipped) {
		warn("skipped: %s", first);
		worst = EXIT_SKIP;
	}
	return worst;
}

static int invoke(void)
{
	int code = open_it();

	if (!code)
		code = invocation_measure(&program);
	complain(code);
	if (code)
		verdict_end_all(&program, code == EXIT_SKIP);
	return code == EXIT_USAGE ? code : write_rows(code);
}

/* Somewhere else on the stack in each invocation (METHOD 7). */
__attribute__((noinline)) static int invoke_deeper(void)
{
	size_t depth = (set.plan.seed >> 12) % STACK_SPREAD / 16 * 16 + 16;
	volatile char *room = alloca(depth);

	room[0] = 0;
	return invoke();
}

static int list_cases(void)
{
	const int code = open_it();

	complain(code);
	EACH_RUN (&program, run)
		if (!code && run->verdict.state != CASE_UNSELECTED &&
		    !run->choice.hidden)
			puts(run->c.name);
	return flush_stdout() ? EXIT_FAIL : code;
}

static int measure(char **argv)
{
	struct timer_features features;
	static struct result *rows;
	const enum out_format format = set.json	  ? OUT_JSON
				       : set.csv  ? OUT_CSV
				       : set.wide ? OUT_WIDE
						  : OUT_TABLE;
	size_t n = 0;
	int code;

	timer_probe(&features);
	if (set.plan.tsc_hz <= 0 && features.invariant)
		set.plan.tsc_hz = timer_tsc_hz(260000000);
#ifndef __OPTIMIZE__
	warn("this build is not optimised: what stands around the measured "
	     "loops takes longer; see CFLAGS");
#endif
	code = supervise_run(argv, &set.plan, &rows, &n);
	if (n)
		out_rows(stdout, format, bench_question, rows, n);
	return flush_stdout() ? EXIT_FAIL : code;
}

#define misuse(fmt, ...) die(EXIT_USAGE, fmt " (try --help)", ##__VA_ARGS__)

static void check(const char *operand, int parsed, const char *why)
{
	static char path[PATH_MAX];
	int err = 0;

	if (parsed < 0)
		misuse("%s", why);
	if (operand)
		misuse("'%s' is no option; rows are chosen by --case '*%s*'",
		       operand, operand);
	if (strcmp(set.plan.timer, "auto") != 0 &&
	    timer_find(set.plan.timer) < 0)
		misuse("--timer %s: not one of auto, " TIMER_NAMES "clock%s",
		       set.plan.timer,
		       opts_meant(set.plan.timer,
				  "auto, " TIMER_NAMES "clock"));
	for (size_t i = 0; i < set.plan.globs.n; i++)
		result_case_today((char *)set.plan.globs.item[i]); /* of argv */
	why = set.plan.cpus ? topo_confine(set.plan.cpus) : NULL;
	if (why)
		misuse("--cpus %s: %s", set.plan.cpus, why);
	if (set.plan.copies && !copies_choose(set.plan.copies))
		misuse("--copies %s: not numbers from 1 to %d and \"all\", "
		       "parted by commas",
		       set.plan.copies, COPIES_MOST);
	if (set.plan.copies && set.plan.counters)
		misuse("--copies and --counters together");
	if (set.json + set.csv + set.wide > 1)
		misuse("only one of --json, --csv and --wide");
	/* Only to try it tells whether files can be made in /proc. */
	if (set.plan.dir)
		err = guard_scratch(set.plan.dir, "try", path, sizeof(path));
	if (err)
		misuse("--dir %s: no file can be made there: %s", set.plan.dir,
		       strerror(-err));
	if (!rmdir(path))
		set.plan.dir = dirname(path); /* after chdir(), too */
	if (!set.plan.seed &&
	    getrandom(&set.plan.seed, sizeof(set.plan.seed), 0) < 0)
		set.plan.seed = (uint64_t)getpid();
	set.plan.seed &= INT64_MAX;
}

int main(int argc, char **argv)
{
	static char **args; /* a process run keeps it */
	struct opt_set sets[] = {
		{ "Options of every program", common_opts, &set },
		{ "Options of this program", bench_desc.opts, NULL },
		{ NULL, NULL, NULL },
	};
	const char *why, *const known = getenv("OSCOST_TSC_HZ");
	const double hz = known ? strtod(known, NULL) : 0;
	int parsed;

	umask(022);		  /* of 0777 a directory would be of no use */
	signal(SIGXFSZ, SIG_IGN); /* ulimit -f: write() says so */
	result_json_memory();
	sets[1].target = state = text_apart(bench_desc.state_size);
	args = text_alloc((size_t)argc + 1, sizeof(*args));
	memcpy(args, argv, (size_t)argc * sizeof(*args));
	set.plan.cpu = set.plan.round = NOT_GIVEN;
	set.plan.guard_fd = -1;
	set.plan.name = bench_name;
	set.plan.share_ms = bench_share_ms;
	set.plan.core_rows = bench_core;
	set.plan.tsc_hz = isfinite(hz) && hz > 0 ? hz : 0;
	parsed = opts_parse(argc, argv, sets, &why);
	if (parsed >= 0 && set.help) {
		help(sets);
		return flush_stdout();
	}
	if (parsed >= 0 && set.version) {
		printf("%s (oscost %s)\n", bench_name, OSCOST_VERSION);
		return flush_stdout();
	}
	check(parsed < 0 ? NULL : argv[parsed], parsed, why);
	if (set.describe)
		printf("{\"name\":\"%s\",%s\n", bench_name, bench_parts);
	else if (set.list)
		return list_cases();
	else
		return supervise_orders(&set.plan) ? invoke_deeper()
						   : measure(args);
	return flush_stdout();
}
