/* SPDX-License-Identifier: MIT */
#ifndef RATE_H
#define RATE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/timex.h>

/*
 * The rate of the kernel's clock, which all times of a run come from, against
 * clocks that do not count by the same counter: the battery-backed one (RTC),
 * and NTP's servers.  Made up in tests.
 */
struct rate_clocks {
	uint64_t (*now_ns)(void); /* the one that is checked, and its sleep */
	void (*sleep_ns)(uint64_t ns);
	int64_t (*second)(void); /* that the RTC shows; < 0: it refuses */
};

struct rate_verdict {
	bool known;
	double long_ppm;  /* by which times are too long: < 0, too short */
	double error_ppm; /* how far off that may be */
	bool agrees;	  /* long_ppm is what clocks are allowed to be off */
};

/* rate_by_rtc() - by the edges of two of its seconds; not known where it cannot
 * be read, or stands still for three seconds. */
struct rate_verdict rate_by_rtc(const struct rate_clocks *c);

/* rate_by_ntp() - the same from what the kernel says of NTP before and after;
 * not known where no daemon keeps the clock. */
struct rate_verdict rate_by_ntp(const struct timex *before,
				const struct timex *after);

/**
 * rate_describe() - do it with the clocks that this machine has.
 * @hz: the rate of the counter as the run takes it.
 *
 * Takes up to two seconds, five where an RTC stops, nothing where there is
 * none.  Warns where one disagrees.
 *
 * Return: machine.json's tsc.rate.
 */
json_t *rate_describe(double hz);

#endif
