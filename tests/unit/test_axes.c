/* SPDX-License-Identifier: MIT */
/* Tables of cases, their names, their state and what is skipped. */
#include <errno.h>
#include <string.h>

#include "axes.h"
#include "invocation.h"
#include "tap.h"

struct own {
	char filled;
};

struct named {
	const char *name;
	int other;
};

static const struct named calls[] = { { "a", 1 }, { "b", 2 } };
static const int64_t sizes[] = { 1024, 4096, 12 };

static const struct bench_axis axes[] = { AXIS_STR("call", calls),
					  AXIS_SIZE("size", sizes),
					  AXIS_RANGE("n", 2),
					  { 0 } };
static const struct bench_axis twice[] = { AXIS_STR("call", calls),
					   AXIS_SIZE("size", sizes),
					   AXIS_RANGE("n", 1),
					   { 0 } };

/* b has but the size of 4 KiB. */
static bool fill(struct bench *b, void *state, struct bench_case *c)
{
	struct own *own = c->data;

	if (c->at[0] == 1 && c->at[1] != 1)
		return false;
	own->filled += 1;
	c->arg = state;
	c->skip = c->at[2] ? "odd" : NULL;
	return true;
}

static bool states_are_apart(const struct bench *b)
{
	for (size_t i = 0; i < b->n_runs; i++) {
		const struct own *own = b->runs[i]->c.data;

		if ((uintptr_t)own % 64 || own->filled != 1)
			return false;
	}
	return true;
}

/* What was asked for, @said, and the points that come of it. */
static void test_asked(const char *said, const char *glob, size_t points,
		       size_t asked)
{
	static const struct bench_open open[] = {
		{ "size", BENCH_SIZE, 512, 8192, 256 },
		{ "n", BENCH_INT, 0, 9, 0 },
		{ 0 },
	};
	const struct bench_desc desc = { .name = "made_up",
					 .case_state_size = sizeof(struct own),
					 .open = open };
	const struct opt_list list = { .item = { glob, "size=4K" }, .n = 2 };
	struct bench b = { .desc = &desc, .state = &b };
	size_t flagged = 0;

	axes_ask(&b.asked, open, &list);
	bench_add_axes(&b, axes, NULL);
	for (size_t i = 0; i < b.n_runs; i++)
		flagged += b.runs[i]->c.asked;
	/* And the points of size=4K, which the table has. */
	OK(!b.verdict.usage_error && b.n_runs == points && flagged == asked + 4,
	   said);
	OK(!asked == !bench_find(&b, "%s", b.asked.glob[0]) ||
		   !strcmp(b.asked.glob[0], "call=a,size=4K,n=0"),
	   "what was asked for is the name of a case");
	invocation_close(&b);
}

static void test_values(void)
{
	static const struct bench_open open[] = {
		{ "size", BENCH_SIZE, 1, 9, 0 }, { 0 }
	};
	const struct opt_list list = { .item = { "size=5", "size=9", "size=1" },
				       .n = 3 };
	const int64_t table[] = { 3, 9 };
	int64_t values[2 + BENCH_ASKED];
	struct opt_list many = { 0 };
	static char number[BENCH_ASKED + 1][32];
	struct bench b = { 0 };

	axes_ask(&b.asked, open, &list);
	OK(bench_values(&b, "size", table, 2, values) == 4 && values[0] == 3 &&
		   values[1] == 9 && values[2] == 5 && values[3] == 1,
	   "bench_values(): the table, then what it has not");
	OK(bench_values(&b, "other", table, 2, values) == 2,
	   "bench_values() of another axis");
	axes_close(&b.asked);
	for (int i = 0; i <= BENCH_ASKED; i++) {
		snprintf(number[i], sizeof(number[i]), "size=%d", i + 1);
		many.item[many.n++] = number[i];
	}
	OK(axes_ask(&b.asked,
		    (const struct bench_open[]) {
			    { "size", BENCH_SIZE, 1, 99, 0 }, { 0 } },
		    &many) == -E2BIG,
	   "too many numbers are refused");
	axes_close(&b.asked);
}

static void test_range(void)
{
	static const struct bench_open open[] = {
		{ "size", BENCH_SIZE, 512, 8192, 256 },
		{ "n", BENCH_INT, 0, 9, 0 },
		{ 0 },
	};
	char text[80];

	axes_say(open, text, sizeof(text));
	OK_STR(text, "size from 512 to 8K in steps of 256, n from 0 to 9",
	       "the range in words");
	axes_say(NULL, text, sizeof(text));
	OK_STR(text, "", "no open axis");
}

int main(void)
{
	const struct bench_desc desc = { .name = "made_up",
					 .case_state_size =
						 sizeof(struct own) };
	int state = 0;
	struct bench b = { .desc = &desc, .state = &state };
	const struct bench_case *c;

	bench_add_axes(&b, axes, fill);
	OK(b.n_runs == 8 && !b.verdict.usage_error,
	   "points that make sense are added");
	OK_STR(b.runs[0]->def.name, "call=a,size=1K,n=0", "names");
	OK(b.runs[1]->c.at[2] == 1, "the last axis changes fastest");
	OK(states_are_apart(&b), "each has a zeroed cache line of its own");
	c = bench_point(&b, axes, 1, 1, 0);
	OK(c && c->params[1].number == 4096 && c->arg == &state,
	   "a point is found by its indices");
	OK(!bench_point(&b, axes, 1, 0, 0), "one that was left out is not");
	OK(b.runs[1]->verdict.state == CASE_SKIPPED &&
		   !strcmp(b.runs[1]->verdict.why, "odd"),
	   "a skip has its reason");
	bench_add_axes(&b, twice, fill);
	OK(b.verdict.usage_error, "the same point twice is refused");
	invocation_close(&b);
	/* The table has 2 x 3 x 2 points; n is a range, whose table is closed.
	 */
	test_asked("one size more", "call=a,size=2048,n=0", 16, 4);
	test_asked("with a suffix", "call=b,size=2k,n=1", 16, 4);
	test_asked("one of the table", "call=a,size=4096,n=0", 12, 0);
	test_asked("a wildcard asks for nothing", "call=*,size=2048", 12, 0);
	test_asked("too small", "size=256", 12, 0);
	test_asked("too large", "size=16K", 12, 0);
	test_asked("no multiple", "size=1000", 12, 0);
	test_asked("no number", "size=many", 12, 0);
	test_asked("nothing at all", "size=", 12, 0);
	test_asked("beyond 64 bits", "size=99999999999999999999", 12, 0);
	test_asked("a sign", "size=-2048", 12, 0);
	test_asked("a suffix where none is due", "n=1k", 12, 0);
	test_asked("another axis", "call=2048", 12, 0);
	test_values();
	test_range();
	return tap_done();
}
