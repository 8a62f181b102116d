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
 * those of network cards or of a hypervisor (PTP), and NTP's servers.
 */
struct rate_clock {
	char *name;
	/* What it shows now.  Return: false if it cannot be read. */
	bool (*read)(const struct rate_clock *c, int64_t *ns);
	bool coarse; /* shows whole seconds: the next one is waited for */
	int fd;
};

/* The clock that is checked, and how to wait; made up in tests. */
struct rate_base {
	uint64_t (*now_ns)(void);
	void (*sleep_ns)(uint64_t ns);
};

struct rate_verdict {
	bool known;
	double long_ppm;  /* by which times are too long: < 0, too short */
	double error_ppm; /* how far off that may be */
	bool agrees;	  /* long_ppm is what clocks are allowed to be off */
};

/**
 * rate_check() - hold @base against the @n clocks @c, all in the same second
 * or two.
 * @v: gets @n verdicts; those of clocks that cannot be read, or stand still for
 *     three seconds, are not known.
 */
void rate_check(const struct rate_base *base, const struct rate_clock *c,
		unsigned int n, struct rate_verdict *v);

/* rate_by_ntp() - the same from what the kernel says of NTP before and after;
 * not known where no daemon keeps the clock. */
struct rate_verdict rate_by_ntp(const struct timex *before,
				const struct timex *after);

/* rate_ntp_ppm() - how much faster NTP makes the kernel's clock. */
double rate_ntp_ppm(const struct timex *x);

/**
 * rate_describe() - do it with the clocks that this machine has.
 * @hz: the rate of the counter as the run takes it.
 *
 * Takes up to two seconds, five where an RTC stops, nothing where there is no
 * such clock.  Warns where one disagrees.
 *
 * Return: machine.json's tsc.rate.
 */
json_t *rate_describe(double hz);

#endif
