/* SPDX-License-Identifier: MIT */
#include "aggregate_json.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "op_counts_json.h"

#define BINS_PER_DECADE 50.0
#define MAX_TEXTS	256	 /* of different texts of one fact */
#define VARIES		"varies" /* what there is no room to list */

/* Texts that differ: all that were seen, "first | second". */
static json_t *merge_texts(const char *seen, const char *text)
{
	char all[MAX_TEXTS], *rest = all, *one;

	if (!strcmp(seen, VARIES) ||
	    snprintf(all, sizeof(all), "%s", seen) >= (int)sizeof(all))
		return json_string(VARIES);
	while ((one = strsep(&rest, "|"))) {
		one += *one == ' ';
		if (!strncmp(one, text, strlen(text)) &&
		    strspn(one + strlen(text), " ") ==
			    strlen(one + strlen(text)))
			return json_string(seen);
	}
	if (snprintf(all, sizeof(all), "%s | %s", seen, text) >=
	    (int)sizeof(all))
		return json_string(VARIES);
	return json_string(all);
}

/* Facts that differ: [least, greatest] of numbers, all texts. */
static json_t *merge_facts(json_t *a, const json_t *b)
{
	double lo, hi, x;

	if (json_equal(a, b))
		return json_incref(a);
	if (json_is_number(b) &&
	    (json_is_number(a) || json_array_size(a) == 2)) {
		x = json_number_value(b);
		lo = json_number_value(json_is_array(a) ? json_array_get(a, 0)
							: a);
		hi = json_number_value(json_is_array(a) ? json_array_get(a, 1)
							: a);
		return json_pack("[ff]", fmin(lo, x), fmax(hi, x));
	}
	if (json_is_string(a) && json_is_string(b))
		return merge_texts(json_string_value(a), json_string_value(b));
	return json_string(VARIES);
}

static bool is_evidence(const json_t *v)
{
	return json_is_object(v) &&
	       json_is_number(json_object_get(v, "expected")) &&
	       json_is_number(json_object_get(v, "seen"));
}

static double number_of(const json_t *o, const char *key)
{
	return json_number_value(json_object_get(o, key));
}

/* Kind and share, where the format has them, are the same in both. */
static json_t *add_evidence(const json_t *a, const json_t *b)
{
	static const char *const sums[] = { "expected", "seen" };
	json_t *both = json_copy((json_t *)a);

	for (int i = 0; both && i < 2; i++)
		json_object_set_new(both, sums[i],
				    json_real(number_of(a, sums[i]) +
					      number_of(b, sums[i])));
	return both;
}

static int merge_evidence(json_t *into, json_t *from)
{
	const char *key;
	json_t *v;

	json_object_foreach(from, key, v)
	{
		json_t *have = json_object_get(into, key), *both;

		if (!have)
			both = json_incref(v);
		else if (is_evidence(have) && is_evidence(v))
			both = add_evidence(have, v);
		else
			both = merge_facts(have, v);
		if (json_object_set_new(into, key, both))
			return -ENOMEM;
	}
	return 0;
}

static int add_counts(json_t *into, json_t *from)
{
	const char *key;
	json_t *v;

	json_object_foreach(from, key, v)
	{
		json_int_t sum = json_integer_value(v) +
				 json_integer_value(json_object_get(into, key));

		if (json_object_set_new(into, key, json_integer(sum)))
			return -ENOMEM;
	}
	return 0;
}

