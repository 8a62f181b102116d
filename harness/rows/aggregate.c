/* SPDX-License-Identifier: MIT */
/* Many invocations of one case made into one row: see result.h. */
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "aggregate_json.h"
#include "grade.h"
#include "states.h"
#include "stats.h"
#include "units.h"

#define LEVEL 0.95

/* One number of those that the rows have in column @c, where it is known. */
static double merge_numbers(rows_t rows, size_t n,
			    const struct result_column *c, double *work)
{
	double sum = 0, median;
	size_t k = 0;

	for (size_t i = 0; i < n; i++) {
		const void *at = (const char *)rows[i] + c->offset;
		double x = c->kind == COLUMN_NUMBER
				   ? *(const double *)at
				   : (double)*(const uint64_t *)at;

		if (!isfinite(x))
			continue;
		work[k++] = x;
		sum += x;
	}
	if (c->merge == MERGE_SUM)
		return sum;
	if (!k)
		return NAN;
	median = stats_median(work, k);
	return c->merge == MERGE_LEAST	? work[0]
	       : c->merge == MERGE_MOST ? work[k - 1]
					: median;
}

/* What the table of columns says of them.  What is the same in all rows comes
 * from the first that has the status, so that its reason fits.
 * @borrow: strings and objects remain those of @rows. */
static int merge_columns(struct result *out, rows_t rows, size_t n,
			 double *work, bool borrow)
{
	const struct result *like = rows[0];
	int err = 0;

	for (size_t i = n; i--;)
		if (rows[i]->status == out->status)
			like = rows[i];
	for (const struct result_column *c = result_columns; !err && c->key;
	     c++) {
		const struct result *from =
			c->merge == MERGE_FIRST ? rows[0] : like;
		void *to = (char *)out + c->offset;

		if (c->merge == MERGE_OWN)
			continue;
		if (c->merge >= MERGE_MEDIAN && c->kind == COLUMN_NUMBER)
			*(double *)to = merge_numbers(rows, n, c, work);
		else if (c->merge >= MERGE_MEDIAN)
			*(uint64_t *)to =
				(uint64_t)merge_numbers(rows, n, c, work);
		else if (borrow)
			memcpy(to, (const char *)from + c->offset, c->size);
		else
			err = result_copy(out, from, c);
	}
	if (!err && out->status != RESULT_OK && !borrow)
		err = result_set(&out->reason, like->reason);
	return err;
}

/* A failure that was seen once may be the machine's; one in half of the
 * invocations is the operation's. */
static enum result_status pick_status(rows_t rows, size_t n)
{
	size_t count[RESULT_FAILED + 1] = { 0 };
	enum result_status best = RESULT_OK;
	size_t failed;

	for (size_t i = 0; i < n; i++)
		count[rows[i]->status]++;
	failed = count[RESULT_FAILED];
	if (failed == n || (failed >= 2 && 2 * failed >= n))
		return RESULT_FAILED;
	for (int s = RESULT_BELOW_RESOLUTION; s <= RESULT_SKIPPED; s++)
		if (count[s] > count[best])
			best = (enum result_status)s;
	return best;
}

static bool has_value(const struct result *r)
{
	return r->status == RESULT_OK || r->status == RESULT_BELOW_RESOLUTION;
}

bool result_shared(const struct result *r, double best)
{
	return has_value(r) && r->core_share < RESULT_ALONE * best;
}

double result_best_share(const struct result *const *rows, size_t n)
{
	double best = NAN;
	size_t shared = 0, valued = 0;

	for (size_t i = 0; i < n; i++)
		if (has_value(rows[i])) {
			best = fmax(best, rows[i]->core_share);
			valued++;
		}
	for (size_t i = 0; i < n; i++)
		shared += result_shared(rows[i], best);
	return 2 * shared < valued ? best : NAN;
}

/* Those of @rows that @out is made of.  Return: how many. */
static size_t pick_rows(const struct result *out, rows_t rows, size_t n,
			const struct result **good)
{
	const double best = result_best_share(rows, n);
	const bool valued = has_value(out);
	size_t k = 0;

	for (size_t i = 0; i < n; i++) {
		const enum result_status s = rows[i]->status;

		if (out->status != RESULT_FAILED && s == RESULT_FAILED)
			continue;
		if (valued && s == RESULT_SKIPPED)
			continue;
		if (result_shared(rows[i], best))
			continue;
		good[k++] = rows[i];
	}
	return k;
}

double result_said(const struct result *r)
{
	if (r->status == RESULT_FAILED)
		return NAN;
	return isfinite(r->value) ? r->value : r->estimate;
}

