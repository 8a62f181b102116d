/* SPDX-License-Identifier: MIT */
#include "op_counts_json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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
	snprintf(text, WHY_MAX, "< %.3g: cannot be told from nothing", bound);
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

static double number_in(const json_t *o, const char *key)
{
	const json_t *v = json_object_get(o, key);

	return json_is_number(v) ? json_number_value(v) : NAN;
}

static int put_ipc(json_t *o)
{
	return put(o, "ipc",
		   number_in(o, counters_name(COUNTERS_INSTRUCTIONS)) /
			   number_in(o, counters_name(COUNTERS_CYCLES)));
}

/* The number of @event, or in @unknown why it has none. */
static int put_event(json_t *o, json_t *unknown,
		     const struct op_counter *counter,
		     enum counters_event event, const struct op_count *x)
{
	const char *name = counters_name(event);
	const char *why = counters_why(counter->c, event);
	char text[WHY_MAX];

	if (is_known(x))
		return put(o, name, x->value);
	if (!why && isfinite(x->value))
		why = below(text, fmax(x->resolution, fabs(x->value)));
	if (!why)
		why = "it never had a counter for itself that counted: others "
		      "use them";
	return json_object_set_new(unknown, name, json_string(why)) |
	       put(o, name, NAN);
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
	int bad = !o || !unknown;

	for (int e = 0; e < COUNTERS_EVENTS; e++) {
		const enum counters_event event = (enum counters_event)e;
		const struct op_count x =
			less_base(counts, base, event, iters, ops);

		bad |= put_event(o, unknown, counter, event, &x);
	}
	bad |= put_ipc(o);
	bad |= put(o, "share", counts->least_share);
	bad |= put(o, "pair_ns", counter->pair_ns);
	bad |= json_object_set_new(o, "intervals",
				   json_integer((json_int_t)counts->intervals));
	bad |= json_object_set_new(o, "unknown", unknown);
	if (!bad)
		return o;
	json_decref(o);
	return NULL;
}

/* The bound that @o gives for an event that it cannot tell from nothing; NAN
 * if that is not why it has no number. */
static double bound_of(const json_t *o, const char *event)
{
	const char *why = json_string_value(
		json_object_get(json_object_get(o, "unknown"), event));
	double bound;

	return why && sscanf(why, "< %lf", &bound) == 1 ? bound : NAN;
}

/* The median of @key over all that could have told.  Those below resolution
 * are the least: to leave them out would bias the others upwards.  If no more
 * than half have a number there is none, and one bound that all agree to, if
 * one gave a bound. */
static int merge_key(json_t *o, const json_t *const *objects, size_t n,
		     const char *key)
{
	json_t *unknown = json_object_get(o, "unknown");
	struct sample_vec vec = { 0 };
	size_t numbers = 0;
	double most = NAN, median;
	char text[WHY_MAX];
	int bad = 0;

	for (size_t i = 0; i < n; i++) {
		double x = number_in(objects[i], key);
		double bound = bound_of(objects[i], key);

		most = fmax(most, isfinite(x) ? x : bound);
		numbers += isfinite(x);
		if (isfinite(x) || isfinite(bound))
			bad |= sample_push(&vec, isfinite(x) ? x : -INFINITY);
	}
	median = numbers * 2 > n ? sample_median(&vec) : NAN;
	if (isfinite(median))
		json_object_del(unknown, key);
	else if (numbers < vec.n)
		bad |= json_object_set_new(unknown, key,
					   json_string(below(text, most)));
	sample_free(&vec);
	return bad | put(o, key, median);
}

json_t *op_counts_merge(const json_t *const *objects, size_t n)
{
	json_t *o = n ? json_deep_copy(objects[0]) : NULL, *v;
	double intervals = 0;
	const char *key;
	int bad = !o;
	void *next;

	for (size_t i = 0; i < n; i++) {
		intervals += number_in(objects[i], "intervals");
		json_object_update_missing(json_object_get(o, "unknown"),
					   json_object_get(objects[i],
							   "unknown"));
	}
	json_object_foreach_safe(o, next, key, v)
	{
		if (!strcmp(key, "intervals"))
			bad |= json_object_set_new(
				o, key, json_integer((json_int_t)intervals));
		else if (json_is_number(v) || json_is_null(v))
			bad |= merge_key(o, objects, n, key);
	}
	if (!bad && !put_ipc(o))
		return o;
	json_decref(o);
	return NULL;
}
