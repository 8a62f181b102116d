/* SPDX-License-Identifier: MIT */
/*
 * mistakes - what do the classic errors of measuring print on this machine?
 *
 * The lab of wrong numbers.  Each row is what a program with one error prints.
 * Nothing is simulated: the noise is another process on the same CPU, the loop
 * that the compiler removes was compiled.  Some errors print what is the right
 * figure of another operation: those have their rows in other programs, too.
 *
 * The right figure for the same operation is a row of another program: the
 * report of a run with both has them side by side, with the factor, and
 * whether this machine shows the error.  A machine need not: where the core
 * runs at the rate of the TSC, ticks are cycles, and two processes that the
 * scheduler leaves on one CPU need no pin.
 *
 * `oscost explain mistakes single_shot` prints why each happens, how this suite
 * avoids it, and which program measures the operation properly; so do the
 * report and docs/teaching.md, which has questions, too.
 *
 * Measures: ns of one operation; core cycles (ticks_as_cycles); percent of the
 *	     mean for half an interval (one_process).
 * Includes: what such a program fails to take off, such as the clock's reads.
 * After:    R. Vaughan, Testing Times, 2004; G. Paoloni, Intel white paper
 *	     324264-001, 2010; the errors of the CSE 221 reports.
 * Needs:    two CPUs for unpinned.
 */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <sys/mman.h>
#include <unistd.h>

#include "arch.h"
#include "bench.h"
#include "lib/chain.h"
#include "pair.h"
#include "stats.h"

#define LINE	    64
#define LINKS	    32	/* operations in a pass of a long chain */
#define SHORT	    8	/* of a short one */
#define CALLS	    10	/* in an interval, so that it is long beside a step */
#define MANY	    100 /* intervals, or calls */
#define NOISY	    10000
#define PASSES	    10000
#define TRIPS	    20
#define WALKS	    3
#define WALK_BYTES  ((size_t)16 << 10)
#define FILE_BYTES  ((size_t)1 << 20)
#define REPETITIONS 10
#define STUDENT	    2.262 /* of ten values: 9 degrees of freedom, 95 % */

struct state {
	struct partner partner;
	uint64_t x, y;	       /* operands */
	uint64_t asked, right; /* answers */
	double first_ns;       /* of the first call of this process */
	pid_t parent;
	struct bench *b;
	const struct bench_case *c; /* of this visit */
	bool loose;		    /* this process is, when it answers */
	int file;		    /* when it is needed first; 0: not open */
	int fd[2][2];		    /* a pipe for each side */
};

/* The time of one operation as the naive program prints it; NAN: it failed. */
typedef double naive_fn(struct bench *b, struct state *s);

/* ns that @... takes, with the clock's own reads: no naive program takes them
 * off. */
#define TIME(b, ...)                                                         \
	({                                                                   \
		uint64_t ticks_;                                             \
		TIMER_INTERVAL(bench_timer(b)->method, ticks_, __VA_ARGS__); \
		timer_ns(bench_timer(b), (double)ticks_);                    \
	})
#define FORGET(x) __asm__ volatile("" : "+r"(x))
#define CHAIN	  static __attribute__((noinline)) CHAIN_FUNCTION

CHAIN(naive_adds, ARCH_CHAIN_ADD, 32)
CHAIN(naive_short_adds, ARCH_CHAIN_ADD, 8)

static void answers(struct state *s, uint64_t asked, uint64_t right)
{
	s->asked += asked;
	s->right += right;
}

/* getppid() @n times. */
static void calls(struct state *s, uint64_t n)
{
	uint64_t right = 0;

	for (uint64_t i = 0; i < n; i++)
		right += getppid() == s->parent;
	answers(s, n, right);
}

static double single_shot(struct bench *b, struct state *s)
{
	calls(s, 1);
	return s->first_ns;
}

