/* SPDX-License-Identifier: MIT */
#include "op_counts.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stats.h"

#define EMPTY_PAIRS 64
/* Standard error of a median (1.2533) in deviations, of which the MAD is
 * 1/1.4826. */
#define MEDIAN_SE (1.2533 * 1.4826)
#define SIGMAS	  3
#define WHY_MAX	  256

/* Median of a copy; NAN if there is nothing. */
static double median_of(const struct sample_vec *vec)
{
	double *copy = vec->n ? malloc(vec->n * sizeof(*copy)) : NULL;
	double median;

	if (!copy)
		return NAN;
	memcpy(copy, vec->v, vec->n * sizeof(*copy));
	median = stats_median(copy, vec->n);
	free(copy);
	return median;
}

/* Three standard errors of the median. */
static double error_of(const struct sample_vec *vec)
{
	double *copy = vec->n ? malloc(vec->n * sizeof(*copy)) : NULL;
	double error;

	if (!copy)
		return NAN;
	memcpy(copy, vec->v, vec->n * sizeof(*copy));
	error = SIGMAS * MEDIAN_SE * stats_mad(copy, vec->n) /
		sqrt((double)vec->n);
	free(copy);
	return error;
}

static int count_empty_pairs(struct op_counter *counter)
{
	struct sample_vec vec[COUNTERS_EVENTS + 1] = { { 0 } };
	int err = 0;

	for (int i = 0; i < EMPTY_PAIRS && !err; i++) {
		struct counters_counts k;

		err = counters_start(counter->c);
		if (!err)
			err = counters_stop(counter->c, &k);
		for (int e = 0; e < COUNTERS_EVENTS && !err; e++)
			if (k.count[e].known)
				err = sample_push(&vec[e], k.count[e].value);
		if (!err)
			err = sample_push(&vec[COUNTERS_EVENTS],
					  (double)(k.end_ns - k.begin_ns));
	}
	for (int e = 0; e < COUNTERS_EVENTS; e++)
		counter->empty[e] = median_of(&vec[e]);
	counter->pair_ns = median_of(&vec[COUNTERS_EVENTS]);
	for (int e = 0; e <= COUNTERS_EVENTS; e++)
		sample_free(&vec[e]);
	return err;
}

int op_counter_open(struct op_counter *counter)
{
	static const struct counters_target self = { .kind = COUNTERS_SELF };
	int err = counters_open(&counter->c, &self, 0);

	if (!err)
		err = count_empty_pairs(counter);
	if (err)
		op_counter_close(counter);
	return err;
}

void op_counter_close(struct op_counter *counter)
{
	counters_close(counter->c);
	counter->c = NULL;
}

/* Told one by one by the kernel, and rare. */
static bool is_exact(enum counters_event event)
{
	return event == COUNTERS_PAGE_FAULTS ||
	       event == COUNTERS_CONTEXT_SWITCHES ||
	       event == COUNTERS_MIGRATIONS;
}

int op_counts_add(struct op_counts *counts, const struct counters_counts *k,
		  uint64_t iters, bool is_long)
{
	if (!counts->intervals++)
		counts->least_share = 1;
	for (int e = 0; e < COUNTERS_EVENTS; e++) {
		const struct counters_count *one = &k->count[e];

		if (isfinite(one->share))
			counts->least_share =
				fmin(counts->least_share, one->share);
		if (!one->known)
			continue;
		counts->total[e] += one->value;
		counts->ops[e] += (double)iters;
		if (!is_exact((enum counters_event)e) &&
		    sample_push(is_long ? &counts->longer[e]
					: &counts->brief[e],
				one->value))
			return -ENOMEM;
	}
	return 0;
}

int op_counter_begin(const struct op_counter *counter)
{
	return counter ? counters_start(counter->c) : 0;
}

int op_counter_end(const struct op_counter *counter, struct op_counts *counts,
		   uint64_t iters, bool is_long)
{
	struct counters_counts k;
	int err = counter ? counters_stop(counter->c, &k) : 0;

	if (err || !counter || !counts)
		return err;
	return op_counts_add(counts, &k, iters, is_long);
}

void op_counts_free(struct op_counts *counts)
{
	for (int e = 0; e < COUNTERS_EVENTS; e++) {
		sample_free(&counts->brief[e]);
		sample_free(&counts->longer[e]);
	}
	memset(counts, 0, sizeof(*counts));
}

struct op_count op_counts_get(const struct op_counts *counts,
			      const struct op_counter *counter,
			      enum counters_event event, uint64_t iters)
{
	const struct sample_vec *brief = &counts->brief[event];
	const struct sample_vec *longer = &counts->longer[event];
	double n = (double)iters;

	if (is_exact(event))
		return (struct op_count) {
			counts->total[event] / counts->ops[event], NAN
		};
	if (!iters)
		return (struct op_count) { median_of(brief) -
						   counter->empty[event],
					   fmax(error_of(brief), 1) };
	return (struct op_count) {
		(median_of(longer) - median_of(brief)) / n,
		fmax(hypot(error_of(longer), error_of(brief)), 1) / n
	};
}

