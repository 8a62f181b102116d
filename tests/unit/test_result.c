/* SPDX-License-Identifier: MIT */
#include <errno.h>

#include "quoted.h"
#include "result.h"
#include "tests.h"

static const char full[] =
	"{'schema': 2, 'benchmark': 'fork', 'case': 'size=4K', "
	"'params': {'size': 4096}, 'status': 'ok', 'reason': null, "
	"'unit': 'ns', 'better': 'lower', 'value': 5.62, 'ci95': [5.5, "
	"5.75], 'n': 6, 'samples': 576, 'iters': 4096, 'min': 5.5, "
	"'mean': 6.0, 'stddev': 0.5, 'p50': 5.62, 'p90': 6.5, 'p99': 7.0, "
	"'p999': 7.5, 'max': 8.0, 'cold': 100.0, 'ticks': 11.24, "
	"'cycles': 16.86, 'timer': 'lfence', 'tsc_hz': 2e9, 'core_hz': 3e9, "
	"'core_share': 3.9, 'tier': 'core', 'estimator': 'difference', "
	"'cpu': 1, 'kind': 'IntelCore', 'policy': 'fifo', 'priority': 99, "
	"'evidence': {'faults': {'expected': 2, 'seen': 2}}, "
	"'set_aside': {'visits': 1, 'invocations': 0, "
	"'reasons': {'faults': 1}}, 'trend': {'p': 0.5}, 'states': {}, "
	"'tags': {'migrated': 0}, 'repeats_within': 0.01, 'grade': 'A', "
	"'started_at': '2026-01-02T03:04:05Z', 'duration_s': 1.5, "
	"'round': 3, 'seed': 42, 'resolution': 0.01, 'estimate': 5.62, "
	"'expected': 5.6, 'baseline': 0.25, 'quantum': 0.02, "
	"'overhead': 4.5, 'at_least': 5.25, 'at_most': 6.25, "
	"'histogram': {'unit': 'ns', 'bins': [[5.0, 3]]}, "
	"'counters': {'instructions': 3.0, 'unknown': {}}}";

static int read_text(struct result *r, const char *text, const char **why)
{
	json_t *o = quoted(text);
	int err = result_from_json(r, o, why);

	json_decref(o);
	return err;
}

TEST(round_trip)
{
	json_t *want = quoted(full), *got;
	struct result r;
	const char *why;

	OK(want, "the example is JSON");
	OK(!result_from_json(&r, want, &why), "a full row is read");
	OK(r.cpu == 1 && r.value == 5.62 && r.ci95[1] == 5.75 && r.seed == 42 &&
		   r.status == RESULT_OK && !strcmp(r.policy, "fifo"),
	   "its fields are where they belong");
	got = result_to_json(&r);
	OK(json_equal(got, want), "and it is written as it was read");
	json_decref(got);
	json_decref(want);
	result_free(&r);
	OK(!r.benchmark && isnan(r.value), "a freed row is an empty one");
	result_free(&r);
	result_free(NULL);
}

TEST(earlier_names)
{
	static const char *const names[][2] = {
		{ "call=getppid,via=libc", "op=getppid,by=libc" },
		{ "between=process,by=pipe,figure=switch_low",
		  "between=process,by=pipe,stat=switch_low" },
		{ "cpus=8,measure=*,how=x", "cpus=8,stat=*,by=x" },
		{ "what=pair,do=nop", "op=pair,op=nop" },
		{ "*via=libc", "*by=libc" },
		{ "a=*,*figure=b", "a=*,*stat=b" },
		{ "recall=1", "recall=1" },
		{ "call", "call" },
		{ "callx=1,,=,via==", "callx=1,,=,by==" },
		{ "", "" },
	};
	struct result r;
	const char *why;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char now[64];

		snprintf(now, sizeof(now), "%s", names[i][0]);
		result_case_today(now);
		OK_STR(now, names[i][1], names[i][0]);
	}
	OK(!read_text(&r,
		      "{'schema': 2, 'benchmark': 'syscall', 'case': "
		      "'call=read,via=libc', 'params': {'call': 'read', 'via': "
		      "'libc'}, 'status': 'ok'}",
		      &why),
	   "a row of an earlier version is read");
	OK_STR(r.name, "op=read,by=libc", "its case has the names of today");
	OK_STR(json_string_value(json_object_get(r.params, "op")), "read",
	       "its parameters, too");
	OK(json_object_size(r.params) == 2, "and no others");
	result_free(&r);
}

