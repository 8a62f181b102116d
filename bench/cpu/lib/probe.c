/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "arch.h"
#include "probe.h"

enum { CHILD_YES = 0, CHILD_NO = 1, CHILD_CANNOT = 2 };

/* A signal is an expected answer: no core file, no handler of a sanitizer. */
static void expect_signals(void)
{
	const struct rlimit none = { 0, 0 };

	(void)setrlimit(RLIMIT_CORE, &none);
	(void)signal(SIGSEGV, SIG_DFL);
	(void)signal(SIGSYS, SIG_DFL);
}

/* libc's _exit() uses exit_group, which strict mode does not let through. */
static void leave(int status)
{
	for (;;)
		raw_syscall(SYS_exit, status, 0, 0);
}

static int reap(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	return status;
}

/* Strict mode would forbid RDTSC, too, and a sandbox need not have it. */
static int forbid_all(void)
{
	struct sock_filter rules[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog all = { sizeof(rules) / sizeof(*rules), rules };

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &all);
}

/* By SIGKILL in strict mode, by SIGSYS through the filter. */
static bool was_forbidden(int status)
{
	return WTERMSIG(status) == SIGKILL || WTERMSIG(status) == SIGSYS;
}

static int enters_kernel(probe_fn *fn, void *data)
{
	const pid_t pid = fork();
	int status;

	if (pid < 0)
		return -errno;
	if (!pid) {
		expect_signals();
		if (forbid_all() && prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT))
			leave(CHILD_CANNOT);
		fn(data);
		leave(CHILD_NO);
	}
	status = reap(pid);
	if (status < 0)
		return status;
	if (WIFSIGNALED(status))
		return was_forbidden(status)	     ? 1
		       : WTERMSIG(status) == SIGSEGV ? 0 /* RDTSC, see above */
						     : -EFAULT;
	return WEXITSTATUS(status) == CHILD_NO ? 0 : -ENOSYS;
}

const char *probe_vdso(probe_fn *fn, void *data)
{
	const int enters = enters_kernel(fn, data);

	if (!enters)
		return NULL;
	return enters > 0 ? "the vDSO hands this clock to a system call"
			  : "whether the vDSO makes a system call cannot be "
			    "told: prctl(PR_SET_SECCOMP) is refused";
}

const char *probe_int80(void)
{
	const pid_t pid = fork();
	int status;

	if (pid < 0)
		return "no child could be forked to try int 0x80";
	if (!pid) {
		expect_signals();
		_exit(raw_int80(INT80_GETPID, 0, 0, 0, 0) == getpid()
			      ? CHILD_YES
			      : CHILD_NO);
	}
	status = reap(pid);
	if (status < 0)
		return "the child that tried int 0x80 could not be reaped";
	if (WIFSIGNALED(status))
		return "int 0x80 ends in a signal: this kernel has no IA-32 "
		       "emulation, or it is switched off";
	if (WEXITSTATUS(status) != CHILD_YES)
		return "int 0x80 does not answer getpid: IA-32 system calls "
		       "are filtered here";
	return NULL;
}
