/* SPDX-License-Identifier: MIT */
/* Many invocations of one case made into one row: see result.h. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "grade.h"
#include "stats.h"
#include "units.h"

#define LEVEL	  0.95
#define MAX_TEXTS 256	   /* of different texts of one fact */
#define VARIES	  "varies" /* what there is no room to list */

typedef const struct result *const *rows_t;

/* Texts that differ: all that were seen, "first | second". */
static json_t *merge_texts(const char *seen, const char *text)
{
	char *all = text_format("| %s |", seen);
	char *one = text_format("| %s |", text);
	const bool had = strstr(all, one);

	free(all);
	free(one);
	if (!strcmp(seen, VARIES) ||
	    (!had && strlen(seen) + strlen(text) + 3 >= MAX_TEXTS))
		return json_string(VARIES);
	return had ? json_string(seen) : json_sprintf("%s | %s", seen, text);
}

/* Facts that differ: [least, greatest] of numbers, all texts. */
static json_t *merge_facts(json_t *a, json_t *b)
{
	double x = json_number_value(b), lo = json_number_value(a), hi = lo;

	if (json_equal(a, b))
		return json_incref(a);
	if (json_is_number(b) &&
	    (json_is_number(a) || !json_unpack(a, "[FF!]", &lo, &hi)))
		return json_pack("[ff]", fmin(lo, x), fmax(hi, x));
	if (json_is_string(a) && json_is_string(b))
		return merge_texts(json_string_value(a), json_string_value(b));
	return json_string(VARIES);
}

static double edge_of(const json_t *bin)
{
	return json_number_value(json_array_get(bin, 0));
}

static json_int_t count_of(const json_t *bin)
{
	return json_integer_value(json_array_get(bin, 1));
}

/* Ascending lists of [edge, count]; edges are computed by the same rule
 * everywhere, but pass through text. */
static void add_bins(json_t *into, const json_t *from)
{
	size_t at = 0, i;
	json_t *bin, *have;

	json_array_foreach(from, i, bin)
	{
		const double edge = edge_of(bin), near = 1e-9 * fabs(edge);

		while ((have = json_array_get(into, at)) &&
		       edge_of(have) < edge - near)
			at++;
		if (have && edge_of(have) <= edge + near)
			json_array_set_new(have, 1,
					   json_integer(count_of(have) +
							count_of(bin)));
		else
			json_array_insert_new(into, at, json_deep_copy(bin));
	}
}

/* Merge @from into @into.  Counts are added up, also those of bins, and so are
 * the expected and seen numbers of evidence, whose kind and share are the same
 * in both; facts may differ. */
enum members { COUNTS, FACTS, EVIDENCE };

static void merge_objects(json_t *into, json_t *from, enum members are)
{
	const char *key;
	json_t *v;

	json_object_foreach(from, key, v)
	{
		json_t *have = json_object_get(into, key);
		const double sum =
			json_number_value(have) + json_number_value(v);

		if (!have)
			json_object_set_new(into, key, json_deep_copy(v));
		else if (json_is_object(have))
			merge_objects(have, v, are == FACTS ? EVIDENCE : are);
		else if (are == FACTS)
			json_object_set_new(into, key, merge_facts(have, v));
		else if (json_is_array(have))
			add_bins(have, v);
		else if (are == COUNTS && json_is_integer(have))
			json_object_set_new(into, key,
					    json_integer((json_int_t)sum));
		else if (!strcmp(key, "expected") || !strcmp(key, "seen"))
			json_object_set_new(into, key, json_real(sum));
	}
}

/* One object of those that the rows have in column @c; NULL: none has bins. */
static json_t *merge_json(rows_t rows, size_t n, const struct result_column *c)
{
	json_t *all = json_object();

	for (size_t i = 0; i < n; i++) {
		const char *r = (const char *)rows[i];

		merge_objects(all, *(json_t *const *)(r + c->offset),
			      c->merge == MERGE_FACTS ? FACTS : COUNTS);
	}
	if (c->merge != MERGE_BINS || json_object_size(all))
		return all;
	json_decref(all);
	return NULL;
}

