/* SPDX-License-Identifier: MIT */
/* Many invocations into one row, against answers computed by hand. */
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "quoted.h"
#include "result.h"
#include "tests.h"

#define MAX_ROWS 10

static struct result rows[MAX_ROWS];
static const struct result *ptrs[MAX_ROWS];
static struct result out;

/* @n rows of one invocation each, with values @first, @first + 1, ... */
static void make(size_t n, double first)
{
	for (size_t i = 0; i < MAX_ROWS; i++)
		result_free(&rows[i]);
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

/* The row of the first @n, until the next. */
static void sum(size_t n)
{
	result_free(&out);
	result_aggregate(&out, ptrs, n);
}

/* The value at @path of @json, such as "faults.seen", and NAN without one. */
static double num(const json_t *json, const char *path)
{
	char part[64];

	for (; json && *path; path += *path == '.') {
		const size_t len = strcspn(path, ".");

		snprintf(part, sizeof(part), "%.*s", (int)len, path);
		json = json_object_get(json, part);
		path += len;
	}
	return json_is_number(json) ? json_number_value(json) : NAN;
}

/* Whether @got is @want, in which ' stands for ". */
static void is_json(const json_t *got, const char *want, const char *what)
{
	json_t *json = quoted(want);

	if (!OK(json_equal(got, json), what))
		printf("# want %s\n", want);
	json_decref(json);
}

/* The first @n make a row of @value within @low to @high; NAN: it has none. */
static void gives(size_t n, double value, double low, double high,
		  const char *what)
{
	const double want[] = { value, low, high };
	const double *const got[] = { &out.value, &out.ci95[0], &out.ci95[1] };

	sum(n);
	for (int i = 0; i < 3; i++)
		if (isnan(want[i]) ? !isnan(*got[i]) : !(*got[i] == want[i]))
			printf("# got %g, want %g\n", *got[i], want[i]), n = 0;
	OK(n, what);
}

/* How many of @key were excluded. */
static int aside(const char *key)
{
	const double n = num(out.set_aside, key);

	return isnan(n) ? 0 : (int)n;
}

/* Rounds 1 to 4 of 10 took 40 ns more beside a stranger's thread. */
TEST(shares)
{
	make(10, 100);
	for (size_t i = 0; i < 10; i++)
		rows[i].core_share = i < 4 ? 4.0 : 5.2 - 0.01 * (double)i;
	for (size_t i = 0; i < 4; i++)
		rows[i].value += 40;
	sum(10);
	OK(out.value == 106.5 && out.n == 6 && aside("invocations") == 4,
	   "rounds beside another thread of the core are excluded");
	OK(aside("reasons.another hardware thread worked on the core") == 4,
	   "with the reason");
	rows[4].core_share = 4.0;
	sum(10);
	OK(out.n == 10 && !aside("invocations"),
	   "unless half are: then the machine is so");
	rows[4].status = RESULT_SKIPPED;
	sum(10);
	OK(out.n == 5 && aside("invocations") == 4,
	   "only rounds with a value count");
	for (size_t i = 0; i < 10; i++)
		rows[i].core_share = NAN;
	sum(10);
	OK(out.n == 9 && !aside("invocations"),
	   "an unknown share excludes none");
}

TEST(states)
{
	make(10, 100);
	rows[3].value = rows[7].value = 420;
	sum(10);
	OK(out.value == 105.5 && num(out.states, "low") == 104.5 &&
		   num(out.states, "low_rounds") == 8 &&
		   num(out.states, "high") == 420,
	   "rounds in two groups have two levels beside the median of all");
	for (size_t i = 0; i < 10; i++)
		result_set(&rows[i].unit, "level");
	sum(10);
	OK(!out.states, "words have no levels");
}

/* Accepted, accepted, rejected, accepted, accepted, rejected. */
TEST(levels)
{
	for (int lower = 0; lower < 2; lower++) {
		make(6, 0);
		for (size_t i = 0; i < 6; i++) {
			result_set(&rows[i].unit, "level");
			result_set(&rows[i].better, lower ? "lower" : "higher");
			rows[i].value = i % 3 == 2 ? 0 : 2;
		}
		gives(6, lower ? 2 : 0, NAN, NAN,
		      "a level is the worst seen, without an interval");
		OK(out.status == RESULT_OK && isnan(out.ticks), "nor ticks");
	}
}

TEST(intervals)
{
	/* Not in order, so that it must sort. */
	make(6, 1);
	rows[0].value = 6;
	rows[5].value = 1;
	gives(6, 3.5, 1, 6, "the median of 6, within x1 to x6");
	OK(out.n == 6 && out.samples == 12 && out.iters == 64 &&
		   out.duration_s == 3,
	   "counts and durations");
	OK(out.seed == 100 && out.round == -1 && out.cpu == 1,
	   "the first seed, no round, the CPU that all share");
	OK_STR(out.name, "size=4K", "the case");
	OK(num(out.params, "size") == 4096, "and its parameters");
	make(10, 1);
	gives(10, 5.5, 2, 9, "10 process runs: from x2 to x9");
	OK_NEAR(out.ticks, 11, 1e-12, "ticks: the headline at 2 GHz");
	rows[9].value = 1000;
	gives(10, 5.5, 2, 9, "one far off leaves the median where it is");
	gives(5, 3, NAN, NAN, "5 are too few for an interval");
	gives(1, 1, NAN, NAN, "one is itself");
	OK(out.round == 1 && out.n == 1, "with its round");
}

/* Samples 1, 3 | 2, 2 | 10, 20: mean 38/6, sum of squares about it 277.33. */
TEST(all_samples)
{
	static const double of[][6] = { { 1, 3, 2, M_SQRT2, 2, 7 },
					{ 2, 2, 2, 0, 2, 9 },
					{ 10, 20, 15, 5 * M_SQRT2, 15, NAN } };

	make(3, 1);
	for (int i = 0; i < 3; i++) {
		rows[i].min = of[i][0], rows[i].max = of[i][1];
		rows[i].mean = of[i][2], rows[i].stddev = of[i][3];
		rows[i].p50 = of[i][4], rows[i].cold = of[i][5];
	}
	rows[2].iters = 4;
	sum(3);
	OK(out.min == 1 && out.max == 20, "min and max of all samples");
	OK_NEAR(out.mean, 38.0 / 6, 1e-12, "mean of all samples");
	OK_NEAR(out.stddev, sqrt((518 - 38 * 38 / 6.0) / 5), 1e-12,
		"standard deviation of all samples");
	OK(out.p50 == 2 && out.cold == 8 && out.iters == 64,
	   "medians, of the values that are known");
	OK(isnan(out.p99), "p99 is unknown");
}

TEST(statuses)
{
	enum {
		O = RESULT_OK,
		S = RESULT_SKIPPED,
		F = RESULT_FAILED,
		B = RESULT_BELOW_RESOLUTION
	};
	static const struct {
		int of[3], want;
		const char *what;
	} t[] = {
		{ { O, O, O }, O, "all are ok" },
		{ { O, F, O }, O, "one failed of three: the others count" },
		{ { F, F, O }, F, "two failed of three: failed" },
		{ { S, S, F }, S, "one failed, the others were skipped" },
		{ { B, B, O }, B, "most are below resolution" },
		{ { O, B, O }, O, "most are ok" },
		{ { S, S, S }, S, "all were skipped" },
		{ { S, B, O }, O, "ok wins a tie" },
	};

	for (size_t k = 0; k < sizeof(t) / sizeof(*t); k++) {
		make(3, 1);
		for (int i = 0; i < 3; i++) {
			rows[i].status = (enum result_status)t[k].of[i];
			if (t[k].of[i] == O)
				continue;
			rows[i].value = NAN;
			result_set(&rows[i].reason,
				   result_status_name(rows[i].status));
		}
		sum(3);
		OK((int)out.status == t[k].want, t[k].what);
		OK_STR(out.reason,
		       t[k].want == O ? NULL : result_status_name(out.status),
		       "the reason is of that status");
		OK(isnan(out.value) == (t[k].want != O) &&
			   (t[k].want == O || isnan(out.ticks)),
		   "only ok has a value");
	}
}

/* Ten process runs with values 1 to 10, of which the last @failed had their
 * proof contradicted, and each of the first a measurement excluded if
 * @impure. */
static void some_failed(size_t failed, bool impure)
{
	make(10, 1);
	for (size_t i = 0; i < 10; i++) {
		const bool fails = i >= 10 - failed;

		rows[i].min = rows[i].mean = rows[i].max = rows[i].value;
		if (fails) {
			rows[i].status = RESULT_FAILED;
			rows[i].value = NAN;
			result_set(&rows[i].reason, "did not happen");
		}
		if (fails || impure)
			rows[i].set_aside =
				json_pack("{s:i,s:{s:i}}", "visits", 1,
					  "reasons",
					  fails ? "children_reaped"
						: "bytes_from_cache",
					  1);
	}
	sum(10);
}

TEST(set_aside)
{
	some_failed(0, false);
	OK(out.status == RESULT_OK && !out.set_aside,
	   "nothing is excluded of ten good process runs");
	some_failed(1, false);
	OK(out.status == RESULT_OK && out.n == 9 && out.samples == 18,
	   "a proof contradicted in one of ten: nine count");
	OK(out.value == 5 && out.max == 9 && out.ci95[0] == 2,
	   "and all figures are of the nine");
	OK(aside("invocations") == 1 && aside("visits") == 1 &&
		   aside("reasons.children_reaped") == 1,
	   "how many do not count, and why");
	some_failed(4, true);
	OK(out.status == RESULT_OK && out.n == 6 && out.value == 3.5,
	   "in four of ten: six count");
	OK(aside("reasons.bytes_from_cache") == 6 && aside("visits") == 10,
	   "measurements that were not pure are counted too");
	some_failed(5, false);
	OK(out.status == RESULT_FAILED && isnan(out.value) && out.n == 10,
	   "in half of ten: failed");
	OK_STR(out.reason, "did not happen", "with its reason");
	OK(!aside("invocations"), "a failed row excludes nothing");
	some_failed(10, false);
	OK(out.status == RESULT_FAILED, "in all: failed");
	make(2, 1);
	rows[0].status = RESULT_FAILED;
	result_set(&rows[0].reason, "no memory");
	sum(2);
	OK(out.status == RESULT_OK && aside("reasons.no memory") == 1,
	   "one of two, without evidence: the reason is its own");
	sum(1);
	OK(out.status == RESULT_FAILED, "one of one: failed");
}

static void all_are(size_t n, double value)
{
	for (size_t i = 0; i < n; i++)
		rows[i].value = value;
}

TEST(steps)
{
	make(6, 20);
	for (int i = 0; i < 6; i++)
		rows[i].quantum = 10;
	all_are(6, 20);
	gives(6, 20, 15, 25, "equal values are good to half a step");
	OK(out.quantum == 10, "whose size is kept");
	rows[0].value = 2;
	rows[5].value = 30;
	gives(6, 20, 2, 30, "an interval that is wider stays as it is");
	all_are(6, 4);
	gives(6, 4, 0, 9, "no time is below 0");
	gives(5, 4, NAN, NAN, "no interval stays none");
}

/* A process run that is too small to measure. */
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
	make(6, 1);
	for (int i = 0; i < 6; i++) {
		rows[i].estimate = rows[i].value = 1;
		rows[i].resolution = 0.2;
		if (i % 2 == 0)
			is_below(i, -2);
	}
	gives(6, NAN, NAN, NAN, "a median of no cost is no result");
	OK(out.status == RESULT_BELOW_RESOLUTION && out.resolution == 1 &&
		   fabs(out.estimate + 0.5) < 1e-12,
	   "but has a bound and an estimate");
	OK_STR(out.reason,
	       "< 1.00 ns: the runs disagree whether there is a cost",
	       "and a reason");
	sum(4);
	OK(out.status == RESULT_BELOW_RESOLUTION && out.resolution == 1,
	   "without an interval the greatest that was seen is the bound");
	for (int i = 0; i < 6; i += 2)
		rows[i].estimate = 0.25;
	sum(6);
	OK(out.status == RESULT_OK && !out.reason && out.resolution == 0.2,
	   "ok wins the tie where there is a cost");
	OK_NEAR(out.value, 0.625, 1e-12, "that those below resolution lower");
}

