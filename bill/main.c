/* SPDX-License-Identifier: MIT */
/* bill - the operations of the system that a command uses (docs/bill.md). */
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>

#include "bill.h"
#include "deadline.h"
#include "err.h"
#include "guard.h"
#include "opts.h"
#include "stay.h"

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

/* ---- The two runs ------------------------------------------------------- */

/* A process that waits to become the command until *@go is closed.  Return: its
 * PID, or -1 with errno. */
static pid_t command_start(struct profile *p, char **command, int *go)
{
	const pid_t parent = getpid();
	struct rusage usage;
	int ends[2], status;
	char byte;
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC) || (pid = fork()) < 0)
		return -1;
	*go = ends[1];
	close(ends[!pid]);
	if (pid)
		return pid;
	/* The end of the pipe: go on; or the parent has died. */
	if (read(ends[0], &byte, 1) || getppid() != parent)
		_exit(EXIT_FAIL);
	getrusage(RUSAGE_SELF, &usage);
	p->faults_before = usage.ru_minflt;
	execvp(command[0], command);
	status = errno == ENOENT ? 127 : 126;
	warn("%s: %s", command[0], strerror(errno));
	_exit(status);
}

/* The command's output goes to the same kind of thing: a file that has no
 * name, /dev/null, or a pipe that is read and forgotten. */
static void replace_output(int pipe)
{
	for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++) {
		struct stat st = { 0 };
		FILE *f;

		fstat(fd, &st);
		if (S_ISCHR(st.st_mode) && st.st_rdev == makedev(1, 3))
			continue;
		f = S_ISREG(st.st_mode) ? tmpfile() : NULL;
		dup2(f ? fileno(f) : pipe, fd);
		if (f)
			fclose(f);
	}
}

/* Processes that are left become ours, child by child. */
static void on_term(int sig)
{
	guard_reap();
	_exit(EXIT_FAIL);
}

/* Whether the kernel keeps user and system time apart to the microsecond, not
 * by what its ticks meet: then a short process that uses both has both. */
static bool divides_exactly(void)
{
	struct rusage u;

	for (int i = 0; i < 1000; i++)
		getppid();
	return !getrusage(RUSAGE_SELF, &u) && u.ru_utime.tv_usec &&
	       u.ru_stime.tv_usec;
}

/* A process that all others of the command have above them.  If the one above
 * it is killed they are, too. */
static void run(struct profile *p, char **command, pid_t parent)
{
	const struct sigaction action = { .sa_handler = on_term };
	struct run *const r = &p->untraced;
	int status, go;
	int64_t begin;
	pid_t first, pid;

	p->exact = divides_exactly();
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGINT, &action, NULL);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	first = command_start(p, command, &go);
	if (getppid() != parent || first < 0)
		_exit(EXIT_FAIL);
	begin = clock_now_ns(CLOCK_MONOTONIC);
	close(go);
	while ((pid = waitpid(-1, &status, 0)) > 0)
		if (pid == first)
			r->status = stay_status(status);
	r->wall_ns = clock_now_ns(CLOCK_MONOTONIC) - begin;
	getrusage(RUSAGE_CHILDREN, &r->usage);
	r->usage.ru_minflt -= p->faults_before;
	_exit(EXIT_OK);
}

/* Run @command once more, alone and without its output.  Return: whether it
 * came to its end. */
static bool plain_run(struct profile *p, char **command)
{
	static char bytes[1 << 16];
	const pid_t self = getpid();
	int drain[2], status = -1;
	pid_t runner;

	fflush(NULL);
	if (pipe2(drain, O_CLOEXEC) || (runner = fork()) < 0)
		return false;
	if (!runner) {
		if (isatty(STDIN_FILENO))
			dup2(open("/dev/null", O_RDONLY | O_CLOEXEC), 0);
		replace_output(drain[1]);
		run(p, command, self);
	}
	close(drain[1]);
	while (read(drain[0], bytes, sizeof(bytes)) > 0)
		;
	waitpid(runner, &status, 0);
	close(drain[0]);
	return !status;
}

static int prepare(const struct settings *set)
{
	const int status = set->prepare ? system(set->prepare) : 0;

	if (status)
		warn("--prepare failed (status %d)", stay_status(status));
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
	int status, go;
	off_t after;
	pid_t pid;

	if (prepare(set))
		return -1;
	pid = command_start(p, set->command, &go);
	if (pid < 0)
		die(EXIT_FAIL, "%s", strerror(errno));
	p->calls = json_object();
	p->unclassed = json_object();
	status = trace_run(p, pid, go);
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
		profile_classes();
	else if (first == own && *set.command && set.out)
		return count(&set);
	else
		die(EXIT_USAGE, "bill --out FILE -- COMMAND; try --help");
	return flush_stdout();
}
