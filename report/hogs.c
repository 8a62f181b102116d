/* SPDX-License-Identifier: MIT */
#include "hogs.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "text.h"

#define MOST_NAMES  3
#define PATIENCE_NS 100000000 /* of our own, for a list of all threads */
#define PROCESSOR   36 /* fields of stat behind the state: the CPU it was on */

static int number_of(const char *name)
{
	return isdigit((unsigned char)*name) ? atoi(name) : -1;
}

/* The beginning of a thread's @file; without stdio and its buffers, for there
 * may be ten thousand threads.  Return: @line, or NULL if it has ended. */
static char *thread_file(int pid, int tid, const char *file, char *line,
			 size_t size)
{
	char path[64];
	ssize_t len;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/%s", pid, tid, file);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return NULL;
	len = read(fd, line, size - 1);
	close(fd);
	if (len <= 0)
		return NULL;
	line[len] = '\0';
	line[strcspn(line, "\n")] = '\0';
	return line;
}

static void add_thread(struct hogs *h, int pid, int tid)
{
	char line[128];

	if (!thread_file(pid, tid, "schedstat", line, sizeof(line)))
		return;
	h->v = text_grow(h->v, h->n, sizeof(*h->v));
	h->v[h->n++] =
		(struct hog_thread) { pid, tid, strtoull(line, NULL, 10) };
}

/* What we ran for: others may have had the CPU for any time meanwhile. */
static uint64_t own_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

/* Half a list would take the whole life of a thread for what it ran since. */
static bool in_time(const struct hogs *h)
{
	return own_ns() - h->begin_ns < PATIENCE_NS;
}

static void add_process(struct hogs *h, int pid)
{
	char *path = text_format("/proc/%d/task", pid);
	DIR *dir = opendir(path);
	struct dirent *e;

	free(path);
	if (!dir)
		return;
	while ((e = readdir(dir)))
		if (number_of(e->d_name) > 0)
			add_thread(h, pid, number_of(e->d_name));
	closedir(dir);
}

static int by_tid(const void *a, const void *b)
{
	const struct hog_thread *p = a, *q = b;

	return (p->tid > q->tid) - (p->tid < q->tid);
}

void hogs_read(struct hogs *h)
{
	DIR *dir = opendir("/proc");
	struct dirent *e;

	*h = (struct hogs) { .begin_ns = own_ns() };
	if (!dir)
		return;
	while (in_time(h) && (e = readdir(dir)))
		if (number_of(e->d_name) > 0 &&
		    number_of(e->d_name) != getpid())
			add_process(h, number_of(e->d_name));
	closedir(dir);
	h->whole = in_time(h);
	if (h->n)
		qsort(h->v, h->n, sizeof(*h->v), by_tid);
}

void hogs_free(struct hogs *h)
{
	free(h->v);
	*h = (struct hogs) { 0 };
}

/* The CPU that a thread was on last, -1 if it is gone. */
static int last_cpu(const struct hog_thread *t)
{
	char line[1024];
	char *at = thread_file(t->pid, t->tid, "stat", line, sizeof(line));
	int cpu = -1;

	at = at ? strrchr(at, ')') : NULL; /* names hold anything */
	for (int i = 0; at && i <= PROCESSOR; i++)
		at = strchr(at + 1, ' ');
	if (at)
		cpu = atoi(at);
	return cpu;
}

/* Its name in ASCII: the writer of JSON takes no other bytes unchecked. */
static char *name_of(const struct hog_thread *t)
{
	char line[64];
	char *name = thread_file(t->pid, t->tid, "comm", line, sizeof(line));

	for (char *c = name; c && *c; c++)
		if (!isprint((unsigned char)*c))
			*c = '?';
	return text_copy(name ? name : "?");
}

static int by_time(const void *a, const void *b)
{
	const struct hog_thread *p = a, *q = b;

	return (p->ran_ns < q->ran_ns) - (p->ran_ns > q->ran_ns);
}

/* Those of @after with what they ran since @before; a new array. */
static struct hog_thread *differences(const struct hogs *before,
				      const struct hogs *after)
{
	struct hog_thread *d = text_alloc(after->n + 1, sizeof(*d));

	for (size_t i = 0; i < after->n; i++) {
		const struct hog_thread *was =
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

json_t *hogs_between(const struct hogs *before, const struct hogs *after,
		     int cpu, double least_ns)
{
	struct hog_thread *d = differences(before, after);
	json_t *list = json_array();

	for (size_t i = 0; before->whole && after->whole && i < after->n &&
			   (double)d[i].ran_ns >= least_ns && d[i].ran_ns &&
			   json_array_size(list) < MOST_NAMES;
	     i++) {
		char *name;

		if (last_cpu(&d[i]) != cpu)
			continue;
		name = name_of(&d[i]);
		json_array_append_new(list,
				      json_pack("{s:i, s:s, s:f}", "pid",
						d[i].pid, "name", name,
						"ran_us",
						(double)d[i].ran_ns / 1e3));
		free(name);
	}
	free(d);
	return list;
}

/* Which column of the heading "CPU0 CPU2" is @cpu's; -1 if none is. */
static int column_of(const char *heading, int cpu)
{
	int column = 0;

	for (const char *at = heading; (at = strstr(at, "CPU")); column++) {
		at += 3;
		if (atoi(at) == cpu)
			return column;
	}
	return -1;
}

/* One line: "41: 0 6969 PCI-MSIX-0000:00:04.0 1-edge virtio3-rx", or
 * "LOC: 1 2 Local timer interrupts". */
static void add_irq(json_t *o, char *line, int column)
{
	char *at = strchr(line, ':'), *name = line + strspn(line, " ");
	unsigned long long count = 0;

	if (!at)
		return;
	*at++ = '\0';
	for (int i = 0; i <= column; i++) {
		char *end;

		count = strtoull(at, &end, 10);
		if (end == at)
			return; /* ERR and MIS have one number for all */
		at = end;
	}
	/* A device goes by its last word, the rest by their letters. */
	if (isdigit((unsigned char)*name) && strrchr(at, ' '))
		name = strrchr(at, ' ') + 1;
	count += (unsigned long long)json_integer_value(
		json_object_get(o, name));
	json_object_set_new(o, name, json_integer((json_int_t)count));
}

json_t *irqs_read(const char *root, int cpu)
{
	char *path = text_format("%s/proc/interrupts", root);
	char *text = text_file(path, 64 << 20), *rest = text;
	char *line = text ? strsep(&rest, "\n") : NULL;
	int column = line ? column_of(line, cpu) : -1;
	json_t *o = json_object();

	while (column >= 0 && (line = strsep(&rest, "\n")))
		add_irq(o, line, column);
	free(text);
	free(path);
	return o;
}

json_t *irqs_between(const json_t *before, const json_t *after, double *all)
{
	json_t *o = json_object(), *v;
	const char *name;

	*all = 0;
	json_object_foreach((json_t *)after, name, v)
	{
		json_int_t n =
			json_integer_value(v) -
			json_integer_value(json_object_get(before, name));

		if (n <= 0)
			continue;
		*all += (double)n;
		json_object_set_new(o, name, json_integer(n));
	}
	return o;
}
