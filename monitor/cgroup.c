// SPDX-License-Identifier: MIT
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cpu_times.h"
#include "groups.h"
#include "sysfile.h"
#include "target.h"

#define ONLINE	  "/sys/devices/system/cpu/online"
#define CPU_LIMIT 8192 /* more than any kernel is built for */
#define LIST_MAX  1024 /* of the kernel's list of CPUs */

/* Where a cgroup's figures are. */
struct cgroup_place {
	char usage[PATH_MAX]; /* cpu.stat, or cpuacct.usage */
	bool version2;	      /* usage is cpu.stat, in us */
	char perf[PATH_MAX];  /* directory for perf_event; "" if none */
};

/* The part of @name below the mount; a name that is no directory of another
 * hierarchy is below each of them. */
static const char *below(const struct mount *mount, const char *name,
			 bool is_dir)
{
	const size_t n = strlen(mount->point);

	if (!is_dir)
		return name;
	return !strncmp(name, mount->point, n) && (!name[n] || name[n] == '/')
		       ? name + n
		       : NULL;
}

static bool is_directory(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISDIR(st.st_mode);
}

static bool has_usage(const char *path)
{
	return sysfile_number(-1, "usage_usec", "%s", path) >= 0;
}

static void look(struct cgroup_place *place, const struct mount *mount,
		 const char *part)
{
	const bool version2 = !strcmp(mount->type, "cgroup2");
	char dir[PATH_MAX], file[PATH_MAX];
	int n;

	if (snprintf(dir, sizeof(dir), "%s/%s", mount->point, part) >=
		    (int)sizeof(dir) ||
	    !is_directory(dir))
		return;
	if ((version2 || groups_has(mount->options, "perf_event")) &&
	    !*place->perf)
		memcpy(place->perf, dir, sizeof(dir));
	if (!version2 && !groups_has(mount->options, "cpuacct"))
		return;
	n = snprintf(file, sizeof(file), "%s/%s", dir,
		     version2 ? "cpu.stat" : "cpuacct.usage");
	if (n >= (int)sizeof(file) || *place->usage ||
	    !(version2 ? has_usage(file) : !access(file, R_OK)))
		return;
	memcpy(place->usage, file, sizeof(file));
	place->version2 = version2;
}

/*
 * Look where cgroups are mounted.
 * @mounts: text of /proc/self/mountinfo.
 * @name: a directory, or the path of a group below a mount ("/" is the root).
 *
 * Twice: a directory says by itself in which hierarchy it is, but its counters
 * may be in another, below the same name.
 *
 * Return: 0, or -ENOENT (no such group, or it has no processor time).
 */
static int cgroup_find(struct cgroup_place *place, const char *mounts,
		       const char *name)
{
	const char *part = NULL;
	const bool is_dir = is_directory(name) && strcmp(name, "/") != 0;

	memset(place, 0, sizeof(*place));
	for (int turn = 0; turn < 2; turn++) {
		char *copy = strdup(mounts), *rest = copy;
		struct mount mount;

		while (mount_next(&rest, &mount)) {
			const char *here = strncmp(mount.type, "cgroup", 6) != 0
						   ? NULL
					   : turn ? part
						  : below(&mount, name, is_dir);

			if (here) {
				look(place, &mount, here);
				part = here;
			}
		}
		free(copy);
		if (!part)
			break;
	}
	return *place->usage ? 0 : -ENOENT;
}

struct on_cpu {
	struct counters *counters;
	struct counters_reading last;
};

struct cgroup {
	struct target target;
	struct cgroup_place place;
	struct on_cpu *on; /* room for CPU_LIMIT */
	int cpus;	   /* that are counted */
	char online[LIST_MAX];
	char why[LIST_MAX];
	double width[COUNTERS_PMUS];
	/* The reading before. */
	struct stamp at;
	uint64_t usage_ns, user_ns, system_ns;
};

/* Version 2 has one file in microseconds, version 1 one number in ns. */
static bool read_usage(struct cgroup *g)
{
	char *text = sysfile_text("%s", g->place.usage);
	int64_t usage, user = 0, system = 0;

	if (g->place.version2) {
		usage = field_number(field_behind(text, "usage_usec"), -1);
		user = field_number(field_behind(text, "user_usec"), -1);
		system = field_number(field_behind(text, "system_usec"), -1);
	} else {
		usage = field_number(text, -1);
	}
	free(text);
	if (usage < 0 || user < 0 || system < 0)
		return false;
	g->usage_ns = (uint64_t)usage * (g->place.version2 ? 1000 : 1);
	g->user_ns = (uint64_t)user * 1000;
	g->system_ns = (uint64_t)system * 1000;
	return true;
}

static double passed_pct(uint64_t from, uint64_t to, double interval_ns)
{
	return to < from ? NAN : 100 * (double)(to - from) / interval_ns;
}

/* What a task ran since the timer last ticked is not in the sum yet. */
static double resolution_pct(double interval_ns)
{
	struct timespec tick;

	clock_getres(CLOCK_MONOTONIC_COARSE, &tick);
	return 100 * (double)tick.tv_nsec / interval_ns;
}

