/* SPDX-License-Identifier: MIT */
/* Probes and tracepoints that count on all CPUs, as perf and bpftrace attach
 * them: for as long as the process that stays behind has them open. */
#include <errno.h>
#include <limits.h>
#include <linux/mount.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "alloc.h"
#include "arch.h"
#include "layer.h"
#include "sysfile.h"

#define CALLS 100 /* to see that they are counted */

static struct perf_event_attr event = { .size = sizeof(event) };
static int *counters; /* of each CPU */
static size_t n_counters;

/* Where tracefs is not mounted it can be read all the same. */
static int use_tracepoint(struct perf_event_attr *attr)
{
	const int fs = (int)syscall(SYS_fsopen, "tracefs", FSOPEN_CLOEXEC);
	const int dir =
		fs < 0 || syscall(SYS_fsconfig, fs, FSCONFIG_CMD_CREATE, NULL,
				  NULL, 0)
			? -1
			: (int)syscall(SYS_fsmount, fs, FSMOUNT_CLOEXEC, 0);
	const int64_t id =
		dir < 0 ? -1
			: sysfile_number(-1, NULL,
					 "/proc/self/fd/%d/events/raw_syscalls/"
					 "sys_enter/id",
					 dir);

	attr->type = PERF_TYPE_TRACEPOINT;
	attr->config = (uint64_t)id;
	return id < 0 ? -errno : 0;
}

/* The file that has getppid() of this process, and where in it. */
static int find_getppid(char path[PATH_MAX], uint64_t *offset)
{
	const uintptr_t at = (uintptr_t)getppid;
	char *text = sysfile_text("/proc/self/maps"), *rest = text, *line;
	int err = -ENOENT;

	while (err && (line = strsep(&rest, "\n"))) {
		unsigned long from, to, in_file;

		if (sscanf(line, "%lx-%lx %*s %lx %*s %*s /%4094[^\n]", &from,
			   &to, &in_file, path + 1) == 4 &&
		    from <= at && at < to) {
			*path = '/';
			*offset = at - from + in_file;
			err = 0;
		}
	}
	free(text);
	return err;
}

static int count_on_all(void)
{
	const long cpus = sysconf(_SC_NPROCESSORS_CONF);

	counters = text_alloc((size_t)cpus, sizeof(*counters));
	for (int cpu = 0; cpu < cpus; cpu++) {
		const int fd = (int)syscall(SYS_perf_event_open, &event, -1,
					    cpu, -1, PERF_FLAG_FD_CLOEXEC);

		if (fd >= 0)
			counters[n_counters++] = fd;
		else if (errno != ENODEV) /* a CPU that is off */
			return -errno;
	}
	return 0;
}

int traced_apply(const struct layer *l, long n)
{
	static char path[PATH_MAX];
	int err;

	if (l->flag == TRACED_TRACEPOINT) {
		err = use_tracepoint(&event);
	} else {
		const int64_t type =
			sysfile_number(-1, NULL,
				       "/sys/bus/event_source/devices/%s/type",
				       l->flag == TRACED_UPROBE ? "uprobe"
								: "kprobe");

		err = type < 0 ? -errno : 0;
		event.type = (uint32_t)type;
	}
	if (!err && l->flag == TRACED_UPROBE) {
		uint64_t offset = 0;

		err = find_getppid(path, &offset);
		event.config1 = (uintptr_t)path;
		event.config2 = offset;
	} else if (l->flag == TRACED_KPROBE) {
		event.config1 = (uintptr_t)ARCH_KERNEL_CALL("getppid");
	}
	if (!err)
		err = count_on_all();
	return err ? err : stay();
}

static uint64_t counted(const int *fds, size_t n)
{
	uint64_t sum = 0, one;

	for (size_t i = 0; i < n; i++)
		if (read(fds[i], &one, sizeof(one)) == sizeof(one))
			sum += one;
	return sum;
}

/* The counts of @fds during @calls calls. */
static uint64_t counted_of(const int *fds, size_t n, int calls)
{
	const uint64_t before = counted(fds, n);

	while (calls--)
		getppid();
	return counted(fds, n) - before;
}

/* Those of each CPU count the calls of all processes; one of this thread alone,
 * without the reading, counts those made here. */
bool traced_prove(const struct layer *l, long n, char how[HOW_MAX])
{
	const uint64_t all = counted_of(counters, n_counters, CALLS);
	const int own = (int)syscall(SYS_perf_event_open, &event, 0, -1, -1,
				     PERF_FLAG_FD_CLOEXEC);
	const uint64_t seen =
		counted_of(&own, 1, CALLS) - counted_of(&own, 1, 0);

	close(own);
	snprintf(how, HOW_MAX, "of %d calls of getppid() it counted %llu",
		 CALLS, (unsigned long long)seen);
	return all >= CALLS && seen == CALLS;
}
