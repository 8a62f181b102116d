// SPDX-License-Identifier: MIT
#include "ensemble.h"

uint64_t wide_div(wide *a, uint64_t d)
{
	uint64_t rest = 0;
	int i;

	/* Long division in bits.  It runs a few times for an ensemble, never
	 * for a sample. */
	for (i = 0; i < 128; i++) {
		const bool out = rest >> 63;

		rest = rest << 1 | (uint64_t)(*a >> 127);
		*a <<= 1;
		if (out || rest >= d) {
			rest -= d;
			*a |= 1;
		}
	}
	return rest;
}

char *wide_print(char *text, wide a, unsigned int decimals)
{
	char digits[WIDE_TEXT];
	unsigned int n = 0;
	char *p = text;

	do {
		digits[n++] = (char)('0' + wide_div(&a, 10));
	} while (a || n <= decimals);
	while (n) {
		if (n-- == decimals)
			*p++ = '.';
		*p++ = digits[n];
	}
	*p = 0;
	return text;
}

void ensemble_start(struct ensemble *e)
{
	*e = (struct ensemble) { .min = (uint64_t)-1 };
}

void ensemble_add(struct ensemble *e, uint64_t x)
{
	e->n++;
	if (x < e->min)
		e->min = x;
	if (x > e->max)
		e->max = x;
	e->overflow |= __builtin_add_overflow(e->sum, x, &e->sum);
	e->overflow |=
		__builtin_add_overflow(e->squares, (wide)x * x, &e->squares);
}

wide ensemble_variance(struct ensemble *e, uint32_t scale)
{
	wide mean = e->sum, m, v, t;
	uint64_t rest;

	if (!e->n || e->n >> 32) {
		/* n^2 must fit 64 bits below. */
		e->overflow |= e->n != 0;
		return 0;
	}
	/*
	 * With sum = mean n + rest, the squared distances from `mean` add up
	 * to M = squares - n mean^2 - 2 mean rest, exactly, and
	 * variance = (n M - rest^2) / n^2.  Split M = a n + b to stay in 128
	 * bits: variance = a + (n b - rest^2) / n^2.
	 */
	rest = wide_div(&mean, e->n);
	m = e->squares - e->n * mean * mean - 2 * mean * rest;
	v = (wide)e->n * wide_div(&m, e->n);
	t = (wide)rest * rest;
	if (v < t) {
		/* Borrow one from a: n^2 over n^2. */
		v += (wide)e->n * e->n;
		m--;
	}
	v = (v - t) * scale; /* < n^2 scale <= 2^96 */
	(void)wide_div(&v, e->n * e->n);
	e->overflow |= __builtin_mul_overflow(m, scale, &m);
	e->overflow |= __builtin_add_overflow(v, m, &v);
	return v;
}

void ensemble_series_start(struct ensemble_series *s, uint64_t quantum)
{
	*s = (struct ensemble_series) { .quantum = quantum };
	ensemble_start(&s->variances);
	ensemble_start(&s->minima);
}

void ensemble_series_add(struct ensemble_series *s, struct ensemble *e,
			 struct ensemble_row *row)
{
	*row = (struct ensemble_row) { .min = 0 };
	if (!e->n) {
		s->broken = true;
		return;
	}
	row->variance_milli = ensemble_variance(e, ENSEMBLE_MILLI);
	row->max_deviation = e->max - e->min;
	row->min = e->min;
	s->broken |= e->overflow || row->variance_milli >> 64;

	if (s->minima.n && e->min < s->previous_min) {
		s->spurious++;
		s->drops += s->previous_min - e->min > s->quantum;
	}
	s->previous_min = e->min;
	if (row->max_deviation > s->max_deviation)
		s->max_deviation = row->max_deviation;
	ensemble_add(&s->variances, wide_u64(row->variance_milli));
	ensemble_add(&s->minima, e->min);
}

void ensemble_series_close(struct ensemble_series *s,
			   struct ensemble_figures *f)
{
	*f = (struct ensemble_figures) { .ensembles = s->minima.n };
	f->broken = s->broken || !f->ensembles;
	if (!f->ensembles)
		return;
	f->min = s->minima.min;
	f->spurious = s->spurious;
	f->drops = s->drops;
	f->total_variance_milli = s->variances.sum;
	(void)wide_div(&f->total_variance_milli, f->ensembles);
	f->max_deviation = s->max_deviation;
	f->var_of_variances_micro = ensemble_variance(&s->variances, 1);
	f->var_of_minima_milli = ensemble_variance(&s->minima, ENSEMBLE_MILLI);
	f->broken |= s->variances.overflow || s->minima.overflow;
}

uint64_t ensemble_bound(uint64_t min, uint64_t tick_hz)
{
	return 2 * min + tick_hz / 10000000;
}

/* Shell's sort: short, and no recursion on the kernel's small stack. */
static void sort_numbers(uint64_t *x, size_t n)
{
	size_t gap, i, j;

	for (gap = n / 2; gap; gap = gap == 2 ? 1 : gap * 5 / 11) {
		for (i = gap; i < n; i++) {
			const uint64_t v = x[i];

			for (j = i; j >= gap && x[j - gap] > v; j -= gap)
				x[j] = x[j - gap];
			x[j] = v;
		}
	}
}

