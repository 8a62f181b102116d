/* SPDX-License-Identifier: MIT */
#include "top_tasks.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "deadline.h"
#include "machine.h"

#define MOST_NAMES  3
#define PATIENCE_NS 100000000 /* of our own, for a list of all threads */
#define PROCESSOR   39	      /* the field of stat: the CPU it was on */

static void add_process(struct top_tasks *h, pid_t pid)
{
	size_t n;
	pid_t *tids = sysfile_pids(&n, "/proc/%d/task", (int)pid);

	for (size_t i = 0; i < n; i++) {
		const int64_t ran_ns =
			sysfile_number(-1, NULL, "/proc/%d/task/%d/schedstat",
				       (int)pid, (int)tids[i]);

		if (ran_ns < 0)
			continue;
		h->v = text_grow(h->v, h->n, sizeof(*h->v));
		h->v[h->n++] = (struct top_thread) { pid, tids[i], ran_ns };
	}
	free(tids);
}

static int by_tid(const void *a, const void *b)
{
	const struct top_thread *p = a, *q = b;

	return (p->tid > q->tid) - (p->tid < q->tid);
}

static int by_time(const void *a, const void *b)
{
	const struct top_thread *p = a, *q = b;

	return (p->ran_ns < q->ran_ns) - (p->ran_ns > q->ran_ns);
}

/* Limited by what we ran for: others may have had the CPU for any time
 * meanwhile. */
void top_tasks_read(struct top_tasks *h)
{
	const int64_t begin_ns = clock_now_ns(CLOCK_THREAD_CPUTIME_ID);
	size_t n;
	pid_t *pids = sysfile_pids(&n, "/proc");

	*h = (struct top_tasks) { .whole = pids };
	for (size_t i = 0; i < n && h->whole; i++) {
		if (pids[i] != getpid())
			add_process(h, pids[i]);
		h->whole = clock_now_ns(CLOCK_THREAD_CPUTIME_ID) - begin_ns <
			   PATIENCE_NS;
	}
	free(pids);
	if (h->n)
		qsort(h->v, h->n, sizeof(*h->v), by_tid);
}

void top_tasks_since(struct top_tasks *h, const struct top_tasks *before)
{
	/* Half a list would take the whole life of a thread for what it ran
	 * since. */
	if (!h->whole || !before->whole)
		h->n = 0;
	for (size_t i = 0; i < h->n; i++) {
		const struct top_thread *was =
			before->n ? bsearch(&h->v[i], before->v, before->n,
					    sizeof(*before->v), by_tid)
				  : NULL;

		if (was && was->ran_ns <= h->v[i].ran_ns)
			h->v[i].ran_ns -= was->ran_ns;
	}
	if (h->n)
		qsort(h->v, h->n, sizeof(*h->v), by_time);
}

/* The CPU that a thread was on last, -1 if it is gone. */
static int last_cpu(const struct top_thread *t)
{
	char line[1024];

	sysfile_stat(line, sizeof(line), "/proc/%d/task/%d/stat", t->pid,
		     t->tid);
	return (int)field_number(field_of_stat(line, PROCESSOR), -1);
}

json_t *top_tasks_on(const struct top_tasks *h, int cpu, double least_ns)
{
	json_t *list = json_array();

	for (size_t i = 0; i < h->n && json_array_size(list) < MOST_NAMES;
	     i++) {
		const struct top_thread *t = &h->v[i];
		char name[64];

		if ((double)t->ran_ns < least_ns || !t->ran_ns)
			break;
		if (last_cpu(t) != cpu)
			continue;
		sysfile_line(name, sizeof(name), "/proc/%d/task/%d/comm",
			     t->pid, t->tid);
		/* ASCII: the writer of JSON takes no other bytes unchecked. */
		for (char *c = name; *c; c++)
			if (!isprint((unsigned char)*c))
				*c = '?';
		json_array_append_new(list,
				      json_pack("{s:i, s:s, s:f}", "pid",
						t->pid, "name",
						*name ? name : "?", "ran_us",
						(double)t->ran_ns / 1e3));
	}
	return list;
}
