/* SPDX-License-Identifier: MIT */
#include "top_tasks.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "deadline.h"
#include "machine.h"

#define MOST_NAMES  3
#define PATIENCE_NS 100000000 /* of our own, for a list of all threads */
#define PROCESSOR   39	      /* the field of stat: the CPU it was on */

/* The beginning of a thread's @file; "" if it has ended. */
static const char *thread_file(int pid, int tid, const char *file, char *line,
			       size_t size)
{
	sysfile_line(line, size, "/proc/%d/task/%d/%s", pid, tid, file);
	return line;
}

static void add_thread(struct top_tasks *h, int pid, int tid)
{
	char line[128];
	const int64_t ran_ns = field_number(thread_file(pid, tid, "schedstat",
							line, sizeof(line)),
					    -1);

	if (ran_ns < 0)
		return;
	h->v = text_grow(h->v, h->n, sizeof(*h->v));
	h->v[h->n++] = (struct top_thread) { pid, tid, (uint64_t)ran_ns };
}

/* What we ran for: others may have had the CPU for any time meanwhile. */
static int64_t own_ns(void)
{
	return clock_now_ns(CLOCK_THREAD_CPUTIME_ID);
}

/* Half a list would take the whole life of a thread for what it ran since. */
static bool in_time(const struct top_tasks *h)
{
	return own_ns() - h->begin_ns < PATIENCE_NS;
}

static void add_process(struct top_tasks *h, pid_t pid)
{
	size_t n;
	pid_t *tids = sysfile_pids(&n, "/proc/%d/task", (int)pid);

	for (size_t i = 0; i < n; i++)
		add_thread(h, pid, tids[i]);
	free(tids);
}

static int by_tid(const void *a, const void *b)
{
	const struct top_thread *p = a, *q = b;

	return (p->tid > q->tid) - (p->tid < q->tid);
}

void top_tasks_read(struct top_tasks *h)
{
	size_t n;
	pid_t *pids = sysfile_pids(&n, "/proc");

	*h = (struct top_tasks) { .begin_ns = own_ns() };
	if (!pids)
		return;
	for (size_t i = 0; i < n && in_time(h); i++)
		if (pids[i] != getpid())
			add_process(h, pids[i]);
	free(pids);
	h->whole = in_time(h);
	if (h->n)
		qsort(h->v, h->n, sizeof(*h->v), by_tid);
}

void top_tasks_free(struct top_tasks *h)
{
	free(h->v);
	*h = (struct top_tasks) { 0 };
}

/* The CPU that a thread was on last, -1 if it is gone. */
static int last_cpu(const struct top_thread *t)
{
	char line[1024];

	sysfile_stat(line, sizeof(line), "/proc/%d/task/%d/stat", t->pid,
		     t->tid);
	return (int)field_number(field_of_stat(line, PROCESSOR), -1);
}

/* Its name in ASCII: the writer of JSON takes no other bytes unchecked. */
static const char *name_of(const struct top_thread *t, char *line, size_t size)
{
	thread_file(t->pid, t->tid, "comm", line, size);
	for (char *c = line; *c; c++)
		if (!isprint((unsigned char)*c))
			*c = '?';
	return *line ? line : "?";
}

static int by_time(const void *a, const void *b)
{
	const struct top_thread *p = a, *q = b;

	return (p->ran_ns < q->ran_ns) - (p->ran_ns > q->ran_ns);
}

/* Those of @after with what they ran since @before; a new array. */
static struct top_thread *differences(const struct top_tasks *before,
				      const struct top_tasks *after)
{
	struct top_thread *d = text_alloc(after->n + 1, sizeof(*d));

	for (size_t i = 0; i < after->n; i++) {
		const struct top_thread *was =
			before->n ? bsearch(&after->v[i], before->v, before->n,
					    sizeof(*before->v), by_tid)
				  : NULL;

		d[i] = after->v[i];
		if (was && was->ran_ns <= d[i].ran_ns)
			d[i].ran_ns -= was->ran_ns;
	}
	qsort(d, after->n, sizeof(*d), by_time);
	return d;
}

json_t *top_tasks_between(const struct top_tasks *before,
			  const struct top_tasks *after, int cpu,
			  double least_ns)
{
	struct top_thread *d = differences(before, after);
	json_t *list = json_array();

	for (size_t i = 0; before->whole && after->whole && i < after->n &&
			   (double)d[i].ran_ns >= least_ns && d[i].ran_ns &&
			   json_array_size(list) < MOST_NAMES;
	     i++) {
		char line[64];

		if (last_cpu(&d[i]) != cpu)
			continue;
		json_array_append_new(
			list,
			json_pack("{s:i, s:s, s:f}", "pid", d[i].pid, "name",
				  name_of(&d[i], line, sizeof(line)), "ran_us",
				  (double)d[i].ran_ns / 1e3));
	}
	free(d);
	return list;
}
