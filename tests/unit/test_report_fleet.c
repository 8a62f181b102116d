/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fleet.h"
#include "input.h"
#include "leaks.h"
#include "tests.h"
#include "text.h"

#define SAMPLE "results/sample"

TEST(tails)
{
	/* The fifth begins behind four values; the greatest is only known to be
	 * above 8: (8 - 2) + (8 - 2) + (6 - 2) + (4 - 2) over 3. */
	static const double falling[20] = { 100, 8, 6, 4, 2, 1 };
	const struct fleet_tail t = fleet_tail(falling, 20);
	double geometric[1000];
	struct fleet_tail g;

	OK_NEAR(t.base, 2, 0, "where the slowest fifth begins");
	OK_NEAR(t.mean, 6, 1e-15, "its mean excess, with one bound");
	OK(t.seen == 3, "from three values");
	OK_NEAR(t.share, 0.2, 1e-15, "a fifth");
	OK_NEAR(fleet_threshold(falling, 20),
		2 + 6 * (1 + 1 / sqrt(3)) * log(2000), 1e-12,
		"continued to one in 10000");
	OK(fleet_is_sure(FLEET_MADE, 20) && !fleet_is_sure(FLEET_MADE, 19.9) &&
		   fleet_is_sure(FLEET_SELDOM, 60) &&
		   !fleet_is_sure(FLEET_OFTEN, 1e9),
	   "nor is one asked for what chance does not reach");
	/* The quantiles of an exponential distribution of mean 3. */
	for (size_t i = 0; i < 1000; i++)
		geometric[i] = -3 * log(((double)i + 0.5) / 1000);
	g = fleet_tail(geometric, 1000);
	OK_NEAR(g.mean, 3, 0.02, "of an exponential tail: its mean");
	OK_NEAR(g.base, 3 * log(5), 0.01, "and its upper fifth");
}

TEST(levels)
{
	static const double cost[5] = { 0, 0.01, -0.01, 0.02, 0.7 };
	static const double hz[5] = { 0, 0, 0, 0, -0.68 };
	double effects[50], many[50], slow[50];
	struct fleet_level level = { 0 };

	fleet_level_set(&level, cost, NULL, 5, effects);
	OK_NEAR(level.time, 0.01, 0, "the median");
	OK(isnan(level.cycles), "without a frequency there are no cycles");
	OK_NEAR(effects[4], 0.69, 1e-15, "how far off");
	OK_NEAR(level.scale, 1.4826 * 0.01, 1e-15, "1.4826 MAD");
	OK_NEAR(fleet_score(&level, exp(level.base + 2 * level.tail)), 2, 1e-12,
		"a score counts in tails");
	fleet_level_set(&level, cost, hz, 5, effects);
	OK_NEAR(effects[4], 0.01, 1e-15, "of time and cycles the lesser");
	OK_NEAR(fleet_effect(&level, -0.2, 0.4), 0, 0,
		"less in one, more in the other: nothing");
	/* Fifty nodes show that the row follows the frequency. */
	for (size_t i = 0; i < 50; i++) {
		slow[i] = (double)(i * 7 % 50) / 500;
		many[i] = -slow[i] + (double)(i % 3) / 1000;
	}
	fleet_level_set(&level, many, slow, 50, effects);
	OK(isnan(level.time), "it is judged by cycles");
	OK_NEAR(level.cycles, 0.001, 1e-12, "of which it needs the same");
	OK_NEAR(level.scale, 0.006, 0, "none is narrower than the floor");
	for (size_t i = 0; i < 50; i++)
		many[i] = (double)(i % 3) / 1000;
	fleet_level_set(&level, many, slow, 50, effects);
	OK(isnan(level.cycles), "or does not, and is judged by time");
}

