/* SPDX-License-Identifier: MIT */
#ifndef INVOCATION_H
#define INVOCATION_H

#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "axes.h"
#include "bench.h"
#include "evidence.h"
#include "noise.h"
#include "op_counts.h"
#include "points.h"
#include "result.h"
#include "sample.h"
#include "timer.h"
#include "topo.h"

/*
 * One execution of a benchmark in this process: private to the harness
 * (bench.c serves the benchmark, invocation.c leads through its life, visit.c
 * samples, rows.c makes results).
 */

enum case_state { CASE_ASKED, CASE_UNSELECTED, CASE_SKIPPED, CASE_FAILED };

struct fact {
	const char *what;
	double value;
	char *text; /* NULL: the value */
};

/* What happens to what bench_record() brings. */
enum phase { PHASE_IDLE, PHASE_COLD, PHASE_WARM_UP, PHASE_SAMPLE };

/* A case and all that was seen of it in this invocation. */
struct case_run {
	struct bench_case c;
	char *name;
	json_t *params;
	enum case_state state;
	char why[256];
	bool dropped; /* skipped after it was measured */
	bool begun;   /* piloted and warmed up */
	bool core;    /* one of those that are quoted (rows.tsv) */
	bool hidden;  /* not asked for, but a derived case may need it */
	bool needed;  /* hidden, and one does */
	struct case_run **sources; /* bench_derived_from() */
	size_t n_sources;
	bool weighty; /* a core row, or one has its samples from it */
	struct sample_series series, base;
	struct sample_vec events;     /* ticks, or values */
	bool own_unit;		      /* events are values in the case's unit */
	double cold;		      /* ticks or value; NAN until known */
	double time_ns;		      /* for the samples of a visit */
	double sampled_ns;	      /* that its samples took */
	double sampled;		      /* how many; set aside ones too */
	double lost;		      /* of these, that are in no figure */
	double visit_ns;	      /* that coming back took, without them */
	struct sample_vec core_hz;    /* before and after each visit */
	struct sample_vec core_share; /* reference_share(), the same */
	struct sample_vec distance;   /* to its partner's CPU, the same, ns */
	bool has_partner;	      /* on another CPU, in its last visit */
	int partner_cpu;
	/* Visits that were kept, and how many of them the host or a quota took
	 * time from. */
	uint64_t visits, stolen, throttled;
	double derived, expected;	  /* NAN until known */
	double derived_resolution;	  /* NAN: derived needs none */
	double derived_low, derived_high; /* the same */
	struct evidence *evidence;
	size_t evidences;
	struct evidence_mark mark;
	unsigned int set_aside; /* visits */
	bool contradicted;	/* by a proof, in one of them */
	bool again;		/* the last visit is to be made up for */
	bool made_up;		/* which is done once */
	struct fact *facts;
	size_t n_facts;
	uint64_t involuntary, migrated; /* of those that it has */
	uint64_t waited;		/* those that it has not */
	size_t kept;			/* events before the one at hand */
	/* --counters: of the operation and of its baseline */
	struct op_counts counts, base_counts;
};

/* What is beside a visit at one of its ends. */
struct beside {
	int cpu;	    /* of its partner; -1 */
	double distance_ns; /* of that one; NAN */
	struct noise_taken taken;
	bool now; /* no sample was taken since */
};

/* Derived cases that one event has samples for, at most. */
#define MAX_FED 8

struct bench {
	const struct bench_desc *desc;
	void *state;
	void *first; /* bench_first() */
	struct axes asked;
	struct points_set *sets; /* of the texts of its cases */
	struct timer timer;
	struct topo *topo;
	struct case_run **runs;
	size_t n_runs;
	struct case_run *current;      /* whose callback is running; or NULL */
	struct case_run *fed[MAX_FED]; /* others that got samples meanwhile */
	unsigned int n_fed;
	enum phase phase;
	bool warming_up; /* what is done is no part of any sample */
	uint64_t visits; /* counts them, and the times between */
	struct op_counts counts_before, base_counts_before; /* the visit */
	char why[256];	  /* of the program as a whole */
	bool skip_all;	  /* why is a reason to skip */
	bool usage_error; /* cases() made a bad case */
	int cpu;
	const char *kind; /* of that CPU; NULL: all are of one */
	bool slower;	  /* and it is not the fastest kind */
	int unpinned; /* why it could not be bound to that: an errno, or 0 */
	double effort;
	double time_ns; /* for all samples, of all cases asked for */
	uint64_t seed, rng, dither;
	int guard_fd;
	bool first_process; /* who tells what is the same for all */
	const char *dir;
	char scratch[PATH_MAX];
	struct op_counter counter_store;
	struct op_counter *counter;   /* NULL without --counters */
	struct sample_vec core_hz;    /* around all visits to all cases */
	struct sample_vec core_share; /* the same */
	struct beside beside;
	char started_at[32];
	double duration_s;
	int64_t round;
	uint64_t begin_ns;
};

