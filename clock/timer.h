/* SPDX-License-Identifier: MIT */
#ifndef TIMER_H
#define TIMER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "arch_ask.h"

/*
 * The timing core: how to read the clock before and after measured code.
 *
 * A method is a pair begin/end.  Neither has a branch or a call in it (but
 * `clock`, which is a call), so which method is in use must be decided outside
 * the timed interval: use TIMER_INTERVAL() or one specialised function for
 * each method.  Ticks are TSC ticks, not core cycles; of the method `clock`
 * they are nanoseconds.
 *
 * Source: G. Paoloni, "How to Benchmark Code Execution Times on Intel IA-32
 * and IA-64 Instruction Set Architectures", Intel white paper 324264-001,
 * 2010.  The methods of an architecture: arch/ARCH/timer_asm.h; what it says of
 * them: arch/arch_ask.h.
 */

/* Their names, for messages. */
#define TIMER_NAME_(NAME, name, ...) #name ", "
#define TIMER_NAMES		     ARCH_METHODS(TIMER_NAME_, )

/* For machines whose TSC cannot be trusted: nanoseconds, and a call. */
TIMER_INLINE uint64_t timer_clock_begin(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC_RAW, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

TIMER_INLINE uint64_t timer_clock_end(void)
{
	return timer_clock_begin();
}

/*
 * TIMER_INTERVAL() - time the statements @... once; @ticks (an lvalue,
 * uint64_t) gets the raw ticks, overhead included.  The statements are
 * compiled once for each method, so that the choice is made before the
 * interval begins.  Keep them short: a call of a function is best.
 */
#define TIMER_CASE_(NAME, name, ticks, ...)                     \
	case TIMER_##NAME: {                                    \
		const uint64_t begin_ = timer_##name##_begin(); \
		__VA_ARGS__;                                    \
		(ticks) = timer_##name##_end() - begin_;        \
		break;                                          \
	}
#define TIMER_INTERVAL(method, ticks, ...)                    \
	switch (method) {                                     \
		ARCH_METHODS(TIMER_CASE_, ticks, __VA_ARGS__) \
	default:                                              \
		TIMER_CASE_(CLOCK, clock, ticks, __VA_ARGS__) \
	}

/*
 * timer_begin(), timer_end() - for an interval that begins in one thread or
 * process and ends in another (fork to the child's first instruction), where
 * TIMER_INTERVAL() cannot be used.  timer_begin() chooses the method before its
 * read; the choice in timer_end(), a compare and a jump or two, is inside.
 */
TIMER_INLINE uint64_t timer_begin(enum timer_method method)
{
#define TIMER_BEGIN_(NAME, name, ...) \
	case TIMER_##NAME:            \
		return timer_##name##_begin();
	switch (method) {
		ARCH_METHODS(TIMER_BEGIN_, )
	default:
		return timer_clock_begin();
	}
}

TIMER_INLINE uint64_t timer_end(enum timer_method method)
{
#define TIMER_END_(NAME, name, ...) \
	case TIMER_##NAME:          \
		return timer_##name##_end();
	switch (method) {
		ARCH_METHODS(TIMER_END_, )
	default:
		return timer_clock_end();
	}
}

struct timer {
	enum timer_method method;
	double hz;	       /* ticks of this method in a second */
	double tsc_hz;	       /* of the TSC; 0 where it cannot be trusted */
	double quantum_ticks;  /* step in which this clock advances */
	double overhead_ticks; /* between two reads with nothing between:
				* mean of the middle 90 % */
	double overhead_spread_ticks; /* how far 90 % of such reads are from
				       * that mean at most */
	double core_hz;		      /* at calibration; 0 where unknown */
	double multiply_cycles;	      /* of one that waits for another */
	/* of reference_hz(): chains (0: cannot tell), and the reads' own
	 * time */
	unsigned int now_rounds;
	double now_offset_ticks;
	struct timer_features features;
};

/* timer_name() - "lfence", "none", "clock"... */
const char *timer_name(enum timer_method method);

/* timer_find() - the method of that name, or -EINVAL. */
int timer_find(const char *name);

/* timer_waiting() - the method whose reads wait and take little, here. */
static inline enum timer_method timer_waiting(const struct timer_features *f)
{
	return f->fenced ? TIMER_FENCED : TIMER_SERIAL;
}

/* timer_probe() - ask the processor.  Takes some milliseconds. */
void timer_probe(struct timer_features *f);

/**
 * timer_calibrate() - fill @t for @method: quantum, overhead, hz, core_hz.
 * t->features must be there already (timer_probe()).
 * @tsc_hz: a rate measured before on this machine, or 0 to measure it, which
 *	    takes 260 ms.  A given rate is checked for 2 ms; if it is off by
 *	    more than 0.1 % it is measured afresh.
 *
 * Call it after pinning.
 *
 * Return: 0, or -ENOTSUP if @method cannot be used here.
 */
int timer_calibrate(struct timer *t, enum timer_method method, double tsc_hz);

/* timer_set_overhead() - from @n readings of an empty interval, which it sorts:
 * the mean of the middle 90 %, and how far those are from it. */
void timer_set_overhead(struct timer *t, double *x, size_t n);

/* The TSC between two readings of CLOCK_MONOTONIC_RAW, the closest pair of
 * many; @width_ns apart. */
struct timer_instant {
	uint64_t ns, ticks, width_ns;
};

struct timer_instant timer_instant(void);

/* timer_tsc_hz() - rate of the TSC against that clock, from instants at both
 * ends of @window_ns; timer_tsc_hz_since(): from @begin to when they are over,
 * or now. */
double timer_tsc_hz(uint64_t window_ns);
double timer_tsc_hz_since(const struct timer_instant *begin,
			  uint64_t window_ns);

/* timer_quantum() - step of the method's clock, ticks (clock/quantum.h), from
 * @reads readings, more of a clock that rarely advances; no whole number on
 * some processors. */
double timer_quantum(enum timer_method method, uint32_t reads);

/* timer_ns() - ticks of @t's method in nanoseconds.  With -mgeneral-regs-only
 * gcc 10 and 11 refuse it even without a caller. */
#ifndef WITHOUT_VECTORS /* mk/programs.mk */
static inline double timer_ns(const struct timer *t, double ticks)
{
	return ticks * 1e9 / t->hz;
}
#endif

/* timer_empty() - raw ticks of one empty interval of @method. */
uint64_t timer_empty(enum timer_method method);

#endif
