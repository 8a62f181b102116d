/* SPDX-License-Identifier: MIT */
/* The rate of a clock against another, both made up: what each is off is known.
 */
#include "rate.h"

#include <stdint.h>

#include "tests.h"

/* True time, which nobody sees; each read of a clock takes some of it. */
static double true_ns, read_ns;
static double base_fast = 1; /* seconds of the checked clock in a true one */

static uint64_t now_ns(void)
{
	true_ns += 20;
	return (uint64_t)(true_ns * base_fast);
}

/* A sleep is by the checked clock, too, and comes late. */
static void sleep_ns(uint64_t ns)
{
	true_ns += (double)ns / base_fast + 50e3;
}

static int64_t seconds(void)
{
	true_ns += read_ns;
	return (int64_t)(true_ns / 1e9) + 7;
}

/* One that refuses for 2 ms before its edge. */
static int64_t refusing(void)
{
	const int64_t shown = seconds();

	return fmod(true_ns, 1e9) > 998e6 ? -1 : shown;
}

static int64_t still(void)
{
	true_ns += read_ns;
	return 5;
}

static int64_t none(void)
{
	return -1;
}

static struct rate_verdict check(int64_t (*second)(void), double fast,
				 double cost_ns)
{
	const struct rate_clocks c = { now_ns, sleep_ns, second };

	base_fast = fast;
	read_ns = cost_ns;
	true_ns = 123456789.0;
	return rate_by_rtc(&c);
}

TEST(right_rates)
{
	struct rate_verdict v = check(seconds, 1, 1000);

	OK(v.known && v.agrees && fabs(v.long_ppm) < v.error_ppm - 99,
	   "an RTC agrees");
	OK(v.error_ppm > 100 && v.error_ppm < 103,
	   "its error: what quartz may be off, and the reads");
	OK(true_ns < 2.2e9, "within two seconds");
	v = check(seconds, 1.00015, 1000);
	OK(v.agrees, "two quartzes may differ by 150 ppm");
	v = check(seconds, 1.0003, 1000);
	OK(!v.agrees, "and not by 300");
}

TEST(wrong_rates)
{
	/* 24 MHz is said, and the counter moves every 41 ns. */
	const double lie = 1e9 / 24e6 / 41;
	struct rate_verdict v = check(seconds, lie, 1000);

	OK(v.known && !v.agrees, "41 ns for 41.67 are found out");
	OK_NEAR(v.long_ppm, 16260.2, 3, "times are 1.626 % too long");
	v = check(seconds, 1 / lie, 1000);
	OK_NEAR(v.long_ppm, 1e6 / lie - 1e6, 3, "or too short");
	v = check(seconds, 2.5, 1000);
	OK_NEAR(v.long_ppm, 1.5e6, 20, "a clock that is 2.5 times too fast");
	v = check(seconds, 0.25, 1000);
	OK_NEAR(v.long_ppm, -0.75e6, 20, "or four times too slow");
}

/* A clock that cannot show an error must not report one. */
TEST(poor_clocks)
{
	struct rate_verdict v = check(seconds, 1.0026, 1.2e6);

	OK(v.known && v.agrees && v.error_ppm > 2400,
	   "reads of 1.2 ms tell no error of 0.26 %");
	v = check(seconds, 1.01, 1.2e6);
	OK(!v.agrees && fabs(v.long_ppm - 10000) < v.error_ppm,
	   "but one of 1 %");
	v = check(refusing, 1.01, 1000);
	OK(v.known && !v.agrees && fabs(v.long_ppm - 10000) < v.error_ppm &&
		   v.error_ppm > 2000,
	   "nor does one that refuses around its edge, but for 1 %");
	v = check(still, 1, 1000);
	OK(!v.known, "a clock that stands still tells nothing");
	OK(true_ns < 3.3e9, "and is not waited for for ever");
	v = check(none, 1, 1000);
	OK(!v.known && true_ns < 0.2e9, "nor one that cannot be read");
}

TEST(by_ntp)
{
	struct timex a = { .tick = 10000, .freq = 40L * 65536 }, b = a;
	struct rate_verdict v = rate_by_ntp(&a, &b);

	OK(v.known && v.agrees, "NTP makes the clock 40 ppm faster");
	OK_NEAR(v.long_ppm, -40, 1e-9, "so times are 40 ppm too short");
	a.tick = b.tick = 9840;
	a.freq = b.freq = -260L * 65536;
	v = rate_by_ntp(&a, &b);
	OK(!v.agrees, "1.6 % goes by the length of the tick");
	OK_NEAR(v.long_ppm, 16260, 1e-6, "and is added");
	b.freq += 3000L * 65536;
	v = rate_by_ntp(&a, &b);
	OK_NEAR(v.error_ppm, 3100, 1e-6, "what moves is not known better");
	b.status = STA_UNSYNC;
	OK(!rate_by_ntp(&a, &b).known, "no daemon, no verdict");
}
