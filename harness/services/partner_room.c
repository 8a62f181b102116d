/* SPDX-License-Identifier: MIT */
#include <ctype.h>
#include <dirent.h>
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

#define PATH_BYTES 512

/* The first number in a file, or -1: no file, or "max". */
static long read_number(const char *path)
{
	long n = -1;
	FILE *f = fopen(path, "re");

	if (!f)
		return -1;
	if (fscanf(f, "%ld", &n) != 1)
		n = -1;
	fclose(f);
	return n;
}

static int enforced(void)
{
	/* CAP_SYS_ADMIN is 21, CAP_SYS_RESOURCE is 24: either exempts, and
	 * so does being the real user 0. */
	const unsigned long long exempt = 1ull << 21 | 1ull << 24;
	unsigned long long caps = 0;
	char line[256];
	FILE *f;

	if (getuid() == 0)
		return 0;
	f = fopen("/proc/self/status", "re");
	while (f && fgets(line, sizeof(line), f))
		if (!strncmp(line, "CapEff:", 7))
			caps = strtoull(line + 7, NULL, 16);
	if (f)
		fclose(f);
	return !(caps & exempt);
}

/* Threads of one process: field 20 of its stat, behind the name. */
static long count_threads(const char *pid)
{
	char path[PATH_BYTES], line[1024];
	const char *p;
	long n = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%s/stat", pid);
	f = fopen(path, "re");
	if (!f)
		return 0;
	if (fgets(line, sizeof(line), f)) {
		p = strrchr(line, ')');
		for (int field = 2; p && field < 20; field++)
			p = strchr(p + 1, ' ');
		n = p ? strtol(p, NULL, 10) : 0;
	}
	fclose(f);
	return n;
}

static long count_mine(void)
{
	char path[PATH_BYTES];
	struct dirent *e;
	struct stat st;
	long n = 0;
	DIR *d = opendir("/proc");

	while (d && (e = readdir(d)) != NULL) {
		if (!isdigit((unsigned char)e->d_name[0]))
			continue;
		snprintf(path, sizeof(path), "/proc/%s", e->d_name);
		if (stat(path, &st) == 0 && st.st_uid == getuid())
			n += count_threads(e->d_name);
	}
	if (d)
		closedir(d);
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
	char file[PATH_MAX + 16];
	long limit;

	(void)is_v2; /* both versions have these two */
	snprintf(file, sizeof(file), "%s/pids.max", dir);
	limit = read_number(file);
	snprintf(file, sizeof(file), "%s/pids.current", dir);
	narrow(arg, "pids.max of the cgroup", limit, read_number(file));
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
	       read_number("/proc/sys/kernel/threads-max"), 0);
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