/* What was said, where it is finite, times the frequency at @hz in GHz;
 * SIZE_MAX is none.  Return: how many are in @work. */
static size_t said_of(rows_t rows, size_t n, size_t hz, double *work)
{
	size_t k = 0;

	for (size_t i = 0; i < n; i++) {
		const char *r = (const char *)rows[i];

		work[k] = result_said(rows[i]);
		if (hz != SIZE_MAX)
			work[k] = work[k] * *(const double *)(r + hz) / 1e9;
		k += isfinite(work[k]);
	}
	return k;
}

/* A level is a word that was made a number: between 0 and 2 lies no 1, so
 * there is no median, and what failed once did not always hold. */
static double worst_level(const struct result *out, const double *x, size_t n)
{
	bool higher = out->better && !strcmp(out->better, "higher");
	double worst = x[0];

	for (size_t i = 1; i < n; i++)
		worst = higher ? fmin(worst, x[i]) : fmax(worst, x[i]);
	return worst;
}

static void headline(struct result *out, rows_t rows, size_t n, double *work)
{
	size_t k = said_of(rows, n, SIZE_MAX, work), lo, hi;

	if (!k)
		return;
	if (out->unit && !strcmp(out->unit, "level")) {
		out->estimate = worst_level(out, work, k);
		if (out->status == RESULT_OK)
			out->value = out->estimate;
		return;
	}
	out->estimate = stats_median(work, k);
	if (out->status != RESULT_OK)
		return;
	out->value = out->estimate;
	if (stats_order_ranks(k, LEVEL, &lo, &hi) >= LEVEL) {
		out->ci95[0] = work[lo - 1];
		out->ci95[1] = work[hi - 1];
	}
	if (out->unit && strcmp(out->unit, "ns") != 0)
		return;
	k = said_of(rows, n, offsetof(struct result, tsc_hz), work);
	out->ticks = k ? stats_median(work, k) : NAN;
	k = said_of(rows, n, offsetof(struct result, core_hz), work);
	out->cycles = k ? stats_median(work, k) : NAN;
}

/* Invocations that all find the same step do not know where in it. */
static void widen(struct result *out)
{
	/* No interval stays none: NAN loses in fmin() against a number. */
	if (!isfinite(out->ci95[0]))
		return;
	out->ci95[0] = fmin(out->ci95[0], out->at_least);
	out->ci95[1] = fmax(out->ci95[1], out->at_most);
}

/* Invocations that all read the same step of the clock do not know where in it
 * they are. */
static void widen_to_step(struct result *out)
{
	if (!isfinite(out->ci95[0]) || !isfinite(out->quantum))
		return;
	out->ci95[0] =
		fmin(out->ci95[0], fmax(0, out->value - out->quantum / 2));
	out->ci95[1] = fmax(out->ci95[1], out->value + out->quantum / 2);
}

/* The greatest that was said; what fewer than 6 say has no interval. */
static double greatest(rows_t rows, size_t n)
{
	double x = NAN;

	for (size_t i = 0; i < n; i++)
		x = fmax(x, result_said(rows[i]));
	return x;
}

/* Invocations that disagree whether there is a cost can have a median that is
 * none, or an interval that holds nothing: then there is no result, and never
 * a negative one.  Return: what the cost may be all the same; NAN if there is
 * no doubt. */
static double doubt(struct result *out, rows_t rows, size_t n)
{
	double most = out->ci95[1];
	size_t below = 0;

	for (size_t i = 0; i < n; i++)
		below += rows[i]->status == RESULT_BELOW_RESOLUTION;
	if (!below || (!(out->value <= 0) && !(out->ci95[0] <= 0)))
		return NAN;
	out->status = RESULT_BELOW_RESOLUTION;
	out->value = out->ci95[0] = out->ci95[1] = NAN;
	out->ticks = out->cycles = NAN;
	return isfinite(most) ? most : greatest(rows, n);
}

/* Of a rate the time has a resolution, and each invocation its own: the reader
 * learns what the invocations gave. */
static int set_unstable(struct result *out, rows_t rows, size_t n)
{
	char text[2 * UNITS_MAX + 64], a[UNITS_MAX], b[UNITS_MAX];
	const double most = greatest(rows, n);
	double least = most;

	if (n < 2 || !out->unit || strcmp(out->unit, "B/s") != 0)
		return 0;
	if (!(most > 0))
		return result_set(&out->reason,
				  "the time cannot be told from nothing");
	for (size_t i = 0; i < n; i++)
		if (result_said(rows[i]) > 0)
			least = fmin(least, result_said(rows[i]));
	snprintf(text, sizeof(text), "unstable: rounds from %s to %s",
		 units_format(a, least, out->unit),
		 units_format(b, most, out->unit));
	return result_set(&out->reason, text);
}

