/* SPDX-License-Identifier: MIT */
#ifndef STATES_H
#define STATES_H

#include <stdbool.h>

#include "result.h"
#include "units.h"

/*
 * Rounds that fall in two groups: the machine was in one of two states (the
 * host moved a virtual CPU, a huge page could be had or not).  Their median is
 * of one group or the other by chance, so both levels are reported.
 */
#define STATES_MAX (4 * UNITS_MAX + 16)

struct states {
	double low, high;     /* medians of the groups */
	size_t n_low, n_high; /* rounds in them */
	double below, above;  /* ends of the gap; of states_find() alone */
};

/**
 * states_find() - divide @values at their widest gap.
 * @values: @n finite ones; sorted in place.
 *
 * They are two groups if all values are above 0, the least of the upper group
 * is at least STATES_GAP times the greatest of the lower one, and each group
 * has two values or more, and a fifth of all or more.  Normal values with a
 * deviation of 10 % or less never look so (tests/unit/test_states.c).
 */
#define STATES_GAP   1.4
#define STATES_LEAST 2
bool states_find(struct states *s, double *values, size_t n);

/* states_apply() - whether rows of that unit can have states: numbers of levels
 * have none between them. */
bool states_apply(const char *unit);

/* The value of the key "states" of a row; and read from a row, false if it has
 * none. */
json_t *states_json(const struct states *s);
bool states_of(struct states *s, const struct result *r);

/* states_share() - of the rounds of one group, "80 %". */
const char *states_share(char buf[UNITS_MAX], const struct states *s, size_t n);

/* states_text() - "98.2 ns (80 %) or 420 ns (20 %)"; NULL if @r has no two
 * states.  Return: @buf. */
const char *states_text(char buf[STATES_MAX], const struct result *r);

#endif
