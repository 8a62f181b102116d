/* SPDX-License-Identifier: MIT */
/* The loop that takes and gives a lock makes each call, adds each time and
 * counts the calls that failed, in all of its copies. */
/* NOLINTNEXTLINE(bugprone-suspicious-include) */
#include "../../bench/task/sync.c"
#include "tap.h"

/* Beyond this a Zen 4 takes longer for a call. */
#define FAR (1ull << 37)

struct lock {
	uint64_t taken, given;
	uint64_t fails_from; /* takings that fail, from this one on */
	int held, most_held;
};

static int take(void *p)
{
	struct lock *l = p;

	if (++l->held > l->most_held)
		l->most_held = l->held;
	return ++l->taken >= l->fails_from ? 11 : 0;
}

static int give(void *p)
{
	struct lock *l = p;

	l->held--;
	l->given++;
	return 0;
}

static void check(loop_fn *loop)
{
	struct lock l = { .fails_from = UINT64_MAX };
	uint64_t counter = 5;

	OK(loop(1000, take, give, &l, &counter) == 0, "no call failed");
	OK(l.taken == 1000 && l.given == 1000, "each call was made");
	OK(l.most_held == 1 && !l.held, "it was taken and given by turns");
	OK(counter == 1005, "each time was counted");
	l.fails_from = 1000 + 998;
	OK(loop(1000, take, give, &l, &counter) == 3, "three calls failed");
	OK(loop(1, give, take, &l, &counter) == 1, "the other call failed");
	OK(counter == 2006, "and was counted");
}

int main(void)
{
	static struct state s;

	open_loops(&s);
	OK(s.stride > 0, "there are copies");
	for (size_t i = 0; i < OPS; i++) {
		const uintptr_t at = (uintptr_t)loop_of(&ops[i], &s);
		const uintptr_t to = (uintptr_t)ops[0].take;

		OK((at < to ? to - at : at - to) < FAR, "it is near");
		OK(!i || loop_of(&ops[i], &s) != loop_of(&ops[i - 1], &s),
		   "it is a copy of its own");
		check(loop_of(&ops[i], &s));
	}
	return tap_done();
}
