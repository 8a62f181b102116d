/* SPDX-License-Identifier: MIT */
/* Starting a command, and its run without a tracer. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "err.h"
#include "io.h"
#include "sysfile.h"
#include "trace.h"

uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

int status_of(int status)
{
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status)
				   : WEXITSTATUS(status);
}

static _Noreturn void become(char **command, int go, const int fd[3],
			     uint64_t *faults)
{
	const pid_t parent = getppid();
	struct rusage usage;
	int status;
	char byte;

	/* The end of the pipe: go on; or the parent has died. */
	while (read(go, &byte, 1) < 0 && errno == EINTR)
		;
	if (getppid() != parent)
		_exit(EXIT_FAIL);
	for (int i = 0; i < 3; i++)
		if (fd[i] >= 0)
			dup2(fd[i], i);
	getrusage(RUSAGE_SELF, &usage);
	*faults = (uint64_t)usage.ru_minflt;
	execvp(command[0], command);
	status = errno == ENOENT ? 127 : 126;
	warn("%s: %s", command[0], strerror(errno));
	_exit(status);
}

int command_start(struct started *s, char **command, const int fd[3])
{
	int go[2];

	s->faults = mmap(NULL, sizeof(*s->faults), PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (s->faults == MAP_FAILED || pipe2(go, O_CLOEXEC))
		return -errno;
	s->go = go[1];
	s->pid = fork();
	if (s->pid < 0)
		return -errno;
	if (!s->pid) {
		close(go[1]);
		become(command, go[0], fd, s->faults);
	}
	close(go[0]);
	return 0;
}

/* ---- A place for the output -------------------------------------------- */

/* A pipe that is read and forgotten, or a file that has no name. */
static int open_sink(int like, int *drain)
{
	struct stat st;
	int ends[2];

	*drain = -1;
	if (!fstat(like, &st) && S_ISREG(st.st_mode)) {
		FILE *f = tmpfile();
		const int fd = f ? fcntl(fileno(f), F_DUPFD_CLOEXEC, 3) : -1;

		if (f)
			fclose(f);
		return fd;
	}
	if (pipe2(ends, O_CLOEXEC))
		return -1;
	*drain = ends[0];
	return ends[1];
}

static bool is_same(int a, int b)
{
	struct stat x, y;

	return !fstat(a, &x) && !fstat(b, &y) && x.st_dev == y.st_dev &&
	       x.st_ino == y.st_ino;
}

/* ---- The runner: a process that all others of the command have above them */

static volatile sig_atomic_t orphaned;

static void on_term(int sig)
{
	orphaned = 1;
}

/* What is left becomes ours, child by child. */
static void kill_children(void)
{
	char list[4096], *at;

	while (sysfile_line(list, sizeof(list), "/proc/self/task/%d/children",
			    (int)getpid()) > 0) {
		at = list;
		for (long pid; (pid = strtol(at, &at, 10)) > 0;)
			kill((pid_t)pid, SIGKILL);
		while (waitpid(-1, NULL, WNOHANG) > 0)
			;
	}
}

static _Noreturn void be_runner(char **command, const int fd[3], int result,
				pid_t parent)
{
	struct sigaction action = { .sa_handler = on_term };
	struct rusage usage;
	struct run r = { 0 };
	struct started s = { .go = -1 };
	uint64_t begin;
	int status;
	pid_t pid;

	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGINT, &action, NULL);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent || command_start(&s, command, fd))
		_exit(EXIT_FAIL);
	begin = now_ns();
	close(s.go);
	while ((pid = waitpid(-1, &status, 0)) > 0 || errno == EINTR) {
		if (orphaned)
			kill_children();
		else if (pid == s.pid)
			r.status = (uint64_t)status_of(status);
	}
	if (orphaned)
		_exit(EXIT_FAIL);
	r.wall_ns = now_ns() - begin;
	getrusage(RUSAGE_CHILDREN, &usage);
	r.user_us = (uint64_t)usage.ru_utime.tv_sec * 1000000 +
		    (uint64_t)usage.ru_utime.tv_usec;
	r.system_us = (uint64_t)usage.ru_stime.tv_sec * 1000000 +
		      (uint64_t)usage.ru_stime.tv_usec;
	r.minor_faults = (uint64_t)usage.ru_minflt - *s.faults;
	r.major_faults = (uint64_t)usage.ru_majflt;
	r.own_switches = (uint64_t)usage.ru_nvcsw;
	r.other_switches = (uint64_t)usage.ru_nivcsw;
	_exit(io_write(result, &r, sizeof(r), -1) ? EXIT_FAIL : EXIT_OK);
}

/* Read what the command writes until @result has something. */
static void drain_until(int result, const int drain[2])
{
	static char bytes[1 << 16];
	struct pollfd p[] = { { result, POLLIN, 0 },
			      { drain[0], POLLIN, 0 },
			      { drain[1], POLLIN, 0 } };

	while (poll(p, 3, -1) > 0 || errno == EINTR) {
		for (int i = 1; i < 3; i++)
			if (p[i].revents &&
			    read(p[i].fd, bytes, sizeof(bytes)) <= 0)
				p[i].fd = -1;
		if (p[0].revents)
			return;
	}
}

int plain_run(struct run *r, char **command)
{
	int fd[3] = { -1, -1, -1 }, drain[2] = { -1, -1 }, result[2], err = 0;
	const pid_t self = getpid();
	pid_t runner;

	fflush(NULL);
	if (isatty(STDIN_FILENO))
		fd[0] = open("/dev/null", O_RDONLY | O_CLOEXEC);
	fd[1] = open_sink(STDOUT_FILENO, &drain[0]);
	fd[2] = is_same(STDOUT_FILENO, STDERR_FILENO)
			? fd[1]
			: open_sink(STDERR_FILENO, &drain[1]);
	if (pipe2(result, O_CLOEXEC))
		return -errno;
	runner = fork();
	if (runner < 0)
		return -errno;
	if (!runner) {
		close(result[0]);
		be_runner(command, fd, result[1], self);
	}
	close(result[1]);
	close(fd[1]);
	if (fd[2] != fd[1])
		close(fd[2]);
	drain_until(result[0], drain);
	if (io_read(result[0], r, sizeof(*r), -1) != sizeof(*r))
		err = -EINTR;
	waitpid(runner, NULL, 0);
	close(result[0]);
	close(drain[0]);
	close(drain[1]);
	return err;
}
