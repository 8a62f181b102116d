/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "course.h"
#include "leaks.h"
#include "tests.h"

static char name[] = "disk";
static double random_values[] = { 87, 88, 89, 91, 92, 93 };
static double sequential[] = { 3, 3, 3, 3, 3, 3.1 };
static double either[] = { 39, 39, 40, 42, 75, 75 }; /* two states */
static struct row rows[] = {
	{ .all = { .name = (char *)"order=random",
		   .unit = (char *)"ns",
		   .value = 90,
		   .ci95 = { 87, 93 } },
	  .values = random_values,
	  .n = 6 },
	{ .all = { .name = (char *)"order=sequential",
		   .unit = (char *)"ns",
		   .value = 3,
		   .ci95 = { 3, 3.1 } },
	  .values = sequential,
	  .n = 6 },
	{ .all = { .name = (char *)"order=none", .status = RESULT_SKIPPED } },
	{ .all = { .name = (char *)"order=few",
		   .status = RESULT_BELOW_RESOLUTION,
		   .value = 7 } },
	{ .all = { .name = (char *)"order=either",
		   .unit = (char *)"ns",
		   .value = 41,
		   .ci95 = { 39, 75 } },
	  .values = either,
	  .n = 6 },
	{ .all = { .name = (char *)"order=once",
		   .unit = (char *)"ns",
		   .value = 9,
		   .ci95 = { NAN, NAN } },
	  .values = either,
	  .n = 1 },
};
static struct row *places[] = { &rows[0], &rows[1], &rows[2],
				&rows[3], &rows[4], &rows[5] };
static struct section section = { .program = name, .rows = places, .n = 6 };
static struct run run = {
	.rows = rows, .nrows = 6, .sections = &section, .nsections = 1
};

/* The limiter of rows[@at] with one `limit` line, which has @cases and @test,
 * and "else" behind it. */
static int says(size_t at, const char *cases, const char *test,
		const char *want)
{
	const char *one[] = { "id", cases, test, "it", "times" };
	const char *other[] = { "id", "-", "-", "else", "-" };
	struct rowtable_line lines[] = {
		{ .field = one, .n = 5, .kind = "limit" },
		{ .field = other, .n = 5, .kind = "limit" },
	};
	const struct operation op = { .id = "id", .benchmark = name };
	const char *said;
	int same;

	run.suite = (struct rowtable) { lines, 2 };
	said = limiters_say(&op, &run, &rows[at]);
	same = said && !strcmp(said, want);
	run.suite = (struct rowtable) { 0 };

	if (!same)
		printf("# said %s\n", said ? said : "nothing");
	return same;
}

TEST(patterns)
{
	OK(says(0, "-", "-", "it"), "any row");
	OK(says(0, "order=ran*", "-", "it"), "a row that matches");
	OK(says(1, "order=ran*", "-", "else"), "one that does not");
	OK(says(3, "order=few", "-", "it"), "less than so much is measured");
}

TEST(comparisons)
{
	OK(says(0, "-", "this / order=seq* > 20", "it (30 times)"),
	   "a quotient, whole above ten");
	OK(says(0, "-", "this / order=seq* > 29", "else"),
	   "not if the interval goes below it");
	OK(says(4, "-", "this / order=seq* < 20", "else") &&
		   says(4, "-", "this < 70", "else") &&
		   says(4, "-", "this > 38", "it (41 times)"),
	   "nor if the rounds are on both sides");
	OK(says(5, "-", "this > 1", "else") &&
		   says(5, "-", "this / order=seq* > 1", "else"),
	   "nor without an interval");
	OK(says(0, "-", "order=seq* / this < 0.05", "it (0.03 times)"),
	   "the other way round");
	OK(says(0, "-", "order=seq* > 2", "it (3.0 times)"), "one figure");
	OK(says(0, "-", "order=seq* < 2", "else"), "which is not less");
	OK(says(1, "order=ran*", "this > 0", "else"), "both must hold");
}

TEST(missing)
{
	struct operation op = { .id = "id", .benchmark = name };

	OK(says(0, "-", "order=none < 2", "else"), "a row without a result");
	OK(says(3, "-", "this > 2", "else"), "or below resolution");
	OK(says(0, "-", "this / order=up < 99", "else"), "or no such row");
	OK(says(0, "-", "this", "else") && says(0, "-", "this >", "else") &&
		   says(0, "-", "", "else"),
	   "half a comparison");
	OK(!limiters_say(&op, &run, &rows[0]), "nothing is known");
	op.limit = "it";
	OK(limiters_say(&op, &run, &rows[0]), "the operation's own");
	OK(!limiters_say(&op, &run, NULL) && !limiters_say(&op, &run, &rows[2]),
	   "nothing was measured");
}

TEST(states)
{
	struct row two = rows[4];
	struct ratio r;

	two.all.states =
		json_pack("{s:f,s:i,s:f,s:i}", "low", 39.5, "low_rounds", 4,
			  "high", 75.0, "high_rounds", 2);
	r = comparisons_ratio(&rows[0], &rows[1]);
	OK(r.least == r.value && r.most == r.value, "one value, one quotient");
	r = comparisons_ratio(&two, &rows[1]);
	OK_NEAR(r.least, 39.5 / 3, 1e-9, "two states, the lower");
	OK_NEAR(r.most, 75.0 / 3, 1e-9, "and the higher");
	r = comparisons_ratio(&rows[1], &two);
	OK_NEAR(r.least, 3 / 75.0, 1e-9, "of the other side");
	json_decref(two.all.states);
}
