/* SPDX-License-Identifier: MIT */
#include "tap.h"
#include "units.h"

static const struct {
	double value;
	const char *unit, *want;
} formats[] = {
	{ 5.62, "ns", "5.62 ns" },
	{ 5.624, "ns", "5.62 ns" },
	{ 0.1234, "ns", "0.123 ns" },
	{ 0.000712, "ns", "0.000712 ns" },
	{ 0, "ns", "0 ns" },
	{ 9.996, "ns", "10.0 ns" },
	{ 52, "ns", "52.0 ns" },
	{ 305.4, "ns", "305 ns" },
	{ 999.4, "ns", "999 ns" },
	{ 999.6, "ns", "1.00 µs" },
	{ 1234, "ns", "1.23 µs" },
	{ 247e3, "ns", "247 µs" },
	{ 1.5e6, "ns", "1.50 ms" },
	{ 2e9, "ns", "2.00 s" },
	{ 4.2e12, "ns", "4200 s" },
	{ -437, "ns", "-437 ns" },
	{ -1500, "ns", "-1.50 µs" },
	{ NAN, "ns", "-" },
	{ 12.4e9, "B/s", "12.4 GB/s" },
	{ 999.9e6, "B/s", "1.00 GB/s" },
	{ 680e3, "B/s", "680 kB/s" },
	{ 2e9, "Hz", "2.00 GHz" },
	{ 5693, "op/s", "5.69 kop/s" },
	{ 64, "B", "64 B" },
	{ 1536, "B", "1.50 KiB" },
	{ 33554432, "B", "32.0 MiB" },
	{ 3.25, "1", "3.25" },
	{ 1234567, "1", "1234567" },
	{ 2.5, "", "2.50" },
	{ 2.5, NULL, "2.50" },
	{ 12, "%", "12.0 %" },
	{ 1e20, "1", "1.00e+20" },
};

static const struct {
	uint64_t bytes;
	const char *want;
} sizes[] = {
	{ 0, "0" },
	{ 64, "64" },
	{ 1000, "1000" },
	{ 1024, "1K" },
	{ 1025, "1025" },
	{ 1536, "1536" },
	{ 4096, "4K" },
	{ 1 << 20, "1M" },
	{ 3 << 20, "3M" },
	{ (1 << 20) + 1024, "1025K" },
	{ 1 << 30, "1G" },
	{ 1ull << 40, "1024G" },
	{ UINT64_MAX, "18446744073709551615" },
};

static const struct {
	double fraction;
	const char *want;
} percents[] = {
	{ 0, "0.00 %" },     { 0.00001, "<0.01 %" }, { 0.0012, "0.12 %" },
	{ 0.0123, "1.2 %" }, { 0.0999, "10 %" },     { 0.42, "42 %" },
	{ 1, "100 %" },	     { NAN, "-" },
};

int main(void)
{
	char buf[UNITS_MAX];
	const char *shown;

	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		OK_STR(units_format(buf, formats[i].value, formats[i].unit),
		       formats[i].want, formats[i].want);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		OK_STR(units_size(buf, sizes[i].bytes), sizes[i].want,
		       sizes[i].want);
	for (size_t i = 0; i < sizeof(percents) / sizeof(percents[0]); i++)
		OK_STR(units_percent(buf, percents[i].fraction),
		       percents[i].want, percents[i].want);

	OK_STR(units_number(buf, 18234.4), "18234", "no digit is lost");
	OK_STR(units_number(buf, 99.96), "100", "rounding carries over");
	OK_NEAR(units_scale(2500, "ns", &shown), 1000, 0, "an axis in µs");
	OK_STR(shown, "µs", "and its name");
	OK_NEAR(units_scale(2500, "furlong", &shown), 1, 0, "unknown unit");
	OK_STR(shown, "furlong", "keeps its name");
	OK(units_width("1.00 µs") == 7, "a micro sign is one column wide");
	OK_STR(units_error(buf, 0.0021), "+0.21 %", "an error has its sign");
	OK_STR(units_error(buf, -0.0021), "-0.21 %", "also the other one");
	OK_STR(units_error(buf, -0.00002), "<0.01 %", "none is not 0.00");
	return tap_done();
}
