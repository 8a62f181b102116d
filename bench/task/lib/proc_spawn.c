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
static int by_vfork(char *const argv[])
{
	/* NOLINTNEXTLINE(clang-analyzer-*): go_on() is inlined, no call. */
	return go_on(vfork(), argv);
}

/* The system call of fork(), without libc's work around it. */
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

/* The shell gets $0 and not the path itself, which may have a space in it. */
#define WAYS(X)                                   \
	X("fork", by_fork(NULL))                  \
	X("vfork", by_vfork(NULL))                \
	X("clone3", by_clone3())                  \
	X("first_instruction", -ENOSYS)           \
	X("fork_exec", by_fork(program))          \
	X("vfork_exec", by_vfork(program))        \
	X("posix_spawn", by_posix_spawn(program)) \
	X("fork_sh", by_fork(shell))

#define WAY_NAME(name, call) name,
const char *const proc_ways[PROC_WAYS] = { WAYS(WAY_NAME) };

/* Return: the status, or -errno. */
static int spawn(int way, char *path)
{
	char *const program[] = { path, NULL };
	char *const shell[] = { "/bin/sh", "-c", "\"$0\"", path, NULL };
	int at = 0;

#define WAY_CALL(name, call) \
	if (way == at++)     \
		return call;
	WAYS(WAY_CALL)
	return -ENOSYS;
}

/*
 * The end of the interval is read by both, each after its own return from
 * fork.  The child leaves its reading in shared memory: storing it there comes
 * after the reading, so its cost is in no interval.
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

void proc_make(struct proc *s, int way, enum timer_method method)
{
	if (way == PROC_FIRST)
		s->status = first(s, method);
	else
		TIMER_INTERVAL(method, s->ticks,
			       s->status = spawn(way, s->program))
}
