/* SPDX-License-Identifier: MIT */
/* Many invocations into one row, against answers computed by hand. */
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "result.h"
#include "tests.h"

#define MAX_ROWS 10

static struct result rows[MAX_ROWS];
static const struct result *ptrs[MAX_ROWS];

/* @n rows of one invocation each, with values @first, @first + 1, ... */
static void make(size_t n, double first)
{
	for (size_t i = 0; i < n; i++) {
		struct result *r = &rows[i];

		result_init(r);
		result_set(&r->benchmark, "fork");
		result_set(&r->name, "size=4K");
		result_set(&r->unit, "ns");
		result_set(&r->better, "lower");
		result_set(&r->timer, "lfence");
		result_set(&r->estimator, "median");
		result_set(&r->policy, "other");
		result_set(&r->grade, "A");
		r->params = json_pack("{s:i}", "size", 4096);
		r->n = 1;
		r->samples = 2;
		r->iters = 64;
		r->value = first + (double)i;
		r->tsc_hz = 2e9;
		r->cpu = 1;
		r->priority = 0;
		r->duration_s = 0.5;
		r->round = (int64_t)i + 1;
		r->seed = 100 + i;
		ptrs[i] = r;
	}
}

static void drop(size_t n)
{
	for (size_t i = 0; i < n; i++)
		result_free(&rows[i]);
}

static json_int_t left_out(const struct result *out)
{
	return json_integer_value(
		json_object_get(out->set_aside, "invocations"));
}

/* Rounds 1 to 4 of 10 took 40 ns more beside a stranger's thread. */
TEST(shares)
{
	struct result out;

	make(10, 100);
	for (size_t i = 0; i < 10; i++)
		rows[i].core_share = i < 4 ? 4.0 : 5.2 - 0.01 * (double)i;
	for (size_t i = 0; i < 4; i++)
		rows[i].value += 40;
	result_aggregate(&out, ptrs, 10);
	OK(out.value == 106.5 && out.n == 6 && left_out(&out) == 4,
	   "rounds beside another thread of the core are set aside");
	OK(json_integer_value(json_object_get(
		   json_object_get(out.set_aside, "reasons"),
		   "another hardware thread worked on the core")) == 4,
	   "which is said");
	result_free(&out);
	rows[4].core_share = 4.0;
	result_aggregate(&out, ptrs, 10);
	OK(out.n == 10 && !left_out(&out),
	   "unless half are: then the machine is so");
	result_free(&out);
	rows[4].status = RESULT_SKIPPED;
	result_aggregate(&out, ptrs, 10);
	OK(out.n == 5 && left_out(&out) == 4, "of those that have a value");
	result_free(&out);
	for (size_t i = 0; i < 10; i++)
		rows[i].core_share = NAN;
	result_aggregate(&out, ptrs, 10);
	OK(out.n == 9 && !left_out(&out), "where nothing tells none is");
	result_free(&out);
	drop(10);
}

TEST(states)
{
	struct result out;

	make(10, 100);
	rows[3].value = rows[7].value = 420;
	result_aggregate(&out, ptrs, 10);
	OK(json_real_value(json_object_get(out.states, "low")) == 104.5 &&
		   json_integer_value(
			   json_object_get(out.states, "low_rounds")) == 8 &&
		   json_real_value(json_object_get(out.states, "high")) == 420,
	   "rounds in two groups have two levels");
	OK(out.value == 105.5, "beside the median of all");
	result_free(&out);
	for (size_t i = 0; i < 10; i++)
		result_set(&rows[i].unit, "level");
	result_aggregate(&out, ptrs, 10);
	OK(!out.states, "words have no levels");
	result_free(&out);
	drop(10);
}

