/* SPDX-License-Identifier: MIT */
#include "file_knee.h"

#include <errno.h>

#include "stats.h"

int knee_add(struct file_knee *k, struct file_size size)
{
	size_t at = k->n;

	if (k->n == KNEE_POINTS)
		return -ERANGE;
	for (; at > 0 && k->size[at - 1].bytes > size.bytes; at--)
		k->size[at] = k->size[at - 1];
	k->size[at] = size;
	k->n++;
	return 0;
}

/* The median of the times of sizes [from, to). */
static double level(const struct file_knee *k, size_t from, size_t to)
{
	double work[KNEE_POINTS];

	for (size_t i = from; i < to; i++)
		work[i - from] = k->size[i].ns;
	return stats_median(work, to - from);
}

int knee_find(struct file_knee *k)
{
	size_t cut = 0;

	while (cut < k->n && k->size[cut].stored < KNEE_CACHED)
		cut++;
	for (size_t i = cut; i < k->n; i++)
		if (k->size[i].stored < KNEE_CACHED)
			return -EUCLEAN;
	if (!cut || cut == k->n)
		return -ENOENT;
	k->fits = k->size[cut - 1].bytes;
	k->fails = k->size[cut].bytes;
	k->bytes = (k->fits + k->fails) / 2;
	k->cached_ns = level(k, 0, cut);
	k->uncached_ns = level(k, cut, k->n);
	return k->uncached_ns < k->cached_ns * KNEE_RATIO ? -ENOENT : 0;
}

static int measure_one(struct file_knee *k, uint64_t bytes,
		       knee_measure_fn *measure, void *arg)
{
	struct file_size size = { .bytes = (double)bytes };
	const int err = measure(arg, bytes, &size);

	return err ? err : knee_add(k, size);
}

int knee_sweep(struct file_knee *k, const uint64_t *first, size_t n,
	       unsigned int halvings, uint64_t step_bytes,
	       knee_measure_fn *measure, void *arg)
{
	int err = 0;

	k->n = 0;
	for (size_t i = 0; !err && i < n; i++)
		err = measure_one(k, first[i], measure, arg);
	if (!err)
		err = knee_find(k);
	while (!err && halvings--) {
		const uint64_t middle =
			(uint64_t)k->bytes / step_bytes * step_bytes;

		if ((double)middle <= k->fits)
			break; /* no step between the two */
		err = measure_one(k, middle, measure, arg);
		if (!err)
			err = knee_find(k);
	}
	return err;
}
