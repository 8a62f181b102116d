/* SPDX-License-Identifier: MIT */
#ifndef CLOCK_CHECKS_H
#define CLOCK_CHECKS_H

#include <stdint.h>

#include "partner.h"

/*
 * Can the time-stamp counter be trusted as a clock?  None of these prints or
 * judges; all read the TSC with LFENCE around it.
 */

/**
 * clock_backward() - read the TSC @reads times on the calling CPU.
 * @last: a value read before, maybe on another CPU, which no read may be
 *	  below; gets the last one.
 *
 * Return: how often a read was not greater than the one before.
 */
uint64_t clock_backward(uint64_t reads, uint64_t *last);

/* Bounds of (TSC of the other CPU) - (TSC of this one), ticks. */
struct clock_offset {
	int64_t low, high;
	uint64_t rounds;
};

/**
 * clock_offset() - ping-pong with a thread on CPU @cpu.
 * @limit_ns: end after that time; @rounds: or after that many rounds.
 *
 * The other side reads its TSC between two reads of this side, so each round
 * confines the offset; the bounds are what all rounds leave.
 *
 * Return: 0, -ETIMEDOUT if it never answered, or as of partner_start().
 */
int clock_offset(struct bench *b, struct clock_offset *o, int cpu,
		 uint64_t rounds, uint64_t limit_ns);

/* The TSC and CLOCK_MONOTONIC_RAW at one moment, as nearly as can be. */
struct clock_pair {
	uint64_t ticks, ns;
	uint64_t width_ns; /* the two were read within this time */
};

/* clock_pair_read() - the tightest of @tries sandwiches. */
void clock_pair_read(struct clock_pair *p, unsigned int tries);

#endif
