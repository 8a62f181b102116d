/* SPDX-License-Identifier: MIT */
#ifndef NOISE_CERTIFICATE_H
#define NOISE_CERTIFICATE_H

#include "doc.h"
#include "load.h"

/*
 * The noise certificate of a run: what `machine noise` saw on each CPU before,
 * between the rounds and after, added up (noise.jsonl).
 */
enum noise_phase { NOISE_BEFORE, NOISE_BETWEEN, NOISE_AFTER, NOISE_PHASES };

/* What took the time. */
enum noise_cause {
	NOISE_TASKS,
	NOISE_THROTTLED,
	NOISE_INTERRUPTS,
	NOISE_UNSEEN,
	NOISE_CAUSES,
};

struct noise_cpu {
	int cpu;
	bool measuring, hypervisor;
	double spun_us, lost_us, longest_us, steal_us;
	double causes_us[NOISE_CAUSES];
	double phase_spun_us[NOISE_PHASES], phase_lost_us[NOISE_PHASES];
	json_t *tasks;	    /* "name (pid 7)": us that it ran */
	json_t *interrupts; /* by kind: how many */
	double *adds; /* for each core cycle (clock/reference.h), by look */
	size_t n_adds;
};

struct noise_certificate {
	struct noise_cpu *v; /* the measuring one first, then the worst */
	size_t n;
};

/* noise_certificate_read() - the lines of DIR/noise.jsonl as an array, NULL if
 * there is no such file; lines that cannot be used are left out with a note. */
json_t *noise_certificate_read(const char *dir, struct notes *notes);

/* noise_certificate_sum() - add up run->noise; n is 0 if there is nothing. */
void noise_certificate_sum(struct noise_certificate *q, const struct run *run);

/* noise_cpu_share() - of the time of @c that others took, 0 to 1. */
double noise_cpu_share(const struct noise_cpu *c);

/* noise_cpu_verdict() - one line: word, share, longest gap. */
const char *noise_cpu_verdict(const struct noise_cpu *c);

/* noise_of_run() - how quiet the measuring CPU was in @run, NULL if nobody
 * looked; *@word: in one word. */
const char *noise_of_run(const struct run *run, const char **word);

/* noise_cpu_cause() - what @cause was on @c, with names; noise_cpu_mend() -
 * what can be done about it.  New strings; NULL where it took next to nothing.
 */
const char *noise_cpu_cause(const struct noise_cpu *c, enum noise_cause cause);
const char *noise_cpu_mend(const struct noise_cpu *c, enum noise_cause cause);

/* noise_cpu_shared() - how often another hardware thread of the core of @c was
 * seen to work, one line; noise_cpu_shared_mend() - what can be done about it.
 * New strings; NULL where there were too few looks to tell, or it never was. */
const char *noise_cpu_shared(const struct noise_cpu *c);
const char *noise_cpu_shared_mend(const struct noise_cpu *c);

/* noise_cpu_main_cause() - the one that took most of @c. */
enum noise_cause noise_cpu_main_cause(const struct noise_cpu *c);

/* noise_certificate_print() - a few lines for a terminal; nothing if there is
 * nothing. */
void noise_certificate_print(FILE *f, const struct run *run);

/* sections_noise() - the section of the report. */
void sections_noise(struct doc *d, const struct run *run);

#endif
