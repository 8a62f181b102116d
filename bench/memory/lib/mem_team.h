/* SPDX-License-Identifier: MIT */
#ifndef MEM_TEAM_H
#define MEM_TEAM_H

#include <stdatomic.h>
#include <stdint.h>

#include "bench.h"
#include "sync_thread.h"

/*
 * Threads on CPUs of their own that do the same work at the same time, the
 * measuring thread among them.  They wait for it by spinning, so that a round
 * begins at once; they sleep between mem_team_begin() ... mem_team_end().
 */
#define MEM_TEAM_MAX 512

/* Does @rounds of the work; @member is 0 for the measuring thread. */
typedef void mem_team_fn(void *arg, unsigned int member, uint64_t rounds);

struct mem_team;

struct mem_member {
	struct sync_thread thread;
	struct mem_team *team;
	unsigned int number;
};

struct mem_team {
	struct mem_member member[MEM_TEAM_MAX];
	unsigned int size; /* with the measuring thread; 0: not begun */
	mem_team_fn *fn;
	void *arg;
	uint64_t rounds;
	_Alignas(64) _Atomic uint64_t go; /* how many rounds were begun */
	_Alignas(64) _Atomic unsigned int busy;
};

/**
 * mem_team_begin() - put @size - 1 threads on the CPUs next to the measuring
 * one, waiting for work.
 *
 * Return: 0, -ERANGE if there are not so many CPUs, or -errno.  End it in any
 * case with mem_team_end().
 */
int mem_team_begin(struct mem_team *team, const struct bench *b,
		   unsigned int size, mem_team_fn *fn, void *arg);

/* mem_team_run() - let all do @rounds; returns when all have. */
void mem_team_run(struct mem_team *team, uint64_t rounds);

/* mem_team_start(), mem_team_wait() - the same for all but the measuring
 * thread, which can do something else between. */
void mem_team_start(struct mem_team *team, uint64_t rounds);
void mem_team_wait(struct mem_team *team);

/* mem_team_end() - the threads sleep.  A zeroed team is fine. */
void mem_team_end(struct mem_team *team);

/* mem_team_close() - the threads are gone.  A zeroed team is fine. */
void mem_team_close(struct mem_team *team);

#endif
