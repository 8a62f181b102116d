/* SPDX-License-Identifier: MIT */
#ifndef PROGRAM_H
#define PROGRAM_H

#include <jansson.h>
#include <limits.h>
#include <signal.h>

#include "bench.h"
#include "counters.h"
#include "noise.h"
#include "sample.h"

/*
 * --counters: what the measuring thread's counters saw of each operation.
 * The counters are read around a batch or an event, outside its timed
 * interval; empty pairs of readings stand between events, with the caches as
 * the events left them.
 */
enum op_interval {
	OP_BRIEF,  /* n operations, or an event */
	OP_LONGER, /* 2n operations */
	OP_EMPTY,  /* nothing: a pair of readings */
	OP_INTERVALS
};

/* Counts of one case, or of its baseline: of each interval that has one. */
struct op_counts {
	struct sample_vec of[OP_INTERVALS][COUNTERS_EVENTS];
};

/* op_counts_begin(), op_counts_end() - around an interval; nothing if @c is
 * NULL.  @counts: where to keep it; NULL if it does not count.  Return: 0 or
 * -errno.  op_counts_add() - keep what was
 * counted in all of one, not scaled.  op_counts_cut() - forget what @counts
 * got since @to was copied from it. */
int op_counts_begin(struct counters *c);
int op_counts_end(struct counters *c, struct op_counts *counts,
		  enum op_interval interval);
void op_counts_add(struct op_counts *counts, const struct counters_counts *k,
		   enum op_interval interval);
void op_counts_cut(struct op_counts *counts, const struct op_counts *to);
void op_counts_free(struct op_counts *counts);

/**
 * op_counts_json() - a row's key "counters": events of one operation.
 *
 * Hardware events and CPU time of batches: the difference of the medians of
 * 2n and of n, over n; of single events: the median less that of empty
 * pairs.  Faults, switches and migrations are rare, and are told exactly: all
 * that were counted over all operations.  Those of the baseline are
 * subtracted.
 */
#define OP_COUNTS_SMALL "too small to measure"
struct case_run;
json_t *op_counts_json(const struct case_run *run, const struct counters *c);

/*
 * A program and its cases in this invocation, by who writes what
 * (tests/arrows looks after that): private to the harness.
 */
enum case_state { CASE_ASKED, CASE_UNSELECTED, CASE_SKIPPED, CASE_FAILED };

/* The program's description of it (case.c). */
struct case_definition {
	struct case_run **sources; /* bench_derived_from(), @of */
	size_t n_sources;
	double derived, expected;	  /* NAN until known */
	double derived_resolution;	  /* NAN: derived needs none */
	double derived_low, derived_high; /* the same */
	json_t *facts; /* numbers and texts by name; null: not known */
};

/* Whether it was asked for (life/invocation.c). */
struct case_choice {
	bool core;    /* one of those that are quoted (rows.tsv) */
	bool asked;   /* for, by --case and --core */
	bool hidden;  /* not asked for, but a derived case may need it */
	bool needed;  /* by a derived case that was */
	bool weighty; /* a core row, or one has its samples from it */
};

/* Results of its visits (visit.c, passes.c; case_give_back()). */
struct case_samples {
	bool begun; /* piloted and warmed up */
	struct sample_series series, base;
	struct sample_vec events;     /* ticks, or values */
	bool own_unit;		      /* events are values in the case's unit */
	double cold;		      /* ticks or value; NAN until known */
	double time_ns;		      /* for the samples of a visit */
	double sampled_ns;	      /* that its samples took */
	double sampled;		      /* how many; excluded ones too */
	double lost;		      /* of these, that are in no figure */
	double visit_ns;	      /* that coming back took, without them */
	double spread;		      /* of one, relative; NAN: not known */
	bool again;		      /* the last visit is to be made up for */
	bool made_up;		      /* which is done once */
	struct sample_vec core_hz;    /* before and after each visit */
	struct sample_vec core_share; /* reference_share(), the same */
	bool has_partner;	      /* on another CPU, in its last visit */
	int partner_cpu;
	/* Visits that were kept, and how many of them the host or a quota took
	 * time from. */
	uint64_t visits, stolen, throttled;
	uint64_t involuntary, migrated; /* of those that it has */
	uint64_t waited;		/* those that it has not */
	size_t kept;			/* events before the one at hand */
	struct op_counts counts, base_counts; /* --counters; of its baseline */
};

