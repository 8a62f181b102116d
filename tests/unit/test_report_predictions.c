/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "box.h"
#include "course.h"
#include "leaks.h"
#include "tests.h"
#include "text.h"

static int gives(const char *text, const char *want, double clock, double x)
{
	double got = NAN;
	const char *expected = quantity_parse(text, want, clock, &got);

	return !expected && fabs(got - x) <= 1e-12 * fabs(x);
}

static int refused(const char *text, const char *want)
{
	double got = 42;

	return quantity_parse(text, want, 2e9, &got) && fabs(got - 42) < 1e-9;
}

TEST(quantities)
{
	OK(gives("3.2 ns", "ns", NAN, 3.2), "ns");
	OK(gives(" 1.5us ", "ns", NAN, 1500), "no blank, blanks around");
	OK(gives("2 µs", "ns", NAN, 2000), "the micro sign");
	OK(gives("100 cycles", "ns", 2e9, 50), "cycles need a clock");
	OK(!gives("100 cycles", "ns", NAN, 50), "and are refused without");
	OK(gives("1 Gbit/s", "B/s", NAN, 125e6), "bits");
	OK(gives("1 KiB", "B", NAN, 1024), "KiB");
	OK(gives("1 kB", "B", NAN, 1000), "kB");
	OK(gives("3 MiB/s", "B/s", NAN, 3145728) &&
		   gives("3 KiB/s", "B/s", NAN, 3072) &&
		   gives("3 GiB/s", "B/s", NAN, 3221225472) &&
		   gives("3 MB/s", "B/s", NAN, 3e6) &&
		   gives("3 GB/s", "B/s", NAN, 3e9) &&
		   gives("8 kbit/s", "B/s", NAN, 1e3) &&
		   gives("8 Mbit/s", "B/s", NAN, 1e6),
	   "rates of both kinds of million");
	OK(gives("3 MiB", "B", NAN, 3145728) &&
		   gives("3 GiB", "B", NAN, 3221225472) &&
		   gives("3 MB", "B", NAN, 3e6) && gives("3 GB", "B", NAN, 3e9),
	   "and sizes");
	OK(gives("2 us/B", "ns/B", NAN, 2000), "time for a byte");
	OK(gives("0", "ns", NAN, 0), "nothing needs no unit");
	OK(gives("2.8 GHz", "Hz", NAN, 2.8e9), "a clock");
	OK(refused("3", "ns") && refused("3 parsec", "ns"), "no unit, wrong");
	OK(refused("fast", "ns") && refused("", "ns"), "no number");
	OK(refused("-3 ns", "ns") && refused("nan ns", "ns") &&
		   refused("inf", "ns") && refused("0x10 ns", "ns") &&
		   refused("1e999 s", "ns"),
	   "only plain numbers");
	OK(refused("3 GB", "ns") && refused("3 ns", "B/s") &&
		   refused("3 cycles", "B") && refused("3 ns", "ns/B"),
	   "a unit of something else");
}

static struct operation two[2];
static struct operations ops = { two, 2 };

/* Read @text as a file.  Return: as predictions_read(). */
static int reads(struct notes *notes, const char *text)
{
	if (!*box)
		box_open(true);
	box_put("predictions.ini", text);
	two[0] = (struct operation) { .id = "syscall",
				      .unit = "ns",
				      .said = { NAN, NAN, NAN } };
	two[1] = (struct operation) { .id = "memory",
				      .unit = "B/s",
				      .said = { NAN, NAN, NAN } };
	*notes = (struct notes) { 0 };
	return predictions_read(&ops, in_box("predictions.ini"), 4e9, notes);
}

static int has_note(const struct notes *notes, const char *end)
{
	for (size_t i = 0; i < notes->n; i++)
		if (strstr(notes->v[i].text, end))
			return 1;
	return 0;
}

TEST(files)
{
	struct notes notes;

	OK(!reads(&notes,
		  "# words\n[machine]\nclock = 2 GHz\n[syscall]\n"
		  "base = 100 cycles\nsoftware = 20 ns\npredicted =\n"
		  "why = first\n  second\n[memory]\npredicted = 9 GB/s\n"),
	   "a good file");
	OK_NEAR(two[0].said[BASE], 50, 1e-9, "cycles by the file's clock");
	OK_NEAR(two[0].said[PREDICTED], 70, 1e-9, "base + software");
	OK_STR(two[0].why, "first second", "words over two lines");
	OK_NEAR(two[1].said[PREDICTED], 9e9, 1, "a bandwidth");
	OK(isnan(two[1].said[BASE]), "what is not said is not known");

	OK(!reads(&notes, "[syscall]\nbase = 100 cycles\n"), "no clock");
	OK_NEAR(two[0].said[BASE], 25, 1e-9, "cycles by the core's frequency");

	OK(reads(&notes, "[syscall]\nbase = soon\nbase = 2 ns\nbase = 3 ns\n"
			 "bass = 1\n[other]\nbase = 1 ns\nno key\n") == 5,
	   "five bad lines");
	OK(has_note(&notes, ":2: base = soon: expected a number and a unit"),
	   "an amount, by its line");
	OK(has_note(&notes, ":4: base is given twice"), "given twice");
	OK(has_note(&notes, ":5: bass: expected base, software"), "a key");
	OK(has_note(&notes, ":7: [other]: expected the name of an operation"),
	   "a section");
	OK(has_note(&notes, ":8: expected [operation], key = value"),
	   "no key at all");
	OK_NEAR(two[0].said[BASE], 2, 1e-12, "the good lines are used");
}

TEST(long_lines)
{
	struct notes notes;
	char *blanks = text_format("[syscall]\nwhy = %01000d\nbase = 1 ns\n"
				   "predicted = x\n",
				   0);

	OK(reads(&notes, blanks) == 2, "a line that is too long");
	OK(has_note(&notes, ":2: expected at most") &&
		   has_note(&notes, ":4: predicted = x"),
	   "does not shift the lines behind it");
	OK_NEAR(two[0].said[BASE], 1, 1e-12, "nor spoil them");
}
