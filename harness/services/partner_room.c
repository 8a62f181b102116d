/* SPDX-License-Identifier: MIT */
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "groups.h"
#include "partner.h"
#include "sysfile.h"

static int enforced(void)
{
	/* CAP_SYS_ADMIN is 21, CAP_SYS_RESOURCE is 24: either exempts, and
	 * so does being the real user 0. */
	const unsigned long long exempt = 1ull << 21 | 1ull << 24;
	char *status = sysfile_text("/proc/self/status");
	const char *caps = field_behind(status, "CapEff");
	const bool may =
		!getuid() || (caps && strtoull(caps, NULL, 16) & exempt);

	free(status);
	return !may;
}

static long count_mine(void)
{
	size_t all;
	pid_t *pids = sysfile_pids(&all, "/proc");
	char path[32], line[1024];
	struct stat st;
	long n = 0;

	for (size_t i = 0; i < all; i++) {
		snprintf(path, sizeof(path), "/proc/%d", (int)pids[i]);
		if (stat(path, &st) || st.st_uid != getuid())
			continue;
		sysfile_stat(line, sizeof(line), "%s/stat", path);
		n += field_number(field_of_stat(line, 20), 0); /* threads */
	}
	free(pids);
	return n;
}

struct room {
	long least;
	char *why;
	size_t size;
};

static void narrow(struct room *r, const char *what, long limit, long used)
{
	const long left = used < limit ? limit - used : 0;

	if (limit < 0 || used < 0 || left >= r->least)
		return;
	r->least = left;
	snprintf(r->why, r->size, "%s is %ld, of which %ld are used", what,
		 limit, used);
}

static void narrow_group(void *arg, const char *dir, bool is_v2)
{
	(void)is_v2; /* both versions have these two; "max" is no number */
	narrow(arg, "pids.max of the cgroup",
	       sysfile_number(-1, NULL, "%s/pids.max", dir),
	       sysfile_number(-1, NULL, "%s/pids.current", dir));
}

long partner_room(char *why, size_t size)
{
	struct room r = { .least = LONG_MAX, .why = why, .size = size };
	struct rlimit limit;

	snprintf(why, size, "no limit known");
	if (getrlimit(RLIMIT_NPROC, &limit) == 0 &&
	    limit.rlim_cur != RLIM_INFINITY && enforced())
		narrow(&r, "ulimit -u", (long)limit.rlim_cur, count_mine());
	narrow(&r, "kernel.threads-max",
	       sysfile_number(-1, NULL, "/proc/sys/kernel/threads-max"), 0);
	groups_visit("", "pids", narrow_group, &r);
	return r.least;
}

int partner_refused(struct bench *b, int err, const char *what)
{
	char why[160];

	if (err != EAGAIN)
		return bench_fail(b, err, "%s", what);
	partner_room(why, sizeof(why));
	return bench_skip(b, "%s: no more are allowed (%s)", what, why);
}
