/* SPDX-License-Identifier: MIT */
#include "due.h"

#include <math.h>
#include <stdio.h>

#include "commands.h"
#include "err.h"
#include "load.h"
#include "text.h"

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

static double half_after(const void *section, unsigned int rounds)
{
	return rounds_half(section, rounds);
}

static struct due_rule rule_of(const struct settings *set)
{
	return (struct due_rule) {
		command_share(set->goal, -1),
		set->left < UINT32_MAX ? (double)set->left / 1e3 : INFINITY,
		(unsigned int)set->first,
		(unsigned int)set->least,
		(unsigned int)set->most,
	};
}

/* The programs of the next round, one a line. */
static int list_due(const struct settings *set, struct run *run)
{
	const struct due_rule rule = rule_of(set);
	struct due_program *p = text_alloc(run->nsections, sizeof(*p));
	unsigned int round = 0;

	notes_warn(run->notes);
	for (size_t i = 0; i < run->nsections; i++) {
		const struct section *s = &run->sections[i];

		p[i] = (struct due_program) { .rounds = s->rounds,
					      .last = s->last,
					      .seconds = s->seconds };
		due_look(&p[i], &rule, half_after, s);
		if (round < s->last)
			round = s->last;
	}
	due_choose(p, run->nsections, &rule, round + 1);
	for (size_t i = 0; i < run->nsections; i++)
		if (p[i].due) {
			text_plain(stdout, run->sections[i].program);
			putchar('\n');
		}
	return EXIT_OK;
}

int command_due(const struct settings *set, char **names)
{
	if (!(rule_of(set).goal > 0)) {
		warn("--goal: a number of percent, more than 0");
		return EXIT_USAGE;
	}
	return command_with_run(set, names[0], !set->all, list_due);
}
