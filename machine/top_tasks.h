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
		unsigned long long ran_ns;
	} * v;
	size_t n;
	int64_t begin_ns;
	bool whole; /* false: there are too many to read in time */
};

/* top_tasks_read() - all threads now but those of this process. */
void top_tasks_read(struct top_tasks *h);
void top_tasks_free(struct top_tasks *h);

/**
 * top_tasks_between() - those that ran on @cpu meanwhile, the longest first.
 * @least_ns: less is not worth a name.
 *
 * Return: an array of at most three {pid, name, ran_us}; empty also where
 * another container's processes cannot be seen, or there are too many.
 */
json_t *top_tasks_between(const struct top_tasks *before,
			  const struct top_tasks *after, int cpu,
			  double least_ns);

#endif
