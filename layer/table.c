/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include "layer.h"
#include "sysfile.h"

#ifndef PR_SCHED_CORE
#define PR_SCHED_CORE	     62
#define PR_SCHED_CORE_GET    0
#define PR_SCHED_CORE_CREATE 1
#endif

#define WHOLE_PROCESS 1 /* enum pid_type: its threads */

long status_field(const char *name)
{
	return sysfile_number(-1, name, "/proc/self/status");
}

int with_no_new_privs(int install(void *), void *arg)
{
	int err = install(arg);

	if (err != -EACCES && err != -EPERM)
		return err;
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ? -errno : install(arg);
}

static int nnp_apply(const struct layer *l, long n)
{
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ? -errno : 0;
}

static bool nnp_prove(const struct layer *l, long n, char how[HOW_MAX])
{
	const long seen = status_field("NoNewPrivs");

	snprintf(how, HOW_MAX, "/proc/self/status: NoNewPrivs %ld", seen);
	return seen == 1;
}

static int nice_apply(const struct layer *l, long n)
{
	return setpriority(PRIO_PROCESS, 0, (int)n) ? -errno : 0;
}

static bool nice_prove(const struct layer *l, long n, char how[HOW_MAX])
{
	const int seen = getpriority(PRIO_PROCESS, 0);

	snprintf(how, HOW_MAX, "getpriority() gives %d", seen);
	return seen == n;
}

static int policy_apply(const struct layer *l, long n)
{
	const struct sched_param p = { .sched_priority = (int)n };

	return sched_setscheduler(0, l->flag, &p) ? -errno : 0;
}

static bool policy_prove(const struct layer *l, long n, char how[HOW_MAX])
{
	struct sched_param p = { 0 };
	const int policy = sched_getscheduler(0);

	sched_getparam(0, &p);
	snprintf(how, HOW_MAX,
		 "sched_getscheduler() gives policy %d, priority %d", policy,
		 p.sched_priority);
	return policy == l->flag && p.sched_priority == n;
}

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

static int noaslr_apply(const struct layer *l, long n)
{
	const int now = personality(0xffffffff);

	return now < 0 || personality((unsigned int)now | ADDR_NO_RANDOMIZE) < 0
		       ? -errno
		       : 0;
}