/* Accepted, accepted, rejected, accepted, accepted, rejected. */
TEST(levels)
{
	struct result out;

	make(6, 0);
	for (size_t i = 0; i < 6; i++) {
		result_set(&rows[i].unit, "level");
		result_set(&rows[i].better, "higher");
		rows[i].value = i % 3 == 2 ? 0 : 2;
	}
	result_aggregate(&out, ptrs, 6);
	OK(out.n, "6 verdicts");
	OK(out.status == RESULT_OK && out.value == 0,
	   "a level is the worst that was seen");
	OK(isnan(out.ci95[0]) && isnan(out.ticks),
	   "and has no interval, nor ticks");
	result_free(&out);
	for (size_t i = 0; i < 6; i++)
		result_set(&rows[i].better, "lower");
	result_aggregate(&out, ptrs, 6);
	OK(out.value == 2, "the greatest, where less is better");
	result_free(&out);
	drop(6);
}

TEST(intervals)
{
	struct result out;

	/* Not in order, so that it must sort. */
	make(6, 1);
	rows[0].value = 6;
	rows[5].value = 1;
	result_aggregate(&out, ptrs, 6);
	OK(out.n, "6 invocations");
	OK_NEAR(out.value, 3.5, 1e-12, "the median of their values");
	OK(out.ci95[0] == 1 && out.ci95[1] == 6, "95 %: from x1 to x6");
	OK(out.n == 6 && out.samples == 12 && out.iters == 64, "counts");
	OK_NEAR(out.duration_s, 3, 1e-12, "durations add up");
	OK(out.seed == 100 && out.round == -1 && out.cpu == 1,
	   "the first seed, no round, the CPU that all share");
	OK_STR(out.name, "size=4K", "the case");
	OK(json_integer_value(json_object_get(out.params, "size")) == 4096,
	   "and its parameters");
	result_free(&out);
	drop(6);

	make(10, 1);
	result_aggregate(&out, ptrs, 10);
	OK(out.value == 5.5 && out.ci95[0] == 2 && out.ci95[1] == 9,
	   "10 invocations: from x2 to x9");
	OK_NEAR(out.ticks, 11, 1e-12, "ticks: the headline at 2 GHz");
	result_free(&out);

	rows[9].value = 1000;
	result_aggregate(&out, ptrs, 10);
	OK(out.value == 5.5, "one far off leaves the median where it is");
	result_free(&out);

	result_aggregate(&out, ptrs, 5);
	OK(out.value == 3 && isnan(out.ci95[0]) && isnan(out.ci95[1]),
	   "5 invocations are too few for an interval");
	result_free(&out);

	result_aggregate(&out, ptrs, 1);
	OK(out.value == 1 && out.round == 1 && out.n == 1,
	   "one invocation is itself");
	result_free(&out);
	drop(10);
}

/* Samples 1, 3 | 2, 2 | 10, 20: mean 38/6, sum of squares about it 277.33. */
TEST(all_samples)
{
	struct result out;

	make(3, 1);
	rows[0].min = 1, rows[0].max = 3, rows[0].mean = 2;
	rows[0].stddev = sqrt(2), rows[0].p50 = 2, rows[0].cold = 7;
	rows[1].min = 2, rows[1].max = 2, rows[1].mean = 2;
	rows[1].stddev = 0, rows[1].p50 = 2, rows[1].cold = 9;
	rows[2].min = 10, rows[2].max = 20, rows[2].mean = 15;
	rows[2].stddev = sqrt(50), rows[2].p50 = 15, rows[2].iters = 4;
	result_aggregate(&out, ptrs, 3);
	OK(out.min == 1 && out.max == 20, "min and max of all samples");
	OK_NEAR(out.mean, 38.0 / 6, 1e-12, "mean of all samples");
	OK_NEAR(out.stddev, sqrt((518 - 38 * 38 / 6.0) / 5), 1e-12,
		"standard deviation of all samples");
	OK_NEAR(out.p50, 2, 1e-12, "percentiles: the median of theirs");
	OK_NEAR(out.cold, 8, 1e-12, "cold: of those that have one");
	OK(isnan(out.p99), "nobody knows p99");
	OK(out.iters == 64, "iterations: the median");
	result_free(&out);
	drop(3);
}

