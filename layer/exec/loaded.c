/* SPDX-License-Identifier: MIT */
/*
 * Loaded by LD_PRELOAD into what `under` executes: puts each program under
 * those layers that do not outlive execve().
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "loaded.h"

volatile unsigned char oscost_selector;
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

__attribute__((constructor)) static void begin(void)
{
	const char *names = getenv(LOADED_ENV);

	if (!names)
		return;
	if (strstr(names, "mlockall"))
		locked = !mlockall(MCL_CURRENT | MCL_FUTURE);
	if (strstr(names, "sud"))
		prctl(PR_SET_SYSCALL_USER_DISPATCH, DISPATCH_ON, 0, 0,
		      &oscost_selector);
}