/* One bound for all readers of a row that has no value.
 * @most: of doubt(). */
static int set_bound(struct result *out, rows_t rows, size_t n, double most)
{
	char text[UNITS_MAX + 64], bound[UNITS_MAX];

	if (out->status != RESULT_BELOW_RESOLUTION)
		return 0;
	if (!isfinite(out->resolution))
		return set_unstable(out, rows, n);
	out->resolution =
		fmax(out->resolution, fmax(fabs(out->estimate), most));
	units_format(bound, out->resolution, out->unit);
	snprintf(text, sizeof(text), "< %s: %s", bound,
		 isfinite(most) ? "the invocations disagree whether there is "
				  "a cost"
				: "cannot be told from nothing");
	return result_set(&out->reason, text);
}

/* Mean and deviation of all samples of all rows. */
static int pooled(struct result *out, rows_t rows, size_t n)
{
	struct stats_group *groups = calloc(n, sizeof(*groups)), pool;
	size_t k = 0;

	if (!groups)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		const struct result *r = rows[i];

		if (!r->samples || !isfinite(r->mean))
			continue;
		groups[k].n = r->samples;
		groups[k].mean = r->mean;
		groups[k++].stddev = isfinite(r->stddev) ? r->stddev : 0;
	}
	if (k) {
		stats_pool(&pool, groups, k);
		out->mean = pool.mean;
		out->stddev = pool.stddev;
	}
	free(groups);
	return 0;
}

/* What the rows do not agree about, and what adds up. */
static int circumstances(struct result *out, rows_t rows, size_t n)
{
	int err = 0;

	out->round = n == 1 ? rows[0]->round : -1;
	for (size_t i = 0; i < n; i++) {
		const struct result *r = rows[i];

		if (r->cpu != out->cpu)
			out->cpu = r->cpu < 0 || out->cpu == -1
					   ? -1
					   : RESULT_CPUS_DIFFER;
		if (out->timer && r->timer && strcmp(out->timer, r->timer) != 0)
			err = result_set(&out->timer, NULL);
		if (out->status != RESULT_OK || isfinite(result_said(r)))
			out->n += r->n;
	}
	return err;
}

/* The value and its interval; the medians are there.  Return: as doubt(). */
static double figures(struct result *out, rows_t rows, size_t n, double *work)
{
	double most;

	headline(out, rows, n, work);
	most = doubt(out, rows, n);
	widen(out);
	widen_to_step(out);
	return most;
}

static int find_states(struct result *out, rows_t rows, size_t n, double *work)
{
	struct states s;
	size_t k = said_of(rows, n, SIZE_MAX, work);

	if (out->status != RESULT_OK || !states_apply(out->unit) ||
	    !states_find(&s, work, k))
		return 0;
	out->states = states_json(&s);
	return out->states ? 0 : -ENOMEM;
}

/* All but the headline. */
static int aggregate_rest(struct result *out, rows_t rows, size_t n,
			  double most, double *work)
{
	int err = circumstances(out, rows, n);

	if (!err)
		err = pooled(out, rows, n);
	if (!err)
		err = aggregate_objects(out, rows, n);
	if (err)
		return err;
	aggregate_tail(out);
	err = set_bound(out, rows, n, most);
	if (!err)
		err = find_states(out, rows, n, work);
	return err ? err : grade_set(out, NAN);
}

static int aggregate(struct result *out, rows_t rows, size_t n, bool whole)
{
	double *work = calloc(n, sizeof(*work)), most;
	const struct result **good = calloc(n, sizeof(const struct result *));
	int err = work && good ? 0 : -ENOMEM;
	size_t k = 0;

	result_init(out);
	if (!err) {
		out->status = pick_status(rows, n);
		k = pick_rows(out, rows, n, good);
		err = k ? merge_columns(out, good, k, work, !whole) : -EINVAL;
	}
	if (!err) {
		most = figures(out, good, k, work);
		if (whole)
			err = aggregate_rest(out, good, k, most, work);
	}
	if (!err && whole)
		err = aggregate_set_aside(out, rows, n);
	free(work);
	free(good);
	return err;
}

int result_headline(struct result *out, const struct result *const *rows,
		    size_t n)
{
	return aggregate(out, rows, n, false);
}

int result_aggregate(struct result *out, const struct result *const *rows,
		     size_t n)
{
	int err = aggregate(out, rows, n, true);

	if (err)
		result_free(out);
	return err;
}