/* The sum over the CPUs is known where each of them is. */
static void add_counts(struct counters_counts *sum,
		       const struct counters_counts *more, bool first)
{
	if (first) {
		*sum = *more;
		return;
	}
	for (int e = 0; e < COUNTERS_EVENTS; e++) {
		struct counters_count *to = &sum->count[e];
		const struct counters_count *from = &more->count[e];

		to->known = to->known && from->known;
		to->scaled = to->scaled || from->scaled;
		to->value += from->value;
		to->share = fmin(to->share, from->share);
		for (int i = 0; i < COUNTERS_PMUS; i++)
			to->pmu[i] += from->pmu[i];
	}
}

static void close_counters(struct cgroup *g)
{
	for (int i = 0; g->on && i < g->cpus; i++)
		counters_close(g->on[i].counters);
	g->cpus = 0;
	g->target.asked = NULL;
}

static bool read_online(char list[LIST_MAX])
{
	return sysfile_line(list, LIST_MAX, ONLINE) > 0;
}

static int open_on(struct cgroup *g, int cpu)
{
	const struct counters_target counted = {
		.kind = COUNTERS_CGROUP,
		.cgroup = g->place.perf,
		.cpu = cpu,
	};
	struct on_cpu *on = &g->on[g->cpus];
	int err = counters_open(&on->counters, &counted, 0);

	/* It went since it was listed. */
	if (err == -ENODEV)
		return 0;
	if (err)
		return err;
	g->cpus++;
	return counters_read(on->counters, &on->last);
}

/* On all CPUs that are online, or none: a sum over some would be too small. */
static void open_counters(struct cgroup *g)
{
	bool *online = calloc(CPU_LIMIT, sizeof(*online));
	int err = 0;

	if (!online || !read_online(g->online) ||
	    cpu_list_parse(g->online, online, CPU_LIMIT) <= 0)
		snprintf(g->why, sizeof(g->why), "%s: cannot be read", ONLINE);
	else
		for (int i = 0; i < CPU_LIMIT && !err; i++) {
			err = online[i] ? open_on(g, i) : 0;
			if (err)
				snprintf(g->why, sizeof(g->why), "CPU %d: %s",
					 i, strerror(-err));
		}
	free(online);
	if (err)
		close_counters(g);
	g->target.asked = g->cpus ? g->on[0].counters : NULL;
	g->target.why = g->cpus || !g->why[0] ? NULL : g->why;
}

static void count(struct cgroup *g, struct row *row)
{
	char online[LIST_MAX];

	/* On a CPU that came or went nobody knows what it did meanwhile. */
	if (g->cpus &&
	    (!read_online(online) || strcmp(online, g->online) != 0)) {
		close_counters(g);
		open_counters(g);
		return;
	}
	for (int i = 0; i < g->cpus; i++) {
		struct on_cpu *on = &g->on[i];
		struct counters_counts counts = { 0 };
		struct counters_reading now;

		if (!counters_read(on->counters, &now)) {
			counters_delta(on->counters, &on->last, &now, &counts);
			on->last = now;
		}
		add_counts(&row->counts, &counts, !i);
	}
}

static int sample(struct target *target, struct row *row)
{
	struct cgroup *g = (struct cgroup *)target;
	const struct stamp last = g->at;
	const uint64_t usage_ns = g->usage_ns, user_ns = g->user_ns,
		       system_ns = g->system_ns;
	double interval_ns;

	g->at = stamp_now();
	*row = (struct row) {
		.at = g->at,
		.cpu = ROW_CGROUP,
		.interval_ns = g->at.mono_ns - last.mono_ns,
		.os = os_load_unknown(OS_ENDED),
	};
	interval_ns = (double)row->interval_ns;
	memcpy(row->width, g->width, sizeof(row->width));
	count(g, row);
	if (read_usage(g)) {
		row->os.load_pct =
			passed_pct(usage_ns, g->usage_ns, interval_ns);
		row->os.state = isnan(row->os.load_pct) ? OS_BACKWARDS : OS_OK;
		row->os.resolution_pct = resolution_pct(interval_ns);
		if (g->place.version2) {
			row->os.user_pct =
				passed_pct(user_ns, g->user_ns, interval_ns);
			row->os.system_pct = passed_pct(system_ns, g->system_ns,
							interval_ns);
		}
	}
	return last.mono_ns ? 1 : 0;
}

static void close_cgroup(struct target *target)
{
	struct cgroup *g = (struct cgroup *)target;

	close_counters(g);
	free(g->on);
	free(g);
}

int cgroup_open(struct target **target, const struct target_settings *settings,
		const char *name, const char **why)
{
	struct cgroup *g = calloc(1, sizeof(*g));
	char *mounts;
	bool found;

	*why = "out of memory";
	if (!g)
		return -ENOMEM;
	g->target = (struct target) {
		.rows = 1,
		.ended_fd = -1,
		.sample = sample,
		.close = close_cgroup,
	};
	g->on = calloc(CPU_LIMIT, sizeof(*g->on));
	mounts = sysfile_text("/proc/self/mountinfo");
	found = g->on && mounts && !cgroup_find(&g->place, mounts, name);
	free(mounts);
	if (found && read_usage(g)) {
		if (*g->place.perf)
			open_counters(g);
		cpu_model_widths(settings->model, g->target.asked, g->width);
		*target = &g->target;
		return 0;
	}
	if (g->on)
		*why = "there is no such cgroup, or no processor time of it "
		       "(version 2, or version 1 with cpuacct)";
	close_cgroup(&g->target);
	return -ENOENT;
}