/* All are below resolution: the bound is of all, in whatever order. */
TEST(bound)
{
	static const double resolution[] = { 0.1, 0.9, 0.8 };

	make(3, 1);
	for (int i = 0; i < 3; i++) {
		is_below(i, 0.05);
		rows[i].resolution = resolution[i];
	}
	sum(3);
	OK_NEAR(out.resolution, 0.8, 1e-12, "the median resolution");
	OK_STR(out.reason, "< 0.800 ns: too small to measure",
	       "is in the reason");
	for (int i = 0; i < 3; i++)
		rows[i].estimate = -3;
	sum(3);
	OK(out.resolution == 3, "less than nothing by more is as uncertain");
	for (int i = 0; i < 3; i++) {
		result_set(&rows[i].unit, "B/s");
		rows[i].resolution = NAN;
	}
	sum(3);
	OK(isnan(out.resolution) && !strchr(out.reason, '<'),
	   "a rate has none, nor the bound of a process run");
	rows[0].estimate = 2e9;
	rows[2].estimate = 1.5e9;
	sum(3);
	OK_STR(out.reason, "unstable: rounds from 1.50 GB/s to 2.00 GB/s",
	       "but the rates seen");
}

TEST(evidence_and_facts)
{
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
	sum(3);
	is_json(out.evidence,
		"{'faults':{'expected':30.0,'seen':30.0,'share':0.99},"
		"'page_bytes':4096,'load':[3.0,5.0],'kind':'ext4 | tmpfs'}",
		"counts add up, shares and facts are kept, numbers that differ "
		"become least and greatest, texts are listed");
	is_json(out.tags, "{'migrated':3,'frequency':7}", "tags add up");
	is_json(rows[0].tags, "{'migrated':0}", "and the rows stay");
}

