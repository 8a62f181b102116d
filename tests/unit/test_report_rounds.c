/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "leaks.h"
#include "load.h"
#include "quoted.h"
#include "stats.h"
#include "tests.h"

/* A row of the section with half the width and the value that are given. */
static void add(struct run *run, struct section *s, double value, double half)
{
	struct result *r;

	run->rows[run->nrows] = (struct row) { .n = 10 };
	r = &run->rows[run->nrows].all;
	result_init(r);
	result_set(&r->unit, "ns");
	r->value = value;
	r->ci95[0] = value - half;
	r->ci95[1] = value + half;
	s->rows[s->n++] = &run->rows[run->nrows++];
}

TEST(wide_rows)
{
	struct row rows[10], *of_section[10];
	size_t of;
	struct section s = { .program = "p", .rows = of_section };
	struct run run = { .rows = rows, .sections = &s, .nsections = 1 };

	add(&run, &s, 100, 2);
	OK(rounds_wide(&s, 0.02, &of) == 0 && of == 1,
	   "2 of 100 is within 2 %");
	add(&run, &s, 100, 2.1);
	add(&run, &s, -100, 3);
	OK(rounds_wide(&s, 0.02, &of) == 2 && of == 3, "more is not");
	add(&run, &s, 100, NAN);
	OK(rounds_wide(&s, 0.02, &of) == 3 && of == 4,
	   "nor is what has no interval");
	rows[3].all.trend = json_pack("{s:f,s:f}", "from", 90.0, "to", 110.0);
	OK(rounds_wide(&s, 0.02, &of) == 3 && of == 4,
	   "least of all when it drifts");
	add(&run, &s, 0, 0);
	OK(rounds_wide(&s, 0.02, &of) == 3 && of == 5,
	   "0 in all invocations is as precise as can be");
	add(&run, &s, 0, 1);
	OK(rounds_wide(&s, 0.02, &of) == 4 && of == 6,
	   "0 in most of them is not");
	add(&run, &s, 100, 50);
	rows[6].all.status = RESULT_FAILED;
	add(&run, &s, 100, 50);
	rows[7].all.status = RESULT_BELOW_RESOLUTION;
	add(&run, &s, 100, 50);
	rows[8].all.status = RESULT_SKIPPED;
	add(&run, &s, 2, NAN);
	result_set(&rows[9].all.unit, "level");
	OK(rounds_wide(&s, 0.02, &of) == 4 && of == 6,
	   "no value, and words, are no misses");
	for (size_t i = 0; i < run.nrows; i++)
		result_free(&rows[i].all);
}

TEST(counts)
{
	struct row rows[3] = { { .rounds = 9 },
			       { .rounds = 20 },
			       { .rounds = 10 } };
	struct row *a[] = { &rows[0] }, *b[] = { &rows[1], &rows[2] };
	struct section s[] = { { .program = "a", .rows = a, .n = 1 },
			       { .program = "b", .rows = b, .n = 2 },
			       { .program = "none" } };
	struct run run = { .rows = rows, .nrows = 3, .sections = s };
	unsigned int least, most;

	run.nsections = 3;
	run.meta = quoted(
		"{'plan': [{'id': 'a.1', 'program': 'a'}], 'programs': [{'id': "
		"'a.1', 'round': 2, 'duration_s': 0.3}, {'id': 'a.1', 'round': "
		"12, 'duration_s': 0.2}, {'id': 'a', 'round': 12, "
		"'duration_s': 0.4}, {'id': 'none', 'round': 30}, {'id': 'b', "
		"'round': 1e18}, {'id': 'b'}, 7], 'precision_pct': 2}");
	rounds_count(&run);
	OK(s[0].rounds == 9 && s[1].rounds == 20, "rows tell of rounds");
	OK(s[2].rounds == 1 && s[2].last == 30, "one that left no row counts");
	OK(s[0].last == 12, "the last one may have any number");
	OK_NEAR(s[0].seconds, 0.2, 1e-12, "the shortest invocation");
	OK(isnan(s[1].seconds), "which may be unknown");
	s[0].n = 0;
	rounds_count(&run);
	OK(s[0].rounds == 2, "several lines of the plan are one round");
	s[0].n = 1;
	rows[0].rounds = 10;
	rows[1].all.tier = (char[]) { "core" };
	OK(rounds_ends(&run, &least, &most) && least == 10 && most == 20,
	   "least and most of who has rows, core rows or not");
	OK_STR(rounds_text(&run), "10 to 20", "in words");
	OK_NEAR(rounds_precision(&run), 0.02, 1e-12, "what was asked for");
	json_decref(run.meta);
	run.meta = NULL;
	OK(isnan(rounds_precision(&run)), "which may be nothing");
	run.nsections = 1;
	OK_STR(rounds_text(&run), "10", "all the same");
	rows[1].all.tier = NULL;
	run.nsections = 0;
	OK(!rounds_ends(&run, &least, &most), "no program");
}
