/* SPDX-License-Identifier: MIT */
#ifndef PARTNER_TEAM_H
#define PARTNER_TEAM_H

#include <stdatomic.h>
#include <stdint.h>

#include "partner.h"

/*
 * Threads on CPUs of their own that do the same work at the same time, the
 * measuring thread among them.  They spin between rounds, so that a round
 * begins at once.
 */
#define PARTNER_TEAM_MAX 512

/* Does @rounds of the work; @member is 0 for the measuring thread. */
typedef void partner_round_fn(void *arg, unsigned int member, uint64_t rounds);

struct partner_team {
	struct partner member[PARTNER_TEAM_MAX];
	unsigned int size; /* with the measuring thread; 0: not started */
	partner_round_fn *fn;
	void *arg;
	uint64_t rounds;
	_Alignas(64) _Atomic uint64_t go; /* how many rounds were begun */
	_Alignas(64) _Atomic unsigned int busy;
};

/* partner_team_start() - @size - 1 threads on the CPUs next to the measuring
 * one.  Return: as of partner_start(). */
int partner_team_start(struct bench *b, struct partner_team *team,
		       unsigned int size, partner_round_fn *fn, void *arg);

/* partner_team_run() - let all do @rounds; returns when all have.
 * partner_team_go(), partner_team_wait() - the same for all but the measuring
 * thread, which can do something else between. */
void partner_team_run(struct partner_team *team, uint64_t rounds);
void partner_team_go(struct partner_team *team, uint64_t rounds);
void partner_team_wait(struct partner_team *team);

/* partner_team_stop() - a zeroed team is fine. */
void partner_team_stop(struct partner_team *team);

#endif
