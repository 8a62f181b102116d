/* SPDX-License-Identifier: MIT */
#include "rate.h"

#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "arch.h"
#include "err.h"
#include "machine.h"
#include "timer.h"

#define NEXT_NS	   900000000u  /* most of a second: its end is awaited */
#define STILL_NS   3000000000u /* longer than any second */
#define REFUSES_NS 10000000u   /* longer than an RTC updates itself */

/* Possible error, also of the counter: quartz by temperature and age, NTP. */
#define OFF_PPM 100.0

#define NOMINAL_TICK 10000 /* timex.tick, us of 10 ms */

/* The RTC began to show @second between @low and @high of the checked clock. */
struct edge {
	bool known;
	uint64_t low, high;
	int64_t second;
};

static struct edge next_edge(const struct rate_clocks *c)
{
	const uint64_t start = c->now_ns();
	struct edge at = { .low = start };
	int64_t first = -1;

	do {
		const uint64_t before = c->now_ns();

		at.second = c->second();
		at.high = c->now_ns();
		/* A PC's may refuse around its edge, which then lies there. */
		if (at.second < 0 &&
		    (first >= 0 || at.high - start < REFUSES_NS))
			continue;
		at.known = first >= 0 && at.second != first;
		if (at.second < 0 || at.known)
			break;
		first = at.second;
		at.low = before;
	} while (at.high - start < STILL_NS);
	return at;
}

static struct rate_verdict judge(double long_ppm, double error_ppm)
{
	return (struct rate_verdict) {
		.known = true,
		.long_ppm = long_ppm,
		.error_ppm = error_ppm + OFF_PPM,
		.agrees = fabs(long_ppm) <= error_ppm + 2 * OFF_PPM,
	};
}

struct rate_verdict rate_by_rtc(const struct rate_clocks *c)
{
	const struct edge begin = next_edge(c);
	struct edge end = { .known = false };
	double shown, least, most;

	if (begin.known) {
		c->sleep_ns(NEXT_NS);
		end = next_edge(c);
	}
	shown = (double)(end.second - begin.second) * 1e9;
	if (!end.known || !(shown > 0))
		return (struct rate_verdict) { .known = false };
	least = ((double)end.low - (double)begin.high) / shown;
	most = ((double)end.high - (double)begin.low) / shown;
	return judge(((least + most) / 2 - 1) * 1e6, (most - least) / 2 * 1e6);
}

/* How much faster NTP makes the kernel's clock. */
static double ntp_ppm(const struct timex *x)
{
	return (double)x->freq / 65536 +
	       (double)(x->tick - NOMINAL_TICK) * 1e6 / NOMINAL_TICK;
}

struct rate_verdict rate_by_ntp(const struct timex *before,
				const struct timex *after)
{
	const double a = ntp_ppm(before), b = ntp_ppm(after);

	if (before->status & STA_UNSYNC || after->status & STA_UNSYNC)
		return (struct rate_verdict) { .known = false };
	/* A clock to be made faster shows too little: times are too short. */
	return judge(-(a + b) / 2, fabs(a - b));
}

static void sleep_ns(uint64_t ns)
{
	const struct timespec rest = { .tv_nsec = (long)ns };

	nanosleep(&rest, NULL);
}

static int rtc; /* by sysfs, which needs no privilege, as the device would */

static int64_t rtc_second(void)
{
	char text[32];

	return field_number(sysfile_again(rtc, text, sizeof(text)), -1);
}

/* @x, or null. */
static json_t *real_if(bool known, double x)
{
	return known ? json_real(x) : json_null();
}

static void add_verdict(json_t *list, const char *name,
			const struct rate_verdict *v, double hz)
{
	json_array_append_new(
		list,
		json_pack("{s:s, s:o, s:o, s:o, s:o}", "clock", name,
			  "long_ppm", real_if(v->known, v->long_ppm),
			  "error_ppm", real_if(v->known, v->error_ppm), "hz",
			  real_if(v->known && hz > 0,
				  hz * (1 + v->long_ppm / 1e6)),
			  "agrees",
			  v->known ? json_boolean(v->agrees) : json_null()));
	if (v->known && !v->agrees)
		warn("warning: by %s all times here are %.4g %% too %s (±%.2g "
		     "%%): the rate of the counter that the firmware or the "
		     "kernel states is wrong, or that clock is",
		     name, fabs(v->long_ppm) / 1e4,
		     v->long_ppm > 0 ? "long" : "short", v->error_ppm / 1e4);
}

static bool disciplined(struct timex *x)
{
	const int state = adjtimex(x);

	return state >= 0 && state != TIME_ERROR && !(x->status & STA_UNSYNC);
}

/*
 * Against what the rate was measured.  Where the kernel's clock counts by this
 * counter, that is a circle: it gives back the rate that the firmware (or, on
 * x86-64, the kernel's own calibration) states.
 */
json_t *rate_describe(double hz)
{
	static const struct rate_clocks clocks = { timer_clock_begin, sleep_ns,
						   rtc_second };
	struct rate_verdict v;
	struct timex before = { .modes = 0 }, after = { .modes = 0 };
	char *source = sysfile_first("/sys/devices/system/clocksource/"
				     "clocksource0/current_clocksource");
	const char *stated =
		!source ? "unknown"
		: !strcmp(source, ARCH_CLOCKSOURCE)
			? "the firmware or the kernel: its clock counts by "
			  "this counter"
			: "measured against another clock of the kernel";
	const bool kept = disciplined(&before);
	json_t *list = json_array();

	rtc = open("/sys/class/rtc/rtc0/since_epoch", O_RDONLY | O_CLOEXEC);
	if (rtc >= 0) {
		v = rate_by_rtc(&clocks);
		add_verdict(list, "rtc0", &v, hz);
		close(rtc);
	}
	if (kept && disciplined(&after)) {
		v = rate_by_ntp(&before, &after);
		add_verdict(list, "NTP or PTP, by adjtimex()", &v, hz);
	}
	free(source);
	return json_pack("{s:s, s:o, s:o}", "stated_by", stated, "ntp_ppm",
			 real_if(kept, ntp_ppm(&before)), "checks", list);
}
