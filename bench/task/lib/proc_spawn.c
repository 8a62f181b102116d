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

const char *proc_op_name(enum proc_op op)
{
	static const char *const names[] = {
		[PROC_FORK] = "fork",
		[PROC_VFORK] = "vfork",
		[PROC_CLONE3] = "clone3",
		[PROC_FORK_EXEC] = "fork_exec",
		[PROC_VFORK_EXEC] = "vfork_exec",
		[PROC_POSIX_SPAWN] = "posix_spawn",
		[PROC_FORK_SH] = "fork_sh",
		[PROC_FIRST] = "first_instruction",
	};

	return names[op];
}

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

/* @argv: what the child executes; NULL: it only ends. */
static int by_fork(char *const argv[])
{
	const pid_t pid = fork();

	if (pid == 0 && argv)
		execve(argv[0], argv, fixed_environment);
	if (pid == 0)
		_exit(argv ? EXEC_FAILED : 0);
	return pid < 0 ? -errno : proc_reap(pid);
}

/* The child borrows the parent's memory and stops the parent until it ends: it
 * may do nothing but _exit or exec. */
int proc_vfork(char *const argv[])
{
	/* NOLINTNEXTLINE(clang-analyzer-security.insecureAPI.vfork) */
	const pid_t pid = vfork();

	if (pid == 0 && argv)
		execve(argv[0], argv, fixed_environment);
	if (pid == 0)
		_exit(argv ? EXEC_FAILED : 0);
	return pid < 0 ? -errno : proc_reap(pid);
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

/* Return: the status, or -errno. */
static int spawn(enum proc_op op, const char *program)
{
	char *const argv[] = { (char *)program, NULL };
	/* $0 and not the path itself, which may have a space in it. */
	char *const shell[] = { "/bin/sh", "-c", "\"$0\"", (char *)program,
				NULL };

	switch (op) {
	case PROC_FORK:
		return by_fork(NULL);
	case PROC_VFORK:
		return proc_vfork(NULL);
	case PROC_CLONE3:
		return by_clone3();
	case PROC_FORK_EXEC:
		return by_fork(argv);
	case PROC_VFORK_EXEC:
		return proc_vfork(argv);
	case PROC_POSIX_SPAWN:
		return by_posix_spawn(argv);
	case PROC_FORK_SH:
		return by_fork(shell);
	default:
		return -EINVAL;
	}
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
