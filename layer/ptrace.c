/* SPDX-License-Identifier: MIT */
/* The process that stays behind traces. */
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "err.h"
#include "layer.h"
#include "sysfile.h"

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
			return stay_status(status);
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
	pid = stay_fork();
	if (pid < 0)
		return -errno;
	if (pid) {
		/* Traced before it goes on, or refused with a reason. */
		close(go[0]);
		if (ptrace(PTRACE_SEIZE, pid, NULL, (long)OPTIONS) ||
		    ptrace(PTRACE_INTERRUPT, pid, NULL, NULL))
			err = -errno;
		if (write(go[1], &err, sizeof(err)) < 0)
			err = -EPIPE;
		_exit(err ? stay_wait(pid) : trace(pid));
	}
	close(go[1]);
	if (read(go[0], &err, sizeof(err)) != sizeof(err))
		err = -EPIPE;
	close(go[0]);
	return err;
}

bool ptrace_prove(const struct layer *l, long n, char how[HOW_MAX])
{
	const int64_t tracer =
		sysfile_number(-1, "TracerPid", "/proc/self/status");
	const unsigned long before = atomic_load(stops);
	unsigned long seen;

	syscall(SYS_getppid);
	seen = atomic_load(stops) - before;
	snprintf(how, HOW_MAX,
		 "/proc/self/status: TracerPid %ld; a call stopped %lu times",
		 (long)tracer, seen);
	return tracer > 0 && seen == 2;
}
