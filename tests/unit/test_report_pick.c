/* SPDX-License-Identifier: MIT */
#include "course.h"
#include "leaks.h"
#include "load.h"
#include "tests.h"

static char name[] = "file_read";
static struct row rows[] = {
	{ .all = { .name = (char *)"size=4M", .status = RESULT_OK } },
	{ .all = { .name = (char *)"size=64M", .status = RESULT_SKIPPED } },
	{ .all = { .name = (char *)"size=1G", .status = RESULT_OK } },
	{ .all = { .name = (char *)"size=2G",
		   .status = RESULT_BELOW_RESOLUTION } },
};
static struct row *places[] = { &rows[0], &rows[1], &rows[2], &rows[3] };
static struct section section = { .program = name, .rows = places, .n = 4 };
static const struct run run = {
	.rows = rows, .nrows = 4, .sections = &section, .nsections = 1
};

TEST(picks)
{
	OK(run_pick(&run, name, "size=1G size=*") == &rows[2],
	   "the first pattern counts, not the first row");
	OK(run_pick(&run, name, "size=8G size=*") == &rows[0],
	   "a pattern that no row matches is passed over");
	OK(run_pick(&run, name, "size=64M size=1G") == &rows[2],
	   "a row with a result goes before one without");
	OK(run_pick(&run, name, "size=64M size=8G") == &rows[1],
	   "which is taken if there is no other");
	OK(run_pick(&run, name, "size=2G size=4M") == &rows[3],
	   "less than so much is a result");
	OK(!run_pick(&run, name, "size=8G"), "no row");
	OK(!run_pick(&run, "file_write", "size=*"), "no such program");
}

TEST(operations)
{
	struct operation op = { .benchmark = name };

	OK(!operations_row(&op, &run), "no patterns are known");
	op.cases = (char *)"size=1G size=*";
	OK(operations_row(&op, &run) == &rows[2], "an operation's row");
}
