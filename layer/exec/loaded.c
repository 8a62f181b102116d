/* SPDX-License-Identifier: MIT */
/*
 * Loaded by LD_PRELOAD into programs: puts each of them under those layers that
 * do not outlive execve(), which OSCOST_LOADED names.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* They came with Linux 5.11; older headers do not have them. */
#ifndef PR_SET_SYSCALL_USER_DISPATCH
#define PR_SET_SYSCALL_USER_DISPATCH 59
#endif
#define DISPATCH_ON    1
#define SELECTOR_ALLOW 0
#define SELECTOR_BLOCK 1
#define DISPATCHED     2 /* si_code of SIGSYS */

static volatile unsigned char selector;
static volatile sig_atomic_t dispatched;
static int locked;

/* A program that locks some of it would unlock the rest. */
int mlockall(int flags)
{
	return locked ? 0 : (int)syscall(SYS_mlockall, flags);
}

int munlockall(void)
{
	return locked ? 0 : (int)syscall(SYS_munlockall);
}

static void note_call(int sig, siginfo_t *info, void *context)
{
	selector = SELECTOR_ALLOW; /* the return from here is a call */
	dispatched = info->si_code == DISPATCHED;
}

/* Instead of the program: whether the selector stops a call. */
static void check(void)
{
	struct sigaction action = { .sa_sigaction = note_call,
				    .sa_flags = SA_SIGINFO };

	sigaction(SIGSYS, &action, NULL);
	selector = SELECTOR_BLOCK;
	syscall(SYS_getppid);
	selector = SELECTOR_ALLOW;
	_exit(!dispatched);
}

__attribute__((constructor)) static void begin(void)
{
	const char *names = getenv("OSCOST_LOADED");

	if (!names)
		return;
	if (strstr(names, "mlockall"))
		locked = !mlockall(MCL_CURRENT | MCL_FUTURE);
	if (strstr(names, "sud"))
		prctl(PR_SET_SYSCALL_USER_DISPATCH, DISPATCH_ON, 0, 0,
		      &selector);
	if (strstr(names, "check"))
		check();
}
