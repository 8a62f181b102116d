/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "doc.h"
#include "grade.h"
#include "leaks.h"
#include "out.h"
#include "quoted.h"
#include "sections.h"
#include "tests.h"

TEST(values)
{
	struct result r;

	result_init(&r);
	result_set(&r.unit, "ns");
	r.value = 1234;
	r.ci95[0] = 1200;
	r.ci95[1] = 1300;
	OK_STR(tables_value(&r), "1.23 µs", "a value in the unit that suits");
	OK_STR(tables_interval(&r), "1.200 – 1.300 µs (±4.1 %)",
	       "an interval in the unit of its value");
	OK_NEAR(grade_halfwidth(&r), 50.0 / 1234, 1e-12, "half width");
	r.value = 99.96;
	r.ci95[0] = 76.4;
	r.ci95[1] = 99.99;
	result_set(&r.unit, "%");
	OK_STR(tables_value(&r), "99.96 %", "a value lies in its interval");
	r.ci95[1] = 100;
	OK_STR(tables_value(&r), "100 %", "and is short where it can be");
	result_set(&r.unit, "ns");
	r.ci95[0] = NAN;
	OK_STR(tables_interval(&r), NULL, "no interval");
	r.status = RESULT_BELOW_RESOLUTION;
	r.resolution = 0.5;
	OK_STR(tables_value(&r), "< 0.500 ns", "below resolution");
	OK(isnan(grade_halfwidth(&r)), "which has no width");
	OK_STR(out_reason(&r), NULL, "no reason");
	result_set(&r.reason, "< 0.500 ns: the runs disagree");
	OK_STR(out_reason(&r), "the runs disagree",
	       "its reason without the bound, which the value names");
	result_set(&r.reason, "the time: none");
	OK_STR(out_reason(&r), "the time: none", "a rate has no bound");
	r.resolution = NAN;
	result_set(&r.reason, "unstable: rounds from 1.00 GB/s to 3.00 GB/s");
	OK_STR(tables_value(&r), "unstable", "a rate has no bound");
	OK_STR(out_reason(&r), "rounds from 1.00 GB/s to 3.00 GB/s",
	       "and says what the rounds gave");
	r.status = RESULT_SKIPPED;
	OK_STR(tables_value(&r), "skipped", "skipped");
	r.status = RESULT_OK;
	r.states = quoted("{'low': 98.2, 'low_rounds': 8, 'high':4710, "
			  "'high_rounds': 2}");
	r.ci95[0] = 90;
	OK_STR(tables_value(&r), "98.2 ns (80 %) or 4.71 µs (20 %)",
	       "two states with their shares");
	OK(!tables_interval(&r) && isnan(grade_halfwidth(&r)),
	   "and no interval from one to the other");
	result_free(&r);
}

TEST(evidence)
{
	struct result r;

	result_init(&r);
	r.evidence =
		quoted("{'calls': {'expected': 26378240, 'seen':26378240}, "
		       "'bytes': {'expected': 1000000,'seen': 999999}, "
		       "'page_bytes': 4096,'depth': [1, 3], 'kind': 'varies'}");
	OK_STR(out_evidence(&r),
	       "calls 26378240/26378240; bytes 999999/1000000; "
	       "page_bytes 4096; depth 1…3; kind varies",
	       "evidence: seen and expected, and facts");
	r.n = 4;
	r.status = RESULT_BELOW_RESOLUTION;
	OK_STR(out_evidence(&r),
	       "calls 6594560/6594560; bytes 249999.75/250000; "
	       "page_bytes 4096; depth 1…3; kind varies",
	       "evidence of one invocation of several, without a value too");
	json_decref(r.evidence);
	r.evidence = NULL;
	r.tags = quoted("{'migrated': 0, 'involuntary': 2}");
	OK_STR(out_evidence(&r), "disturbed: involuntary 2",
	       "tags that are not 0");
	result_free(&r);
}

TEST(table)
{
	struct table t = { 0 };

	table_column(&t, "name", false);
	table_column(&t, "empty", true);
	table_column(&t, "value", true);
	table_row(&t, "");
	table_cell(&t, 0, "a");
	table_row(&t, "failed");
	table_cell(&t, 0, "b");
	table_cell(&t, 2, "2");
	table_prune(&t);
	OK(t.ncolumns == 2 && !strcmp(t.columns[1].head, "value"),
	   "a column without text goes");
	OK(!t.cells[1] && !strcmp(t.cells[2], "b") && !strcmp(t.cells[3], "2"),
	   "the cells of the others stay in place");
	table_cell(&t, 0, "x: 98 ns (80 %) or 420 ns (20 %) (a=1)");
	table_unbracket(&t, 0);
	OK(!strcmp(t.cells[2], "x: 98 ns (80 %) or 420 ns (20 %)"),
	   "only the last brackets go");
}

TEST(exits)
{
	OK_STR(tables_exit(77), "skipped", "exit status 77");
	OK_STR(tables_exit(124), "took longer than its limit", "124");
	OK_STR(tables_exit(137), "killed by signal 9", "137: no time-out");
	OK_STR(tables_exit(255), "exit status 255", "255");
}