struct evidence {
	const char *what;
	bool purity;
	bool exact;	 /* more is as wrong as less */
	double share;	 /* of @expected that must be seen */
	double kept[2];	 /* expected, seen; in visits that were kept */
	double aside[2]; /* in those that were not */
	double now[2];	 /* in the visit at hand */
	unsigned int short_visits; /* in which it was not enough */
};

/* The verdict on all that (verdict.c), and its evidence (evidence.c). */
struct case_verdict {
	enum case_state state;
	char why[256];
	bool dropped; /* skipped after it was measured */
	struct evidence *evidence;
	size_t evidences;
	uint64_t visit; /* number of the last that gave it something */
	struct case_samples before; /* what it had then */
	unsigned int set_aside;	    /* visits */
	bool contradicted;	    /* by a proof, in one of them */
};

struct case_run {
	struct bench_case c; /* the program's, as added */
	struct case_definition def;
	struct case_choice choice;
	struct case_samples got;
	struct case_verdict verdict;
};

/* The use of a sample in bench_record(). */
enum phase { PHASE_IDLE, PHASE_COLD, PHASE_WARM_UP, PHASE_SAMPLE };

/* The state beside a visit at one of its ends. */
struct beside {
	int cpu; /* of its partner; -1 */
	struct noise_taken taken;
	bool now; /* no sample was taken since */
};

/* Derived cases that one event has samples for, at most. */
#define MAX_FED 8

/* The visit at hand, and what was around all of them (visit.c). */
struct program_visit {
	struct case_run *current;      /* whose callback is running; or NULL */
	struct case_run *fed[MAX_FED]; /* others that got samples meanwhile */
	unsigned int n_fed;
	enum phase phase;
	bool warming_up;   /* what is done is no part of any sample */
	bool waited, none; /* bench_waited(), BENCH_NO_SAMPLE: this event */
	double time_ns;	   /* for all samples, of all cases asked for */
	uint64_t rng, dither;
	struct beside beside;
	struct sample_vec core_hz, core_share; /* around all visits */
};

/* Its outcome (verdict.c; of visits: evidence.c). */
struct program_verdict {
	char why[256];	 /* of the program as a whole */
	bool skip_all;	 /* why is a reason to skip */
	uint64_t visits; /* counts them, and the times between */
};

/* The plan (life/main.c): options of every program; NULL and UINT64_MAX: not
 * given. */
struct invocation_plan {
	const char *name;      /* of the program */
	struct opt_list globs; /* cases to run; empty: all */
	uint64_t invocations, cpu, effort, seed, round;
	const char *timer, *dir, *cpus, *copies;
	bool core, counters;
	bool marks; /* reads of the clock tell the ledger whose a visit is */

	double share_ms;	      /* for all samples, at effort 100 */
	const char *const *core_rows; /* patterns, NULL at the end */
	double tsc_hz;		      /* 0: measure it */
	int guard_fd;		      /* from the supervisor; -1: none */
	bool first_process;	      /* who tells what is the same for all */
};

/* All that has no other owner is written by life/invocation.c before setup().
 */
struct bench {
	const struct bench_desc *desc;
	void *state;
	void *first;	   /* bench_first() */
	unsigned int copy; /* of a crew: which it is */
	struct invocation_plan plan;
	struct points_set *sets; /* of the texts of its cases */
	char **words;		 /* that are in them */
	size_t n_words;
	struct timer timer;
	struct topo *topo;
	int cpu;
	const char *kind; /* of that CPU; NULL: all are of one */
	bool slower;	  /* and it is not the fastest kind */
	int unpinned; /* why it could not be bound to that: an errno, or 0 */
	char scratch[PATH_MAX];	   /* life/serve.c */
	struct counters *counters; /* NULL without --counters */
	char started_at[32];
	double duration_s;
	uint64_t begin_ns;

