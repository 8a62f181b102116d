/* SPDX-License-Identifier: MIT */
/*
 * timer - what does it cost to read a clock?
 *
 * Every measurement begins and ends with such a read.  Three families:
 *
 * what=pair-METHOD is the time that one begin and one end of a timing method
 * of this suite take out of a program (with CPUID, most of it lies outside the
 * timed interval).  what=overhead-METHOD is what the same pair shows as the
 * length of an empty interval: what must be subtracted from a single shot.
 * The others are one read: an instruction with or without a fence
 * (via=instruction), or one of the kernel's clocks through the vDSO, without
 * entering the kernel (via=vdso), or by a system call (via=syscall).  Whether
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
#include "lib/probe.h"
#include "lib/vdso.h"
#include "wall_clock.h"

/* Ten rounds make the 10 000 samples of the CSE 221 report. */

typedef int gettime_fn(clockid_t id, struct timespec *now);
typedef int gettimeofday_fn(struct timeval *now, void *zone);
typedef time_t time_fn(time_t *now);

/* The case's index: how its reads are checked. */
enum kind { PAIR, OVERHEAD, INSTRUCTION, CLOCK };

struct timer_state {
	gettime_fn *gettime;
	gettimeofday_fn *gettimeofday;
	time_fn *time;
	uint64_t asked, good; /* reads, since the last check */
	uint64_t before;      /* what the clock said before the batch */
	uint64_t last;	      /* what the last read of the batch said */
	int watch;	      /* wall_clock_watch() */
	struct timer_features features;
};

/* One of the kernel's clocks. */
struct clock {
	const char *what;
	clockid_t id;
	uint64_t step_ns; /* what the call cuts off: gives whole seconds */
	bench_run_fn *vdso, *syscall;
	probe_fn *probe;
};

static uint64_t to_ns(const struct timespec *ts)
{
	return (uint64_t)ts->tv_sec * 1000000000u + (uint64_t)ts->tv_nsec;
}

static void count(struct timer_state *s, uint64_t asked, uint64_t bad,
		  uint64_t last)
{
	s->asked += asked;
	s->good += asked - bad;
	s->last = last;
}

#define RUN_INSTRUCTION(name, what, like, read)                           \
	static int run_##name(struct bench *b, void *s,                   \
			      const struct bench_case *c, uint64_t iters) \
	{                                                                 \
		uint64_t now = 0;                                         \
                                                                          \
		(void)b;                                                  \
		(void)c;                                                  \
		for (uint64_t i = 0; i < iters; i++)                      \
			now = read();                                     \
		count(s, iters, 0, now);                                  \
		return 0;                                                 \
	}

ARCH_READS(RUN_INSTRUCTION)

/* Ticks of the method `clock` are nanoseconds, of the others the TSC's. */
static int record(struct bench *b, const struct bench_case *c, uint64_t ticks)
{
	const enum timer_method *method = c->arg;
	const bool clock = *method == TIMER_CLOCK;
	const double hz = clock ? 1e9 : bench_timer(b)->tsc_hz;

	if (!(hz > 0))
		return bench_skip(b, "the rate of the TSC is not known");
	if (clock == (bench_timer(b)->method == TIMER_CLOCK))
		bench_record(b, c, ticks);
	else
		bench_record_value(b, c, (double)ticks * 1e9 / hz);
	return 0;
}

/* A pair and an empty interval are good if the clock did not go back. */
#define RUN_METHOD(name)                                                       \
	static int run_pair_##name(struct bench *b, void *s,                   \
				   const struct bench_case *c, uint64_t iters) \
	{                                                                      \
		uint64_t bad = 0;                                              \
                                                                               \
		(void)b;                                                       \
		(void)c;                                                       \
		for (uint64_t i = 0; i < iters; i++) {                         \
			const uint64_t begin = timer_##name##_begin();         \
			const uint64_t end = timer_##name##_end();             \
                                                                               \
			bad += end < begin;                                    \
		}                                                              \
		count(s, iters, bad, 0);                                       \
		return 0;                                                      \
	}                                                                      \
                                                                               \
	static int sample_##name(struct bench *b, void *s,                     \
				 const struct bench_case *c)                   \
	{                                                                      \
		const uint64_t begin = timer_##name##_begin();                 \
		const uint64_t end = timer_##name##_end();                     \
                                                                               \
		count(s, 1, end < begin, 0);                                   \
		return record(b, c, end - begin);                              \
	}

#define RUN_METHOD_OF(NAME, name, ...) RUN_METHOD(name)
ARCH_METHODS(RUN_METHOD_OF, )
RUN_METHOD(clock)

