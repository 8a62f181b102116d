/* SPDX-License-Identifier: MIT */
#ifndef CERTIFY_CHECKS_H
#define CERTIFY_CHECKS_H

#include "bench.h"
#include "clock_checks.h"
#include "ensemble.h"

/* Self-tests of the clock: cases check=... of certify. */
enum certify_check {
	CHECK_MONOTONIC,
	CHECK_OFFSET,
	CHECK_DRIFT,
	CHECK_FENCE,
	CHECK_TRAP,
	CHECK_QUANTUM,
	CHECKS
};

struct certify_check_name {
	const char *name, *unit;
	enum bench_better better;
};

const struct certify_check_name *certify_check_name(enum certify_check check);

/**
 * certify_check() - do it, derive the value of @c, add what the results lose
 * if it fails as the fact "verdict".
 * @start: read when the program began; check=drift looks back to it.
 */
void certify_check(struct bench *b, const struct bench_case *c,
		   enum certify_check check, const struct clock_pair *start);

/* certify_clock() - step (rounded up) and rate of the TSC; seen_pct is 0. */
struct ensemble_clock certify_clock(const struct bench *b);

#endif