int aggregate_set_aside(struct result *out, rows_t rows, size_t n)
{
	json_t *reasons = json_object(), *one;
	json_int_t visits = 0, invocations = 0;
	const double best = result_best_share(rows, n);
	int bad = !reasons;

	for (size_t i = 0; i < n && !bad; i++) {
		const struct result *r = rows[i];
		json_t *own = json_object_get(r->set_aside, "reasons");
		const bool failed = r->status == RESULT_FAILED &&
				    out->status != RESULT_FAILED;
		const bool shared = !failed && result_shared(r, best);
		const char *why =
			r->reason ? r->reason : "failed without a reason";

		visits += json_integer_value(
			json_object_get(r->set_aside, "visits"));
		/* Of a row that was aggregated before. */
		invocations += json_integer_value(
			json_object_get(r->set_aside, "invocations"));
		bad = own ? add_counts(reasons, own) : 0;
		if (!failed && !shared)
			continue;
		invocations++;
		/* What it says of evidence is in its own set_aside already. */
		if (failed && own)
			continue;
		if (shared)
			why = "another hardware thread worked on the core";
		one = json_pack("{s:i}", why, 1);
		bad |= one ? add_counts(reasons, one) : -ENOMEM;
		json_decref(one);
	}
	if (!bad && (visits || invocations))
		out->set_aside = json_pack("{s:I,s:I,s:O}", "visits", visits,
					   "invocations", invocations,
					   "reasons", reasons);
	json_decref(reasons);
	return bad || ((visits || invocations) && !out->set_aside) ? -ENOMEM
								   : 0;
}

static double edge_of(const json_t *bin)
{
	return json_number_value(json_array_get(bin, 0));
}

/* Ascending lists of [edge, count]; edges are computed by the same rule
 * everywhere, but pass through text. */
static int add_bins(json_t *into, const json_t *from)
{
	size_t at = 0, i;
	json_t *bin, *have;
	int bad = !into;

	json_array_foreach(from, i, bin)
	{
		const double edge = edge_of(bin), near = 1e-9 * fabs(edge);

		while ((have = json_array_get(into, at)) &&
		       edge_of(have) < edge - near)
			at++;
		if (have && edge_of(have) <= edge + near)
			bad |= json_array_set_new(
				have, 1,
				json_integer(json_integer_value(
						     json_array_get(have, 1)) +
					     json_integer_value(
						     json_array_get(bin, 1))));
		else
			bad |= json_array_insert_new(into, at,
						     json_deep_copy(bin));
	}
	return bad ? -ENOMEM : 0;
}

static int merge_histograms(struct result *out, rows_t rows, size_t n)
{
	int err = 0;

	for (size_t i = 0; i < n && !err; i++) {
		const json_t *h = rows[i]->histogram;

		if (h && out->histogram) {
			err = add_bins(json_object_get(out->histogram, "bins"),
				       json_object_get(h, "bins"));
		} else if (h) {
			out->histogram = json_deep_copy(h);
			err = out->histogram ? 0 : -ENOMEM;
		}
	}
	return err;
}

static int merge_counters(struct result *out, rows_t rows, size_t n)
{
	const json_t **some = calloc(n + 1, sizeof(json_t *));
	size_t k = 0;

	if (!some)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		if (rows[i]->counters)
			some[k++] = rows[i]->counters;
	if (k)
		out->counters = op_counts_merge(some, k);
	free(some);
	return k && !out->counters ? -ENOMEM : 0;
}

int aggregate_objects(struct result *out, rows_t rows, size_t n)
{
	out->evidence = json_object();
	out->tags = json_object();
	if (!out->evidence || !out->tags)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		if (merge_evidence(out->evidence, rows[i]->evidence) ||
		    add_counts(out->tags, rows[i]->tags))
			return -ENOMEM;
	if (merge_histograms(out, rows, n))
		return -ENOMEM;
	return merge_counters(out, rows, n);
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
	json_array_foreach(bins, i, bin) below -=
		json_number_value(json_array_get(bin, 1));
	if (rank <= below)
		return NAN;
	json_array_foreach(bins, i, bin)
	{
		double count = json_number_value(json_array_get(bin, 1));

		if (below + count >= rank) {
			x = json_number_value(json_array_get(bin, 0)) *
			    pow(10, (rank - below) / count / BINS_PER_DECADE);
			break;
		}
		below += count;
	}
	return fmin(fmax(x, r->p50), r->max);
}

void aggregate_tail(struct result *out)
{
	const char *unit =
		json_string_value(json_object_get(out->histogram, "unit"));

	if (out->n < 2 || !unit || !strcmp(unit, "cycles"))
		return;
	out->p90 = binned(out, 0.9);
	out->p99 = binned(out, 0.99);
	out->p999 = binned(out, 0.999);
}