static void status_of(enum result_status a, enum result_status b,
		      enum result_status c, enum result_status want,
		      const char *what)
{
	struct result out;

	make(3, 1);
	rows[0].status = a;
	rows[1].status = b;
	rows[2].status = c;
	for (int i = 0; i < 3; i++) {
		if (rows[i].status == RESULT_OK)
			continue;
		rows[i].value = NAN;
		result_set(&rows[i].reason, result_status_name(rows[i].status));
	}
	result_aggregate(&out, ptrs, 3);
	OK(out.status == want, what);
	if (want == RESULT_OK) {
		OK(!out.reason && isfinite(out.value), "it has a value");
	} else {
		OK_STR(out.reason, result_status_name(want),
		       "the reason is of that status");
		OK(isnan(out.value) && isnan(out.ticks), "it has no value");
	}
	result_free(&out);
	drop(3);
}

TEST(statuses)
{
	const enum result_status ok = RESULT_OK, skip = RESULT_SKIPPED,
				 below = RESULT_BELOW_RESOLUTION,
				 fail = RESULT_FAILED;

	status_of(ok, ok, ok, ok, "all are ok");
	status_of(ok, fail, ok, ok, "one failed of three: the others count");
	status_of(fail, fail, ok, fail, "two failed of three: failed");
	status_of(skip, skip, fail, skip,
		  "one failed, the others were skipped");
	status_of(below, below, ok, below, "most are below resolution");
	status_of(ok, below, ok, ok, "most are ok");
	status_of(skip, skip, skip, skip, "all were skipped");
	status_of(skip, below, ok, ok, "ok wins a tie");
}

/* Ten invocations of values 1 to 10, of which the last @failed had their proof
 * contradicted, and each of the first had a visit set aside if @impure. */
static void some_failed(size_t failed, bool impure, struct result *out)
{
	make(10, 1);
	for (size_t i = 0; i < 10; i++) {
		const char *what = i >= 10 - failed ? "children_reaped"
						    : "bytes_from_cache";

		rows[i].min = rows[i].mean = rows[i].max = rows[i].value;
		if (i >= 10 - failed) {
			rows[i].status = RESULT_FAILED;
			rows[i].value = NAN;
			result_set(&rows[i].reason, "did not happen");
		}
		if (i >= 10 - failed || impure)
			rows[i].set_aside = json_pack("{s:i,s:{s:i}}", "visits",
						      1, "reasons", what, 1);
	}
	result_aggregate(out, ptrs, 10);
	drop(10);
}

static json_int_t aside(const struct result *r, const char *key,
			const char *reason)
{
	const json_t *o = r->set_aside;

	if (reason) {
		o = json_object_get(o, "reasons");
		key = reason;
	}
	return json_integer_value(json_object_get(o, key));
}

TEST(set_aside)
{
	struct result out;

	some_failed(0, false, &out);
	OK(out.status == RESULT_OK && !out.set_aside,
	   "nothing was set aside of ten good invocations");
	result_free(&out);
	some_failed(1, false, &out);
	OK(out.status == RESULT_OK && out.n == 9 && out.samples == 18,
	   "a proof contradicted in one of ten: nine count");
	OK(out.value == 5 && out.max == 9 && out.ci95[0] == 2,
	   "and all figures are of the nine");
	OK(aside(&out, "invocations", NULL) == 1 &&
		   aside(&out, "visits", NULL) == 1 &&
		   aside(&out, NULL, "children_reaped") == 1,
	   "the row says how many do not, and why");
	result_free(&out);
	some_failed(4, true, &out);
	OK(out.status == RESULT_OK && out.n == 6 && out.value == 3.5,
	   "in four of ten: six count");
	OK(aside(&out, NULL, "bytes_from_cache") == 6 &&
		   aside(&out, "visits", NULL) == 10,
	   "visits that were not pure are counted too");
	result_free(&out);
	some_failed(5, false, &out);
	OK(out.status == RESULT_FAILED && isnan(out.value) && out.n == 10,
	   "in half of ten: failed");
	OK_STR(out.reason, "did not happen", "with its reason");
	OK(aside(&out, "invocations", NULL) == 0,
	   "and nothing is beside the row that has failed");
	result_free(&out);
	some_failed(10, false, &out);
	OK(out.status == RESULT_FAILED, "in all: failed");
	result_free(&out);

	make(2, 1);
	rows[0].status = RESULT_FAILED;
	result_set(&rows[0].reason, "no memory");
	result_aggregate(&out, ptrs, 2);
	OK(out.status == RESULT_OK && aside(&out, NULL, "no memory") == 1,
	   "one of two, without evidence: the reason is its own");
	result_free(&out);
	result_aggregate(&out, ptrs, 1);
	OK(out.status == RESULT_FAILED, "one of one: failed");
	result_free(&out);
	drop(2);
}

