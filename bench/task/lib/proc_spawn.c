/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <linux/sched.h>
#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "proc_spawn.h"

#define EXEC_FAILED 127 /* as the shell says it */

/* Not the caller's environment: its size is random by design, and a dynamic
 * linker would obey some of it. */
static char *const fixed_environment[] = { "PATH=/usr/bin:/bin", NULL };

int proc_reap(pid_t pid)
{
	int status;
	pid_t got;

	do
		got = waitpid(pid, &status, 0);
	while (got < 0 && errno == EINTR);
	if (got != pid)
		return got < 0 ? -errno : -ECHILD;
	if (WIFEXITED(status))
		return WEXITSTATUS(status);
	return 128 + (WIFSIGNALED(status) ? WTERMSIG(status) : 0);
}

/* Behind fork() or vfork(): @argv is what the child executes; NULL: it only
 * ends. */
static inline __attribute__((always_inline)) int go_on(pid_t pid,
						       char *const argv[])
{
	if (pid == 0 && argv)
		execve(argv[0], argv, fixed_environment);
	if (pid == 0)
		_exit(argv ? EXEC_FAILED : 0);
	return pid < 0 ? -errno : proc_reap(pid);
}

static int by_fork(char *const argv[])
{
	return go_on(fork(), argv);
}

/* The child borrows the parent's memory and stops the parent until it ends: it
 * may do nothing but _exit or exec. */
int proc_vfork(char *const argv[])
{
	/* NOLINTNEXTLINE(clang-analyzer-*): go_on() is inlined, no call. */
	return go_on(vfork(), argv);
}

/* What fork() asks of the kernel, without what libc does around it. */
static int by_clone3(void)
{
	struct clone_args args = { .exit_signal = SIGCHLD };
	const long pid = syscall(SYS_clone3, &args, sizeof(args));

	if (pid == 0)
		syscall(SYS_exit_group, 0);
	return pid < 0 ? -errno : proc_reap((pid_t)pid);
}

static int by_posix_spawn(char *const argv[])
{
	pid_t pid;
	const int err =
		posix_spawn(&pid, argv[0], NULL, NULL, argv, fixed_environment);

	return err ? -err : proc_reap(pid);
}

/*
 * The end of the interval is read by both, each after its own return from
 * fork.  The child leaves its reading in shared memory: storing it there comes
 * after the reading, so what it costs is in nobody's interval.
 */
static int first(struct proc *s, enum timer_method method)
{
	uint64_t begin, end;
	pid_t pid;
	int status;

	*s->child_end = 0;
	begin = timer_begin(method);
	pid = fork();
	end = timer_end(method);
	if (pid == 0) {
		*s->child_end = end;
		_exit(0);
	}
	if (pid < 0)
		return -errno;
	status = proc_reap(pid);
	s->in_parent = end - begin;
	s->in_child = *s->child_end - begin;
	return !status && !*s->child_end ? -EIO : status;
}

/* The shell's $0 and not the path itself, which may have a space in it. */
#define CALL_LOCALS                                                   \
	struct proc *const s CALL_LOCAL = state;                      \
	char *const program[] CALL_LOCAL = { s->program, NULL };      \
	char *const shell[] CALL_LOCAL = { "/bin/sh", "-c", "\"$0\"", \
					   s->program, NULL };
#define ENDED(status_) ((s->status = (status_)) >= 0)
#define CALLS(X)                                              \
	X(EVENT, fork, ENDED(by_fork(NULL)))                  \
	X(EVENT, vfork, ENDED(proc_vfork(NULL)))              \
	X(EVENT, clone3, ENDED(by_clone3()))                  \
	X(EVENT, first_instruction, ENDED(first(s, method)))  \
	X(EVENT, fork_exec, ENDED(by_fork(program)))          \
	X(EVENT, vfork_exec, ENDED(proc_vfork(program)))      \
	X(EVENT, posix_spawn, ENDED(by_posix_spawn(program))) \
	X(EVENT, fork_sh, ENDED(by_fork(shell)))
CALL_FUNCTIONS(CALLS)
const struct call proc_calls[] = CALL_ROWS(CALLS);
