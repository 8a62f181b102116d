/* SPDX-License-Identifier: MIT */
#ifndef GRADE_H
#define GRADE_H

#include <stdbool.h>

#include "result.h"

/*
 * The grade of a value: how far the value of another run of the same kind may
 * lie from it.  A: within 2 %, B: 5 %, C: 10 %, D: further, or not to be
 * relied on.
 */
#define GRADE_WORST 'D'
#define GRADE_WORDS "another run within 2 % (A), 5 % (B), 10 % (C), or not (D)"

/* grade_bound() - the distance that @letter stands for, as a share of the
 * value; infinite for the worst. */
double grade_bound(char letter);

/* grade_halfwidth() - half the 95 % interval of @r, as a share of its value;
 * NAN if there is no interval. */
double grade_halfwidth(const struct result *r);

/* grade_applies() - whether another run would give another value: not of what
 * has none, of a level, which is a word, and of what lies between two tries. */
bool grade_applies(const struct result *r);

/**
 * grade_set() - set @r->within and @r->grade; its tags, interval, states and
 * trend are there.
 * @between: how far earlier runs of this machine lay; NAN: none are known.
 *
 * The difference of two medians is sqrt(2) times as uncertain as each of them.
 * Without an interval there is no grade, but the worst where the samples
 * themselves are in doubt.
 *
 * Return: 0 or -ENOMEM.
 */
int grade_set(struct result *r, double between);

/* grade_doubt() - why the grade of @r is worse than its interval: a new string,
 * NULL if it is not. */
char *grade_doubt(const struct result *r);

/* noise_word() - of a CPU of whose time others took the share @lost: quiet
 * (under 0.1 %), nearly quiet (1 %), noisy (5 %) or very noisy. */
const char *noise_word(double lost);

#endif
