/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "course.h"
#include "leaks.h"
#include "tests.h"

static struct row rows[] = {
	{ .all = { .name = "a=1", .unit = "ns", .value = 8 } },
	{ .all = { .name = "a=2", .status = RESULT_SKIPPED } },
};
static struct row *places[] = { &rows[0], &rows[1] };
static struct section section = { .program = "probe", .rows = places, .n = 2 };
static struct operation two[] = {
	{ .id = "first",
	  .label = "First",
	  .benchmark = "probe",
	  .cases = "a=1",
	  .unit = "ns" },
	{ .id = "second",
	  .label = "Second",
	  .benchmark = "probe",
	  .cases = "a=2",
	  .unit = "ns" },
};
static const struct operations ops = { two, 2 };
static const double predicted[] = { 40, NAN };
static const char *terms[][2] = {
	{ "half", "second / 2" },
	{ "half", "first / 2" },
	{ "round", "round + round" },
};
static struct rowtable_line lines[] = {
	{ .field = terms[0], .n = 2, .kind = "term" },
	{ .field = terms[1], .n = 2, .kind = "term" },
	{ .field = terms[2], .n = 2, .kind = "term" },
};
static const struct formula_name names[] = { { "a", 3 }, { NULL, 0 } };
static struct run run = {
	.rows = rows,
	.nrows = 2,
	.sections = &section,
	.nsections = 1,
	.suite = { lines, 3 },
};
static const struct formula_world world = { &run, &ops, predicted, names };

static int is(const char *text, double want)
{
	const char *missing;
	double x = formula_value(text, &world, &missing);
	int same = !missing && fabs(x - want) < 1e-9;

	if (!same)
		printf("# %s is %g, lacks %s\n", text, x,
		       missing ? missing : "nothing");
	return same;
}

static int lacks(const char *text, const char *want)
{
	const char *missing;
	double x = formula_value(text, &world, &missing);
	int same = isnan(x) && missing && strstr(missing, want);

	if (!same)
		printf("# %s is %g, lacks %s\n", text, x,
		       missing ? missing : "nothing");
	return same;
}

static int reads(const char *text, const char *want)
{
	const char *got = formula_text(text, &world);
	int same = !strcmp(got, want);

	if (!same)
		printf("# %s\n", got);
	return same;
}

TEST(values)
{
	run.machine = json_pack("{s:I, s:{s:f}}", "memory_bytes",
				(json_int_t)1024, "timer", "core_hz", 2e9);
	OK(is("2 + 3 * 4 - 6 / 2", 11), "times before plus");
	OK(is("(2+3) * 4", 20) && is("10 - 2 - 3", 5), "brackets, order");
	OK(is("65.5e3 / 1e3", 65.5), "numbers with a point and an exponent");
	OK(is("min(3, 2 + 5)", 3) && is("max(3, 7)", 7), "min and max");
	OK(is("2 > 1", 1) && is("2 < 1 + 0", 0), "comparisons");
	OK(is("cycle * 4", 2), "cycles of 2 GHz");
	OK(is("$memory_bytes / 2", 512), "a fact of the machine");
	OK(is("first", 8) && is("[probe a=1] * 2", 16), "rows");
	OK(is("first.predicted", 40), "an estimate");
	OK(is("half", 4), "the first term that has a value");
	OK(is("a", 3), "a name of the caller");
}

TEST(absent)
{
	OK(lacks("second", "\"Second\" in this run"), "a row without value");
	OK(lacks("second.predicted", "an estimate of \"Second\""), "nor this");
	OK(lacks("[probe a=3]", "probe a=3"), "no such row");
	OK(lacks("$no.such", "no.such in machine.json"), "no such fact");
	OK(lacks("1 / 0", "finite"), "nothing by nothing");
	OK(lacks("round", "can be read"), "a term of itself ends");
	OK(lacks("5 *", "can be read") && lacks("(1", "can be read") &&
		   lacks("1 2", "can be read") && lacks("", "can be read") &&
		   lacks("nobody", "can be read") &&
		   lacks("[probe", "can be read") &&
		   lacks("min(1)", "can be read") &&
		   lacks("first.other", "can be read"),
	   "what is no formula");
	OK(lacks("((((((((((((((((((((((((((((((((((((((((1))))))))))))))))))"
		 "))))))))))))))))))))))",
		 "can be read"),
	   "too deep");
}

TEST(words)
{
	OK(reads("it takes {ns first * 1000}, {1 first / 2} times, {% 0.25}",
		 "it takes 8.00 µs, 4.00 times, 25 %"),
	   "figures in a text");
	OK(reads("{ns second} and {", "unknown and unknown"),
	   "without a value");
	OK(reads("none", "none") && reads("", ""), "without figures");
	json_decref(run.machine);
}
