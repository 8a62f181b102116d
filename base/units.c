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

/* A unit and the larger ones above it, each so many of the one before. */
static const struct ladder {
	double step;
	const char *shown[6];
} ladders[] = {
	{ 1e3, { "ns", "µs", "ms", "s" } },
	{ 1e3, { "B/s", "kB/s", "MB/s", "GB/s", "TB/s" } },
	{ 1e3, { "op/s", "kop/s", "Mop/s", "Gop/s" } },
	{ 1e3, { "Hz", "kHz", "MHz", "GHz" } },
	{ 1024, { "B", "KiB", "MiB", "GiB", "TiB" } },
};

double units_scale(double value, const char *unit, const char **shown)
{
	double factor = 1;

	*shown = unit;
	for (size_t i = 0; unit && i < sizeof(ladders) / sizeof(*ladders);
	     i++) {
		const struct ladder *l = &ladders[i];

		if (strcmp(*l->shown, unit) != 0)
			continue;
		for (size_t k = 1;
		     l->shown[k] && fabs(value) >= ROUNDS_UP * factor * l->step;
		     k++) {
			factor *= l->step;
			*shown = l->shown[k];
		}
		break;
	}
	return factor;
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

char *units_format(char buf[UNITS_MAX], double value, const char *unit)
{
	const bool bare = !unit || !*unit || !strcmp(unit, "1");
	const char *shown;
	double factor = units_scale(value, unit, &shown);
	size_t len;

	units_number(buf, value / factor);
	/* Bytes come whole: "64 B", not "64.0 B". */
	if (!bare && !strcmp(unit, "B") && factor == 1 && value == floor(value))
		snprintf(buf, UNITS_MAX, "%.0f", value);
	len = strlen(buf);
	if (!bare && !isnan(value))
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

/* The byte after the character at @s. */
static const char *next(const char *s)
{
	do
		s++;
	while (((unsigned char)*s & 0xc0) == 0x80);
	return s;
}

bool wrap_line(struct wrap *w, size_t width)
{
	const char *end, *blank = NULL, *comma = NULL;
	size_t columns = 0;

	while (*w->rest == ' ')
		w->rest++;
	if (!*w->rest)
		return false;
	end = w->line = w->rest;
	while (*end && columns < width) {
		if (*end == ' ')
			blank = end;
		if (*end == ',')
			comma = end + 1;
		end = next(end);
		columns++;
	}
	/* A word that is too long for a line of its own begins in this one. */
	if (blank && comma > blank && strcspn(blank + 1, " ") > width)
		blank = comma;
	if (*end && *end != ' ')
		end = blank ? blank : comma ? comma : end;
	w->rest = end;
	while (end[-1] == ' ')
		end--;
	w->len = (size_t)(end - w->line);
	return true;
}
