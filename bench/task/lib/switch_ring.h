/* SPDX-License-Identifier: MIT */
#ifndef SWITCH_RING_H
#define SWITCH_RING_H

#include <stddef.h>
#include <stdint.h>

#include "partner.h"
#include "switch_link.h"

/*
 * A ring of processes on one CPU that pass a token through pipes, each reading
 * its own memory before it passes the token on (lmbench's lat_ctx).  Member 0
 * is the measuring process.  Members are made as they are needed and kept, for
 * the token says how many of them take part.
 */
#define SWITCH_RING_MAX 96

struct switch_ring {
	unsigned int room; /* members that there are pipes for; 0: closed */
	unsigned int made; /* members that run, with member 0 */
	int cpu;
	size_t bytes; /* of memory that each member has */
	struct partner member[SWITCH_RING_MAX]; /* but the measuring one */
	int fd[SWITCH_RING_MAX][2];		/* what member i reads from */
	int solo[SWITCH_RING_MAX][2]; /* the same, for one process alone */
	char *memory;	/* as many pieces of it as there are members */
	size_t touched; /* bytes of it that are there */
	struct switch_account *account; /* of each member, shared */
};

/* What a lap is like. */
struct switch_lap {
	unsigned int members;
	unsigned int bytes; /* that each member reads */
};

/**
 * switch_ring_open() - make pipes for @members; no process yet.
 * @bytes: the most that a member will read in a lap.
 *
 * Return: 0, or what bench_fail() or bench_skip() gave: then it is closed.
 */
int switch_ring_open(struct bench *b, struct switch_ring *r,
		     unsigned int members, size_t bytes);

/* switch_ring_grow() - see that at least @members run, pinned to this CPU.
 * Return: 0, bench_fail(), or bench_skip() where limits do not allow it. */
int switch_ring_grow(struct bench *b, struct switch_ring *r,
		     unsigned int members);

/* switch_ring_run() - @laps laps.  Return: 0 or bench_fail(). */
int switch_ring_run(struct bench *b, struct switch_ring *r,
		    struct switch_lap lap, unsigned int laps);

/* switch_ring_touch() - see that this process's memory for @lap is there, of
 * @all members or of its own only: reading pages that were never written would
 * read one page of zeros. */
void switch_ring_touch(struct switch_ring *r, struct switch_lap lap, bool all);

/* switch_ring_alone() - the calls and the reading of @laps laps, by this
 * process alone through pipes of its own: nobody waits and nobody switches.
 * Return: 0 or -errno. */
int switch_ring_alone(struct switch_ring *r, struct switch_lap lap,
		      unsigned int laps);

/* switch_ring_account() - one lap in which each member counts its context
 * switches; @sum: of the lap's members so far.  Between two of these with n
 * laps are the switches of n + 1.  Return: 0 or bench_fail(). */
int switch_ring_account(struct bench *b, struct switch_ring *r,
			struct switch_lap lap, struct switch_account *sum);

/* switch_ring_close() - kill and reap all, close all. */
void switch_ring_close(struct switch_ring *r);

#endif
