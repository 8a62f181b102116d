// SPDX-License-Identifier: MIT
#include "ensemble.h"

struct wide wide_mul(uint64_t a, uint64_t b)
{
	/* Schoolbook, in halves: a 32-bit machine has no wider product. */
	const uint64_t al = (uint32_t)a, ah = a >> 32;
	const uint64_t bl = (uint32_t)b, bh = b >> 32;
	const uint64_t low = al * bl;
	const uint64_t mid = ah * bl + (low >> 32); /* cannot carry out */
	const uint64_t mid2 = al * bh + (uint32_t)mid;
	struct wide r;

	r.hi = ah * bh + (mid >> 32) + (mid2 >> 32);
	r.lo = mid2 << 32 | (uint32_t)low;
	return r;
}

bool wide_add(struct wide *a, struct wide b)
{
	const uint64_t lo = a->lo + b.lo;
	const uint64_t carry = lo < a->lo;
	const uint64_t hi = a->hi + b.hi;
	const bool over = hi < b.hi || hi + carry < hi;

	a->lo = lo;
	a->hi = hi + carry;
	return over;
}

/* @a - @b, where @a >= @b. */
static struct wide wide_minus(struct wide a, struct wide b)
{
	a.hi -= b.hi + (a.lo < b.lo);
	a.lo -= b.lo;
	return a;
}

static bool wide_less(struct wide a, struct wide b)
{
	return a.hi < b.hi || (a.hi == b.hi && a.lo < b.lo);
}

uint64_t wide_div(struct wide *a, uint64_t d)
{
	uint64_t rest = 0;
	int i;

	/* Long division in bits.  It runs a few times for an ensemble, never
	 * for a sample. */
	for (i = 0; i < 128; i++) {
		const bool out = rest >> 63;

		rest = rest << 1 | a->hi >> 63;
		a->hi = a->hi << 1 | a->lo >> 63;
		a->lo <<= 1;
		if (out || rest >= d) {
			rest -= d;
			a->lo |= 1;
		}
	}
	return rest;
}

/* *@a *= @m.  Return: whether it did not fit. */
static bool wide_scale(struct wide *a, uint64_t m)
{
	const struct wide high = wide_mul(a->hi, m);
	struct wide r = wide_mul(a->lo, m);
	const struct wide carry = { high.lo, 0 };
	const bool over = wide_add(&r, carry);

	*a = r;
	return over || high.hi;
}

char *wide_print(char *text, struct wide a, unsigned int decimals)
{
	char digits[WIDE_TEXT];
	unsigned int n = 0;
	char *p = text;

	do {
		digits[n++] = (char)('0' + wide_div(&a, 10));
	} while (a.hi || a.lo || n <= decimals);
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
	const struct wide term = { 0, x };

	e->n++;
	if (x < e->min)
		e->min = x;
	if (x > e->max)
		e->max = x;
	e->overflow |= wide_add(&e->sum, term);
	e->overflow |= wide_add(&e->squares, wide_mul(x, x));
}

struct wide ensemble_variance(struct ensemble *e, uint32_t scale)
{
	struct wide mean = e->sum, m = e->squares, t, v = { 0, 0 };
	uint64_t rest, b;

	if (!e->n || e->n >> 32) {
		/* n^2 must fit 64 bits below. */
		e->overflow |= e->n != 0;
		return v;
	}
	/*
	 * With sum = mean n + rest, the squared distances from `mean` add up
	 * to M = squares - n mean^2 - 2 mean rest, exactly, and
	 * variance = (n M - rest^2) / n^2.  Split M = a n + b to stay in 128
	 * bits: variance = a + (n b - rest^2) / n^2.
	 */
	rest = wide_div(&mean, e->n);
	t = wide_mul(mean.lo, mean.lo);
	(void)wide_scale(&t, e->n); /* at most squares: fits if they did */
	m = wide_minus(m, t);
	t = wide_mul(mean.lo, 2 * rest);
	m = wide_minus(m, t);
	b = wide_div(&m, e->n);

