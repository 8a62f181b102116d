/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <linux/sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
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
static int by_clone3(char *const argv[])
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

static const struct {
	const char *name;
	int (*make)(char *const argv[]);
	enum { NOTHING, PROGRAM, SHELL } executes;
} ops[PROC_OPS] = {
	[PROC_FORK] = { "fork", by_fork, NOTHING },
	[PROC_VFORK] = { "vfork", proc_vfork, NOTHING },
	[PROC_CLONE3] = { "clone3", by_clone3, NOTHING },
	[PROC_FORK_EXEC] = { "fork_exec", by_fork, PROGRAM },
	[PROC_VFORK_EXEC] = { "vfork_exec", proc_vfork, PROGRAM },
	[PROC_POSIX_SPAWN] = { "posix_spawn", by_posix_spawn, PROGRAM },
	[PROC_FORK_SH] = { "fork_sh", by_fork, SHELL },
	[PROC_FIRST] = { .name = "first_instruction" },
};

const char *proc_op_name(enum proc_op op)
{
	return ops[op].name;
}

bool proc_executes(enum proc_op op)
{
	return ops[op].executes != NOTHING;
}

/* Return: the status, or -errno. */
static int spawn(enum proc_op op, const char *program)
{
	char *const argv[] = { (char *)program, NULL };
	/* $0 and not the path itself, which may have a space in it. */
	char *const shell[] = { "/bin/sh", "-c", "\"$0\"", (char *)program,
				NULL };
	char *const *const what[] = { NULL, argv, shell };

	return ops[op].make(what[ops[op].executes]);
}

/*
 * The end of the interval is read by both, each after its own return from
 * fork.  The child leaves its reading in shared memory: storing it there comes
 * after the reading, so what it costs is in nobody's interval.
 */
static int first(enum timer_method method, volatile uint64_t *child_end,
		 struct proc_result *r)
{
	uint64_t begin, end;
	pid_t pid;
	int status;

	*child_end = 0;
	begin = timer_begin(method);
	pid = fork();
	end = timer_end(method);
	if (pid == 0) {
		*child_end = end;
		_exit(0);
	}
	if (pid < 0)
		return -errno;
	status = proc_reap(pid);
	r->in_parent = end - begin;
	r->in_child = *child_end - begin;
	return !status && !*child_end ? -EIO : status;
}

void proc_make(enum timer_method method, enum proc_op op, const char *program,
	       volatile uint64_t *child_end, struct proc_result *r)
{
	int status;

	*r = (struct proc_result) { 0 };
	if (op == PROC_FIRST)
		status = first(method, child_end, r);
	else
		TIMER_INTERVAL(method, r->ticks, status = spawn(op, program))
	r->status = status;
}