/* Nothing makes the reads of the clock wait for the chain. */
static double unfenced(struct bench *b, struct state *s)
{
	uint64_t ticks = 0, x = s->x, second; /* operand of no use to a link */

	for (unsigned int i = 0; i < MANY; i++) {
		const uint64_t begin = timer_none_begin();

		__asm__ volatile(".rept 32\n\t" ARCH_CHAIN_MUL ".endr"
				 : ARCH_CHAIN_X(x), "=&r"(second)
				 : ARCH_CHAIN_Y(s->y)
				 : "cc");
		ticks += timer_none_end() - begin;
	}
	answers(s, 1,
		(uint32_t)x ==
			(uint32_t)(s->x *
				   chain_power(s->y, (uint64_t)MANY * LINKS)));
	return (double)ticks * 1e9 / bench_timer(b)->tsc_hz / (MANY * LINKS);
}

static double ticks_as_cycles(struct bench *b, struct state *s)
{
	uint64_t ticks, x, passes = PASSES;

	BENCH_HIDE(passes); /* or gcc makes another function for them */
	TIMER_INTERVAL(bench_timer(b)->method, ticks,
		       x = naive_adds(s->x, s->y, passes));
	answers(s, 1, x == s->x + s->y * PASSES * LINKS);
	return (double)ticks / (PASSES * LINKS);
}

/* Less an empty interval; so many passes that they take one and a half steps
 * of the clock. */
static double clock_step(struct bench *b, struct state *s)
{
	const struct timer *t = bench_timer(b);
	const double cycles = t->quantum_ticks / t->hz * t->core_hz;
	const uint64_t passes = (uint64_t)fmax(1, round(1.5 * cycles / SHORT));
	const double empty = timer_ns(t, (double)timer_empty(t->method));
	uint64_t x;
	const double ns = TIME(b, x = naive_short_adds(s->x, s->y, passes));

	answers(s, 1, x == s->x + s->y * passes * SHORT);
	return (ns - empty) / (double)(passes * SHORT);
}

/* In loads of a line each that need the one before.  Return: how many. */
static uint64_t walk(const char *memory)
{
	uint64_t x = 0, loads = 0;

	for (unsigned int pass = 0; pass < WALKS; pass++)
		for (size_t at = 0; at < WALK_BYTES; at += LINE) {
			/* The load itself makes the sum of both registers. */
			__asm__ volatile(ARCH_LOAD_AT("%0", "%1", "%0")
					 : "+r"(x)
					 : "r"(memory + at)
					 : "memory");
			loads++;
		}
	return loads + x;
}

