/* SPDX-License-Identifier: MIT */
/*
 * timer - what does it cost to read a clock?
 *
 * Every measurement begins and ends with such a read.  Three families:
 *
 * op=pair-METHOD is the time that one begin and one end of a timing method
 * of this suite take out of a program (with CPUID, most of it lies outside the
 * timed interval).  op=overhead-METHOD is what the same pair shows as the
 * length of an empty interval: what must be subtracted from a single shot.
 * The others are one read: an instruction with or without a fence
 * (by=instruction), or one of the kernel's clocks through the vDSO, without
 * entering the kernel (by=vdso), or by a system call (by=syscall).  Whether
 * the vDSO serves a clock itself is asked of a child that a system call would
 * kill; if not, the row is skipped.
 *
 * Measures: ns for one read or one pair; of overhead-*, ns between the pair.
 * Includes: the loop, which costs next to nothing beside the read.
 * After:    CSE 221 report, table 1 (mean 102 cycles for cpuid, standard
 *	     deviation 3.8: compare mean and stddev of overhead-cpuid).
 * Needs:    a TSC for the instructions, RDTSCP for those that use it.
 */
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "arch.h"
#include "bench.h"
#include "call.h"
#include "lib/kernel_entry.h"
#include "wall_clock.h"

/* Ten rounds make the 10 000 samples of the CSE 221 report. */

struct timer_state {
	uint64_t right;
	int (*gettime)(clockid_t id, struct timespec *now);
	int (*gettimeofday)(struct timeval *now, void *zone);
	time_t (*time)(time_t *now);
	uint64_t before; /* what the clock said before the batch */
	uint64_t last;	 /* what an instruction read */
	struct timespec now;
	struct timeval of_day;
	time_t seconds;
	struct timer_features features;
	int watch; /* wall_clock_watch() */
	const struct bench_case *probed;
};
#define CALL_LOCALS struct timer_state *const s CALL_LOCAL = state;

#define PAIR_IS_RIGHT(name)                                     \
	({                                                      \
		const uint64_t begin_ = timer_##name##_begin(); \
		timer_##name##_end() >= begin_;                 \
	})
/* The value stays in a register: a store in each pass is 0.7 ns. */
#define READ_FUNCTION(name, what, like, read)                           \
	CALL_PLACED static int run_##name(struct bench *b, void *state, \
					  const struct bench_case *c,   \
					  uint64_t iters)               \
	{                                                               \
		CALL_LOCALS                                             \
		uint64_t now = 0;                                       \
                                                                        \
		for (uint64_t i = 0; i < iters; i++)                    \
			now = read();                                   \
		s->last = now;                                          \
		s->right += iters;                                      \
		return 0;                                               \
	}

static int is_between(void *state, const struct bench_case *c, uint64_t iters)
{
	CALL_LOCALS

	return s->last >= s->before && s->last <= timer_fenced_begin();
}

/* Ticks of the method `clock` are nanoseconds, of the others the TSC's. */
static int record(struct bench *b, const struct bench_case *c, uint64_t ticks,
		  enum timer_method method)
{
	const bool clock = method == TIMER_CLOCK;
	const double hz = clock ? 1e9 : bench_timer(b)->tsc_hz;

	if (!(hz > 0))
		return bench_skip(b, "the rate of the TSC is not known");
	if (clock == (bench_timer(b)->method == TIMER_CLOCK))
		bench_record(b, c, ticks);
	else
		bench_record_value(b, c, (double)ticks * 1e9 / hz);
	return 0;
}