TEST(steps)
{
	struct result out;

	make(6, 20);
	for (int i = 0; i < 6; i++) {
		rows[i].value = 20;
		rows[i].quantum = 10;
	}
	result_aggregate(&out, ptrs, 6);
	OK(out.ci95[0] == 15 && out.ci95[1] == 25 && out.quantum == 10,
	   "values that are all alike are good to half a step");
	result_free(&out);
	rows[0].value = 2;
	rows[5].value = 30;
	result_aggregate(&out, ptrs, 6);
	OK(out.ci95[0] == 2 && out.ci95[1] == 30,
	   "an interval that is wider stays as it is");
	result_free(&out);
	for (int i = 0; i < 6; i++)
		rows[i].value = 4;
	result_aggregate(&out, ptrs, 6);
	OK(out.ci95[0] == 0 && out.ci95[1] == 9, "no time is below 0");
	result_free(&out);
	result_aggregate(&out, ptrs, 5);
	OK(isnan(out.ci95[0]), "no interval stays none");
	result_free(&out);
	drop(6);
}

/* What one invocation could not tell from nothing. */
static void is_below(int i, double estimate)
{
	rows[i].status = RESULT_BELOW_RESOLUTION;
	rows[i].estimate = estimate;
	rows[i].resolution = 0.2;
	rows[i].value = NAN;
	result_set(&rows[i].reason, "< 3 ns");
}

/* Three that saw a cost of 1 and three that saw less than nothing. */
TEST(disagreement)
{
	struct result out;

	make(6, 1);
	for (int i = 0; i < 6; i++) {
		rows[i].estimate = rows[i].value = 1;
		rows[i].resolution = 0.2;
		if (i % 2 == 0)
			is_below(i, -2);
	}
	result_aggregate(&out, ptrs, 6);
	OK(out.status == RESULT_BELOW_RESOLUTION && isnan(out.value) &&
		   isnan(out.ci95[0]),
	   "a median of no cost is no result");
	OK_STR(out.reason,
	       "< 1.00 ns: the invocations disagree whether there is a cost",
	       "and has its reason");
	OK(out.resolution == 1, "which is the bound that the report shows");
	OK_NEAR(out.estimate, -0.5, 1e-12, "the estimate is kept");
	result_free(&out);
	result_aggregate(&out, ptrs, 4);
	OK(out.status == RESULT_BELOW_RESOLUTION && out.resolution == 1,
	   "without an interval the greatest that was seen is the bound");
	result_free(&out);
	for (int i = 0; i < 6; i += 2)
		rows[i].estimate = 0.25;
	result_aggregate(&out, ptrs, 6);
	OK(out.status == RESULT_OK && !out.reason,
	   "ok wins the tie where there is a cost");
	OK_NEAR(out.value, 0.625, 1e-12,
		"which those below resolution draw down");
	OK(out.resolution == 0.2, "and the resolution is theirs");
	result_free(&out);
	drop(6);
}

