/* SPDX-License-Identifier: MIT */
#include "rate.h"

#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "arch.h"
#include "deadline.h"
#include "err.h"
#include "machine.h"
#include "timer.h"

#define MOST_CLOCKS 5		/* one RTC, four PTP */
#define NEXT_NS	    900000000u	/* most of a second: its end is awaited */
#define STILL_NS    3000000000u /* longer than any second */
#define REFUSES_NS  10000000u	/* longer than an RTC updates itself */
#define READS	    200

/* What a clock may be off, and the counter too: quartz by temperature and age,
 * NTP while it moves the clock to where it ought to be. */
#define OFF_PPM 100.0

#define NOMINAL_TICK 10000 /* timex.tick, us of 10 ms */
#define CLOCK_OF(fd) ((clockid_t)(~(unsigned int)(fd) << 3 | 3))

/* @ns was shown somewhere between @low and @high of the checked clock. */
struct instant {
	bool known;
	uint64_t low, high;
	int64_t ns;
};

/* The moment when a clock of whole seconds shows another one. */
static struct instant next_second(const struct rate_base *base,
				  const struct rate_clock *c)
{
	const uint64_t start = base->now_ns();
	struct instant at = { .low = start };
	int64_t first = 0;
	bool begun = false;

	do {
		const uint64_t before = base->now_ns();
		const bool seen = c->read(c, &at.ns);

		at.high = base->now_ns();
		/* A PC's may refuse around its edge, which then lies there. */
		if (!seen && (begun || at.high - start < REFUSES_NS))
			continue;
		if (!seen)
			break;
		at.known = begun && at.ns != first;
		if (at.known)
			return at;
		first = at.ns;
		begun = true;
		at.low = before;
	} while (at.high - start < STILL_NS);
	return at;
}

/* The closest pair of readings around one of a fine clock. */
static struct instant tightest(const struct rate_base *base,
			       const struct rate_clock *c)
{
	struct instant best = { .high = UINT64_MAX };

	for (int i = 0; i < READS; i++) {
		struct instant at = { .known = true, .low = base->now_ns() };

		if (!c->read(c, &at.ns))
			break;
		at.high = base->now_ns();
		if (at.high - at.low < best.high - best.low)
			best = at;
	}
	return best;
}

static struct instant take(const struct rate_base *base,
			   const struct rate_clock *c)
{
	return c->coarse ? next_second(base, c) : tightest(base, c);
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

void rate_check(const struct rate_base *base, const struct rate_clock *c,
		unsigned int n, struct rate_verdict *v)
{
	struct instant begin[MOST_CLOCKS], end;
	bool any = false;

	for (unsigned int i = 0; i < n; i++) {
		begin[i] = take(base, &c[i]);
		any |= begin[i].known;
	}
	if (any)
		base->sleep_ns(NEXT_NS);
	/* The last, which had to be waited for, is the next to be due. */
	for (unsigned int i = n; i-- > 0;) {
		double shown, least, most;

		v[i] = (struct rate_verdict) { .known = false };
		if (!begin[i].known)
			continue;
		end = take(base, &c[i]);
		shown = (double)(end.ns - begin[i].ns);
		if (!end.known || !(shown > 0))
			continue;
		least = ((double)end.low - (double)begin[i].high) / shown;
		most = ((double)end.high - (double)begin[i].low) / shown;
		v[i] = judge(((least + most) / 2 - 1) * 1e6,
			     (most - least) / 2 * 1e6);
	}
}

double rate_ntp_ppm(const struct timex *x)
{
	return (double)x->freq / 65536 +
	       (double)(x->tick - NOMINAL_TICK) * 1e6 / NOMINAL_TICK;
}

struct rate_verdict rate_by_ntp(const struct timex *before,
				const struct timex *after)
{
	const double a = rate_ntp_ppm(before), b = rate_ntp_ppm(after);

	if (before->status & STA_UNSYNC || after->status & STA_UNSYNC)
		return (struct rate_verdict) { .known = false };
	/* What must be made faster shows too little: times are too short. */
	return judge(-(a + b) / 2, fabs(a - b));
}

static void sleep_ns(uint64_t ns)
{
	const struct timespec rest = { .tv_nsec = (long)ns };

	nanosleep(&rest, NULL);
}

/* By sysfs, which needs no privilege, as the device would. */
static bool read_rtc(const struct rate_clock *c, int64_t *ns)
{
	char text[32];

	*ns = field_number(sysfile_again(c->fd, text, sizeof(text)), -1) *
	      1000000000;
	return *ns >= 0;
}

static bool read_ptp(const struct rate_clock *c, int64_t *ns)
{
	*ns = clock_now_ns(CLOCK_OF(c->fd));
	return *ns >= 0;
}

/* Add @device at @path, if it can be opened, with the name that it has. */
static unsigned int add_clock(struct rate_clock *c, struct rate_clock like,
			      const char *path, const char *device, char *named)
{
	*c = like;
	c->fd = open(path, O_RDONLY | O_CLOEXEC);
	c->name = c->fd < 0 ? NULL
			    : text_format("%s (%s)", device,
					  named ? named : "no name");
	free(named);
	return c->fd >= 0;
}

/* The RTC comes last: rate_check(). */
static unsigned int open_clocks(struct rate_clock c[MOST_CLOCKS])
{
	const struct rate_clock ptp = { .read = read_ptp };
	const struct rate_clock rtc = { .read = read_rtc, .coarse = true };
	unsigned int n = 0;

	for (int i = 0; i < MOST_CLOCKS - 1; i++) {
		char path[] = "/dev/ptp0", *device = path + strlen("/dev/");

		device[3] = "0123456789"[i];
		n += add_clock(&c[n], ptp, path, device,
			       sysfile_first("/sys/class/ptp/%s/clock_name",
					     device));
	}
	return n + add_clock(&c[n], rtc, "/sys/class/rtc/rtc0/since_epoch",
			     "rtc0", sysfile_first("/sys/class/rtc/rtc0/name"));
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
	static const struct rate_base base = { timer_clock_begin, sleep_ns };
	struct rate_clock clocks[MOST_CLOCKS];
	struct rate_verdict verdicts[MOST_CLOCKS], ntp = { .known = false };
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
	const unsigned int n = open_clocks(clocks);
	json_t *list = json_array();

	rate_check(&base, clocks, n, verdicts);
	for (unsigned int i = 0; i < n; i++) {
		add_verdict(list, clocks[i].name, &verdicts[i], hz);
		close(clocks[i].fd);
		free(clocks[i].name);
	}
	if (kept && disciplined(&after))
		ntp = rate_by_ntp(&before, &after);
	if (ntp.known)
		add_verdict(list, "NTP or PTP, by adjtimex()", &ntp, hz);
	free(source);
	return json_pack("{s:s, s:o, s:o}", "stated_by", stated, "ntp_ppm",
			 real_if(kept, rate_ntp_ppm(&before)), "checks", list);
}
