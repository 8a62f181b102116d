/* SPDX-License-Identifier: MIT */
#ifndef BENCH_H
#define BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "opts.h"
#include "timer.h"

/*
 * The contract between a benchmark and the harness.
 *
 * A file in bench/ defines one `const struct bench_desc bench_desc` and
 * nothing else with external linkage.  main() is in the harness, which owns
 * options, pinning, calibration, batch sizes, warm-up, interleaving,
 * statistics, evidence, output, signals and exit codes.  A benchmark never
 * prints, exits, parses options or reads the clock by other means than
 * timer.h.
 *
 * The comment that opens the file is lifted into --help, the man page and the
 * report.  Its form: "name - the question, in one sentence?", why this
 * operation answers it, and what it "Measures:", "Includes:", comes "After:"
 * and "Needs:".
 */
struct bench;

enum bench_better { BENCH_LOWER, BENCH_HIGHER };

/* Where a partner runs, seen from the measuring CPU. */
enum bench_place {
	BENCH_SAME_CPU,
	BENCH_SAME_CORE,    /* the other hardware thread of the core */
	BENCH_SAME_PACKAGE, /* another core of the package */
	BENCH_OTHER_PACKAGE,
	BENCH_ANY_OTHER, /* the nearest that is not the same CPU */
};

/* How far apart two CPUs are: the nearest thing that they share. */
enum bench_distance {
	BENCH_BY_CORE, /* they are its hardware threads */
	BENCH_BY_L2,
	BENCH_BY_L3,
	BENCH_BY_NODE,
	BENCH_BY_SOCKET,
	BENCH_BY_MEMORY, /* nothing nearer */
	BENCH_DISTANCES
};

/* How the headline of a case is made from its samples. */
enum bench_estimator {
	BENCH_EST_DEFAULT,    /* difference for run(), median for sample() */
	BENCH_EST_DIFFERENCE, /* median of ABBA differences of 2n and n */
	BENCH_EST_MIN_DIFFERENCE, /* (min T2n - min Tn) / n */
	BENCH_EST_MEDIAN,	  /* of ticks: sample_grouped_median() */
	BENCH_EST_MIN,
	BENCH_EST_MEAN,
	BENCH_EST_MAX,
	BENCH_EST_DERIVED, /* computed by derive() from other cases */
};

/* Which histogram a case carries into the results (see results-format.md). */
enum bench_histogram {
	BENCH_HIST_NONE,
	BENCH_HIST_LOG,	   /* 50 bins to a decade, in the case's unit */
	BENCH_HIST_CYCLES, /* steps of a quarter of a core cycle */
};

/* One coordinate of a case. */
struct bench_param {
	const char *axis; /* NULL ends the list */
	enum { BENCH_INT, BENCH_SIZE, BENCH_STR } kind;
	int64_t number;	  /* BENCH_INT, BENCH_SIZE (bytes) */
	const char *text; /* BENCH_STR; must live as long as the program */
	bool asked;	  /* for, with --case, where the axis is open */
};

#define BENCH_MAX_PARAMS 9

/* Counts that evidence rests on.  Sandboxes and kernels that are still being
 * written may always give the same answer: each is tried once in a process, by
 * raw system calls.  kernel_lacks() - why @what is not to be had here; NULL: it
 * is. */
enum kernel_tells {
	KERNEL_FAULTS,	 /* getrusage() counts a page fault that we took */
	KERNEL_SWITCHES, /* getrusage() counts the switch of a sleep */
	KERNEL_RESIDENT, /* mincore() knows a page that was never touched */
};
const char *kernel_lacks(enum kernel_tells what);

/* bench_usage() - what getrusage() counts of @who; zeros where it fails. */
static inline struct rusage bench_usage(int who)
{
	struct rusage u = { 0 };

	getrusage(who, &u);
	return u;
}

struct bench_case;
typedef int bench_run_fn(struct bench *b, void *state,
			 const struct bench_case *c, uint64_t iters);
typedef int bench_case_fn(struct bench *b, void *state,
			  const struct bench_case *c);
#define BENCH_NO_SAMPLE 1
typedef void bench_leave_fn(struct bench *b, void *state,
			    const struct bench_case *c);
