/* SPDX-License-Identifier: MIT */
#include "noise.h"

#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "groups.h"

/* One that takes part, and what was read of it last. */
struct member {
	int fd; /* of its waits; -1: they are not to be had */
	clockid_t clock;
	bool shares; /* its CPU with another one */
	int64_t waited_ns, ran_ns;
	bool known; /* what it waited */
};

/* The measuring thread is the first.  Behind the last task is what helped. */
static _Thread_local struct member *member;
static _Thread_local struct noise_task *task;
static _Thread_local size_t members;
/* What was read last, and how many there were then. */
static _Thread_local struct {
	int64_t involuntary, switches, helped_ns;
	size_t members;
	int cpu;
} last;

static int64_t ns_of(clockid_t clock)
{
	struct timespec ts = { 0 };

	clock_gettime(clock, &ts);
	return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

/* The text of an open file of the kernel's, as it is now. */
static const char *read_now(int fd, char *text, size_t size)
{
	const ssize_t n = fd < 0 ? 0 : pread(fd, text, size - 1, 0);

	text[n > 0 ? n : 0] = '\0';
	return text;
}

bool noise_read_waits(int fd, int64_t *ran_ns, int64_t *waited_ns)
{
	char text[96];

	*ran_ns = 0;
	return sscanf(read_now(fd, text, sizeof(text)), "%" SCNd64 " %" SCNd64,
		      ran_ns, waited_ns) == 2 &&
	       *ran_ns;
}

/* What @m has waited since it was read last; 0 if it cannot be read. */
static int64_t waited(struct member *m)
{
	const int64_t before = m->waited_ns;
	int64_t run;

	m->known = noise_read_waits(m->fd, &run, &m->waited_ns);
	return m->known ? m->waited_ns - before : 0;
}

static int64_t ran(struct member *m)
{
	const int64_t before = m->ran_ns;

	m->ran_ns = ns_of(m->clock);
	return m->ran_ns - before;
}

static void add(const char *name, clockid_t clock, int cpu)
{
	struct member *m = realloc(member, (members + 1) * sizeof(*m));
	struct noise_task *t = realloc(task, (members + 2) * sizeof(*t));
	char path[64];

	member = m ? m : member;
	task = t ? t : task;
	if (!m || !t)
		return;
	snprintf(path, sizeof(path), "/proc/%s/schedstat", name);
	m += members;
	*m = (struct member) { .fd = open(path, O_RDONLY | O_CLOEXEC),
			       .clock = clock };
	t[members] = (struct noise_task) { .cpu = cpu };
	for (size_t i = 0; i < members; i++)
		if (t[i].cpu == cpu)
			member[i].shares = m->shares = true;
	waited(m);
	ran(m);
	members++;
}

static void add_self(void)
{
	if (!members)
		add("self", CLOCK_THREAD_CPUTIME_ID, sched_getcpu());
}

void noise_watch(const char *name, clockid_t clock, int cpu)
{
	add_self();
	add(name, clock, cpu);
}

void noise_unwatch(clockid_t clock)
{
	for (size_t i = members; i-- > 1;)
		if (member[i].clock == clock) {
			close(member[i].fd);
			member[i] = member[--members];
			task[i] = task[members];
		}
	/* Alone again: a thread that ends leaves nothing. */
	if (members == 1) {
		close(member[0].fd);
		free(member);
		free(task);
		member = NULL;
		task = NULL;
		members = 0;
	}
}

void noise_alone(void)
{
	members = 0;
}

bool noise_knows_waits(void)
{
	return members && member[0].known;
}

/* CPU time of children that ended, and of threads if there is no partner. */
static int64_t helped_ns(void)
{
	struct rusage children = { 0 };
	int64_t ns = members > 1 ? 0
				 : ns_of(CLOCK_PROCESS_CPUTIME_ID) -
					   ns_of(CLOCK_THREAD_CPUTIME_ID);

	getrusage(RUSAGE_CHILDREN, &children);
	return ns +
	       (children.ru_utime.tv_sec + children.ru_stime.tv_sec) *
		       INT64_C(1000000000) +
	       (children.ru_utime.tv_usec + children.ru_stime.tv_usec) *
		       INT64_C(1000);
}

/* Of this thread alone: RUSAGE_SELF brings its run time up to date and so ends
 * its slice; a task that waits has the CPU there and then, in no interval. */
static struct rusage read_all(void)
{
	const int64_t helped = last.helped_ns;
	const bool same = last.members == members;
	struct rusage usage = { 0 };
	int64_t switches;

	add_self();
	getrusage(RUSAGE_THREAD, &usage);
	switches = usage.ru_nvcsw + usage.ru_nivcsw;
	for (size_t i = 0; i < members; i++) {
		struct member *m = &member[i];
		/* Who did not leave the CPU has not waited for it. */
		const bool moved = i || switches != last.switches;

		task[i].waited = moved ? waited(m) : 0;
		task[i].ran = m->shares ? ran(m) : 0;
	}
	if (switches != last.switches)
		last.helped_ns = helped_ns();
	if (members)
		task[members] = (struct noise_task) {
			.cpu = task[0].cpu,
			.ran = same ? last.helped_ns - helped : 0,
		};
	last.switches = switches;
	last.members = members;
	return usage;
}

void noise_begin(void)
{
	last.involuntary = read_all().ru_nivcsw;
	last.cpu = sched_getcpu();
	if (members)
		task[0].cpu = last.cpu;
}

int64_t noise_waited(const struct noise_task *tasks, size_t n)
{
	int64_t most = 0;

	for (size_t i = 0; i < n; i++) {
		int64_t waited = tasks[i].waited;

		for (size_t k = 0; waited > most && k < n; k++)
			if (k != i && tasks[k].cpu == tasks[i].cpu)
				waited -= tasks[k].ran;
		most = waited > most ? waited : most;
	}
	return most;
}

void noise_end(struct noise *seen)
{
	const struct rusage usage = read_all();

	seen->involuntary = (uint64_t)(usage.ru_nivcsw - last.involuntary);
	seen->migrated = sched_getcpu() != last.cpu;
	seen->waited_ns = members ? (double)noise_waited(task, members + 1) : 0;
}

/* Add what cpu.stat of the group in @dir says. */
static void add_group(void *arg, const char *dir, bool is_v2)
{
	struct noise_throttle *t = arg;
	char name[PATH_MAX], line[128];
	int64_t n;
	FILE *f;

	if ((size_t)snprintf(name, sizeof(name), "%s/cpu.stat", dir) >=
	    sizeof(name))
		return;
	f = fopen(name, "re");
	if (!f)
		return;
	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, "nr_throttled %" SCNd64, &n) == 1)
			t->periods += n;
		else if (is_v2 &&
			 sscanf(line, "throttled_usec %" SCNd64, &n) == 1)
			t->ns += n * 1000;
		else if (!is_v2 &&
			 sscanf(line, "throttled_time %" SCNd64, &n) == 1)
			t->ns += n;
	}
	fclose(f);
}

void noise_throttle_read(struct noise_throttle *t, const char *root)
{
	*t = (struct noise_throttle) { 0, 0 };
	groups_visit(root, "cpu", add_group, t);
}

int64_t noise_throttled(void)
{
	struct noise_throttle t;

	noise_throttle_read(&t, "");
	return t.periods;
}