static bool noaslr_prove(const struct layer *l, long n, char how[HOW_MAX])
{
	const int seen = personality(0xffffffff);

	snprintf(how, HOW_MAX, "personality() gives 0x%x", (unsigned int)seen);
	return seen >= 0 && (seen & ADDR_NO_RANDOMIZE);
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

#define ALL_SPACES                                                  \
	(CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC | \
	 CLONE_NEWUTS | CLONE_NEWCGROUP)

/* clang-format off */
const struct layer layers[] = {
	{ "cgroup", "N", 1, 32, "a control group that this user may write (root)",
	  "in N control groups, one in the other (version 1: memory and cpu; or 2)",
	  CGROUP_PLAIN, cgroup_apply, cgroup_prove },
	{ "cpu-max", NULL, 1, 1, "a control group that this user may write (root)",
	  "in a control group that may use 1000 CPUs at most: a limit that is far away",
	  CGROUP_CPU_MAX, cgroup_apply, cgroup_prove },
	{ "tracepoint", NULL, 0, 0, "root and Linux 5.2", "each system call of the machine counted at its tracepoint",
	  TRACED_TRACEPOINT, traced_apply, traced_prove },
	{ "kprobe", NULL, 0, 0, "root and CONFIG_KPROBE_EVENTS", "the kernel's getppid counted by a probe",
	  TRACED_KPROBE, traced_apply, traced_prove },
	{ "uprobe", NULL, 0, 0, "root and CONFIG_UPROBE_EVENTS", "libc's getppid counted by a probe",
	  TRACED_UPROBE, traced_apply, traced_prove },
	{ "ptrace", NULL, 0, 0, "that tracing is allowed",
	  "each system call stops twice for a tracer, which lets it go on",
	  0, ptrace_apply, ptrace_prove },
	{ "userns", NULL, 0, 0, "CONFIG_USER_NS", "a user namespace, this user alone in it",
	  CLONE_NEWUSER, space_apply, space_prove },
	{ "mntns", NULL, 0, 0, "root, or userns", "a mount namespace, private",
	  CLONE_NEWNS, space_apply, space_prove },
	{ "pidns", NULL, 0, 0, "root, or userns", "a PID namespace with its /proc, hence mntns too",
	  CLONE_NEWPID | CLONE_NEWNS, space_apply, space_prove },
	{ "netns", NULL, 0, 0, "root, or userns", "a network namespace with a loopback that is up",
	  CLONE_NEWNET, space_apply, space_prove },
	{ "ipcns", NULL, 0, 0, "root, or userns", "an IPC namespace",
	  CLONE_NEWIPC, space_apply, space_prove },
	{ "utsns", NULL, 0, 0, "root, or userns", "a namespace of host names",
	  CLONE_NEWUTS, space_apply, space_prove },
	{ "cgroupns", NULL, 0, 0, "root, or userns", "a namespace of control groups",
	  CLONE_NEWCGROUP, space_apply, space_prove },
	{ "allns", NULL, 0, 0, "root, or userns", "these namespaces, all but userns",
	  ALL_SPACES, space_apply, space_prove },
	{ "nice", "N", -20, 19, "root where N is less than now", "this nice value",
	  0, nice_apply, nice_prove },
	{ "fifo", "N", 1, 99, "root or ulimit -r", "policy SCHED_FIFO with this priority",
	  SCHED_FIFO, policy_apply, policy_prove },
	{ "rr", "N", 1, 99, "root or ulimit -r", "policy SCHED_RR with this priority",
	  SCHED_RR, policy_apply, policy_prove },
	{ "batch", NULL, 0, 0, "Linux 2.6.16", "policy SCHED_BATCH",
	  SCHED_BATCH, policy_apply, policy_prove },
	{ "idle", NULL, 0, 0, "Linux 2.6.23", "policy SCHED_IDLE",
	  SCHED_IDLE, policy_apply, policy_prove },
	{ "thp", "never", 0, 0, "Linux 3.15", "no transparent huge pages",
	  0, thp_apply, thp_prove },
	{ "noaslr", NULL, 0, 0, "personality(2)", "addresses not randomised",
	  0, noaslr_apply, noaslr_prove },
	{ "core-cookie", NULL, 0, 0, "CONFIG_SCHED_CORE and SMT", "a core scheduling cookie of its own",
	  0, cookie_apply, cookie_prove },
	{ "preload", NULL, 0, 0, "liboscost-under.so", "an LD_PRELOAD object that does nothing",
	  0, loaded_apply, loaded_prove },
	{ "mlockall", NULL, 0, 0, "liboscost-under.so, and root or ulimit -l", "all memory locked, of each program executed (by LD_PRELOAD)",
	  0, loaded_apply, loaded_prove },
	{ "sud", NULL, 0, 0, "liboscost-under.so and Linux 5.11, x86 at first", "system call user dispatch, selector ALLOW (by LD_PRELOAD; not in forked children)",
	  0, loaded_apply, loaded_prove },
	{ "nnp", NULL, 0, 0, "Linux 3.5", "no_new_privs",
	  0, nnp_apply, nnp_prove },
	{ "landlock", NULL, 0, 0, "CONFIG_SECURITY_LANDLOCK", "Landlock: one rule, on /, that allows files, directories and links",
	  0, landlock_apply, landlock_prove },
	{ "seccomp", "N", 1, 2000, "CONFIG_SECCOMP_FILTER", "a filter of N rules that look at the call's number",
	  SECCOMP_BY_NUMBER, seccomp_apply, seccomp_prove },
	{ "seccomp-arg", "N", 1, 2000, "CONFIG_SECCOMP_FILTER", "a filter of N rules that look at its first argument",
	  SECCOMP_BY_ARGUMENT, seccomp_apply, seccomp_prove },
	{ "seccomp", "docker", 0, 0, "CONFIG_SECCOMP_FILTER", "a list of what is allowed, as container runtimes have it",
	  SECCOMP_DOCKER, seccomp_apply, seccomp_prove },
	{ 0 },
};
/* clang-format on */