TEST(bounds)
{
	static const double none[20] = { 0 };

	OK(!fleet_bounds_of(2), "two nodes tell nothing");
	OK_NEAR(fleet_bounds_of(3)->share, 0.25, 0, "three a little");
	OK(!fleet_bounds_of(39)->tail && fleet_bounds_of(40)->tail,
	   "forty have a tail");
	OK_NEAR(fleet_bounds_of(10000)->z, 5, 0, "many: 5 and 3 %");
	OK_NEAR(fleet_bounds_of(40)->share, 0.03, 0, "from forty on");
	OK(fleet_bounds_of(8)->z == 10 && fleet_bounds_of(8)->share == 0.1 &&
		   fleet_bounds_of(3)->z == 10,
	   "fewer: 10 and 10 %, or 25 %");
	OK_NEAR(fleet_threshold(none, 20), 4, 0, "at least 4 tails");
	OK(fleet_most(3) == 1 && fleet_most(6) == 2 && fleet_most(30) == 3 &&
		   fleet_most(100) == 10,
	   "how many may be beyond");
	OK(fleet_is_name("node-1.rack_2") && fleet_is_name("7"), "names");
	OK(!fleet_is_name("") && !fleet_is_name("-n") && !fleet_is_name(".") &&
		   !fleet_is_name("a b") && !fleet_is_name("a$b") &&
		   !fleet_is_name("a/b") && !fleet_is_name("a\nb"),
	   "no names");
}

/* Whether @r is as the loader made it. */
static bool is_same(const struct run *run, const struct result *r)
{
	const struct row *row = run_find(run, r);

	return row && row->all.status == r->status &&
	       !(row->all.value < r->value) && !(row->all.value > r->value) &&
	       !(row->all.core_hz < r->core_hz) &&
	       !(row->all.core_hz > r->core_hz) &&
	       !strcmp(row->all.unit, r->unit) &&
	       (isnan(row->all.ci95[0]) || (!(row->all.ci95[0] < r->ci95[0]) &&
					    !(row->all.ci95[1] > r->ci95[1])));
}

/* Whether the fields taken from the lines of @dir are those that the loader
 * makes of them. */
static void read_both(const char *dir)
{
	struct notes notes = { 0 };
	struct run run, lean;
	size_t same = 0;

	if (!OK(!run_load(&run, dir, false, &notes), "load it"))
		return;
	OK(!fleet_read(&lean, dir, &notes), "read it");
	OK(!lean.nsections, "without the loader");
	for (size_t i = 0; i < lean.nrows; i++)
		same += is_same(&run, &lean.rows[i].all);
	OK(lean.nrows == run.nrows && lean.nrows, "all rows");
	OK(same == lean.nrows, "with the same figures");
	run_free(&run);
	run_free(&lean);
}

/* The sample in @dir, where in every fourth round another thread had half of
 * the core, and values are tenfold. */
static bool share_core(const char *dir)
{
	FILE *to = fopen(text_format("%s/invocations.jsonl", dir), "we");
	struct input in;
	bool good = to && !input_open(&in, SAMPLE "/invocations.jsonl",
				      INPUT_NO_LINK);

	while (good && input_next(&in)) {
		const bool shared = in.number % 4 == 0;
		char *value = strstr(in.line, ",\"value\":");
		char *tier = strstr(in.line, ",\"tier\":");

		good = value && tier;
		if (good)
			fprintf(to, "%.*s%s%.*s,\"core_share\":%s%s",
				(int)(value + 9 - in.line), in.line,
				shared && value[9] != 'n' ? "9" : "",
				(int)(tier - value) - 9, value + 9,
				shared ? "0.5" : "1", tier);
	}
	return to && !fclose(to) && good && !input_close(&in);
}

TEST(reading)
{
	char dir[] = "/tmp/fleet.XXXXXX";

	read_both(SAMPLE);
	if (OK(mkdtemp(dir) && share_core(dir), "a copy with shared cores"))
		read_both(dir);
	unlink(text_format("%s/invocations.jsonl", dir));
	rmdir(dir);
}
