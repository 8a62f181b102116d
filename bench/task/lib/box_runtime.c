/* SPDX-License-Identifier: MIT */
#include "box_runtime.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "groups.h"
#include "guard.h"
#include "partner.h"
#include "proc_spawn.h"
#include "sysfile.h"

static bool find(const char *name, char path[PATH_MAX])
{
	static const char *const places[] = {
		"/usr/local/sbin", "/usr/local/bin", "/usr/sbin",
		"/usr/bin",	   "/sbin",	     "/bin",
	};

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		snprintf(path, PATH_MAX, "%s/%s", places[i], name);
		if (!access(path, X_OK))
			return true;
	}
	return false;
}

const char *box_runtime_missing(const char *name)
{
	char path[PATH_MAX];

	return find(name, path) ? NULL : "it is not installed";
}

static int write_config(const struct box_runtime *r, const char *dir)
{
	char path[PATH_MAX + 16];
	FILE *f;

	snprintf(path, sizeof(path), "%s/config.json", r->bundle);
	f = fopen(path, "we");
	if (!f)
		return -errno;
	fprintf(f,
		"{\"ociVersion\":\"1.0.2\",\"process\":{\"args\":[\"/true\"],"
		"\"cwd\":\"/\",\"user\":{\"uid\":0,\"gid\":0}},"
		"\"root\":{\"path\":\"%s/lower\"},\"hostname\":\"oscost\","
		"\"mounts\":[{\"destination\":\"/proc\",\"type\":\"proc\","
		"\"source\":\"proc\"}],\"linux\":{\"cgroupsPath\":\"/%s\","
		"\"namespaces\":[{\"type\":\"pid\"},{\"type\":\"network\"},"
		"{\"type\":\"ipc\"},{\"type\":\"uts\"},{\"type\":\"mount\"},"
		"{\"type\":\"cgroup\"}]}}\n",
		dir, r->name);
	return fclose(f) ? -errno : 0;
}

/* A runtime that is killed leaves its group, in each tree that there is. */
static void note_groups(struct bench *b, const struct box_runtime *r)
{
	char *mounts = sysfile_text("/proc/self/mountinfo"), *rest = mounts;
	char path[PATH_MAX];
	struct mount m;

	while (mount_next(&rest, &m))
		if (!strncmp(m.type, "cgroup", 6)) {
			snprintf(path, sizeof(path), "%s/%s", m.point, r->name);
			bench_guard(b, "cgroup", path);
		}
	free(mounts);
}

int box_runtime_open(struct bench *b, struct box_runtime *r, const char *name,
		     const char *dir)
{
	const int most = PATH_MAX - 64;
	char path[PATH_MAX];
	int err;

	find(name, r->program);
	snprintf(r->bundle, PATH_MAX, "%.*s/bundle", most, dir);
	snprintf(r->record, PATH_MAX, "%.*s/record", most, dir);
	snprintf(r->said, PATH_MAX, "%.*s/said", most, dir);
	snprintf(r->name, sizeof(r->name), GUARD_CGROUP "run-%016llx",
		 (unsigned long long)bench_random(b));
	snprintf(path, sizeof(path), "%.*s/lower/true", most, dir);
	if (mkdir(r->bundle, 0755) && errno != EEXIST)
		return bench_fail(b, errno, "make %s", r->bundle);
	err = write_config(r, dir);
	if (err)
		return bench_fail(b, -err, "write %s/config.json", r->bundle);
	note_groups(b, r);
	r->watch = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	if (r->watch < 0 || inotify_add_watch(r->watch, path, IN_OPEN) < 0)
		return bench_skip(b, "no watch on %s: %s", path,
				  strerror(errno));
	return 0;
}

/* What a process that only runs the runtime has for it, and its answer. */
struct attempt {
	const struct box_runtime *r;
	enum timer_method method;
	volatile uint64_t *ticks;
	int quiet, said;
};

static int execute(const struct attempt *a)
{
	const struct box_runtime *r = a->r;
	char *const argv[] = { (char *)r->program,
			       "--root",
			       (char *)r->record,
			       "run",
			       "-b",
			       (char *)r->bundle,
			       (char *)r->name,
			       NULL };
	char *const environment[] = { "PATH=/usr/sbin:/usr/bin:/sbin:/bin",
				      NULL };
	/* NOLINTNEXTLINE(clang-analyzer-security.insecureAPI.vfork) */
	const pid_t pid = vfork();

	if (!pid) {
		execve(r->program, argv, environment);
		_exit(127);
	}
	return pid < 0 ? -errno : proc_reap(pid);
}

static int attempt(struct partner *p, void *arg)
{
	const struct attempt *a = arg;
	uint64_t ticks;
	int status;

	if (dup2(a->quiet, 0) || dup2(a->quiet, 1) != 1 ||
	    dup2(a->said, 2) != 2 || unshare(CLONE_NEWNS) ||
	    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL))
		return -errno;
	umount2("/sys/fs/cgroup/unified", MNT_DETACH); /* where it is */
	TIMER_INTERVAL(a->method, ticks, status = execute(a));
	*a->ticks = ticks;
	return status;
}

static int failed(struct bench *b, const struct box_runtime *r, int said,
		  int status)
{
	char text[160];

	if (status < 0)
		return partner_failed(b, status);
	sysfile_again(said, text, sizeof(text));
	text[strcspn(text, "\n")] = '\0';
	return bench_skip(b, "%s ends with status %d here: %s", r->program,
			  status, text);
}

int box_runtime_run(struct bench *b, struct box_runtime *r,
		    enum timer_method method, uint64_t *ticks)
{
	struct attempt a = { .r = r, .method = method };
	struct partner partner = { 0 };
	int err;

	a.quiet = open("/dev/null", O_RDWR | O_CLOEXEC);
	a.said = open(r->said, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	a.ticks = partner_share(sizeof(*a.ticks));
	if (a.quiet < 0 || a.said < 0 || !a.ticks) {
		err = bench_fail(b, errno, "%s", r->said);
	} else {
		err = partner_start(b, &partner, PARTNER_PROCESS, bench_cpu(b),
				    attempt, &a);
		if (!err) {
			const int status = partner_finish(&partner);

			*ticks = *a.ticks;
			err = status ? failed(b, r, a.said, status) : 0;
		}
	}
	partner_unshare((void *)a.ticks, sizeof(*a.ticks));
	if (a.said >= 0)
		close(a.said);
	if (a.quiet >= 0)
		close(a.quiet);
	return err;
}

bool box_runtime_seen(struct box_runtime *r)
{
	char events[4096];
	bool seen = false;

	while (read(r->watch, events, sizeof(events)) > 0)
		seen = true;
	return seen;
}

void box_runtime_close(struct box_runtime *r)
{
	if (r->watch >= 0)
		close(r->watch);
	r->watch = -1;
}
