/* SPDX-License-Identifier: MIT */
#include "units.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DIGITS 3
/* From here on rounding to three digits gives the next unit: 999.5 ns is
 * shown as 1.00 µs, never as 1000 ns. */
#define ROUNDS_UP 0.9995

struct step {
	double factor;
	const char *shown;
};

static const struct step times[] = {
	{ 1, "ns" }, { 1e3, "µs" }, { 1e6, "ms" }, { 1e9, "s" }, { 0, NULL },
};

static const struct step bandwidths[] = {
	{ 1, "B/s" },	 { 1e3, "kB/s" },  { 1e6, "MB/s" },
	{ 1e9, "GB/s" }, { 1e12, "TB/s" }, { 0, NULL },
};

static const struct step rates[] = {
	{ 1, "op/s" },	  { 1e3, "kop/s" }, { 1e6, "Mop/s" },
	{ 1e9, "Gop/s" }, { 0, NULL },
};

static const struct step frequencies[] = {
	{ 1, "Hz" },	{ 1e3, "kHz" }, { 1e6, "MHz" },
	{ 1e9, "GHz" }, { 0, NULL },
};

static const struct step sizes[] = {
	{ 1, "B" },
	{ 1024.0, "KiB" },
	{ 1048576.0, "MiB" },
	{ 1073741824.0, "GiB" },
	{ 1099511627776.0, "TiB" },
	{ 0, NULL },
};

static const struct step *const ladders[] = {
	times, bandwidths, rates, frequencies, sizes, NULL,
};

double units_scale(double value, const char *unit, const char **shown)
{
	const struct step *best = NULL;

	for (size_t i = 0; unit && ladders[i]; i++)
		if (!strcmp(ladders[i]->shown, unit))
			best = ladders[i];
	*shown = unit;
	if (!best)
		return 1;
	while (best[1].shown && fabs(value) >= ROUNDS_UP * best[1].factor)
		best++;
	*shown = best->shown;
	return best->factor;
}

char *units_number(char buf[UNITS_MAX], double value)
{
	int decimals = 0;

	if (isnan(value)) {
		snprintf(buf, UNITS_MAX, "-");
		return buf;
	}
	/* %e rounds first, so that 9.996 counts as 10.0. */
	snprintf(buf, UNITS_MAX, "%.*e", DIGITS - 1, value);
	if (isfinite(value) && value != 0) {
		long exponent = strtol(strchr(buf, 'e') + 1, NULL, 10);

		/* Beyond these the digits would fill a line. */
		if (exponent < -9 || exponent > 15)
			return buf;
		if (exponent < DIGITS - 1)
			decimals = DIGITS - 1 - (int)exponent;
	}
	snprintf(buf, UNITS_MAX, "%.*f", decimals, value);
	return buf;
}

static int is_bare(const char *unit)
{
	return !unit || !*unit || !strcmp(unit, "1");
}

char *units_format(char buf[UNITS_MAX], double value, const char *unit)
{
	const char *shown;
	double factor = units_scale(value, unit, &shown);
	size_t len;

	units_number(buf, value / factor);
	/* Bytes come whole: "64 B", not "64.0 B". */
	if (!is_bare(unit) && !strcmp(unit, "B") && factor == 1 &&
	    value == floor(value))
		snprintf(buf, UNITS_MAX, "%.0f", value);
	len = strlen(buf);
	if (!is_bare(unit) && !isnan(value))
		snprintf(buf + len, UNITS_MAX - len, " %s", shown);
	return buf;
}

char *units_size(char buf[UNITS_MAX], uint64_t bytes)
{
	static const char suffixes[] = "KMG";
	char suffix[2] = "";

	for (size_t i = 0; suffixes[i] && bytes && bytes % 1024 == 0; i++) {
		bytes /= 1024;
		suffix[0] = suffixes[i];
	}
	snprintf(buf, UNITS_MAX, "%" PRIu64 "%s", bytes, suffix);
	return buf;
}

char *units_percent(char buf[UNITS_MAX], double fraction)
{
	double pct = 100 * fraction;
	double size = fabs(pct);
	int decimals = size < 0.995 ? 2 : size < 9.95 ? 1 : 0;

	if (isnan(pct))
		snprintf(buf, UNITS_MAX, "-");
	else if (size > 0 && size < 0.005)
		snprintf(buf, UNITS_MAX, "<0.01 %%");
	else
		snprintf(buf, UNITS_MAX, "%.*f %%", decimals, pct);
	return buf;
}

size_t units_width(const char *text)
{
	size_t columns = 0;

	/* Every byte of UTF-8 but the continuations begins a character. */
	for (; *text; text++)
		columns += ((unsigned char)*text & 0xc0) != 0x80;
	return columns;
}

char *units_error(char buf[UNITS_MAX], double fraction)
{
	if (fabs(fraction) < 5e-5)
		snprintf(buf, UNITS_MAX, "<0.01 %%");
	else
		snprintf(buf, UNITS_MAX, "%+.2f %%", 100 * fraction);
	return buf;
}
