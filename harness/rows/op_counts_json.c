/* SPDX-License-Identifier: MIT */
#include "rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "stats.h"

#define WHY_MAX 256

/* An operation of @counts less one of @base. */
static struct op_count less_base(const struct op_counts *counts,
				 const struct op_counts *base,
				 enum counters_event event, uint64_t iters,
				 double ops)
{
	struct op_count x = op_counts_get(counts, event, iters), y;

	if (base) {
		y = op_counts_get(base, event, iters);
		x.value -= y.value;
		x.resolution = hypot(x.resolution, y.resolution);
		/* Rare events may all have fallen into the baseline. */
		if (isnan(x.resolution) && x.value < 0)
			x.resolution = -x.value;
	}
	x.value /= ops;
	x.resolution /= ops;
	return x;
}

static const char *below(char text[WHY_MAX], double bound)
{
	snprintf(text, WHY_MAX, "< %.3g: too small to measure", bound);
	return text;
}

static bool is_known(const struct op_count *x)
{
	if (!isfinite(x->value))
		return false;
	return !isfinite(x->resolution) ||
	       (x->value > 0 && x->value >= x->resolution);
}

static void put(json_t *o, const char *key, double x)
{
	json_object_set_new(o, key, isfinite(x) ? json_real(x) : json_null());
}

static double number_in(const json_t *o, const char *key)
{
	const json_t *v = json_object_get(o, key);

	return json_is_number(v) ? json_number_value(v) : NAN;
}

static void put_ipc(json_t *o)
{
	put(o, "ipc",
	    number_in(o, counters_name(COUNTERS_INSTRUCTIONS)) /
		    number_in(o, counters_name(COUNTERS_CYCLES)));
}

json_t *op_counts_json(const struct op_counts *counts,
		       const struct op_counts *base,
		       const struct op_counter *counter, uint64_t iters,
		       double ops)
{
	const bool user = counters_user_only(counter->c);
	json_t *unknown = json_object();
	json_t *o =
		json_pack("{s:s}", "scope", user ? "user" : "user and kernel");

	for (enum counters_event e = 0; e < COUNTERS_EVENTS; e++) {
		const struct op_count x =
			less_base(counts, base, e, iters, ops);
		const char *why = counters_why(counter->c, e);
		const bool known = is_known(&x);
		char text[WHY_MAX];

		put(o, counters_name(e), known ? x.value : NAN);
		if (known)
			continue;
		if (!why && isfinite(x.value))
			why = below(text, fmax(x.resolution, fabs(x.value)));
		if (!why)
			why = "it never had a counter for itself that counted: "
			      "others use them";
		json_object_set_new(unknown, counters_name(e),
				    json_string(why));
	}
	put_ipc(o);
	put(o, "share", counts->least_share);
	put(o, "pair_ns", counter->pair_ns);
	json_object_set_new(o, "intervals",
			    json_integer((json_int_t)counts->intervals));
	json_object_set_new(o, "unknown", unknown);
	return o;
}

/* The count of @event in @o: a number, -INFINITY where there is only a bound,
 * or NAN.  @bound: the most that it may be, NAN if that is not known. */
static double said(const json_t *o, const char *event, double *bound)
{
	const char *why = json_string_value(
		json_object_get(json_object_get(o, "unknown"), event));

	*bound = number_in(o, event);
	if (!isnan(*bound) || !why || sscanf(why, "< %lf", bound) != 1)
		return *bound;
	return -INFINITY;
}

/* The median of @key over all that could have told.  Those below resolution
 * are the least: to leave them out would bias the others upwards.  If no more
 * than half have a number there is none, and one bound that all agree to, if
 * one gave a bound. */
static void merge_key(json_t *o, const struct result *const *rows, size_t n,
		      const char *key)
{
	json_t *unknown = json_object_get(o, "unknown");
	double *x = text_alloc(n, sizeof(*x)), most = NAN, median = NAN, bound;
	size_t k = 0, numbers = 0, counted = 0;
	char text[WHY_MAX];

	for (size_t i = 0; i < n; i++) {
		x[k] = said(rows[i]->counters, key, &bound);
		numbers += isfinite(x[k]);
		k += !isnan(x[k]);
		most = fmax(most, bound);
		counted += rows[i]->counters != NULL;
	}
	if (numbers * 2 > counted)
		median = stats_median(x, k);
	if (isfinite(median))
		json_object_del(unknown, key);
	else if (numbers < k)
		json_object_set_new(unknown, key,
				    json_string(below(text, most)));
	put(o, key, median);
	free(x);
}

json_t *op_counts_merge(const struct result *const *rows, size_t n)
{
	json_t *o = NULL, *v;
	json_int_t intervals = 0;
	const char *key;
	void *next;

	for (size_t i = 0; i < n; i++) {
		const json_t *one = rows[i]->counters;

		if (one && !o)
			o = json_deep_copy(one);
		intervals +=
			json_integer_value(json_object_get(one, "intervals"));
		json_object_update_missing(json_object_get(o, "unknown"),
					   json_object_get(one, "unknown"));
	}
	json_object_foreach_safe(o, next, key, v)
	{
		if (!strcmp(key, "intervals"))
			json_integer_set(v, intervals);
		else if (json_is_number(v) || json_is_null(v))
			merge_key(o, rows, n, key);
	}
	if (o)
		put_ipc(o);
	return o;
}
