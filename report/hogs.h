/* SPDX-License-Identifier: MIT */
#ifndef HOGS_H
#define HOGS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What each thread of the machine has run for, as far as /proc shows it. */
struct hogs {
	struct hog_thread {
		int pid, tid;
		unsigned long long ran_ns;
	} * v;
	size_t n;
	uint64_t begin_ns;
	bool whole; /* false: there are too many to read in time */
};

/* hogs_read() - all threads now but those of this process. */
void hogs_read(struct hogs *h);
void hogs_free(struct hogs *h);

/**
 * hogs_between() - those that ran on @cpu meanwhile, the longest first.
 * @least_ns: less is not worth a name.
 *
 * Return: an array of at most three {pid, name, ran_us}; empty also where
 * another container's processes cannot be seen, or there are too many.
 */
json_t *hogs_between(const struct hogs *before, const struct hogs *after,
		     int cpu, double least_ns);

/**
 * irqs_read() - how many interrupts @cpu has had, of each kind.
 * @root: "", or where proc/ is in tests.
 *
 * Return: an object of counts by name, such as {"LOC": 12, "virtio0-input": 1}.
 */
json_t *irqs_read(const char *root, int cpu);

/* irqs_between() - those that came meanwhile, and how many in all; softirqs
 * are no interrupts and are not among them. */
json_t *irqs_between(const json_t *before, const json_t *after, double *all);

#endif
