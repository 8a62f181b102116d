/* SPDX-License-Identifier: MIT */
#ifndef UNITS_H
#define UNITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Numbers for people: three significant digits with a unit they fit into.
 * Results keep full numbers in base units; nothing here is ever read back.
 */
#define UNITS_MAX 48 /* bytes that hold any text made here, with its NUL */

/**
 * units_format() - a value with its unit: "5.62 ns", "1.23 µs", "12.4 GB/s".
 * @unit: of @value, as in results.  "ns" goes up to s and "B/s", "Hz", "op/s"
 *	  up to G in steps of 10^3, "B" becomes KiB, MiB ... in steps of
 *	  2^10; "1", "" and NULL are a bare number; any other unit is
 *	  written as it is.
 *
 * NAN is "-".  A value never rounds to 0: small ones keep three digits.
 *
 * Return: @buf.
 */
char *units_format(char buf[UNITS_MAX], double value, const char *unit);

/**
 * units_scale() - how to show values near @value, e.g. on one axis.
 * @shown: gets the name of the larger unit (static text, or @unit itself).
 *
 * Return: how many @unit are in one *@shown: divide by it.
 */
double units_scale(double value, const char *unit, const char **shown);

/* units_number() - three significant digits, all digits before the point,
 * no unit: "5.62", "52.0", "305", "18234".  For ticks, cycles and columns
 * whose unit stands above them.  Return: @buf. */
char *units_number(char buf[UNITS_MAX], double value);

/* units_size() - canonical size as in the names of cases: "64", "4K", "1M",
 * "1G": the largest step of 2^10 that is exact.  Return: @buf. */
char *units_size(char buf[UNITS_MAX], uint64_t bytes);

/* units_percent() - of a fraction: 0.0123 is "1.2 %", 0.0012 "0.12 %".  Return:
 * @buf. */
char *units_percent(char buf[UNITS_MAX], double fraction);

/* units_error() - a relative error: 0.0021 is "+0.21 %", what rounds to none
 * "<0.01 %".  Return: @buf. */
char *units_error(char buf[UNITS_MAX], double fraction);

/* The same; new strings, by alloc.h. */
#define text_units(value, unit) \
	units_format(text_alloc(UNITS_MAX, 1), value, unit)
#define text_number(value)     units_number(text_alloc(UNITS_MAX, 1), value)
#define text_percent(fraction) units_percent(text_alloc(UNITS_MAX, 1), fraction)
#define text_error(fraction)   units_error(text_alloc(UNITS_MAX, 1), fraction)

/* units_width() - columns that UTF-8 @text takes on a terminal; printf()
 * pads by bytes, of which "µ" has two. */
size_t units_width(const char *text);

/* Text in lines of so many columns. */
struct wrap {
	const char *rest; /* what is still to be written */
	const char *line;
	size_t len; /* bytes of the line */
};

/* wrap_line() - the next line, of at most @width columns, at least 1.  Lines
 * are parted at blanks, which fall away; a word that is too long behind its
 * last comma, and where it has none at the end of the line, never inside a
 * character.  Return: whether there was one. */
bool wrap_line(struct wrap *w, size_t width);

#endif