/* Both are good if the clock did not go back. */
#define METHOD_FUNCTIONS(NAME, name, ...)                        \
	CALL_FUNCTIONS_(LOOP, pair_##name, PAIR_IS_RIGHT(name))  \
	static int overhead_##name(struct bench *b, void *state, \
				   const struct bench_case *c)   \
	{                                                        \
		const uint64_t begin = timer_##name##_begin();   \
		const uint64_t end = timer_##name##_end();       \
                                                                 \
		bench_proof(b, c, "calls", 1, end >= begin);     \
		return record(b, c, end - begin, TIMER_##NAME);  \
	}

ARCH_METHODS(METHOD_FUNCTIONS, )
METHOD_FUNCTIONS(CLOCK, clock)
ARCH_READS(READ_FUNCTION)

/* The fastest method that reads each instruction decides if it can be used. */
static const struct reading {
	const char *what;
	enum timer_method method;
	struct call call;	 /* without a name: an empty interval */
	bench_case_fn *overhead; /* of it */
} readings[] = {
#define METHOD(NAME, name, ...)                                             \
	{ "pair-" #name, TIMER_##NAME, CALL_ROW_(LOOP, pair_##name) NULL }, \
		{ "overhead-" #name, TIMER_##NAME, { 0 }, overhead_##name },
#define READ(name, what, like, read) \
	{ what, like, { #name, run_##name, NULL, is_between }, NULL },
	ARCH_METHODS(METHOD, ) METHOD(CLOCK, clock) ARCH_READS(READ)
};

/* The kernel's clocks. */

/* Whether what the batch's last read @said lies between the same clock's
 * references around it.  @step_ns: what the call cuts off.  Set meanwhile, it
 * can be held against nothing. */
static int is_time(const struct timer_state *s, clockid_t id, uint64_t said,
		   uint64_t step_ns)
{
	const uint64_t after = kernel_ns(id);

	if ((id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE) &&
	    wall_clock_was_set(s->watch))
		return CALL_UNSEEN;
	return said + step_ns > s->before && said <= after;
}

#define GETTIME(X, what, id)                                     \
	X(LOOP, what##_vdso, !s->gettime(id, &s->now),           \
	  is_time(s, id, timespec_ns(&s->now), 1))               \
	X(LOOP, what##_syscall,                                  \
	  !raw_syscall(SYS_clock_gettime, id, (long)&s->now, 0), \
	  is_time(s, id, timespec_ns(&s->now), 1))
#define IS_OF_DAY is_time(s, CLOCK_REALTIME, timeval_ns(&s->of_day), 1000)
#define IS_SECONDS                                                            \
	is_time(s, CLOCK_REALTIME_COARSE, (uint64_t)s->seconds * 1000000000u, \
		1000000000)
#ifdef SYS_time /* not on later architectures */
#define TIME_SYSCALL(X)                                                 \
	X(LOOP, time_syscall,                                           \
	  raw_syscall(SYS_time, (long)&s->seconds, 0, 0) == s->seconds, \
	  IS_SECONDS)
#else
#define TIME_SYSCALL(X)
#endif
#define CLOCKS(G, X)                                    \
	G(X, monotonic, CLOCK_MONOTONIC)                \
	G(X, monotonic_raw, CLOCK_MONOTONIC_RAW)        \
	G(X, monotonic_coarse, CLOCK_MONOTONIC_COARSE)  \
	G(X, realtime, CLOCK_REALTIME)                  \
	G(X, realtime_coarse, CLOCK_REALTIME_COARSE)    \
	G(X, process_cputime, CLOCK_PROCESS_CPUTIME_ID) \
	G(X, thread_cputime, CLOCK_THREAD_CPUTIME_ID)
#define CALLS(X)                                                             \
	CLOCKS(GETTIME, X)                                                   \
	X(LOOP, gettimeofday_vdso, !s->gettimeofday(&s->of_day, NULL),       \
	  IS_OF_DAY)                                                         \
	X(LOOP, gettimeofday_syscall,                                        \
	  !raw_syscall(SYS_gettimeofday, (long)&s->of_day, 0, 0), IS_OF_DAY) \
	X(LOOP, time_vdso, s->time(&s->seconds) == s->seconds, IS_SECONDS)   \
	TIME_SYSCALL(X)

static uint64_t timeval_ns(const struct timeval *t)
{
	return (uint64_t)t->tv_sec * 1000000000u + (uint64_t)t->tv_usec * 1000u;
}

CALL_FUNCTIONS(CALLS)
static const struct call calls[] = CALL_ROWS(CALLS);

static const struct clock {
	const char *what;
	clockid_t id; /* of the reference */
} clocks[] = {
#define CLOCK(X, what, id) { #what, id },
	CLOCKS(CLOCK, ) { "gettimeofday", CLOCK_REALTIME },
	{ "time", CLOCK_REALTIME_COARSE },
};

static const char points[] =
	"op=$readings by={instruction,libc};"
	"not by=libc op!={pair-clock,overhead-clock};"
	"not by=instruction op={pair-clock,overhead-clock};"
	"op=$clocks by={vdso,syscall}";

static void probe(void *data)
{
	const struct timer_state *s = data;

	(void)s->probed->run(NULL, data, s->probed, 1);
}

static const char *why_no_vdso(struct timer_state *s,
			       const struct bench_case *c)
{
	const bool found = case_is(c, "op", "gettimeofday")
				   ? s->gettimeofday != NULL
			   : case_is(c, "op", "time") ? s->time != NULL
						      : s->gettime != NULL;

	s->probed = c;
	return found ? probe_vdso(probe, s) : "the vDSO has no such function";
}

/* Its index: what its reads are held against, if anything. */
enum { NOTHING = -2, TSC = -1 };

static bool point(struct bench *b, void *state, struct bench_case *c)
{
	struct timer_state *s = state;
	const struct reading *r;

	if (case_is(c, "by", "vdso") || case_is(c, "by", "syscall")) {
		c->index = CASE_OF(c, "op", clocks)->id;
		if (!call_choose(c, calls))
			return false;
		if (case_is(c, "by", "vdso"))
			c->skip = why_no_vdso(s, c);
		return true;
	}
	r = CASE_OF(c, "op", readings);
	call_use(c, &r->call);
	(void)timer_usable(r->method, &s->features, &c->skip);
	c->index = strncmp(r->what, "pair-", 5) ? TSC : NOTHING;
	if (r->overhead) {
		c->sample = r->overhead;
		c->with_overhead = true;
		c->step = r->method == TIMER_CLOCK ? 1 : 0;
	}
	return true;
}

static void cases(struct bench *b, void *state)
{
	struct timer_state *s = state;

	*(void **)&s->gettime = vdso_find(ARCH_VDSO("clock_gettime"));
	*(void **)&s->gettimeofday = vdso_find(ARCH_VDSO("gettimeofday"));
	*(void **)&s->time = vdso_find(ARCH_VDSO("time"));
	timer_probe(&s->features);
	BENCH_SET_NAMES(b, "readings", readings);
	BENCH_SET_NAMES(b, "clocks", clocks);
}

static int setup(struct bench *b, void *state)
{
	struct timer_state *s = state;

	s->watch = wall_clock_watch();
	return 0;
}

/* The same clock by another way: the fenced TSC, the system call. */
static int prepare(struct bench *b, void *state, const struct bench_case *c)
{
	struct timer_state *s = state;

	if (c->index == TSC)
		s->before = timer_fenced_begin();
	if (c->index < 0)
		return 0;
	(void)wall_clock_was_set(s->watch); /* not in this batch */
	s->before = kernel_ns((clockid_t)c->index);
	return 0;
}

const struct bench_desc bench_desc = {
	.state_size = sizeof(struct timer_state),
	.points = points,
	.point = point,
	.cases = cases,
	.setup = setup,
	.prepare = prepare,
	.conclude = call_conclude,
};
