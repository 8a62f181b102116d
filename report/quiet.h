/* SPDX-License-Identifier: MIT */
#ifndef QUIET_H
#define QUIET_H

#include "doc.h"
#include "gaps.h"
#include "load.h"

/*
 * The noise certificate of a run: what `report noise` saw on each CPU before,
 * between the rounds and after, added up (noise.jsonl).
 */
enum quiet_phase { QUIET_BEFORE, QUIET_BETWEEN, QUIET_AFTER, QUIET_PHASES };

struct quiet_cpu {
	int cpu;
	bool measuring, hypervisor;
	double spun_us, lost_us, longest_us, steal_us;
	double causes_us[GAP_CAUSES];
	double phase_spun_us[QUIET_PHASES], phase_lost_us[QUIET_PHASES];
	json_t *tasks;	    /* "name (pid 7)": us that it ran */
	json_t *interrupts; /* by kind: how many */
	double *adds;	    /* for each core cycle (core_share.h), by look */
	size_t n_adds;
};

struct quiet {
	struct quiet_cpu *v; /* the measuring one first, then the worst */
	size_t n;
};

/* quiet_read() - the lines of DIR/noise.jsonl as an array, NULL if there is no
 * such file; lines that cannot be used are left out with a note. */
json_t *quiet_read(const char *dir, struct notes *notes);

/* quiet_sum() - add up run->noise; n is 0 if there is nothing. */
void quiet_sum(struct quiet *q, const struct run *run);
void quiet_free(struct quiet *q);

/* quiet_share() - of the time of @c that others took, 0 to 1. */
double quiet_share(const struct quiet_cpu *c);

/* quiet_verdict() - one line: grade, share, longest gap; a new string. */
char *quiet_verdict(const struct quiet_cpu *c);

/* quiet_cause() - what @cause was on @c, with names; quiet_mend() - what can
 * be done about it.  New strings; NULL where it took next to nothing. */
char *quiet_cause(const struct quiet_cpu *c, enum gap_cause cause);
char *quiet_mend(const struct quiet_cpu *c, enum gap_cause cause);

/* quiet_shared() - how often another hardware thread of the core of @c was seen
 * to work, one line; quiet_shared_mend() - what can be done about it.  New
 * strings; NULL where there were too few looks to tell, or it never was. */
char *quiet_shared(const struct quiet_cpu *c);
char *quiet_shared_mend(const struct quiet_cpu *c);

/* quiet_main_cause() - the one that took most of @c. */
enum gap_cause quiet_main_cause(const struct quiet_cpu *c);

/* quiet_print() - a few lines for a terminal; nothing if there is nothing. */
void quiet_print(FILE *f, const struct run *run);

/* sections_noise() - the section of the report. */
void sections_noise(struct doc *d, const struct run *run);

#endif
