/* SPDX-License-Identifier: MIT */
#include "due.h"

#include <math.h>

#define HALVINGS 40 /* of the interval that the goal is sought in */

/* The rounds that @p has at the end if its rows are to come within @goal. */
static double wanted(const struct due_program *p, const struct due_rule *rule,
		     double goal)
{
	const double ratio = p->half / goal;

	if (isnan(p->half) || !p->looked)
		return 0;
	return fmin(rule->most,
		    fmax(rule->least, ceil(p->looked * ratio * ratio)));
}

/* The rounds that @p is still to have. */
static double more(const struct due_program *p, const struct due_rule *rule,
		   double goal)
{
	return fmax(0, wanted(p, rule, goal) - p->rounds);
}

static double cost(const struct due_program *p, size_t n,
		   const struct due_rule *rule, double goal)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += p[i].seconds * more(&p[i], rule, goal);
	return sum;
}

/* The narrowest goal that the time left is enough for; INFINITY: none is. */
static double attainable(const struct due_program *p, size_t n,
			 const struct due_rule *rule)
{
	double low = log(rule->goal), high = low + HALVINGS;

	if (cost(p, n, rule, rule->goal) <= rule->left_s)
		return rule->goal;
	if (cost(p, n, rule, INFINITY) > rule->left_s)
		return INFINITY;
	for (int i = 0; i < HALVINGS; i++) {
		const double middle = (low + high) / 2;

		if (cost(p, n, rule, exp(middle)) <= rule->left_s)
			high = middle;
		else
			low = middle;
	}
	return exp(high);
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
		next = (unsigned int)wanted(p, rule, rule->goal);
	}
}

size_t due_choose(struct due_program *p, size_t n, const struct due_rule *rule,
		  unsigned int round)
{
	const double goal = attainable(p, n, rule);
	double rounds = 0;
	size_t due = 0;

	for (size_t i = 0; i < n; i++)
		rounds = fmax(rounds, more(&p[i], rule, goal));
	for (size_t i = 0; i < n; i++) {
		const double left = more(&p[i], rule, goal);

		p[i].due = rule->left_s > 0 && left > 0 &&
			   (round - p[i].last) * left >= rounds;
		due += p[i].due;
	}
	return due;
}
