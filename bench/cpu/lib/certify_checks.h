/* SPDX-License-Identifier: MIT */
#ifndef CERTIFY_CHECKS_H
#define CERTIFY_CHECKS_H

#include "arch.h"
#include "bench.h"
#include "clock_checks.h"
#include "ensemble.h"

/* Self-tests of the clock. */
#define CERTIFY_CHECKS                                                \
	"check={monotonic,offset,drift,fence," ARCH_TRAP ",quantum};" \
	"is derived; needs $tsc; is unit='1' if check=monotonic;"     \
	"is unit=ppm if check=drift; is unit='%' higher if check=fence;"

/**
 * certify_check() - do it, derive the value of @c, add what the results lose
 * if it fails as the fact "verdict".
 * @start: read when the program began; check=drift looks back to it.
 */
void certify_check(struct bench *b, const struct bench_case *c,
		   const struct clock_pair *start);

/* certify_clock() - step (rounded up) and rate of the TSC; seen_pct is 0. */
struct ensemble_clock certify_clock(const struct bench *b);

#endif
