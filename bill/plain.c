/* SPDX-License-Identifier: MIT */
/* Starting a command, and its run without a tracer. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include "deadline.h"
#include "err.h"
#include "sysfile.h"
#include "trace.h"

int status_of(int status)
{
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status)
				   : WEXITSTATUS(status);
}

pid_t command_start(struct profile *p, char **command, int *go)
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

static volatile sig_atomic_t orphaned;

/* Processes that are left become ours, child by child. */
static void kill_children(void)
{
	char list[4096], *at = list;

	sysfile_line(list, sizeof(list), "/proc/self/task/%d/children",
		     (int)getpid());
	for (long pid; (pid = strtol(at, &at, 10)) > 0;)
		kill((pid_t)pid, SIGKILL);
}

/* Here, for it may come just before a waitpid() that lasts. */
static void on_term(int sig)
{
	orphaned = 1;
	kill_children();
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
 * it is killed they are, too.  Return: whether the command came to its end. */
static bool run(struct profile *p, char **command, pid_t parent)
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
	if (orphaned || getppid() != parent || first < 0)
		return false;
	begin = clock_now_ns(CLOCK_MONOTONIC);
	close(go);
	while ((pid = waitpid(-1, &status, 0)) > 0 || errno == EINTR) {
		if (orphaned)
			kill_children();
		else if (pid == first)
			r->status = status_of(status);
	}
	r->wall_ns = clock_now_ns(CLOCK_MONOTONIC) - begin;
	getrusage(RUSAGE_CHILDREN, &r->usage);
	r->usage.ru_minflt -= p->faults_before;
	return !orphaned;
}

bool plain_run(struct profile *p, char **command)
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
		_exit(!run(p, command, self));
	}
	close(drain[1]);
	while (read(drain[0], bytes, sizeof(bytes)) > 0)
		;
	waitpid(runner, &status, 0);
	close(drain[0]);
	return !status;
}