	v = wide_mul(e->n, b);
	t = wide_mul(rest, rest);
	if (wide_less(v, t)) {
		/* Borrow one from a: n^2 over n^2. */
		const struct wide one = wide_mul(e->n, e->n);
		const struct wide unit = { 0, 1 };

		(void)wide_add(&v, one);
		m = wide_minus(m, unit);
	}
	v = wide_minus(v, t);
	(void)wide_scale(&v, scale); /* < n^2 scale <= 2^96 */
	(void)wide_div(&v, e->n * e->n);
	e->overflow |= wide_scale(&m, scale);
	e->overflow |= wide_add(&v, m);
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
	s->broken |= e->overflow || row->variance_milli.hi;

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
	f->max_min = s->minima.max;
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
	struct wide tenth_us = { 0, tick_hz };

	(void)wide_div(&tenth_us, 10000000);
	return 2 * min + tenth_us.lo;
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

	*r = (struct ensemble_resolution) { .first = 0 };
	for (j = 1; j < n && !r->first; j++)
		if (minima[j] > minima[0])
			r->first = j;
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
	struct wide stores = wide_mul(quantum, core_hz);
	const struct wide one = { 0, 1 };

	if (wide_div(&stores, tick_hz))
		(void)wide_add(&stores, one);
	return wide_u64(stores);
}

/* The least t with t^2 >= @square. */
static uint64_t root_up(struct wide square)
{
	uint64_t t = 0, bit;

	if (!square.hi && !square.lo)
		return 0;
	for (bit = 1ull << 63; bit; bit >>= 1)
		if (wide_less(wide_mul(t | bit, t | bit), square))
			t |= bit;
	return t + 1;
}

uint64_t ensemble_shortest(struct wide variance_milli, uint32_t parts)
{
	const struct wide one = { 0, 1 };
	struct wide square = variance_milli;

	if (wide_scale(&square, (uint64_t)parts * parts))
		return (uint64_t)-1;
	if (wide_div(&square, ENSEMBLE_MILLI))
		(void)wide_add(&square, one);
	return root_up(square);
}

struct wide ensemble_worst(const struct ensemble_figures *f)
{
	struct wide worst = { 0, root_up(f->var_of_variances_micro) };

	(void)wide_scale(&worst, 2);
	(void)wide_add(&worst, f->total_variance_milli);
	return worst;
}

/* Whether the variance goes up and down from ensemble to ensemble. */
static bool variance_moves(const struct ensemble_figures *f, uint64_t quantum)
{
	const uint64_t total = wide_u64(f->total_variance_milli);
	const uint64_t own = 250 * quantum * quantum;
	struct wide four = f->var_of_variances_micro;

	if (wide_scale(&four, 4))
		return true;
	return wide_less(wide_mul(total, total), four) &&
	       wide_less(wide_mul(own, own), f->var_of_variances_micro);
}

unsigned int ensemble_judge(const struct ensemble_figures *empty,
			    const struct ensemble_figures *loop,
			    const struct ensemble_clock *clock)
{
	const struct wide step =
		wide_mul(clock->quantum * clock->quantum, ENSEMBLE_MILLI);
	struct wide us = { 0, clock->hz };
	unsigned int faults = 0;

	(void)wide_div(&us, 1000000);
	if (empty->broken || loop->broken)
		faults |= ENSEMBLE_BROKEN;
	if (clock->seen_pct < 80)
		faults |= ENSEMBLE_CUTS_SHORT;
	if (clock->seen_pct > 125)
		faults |= ENSEMBLE_READS_LONG;
	if (wide_less(step, empty->var_of_minima_milli))
		faults |= ENSEMBLE_MINIMUM_MOVES;
	if (ensemble_shortest(ensemble_worst(empty), 20) > us.lo)
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
	 * offset nobody can say how much of the chain was seen. */
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
