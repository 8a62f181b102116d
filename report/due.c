/* SPDX-License-Identifier: MIT */
#include "due.h"

#include <math.h>

#define HALVINGS 40 /* of e^-20 to e^20, where what fits the time is sought */

/* The rounds that bring the rows of @p within the goal. */
static double needed(const struct due_program *p, const struct due_rule *rule)
{
	const double ratio = p->half / rule->goal;

	if (isnan(p->half) || !p->looked)
		return 0;
	return fmin(rule->most,
		    fmax(rule->least, ceil(p->looked * ratio * ratio)));
}

/* The rounds that @p is still to have where time is @plenty: as many as it
 * needs if that is infinite. */
static double more(const struct due_program *p, const struct due_rule *rule,
		   double plenty)
{
	/* Without an interval the error may be as great as the value. */
	const double error = fmin(1, p->half) * sqrt(p->looked);
	const double share = plenty * pow(error / p->seconds, 2.0 / 3);

	return fmax(0, fmin(needed(p, rule), fmax(rule->least, floor(share))) -
			       p->rounds);
}

static double cost(const struct due_program *p, size_t n,
		   const struct due_rule *rule, double plenty)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += p[i].seconds * more(&p[i], rule, plenty);
	return sum;
}

/* How much the time left is: INFINITY is enough for all that is needed. */
static double plenty(const struct due_program *p, size_t n,
		     const struct due_rule *rule)
{
	double low = -HALVINGS / 2.0, high = HALVINGS / 2.0;

	if (cost(p, n, rule, INFINITY) <= rule->left_s)
		return INFINITY;
	for (int i = 0; i < HALVINGS; i++) {
		const double middle = (low + high) / 2;

		if (cost(p, n, rule, exp(middle)) <= rule->left_s)
			low = middle;
		else
			high = middle;
	}
	return exp(low);
}

void due_look(struct due_program *p, const struct due_rule *rule,
	      double (*half)(const void *arg, unsigned int rounds),
	      const void *arg)
{
	unsigned int next = rule->first;

	p->looked = 0;
	p->half = NAN;
	while (next > p->looked && next <= p->rounds) {
		p->half = half(arg, next);
		p->looked = next;
		next = (unsigned int)needed(p, rule);
	}
}

size_t due_choose(struct due_program *p, size_t n, const struct due_rule *rule,
		  unsigned int round)
{
	const double much = plenty(p, n, rule);
	double rounds = 0;
	size_t due = 0;

	for (size_t i = 0; i < n; i++)
		rounds = fmax(rounds, more(&p[i], rule, much));
	for (size_t i = 0; i < n; i++) {
		const double left = more(&p[i], rule, much);

		p[i].due = rule->left_s > 0 && left > 0 &&
			   (round - p[i].last) * left >= rounds;
		due += p[i].due;
	}
	return due;
}
