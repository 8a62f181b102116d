/* SPDX-License-Identifier: MIT */
#ifndef ESTIMATES_H
#define ESTIMATES_H

#include "predictions.h"
#include "rowtable.h"

/* An estimate by a rule, in the operation's unit; NAN where there is none. */
struct estimate {
	double base, software, predicted;
	const char
		*words; /* the rule; or, without an estimate, what it lacks */
};

struct estimates {
	struct estimate *v; /* one for each operation, in their order */
	size_t n;
};

/**
 * estimates_make() - by the `estimate` lines of @table: of an operation the
 * first counts whose condition holds and whose figures this run has.
 * The estimate of one may be part of another's.
 */
void estimates_make(struct estimates *e, const struct rowtable *table,
		    const struct operations *ops, const struct run *run);

#endif