	struct case_run **runs; /* case.c */
	size_t n_runs;
	struct program_visit now;
	struct program_verdict verdict;
};

/* EACH_RUN() - of each case its run, in their order. */
#define EACH_RUN(b, run)                              \
	for (struct case_run **at_ = (b)->runs, *run; \
	     (size_t)(at_ - (b)->runs) < (b)->n_runs && (run = *at_); at_++)

/* The cases of a program (case.c, points.c): docs/rows.md. */
#define CASE_NAME 256 /* bytes, with its end */

/* cases_make() - all cases of the program.  Return: an exit code (err.h).
 * cases_free() - these, and what was seen of them. */
int cases_make(struct bench *b);
void cases_free(struct bench *b);

/* case_complete() - set the members of @c that are 0 and have a default.
 * case_add() - add a case, which is copied and has its data.  Return: as it is
 * kept, valid to the end of the program; never NULL: a failure (no memory, the
 * same name twice) makes the program fail.  bench_case_of() - the private part
 * behind a case handed to a benchmark.  case_param() - its value on that axis,
 * or NULL. */
void case_complete(struct bench_case *c, const struct bench_desc *d);
const struct bench_case *case_add(struct bench *b, const struct bench_case *c);
struct case_run *bench_case_of(const struct bench *b,
			       const struct bench_case *c);
const struct bench_param *case_param(const struct bench_case *c,
				     const char *axis);

/* case_matches() - whether all terms of @glob ("args=3,by=*"), or it as a
 * whole, are said of @c; *@whole: it is the name of @c. */
bool case_matches(const struct bench_case *c, const char *glob, bool *whole);

/* case_give_back() - @run has what it had at @to, and no derived value. */
void case_give_back(struct case_run *run, const struct case_samples *to);

/* points_derive() - the values of formulas.  points_close() - forget what was
 * set for the texts.  points_open() - the axes of @text of which other numbers
 * may be asked for, what fits: "; size from 512 to 8K in steps of 256; n from 0
 * to 9"; or "". */
void points_derive(struct bench *b);
void points_close(struct bench *b);
void points_open(const char *text, char *list, size_t size);

/* The outcome of a case or of the program, and why (verdict.c): bench_fail(),
 * bench_skip(), and: verdict_skip() - @run is skipped, whatever it has.
 * verdict_unselect() - it was not asked for.  verdict_give_up() - say why the
 * program ends with @code, which it returns.  verdict_end_all() - what ended
 * the whole program ended each of its cases. */