void ensemble_resolve(struct ensemble_resolution *r, const uint64_t *minima,
		      size_t n, uint64_t *scratch)
{
	size_t s, j, rises;

	*r = (struct ensemble_resolution) { .instructions = 0 };
	/* Steps of up to half of the series: beyond that there are too few
	 * places to judge by. */
	for (s = 1; s <= n / 2; s++) {
		rises = 0;
		for (j = 0; j + s < n; j++)
			if (minima[j + s] > minima[j])
				scratch[rises++] = minima[j + s] - minima[j];
		if (rises * 10 < (n - s) * 9)
			continue;
		sort_numbers(scratch, rises);
		r->instructions = s;
		r->ticks = scratch[rises / 2];
		return;
	}
}

uint64_t ensemble_step(uint64_t quantum, uint64_t core_hz, uint64_t tick_hz)
{
	wide stores = (wide)quantum * core_hz + tick_hz - 1;

	(void)wide_div(&stores, tick_hz);
	return wide_u64(stores);
}

/* The least t with t^2 >= @square. */
static uint64_t root_up(wide square)
{
	uint64_t t = 0, bit;

	if (!square)
		return 0;
	for (bit = 1ull << 63; bit; bit >>= 1)
		if ((wide)(t | bit) * (t | bit) < square)
			t |= bit;
	return t + 1;
}

uint64_t ensemble_shortest(wide variance_milli, uint32_t parts)
{
	if (__builtin_mul_overflow(variance_milli, (wide)parts * parts,
				   &variance_milli))
		return (uint64_t)-1;
	if (wide_div(&variance_milli, ENSEMBLE_MILLI))
		variance_milli++;
	return root_up(variance_milli);
}

/* Total variance + 2 standard deviations of the variances, in thousandths of
 * ticks^2. */
static wide ensemble_worst(const struct ensemble_figures *f)
{
	return f->total_variance_milli +
	       2 * (wide)root_up(f->var_of_variances_micro);
}

/* Whether the variance goes up and down from ensemble to ensemble. */
static bool variance_moves(const struct ensemble_figures *f, uint64_t quantum)
{
	const wide total = wide_u64(f->total_variance_milli);
	const wide own = (wide)250 * quantum * quantum;

	return f->var_of_variances_micro > total * total / 4 &&
	       f->var_of_variances_micro > own * own;
}

unsigned int ensemble_judge(const struct ensemble_figures *empty,
			    const struct ensemble_figures *loop,
			    const struct ensemble_clock *clock)
{
	const wide step =
		(wide)(clock->quantum * clock->quantum) * ENSEMBLE_MILLI;
	unsigned int faults = 0;

	if (empty->broken || loop->broken)
		faults |= ENSEMBLE_BROKEN;
	if (clock->seen_pct < 80)
		faults |= ENSEMBLE_CUTS_SHORT;
	if (clock->seen_pct > 125)
		faults |= ENSEMBLE_READS_LONG;
	if (empty->var_of_minima_milli > step)
		faults |= ENSEMBLE_MINIMUM_MOVES;
	if (ensemble_shortest(ensemble_worst(empty), 20) > clock->hz / 1000000)
		faults |= ENSEMBLE_TOO_COARSE;
	if (loop->drops * 4 > loop->ensembles)
		faults |= ENSEMBLE_NOT_MONOTONIC;
	if (variance_moves(empty, clock->quantum))
		faults |= ENSEMBLE_VARIANCE_MOVES;
	return faults;
}

enum ensemble_verdict ensemble_verdict(unsigned int faults)
{
	if (!faults)
		return ENSEMBLE_ACCEPTED;
	if (faults == ENSEMBLE_VARIANCE_MOVES)
		return ENSEMBLE_CONDITIONAL;
	return ENSEMBLE_REJECTED;
}

const char *ensemble_why(unsigned int faults)
{
	/* First what makes the figures behind it meaningless: without an
	 * offset the seen part of the chain is unknown. */
	if (faults & ENSEMBLE_BROKEN)
		return "its figures overflowed or an ensemble was empty";
	if (faults & ENSEMBLE_MINIMUM_MOVES)
		return "its minimum is not constant: no offset to subtract";
	if (faults & ENSEMBLE_CUTS_SHORT)
		return "it does not wait for the measured code to end";
	if (faults & ENSEMBLE_READS_LONG)
		return "it reads known code as longer than it is";
	if (faults & ENSEMBLE_TOO_COARSE)
		return "code under 1 us cannot be measured to 5 %";
	if (faults & ENSEMBLE_NOT_MONOTONIC)
		return "longer code reads as shorter";
	if (faults & ENSEMBLE_VARIANCE_MOVES)
		return "its variance is not constant: a single sample has no "
		       "known error, batches have";
	return "constant minimum, constant variance";
}
