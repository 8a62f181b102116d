/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "layer.h"

#ifndef PR_SCHED_CORE
#define PR_SCHED_CORE	     62
#define PR_SCHED_CORE_GET    0
#define PR_SCHED_CORE_CREATE 1
#endif

#define WHOLE_PROCESS 1 /* enum pid_type: its threads */

static int thp_apply(const struct layer *l, long n)
{
	return prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0) ? -errno : 0;
}

static bool thp_prove(const struct layer *l, long n, char how[HOW_MAX])
{
	const int seen = prctl(PR_GET_THP_DISABLE, 0, 0, 0, 0);

	snprintf(how, HOW_MAX, "prctl(PR_GET_THP_DISABLE) gives %d", seen);
	return seen == 1;
}

static int cookie_apply(const struct layer *l, long n)
{
	return prctl(PR_SCHED_CORE, PR_SCHED_CORE_CREATE, 0, WHOLE_PROCESS, 0)
		       ? -errno
		       : 0;
}

static bool cookie_prove(const struct layer *l, long n, char how[HOW_MAX])
{
	uint64_t cookie = 0;

	prctl(PR_SCHED_CORE, PR_SCHED_CORE_GET, 0, 0, &cookie);
	snprintf(how, HOW_MAX, "prctl(PR_SCHED_CORE_GET): %s cookie",
		 cookie ? "a" : "no");
	return cookie != 0;
}

static char outside[64]; /* the PID namespace before */

static void read_space(char id[64])
{
	const ssize_t len = readlink("/proc/self/ns/pid", id, 63);

	id[len < 0 ? 0 : len] = '\0';
}

/* Its first process stays to reap; the next goes on. */
static int pidns_apply(const struct layer *l, long n)
{
	int err;

	read_space(outside);
	if (unshare(CLONE_NEWPID | CLONE_NEWNS) ||
	    mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL))
		return -errno;
	err = stay();
	if (!err && mount("proc", "/proc", "proc",
			  MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL))
		err = -errno;
	return err ? err : stay();
}

static bool pidns_prove(const struct layer *l, long n, char how[HOW_MAX])
{
	char now[64];

	read_space(now);
	snprintf(how, HOW_MAX, "/proc/self/ns: %s was %s", now,
		 outside + strcspn(outside, "["));
	return now[0] && strcmp(now, outside) != 0;
}

/* clang-format off */
const struct layer layers[] = {
	{ "tracepoint", 0, 0, "root and Linux 5.2", "each system call of the machine counted at its tracepoint",
	  TRACED_TRACEPOINT, traced_apply, traced_prove },
	{ "kprobe", 0, 0, "root and CONFIG_KPROBE_EVENTS", "the kernel's getppid counted by a probe",
	  TRACED_KPROBE, traced_apply, traced_prove },
	{ "uprobe", 0, 0, "root and CONFIG_UPROBE_EVENTS", "libc's getppid counted by a probe",
	  TRACED_UPROBE, traced_apply, traced_prove },
	{ "ptrace", 0, 0, "that tracing is allowed",
	  "each system call stops twice for a tracer, which lets it go on",
	  0, ptrace_apply, ptrace_prove },
	{ "pidns", 0, 0, "root, or userns", "a PID namespace with its /proc, in a mount namespace",
	  0, pidns_apply, pidns_prove },
	{ "thp=never", 0, 0, "Linux 3.15", "no transparent huge pages",
	  0, thp_apply, thp_prove },
	{ "core-cookie", 0, 0, "CONFIG_SCHED_CORE and SMT", "a core scheduling cookie of its own",
	  0, cookie_apply, cookie_prove },
	{ "landlock", 0, 0, "CONFIG_SECURITY_LANDLOCK", "Landlock: one rule, on /, that allows files, directories and links",
	  0, landlock_apply, landlock_prove },
	{ "seccomp", 1, 2000, "CONFIG_SECCOMP_FILTER", "a filter of N rules that look at the call's number",
	  SECCOMP_BY_NUMBER, seccomp_apply, seccomp_prove },
	{ "seccomp-arg", 1, 2000, "CONFIG_SECCOMP_FILTER", "a filter of N rules that look at its first argument",
	  SECCOMP_BY_ARGUMENT, seccomp_apply, seccomp_prove },
	{ "seccomp=docker", 0, 0, "CONFIG_SECCOMP_FILTER", "a list of what is allowed, as container runtimes have it",
	  SECCOMP_DOCKER, seccomp_apply, seccomp_prove },
	{ 0 },
};
/* clang-format on */