/* One number of those that the rows have in column @c, where it is known. */
static double merge_numbers(rows_t rows, size_t n,
			    const struct result_column *c, double *work)
{
	double sum = 0;
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
	stats_sort(work, k);
	return c->merge == MERGE_LEAST	? work[0]
	       : c->merge == MERGE_MOST ? work[k - 1]
					: stats_median(work, k);
}

/* Merge by the table of columns.  A value that is the same in all rows comes
 * from the first that has the status, so that its reason fits. */
static void merge_columns(struct result *out, rows_t rows, size_t n,
			  double *work)
{
	const struct result *like = rows[0];

	for (size_t i = n; i--;)
		if (rows[i]->status == out->status)
			like = rows[i];
	for (const struct result_column *c = result_columns; c->key; c++) {
		const bool first = c->merge == MERGE_FIRST;
		const void *from =
			(const char *)(first ? rows[0] : like) + c->offset;
		void *to = (char *)out + c->offset;

		if (c->merge == MERGE_OWN)
			continue;
		if (c->merge >= MERGE_FACTS)
			*(json_t **)to = merge_json(rows, n, c);
		else if (c->merge >= MERGE_MEDIAN && c->kind == COLUMN_NUMBER)
			*(double *)to = merge_numbers(rows, n, c, work);
		else if (c->merge >= MERGE_MEDIAN)
			*(uint64_t *)to =
				(uint64_t)merge_numbers(rows, n, c, work);
		else if (c->kind == COLUMN_TEXT)
			result_set(to, *(char *const *)from);
		else if (c->kind == COLUMN_JSON)
			*(json_t **)to = json_incref(*(json_t *const *)from);
		else
			*(uint64_t *)to = *(const uint64_t *)from;
	}
	if (out->status != RESULT_OK)
		result_set(&out->reason, like->reason);
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

/* Those of @rows that @out is made of are @good.  The rest is set aside:
 * visits, and invocations that failed where @out did not or shared their core.
 * Return: how many are good. */
static size_t pick_rows(struct result *out, rows_t rows, size_t n,
			const struct result **good)
{
	json_t *aside = json_pack("{s:i,s:i,s:{}}", "visits", 0, "invocations",
				  0, "reasons");
	const double best = result_best_share(rows, n);
	const bool valued = has_value(out);
	size_t k = 0;

	for (size_t i = 0; i < n; i++) {
		const struct result *r = rows[i];
		const bool failed = r->status == RESULT_FAILED &&
				    out->status != RESULT_FAILED;
		const char *why =
			!failed ? "another hardware thread worked on the core"
			: r->reason ? r->reason
				    : "failed without a reason";
		json_t *one;

		merge_objects(aside, r->set_aside, COUNTS);
		if (!failed && !result_shared(r, best)) {
			if (!valued || r->status != RESULT_SKIPPED)
				good[k++] = rows[i];
			continue;
		}
		one = json_pack("{s:i,s:{s:i}}", "invocations", 1, "reasons",
				why, 1);
		/* Its own set_aside has the reasons of its evidence already. */
		if (failed && json_object_get(r->set_aside, "reasons"))
			json_object_del(one, "reasons");
		merge_objects(aside, one, COUNTS);
		json_decref(one);
	}
	if (json_integer_value(json_object_get(aside, "visits")) ||
	    json_integer_value(json_object_get(aside, "invocations")))
		out->set_aside = json_incref(aside);
	json_decref(aside);
	return k;
}

double result_headline(const struct result *r)
{
	if (r->status == RESULT_FAILED)
		return NAN;
	return isfinite(r->value) ? r->value : r->estimate;
}

/* Invocations that all find one step, of what was tried or of the clock, do not
 * know where in it they are. */
static void widen(struct result *out)
{
	const double half = out->quantum / 2;

	/* No interval stays none: NAN loses in fmin() against a number. */
	if (!isfinite(out->ci95[0]))
		return;
	out->ci95[0] = fmin(out->ci95[0], out->at_least);
	out->ci95[1] = fmax(out->ci95[1], out->at_most);
	if (!isfinite(half))
		return;
	out->ci95[0] = fmin(out->ci95[0], fmax(0, out->value - half));
	out->ci95[1] = fmax(out->ci95[1], out->value + half);
}

/* The finite values of @rows, times the frequency at @hz in GHz (SIZE_MAX is
 * none), sorted in @x.  Return: how many. */
static size_t values_of(rows_t rows, size_t n, size_t hz, double *x)
{
	size_t k = 0;

	for (size_t i = 0; i < n; i++) {
		const char *r = (const char *)rows[i];

		x[k] = result_headline(rows[i]);
		if (hz != SIZE_MAX)
			x[k] = x[k] * *(const double *)(r + hz) / 1e9;
		k += isfinite(x[k]);
	}
	stats_sort(x, k);
	return k;
}

/* The value and its interval, from the @k that were @said. */
static void headline(struct result *out, double *said, size_t k)
{
	const bool higher = out->better && !strcmp(out->better, "higher");
	size_t lo, hi;

	if (!k)
		return;
	out->estimate = stats_median(said, k);
	/* A level is a word that was made a number: between 0 and 2 lies no 1,
	 * so there is no median, and what failed once did not always hold. */
	if (result_is_level(out))
		out->estimate = said[higher ? 0 : k - 1];
	if (out->status != RESULT_OK)
		return;
	out->value = out->estimate;
	if (!result_is_level(out) &&
	    stats_order_ranks(k, LEVEL, &lo, &hi) >= LEVEL) {
		out->ci95[0] = said[lo - 1];
		out->ci95[1] = said[hi - 1];
	}
}

/* The value in ticks and cycles, whose rates each invocation has of its own. */
static void set_ticks(struct result *out, rows_t rows, size_t n, double *work)
{
	size_t k;

	if (out->status != RESULT_OK ||
	    (out->unit && strcmp(out->unit, "ns") != 0))
		return;
	k = values_of(rows, n, offsetof(struct result, tsc_hz), work);
	out->ticks = k ? stats_median(work, k) : NAN;
	k = values_of(rows, n, offsetof(struct result, core_hz), work);
	out->cycles = k ? stats_median(work, k) : NAN;
}

/* Invocations that disagree whether there is a cost can have a median that is
 * none, or an interval that holds nothing: then there is no result, and never
 * a negative one.  Return: whether that is so. */
static bool doubt(struct result *out, rows_t rows, size_t n)
{
	size_t below = 0;

	for (size_t i = 0; i < n; i++)
		below += rows[i]->status == RESULT_BELOW_RESOLUTION;
	if (!below || (!(out->value <= 0) && !(out->ci95[0] <= 0)))
		return false;
	out->status = RESULT_BELOW_RESOLUTION;
	out->value = out->ci95[0] = out->ci95[1] = NAN;
	return true;
}

/* One bound for all readers of a row that has no value; of a rate the time has
 * a resolution, and each invocation its own: the reader learns what the
 * invocations, of which there were @n, gave.
 * @most: what it may be all the same; NAN if there is no doubt. */
static void set_bound(struct result *out, size_t n, const double *said,
		      size_t k, double most)
{
	char text[2 * UNITS_MAX + 64], a[UNITS_MAX], b[UNITS_MAX];
	size_t least = 0;

	if (out->status != RESULT_BELOW_RESOLUTION)
		return;
	while (least < k && !(said[least] > 0))
		least++;
	if (isfinite(out->resolution)) {
		out->resolution =
			fmax(out->resolution, fmax(fabs(out->estimate), most));
		snprintf(text, sizeof(text), "< %s: %s",
			 units_format(a, out->resolution, out->unit),
			 isfinite(most) ? "the runs disagree whether there "
					  "is a cost"
					: "too small to measure");
	} else if (n < 2 || !out->unit || strcmp(out->unit, "B/s") != 0) {
		return;
	} else if (least == k) {
		snprintf(text, sizeof(text),
			 "the time is too small to measure");
	} else {
		snprintf(text, sizeof(text), "unstable: rounds from %s to %s",
			 units_format(a, said[least], out->unit),
			 units_format(b, said[k - 1], out->unit));
	}
	result_set(&out->reason, text);
}

/* The counts beside the value that is nearest to that of @out: counts of
 * one invocation fit each other. */
static void pick_counters(struct result *out, rows_t rows, size_t n)
{
	double least = INFINITY;

	for (size_t i = 0; i < n; i++) {
		const double off =
			fabs(result_headline(rows[i]) - out->estimate);

		if (!rows[i]->counters || (out->counters && !(off < least)))
			continue;
		json_decref(out->counters);
		out->counters = json_incref(rows[i]->counters);
		least = off;
	}
}

/* Mean and deviation of all samples of all rows. */
static void pool(struct result *out, rows_t rows, size_t n)
{
	struct stats_group all = { 0, NAN, NAN };

	for (size_t i = 0; i < n; i++) {
		const struct result *r = rows[i];

		if (isfinite(r->mean))
			stats_pool(&all, &(struct stats_group) {
						 r->samples, r->mean,
						 fmax(r->stddev, 0) });
	}
	out->mean = all.mean;
	out->stddev = all.stddev;
}

/* Fields in which rows may differ, and fields that add up. */
static void circumstances(struct result *out, rows_t rows, size_t n)
{
	out->round = n == 1 ? rows[0]->round : -1;
	for (size_t i = 0; i < n; i++) {
		const struct result *r = rows[i];

		if (r->cpu != out->cpu)
			out->cpu = r->cpu < 0 || out->cpu == -1
					   ? -1
					   : RESULT_CPUS_DIFFER;
		if (out->timer && r->timer && strcmp(out->timer, r->timer) != 0)
			result_set(&out->timer, NULL);
		if (out->status != RESULT_OK || isfinite(result_headline(r)))
			out->n += r->n;
	}
}

/* The @p quantile of all samples, from the bins of all invocations; within a
 * bin by its ratio.  NAN if there are too few samples to have one, or if it is
 * among those that are not positive and so in no bin. */
static double binned(const struct result *r, double p)
{
	const json_t *bins = json_object_get(r->histogram, "bins");
	double below = (double)r->samples, rank = p * below, x = NAN;
	json_t *bin;
	size_t i;

	if (below * (1 - p) < 0.999)
		return NAN;
	json_array_foreach(bins, i, bin) below -= (double)count_of(bin);
	if (rank <= below)
		return NAN;
	json_array_foreach(bins, i, bin)
	{
		const double count = (double)count_of(bin);

		if (below + count >= rank) {
			x = edge_of(bin) *
			    pow(10, (rank - below) / count / RESULT_BINS);
			break;
		}
		below += count;
	}
	return fmin(fmax(x, r->p50), r->max);
}

/* p90 to p999 of single events from @out's own samples and histogram: each
 * invocation alone has too few of them, and the median of their greatest is no
 * percentile. */
static void set_tail(struct result *out)
{
	const char *unit =
		json_string_value(json_object_get(out->histogram, "unit"));

	if (out->n < 2 || !unit || !strcmp(unit, "cycles"))
		return;
	out->p90 = binned(out, 0.9);
	out->p99 = binned(out, 0.99);
	out->p999 = binned(out, 0.999);
}

void result_aggregate(struct result *out, const struct result *const *rows,
		      size_t n)
{
	double *work = text_alloc(2 * n, sizeof(*work)), *said = work + n, most;
	const struct result **good = text_alloc(n, sizeof(struct result *));
	struct states states;
	size_t k, m;

	result_init(out);
	out->status = pick_status(rows, n);
	k = pick_rows(out, rows, n, good);
	merge_columns(out, good, k, work);
	m = values_of(good, k, SIZE_MAX, said);
	headline(out, said, m);
	most = isfinite(out->ci95[1]) ? out->ci95[1] : m ? said[m - 1] : NAN;
	if (!doubt(out, good, k))
		most = NAN;
	widen(out);
	set_ticks(out, good, k, work);
	circumstances(out, good, k);
	pool(out, good, k);
	pick_counters(out, good, k);
	set_tail(out);
	set_bound(out, k, said, m, most);
	if (out->status == RESULT_OK && !result_is_level(out) &&
	    states_find(&states, said, m))
		out->states = states_json(&states);
	grade_set(out, NAN);
	free(work);
	free(good);
}