/* Merge three rows with texts of @len bytes, the last one of @last. */
static const char *kinds(size_t len, size_t last, int letters)
{
	char text[201];

	make(3, 1);
	for (int i = 0; i < 3; i++) {
		memset(text, 'a' + i % letters, len);
		text[i < 2 ? len : last] = '\0';
		rows[i].evidence = json_pack("{s:s}", "kind", text);
	}
	sum(3);
	return json_string_value(json_object_get(out.evidence, "kind"));
}

TEST(long_texts)
{
	OK_STR(kinds(200, 1, 3), "varies", "no list of a part of the texts");
	OK(strlen(kinds(126, 126, 2)) == 255, "the longest list has room");
}

static json_t *bins(const char *unit, const char *pairs)
{
	return json_pack("{s:s,s:o}", "unit", unit, "bins",
			 json_loads(pairs, 0, NULL));
}

TEST(histograms)
{
	make(3, 1);
	rows[0].histogram = bins("cycles", "[[1.25,2],[9.0,2]]");
	rows[2].histogram = bins("cycles", "[[1.0,1],[1.25,3],[2.5,7]]");
	sum(3);
	is_json(out.histogram,
		"{'unit':'cycles','bins':[[1.0,1],[1.25,5],[2.5,7],[9.0,2]]}",
		"bins are merged in order");
}