/* Set by the handlers of SIGINT and SIGTERM: the signal's number. */
extern volatile sig_atomic_t invocation_stop;

/* What to do; from the command line and the supervisor. */
struct invocation_plan {
	int cpu;	  /* -1: choose */
	const char *kind; /* of CPU to choose; NULL: the fastest */
	int method;	  /* enum timer_method, or -1: choose */
	double effort;	  /* 1.0 is the usual */
	double share_ms;  /* for all samples, at that effort */
	uint64_t seed;
	int64_t round;		      /* -1: not in a run */
	const char *dir;	      /* NULL: choose */
	int guard_fd;		      /* -1: none */
	bool first_process;	      /* of its supervisor */
	double tsc_hz;		      /* 0: measure it */
	bool counters;		      /* count events, too */
	const struct opt_list *globs; /* cases to run; empty: all */
	const char *const *core_rows; /* patterns, NULL at the end */
	bool core;		      /* only those */
};

/**
 * invocation_open() - make @b ready for cases(): topology, CPU, list of cases.
 * Nothing is measured and nothing pinned yet.
 *
 * Return: an exit code (err.h); on other than EXIT_OK @b->why says why.
 */
int invocation_open(struct bench *b, const struct bench_desc *desc, void *state,
		    const struct invocation_plan *plan);

/* invocation_cases() - the part of it that adds the cases. */
int invocation_cases(struct bench *b);

/* invocation_select() - apply --case and --core.  Return: EXIT_OK, EXIT_USAGE
 * if a glob matches nothing, EXIT_SKIP if there is no core row. */
int invocation_select(struct bench *b, const struct invocation_plan *plan);

/* invocation_measure() - pin, calibrate, set up, sample, derive, tear down.
 * Return: EXIT_OK, or an exit code with @b->why set. */
int invocation_measure(struct bench *b, const struct invocation_plan *plan);

/* invocation_close() - free everything; invocation_forget() - the cases and
 * what was seen of them. */
void invocation_close(struct bench *b);
void invocation_forget(struct bench *b);

/* visit_cases() - visit all cases that are asked for, several times each and
 * in random order, and sample them (visit.c).  Return: 0 or -ENOMEM. */
int visit_cases(struct bench *b);

/* visit_repeats() - whether @run is timed in batches; visit_batch() - one of
 * @iters operations, raw ticks; visit_event() - the other kind: one event,
 * whose samples go to the cases.  For harness/services/copies.c. */
bool visit_repeats(const struct bench *b, const struct case_run *run);
int visit_batch(struct bench *b, struct case_run *run, uint64_t iters,
		uint64_t *ticks);
int visit_event(struct bench *b, struct case_run *run);

/**
 * visit_settle() - a visit is over: judge it.
 * @before: what was beside it at its begin; @b->beside: at its end.
 * @waits_known: time that a quota held back is among what samples are known to
 *		 have waited.  Else it may be in any: the visit is set aside.
 */
void visit_settle(struct bench *b, struct case_run *run,
		  const struct beside *before, bool waits_known);

/* invocation_clock() - the timer as sampling sees it. */
struct sample_clock invocation_clock(const struct bench *b);

/* invocation_now_ns() - CLOCK_MONOTONIC, for budgets; nothing is measured
 * with it. */
uint64_t invocation_now_ns(void);

/* rows_make() - the row of one case.  Return: 0 or -ENOMEM. */
int rows_make(const struct bench *b, const struct case_run *run,
	      struct result *row);

/* rows_headline() - value of a case in its own unit, NAN if none; for
 * bench_value(). */
double rows_headline(const struct bench *b, const struct case_run *run);

/* bench_case_of() - the private part behind a case handed to a benchmark. */
struct case_run *bench_case_of(const struct bench *b,
			       const struct bench_case *c);

/* For who adds cases (bench.c, axes.c): bench_add_point() - as bench_add(), but
 * @c has its data; bench_new_data() - zeroed state of one case, on cache lines
 * of its own, NULL if it has none; bench_fail_cases() - they make no sense. */
const struct bench_case *bench_add_point(struct bench *b,
					 const struct bench_case *c);
void *bench_new_data(struct bench *b);
void bench_fail_cases(struct bench *b, const char *why, const char *name);

#endif
