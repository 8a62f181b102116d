/* SPDX-License-Identifier: MIT */
#ifndef PROGRAM_H
#define PROGRAM_H

#include <limits.h>
#include <signal.h>

#include "bench.h"
#include "noise.h"
#include "op_counts.h"
#include "sample.h"

/*
 * A program and its cases in this invocation, by who writes what
 * (tests/arrows looks after that): private to the harness.
 */
struct case_run;

enum case_state { CASE_ASKED, CASE_UNSELECTED, CASE_SKIPPED, CASE_FAILED };

struct fact {
	const char *what;
	double value;
	char *text; /* NULL: the value */
};

/* What the program says of it (case.c). */
struct case_definition {
	char *name;
	struct case_run **sources; /* bench_derived_from(), @of */
	size_t n_sources;
	double derived, expected;	  /* NAN until known */
	double derived_resolution;	  /* NAN: derived needs none */
	double derived_low, derived_high; /* the same */
	struct fact *facts;
	size_t n_facts;
};

/* Whether it was asked for (life/invocation.c). */
struct case_choice {
	bool core;    /* one of those that are quoted (rows.tsv) */
	bool asked;   /* for, by --case and --core */
	bool hidden;  /* not asked for, but a derived case may need it */
	bool needed;  /* by a derived case that was */
	bool weighty; /* a core row, or one has its samples from it */
};

/* What its visits brought (visit.c, passes.c; case_give_back()). */
struct case_samples {
	bool begun; /* piloted and warmed up */
	struct sample_series series, base;
	struct sample_vec events;     /* ticks, or values */
	bool own_unit;		      /* events are values in the case's unit */
	double cold;		      /* ticks or value; NAN until known */
	double time_ns;		      /* for the samples of a visit */
	double sampled_ns;	      /* that its samples took */
	double sampled;		      /* how many; set aside ones too */
	double lost;		      /* of these, that are in no figure */
	double visit_ns;	      /* that coming back took, without them */
	double spread;		      /* of one, relative; NAN: not known */
	bool again;		      /* the last visit is to be made up for */
	bool made_up;		      /* which is done once */
	struct sample_vec core_hz;    /* before and after each visit */
	struct sample_vec core_share; /* reference_share(), the same */
	struct sample_vec distance;   /* to its partner's CPU, the same, ns */
	bool has_partner;	      /* on another CPU, in its last visit */
	int partner_cpu;
	/* Visits that were kept, and how many of them the host or a quota took
	 * time from. */
	uint64_t visits, stolen, throttled;
	uint64_t involuntary, migrated; /* of those that it has */
	uint64_t waited;		/* those that it has not */
	size_t kept;			/* events before the one at hand */
	/* --counters: of the operation and of its baseline */
	struct op_counts counts, base_counts;
};

/* How much a case had when the visit at hand first gave it something. */
struct case_mark {
	uint64_t visit; /* number of the visit */
	size_t quads, base_quads, events;
	uint64_t involuntary, migrated;
	double cold;
};

struct evidence {
	const char *what;
	bool purity;
	bool exact;		   /* more is as wrong as less */
	double share;		   /* of @expected that must be seen */
	double expected, seen;	   /* of the visits that were kept */
	double aside[2];	   /* the same of those that were not */
	double now[2];		   /* of the visit at hand */
	unsigned int short_visits; /* in which it was not enough */
};

/* What is to be thought of all that (verdict.c; of evidence:
 * evidence.c). */
struct case_verdict {
	enum case_state state;
	char why[256];
	bool dropped; /* skipped after it was measured */
	struct evidence *evidence;
	size_t evidences;
	struct case_mark mark;
	unsigned int set_aside; /* visits */
	bool contradicted;	/* by a proof, in one of them */
};

struct case_run {
	struct bench_case c; /* the program's, as added */
	struct case_definition def;
	struct case_choice choice;
	struct case_samples got;
	struct case_verdict verdict;
};

/* What happens to what bench_record() brings. */
enum phase { PHASE_IDLE, PHASE_COLD, PHASE_WARM_UP, PHASE_SAMPLE };

/* What is beside a visit at one of its ends. */
struct beside {
	int cpu;	    /* of its partner; -1 */
	double distance_ns; /* of that one; NAN */
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
	bool warming_up; /* what is done is no part of any sample */
	bool waited;	 /* the event at hand, as bench_waited() was told */
	double time_ns;	 /* for all samples, of all cases asked for */
	uint64_t rng, dither;
	struct beside beside;
	struct sample_vec core_hz, core_share; /* around all visits */
};

/* What became of it (verdict.c; of visits: evidence.c). */
struct program_verdict {
	char why[256];	  /* of the program as a whole */
	bool skip_all;	  /* why is a reason to skip */
	bool usage_error; /* cases() made a bad case */
	uint64_t visits;  /* counts them, and the times between */
	struct op_counts counts_before, base_counts_before; /* the visit */
};

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
	bool first_process;	      /* who tells what is the same for all */
	double tsc_hz;		      /* 0: measure it */
	bool counters;		      /* count events, too */
	const struct opt_list *globs; /* cases to run; empty: all */
	const char *const *core_rows; /* patterns, NULL at the end */
	bool core;		      /* only those */
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
	struct timer timer;
	struct topo *topo;
	int cpu;
	const char *kind; /* of that CPU; NULL: all are of one */
	bool slower;	  /* and it is not the fastest kind */
	int unpinned; /* why it could not be bound to that: an errno, or 0 */
	/* What is above visit/: services/kernel_tells.h, distance.h. */
	int (*ready)(struct bench *b, const struct bench_case *c);
	double (*distance_ns)(int cpu);
	char scratch[PATH_MAX]; /* life/serve.c */
	struct op_counter counter_store;
	struct op_counter *counter; /* NULL without --counters */
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

/* Set by the handlers of SIGINT and SIGTERM: the signal's number. */
extern volatile sig_atomic_t invocation_stop;

#endif
