/* SPDX-License-Identifier: MIT */
/* bill - the operations of the system that a command uses (docs/bill.md). */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "err.h"
#include "opts.h"
#include "trace.h"

struct settings {
	bool once, classes, help, version;
	const char *out, *prepare;
	char **command;
};

static const struct opt options[] = {
	OPT_STR('o', "out", settings, out, NULL,
		"write the profile (JSON) here, file"),
	OPT_STR('p', "prepare", settings, prepare, NULL,
		"run this by sh before each run, command"),
	OPT_FLAG('1', "once", settings, once,
		 "leave out the run without the tracer, flag"),
	OPT_FLAG('c', "classes", settings, classes,
		 "print the table of classes and exit, flag"),
	OPT_FLAG('h', "help", settings, help, "print this and exit, flag"),
	OPT_FLAG('V', "version", settings, version,
		 "print the version and exit, flag"),
	OPT_END,
};

static void print_help(const struct opt_set *sets)
{
	printf("usage: %s --out FILE [OPTION]... -- COMMAND [ARGUMENT]...\n\n",
	       program_invocation_short_name);
	puts("Count what a command asks of the system: it runs twice, under a "
	     "tracer that counts\nits calls, page faults, processes and "
	     "signals by class, and without one, for its\ntimes; the output of "
	     "the second run is dropped.  A command that cannot be\nrepeated "
	     "needs --prepare or --once.  FILE has counts and sums by class: "
	     "no paths,\nno contents, no arguments.  oscost bill prints and "
	     "puts costs to it.\n");
	opts_help(stdout, sets);
	puts("\nExit status: the command's (128 + N if signal N ended it); 2 "
	     "usage, or a command\nthat cannot be traced: one that traces "
	     "others, a setuid program; 77 ptrace is not\npermitted here; 126 "
	     "or 127 if the command cannot be run.");
}

static void print_classes(void)
{
	for (int i = 0; i < OPERATIONS_N; i++) {
		const struct operation *o = &operations[i];

		printf("%s\t%s\t%s", o->id, o->name, o->calls);
		for (int j = 0; j < FEATURES_MAX && o->feature[j]; j++)
			printf("%s%s", j ? ", " : "\t",
			       feature_names[o->feature[j]]);
		putchar('\n');
	}
}

static int prepare(const struct settings *set)
{
	const int status = set->prepare ? system(set->prepare) : 0;

	if (status)
		warn("--prepare failed (status %d)", status_of(status));
	return status;
}

/* Why the command cannot be run a second time, with the same input. */
static const char *why_once(const struct settings *set, off_t input)
{
	struct stat st;

	if (set->once)
		return "--once";
	if (!fstat(STDIN_FILENO, &st) &&
	    (S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode)))
		return "standard input is a pipe, which is read once";
	if (input >= 0 && lseek(STDIN_FILENO, input, SEEK_SET) < 0)
		return strerror(errno);
	return NULL;
}

static int run_twice(struct profile *p, const struct settings *set)
{
	const off_t input =
		isatty(STDIN_FILENO) ? -1 : lseek(STDIN_FILENO, 0, SEEK_CUR);
	off_t after;
	int status;

	if (prepare(set))
		return -1;
	status = trace_run(p, set->command);
	if (!p->processes)
		return status; /* refused, or it could not be executed */
	after = lseek(STDIN_FILENO, 0, SEEK_CUR);
	if (!p->no_untraced)
		p->no_untraced = why_once(set, input);
	if (!p->no_untraced && prepare(set))
		p->no_untraced = "--prepare failed";
	if (!p->no_untraced && !plain_run(p, set->command))
		p->no_untraced = "it was interrupted";
	/* Those of its own will are in the calls that waited. */
	p->class[OP_SWITCH].count = (uint64_t)p->untraced.usage.ru_nivcsw;
	/* As the first run left it. */
	if (!p->no_untraced && input >= 0)
		lseek(STDIN_FILENO, after, SEEK_SET);
	return status;
}

static int count(const struct settings *set)
{
	struct profile *p = mmap(NULL, sizeof(*p), PROT_READ | PROT_WRITE,
				 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	FILE *f = fopen(set->out, "we");
	int status, err;

	if (!f || p == MAP_FAILED)
		die(EXIT_USAGE, "%s: %s", set->out, strerror(errno));
	status = run_twice(p, set);
	err = p->processes ? profile_write(p, f) : 0;
	if (err || fclose(f))
		warn("%s: %s", set->out, strerror(err ? -err : errno));
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
	int own = 1, first;

	/* "--" parts our options from the command, whose options are its own.
	 */
	while (own < argc && strcmp(argv[own], "--") != 0)
		own++;
	set.command = argv + own + (own < argc);
	first = opts_parse(own, argv, sets, &why);
	if (first < 0)
		die(EXIT_USAGE, "%s; try --help", why);
	if (set.help)
		print_help(sets);
	else if (set.version)
		puts("bill (oscost " OSCOST_VERSION ")");
	else if (set.classes)
		print_classes();
	else if (first == own && *set.command && set.out)
		return count(&set);
	else
		die(EXIT_USAGE, "bill --out FILE -- COMMAND; try --help");
	return fflush(stdout) || ferror(stdout) ? EXIT_FAIL : EXIT_OK;
}