/* All are below resolution: the bound is of all, in whatever order. */
TEST(bound)
{
	static const double resolution[] = { 0.1, 0.9, 0.8 };
	struct result out;

	make(3, 1);
	for (int i = 0; i < 3; i++) {
		is_below(i, 0.05);
		rows[i].resolution = resolution[i];
	}
	result_aggregate(&out, ptrs, 3);
	OK_NEAR(out.resolution, 0.8, 1e-12, "the median resolution");
	OK_STR(out.reason, "< 0.800 ns: cannot be told from nothing",
	       "is in the reason");
	result_free(&out);
	for (int i = 0; i < 3; i++)
		rows[i].estimate = -3;
	result_aggregate(&out, ptrs, 3);
	OK(out.resolution == 3, "less than nothing by more is as uncertain");
	result_free(&out);
	for (int i = 0; i < 3; i++) {
		result_set(&rows[i].unit, "B/s");
		rows[i].resolution = NAN;
	}
	result_aggregate(&out, ptrs, 3);
	OK(isnan(out.resolution) && !strchr(out.reason, '<'),
	   "a rate has none, and no invocation's own bound");
	result_free(&out);
	rows[0].estimate = 2e9;
	rows[2].estimate = 1.5e9;
	result_aggregate(&out, ptrs, 3);
	OK_STR(out.reason, "unstable: rounds from 1.50 GB/s to 2.00 GB/s",
	       "but the rates that there were");
	result_free(&out);
	drop(3);
}

static double evidence(const json_t *e, const char *what, const char *key)
{
	return json_number_value(
		json_object_get(json_object_get(e, what), key));
}

TEST(evidence_and_facts)
{
	struct result out;
	json_t *e, *pair;

	make(3, 1);
	for (int i = 0; i < 3; i++) {
		rows[i].evidence =
			json_pack("{s:{s:i,s:i,s:f},s:i,s:i,s:s}", "faults",
				  "expected", 10, "seen", 9 + i, "share",
				  0.99 - 0.01 * i, "page_bytes", 4096, "load",
				  5 - i, "kind", i ? "tmpfs" : "ext4");
		rows[i].tags = json_pack("{s:i}", "migrated", i);
	}
	json_object_set_new(rows[2].tags, "frequency", json_integer(7));
	result_aggregate(&out, ptrs, 3);
	e = out.evidence;
	OK(evidence(e, "faults", "expected") == 30 &&
		   evidence(e, "faults", "seen") == 30,
	   "evidence adds up");
	OK(evidence(e, "faults", "share") == 0.99, "but not its share");
	OK(json_number_value(json_object_get(e, "page_bytes")) == 4096,
	   "a fact that all agree on is kept");
	pair = json_object_get(e, "load");
	OK(json_number_value(json_array_get(pair, 0)) == 3 &&
		   json_number_value(json_array_get(pair, 1)) == 5,
	   "numbers that differ become least and greatest");
	OK_STR(json_string_value(json_object_get(e, "kind")), "ext4 | tmpfs",
	       "texts that differ are all kept");
	OK(json_integer_value(json_object_get(out.tags, "migrated")) == 3 &&
		   json_integer_value(json_object_get(out.tags, "frequency")) ==
			   7,
	   "tags add up");
	OK(json_integer_value(json_object_get(rows[0].tags, "migrated")) == 0,
	   "and the rows are left alone");
	result_free(&out);
	drop(3);
}

TEST(long_texts)
{
	struct result out;
	char text[201];

	make(3, 1);
	for (int i = 0; i < 3; i++) {
		memset(text, 'a' + i, sizeof(text) - 1);
		text[i < 2 ? sizeof(text) - 1 : 1] = '\0';
		rows[i].evidence = json_pack("{s:s}", "kind", text);
	}
	result_aggregate(&out, ptrs, 3);
	OK_STR(json_string_value(json_object_get(out.evidence, "kind")),
	       "varies", "what varied once is not listed in part later");
	result_free(&out);
	drop(3);
	make(3, 1);
	for (int i = 0; i < 3; i++) {
		memset(text, 'a' + i % 2, 126);
		text[126] = '\0';
		rows[i].evidence = json_pack("{s:s}", "kind", text);
	}
	result_aggregate(&out, ptrs, 3);
	OK(strlen(json_string_value(json_object_get(out.evidence, "kind"))) ==
		   255,
	   "one that is among as many as there is room for is no other");
	result_free(&out);
	drop(3);
}

