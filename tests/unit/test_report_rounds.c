/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "rounds.h"
#include "stats.h"
#include "tap.h"

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
	s->rows[s->n++] = run->nrows++;
}

static void wide_rows(void)
{
	struct row rows[10];
	size_t index[10], of;
	struct section s = { .program = "p", .rows = index };
	struct run run = { .rows = rows, .sections = &s, .nsections = 1 };

	add(&run, &s, 100, 2);
	OK(rounds_wide(&run, &s, 0.02, &of) == 0 && of == 1,
	   "2 of 100 is within 2 %");
	add(&run, &s, 100, 2.1);
	add(&run, &s, -100, 3);
	OK(rounds_wide(&run, &s, 0.02, &of) == 2 && of == 3, "more is not");
	add(&run, &s, 100, NAN);
	OK(rounds_wide(&run, &s, 0.02, &of) == 3 && of == 4,
	   "nor is what has no interval");
	rows[3].all.trend = json_pack("{s:f,s:f}", "from", 90.0, "to", 110.0);
	OK(rounds_wide(&run, &s, 0.02, &of) == 3 && of == 4,
	   "least of all when it drifts");
	add(&run, &s, 0, 0);
	OK(rounds_wide(&run, &s, 0.02, &of) == 3 && of == 5,
	   "0 in all invocations is as precise as can be");
	add(&run, &s, 0, 1);
	OK(rounds_wide(&run, &s, 0.02, &of) == 4 && of == 6,
	   "0 in most of them is not");
	add(&run, &s, 100, 50);
	rows[6].all.status = RESULT_FAILED;
	add(&run, &s, 100, 50);
	rows[7].all.status = RESULT_BELOW_RESOLUTION;
	add(&run, &s, 100, 50);
	rows[8].all.status = RESULT_SKIPPED;
	add(&run, &s, 2, NAN);
	result_set(&rows[9].all.unit, "level");
	OK(rounds_wide(&run, &s, 0.02, &of) == 4 && of == 6,
	   "no value, and words, are no misses");
	for (size_t i = 0; i < run.nrows; i++)
		result_free(&rows[i].all);
}

static int is(char *got, const char *want)
{
	int same = !strcmp(got, want);

	if (!same)
		printf("# got %s\n", got);
	free(got);
	return same;
}

static void counts(void)
{
	struct row rows[3] = { { .n = 9 }, { .n = 20 }, { .n = 10 } };
	size_t a[] = { 0 }, b[] = { 1, 2 };
	struct section s[] = { { "a", NULL, a, 1, 0 },
			       { "b", NULL, b, 2, 0 },
			       { "none", NULL, NULL, 0, 0 } };
	struct run run = { .rows = rows, .nrows = 3, .sections = s };
	unsigned int least, most;

	run.nsections = 3;
	run.meta = json_loads(
		"{\"plan\": [{\"id\": \"a.1\", \"program\": \"a\"}],"
		" \"programs\": [{\"id\": \"a.1\", \"round\": 10},"
		" {\"id\": \"none\", \"round\": 30},"
		" {\"id\": \"b\", \"round\": 1e18}, {\"id\": \"b\"}, 7],"
		" \"precision_pct\": 2}",
		0, NULL);
	rounds_count(&run);
	OK(s[0].rounds == 10, "a round that left no row counts");
	OK(s[1].rounds == 20, "what is no round does not");
	OK(rounds_ends(&run, &least, &most) && least == 10 && most == 20,
	   "least and most of who has rows");
	OK(is(rounds_text(&run), "10 to 20"), "in words");
	OK_NEAR(rounds_precision(&run), 0.02, 1e-12, "what was asked for");
	json_decref(run.meta);
	run.meta = NULL;
	OK(isnan(rounds_precision(&run)), "which may be nothing");
	run.nsections = 1;
	OK(is(rounds_text(&run), "10"), "all the same");
	run.nsections = 0;
	OK(!rounds_ends(&run, &least, &most), "no program");
}

/* A generator of our own, so that the same numbers come out everywhere. */
static uint64_t state = 88172645463325252u;

static double uniform(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return ((double)(state >> 11) + 0.5) / 9007199254740992.0;
}

/* One row that gets @step more values until its interval is within 2 %, or 30.
 * Times with a tail of @spread.  Return: whether it holds the median. */
static bool stopped(size_t step, double spread)
{
	double x[30], median = 1 + spread * log(2), low, high;
	size_t n = 0, next = 10, lo, hi;

	do {
		for (; n < next; n++)
			x[n] = 1 - spread * log(uniform());
		stats_sort(x, n);
		stats_order_ranks(n, 0.95, &lo, &hi);
		low = x[lo - 1];
		high = x[hi - 1];
		next = n + step;
	} while (next <= 30 &&
		 (high - low) / 2 > 0.02 * stats_quantile(x, n, 0.5));
	return low <= median && median <= high;
}

/* The spread at which stopping does most harm; bounds leave four standard
 * errors for another generator. */
static void coverage(void)
{
	const int sessions = 20000;
	int rare = 0, often = 0;

	for (int i = 0; i < sessions; i++) {
		rare += stopped(10, 0.07);
		often += stopped(1, 0.07);
	}
	printf("# looking at 10, 20, 30: %.4f; after each: %.4f\n",
	       rare / (double)sessions, often / (double)sessions);
	OK(rare > 0.938 * sessions, "three looks hardly spoil the intervals");
	OK(often < rare, "a look after each round does");
}

int main(void)
{
	wide_rows();
	counts();
	coverage();
	return tap_done();
}