/* An operation of @counts less one of @base. */
static struct op_count less_base(const struct op_counts *counts,
				 const struct op_counts *base,
				 const struct op_counter *counter,
				 enum counters_event event, uint64_t iters,
				 double ops)
{
	struct op_count x = op_counts_get(counts, counter, event, iters), y;

	if (base) {
		y = op_counts_get(base, counter, event, iters);
		x.value -= y.value;
		x.resolution = hypot(x.resolution, y.resolution);
		/* Rare events may all have fallen into the baseline. */
		if (is_exact(event) && x.value < 0)
			x.resolution = -x.value;
	}
	x.value /= ops;
	x.resolution /= ops;
	return x;
}

/* Why @event has no number; @x is what was computed. */
static const char *why_unknown(const struct op_counter *counter,
			       enum counters_event event,
			       const struct op_count *x, char *text)
{
	const char *why = counters_why(counter->c, event);

	if (why)
		return why;
	if (!isfinite(x->value))
		return "it never had a counter: others use them";
	snprintf(text, WHY_MAX, "< %.3g: cannot be told from nothing",
		 fmax(x->resolution, fabs(x->value)));
	return text;
}

static bool is_known(const struct op_count *x)
{
	if (!isfinite(x->value))
		return false;
	return !isfinite(x->resolution) ||
	       (x->value > 0 && x->value >= x->resolution);
}

static int put(json_t *o, const char *key, double x)
{
	return json_object_set_new(o, key,
				   isfinite(x) ? json_real(x) : json_null());
}

static int put_event(json_t *o, json_t *unknown,
		     const struct op_counter *counter,
		     enum counters_event event, struct op_count *x)
{
	const char *name = counters_name(event);
	char text[WHY_MAX];

	if (is_known(x))
		return put(o, name, x->value);
	if (json_object_set_new(unknown, name,
				json_string(
					why_unknown(counter, event, x, text))))
		return -1;
	x->value = NAN;
	return put(o, name, NAN);
}

json_t *op_counts_json(const struct op_counts *counts,
		       const struct op_counts *base,
		       const struct op_counter *counter, uint64_t iters,
		       double ops)
{
	struct op_count x[COUNTERS_EVENTS];
	json_t *o = json_object(), *unknown = json_object();
	int bad = !o || !unknown;

	bad |= json_object_set_new(o, "scope",
				   json_string(counters_user_only(counter->c)
						       ? "user"
						       : "user and "
							 "kernel"));
	for (int e = 0; e < COUNTERS_EVENTS; e++) {
		x[e] = less_base(counts, base, counter, (enum counters_event)e,
				 iters, ops);
		bad |= put_event(o, unknown, counter, (enum counters_event)e,
				 &x[e]);
	}
	bad |= put(o, "ipc",
		   x[COUNTERS_INSTRUCTIONS].value / x[COUNTERS_CYCLES].value);
	bad |= put(o, "share", counts->least_share);
	bad |= put(o, "pair_ns", counter->pair_ns);
	bad |= json_object_set_new(o, "intervals",
				   json_integer((json_int_t)counts->intervals));
	bad |= json_object_set(o, "unknown", unknown);
	json_decref(unknown);
	if (bad) {
		json_decref(o);
		return NULL;
	}
	return o;
}

/* The median of the numbers that @key has in the objects. */
static double median_key(const json_t *const *objects, size_t n,
			 const char *key)
{
	struct sample_vec vec = { 0 };
	double median;

	for (size_t i = 0; i < n; i++) {
		const json_t *v = json_object_get(objects[i], key);

		if (json_is_number(v) &&
		    sample_push(&vec, json_number_value(v)))
			break;
	}
	median = median_of(&vec);
	sample_free(&vec);
	return median;
}

/* What has a number after all is not unknown. */
static void drop_known(json_t *o)
{
	json_t *unknown = json_object_get(o, "unknown");

	for (int e = 0; e < COUNTERS_EVENTS; e++) {
		const char *name = counters_name((enum counters_event)e);

		if (json_is_number(json_object_get(o, name)))
			json_object_del(unknown, name);
	}
}

json_t *op_counts_merge(const json_t *const *objects, size_t n)
{
	json_t *o = n ? json_deep_copy(objects[0]) : NULL;
	json_int_t intervals = 0;
	const char *key;
	json_t *v;
	void *next;

	if (!o)
		return NULL;
	for (size_t i = 0; i < n; i++) {
		intervals += json_integer_value(
			json_object_get(objects[i], "intervals"));
		json_object_update_missing(json_object_get(o, "unknown"),
					   json_object_get(objects[i],
							   "unknown"));
	}
	json_object_foreach_safe(o, next, key, v)
	{
		if (json_is_real(v) || json_is_null(v))
			put(o, key, median_key(objects, n, key));
	}
	if (json_object_get(o, "intervals"))
		json_object_set_new(o, "intervals", json_integer(intervals));
	drop_known(o);
	return o;
}