/* A call for one of the kernel's clocks; its result is 0 if it is good. */
#define RUN_CLOCK(name, type, call, nanoseconds)                          \
	static int run_##name(struct bench *b, void *state,               \
			      const struct bench_case *c, uint64_t iters) \
	{                                                                 \
		struct timer_state *s = state;                            \
		const struct clock *clock = c->arg;                       \
		uint64_t bad = 0;                                         \
		type now = { 0 };                                         \
                                                                          \
		(void)b;                                                  \
		(void)clock;                                              \
		for (uint64_t i = 0; i < iters; i++)                      \
			bad += (call) != 0;                               \
		count(s, iters, bad, nanoseconds);                        \
		return 0;                                                 \
	}

RUN_CLOCK(vdso_gettime, struct timespec, s->gettime(clock->id, &now),
	  to_ns(&now))
RUN_CLOCK(syscall_gettime, struct timespec,
	  raw_syscall(SYS_clock_gettime, clock->id, (long)&now, 0), to_ns(&now))

#define TIMEVAL_NS \
	((uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_usec * 1000u)
RUN_CLOCK(vdso_timeofday, struct timeval, s->gettimeofday(&now, NULL),
	  TIMEVAL_NS)
RUN_CLOCK(syscall_timeofday, struct timeval,
	  raw_syscall(SYS_gettimeofday, (long)&now, 0, 0), TIMEVAL_NS)

struct whole_seconds {
	time_t s;
};
#define SECONDS_NS ((uint64_t)now.s * 1000000000u)
RUN_CLOCK(vdso_time, struct whole_seconds, s->time(&now.s) != now.s, SECONDS_NS)
#ifdef SYS_time /* not on later architectures */
RUN_CLOCK(syscall_time, struct whole_seconds,
	  raw_syscall(SYS_time, (long)&now.s, 0, 0) != now.s, SECONDS_NS)
#else
#define run_syscall_time NULL
#endif

/* What a probing child calls. */
struct probed {
	const struct timer_state *s;
	clockid_t id;
};

static void probe_gettime(void *data)
{
	const struct probed *p = data;
	struct timespec now;

	(void)p->s->gettime(p->id, &now);
}

static void probe_timeofday(void *data)
{
	const struct probed *p = data;
	struct timeval now;

	(void)p->s->gettimeofday(&now, NULL);
}

static void probe_time(void *data)
{
	const struct probed *p = data;

	(void)p->s->time(NULL);
}

#define GETTIME run_vdso_gettime, run_syscall_gettime, probe_gettime

static const struct clock clocks[] = {
	{ "monotonic", CLOCK_MONOTONIC, 1, GETTIME },
	{ "monotonic_raw", CLOCK_MONOTONIC_RAW, 1, GETTIME },
	{ "monotonic_coarse", CLOCK_MONOTONIC_COARSE, 1, GETTIME },
	{ "realtime", CLOCK_REALTIME, 1, GETTIME },
	{ "realtime_coarse", CLOCK_REALTIME_COARSE, 1, GETTIME },
	{ "process_cputime", CLOCK_PROCESS_CPUTIME_ID, 1, GETTIME },
	{ "thread_cputime", CLOCK_THREAD_CPUTIME_ID, 1, GETTIME },
	{ "gettimeofday", CLOCK_REALTIME, 1000, run_vdso_timeofday,
	  run_syscall_timeofday, probe_timeofday },
	{ "time", CLOCK_REALTIME_COARSE, 1000000000, run_vdso_time,
	  run_syscall_time, probe_time },
};

/* The fastest method that reads each instruction decides if it can be used. */
static const struct instruction {
	const char *what;
	bench_run_fn *run;
	enum timer_method like;
} instructions[] = {
#define READ(name, what, like, read) { what, run_##name, like },
	ARCH_READS(READ)
};

static const struct method {
	enum timer_method method;
	const char *pair, *overhead;
	bench_run_fn *run;
	bench_case_fn *sample;
} methods[] = {
#define METHOD(NAME, name, ...)                                            \
	{ TIMER_##NAME, "pair-" #name, "overhead-" #name, run_pair_##name, \
	  sample_##name },
	ARCH_METHODS(METHOD, ) METHOD(CLOCK, clock)
};

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

static bool use_method(struct bench_case *c, const char *what,
		       enum timer_method *like)
{
	for (size_t i = 0; i < COUNT(methods); i++) {
		const struct method *m = &methods[i];
		const bool pair = !strcmp(what, m->pair);

		if (!pair && strcmp(what, m->overhead) != 0)
			continue;
		*like = m->method;
		c->index = pair ? PAIR : OVERHEAD;
		c->arg = &m->method;
		c->run = pair ? m->run : NULL;
		c->sample = pair ? NULL : m->sample;
		c->with_overhead = !pair;
		c->step = !pair && m->method == TIMER_CLOCK;
		return true;
	}
	return false;
}

static bool use_instruction(struct bench_case *c, const char *what,
			    enum timer_method *like)
{
	for (size_t i = 0; i < COUNT(instructions); i++)
		if (!strcmp(what, instructions[i].what)) {
			c->index = INSTRUCTION;
			c->run = instructions[i].run;
			*like = instructions[i].like;
			return true;
		}
	return false;
}

static const char *why_no_vdso(const struct timer_state *s,
			       const struct clock *clock)
{
	struct probed p = { s, clock->id };
	const void *const found = clock->probe == probe_gettime
					  ? (const void *)s->gettime
				  : clock->probe == probe_timeofday
					  ? (const void *)s->gettimeofday
					  : (const void *)s->time;

	if (!found)
		return "the vDSO has no such function";
	return probe_vdso(clock->probe, &p);
}

static bool point(struct bench *b, void *state, struct bench_case *c)
{
	const struct timer_state *s = state;
	const char *what = case_str(c, "what"), *why = NULL;
	const struct clock *clock;
	enum timer_method like;

	if (use_method(c, what, &like) || use_instruction(c, what, &like)) {
		if (!timer_usable(like, &s->features, &why))
			c->skip = why;
		return true;
	}
	c->arg = clock = CASE_OF(c, "what", clocks);
	c->index = CLOCK;
	c->run = case_is(c, "via", "vdso") ? clock->vdso : clock->syscall;
	c->skip = case_is(c, "via", "vdso") ? why_no_vdso(s, clock) : NULL;
	return c->run;
}

static int cases(struct bench *b, void *state)
{
	struct timer_state *s = state;

	s->gettime = (gettime_fn *)vdso_find(ARCH_VDSO("clock_gettime"));
	s->gettimeofday =
		(gettimeofday_fn *)vdso_find(ARCH_VDSO("gettimeofday"));
	s->time = (time_fn *)vdso_find(ARCH_VDSO("time"));
	timer_probe(&s->features);
	return 0;
}

static int setup(struct bench *b, void *state)
{
	struct timer_state *s = state;

	s->watch = wall_clock_watch();
	return 0;
}

/* The same clock by another way: the fenced TSC, the system call. */
static uint64_t reference(const struct bench_case *c)
{
	const struct clock *clock = c->arg;
	struct timespec now = { 0 };

	if (c->index == INSTRUCTION)
		return timer_fenced_begin();
	raw_syscall(SYS_clock_gettime, clock->id, (long)&now, 0);
	return to_ns(&now);
}

static int prepare(struct bench *b, void *state, const struct bench_case *c)
{
	struct timer_state *s = state;

	if (c->index == CLOCK)
		(void)wall_clock_was_set(s->watch); /* not in this batch */
	if (c->index == INSTRUCTION || c->index == CLOCK)
		s->before = reference(c);
	return 0;
}

static bool is_wall_clock(clockid_t id)
{
	return id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE;
}

/* The batch's last read must lie between the references around it. */
static void compare(struct bench *b, struct timer_state *s,
		    const struct bench_case *c)
{
	const struct clock *clock = c->arg;
	const uint64_t after = reference(c);

	/* Set meanwhile, it can be held against nothing. */
	if (is_wall_clock(clock->id) && wall_clock_was_set(s->watch))
		return;
	bench_proof(b, c, "times_right", 1,
		    s->last + clock->step_ns > s->before && s->last <= after);
}

static int conclude(struct bench *b, void *state, const struct bench_case *c,
		    uint64_t iters)
{
	struct timer_state *s = state;

	bench_proof(b, c, "reads", (double)s->asked, (double)s->good);
	s->asked = s->good = 0;
	if (c->index == INSTRUCTION)
		bench_proof(b, c, "times_right", 1,
			    s->last >= s->before && s->last <= reference(c));
	if (c->index == CLOCK)
		compare(b, s, c);
	return 0;
}

static void teardown(struct bench *b, void *state)
{
	const struct timer_state *s = state;

	if (s->watch > 0)
		close(s->watch);
}

#define METHOD_POINTS(NAME, name, ...) \
	"what={pair-" #name ",overhead-" #name "} via=instruction;"
#define READ_POINTS(name, what, like, read) "what='" what "' via=instruction;"

static const char points[] =
	ARCH_METHODS(METHOD_POINTS, ) "what={pair-clock,overhead-clock} "
				      "via=libc;" ARCH_READS(
					      READ_POINTS) "what={monotonic,"
							   "monotonic_raw,"
							   "monotonic_coarse,"
							   "realtime,"
							   "realtime_coarse,"
							   "process_cputime,"
							   "thread_cputime,"
							   "gettimeofday,time}"
							   " via={vdso,"
							   "syscall}";

const struct bench_desc bench_desc = {
	.name = "timer",
	.state_size = sizeof(struct timer_state),
	.points = points,
	.point = point,
	.cases = cases,
	.setup = setup,
	.prepare = prepare,
	.conclude = conclude,
	.teardown = teardown,
};
