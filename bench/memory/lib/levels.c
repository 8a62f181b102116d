/* SPDX-License-Identifier: MIT */
#include "levels.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "stats.h"

double levels_median(const double *y, size_t from, size_t to)
{
	double work[LEVELS_CURVE];

	memcpy(work, y + from, (to - from) * sizeof(*work));
	return stats_median(work, to - from);
}

void levels_pool(const double *y, size_t n, double *fit)
{
	size_t from[LEVELS_CURVE + 1], blocks = 0;

	for (size_t i = 0; i < n; i++) {
		from[blocks] = i;
		fit[blocks++] = y[i];
		for (; blocks > 1 && fit[blocks - 1] < fit[blocks - 2];
		     blocks--)
			fit[blocks - 2] =
				levels_median(y, from[blocks - 2], i + 1);
	}
	/* From the blocks to their points, the last one first: a block is never
	 * behind its points. */
	for (size_t i = n; i > 0; i--) {
		while (from[blocks - 1] >= i)
			blocks--;
		fit[i - 1] = fit[blocks - 1];
	}
}

int levels_end(const double *latency_ns, size_t n, double here_ns,
	       double next_ns)
{
	const double half = sqrt(here_ns * next_ns);
	double fit[LEVELS_CURVE];
	int last = -ENOENT;

	if (n > LEVELS_CURVE)
		return -ENOENT;
	levels_pool(latency_ns, n, fit);
	for (size_t i = 0; i < n && fit[i] <= half; i++)
		last = (int)i;
	return last;
}

bool levels_is_of(const double *caches, size_t which, double size_bytes)
{
	return !(which && size_bytes < 2 * caches[which - 1]) &&
	       !(2 * size_bytes > caches[which]);
}

/* Whether a cache holds a size, and its loads are clearly no memory's. */
static bool is_held(const double *caches, size_t which, double size_bytes,
		    double latency_ns, double memory_ns)
{
	return levels_is_of(caches, which, size_bytes) &&
	       !(latency_ns * LEVELS_CLEAR > memory_ns);
}

int levels_known(const double *size_bytes, const double *latency_ns, size_t n,
		 const double *caches, size_t which, double memory_ns,
		 struct level *l)
{
	size_t from = 0, to;

	/* With a smaller one unknown nothing separates the two. */
	for (size_t i = 0; i <= which; i++)
		if (!(caches[i] > 0))
			return -ENOENT;
	while (from < n && !is_held(caches, which, size_bytes[from],
				    latency_ns[from], memory_ns))
		from++;
	for (to = from; to < n && is_held(caches, which, size_bytes[to],
					  latency_ns[to], memory_ns);
	     to++)
		;
	if (to == from)
		return -ENOENT;
	*l = (struct level) { levels_median(latency_ns, from, to), from,
			      to - 1 };
	return 0;
}
