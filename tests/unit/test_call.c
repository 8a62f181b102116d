/* SPDX-License-Identifier: MIT */
/* A loop makes as many calls as it says and counts those that went right; an
 * event is one; a case finds the row of its name. */
#include "call.h"
#include "tap.h"

struct state {
	uint64_t right;
	uint64_t made;
};

static int made(struct state *s)
{
	s->made++;
	return 1;
}

#define CALL_LOCALS struct state *const s CALL_LOCAL = state;
#define CALLS(X)                                                    \
	X(LOOP, second, made(s) && i % 2, s->made == iters)         \
	X(EACH, each, made(s), CALL_UNSEEN)                         \
	X(LOOP, each_pair, made(s) + made(s), s->made == 2 * iters) \
	X(EVENT, good, made(s), s->made == 1)                       \
	X(EVENT, bad, !made(s), CALL_UNSEEN)
CALL_FUNCTIONS(CALLS)
static const struct call calls[] = CALL_ROWS(CALLS);

static const struct call *row(struct bench_case *c, const char *first,
			      const char *second)
{
	*c = (struct bench_case) {
		.params = { { "a", BENCH_STR, .text = first } }, .ops = 3
	};
	if (second)
		c->params[1] =
			(struct bench_param) { "b", BENCH_STR, .text = second };
	return call_choose(c, calls) ? call_of(c) : NULL;
}

int main(void)
{
	struct state s = { 0 };
	struct bench_case c;
	uint64_t ticks = 0;

	OK(row(&c, "second", NULL) == &calls[0], "the row of one word");
	OK(!c.run(NULL, &s, &c, 10) && s.made == 10 && s.right == 5,
	   "10 calls, of which 5 went right");
	OK(calls[0].holds(&s, &c, 10) == 1 && calls[0].holds(&s, &c, 9) == 0,
	   "what must hold is looked at");

	s = (struct state) { 0 };
	OK(row(&c, "each", "other") == &calls[1], "a second word need not be");
	OK(!c.run(NULL, &s, &c, 10) && s.made == 30 && s.right == 30,
	   "three calls in an iteration");
	OK(calls[1].holds(&s, &c, 10) == CALL_UNSEEN, "nothing to look at");

	s = (struct state) { 0 };
	OK(row(&c, "each_pair", NULL) == &calls[2], "a word with a line in it");
	OK(!c.run(NULL, &s, &c, 10) && s.made == 20 && s.right == 20,
	   "two operations in a call");

	s = (struct state) { 0 };
	OK(row(&c, "good", NULL) == &calls[3] && !c.run,
	   "an event has no loop");
	OK(calls[3].time(&s, &c, TIMER_CLOCK, &ticks) && s.made == 1,
	   "one call, which went right");
	OK(!calls[4].time(&s, &c, TIMER_CLOCK, &ticks) && s.made == 2,
	   "one that did not");
	OK(!row(&c, "goo", "d") && !row(&c, "goods", NULL), "no such row");
	return tap_done();
}