/* Through memory of zeros that is new to this process. */
static double no_warm_up(struct bench *b, struct state *s)
{
	char *map = mmap(NULL, WALK_BYTES, PROT_READ,
			 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	uint64_t loads;
	double ns;

	if (map == MAP_FAILED)
		return bench_fail(b, errno, "mmap"), NAN;
	ns = TIME(b, loads = walk(map));
	munmap(map, WALK_BYTES);
	answers(s, WALKS * WALK_BYTES / LINE, loads);
	return ns / (double)loads;
}

/* There are so many intervals that they last for some slices of the scheduler,
 * between which the other process runs. */
static double mean_under_noise(struct bench *b, struct state *s)
{
	double sum = 0;

	for (int i = 0; i < NOISY; i++)
		sum += TIME(b, calls(s, CALLS));
	return sum / (NOISY * CALLS);
}

static double min_of_differences(struct bench *b, struct state *s)
{
	const double once = TIME(b, calls(s, CALLS));
	const double twice = TIME(b, calls(s, (uint64_t)2 * CALLS));

	return (twice - once) / CALLS;
}

/* The half width of the interval of the mean, in percent of it. */
static double one_process(struct bench *b, struct state *s)
{
	double ns[REPETITIONS];
	struct stats st;

	for (int i = 0; i < REPETITIONS; i++)
		ns[i] = TIME(b, calls(s, MANY));
	stats_compute(&st, ns, REPETITIONS);
	return 100 * STUDENT * st.stddev / sqrt(REPETITIONS) / st.mean;
}

/* The result is unused, so an optimising compiler leaves the loop out. */
static __attribute__((noinline)) void naive_removed(uint64_t x, uint64_t y)
{
	for (uint64_t i = 0; i < PASSES; i++)
		x *= y;
	(void)x; /* for clang's warning; it is no use of it */
}

static double removed(struct bench *b, struct state *s)
{
	return TIME(b,
		    for (int i = 0; i < MANY; i++) naive_removed(s->x, s->y)) /
	       (MANY * PASSES);
}

/* A loop as compilers make it without optimising, its counter in memory, once
 * empty and once with an addition, which takes its time beside the counter's.
 */
static double fixed_loop_time(struct bench *b, struct state *s)
{
	uint64_t x = s->x;
	const double empty =
		TIME(b, for (volatile int i = 0; i < PASSES; i++) continue);
	const double full = TIME(
		b, for (volatile int i = 0; i < PASSES; i++) {
			x += s->y;
			FORGET(x);
		});

	answers(s, 1, x == s->x + s->y * PASSES);
	return (full - empty) / PASSES;
}

static void touch(const volatile char *map, size_t page)
{
	for (size_t at = 0; at < FILE_BYTES; at += page)
		(void)map[at];
}

static double fault_around(struct bench *b, struct state *s)
{
	const size_t page = bench_page_bytes();
	char *map = mmap(NULL, FILE_BYTES, PROT_READ, MAP_SHARED, s->file, 0);
	long before, after;
	double ns;

	if (map == MAP_FAILED)
		return bench_fail(b, errno, "mmap of a file"), NAN;
	before = bench_usage(RUSAGE_SELF).ru_minflt;
	ns = TIME(b, touch(map, page));
	after = bench_usage(RUSAGE_SELF).ru_minflt;
	munmap(map, FILE_BYTES);
	bench_least(b, s->c, "minor_faults", 1, (double)(after - before));
	return ns / ((double)FILE_BYTES / (double)page);
}

/* A byte there and back; who answers does it where the scheduler wants it. */
PAIR(struct state, s, side, !pipe2(s->fd[side], O_CLOEXEC),
     write(s->fd[side][1], "x", 1) == 1,
     (!side || s->loose || (s->loose = !bench_unbind(s->b))) &&
	     read(s->fd[side][0], &(char) { 0 }, 1) == 1)

static double unpinned(struct bench *b, struct state *s)
{
	int err;
	const double ns = TIME(b, err = pair_run(b, s, s->c, TRIPS));

	return err ? NAN : ns / TRIPS;
}

/* Reads and writes of no bytes return at once, whether another process is at
 * the other end or not. */
static double empty_messages(struct bench *b, struct state *s)
{
	char byte;
	uint64_t right = 0;
	const double ns = TIME(b, for (int i = 0; i < TRIPS; i++) right +=
				  write(s->fd[0][1], &byte, 0) == 0 &&
				  read(s->fd[1][0], &byte, 0) == 0);

	answers(s, TRIPS, right);
	return ns / TRIPS;
}

static int open_tsc(struct bench *b, struct state *s)
{
	return bench_timer(b)->method == TIMER_CLOCK
		       ? bench_skip(b, "the clock in use is not the TSC")
		       : 0;
}

static int open_step(struct bench *b, struct state *s)
{
	if (bench_timer(b)->quantum_ticks < 2)
		return bench_skip(b, "the clock has no steps here");
	if (bench_timer(b)->method == TIMER_NONE)
		return bench_skip(b, "the timing method none does not wait for "
				     "so short an operation");
	return 0;
}

static int disturb(struct partner *p, void *arg)
{
	while (!partner_stopping(p))
		continue;
	return 0;
}

static int open_noise(struct bench *b, struct state *s)
{
	return partner_start(b, &s->partner, PARTNER_PROCESS, bench_cpu(b),
			     disturb, NULL);
}

/* In the page cache. */
static int open_file(struct bench *b, struct state *s)
{
	if (!s->file)
		s->file = memfd_create("oscost-mistakes", MFD_CLOEXEC);
	if (s->file < 0 || ftruncate(s->file, (off_t)FILE_BYTES))
		return bench_fail(b, errno, "memfd_create");
	for (size_t at = 0; at < FILE_BYTES; at += bench_page_bytes())
		if (pwrite(s->file, "x", 1, (off_t)at) != 1)
			return bench_fail(b, errno, "write to memory");
	return 0;
}

/* This one, too. */
static int open_unpinned(struct bench *b, struct state *s)
{
	int err = pair_enter(b, s, s->c);

	if (err)
		return err;
	err = bench_unbind(b);
	return err ? bench_fail(b, -err, "sched_setaffinity") : 0;
}

static const struct mistake {
	const char *name;
	naive_fn *naive;
	int (*open)(struct bench *b, struct state *s); /* once in a visit */
} mistakes[] = {
	{ "single_shot", single_shot, NULL },
	{ "unfenced", unfenced, open_tsc },
	{ "ticks_as_cycles", ticks_as_cycles, open_tsc },
	{ "clock_step", clock_step, open_step },
	{ "no_warm_up", no_warm_up, NULL },
	{ "mean_under_noise", mean_under_noise, open_noise },
	{ "min_of_differences", min_of_differences, NULL },
	{ "one_process", one_process, NULL },
	{ "removed", removed, NULL },
	{ "fixed_loop_time", fixed_loop_time, NULL },
	{ "fault_around", fault_around, open_file },
	{ "empty_messages", empty_messages, NULL },
	{ "unpinned", unpinned, open_unpinned },
};

static const char points[] =
	"mistake=$mistakes stat=naive;"
	"is unit=cycles if mistake=ticks_as_cycles;"
	"is unit='%' if mistake=one_process;"
	"is most=1 if mistake=single_shot;"
	"is most=3 if mistake=mean_under_noise;"
	"is mean if mistake={removed,mean_under_noise};"
	"is min if mistake=min_of_differences;"
	"is exclusive if mistake={mean_under_noise,min_of_differences,"
	"one_process,unpinned};"
	"is switches if mistake={mean_under_noise,unpinned};"
	/* The naive program does not know that it waited. */
	"is waits if mistake={mean_under_noise,unpinned};"
	"needs faults if mistake=fault_around";

static void cases(struct bench *b, void *state)
{
	BENCH_SET_NAMES(b, "mistakes", mistakes);
}

/* The first call of this process, as a program that measures once finds it. */
static int setup(struct bench *b, void *state)
{
	struct state *s = state;

	s->first_ns = TIME(b, s->parent = getppid());
	s->x = bench_random(b) | 1;
	s->y = bench_random(b) | 1;
	return pair_setup(b, s);
}

static int enter(struct bench *b, void *state, const struct bench_case *c)
{
	const struct mistake *m = CASE_OF(c, "mistake", mistakes);
	struct state *s = state;

	s->b = b;
	s->c = c;
	return m->open ? m->open(b, s) : 0;
}

static int sample(struct bench *b, void *state, const struct bench_case *c)
{
	const struct mistake *m = CASE_OF(c, "mistake", mistakes);
	struct state *s = state;
	const double value = m->naive(b, s);

	if (isnan(value))
		return -1;
	bench_record_value(b, c, value);
	if (s->asked)
		bench_proof(b, c, "answers", (double)s->asked,
			    (double)s->right);
	s->asked = s->right = 0;
	return 0;
}

const struct bench_desc bench_desc = {
	.state_size = sizeof(struct state),
	.points = points,
	.cases = cases,
	.setup = setup,
	.enter = enter,
	.sample = sample,
	.leave = partner_leave,
};
