// SPDX-License-Identifier: MIT
#include "quantum.h"

#define ONE	QUANTUM_ONE
#define LONGEST (ONE - 2) /* and one more, in 16.16, still fits */

/* Steps of fewer ticks are not told from no step at all: within one tick of
 * their multiples lies nearly everything. */
#define LEAST_STEP 4

/* Parts of a tick, for the search. */
#define PARTS 16

/* Multiples that must have been seen before a broken step is believed. */
#define ENOUGH 6

static uint32_t gcd(uint32_t a, uint32_t b)
{
	while (b) {
		const uint32_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

void quantum_start(struct quantum *q)
{
	q->divisor = 0;
	q->n = 0;
	q->lengths = 0;
}

void quantum_add(struct quantum *q, uint64_t difference)
{
	uint32_t d, i, k;

	if (!difference || difference > LONGEST)
		return;
	d = (uint32_t)difference;
	q->n++;
	q->divisor = gcd(d, q->divisor);
	for (i = q->lengths; i && q->length[i - 1] > d; i--)
		;
	if ((i && q->length[i - 1] == d) || q->lengths == QUANTUM_LENGTHS)
		return;
	for (k = q->lengths++; k > i; k--)
		q->length[k] = q->length[k - 1];
	q->length[i] = d;
}

/* A step of more ticks leaves two neighbours at most between its multiples. */
bool quantum_is_fine(const struct quantum *q)
{
	uint32_t i;

	for (i = 2; q->divisor == 1 && i < q->lengths; i++)
		if (q->length[i] == q->length[i - 2] + 2)
			return true;
	return false;
}

/* The least distance between different lengths that are no neighbours. */
static uint32_t least_gap(const struct quantum *q)
{
	uint32_t least = q->lengths ? q->length[0] : 0;
	uint32_t i;

	for (i = 1; i < q->lengths; i++) {
		const uint32_t gap = q->length[i] - q->length[i - 1];

		if (gap > 1 && gap < least)
			least = gap;
	}
	return least;
}

/*
 * A step between @low and @high that explains every length, found by narrowing
 * down: length d is k steps if the step lies between (d - 1) / k and
 * (d + 1) / k.  In order of length, k is known each time from what the shorter
 * ones have left.  Return: ONE if there is none.
 */
static uint32_t explain(const struct quantum *q, uint32_t low, uint32_t high)
{
	uint32_t last = 0, multiples = 0;
	uint32_t i;

	for (i = 0; i < q->lengths; i++) {
		const uint32_t from = (q->length[i] - 1) * ONE;
		const uint32_t to = (q->length[i] + 1) * ONE;
		const uint32_t least = from / high + 1;
		const uint32_t most = (to - 1) / low;

		if (least > most)
			return ONE;
		if (least < most)
			continue;
		if (from / least > low)
			low = from / least;
		if (to / least < high)
			high = to / least;
		if (low >= high)
			return ONE;
		multiples += least != last;
		last = least;
	}
	return multiples < ENOUGH ? ONE : low + (high - low) / 2;
}

/*
 * The least distance is the step's, give or take what is cut off of both
 * lengths.  Tried in small parts of that range: a length of d can only be told
 * to be k steps if those of the part differ by less than one in it.  The
 * longest step explains most, so it comes first.
 */
static uint32_t broken_step(const struct quantum *q)
{
	const uint32_t gap = least_gap(q);
	uint32_t part, step = ONE;

	if (gap < LEAST_STEP || gap > LONGEST / 2)
		return ONE;
	for (part = 4 * PARTS; step == ONE && part > 0; part--)
		step = explain(q, (gap - 2) * ONE + (part - 1) * (ONE / PARTS),
			       (gap - 2) * ONE + part * (ONE / PARTS));
	return step;
}

uint32_t quantum_step(const struct quantum *q)
{
	if (q->divisor > 1)
		return q->divisor * ONE;
	return q->divisor && !quantum_is_fine(q) ? broken_step(q) : ONE;
}