TEST(unknown_is_null)
{
	static const char *const nulls[] = {
		"reason", "value",     "ci95",	   "min",
		"p999",	  "cold",      "ticks",	   "cpu",
		"round",  "grade",     "tsc_hz",   "policy",
		"value",  "histogram", "baseline", "counters",
	};
	struct result r;
	json_t *o;
	int good = 1;

	result_init(&r);
	r.status = RESULT_SKIPPED;
	r.max = INFINITY;
	o = result_to_json(&r);
	for (size_t i = 0; i < sizeof(nulls) / sizeof(nulls[0]); i++)
		good &= json_is_null(json_object_get(o, nulls[i]));
	OK(good, "what is not known is null");
	OK(json_is_null(json_object_get(o, "max")),
	   "so is what JSON cannot say");
	OK_STR(json_string_value(json_object_get(o, "status")), "skipped",
	       "the status is a word");
	OK(json_integer_value(json_object_get(o, "schema")) == 2, "schema 2");
	json_decref(o);
	result_free(&r);
}

TEST(half_an_interval)
{
	struct result r;
	json_t *o;

	result_init(&r);
	r.ci95[0] = 1;
	o = result_to_json(&r);
	OK(json_is_null(json_object_get(o, "ci95")),
	   "half an interval is none");
	json_decref(o);
	result_free(&r);
}

TEST(refuses)
{
	static const struct {
		const char *text, *why;
		int err;
	} bad[] = {
		{ "[]", "not an object", -EINVAL },
		{ "{'schema': 3}", "another schema than 1 or 2", -EPROTO },
		{ "{}", "another schema than 1 or 2", -EPROTO },
		{ "{'schema': 1}", "status", -EINVAL },
		{ "{'schema': 2, 'status': 'fine'}", "status", -EINVAL },
		{ "{'schema': 1, 'status': 'ok'}",
		  "benchmark or case is missing", -EINVAL },
		{ "{'schema': 1, 'status': 'ok', 'benchmark': 'a', 'case': "
		  "'b', 'value': '5'}",
		  "value", -EINVAL },
		{ "{'schema': 1, 'status': 'ok', 'benchmark': 'a', 'case': "
		  "'b', 'n': 1.5}",
		  "n", -EINVAL },
		{ "{'schema': 1, 'status': 'ok', 'benchmark': 7, 'case': 'b'}",
		  "benchmark", -EINVAL },
		{ "{'schema': 1, 'status': 'ok', 'benchmark': 'a', 'case': "
		  "'b', 'tags': 3}",
		  "tags", -EINVAL },
	};
	struct result r;
	const char *why;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		OK(read_text(&r, bad[i].text, &why) == bad[i].err, bad[i].text);
		OK_STR(why, bad[i].why, "and says what is wrong");
	}
}

TEST(tolerates)
{
	struct result r;
	const char *why;

	OK(!read_text(&r,
		      "{'schema': 1, 'status': 'failed', 'benchmark': 'a', "
		      "'case': 'b', 'from_the_future': [1, 2]}",
		      &why),
	   "unknown keys are ignored, absent ones unknown");
	OK(r.status == RESULT_FAILED && isnan(r.value) && r.cpu == -1,
	   "and unknown they are");
	result_free(&r);
}

/* A path has any bytes, and a reason may be cut within a character. */
TEST(any_bytes)
{
	struct result r;
	json_t *o;

	result_init(&r);
	result_set(&r.reason, "\xc3\xa4 is a letter");
	OK_STR(r.reason, "\xc3\xa4 is a letter", "UTF-8 stays");
	result_set(&r.reason, "not \xff there, \xc3");
	OK_STR(r.reason, "not ? there, ?", "what is none is not lost");
	o = result_to_json(&r);
	OK_STR(json_string_value(json_object_get(o, "reason")), r.reason,
	       "and the row has its key");
	json_decref(o);
	result_free(&r);
}