TEST(histograms)
{
	struct result out;
	json_t *want = json_loads("{\"unit\": \"cycles\", \"bins\": [[1.0, 1],"
				  " [1.25, 5], [2.5, 7], [9.0, 2]]}",
				  0, NULL);

	make(3, 1);
	rows[0].histogram = json_loads("{\"unit\": \"cycles\", \"bins\":"
				       " [[1.25, 2], [9.0, 2]]}",
				       0, NULL);
	rows[2].histogram = json_loads("{\"unit\": \"cycles\", \"bins\":"
				       " [[1.0, 1], [1.25, 3], [2.5, 7]]}",
				       0, NULL);
	result_aggregate(&out, ptrs, 3);
	OK(json_equal(out.histogram, want), "bins are merged in order");
	json_decref(want);
	result_free(&out);
	drop(3);
}

/* 20 events of which 10 were no more than 0, and so are in no bin. */
TEST(tails)
{
	struct result out;

	make(2, 1);
	for (int i = 0; i < 2; i++) {
		rows[i].samples = 10;
		rows[i].p50 = 0;
		rows[i].max = 100;
		rows[i].histogram = json_loads("{\"unit\": \"ns\", \"bins\":"
					       " [[1.0, 4], [10.0, 1]]}",
					       0, NULL);
	}
	result_aggregate(&out, ptrs, 2);
	OK_NEAR(out.p90, 1.0471285, 1e-6,
		"p90 is the 18th of 20, at the end of a bin of 1/50 decade");
	result_free(&out);
	rows[0].samples = rows[1].samples = 100;
	result_aggregate(&out, ptrs, 2);
	OK(isnan(out.p90), "what is not above 0 is in no bin");
	result_free(&out);
	drop(2);
}

TEST(grades_and_places)
{
	struct result out;

	make(6, 10);
	result_aggregate(&out, ptrs, 6);
	OK_NEAR(out.within, M_SQRT2 * 2.5 / 12.5, 1e-12,
		"of 10 to 15 another median lies within 28 %");
	OK_STR(out.grade, "D", "whatever the rounds said");
	result_free(&out);
	drop(6);
	make(4, 10);
	rows[3].cpu = 0;
	result_aggregate(&out, ptrs, 4);
	OK(!out.grade, "four rounds have no grade");
	OK(out.cpu == RESULT_CPUS_DIFFER, "CPUs that differ are said to");
	result_free(&out);
	rows[1].cpu = -1;
	result_aggregate(&out, ptrs, 4);
	OK(out.cpu == -1, "what one of them does not know is unknown");
	result_free(&out);
	drop(4);
}

/* All found the same step, and another row has an interval of its own. */
TEST(between)
{
	struct result out;

	make(6, 0);
	for (size_t i = 0; i < 6; i++) {
		rows[i].value = 31;
		rows[i].at_least = 30;
		rows[i].at_most = 32;
	}
	rows[5].value = 33;
	result_aggregate(&out, ptrs, 6);
	OK(out.ci95[0] == 30 && out.ci95[1] == 33 && out.at_least == 30 &&
		   out.at_most == 32,
	   "the interval holds the step, and what was found elsewhere");
	result_free(&out);
	result_aggregate(&out, ptrs, 5);
	OK(isnan(out.ci95[0]) && out.at_most == 32,
	   "without an interval a step makes none");
	result_free(&out);
	drop(6);
	make(6, 1);
	result_aggregate(&out, ptrs, 6);
	OK(out.ci95[0] == 1 && out.ci95[1] == 6 && isnan(out.at_least),
	   "without a step it is what it was");
	result_free(&out);
	drop(6);
}
