/* SPDX-License-Identifier: MIT */
/* The rate of a clock against others, all made up: what each is off is known.
 */
#include "rate.h"

#include <stdint.h>

#include "tap.h"

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

static double other_fast = 1;

static bool read_fine(const struct rate_clock *c, int64_t *ns)
{
	true_ns += read_ns;
	*ns = (int64_t)(true_ns * other_fast) + 7000000000;
	return true;
}

static bool read_seconds(const struct rate_clock *c, int64_t *ns)
{
	read_fine(c, ns);
	*ns -= *ns % 1000000000;
	return true;
}

/* One that refuses for 2 ms before its edge. */
static bool read_refusing(const struct rate_clock *c, int64_t *ns)
{
	read_fine(c, ns);
	if (*ns % 1000000000 > 998000000)
		return false;
	*ns -= *ns % 1000000000;
	return true;
}

static bool read_still(const struct rate_clock *c, int64_t *ns)
{
	true_ns += read_ns;
	*ns = 5000000000;
	return true;
}

static bool read_none(const struct rate_clock *c, int64_t *ns)
{
	return false;
}

static const struct rate_base base = { now_ns, sleep_ns };

static struct rate_verdict check(struct rate_clock c, double fast,
				 double cost_ns)
{
	struct rate_verdict v;

	base_fast = fast;
	read_ns = cost_ns;
	true_ns = 123456789.0;
	rate_check(&base, &c, 1, &v);
	return v;
}

static const struct rate_clock fine = { .read = read_fine };
static const struct rate_clock seconds = { .read = read_seconds,
					   .coarse = true };

static void right_rates(void)
{
	struct rate_verdict v = check(fine, 1, 1000);

	OK(v.known && v.agrees, "a clock of nanoseconds agrees");
	OK_NEAR(v.long_ppm, 0, 1, "to the part in a million");
	OK(v.error_ppm > 100 && v.error_ppm < 102,
	   "its error: what quartz may be off, and the reads");
	v = check(seconds, 1, 1000);
	OK(v.known && v.agrees && fabs(v.long_ppm) < v.error_ppm - 99,
	   "a clock of seconds agrees");
	OK(true_ns < 2.2e9, "within two seconds");
	v = check(seconds, 1.00015, 1000);
	OK(v.agrees, "two quartzes may differ by 150 ppm");
	v = check(seconds, 1.0003, 1000);
	OK(!v.agrees, "and not by 300");
}

static void wrong_rates(void)
{
	/* 24 MHz is said, and the counter moves every 41 ns. */
	const double lie = 1e9 / 24e6 / 41;
	struct rate_verdict v = check(seconds, lie, 1000);

	OK(v.known && !v.agrees, "41 ns for 41.67 are found out");
	OK_NEAR(v.long_ppm, 16260.2, 3, "times are 1.626 % too long");
	v = check(fine, lie, 1000);
	OK_NEAR(v.long_ppm, 16260.2, 1, "by a fine clock, too");
	v = check(fine, 1 / lie, 1000);
	OK_NEAR(v.long_ppm, 1e6 / lie - 1e6, 1, "or too short");
	v = check(seconds, 2.5, 1000);
	OK_NEAR(v.long_ppm, 1.5e6, 20, "a clock that is 2.5 times too fast");
	v = check(seconds, 0.25, 1000);
	OK_NEAR(v.long_ppm, -0.75e6, 20, "or four times too slow");
	other_fast = 1.02;
	v = check(fine, 1.02, 1000);
	OK(v.agrees, "only the difference is seen");
	other_fast = 1;
}

/* What cannot tell must not. */
static void poor_clocks(void)
{
	struct rate_verdict v = check(seconds, 1.0026, 1.2e6);

	OK(v.known && v.agrees && v.error_ppm > 2400,
	   "reads of 1.2 ms tell no error of 0.26 %");
	v = check(seconds, 1.01, 1.2e6);
	OK(!v.agrees && fabs(v.long_ppm - 10000) < v.error_ppm,
	   "but one of 1 %");
	v = check((struct rate_clock) { .read = read_refusing, .coarse = true },
		  1.01, 1000);
	OK(v.known && !v.agrees && fabs(v.long_ppm - 10000) < v.error_ppm &&
		   v.error_ppm > 2000,
	   "nor does one that refuses around its edge, but for 1 %");
	v = check((struct rate_clock) { .read = read_still, .coarse = true }, 1,
		  1000);
	OK(!v.known, "a clock that stands still tells nothing");
	OK(true_ns < 3.3e9, "and is not waited for for ever");
	v = check((struct rate_clock) { .read = read_still }, 1, 1000);
	OK(!v.known, "nor does a fine one");
	v = check((struct rate_clock) { .read = read_none, .coarse = true }, 1,
		  1000);
	OK(!v.known, "nor one that cannot be read");
}

static void several(void)
{
	const struct rate_clock all[] = { { .read = read_none },
					  fine,
					  seconds };
	struct rate_verdict v[3];

	base_fast = 1.001;
	read_ns = 500;
	true_ns = 0.3e9;
	rate_check(&base, all, 3, v);
	OK(!v[0].known && v[1].known && v[2].known, "each for itself");
	OK(fabs(v[1].long_ppm - 1000) < 1 && fabs(v[2].long_ppm - 1000) < 3,
	   "in the same seconds");
	OK(true_ns < 2.5e9, "which are two at most");
	true_ns = 5;
	rate_check(&base, all, 0, v);
	OK(true_ns == 5, "no clock, no wait");
}

static void by_ntp(void)
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

int main(void)
{
	right_rates();
	wrong_rates();
	poor_clocks();
	several();
	by_ntp();
	return tap_done();
}
