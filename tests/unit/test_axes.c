/* SPDX-License-Identifier: MIT */
/* The numbers that are asked for beside those of a table. */
#include <errno.h>
#include <string.h>

#include "axes.h"
#include "invocation.h"
#include "tap.h"

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
	test_values();
	test_range();
	return tap_done();
}
