/* SPDX-License-Identifier: MIT */
/* machine - what is this machine, and who takes its time? (docs/machine.md) */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "err.h"
#include "guard.h"
#include "machine.h"
#include "noise_look.h"
#include "opts.h"
#include "topo.h"

#define ANY_CPU 65536 /* that --cpu cannot be */

struct settings {
	uint64_t cpu, ms, round;
	const char *timer, *phase;
	bool help, version;
};

static const struct opt describe_opts[] = {
	OPT_STR(0, "timer", settings, timer, NULL,
		"timing method to calibrate, name"),
	OPT_END,
};

static const struct opt noise_opts[] = {
	OPT_U64(0, "ms", settings, ms, "100", 1, 10000,
		"how long to watch each CPU, ms"),
	OPT_STR(0, "phase", settings, phase, "before",
		"before, between or after the rounds, name"),
	OPT_U64(0, "round", settings, round, "0", 0, 1000000,
		"rounds that are over, number"),
	OPT_END,
};

static const struct opt common_opts[] = {
	OPT_U64(0, "cpu", settings, cpu, NULL, 0, ANY_CPU - 1,
		"the CPU that measures (default: the last usable one)"),
	OPT_FLAG('h', "help", settings, help, "print this and exit"),
	OPT_FLAG('V', "version", settings, version,
		 "print the version and exit"),
	OPT_END,
};

static void usage(const struct opt_set *sets)
{
	const char *called = program_invocation_short_name;
	printf("usage: %s [--cpu N] [--timer METHOD]\n"
	       "       %s noise [--cpu N] [--ms N]\n"
	       "       %s kinds\n"
	       "       %s clean-up\n",
	       called, called, called, called);
	puts("\nmachine - what is this machine, and who takes its time?\n\n"
	     "Without a command it describes the machine and its clock as the\n"
	     "machine.json of a run.  noise watches each CPU for gaps and\n"
	     "prints their causes, a line of JSON for each.  kinds prints a\n"
	     "CPU of each kind, the fastest first, and its name.  clean-up\n"
	     "removes what killed programs of this user and of this suite\n"
	     "have left: test files, network namespaces; every program does\n"
	     "so when it starts.\n");
	opts_help(stdout, sets);
}

static int describe(const struct settings *set, int cpu)
{
	const char *why = "unknown";
	json_t *m = machine_describe(cpu, set->timer, &why);

	if (!m)
		die(*why == '-' ? EXIT_USAGE : EXIT_FAIL, "%s", why);
	json_dumpf(m, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(12));
	putchar('\n');
	json_decref(m);
	return EXIT_OK;
}

static int print_kinds(void)
{
	struct topo *topo;
	const int err = topo_open(&topo);
	int cpu;

	if (err) {
		warn("hwloc cannot read the machine: %s", strerror(-err));
		return EXIT_FAIL;
	}
	for (size_t i = 0; (cpu = topo_default_cpu(topo, i)) >= 0; i++)
		printf("%d %s\n", cpu,
		       topo_kind(topo, cpu) ? topo_kind(topo, cpu) : "-");
	topo_close(topo);
	return EXIT_OK;
}

int main(int argc, char **argv)
{
	struct settings set = { .cpu = ANY_CPU };
	const struct opt_set sets[] = {
		{ "Options without a command", describe_opts, &set },
		{ "Options of noise", noise_opts, &set },
		{ "Common options", common_opts, &set },
		{ NULL, NULL, NULL },
	};
	const char *why;
	const int first = opts_parse(argc, argv, sets, &why);
	const int cpu = set.cpu == ANY_CPU ? -1 : (int)set.cpu;
	int status = EXIT_OK;

	signal(SIGXFSZ, SIG_IGN); /* ulimit -f: write() says so */
	if (first < 0)
		die(EXIT_USAGE, "%s; try --help", why);
	if (set.help)
		usage(sets);
	else if (set.version)
		puts("machine (oscost " OSCOST_VERSION ")");
	else if (first == argc)
		status = describe(&set, cpu);
	else if (first + 1 < argc)
		die(EXIT_USAGE, "%s: one command at most; try --help",
		    argv[first + 1]);
	else if (!strcmp(argv[first], "noise"))
		status = noise_look(cpu, (unsigned int)set.ms, set.phase,
				    set.round);
	else if (!strcmp(argv[first], "kinds"))
		status = print_kinds();
	else if (!strcmp(argv[first], "clean-up"))
		status = guard_clean_up() ? EXIT_FAIL : EXIT_OK;
	else
		die(EXIT_USAGE,
		    "%s: no such command; noise, kinds, clean-up or none",
		    argv[first]);
	return flush_stdout() ? EXIT_FAIL : status;
}