typedef void bench_conclude_fn(struct bench *b, void *state,
			       const struct bench_case *c, uint64_t iters);

/**
 * struct bench_case - one point of the benchmark's axes.  A field that is 0 is
 * left to the harness; point() fills in what the text does not say.
 */
struct bench_case {
	/* In the order of its name, "axis=value,axis=value". */
	struct bench_param params[BENCH_MAX_PARAMS + 1];
	const void *arg;	/* the benchmark's own data about it */
	int64_t index;		/* the same */
	enum bench_place place; /* as the axis "place"; not there: skipped */
	const char *skip;	/* why it is not measured, one sentence */
	/* Instead of those of the descriptor. */
	bench_run_fn *run;
	bench_case_fn *sample;
	/* The same loop without the operation, whose cost is subtracted. */
	bench_run_fn *baseline;
	/* "ns" by default.  Others than ns and B/s are recorded with
	 * bench_record_value() or derived. */
	const char *unit;
	uint64_t bytes;		  /* of one operation: then its unit is B/s */
	enum bench_better better; /* set by itself for B/s */
	enum bench_estimator estimator;
	enum bench_histogram histogram;
	double step; /* of values that are whole units of a clock or counter */
	/* Samples of an invocation, where more would disturb each other or have
	 * no place; 0: as many as its share of the time allows. */
	unsigned int most;
	/* Samples that are taken whatever they cost, fewer where each is a mean
	 * of many operations (BENCH_LEAST_EVENTS by default), and more where
	 * some waited for a CPU. */
#define BENCH_LEAST_EVENTS 3
#define BENCH_LEAST_SPARE  5
	unsigned int least;
	/* Events after which those that follow touch the same again; 0: none.
	 * One whole cycle warms up, at any --effort. */
	unsigned int cycle;
	unsigned int ops; /* in one iteration of run(); 1 by default */
	/* Nothing is run for it: it gets its samples by bench_record() from the
	 * callbacks of another case, or its value in derive(). */
	bool derived;
	/* That other case, if it is one alone: only it is measured for this
	 * one, which is skipped if that is. */
	const struct bench_case *of;
	bool with_overhead; /* the timer's is left in the events */
	bool exclusive;	    /* run in one visit, between no others */
	bool switches;	    /* context switches belong to the operation */
	bool waits;	    /* and so does waiting for a CPU: it is no noise */
	/* --copies may also run it in threads of one process, each of which has
	 * a state of its own and goes through all callbacks. */
	bool threads;
	bool asked; /* for, with --case, of an open axis */
	const char *formula, *formula_axis; /* "SUM", and its word's axis */

	/* Set by the harness. */
	size_t id;
	const char *name;
	void *data; /* case_state_size bytes of its own */
};

/* A point of a text is about to be added: fill in @c, which has its params and
 * @data.  Return: false if such a point makes no sense. */
typedef bool bench_point_fn(struct bench *b, void *state, struct bench_case *c);

/**
 * struct bench_desc - everything the harness knows about a benchmark.
 *
 * @points or @cases are required, and one of @run and @sample (here or in each
 * case).  The callbacks are in calling order; those with a value return 0,
 * bench_fail() or, before anything was measured, bench_skip(); the others may
 * call them.  BENCH_NO_SAMPLE: an event of @sample met what most do not.
 */
struct bench_desc {
	const struct opt *opts; /* its own options, which fill its state */
	/* Bytes of private state, which every callback gets, and of that of
	 * each case (@data); zeroed, on cache lines of their own. */
	size_t state_size, case_state_size;
	const char *points; /* the cases as a text: docs/rows.md */
	const char *open;   /* text whose open axes --help lists, if another */
	bool many_cpus;	    /* it runs on several at once: no --copies */