void verdict_skip(struct case_run *run, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void verdict_unselect(struct case_run *run);
int verdict_give_up(struct bench *b, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void verdict_end_all(struct bench *b, bool skipped);

/*
 * Evidence (evidence.c), as bench_proof() and bench_purity() have it, is judged
 * when a visit to a case ends.  A visit that falls short gives back its
 * samples.
 *
 * evidence_begin() - a visit to @run begins.  evidence_touch() - @run is about
 * to get a sample or evidence.  evidence_add() - @c gets what @of has of the
 * visit at hand.  evidence_settle() - judge the visit to @current
 * that ends, or what was said since the last one (NULL), where a shortfall
 * takes all that the case has.  Return: whether it should be made up for.
 * evidence_conclude() - a case whose visits were all excluded is skipped, and
 * says why.  evidence_contradicted() - the proof that fell short, or NULL; also
 * of what is not settled yet.
 */
void evidence_begin(struct bench *b, struct case_run *run);
void evidence_touch(struct bench *b, struct case_run *run);
void evidence_add(struct bench *b, const struct bench_case *c,
		  const struct evidence *of);
bool evidence_settle(struct bench *b, struct case_run *current);
void evidence_conclude(struct bench *b);
const struct evidence *evidence_contradicted(const struct case_run *run);

/* visit_cases() - visit all cases that are asked for, several times each and
 * in random order, and sample them (passes.c). */
#define VISIT_PASSES 4 /* visits to a case that is interleaved, at most */
void visit_cases(struct bench *b);

/**
 * visit_divide() - set time_ns of the cases for @visits more, which may take
 * @left_ns in all, so that the sum of their relative errors becomes least, each
 * counted by its weight.
 *
 * A case whose samples cost c and scatter by s has, after n of them, an error
 * of s / sqrt(n): the sum of w s / sqrt(n) is least, for a given sum of c n,
 * where n grows with (w s / c) to the power of 2/3.  The spread of a few
 * samples is not well known: it counts as the geometric mean of it and of the
 * median of all.  A case gets a sample in each visit, or no visit.
 */
#define BUDGET_CORE 3.0 /* the weight of a core row; of the others: 1 */
void visit_divide(struct bench *b, double left_ns, unsigned int visits);

/* visit_case() - one visit.  For services/copies.c: visit_open() - what is
 * recorded from here on is one of @run, with @time_ns for its samples, up to
 * visit_close(). */
void visit_case(struct bench *b, struct case_run *run);
void visit_open(struct bench *b, struct case_run *run, double time_ns);
void visit_close(struct bench *b);

/* The same: visit_pilot() - *@iters operations fill a batch, or are @most; for
 * events it stays as it is.  visit_chunk() - one batch of @iters, or one event:
 * how many operations in how many ns; @target, which gets the samples of an
 * event, is left without.  Return: 0, or as the case's callbacks. */
int visit_pilot(struct bench *b, struct case_run *run, uint64_t most,
		uint64_t *iters);
int visit_chunk(struct bench *b, struct case_run *run, struct case_run *target,
		uint64_t iters, double *ops, double *ns);

/* visit_settle() - a visit is over: judge it.  @before was beside it at its
 * begin, @b->now.beside at its end.  Time that a quota held back is among what
 * samples are known to have waited, unless @waits_known is false: then it may
 * be in any, and the visit is excluded. */
void visit_settle(struct bench *b, struct case_run *run,
		  const struct beside *before, bool waits_known);

/* visit_moves - goes on with each batch and event: who waits for a
 * partner has patience anew.  invocation_now_ns() - CLOCK_MONOTONIC, for
 * budgets; nothing is measured with it. */
extern uint64_t visit_moves;
uint64_t invocation_now_ns(void);

/* The headline, the least that it could measure, and three standard errors
 * of it, all in ticks of one operation, or in the case's own unit (headline.c).
 */
struct headline {
	double value, resolution, error, constant, baseline;
	bool ticks;
};

/* headline_find() - of what @run has; NAN: nothing.  headline_is_below() -
 * whether it is too small to measure.  headline_samples() - all samples in
 * ticks of one operation (overhead and @constant taken out), or in the own
 * unit; *@n of them.  NULL if there are none.  headline_error() - three
 * standard errors of bench_value(); 0 if unknown. */
void headline_find(const struct bench *b, const struct case_run *run,
		   struct headline *h);
bool headline_is_below(const struct headline *h);
double *headline_samples(const struct bench *b, const struct case_run *run,
			 double constant, size_t *n);
double headline_error(const struct bench *b, const struct bench_case *c);

/* How it is made: whether of batches, by which estimator; with which overhead
 * in every event (ticks); ticks of one operation in the case's unit; and @x of
 * @h, ticks or not, the same. */
bool headline_is_repeated(const struct case_run *run);
enum bench_estimator headline_estimator(const struct case_run *run);
double headline_overhead(const struct bench *b, const struct case_run *run);
double headline_in_unit(const struct bench *b, const struct case_run *run,
			double ticks);
double headline_figure(const struct bench *b, const struct case_run *run,
		       const struct headline *h, double x);

#endif
