/* SPDX-License-Identifier: MIT */
/* The process that stays behind: it waits, or traces. */
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "err.h"
#include "layer.h"

static volatile pid_t child;

/* What the terminal sends, the command gets from it, too. */
static void pass_on(int sig, siginfo_t *info, void *context)
{
	const int err = errno;

	if (info->si_code <= 0 && child > 0)
		kill(child, sig);
	errno = err;
}

static int status_of(int status)
{
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* Also of other processes, where we are the first of a PID namespace. */
static int wait_for(pid_t pid)
{
	int status = 0;
	pid_t gone;

	do
		gone = waitpid(-1, &status, 0);
	while (gone != pid && (gone > 0 || errno == EINTR));
	return gone == pid ? status_of(status) : EXIT_FAIL;
}

static void prepare_to_wait(void)
{
	static const int signals[] = { SIGTERM, SIGINT, SIGHUP, SIGQUIT };
	struct sigaction action = { .sa_sigaction = pass_on,
				    .sa_flags = SA_SIGINFO };

	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++)
		sigaction(signals[i], &action, NULL);
}

/* fork(), with a child that does not outlive its parent.  Return: as fork(). */
static pid_t fork_bound(void)
{
	int alive[2];
	pid_t pid;
	char byte;

	fflush(NULL);
	if (pipe(alive))
		return -1;
	pid = fork();
	if (pid < 0) {
		close(alive[0]);
		close(alive[1]);
		return -1;
	}
	if (pid) {
		close(alive[0]);
		child = pid;
		prepare_to_wait();
		/* A parent that is killed before this: end of file. */
		if (write(alive[1], "", 1) < 0)
			kill(pid, SIGKILL);
		close(alive[1]);
		return pid;
	}
	close(alive[1]);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (read(alive[0], &byte, 1) != 1)
		_exit(EXIT_FAIL);
	close(alive[0]);
	return 0;
}

int stay(void (*end)(void))
{
	const pid_t pid = fork_bound();
	int status;

	if (pid <= 0)
		return pid ? -errno : 0;
	status = wait_for(pid);
	if (end)
		end();
	_exit(status);
}

static _Atomic unsigned long *stops; /* shared with the tracer */

#define OPTIONS                                                           \
	(PTRACE_O_EXITKILL | PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEEXEC | \
	 PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE)

static void let_go_on(pid_t pid, int status)
{
	const int sig = WSTOPSIG(status), event = status >> 16;

	if (sig == (SIGTRAP | 0x80))
		atomic_fetch_add_explicit(stops, 1, memory_order_relaxed);
	else if (event == PTRACE_EVENT_STOP && sig != SIGTRAP) {
		/* Stopped as a group: until SIGCONT comes. */
		ptrace(PTRACE_LISTEN, pid, NULL, NULL);
		return;
	} else if (!event) {
		ptrace(PTRACE_SYSCALL, pid, NULL, (long)sig);
		return;
	}
	ptrace(PTRACE_SYSCALL, pid, NULL, 0L);
}

/* Until the command has ended; what it leaves ends with us. */
static int trace(pid_t first)
{
	int status;

	for (;;) {
		const pid_t pid = waitpid(-1, &status, __WALL);

		if (pid < 0 && errno != EINTR)
			return EXIT_FAIL;
		if (pid < 0)
			continue;
		if (WIFSTOPPED(status))
			let_go_on(pid, status);
		else if (pid == first)
			return status_of(status);
	}
}

int ptrace_apply(const struct layer *l, long n)
{
	int go[2], err = 0;
	pid_t pid;

	stops = mmap(NULL, sizeof(*stops), PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (stops == MAP_FAILED || pipe(go))
		return -errno;
	pid = fork_bound();
	if (pid < 0)
		return -errno;
	if (pid) {
		/* Traced before it goes on, or told why not. */
		close(go[0]);
		if (ptrace(PTRACE_SEIZE, pid, NULL, (long)OPTIONS) ||
		    ptrace(PTRACE_INTERRUPT, pid, NULL, NULL))
			err = -errno;
		if (write(go[1], &err, sizeof(err)) < 0)
			err = -EPIPE;
		_exit(err ? wait_for(pid) : trace(pid));
	}
	close(go[1]);
	if (read(go[0], &err, sizeof(err)) != sizeof(err))
		err = -EPIPE;
	close(go[0]);
	return err;
}

bool ptrace_prove(const struct layer *l, long n, char how[HOW_MAX])
{
	const long tracer = status_field("TracerPid");
	const unsigned long before = atomic_load(stops);
	unsigned long seen;

	syscall(SYS_getppid);
	seen = atomic_load(stops) - before;
	snprintf(how, HOW_MAX,
		 "/proc/self/status: TracerPid %ld; a call stopped %lu times",
		 tracer, seen);
	return tracer > 0 && seen == 2;
}
