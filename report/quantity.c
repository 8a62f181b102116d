/* SPDX-License-Identifier: MIT */
#include "course.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *name, *base;
	double factor;
} units[] = {
	{ "ns", "ns", 1 },
	{ "us", "ns", 1e3 },
	{ "µs", "ns", 1e3 },
	{ "μs", "ns", 1e3 }, /* the Greek letter, not the micro sign */
	{ "ms", "ns", 1e6 },
	{ "s", "ns", 1e9 },
	{ "ns/B", "ns/B", 1 },
	{ "us/B", "ns/B", 1e3 },
	{ "µs/B", "ns/B", 1e3 },
	{ "cycles", "cycles", 1 },
	{ "cycle", "cycles", 1 },
	{ "B", "B", 1 },
	{ "kB", "B", 1e3 },
	{ "KB", "B", 1e3 },
	{ "MB", "B", 1e6 },
	{ "GB", "B", 1e9 },
	{ "TB", "B", 1e12 },
	{ "KiB", "B", 1024 },
	{ "MiB", "B", 1048576 },
	{ "GiB", "B", 1073741824 },
	{ "TiB", "B", 1099511627776 },
	{ "B/s", "B/s", 1 },
	{ "kB/s", "B/s", 1e3 },
	{ "KB/s", "B/s", 1e3 },
	{ "MB/s", "B/s", 1e6 },
	{ "GB/s", "B/s", 1e9 },
	{ "KiB/s", "B/s", 1024 },
	{ "MiB/s", "B/s", 1048576 },
	{ "GiB/s", "B/s", 1073741824 },
	{ "bit/s", "B/s", 0.125 },
	{ "kbit/s", "B/s", 0.125e3 },
	{ "Mbit/s", "B/s", 0.125e6 },
	{ "Gbit/s", "B/s", 0.125e9 },
	{ "Hz", "Hz", 1 },
	{ "kHz", "Hz", 1e3 },
	{ "MHz", "Hz", 1e6 },
	{ "GHz", "Hz", 1e9 },
};

#define UNITS (sizeof(units) / sizeof(units[0]))

static const char *expected(const char *want)
{
	if (!strcmp(want, "B/s"))
		return "a number and a unit: B/s, kB/s, MB/s, GB/s, KiB/s, "
		       "MiB/s, GiB/s, Mbit/s or Gbit/s";
	if (!strcmp(want, "B"))
		return "a number and a unit: B, kB, MB, GB, KiB, MiB or GiB";
	if (!strcmp(want, "ns/B"))
		return "a number and a unit: ns/B or us/B";
	if (!strcmp(want, "Hz"))
		return "a number and a unit: Hz, kHz, MHz or GHz";
	return "a number and a unit: ns, us, ms, s or cycles";
}

/* Digits with a point and perhaps an exponent, none of strtod()'s "inf",
 * "nan" or hexadecimal. */
static int read_number(const char *text, char **end, double *x)
{
	if (!isdigit((unsigned char)*text) && *text != '.')
		return -1;
	if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X'))
		return -1;
	*x = strtod(text, end);
	return *end == text || !isfinite(*x) ? -1 : 0;
}

const char *quantity_parse(const char *text, const char *want, double clock_hz,
			   double *value)
{
	const char *unit;
	char *end;
	double x;
	size_t len;

	text += strspn(text, " \t");
	if (read_number(text, &end, &x))
		return expected(want);
	unit = end + strspn(end, " \t");
	len = strlen(unit);
	while (len && (unit[len - 1] == ' ' || unit[len - 1] == '\t'))
		len--;
	if (!len && x == 0) {
		*value = 0;
		return NULL;
	}
	for (size_t i = 0; i < UNITS; i++) {
		if (strlen(units[i].name) != len ||
		    strncmp(units[i].name, unit, len) != 0)
			continue;
		if (!strcmp(units[i].base, want)) {
			*value = x * units[i].factor;
			return NULL;
		}
		if (strcmp(units[i].base, "cycles") != 0 ||
		    strcmp(want, "ns") != 0)
			return expected(want);
		if (!(clock_hz > 0))
			return "'clock = N MHz' under [machine] above it, to "
			       "turn cycles into time";
		*value = x * 1e9 / clock_hz;
		return NULL;
	}
	return expected(want);
}
