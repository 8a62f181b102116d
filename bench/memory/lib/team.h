/* SPDX-License-Identifier: MIT */
#ifndef TEAM_H
#define TEAM_H

#include "partner.h"

/*
 * Threads on CPUs of their own that do the same work at the same time, the
 * measuring thread among them.  They spin between rounds, so that a round
 * begins at once.
 */
#define TEAM_MOST 512

/* team_most() - as many as there can be here, the measuring one among them. */
static inline unsigned int team_most(const struct bench *b)
{
	return bench_cpus(b) < TEAM_MOST ? bench_cpus(b) : TEAM_MOST;
}

/* Does @rounds of the work; @member is 0 for the measuring thread. */
typedef void team_fn(void *arg, unsigned int member, uint64_t rounds);

struct team {
	struct partner member[TEAM_MOST];
	unsigned int size; /* with the measuring thread; 0: not started */
	team_fn *fn;
	void *arg;
	uint64_t rounds;
	_Alignas(64) _Atomic uint64_t go; /* how many rounds were begun */
	_Alignas(64) _Atomic unsigned int busy;
};

/* team_start() - @size - 1 threads on the CPUs next to the measuring
 * one.  Return: as of partner_start(). */
int team_start(struct bench *b, struct team *team, unsigned int size,
	       team_fn *fn, void *arg);

/* team_run() - let all do @rounds; returns when all have.
 * team_go(), team_wait() - the same for all but the measuring
 * thread, which can do something else between. */
void team_run(struct team *team, uint64_t rounds);
void team_go(struct team *team, uint64_t rounds);
void team_wait(struct team *team);

/* team_stop() - a zeroed team is fine. */
void team_stop(struct team *team);

#endif
