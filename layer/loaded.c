/* SPDX-License-Identifier: MIT */
/* Layers that execve() takes away: exec/loaded.c restores them. */
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "err.h"
#include "exec/loaded.h"
#include "layer.h"

static int try_here(const char *name)
{
	static volatile char selector;

	if (!strcmp(name, "mlockall")) {
		if (mlockall(MCL_CURRENT | MCL_FUTURE))
			return -errno;
		munlockall();
	} else if (!strcmp(name, "sud")) {
		if (prctl(PR_SET_SYSCALL_USER_DISPATCH, DISPATCH_ON, 0, 0,
			  &selector))
			return -errno;
		prctl(PR_SET_SYSCALL_USER_DISPATCH, DISPATCH_OFF, 0, 0, 0);
	}
	return 0;
}

/* "@before:@after" into the environment. */
static int lengthen(const char *name, const char *with)
{
	const char *old = getenv(name);
	char text[2 * PATH_MAX];

	if ((size_t)snprintf(text, sizeof(text), "%s%s%s", with,
			     old && *old ? ":" : "",
			     old ? old : "") >= sizeof(text))
		return -ENAMETOOLONG;
	return setenv(name, text, 1) ? -errno : 0;
}

int loaded_apply(const struct layer *l, long n)
{
	static bool done;
	char path[PATH_MAX] = "", object[PATH_MAX + 64];
	char *slash;
	int err = try_here(l->name);

	if (err)
		return err;
	if (readlink("/proc/self/exe", path, sizeof(path) - 1) < 0)
		return -errno;
	slash = strrchr(path, '/');
	*slash = '\0';
	snprintf(object, sizeof(object), "%s/../lib/oscost/liboscost-under.so",
		 path);
	if (access(object, R_OK))
		return -errno;
	if (!done)
		err = lengthen("LD_PRELOAD", object);
	done = true;
	return err ? err : lengthen(LOADED_ENV, l->name);
}

/* Whether a program that is executed now is under it: this one, afresh. */
bool loaded_prove(const struct layer *l, long n, char how[HOW_MAX])
{
	int status = -1;
	const pid_t pid = fork();

	if (!pid) {
		execl("/proc/self/exe", "under", "--loaded", l->name, NULL);
		_exit(EXIT_FAIL);
	}
	if (pid > 0)
		while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
			;
	snprintf(how, HOW_MAX, "a program that was executed has %s%s",
		 status ? "not " : "",
		 !strcmp(l->name, "sud") ? "a call that its selector stops"
		 : !strcmp(l->name, "mlockall") ? "VmLck in /proc/self/status"
						: "the object loaded");
	return !status;
}

static volatile unsigned char *selector;
static volatile sig_atomic_t dispatched;

static void note_call(int sig, siginfo_t *info, void *context)
{
	*selector = SELECTOR_ALLOW; /* the return from here is a call */
	dispatched = info->si_code == DISPATCHED;
}

int loaded_check(const char *name)
{
	struct sigaction action = { .sa_sigaction = note_call,
				    .sa_flags = SA_SIGINFO };

	selector = dlsym(RTLD_DEFAULT, LOADED_SELECTOR);
	if (!selector)
		return EXIT_FAIL;
	if (!strcmp(name, "mlockall"))
		return status_field("VmLck") > 0 ? EXIT_OK : EXIT_FAIL;
	if (strcmp(name, "sud") != 0)
		return EXIT_OK;
	sigaction(SIGSYS, &action, NULL);
	*selector = SELECTOR_BLOCK;
	syscall(SYS_getppid);
	*selector = SELECTOR_ALLOW;
	return dispatched ? EXIT_OK : EXIT_FAIL;
}