	bench_point_fn *point;
	/* Add cases with bench_points(), set what texts need.  Called also for
	 * --list, before setup(): it may look at the machine but must not
	 * change anything.  A case that cannot be measured here is added with a
	 * reason to skip it, not left out. */
	void (*cases)(struct bench *b, void *state);
	/* Once, after pinning and calibration. */
	int (*setup)(struct bench *b, void *state);
	/* A visit to a case begins, outside of any interval.  Cases are visited
	 * in turn, several times each, in random order. */
	bench_case_fn *enter;
	/* Before each batch or event, outside of the interval. */
	bench_case_fn *prepare;
	/* Do the operation so many times; the harness times it.  No output, no
	 * allocation.  Check every result, but report once, at the end. */
	bench_run_fn *run;
	/* Do and time one event with TIMER_INTERVAL() and give its ticks to
	 * bench_record(), where no tight loop can repeat it. */
	bench_case_fn *sample;
	/* After each batch or event (then iters is 1), outside of the interval:
	 * check what happened with bench_proof(), bench_purity(). */
	bench_conclude_fn *conclude;
	/* A visit ends, also where enter() has failed; then this thread goes
	 * back to its CPU. */
	bench_leave_fn *leave;
	/* Once, after all sampling: fill derived cases with bench_derive(), add
	 * last evidence. */
	void (*derive)(struct bench *b, void *state);
	/* Once, always, whatever setup() has left behind: descriptors and
	 * mappings end with the process, but for those of threads.  A child
	 * that is left then is killed, and the program fails. */
	void (*teardown)(struct bench *b, void *state);
};

extern const struct bench_desc bench_desc;
/* The file's stem, which is the key in results, and made from the opening
 * comment: all of it, its question, and its parts as the end of a JSON object
 * that begins with the name. */
extern const char bench_name[], bench_about[], bench_question[], bench_parts[];
/* From rows.tsv: patterns of the core rows' names, up to NULL; ms for the
 * samples of one invocation at --effort 100. */
extern const char *const bench_core[];
extern const double bench_share_ms;

/* Texts of cases: docs/rows.md. */

/* bench_points() - in cases(): add those of @text, which must live as long as
 * the program; those of @points of the descriptor come later. */
void bench_points(struct bench *b, const char *text);

/* bench_set_numbers() - in cases(): the @n numbers that "$name" stands for;
 * @kind: BENCH_INT or BENCH_SIZE.  bench_set_names() - words: the first member
 * of each of @n structures of @stride bytes, which must live as long as the
 * program.  The last ones set count. */
void bench_set_numbers(struct bench *b, const char *name, int kind,
		       const int64_t *value, size_t n);
void bench_set_names(struct bench *b, const char *name, const void *names,
		     size_t stride, size_t n);
#define BENCH_SET_NUMBER(b, name, kind, x) \
	bench_set_numbers(b, name, kind, &(const int64_t) { (int64_t)(x) }, 1)
#define BENCH_SET_NAME(b, name, x) \
	bench_set_names(b, name, &(const char *) { x }, sizeof(char *), 1)
#define BENCH_SET_NAMES(b, name, array)                     \
	bench_set_names(b, name, array, sizeof((array)[0]), \
			sizeof(array) / sizeof((array)[0]))

/* A number that is a macro, in a text. */
#define BENCH_TEXT_(x) #x
#define BENCH_TEXT(x)  BENCH_TEXT_(x)

/* bench_need() - in cases(): what "needs $name" is for; @why: why it is not to
 * be had here (one sentence), NULL if it is. */
void bench_need(struct bench *b, const char *name, const char *why);

/*
 * A case's values by name: outside of intervals.
 * case_int() - a number that it must have.  case_str() - a word, or NULL.
 * case_has() - whether it has that axis.  case_is() - whether it has that value
 * there.  CASE_NTH() - which of an array of names (or of structures whose
 * first member is one) its value is; it must be one.  CASE_OF() - that element.
 */
int64_t case_int(const struct bench_case *c, const char *axis);
const char *case_str(const struct bench_case *c, const char *axis);
bool case_has(const struct bench_case *c, const char *axis);
bool case_is(const struct bench_case *c, const char *axis, const char *value);
size_t case_nth(const struct bench_case *c, const char *axis, const void *names,
		size_t stride, size_t n);
#define CASE_NTH(c, axis, array)                     \
	case_nth(c, axis, array, sizeof((array)[0]), \
		 sizeof(array) / sizeof((array)[0]))
#define CASE_OF(c, axis, array) (&(array)[CASE_NTH(c, axis, array)])

