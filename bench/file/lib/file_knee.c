/* SPDX-License-Identifier: MIT */
#include "file_knee.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "stats.h"

#define LEAST_PARTS 4	       /* of which the slowest may be left out */
#define CACHED	    (1 / 16.0) /* most from storage of what is cached */

/* Sum of distances of y[from..to) from their median. */
static double spread(const double *y, size_t from, size_t to, double *median)
{
	double work[KNEE_POINTS], sum = 0;

	memcpy(work, y + from, (to - from) * sizeof(*work));
	*median = stats_median(work, to - from);
	for (size_t i = from; i < to; i++)
		sum += fabs(y[i] - *median);
	return sum;
}

/* Between size @cut - 1 and @cut. */
static void put_knee(struct file_knee *k, const double *size_bytes, size_t cut,
		     double cached_ns, double uncached_ns)
{
	*k = (struct file_knee) {
		.size_bytes = (size_bytes[cut - 1] + size_bytes[cut]) / 2,
		.fits_bytes = size_bytes[cut - 1],
		.fails_bytes = size_bytes[cut],
		.cached_ns = cached_ns,
		.uncached_ns = uncached_ns,
	};
}

int file_knee_find(struct file_knee *k, const double *size_bytes,
		   const double *ns, size_t n)
{
	double y[KNEE_POINTS], least = INFINITY, low, high, a, b;
	size_t cut = 0;

	if (n > KNEE_POINTS)
		return -EINVAL;
	for (size_t i = 0; i < n; i++) {
		if (!(ns[i] > 0) || !isfinite(ns[i]) || !(size_bytes[i] > 0) ||
		    (i && size_bytes[i] <= size_bytes[i - 1]))
			return -EINVAL;
		y[i] = log(ns[i]);
	}
	for (size_t i = 1; i < n; i++) {
		const double cost = spread(y, 0, i, &a) + spread(y, i, n, &b);

		if (cost >= least)
			continue;
		least = cost;
		cut = i;
		low = a;
		high = b;
	}
	if (!cut || high - low < log(KNEE_RATIO) ||
	    y[cut - 1] >= (low + high) / 2 || y[cut] <= (low + high) / 2)
		return -ENOENT;
	put_knee(k, size_bytes, cut, exp(low), exp(high));
	return 0;
}

void file_parts_add(struct file_parts *p, double ns, double bytes,
		    double stored_bytes)
{
	if (p->n == FILE_PARTS)
		return;
	p->ns[p->n++] = ns;
	p->bytes += bytes;
	p->stored_bytes += fmax(0, stored_bytes);
}

double file_parts_stored(const struct file_parts *p)
{
	return p->stored_bytes / p->bytes;
}

double file_parts_time(const struct file_parts *p, bool counted)
{
	double sum = 0, slowest = 0, work[FILE_PARTS];

	for (unsigned int i = 0; i < p->n; i++) {
		sum += p->ns[i];
		slowest = fmax(slowest, p->ns[i]);
	}
	if (counted && file_parts_stored(p) < CACHED) {
		memcpy(work, p->ns, p->n * sizeof(*work));
		return stats_median(work, p->n);
	}
	return counted || p->n < LEAST_PARTS ? sum / p->n
					     : (sum - slowest) / (p->n - 1);
}

int file_sweep_add(struct file_sweep *s, double size_bytes, double ns,
		   double stored)
{
	size_t at = s->n;

	if (s->n == KNEE_POINTS)
		return -ERANGE;
	for (; at > 0 && s->size_bytes[at - 1] > size_bytes; at--) {
		s->size_bytes[at] = s->size_bytes[at - 1];
		s->ns[at] = s->ns[at - 1];
		s->stored[at] = s->stored[at - 1];
	}
	s->size_bytes[at] = size_bytes;
	s->ns[at] = ns;
	s->stored[at] = stored;
	s->n++;
	return 0;
}

/* How many fit as the counters have it, -EUCLEAN if one of them is larger than
 * one that does not. */
static int count_cached(const struct file_sweep *s)
{
	size_t n = 0;

	while (n < s->n && s->stored[n] < CACHED)
		n++;
	for (size_t i = n; i < s->n; i++)
		if (s->stored[i] < CACHED)
			return -EUCLEAN;
	return (int)n;
}

int file_sweep_find(const struct file_sweep *s, struct file_knee *k)
{
	bool counted = false;
	double low, high;
	int cut;

	for (size_t i = 0; i < s->n; i++)
		counted |= s->stored[i] > 0;
	if (!counted)
		return file_knee_find(k, s->size_bytes, s->ns, s->n);
	cut = count_cached(s);
	if (cut < 0)
		return cut;
	if (!cut || (size_t)cut == s->n)
		return -ENOENT;
	spread(s->ns, 0, (size_t)cut, &low);
	spread(s->ns, (size_t)cut, s->n, &high);
	if (high < low * KNEE_RATIO)
		return -ENOENT;
	put_knee(k, s->size_bytes, (size_t)cut, low, high);
	k->counted = true;
	return 0;
}

static int measure_one(struct file_sweep *s, uint64_t size,
		       file_measure_fn *measure, void *arg)
{
	double ns = 0, stored = 0;
	int err = measure(arg, size, &ns, &stored);

	return err ? err : file_sweep_add(s, (double)size, ns, stored);
}

int file_sweep(struct file_sweep *s, const uint64_t *first, size_t n,
	       unsigned int halvings, uint64_t step_bytes,
	       file_measure_fn *measure, void *arg)
{
	int err = 0;

	s->n = 0;
	for (size_t i = 0; !err && i < n; i++)
		err = measure_one(s, first[i], measure, arg);
	if (!err)
		err = file_sweep_find(s, &s->knee);
	for (unsigned int i = 0; !err && i < halvings; i++) {
		const uint64_t middle =
			(uint64_t)s->knee.size_bytes / step_bytes * step_bytes;

		if ((double)middle <= s->knee.fits_bytes)
			break; /* no step between the two */
		err = measure_one(s, middle, measure, arg);
		if (!err)
			err = file_sweep_find(s, &s->knee);
	}
	return err;
}
