/* SPDX-License-Identifier: MIT */
#ifndef DUE_H
#define DUE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Choose the programs of the next round of a run: time goes to those whose rows
 * are not certain yet.
 *
 * Intervals shrink with the root of the number of rounds, so the widest one of
 * a program's rows tells how many rounds bring it within a goal.  They are
 * looked at again only when the program has had these: a look after each round
 * would end at the round that happens to have a narrow interval, and fewer than
 * 95 % of the intervals would hold the true median (simulated in
 * tests/unit/test_report_due.c).  If the time left is not enough for all, it is
 * divided as a program divides its own among cases (harness/visit/program.h),
 * so that the sum of the errors is least: rounds grow with (error / seconds) to
 * the power of 2/3.  The rounds left to a program are spread evenly over those
 * to come.
 */
struct due_program {
	unsigned int rounds; /* that it had; at least 1 */
	unsigned int last;   /* number of the last one, counted from 1 */
	double seconds;	     /* that one takes */
	unsigned int looked; /* rounds at the last look; 0: none yet */
	double half;	     /* what it saw: widest half of an interval, of its
				value; INFINITY: a row has none; NAN: no row */
	bool due;	     /* out */
};

struct due_rule {
	double goal;		  /* for half */
	double left_s;		  /* time; INFINITY: no limit */
	unsigned int first;	  /* rounds at the first look */
	unsigned int least, most; /* rounds that each program has */
};

/* due_look() - set looked and half of @p; @half gives the latter for its first
 * @rounds rounds. */
void due_look(struct due_program *p, const struct due_rule *rule,
	      double (*half)(const void *arg, unsigned int rounds),
	      const void *arg);

/* due_choose() - set which of @n programs are due in @round.  Return: how
 * many; 0 ends the run. */
size_t due_choose(struct due_program *p, size_t n, const struct due_rule *rule,
		  unsigned int round);

#endif