/* bench_next() - the next case behind @after (NULL: the first) for which @where
 * holds, or NULL; BENCH_EACH(): all of them.  bench_beside() - the one that
 * differs from @c in these values only, as in "by=futex stat=mechanism", or
 * NULL.  bench_find() - the one with that name, or NULL. */
const struct bench_case *bench_next(const struct bench *b,
				    const struct bench_case *after,
				    const char *where);
#define BENCH_EACH(b, c, where)                                            \
	for (const struct bench_case *c = bench_next(b, NULL, where); (c); \
	     (c) = bench_next(b, c, where))
const struct bench_case *bench_beside(const struct bench *b,
				      const struct bench_case *c,
				      const char *changes);
const struct bench_case *bench_find(const struct bench *b, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* bench_selected() - whether @c is to be measured (--case, no skip). */
bool bench_selected(const struct bench *b, const struct bench_case *c);

/* bench_derived_from() - in cases(): derive() makes @c from @source, and from
 * all others that this is called with; --case and --core measure these for it.
 * If a derived case has neither this nor @of, all may be needed. */
void bench_derived_from(struct bench *b, const struct bench_case *c,
			const struct bench_case *source);

/* The outcome of the case at hand, or of the program. */

/**
 * bench_fail() - record why the benchmark cannot go on.
 * @err: a positive errno value, or 0 if there is none to name.  One that says
 * what this place lacks or forbids (ENOSYS, EPERM, ENOSPC, EROFS, ...:
 * verdict.c) skips instead, as bench_skip().
 *
 * From enter(), prepare(), run(), sample(), conclude() and leave() it fails
 * the case at hand and the others go on; from setup() it fails the program.
 * The first message wins.
 *
 * Return: a negative number, so that a callback can `return bench_fail(...)`.
 */
int bench_fail(struct bench *b, int err, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* bench_skip() - the same, but it is skipped: it cannot be measured here. */
int bench_skip(struct bench *b, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* bench_is_sample() - in sample(): whether this event counts; the cold first
 * one and those to warm up do not. */
bool bench_is_sample(const struct bench *b);

/* Samples and values. */

/* bench_record() - one event of case @c, the one being sampled or a derived
 * one, took @ticks (raw, overhead not yet subtracted).  bench_record_value() -
 * one sample of @c, in its own unit, taken as it is. */
void bench_record(struct bench *b, const struct bench_case *c, uint64_t ticks);
void bench_record_value(struct bench *b, const struct bench_case *c,
			double value);

/* bench_waited() - of an event whose sample was taken in @of_ns that began
 * before it, or in another process: for how long of that one who takes part
 * waited for a CPU that other work had or a quota withheld.  As any other event
 * it is no sample if that is more than 1 - BENCH_MOSTLY.  bench_waits() - what
 * they waited in all before this event, ns.  bench_helped() - a partner's
 * children ran for @ns of it: no other work did. */
void bench_waited(struct bench *b, double waited_ns, double of_ns);
double bench_waits(void);
void bench_helped(int64_t ns);

/*
 * bench_derive() - set the headline of a derived case, in its unit.
 * bench_derive_within() - one that is only good to @resolution, in that unit:
 * what is not above it, or not above 0, is *below resolution*.
 * bench_derive_between() - one that was found between others that were tried:
 * the true one is not below @low and not above @high.
 * bench_derive_line() - intercept, slope and R2 (NULL: not wanted) of the line
 * through the cases that the slope is made from: their values by @axis.
 * bench_derive_skip() - in derive(): there is none here, for this reason.  If
 * its evidence falls short, the case is FAILED all the same.
 * bench_value() - in derive(): headline of a measured case, in its unit; NAN if
 * it has none (skipped, failed, below resolution, not selected).
 * bench_expect() - the true value of @c, where it is known from elsewhere;
 * shown beside the measured one, with the error in percent.
 */
void bench_derive(struct bench *b, const struct bench_case *c, double value);
void bench_derive_within(struct bench *b, const struct bench_case *c,
			 double value, double resolution);
void bench_derive_between(struct bench *b, const struct bench_case *c,
			  double value, double low, double high);
void bench_derive_skip(struct bench *b, const struct bench_case *c,
		       const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
double bench_value(const struct bench *b, const struct bench_case *c);
void bench_derive_line(struct bench *b, const char *axis,
		       const struct bench_case *const line[3]);
void bench_expect(struct bench *b, const struct bench_case *c, double value);

/**
 * bench_proof() - evidence that the operation happened: exactly @expected
 * things were seen (children reaped, bytes that arrived).  Both add up over a
 * visit; of a visit in which another number was seen nothing is kept, and the
 * case has failed in this invocation.
 * @what: a short plural noun, the key in "evidence"; must be static text.
 *
 * bench_least() - the same where other work may add to what is counted (bytes
 * of a device, switches): only less than @least is wrong.
 */
void bench_proof(struct bench *b, const struct bench_case *c, const char *what,
		 double expected, double seen);
void bench_least(struct bench *b, const struct bench_case *c, const char *what,
		 double least, double seen);

/**
 * bench_purity() - evidence that nothing else was in it: @pure of @all things
 * (bytes that came from the cache, switches that were asked for).  Both add up
 * over a visit; one in which less than @share was pure is excluded, counted,
 * and made up for once.  Set aside are the samples of @c, and if @c is the case
 * being visited, of all cases that got samples meanwhile, with the same reason.
 * Warming up takes no samples, so nothing that is said there counts.
 * @share: 0 to 1; the least that leaves the headline what it is.  For single
 *	   events under a median that is BENCH_MOSTLY: where one in ten is
 *	   another operation, the median is at most the 56th percentile of the
 *	   right ones.  BENCH_SOME: where an event that is not pure is no
 *	   sample, some must be left.
 */
#define BENCH_MOSTLY 0.9
#define BENCH_SOME   0.1
void bench_purity(struct bench *b, const struct bench_case *c, const char *what,
		  double share, double all, double pure);

/* bench_fact() - a fact about how @c was measured, beside the evidence; the
 * last one given wins.  Static text for @what; the text is copied. */
void bench_fact(struct bench *b, const struct bench_case *c, const char *what,
		double value);
void bench_fact_text(struct bench *b, const struct bench_case *c,
		     const char *what, const char *text);

/* The invocation. */

/* bench_timer() - in use; its method is for TIMER_INTERVAL().  bench_ns() - raw
 * ticks of one interval in ns, overhead subtracted. */
const struct timer *bench_timer(const struct bench *b);
double bench_ns(const struct bench *b, double ticks);

/* bench_seed() - this invocation's random seed; bench_random() - the next
 * number of a fast generator seeded with it (xorshift64*, not for secrets). */
uint64_t bench_seed(const struct bench *b);
uint64_t bench_random(struct bench *b);

/* bench_effort() - 1.0 at --effort 100: for a number that is an option.
 * bench_time_ns() - how long the samples of the visit at hand may take; outside
 * visits, those of all cases that were asked for. */
double bench_effort(const struct bench *b);
double bench_time_ns(const struct bench *b);

/* bench_first() - in a thread that --copies started beside the measuring one:
 * the state of that one, for the object that all are to work on; it has been
 * set up and outlives this thread's.  Else NULL: work on an object of your own.
 */
void *bench_first(const struct bench *b);

/* CPUs by the kernel's number (services/topo.c). */

/* bench_cpu() - the measuring one (--cpu).  bench_cpus() - how many this
 * process may use; bench_nth_cpu() - the @nth of them, the measuring CPU first;
 * -ERANGE.  bench_partner() - one of them at @place, or -ENOENT.
 * bench_distance() - of two; BENCH_BY_MEMORY if unknown. */
int bench_cpu(const struct bench *b);
unsigned int bench_cpus(const struct bench *b);
int bench_nth_cpu(const struct bench *b, unsigned int nth);
int bench_partner(const struct bench *b, enum bench_place place);
enum bench_distance bench_distance(const struct bench *b, int a, int c);

/* bench_pin() - pin the calling thread (also in a forked child) to @cpu and
 * verify it.  bench_bind() - let thread @tid (0: the calling one) run on the @n
 * @cpus and no others; bench_unbind() - the calling one on each that this
 * process may use.  Return: 0 or -errno.  bench_keep_off() - let the calling
 * thread run where it was allowed to when this was called first, but not on
 * @cpu (-1: there, too) if there is another CPU. */
int bench_pin(int cpu);
int bench_bind(pid_t tid, const int *cpus, size_t n);
int bench_unbind(const struct bench *b);
void bench_keep_off(int cpu);

/* bench_cache_bytes() - size of the data (or unified) cache of @level that
 * the measuring CPU uses, as hwloc says.  bench_caches_bytes() - of all that
 * the @n CPUs @cpus use, each counted once however many share it; in @share the
 * least that one of them has if all use it at once.  0: unknown.
 * bench_cache_hidden() - there is one of @level, whose size is unknown. */
uint64_t bench_cache_bytes(const struct bench *b, unsigned int level);
bool bench_cache_hidden(const struct bench *b, unsigned int level);
uint64_t bench_caches_bytes(const struct bench *b, const int *cpus, size_t n,
			    unsigned int level, uint64_t *share);

/* Memory, and its NUMA nodes by the kernel's number. */

/* bench_spare_bytes() - how much a benchmark may take: a quarter of the least
 * of MemAvailable and what the memory cgroup leaves, as it was when it was
 * asked for first.  bench_page_bytes() - of a base page: 4, 16 or 64 KiB; a
 * call, not for what is timed.  bench_page_name() - "4K", as names of cases
 * have it. */
uint64_t bench_spare_bytes(const struct bench *b);
size_t bench_page_bytes(void);
const char *bench_page_name(void);

/* bench_nodes() - how many have memory that this process may use, 1 where
 * nothing is known of nodes.  bench_nth_node() - the @nth of them (at most
 * BENCH_MAX_NODES are known); -ERANGE.  bench_node_of_cpu() - the one local to
 * @cpu; -ENOENT.  bench_cpu_of_node() - a CPU of ours that it is local to, the
 * measuring CPU if that is one; -ENOENT.  bench_bind_memory() - pages of
 * [@base, @base + @bytes) that are touched for the first time come from @node
 * only; nothing is done where there is one node.  Return: 0 or -errno. */
#define BENCH_MAX_NODES 16
unsigned int bench_nodes(const struct bench *b);
int bench_nth_node(const struct bench *b, unsigned int nth);
int bench_node_of_cpu(const struct bench *b, int cpu);
int bench_cpu_of_node(const struct bench *b, int node);
int bench_bind_memory(const struct bench *b, void *base, size_t bytes,
		      int node);

/**
 * bench_scratch() - path of a directory that belongs to this invocation, made
 * at the first call and removed with all that is in it when the program ends,
 * however it ends: below --dir if the user gave one, else below the current
 * directory if that is writable, else in $TMPDIR or /tmp, which is said once.
 * bench_files() - one for big test files that are used again: the run's, if
 * --dir is one that run-all made for it (it is ours alone and has our file
 * BENCH_FILES_MARK, which is no link; run-all removes all when the run ends:
 * then bench_files_stay()), else bench_scratch().  Files found there must be
 * checked before it is used.
 *
 * Return: the path; after bench_fail() one below which nothing can be made, so
 * that what is made there says no other reason.
 */
#define BENCH_FILES_MARK ".oscost-run"
const char *bench_scratch(struct bench *b);
const char *bench_files(struct bench *b);
bool bench_files_stay(const struct bench *b);

/**
 * bench_guard() - something outside this process that must not outlive the
 * program, should it be killed: the supervisor removes what was not released.
 * @kind: "file" (a path), "sem" (System V id), "mq" (POSIX queue name), "shmem"
 *	  (POSIX shared memory name), "netns", "cgroup" (path of a control group
 *	  named "oscost-...", removed with its processes).
 */
void bench_guard(struct bench *b, const char *kind, const char *what);

/* Keep @value, and the work that made it, from being optimised away; make the
 * compiler forget what it knows about @lvalue. */
#define BENCH_KEEP(value)  __asm__ volatile("" : : "g"(value) : "memory")
#define BENCH_HIDE(lvalue) __asm__ volatile("" : "+r"(lvalue) : : "memory")

#endif
