/* SPDX-License-Identifier: MIT */
/*
 * All programs in one static file.  argv[0] says which, or else the first
 * argument; a program that executes itself again keeps its argv[0].  As the
 * first process of a machine (rdinit=/oscost-static -- syscall --json) it
 * powers the machine off when the program has ended.
 */
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/reboot.h>
#include <unistd.h>

#include "err.h"
#include "stay.h"

#define PROGRAM(function, name) int function(int argc, char **argv);
#include "multicall_programs.h"
#undef PROGRAM

static const struct program {
	const char *name;
	int (*start)(int argc, char **argv);
} programs[] = {
#define PROGRAM(function, name) { name, function },
#include "multicall_programs.h"
#undef PROGRAM
};

#define PROGRAMS (sizeof(programs) / sizeof(programs[0]))

static const struct program *find(const char *name)
{
	for (size_t i = 0; i < PROGRAMS; i++)
		if (!strcmp(programs[i].name, name))
			return &programs[i];
	return NULL;
}

static int usage(FILE *to, int code)
{
	fputs("usage: oscost-static PROGRAM [argument]...\n"
	      "       oscost-static --list\n"
	      "A link to it that has a program's name is that program.\n",
	      to);
	return code;
}

/* A machine has its kernel's threads below process 2 from the start; where
 * another process 1 begins, in a container, there is no second one yet. */
static bool is_init(void)
{
	return getpid() == 1 && !kill(2, 0);
}

/* Only the child returns.  A kernel panics when its first process ends. */
static void stay_as_init(const char *name)
{
	const pid_t pid = fork();

	if (!pid)
		return;
	if (pid < 0)
		warn("cannot fork: %s", strerror(errno));
	else
		warn("%s ended with status %d", name, stay_wait(pid));
	warn("powering off");
	sync();
	reboot(RB_POWER_OFF);
	die(EXIT_FAIL, "cannot power off: %s", strerror(errno));
}

int main(int argc, char **argv)
{
	const struct program *p = argc ? find(basename(argv[0])) : NULL;

	if (is_init())
		stay_as_init(argc > 1 ? argv[1] : argv[0]);
	if (p)
		return p->start(argc, argv);
	if (argc < 2)
		return usage(stderr, EXIT_USAGE);
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))
		return usage(stdout, EXIT_OK);
	if (!strcmp(argv[1], "--list")) {
		for (size_t i = 0; i < PROGRAMS; i++)
			puts(programs[i].name);
		return EXIT_OK;
	}
	p = find(argv[1]);
	if (!p)
		die(EXIT_USAGE, "%s: no such program (try --list)", argv[1]);
	program_invocation_short_name = argv[1];
	return p->start(argc - 1, argv + 1);
}