/* 20 events of which 10 were no more than 0, and so are in no bin. */
TEST(tails)
{
	make(2, 1);
	for (int i = 0; i < 2; i++) {
		rows[i].samples = 10;
		rows[i].p50 = 0;
		rows[i].max = 100;
		rows[i].histogram = bins("ns", "[[1.0,4],[10.0,1]]");
	}
	sum(2);
	OK_NEAR(out.p90, 1.0471285, 1e-6,
		"p90 is the 18th of 20, at the end of a bin of 1/50 decade");
	rows[0].samples = rows[1].samples = 100;
	sum(2);
	OK(isnan(out.p90), "a percentile of 0 or less is in no bin");
}

TEST(grades_and_places)
{
	make(6, 10);
	sum(6);
	OK_NEAR(out.within, M_SQRT2 * 2.5 / 12.5, 1e-12,
		"of 10 to 15 another median lies within 28 %");
	OK_STR(out.grade, "D", "whatever the grades of the rounds are");
	make(4, 10);
	rows[3].cpu = 0;
	sum(4);
	OK(!out.grade, "four rounds have no grade");
	OK(out.cpu == RESULT_CPUS_DIFFER, "CPUs that differ are marked");
	rows[1].cpu = -1;
	sum(4);
	OK(out.cpu == -1, "one unknown CPU makes the CPU unknown");
}

/* All found the same step, and another row has an interval of its own. */
TEST(between)
{
	make(6, 0);
	for (size_t i = 0; i < 6; i++) {
		rows[i].at_least = 30;
		rows[i].at_most = 32;
	}
	all_are(5, 31);
	rows[5].value = 33;
	gives(6, 31, 30, 33,
	      "the interval holds the step, and the other value");
	OK(out.at_least == 30 && out.at_most == 32, "the step is kept");
	gives(5, 31, NAN, NAN, "without an interval a step makes none");
	OK(out.at_most == 32, "and is kept");
	make(6, 1);
	gives(6, 3.5, 1, 6, "without a step it is what it was");
	OK(isnan(out.at_least), "and there is none");
}
