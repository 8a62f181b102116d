/* SPDX-License-Identifier: MIT */
#ifndef TOP_TASKS_H
#define TOP_TASKS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What each thread of the machine has run for, as far as /proc shows it. */
struct top_tasks {
	struct top_thread {
		int pid, tid;
		int64_t ran_ns;
	} * v;
	size_t n;
	bool whole; /* false: there are too many to read in time */
};

/* top_tasks_read() - all threads now but those of this process; free() v. */
void top_tasks_read(struct top_tasks *h);

/* top_tasks_since() - @h becomes what each ran since @before, the longest
 * first; none if one of them is not whole. */
void top_tasks_since(struct top_tasks *h, const struct top_tasks *before);

/**
 * top_tasks_on() - those of top_tasks_since() that ran on @cpu last.
 * @least_ns: less is not worth a name.
 *
 * Return: an array of at most three {pid, name, ran_us}; empty also where
 * another container's processes cannot be seen, or there are too many.
 */
json_t *top_tasks_on(const struct top_tasks *h, int cpu, double least_ns);

#endif
