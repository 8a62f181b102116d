/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "grade.h"
#include "out.h"
#include "tests.h"
#include "units.h"

#define ROWS 4

static struct result rows[ROWS];
static char *text;

static struct result row(const char *name, enum result_status status)
{
	struct result r;

	result_init(&r);
	result_set(&r.benchmark, "made_up");
	result_set(&r.name, name);
	result_set(&r.unit, "ns");
	r.status = status;
	if (status == RESULT_OK) {
		r.value = 10350;
		r.ci95[0] = 10100;
		r.ci95[1] = 10600;
	}
	grade_set(&r, NAN);
	return r;
}

static void print_as(enum out_format format, size_t n)
{
	size_t len;
	FILE *f;

	free(text);
	f = open_memstream(&text, &len);
	out_rows(f, format, "what does\nit cost?", rows, n);
	fclose(f);
	for (size_t i = 0; i < n; i++)
		result_free(&rows[i]);
}

static void print(size_t n)
{
	print_as(OUT_TABLE, n);
}

/* The longest line of @s in columns. */
static size_t longest(char *s)
{
	size_t most = 0;

	for (char *line = strtok(s, "\n"); line; line = strtok(NULL, "\n"))
		if (units_width(line) > most)
			most = units_width(line);
	return most;
}

TEST(remarks)
{
	rows[0] = row("a=0", RESULT_OK);
	rows[0].states =
		json_pack("{s:f,s:i,s:f,s:i}", "low", 10e3, "low_rounds", 6,
			  "high", 20e3, "high_rounds", 4);
	print(1);
	OK(strstr(text, "made_up: what does it cost?\n"),
	   "a question is a line");
	OK(strstr(text, "10.0 µs (60 %) or 20.0 µs (40 %)") &&
		   strstr(text, "fall in two groups") && !strstr(text, "10.1"),
	   "two states, and no interval from one to the other");
	rows[0] = row("a=0", RESULT_OK);
	rows[0].cpu = RESULT_CPUS_DIFFER;
	print(1);
	OK(strstr(text, "were on different CPUs"),
	   "CPUs that differ are said to");
	rows[0] = row("a=1", RESULT_OK);
	rows[0].set_aside = json_pack("{s:i,s:{s:i}}", "visits", 2, "reasons",
				      "bytes_from_cache", 2);
	rows[1] = row("a=2", RESULT_OK);
	rows[1].expected = 10000;
	rows[2] = row("a=3", RESULT_BELOW_RESOLUTION);
	rows[2].resolution = 0.5;
	result_set(&rows[2].reason, "< 0.5 ns: too small to measure");
	rows[3] = row("a=4", RESULT_SKIPPED);
	result_set(&rows[3].reason,
		   "there is a reason that is so long that one line of 80 "
		   "columns has no place for all of it");
	print(4);
	OK(strstr(text, " value  95 % interval  grade\n"),
	   "a line of headings");
	OK(strstr(text, " 10.1..10.6 µs "), "the interval has a unit");
	OK(strstr(text, "2 measurements excluded: bytes_from_cache"),
	   "visits that were excluded, and why");
	OK(strstr(text, "true 10.0 µs, error +3.50 %"), "truth and error");
	OK(strstr(text, "< 0.500 ns") && strstr(text, "too small to measure") &&
		   !strstr(text, "< 0.500 ns: "),
	   "the bound is said once");
	OK(strstr(text, "skipped\n    there is a reason") &&
		   strstr(text, "for all of it\n"),
	   "a long remark stands below its row");
	OK(longest(text) <= 80, "in 80 columns");
}

TEST(wide)
{
	rows[0] = row("a=1", RESULT_OK);
	rows[0].samples = 9;
	rows[0].iters = 100;
	rows[0].stddev = 150;
	rows[0].p90 = 10500;
	print_as(OUT_WIDE, 1);
	OK(strstr(text, "samples 9") && strstr(text, "stddev 150 ns") &&
		   !strstr(text, "p90"),
	   "wide: the percentiles of batches are none of operations");
	rows[0] = row("a=1", RESULT_OK);
	rows[0].iters = 1;
	rows[0].p90 = 10500;
	print_as(OUT_WIDE, 1);
	OK(strstr(text, "p90 10.5 µs"), "wide: those of events are");
	rows[0] = row("a=1", RESULT_SKIPPED);
	rows[0].samples = 9;
	print_as(OUT_WIDE, 1);
	OK(!strstr(text, "samples"),
	   "wide: a row without value has no figures");
}

TEST(counters)
{
	rows[0] = row("a=1", RESULT_OK);
	rows[0].counters =
		json_pack("{s:s,s:f,s:n,s:f,s:{s:s}}", "scope", "user",
			  "instructions", 12.5, "cycles", "ipc", 3., "unknown",
			  "cycles", "there is no counter");
	rows[1] = row("a=2", RESULT_SKIPPED);
	print(2);
	OK(strstr(text, "counted of one operation, user: instructions 12.5, "
			"ipc 3.00\n"),
	   "what was counted is in the remark");
	OK(strstr(text, "\nunknown: cycles: there is no counter\n"),
	   "and below the table why the rest was not");
}

#define LONG "op=a_name_as_long_as_they_are,"

TEST(names)
{
	rows[0] = row(LONG LONG "stat=first", RESULT_OK);
	rows[1] = row("op=less", RESULT_OK);
	print(2);
	OK(strstr(text, "\n" LONG "\n  " LONG "stat=first "),
	   "a long name is folded behind its commas");
	OK(strstr(text, "\nop=less "), "a short one is not");
	OK(longest(text) <= 80, "in 80 columns");
}

/* Whether a row with this reason is written with this field. */
static bool reads(const char *reason, const char *field)
{
	char *csv = NULL;
	bool found;
	size_t len;
	FILE *f = open_memstream(&csv, &len);
	struct result r = row("a=1,b=2", RESULT_OK);

	result_set(&r.reason, reason);
	out_csv_row(f, &r, true);
	fclose(f);
	found = strstr(csv, field) &&
		strstr(csv, "value,ci95_low,ci95_high,n,") &&
		strstr(csv, ",10350.0,10100.0,10600.0,0,") &&
		strstr(csv, "\n2,made_up,\"a=1,b=2\",");
	if (!found)
		printf("# %s\n", csv);
	free(csv);
	result_free(&r);
	return found;
}

TEST(csv)
{
	OK(reads("plain", ",ok,plain,ns,"), "CSV: as it is");
	OK(reads("a,\"b\"", ",ok,\"a,\"\"b\"\"\",ns,"), "quoted");
	OK(reads("=1+1", ",ok,'=1+1,ns,"), "no formula");
	OK(reads("-2,5", ",ok,\"'-2,5\",ns,"), "nor in quotes");
	OK(reads("a\nb\033[1m", ",ok,a b?[1m,ns,"), "no control characters");
}
