/* SPDX-License-Identifier: MIT */
#ifndef CALL_H
#define CALL_H

#include <string.h>

#include "bench.h"

/*
 * Tables of calls: what a benchmark times, one row each.
 *
 *	#define CALL_LOCALS struct state *const s CALL_LOCAL = state;
 *	#define CALLS(X)                                              \
 *		X(EVENT, munmap, !munmap(s->at, s->bytes), is_hole(s)) \
 *		X(LOOP, getppid, getppid() == s->ppid)
 *	CALL_FUNCTIONS(CALLS)
 *	static const struct call calls[] = CALL_ROWS(CALLS);
 *
 * makes a function for each row that times this call and nothing else, so that
 * nothing is chosen while the clock runs, and the table calls[] of them.  A row
 * has the kind (EVENT: one call, timed by itself; LOOP: as many as fill a
 * batch; EACH: the same with c->ops calls in an iteration), a name, the call,
 * and what must hold afterwards.
 *
 * The call is an expression: whether it went right (of a loop whose iteration
 * does c->ops operations: how many did).  It may use what CALL_LOCALS declares
 * from state and c, the case, before the interval; in a loop i, the iteration.
 * The condition that must hold is checked after each event or batch, outside
 * the interval; it may use CALL_LOCALS and iters (1 for an event); CALL_UNSEEN,
 * or nothing at all, where the call leaves nothing to look at.
 *
 * The state begins with `uint64_t right`, which is the engine's.  The case has
 * its row as @arg: call_use().
 *
 * Evidence: calls (that went right) and effects (that held).
 */
#define CALL_UNSEEN (-1)
#define CALL_LOCAL  __attribute__((unused)) /* in some rows */

struct call {
	const char *name;
	bench_run_fn *run; /* of a loop */
	/* For an event.  Return: whether it went right. */
	bool (*time)(void *state, const struct bench_case *c,
		     enum timer_method method, uint64_t *ticks);
	int (*holds)(void *state, const struct bench_case *c, uint64_t iters);
};

/* call_is_named() - as the text of the case's first parameter, or as those of
 * the first two joined by '_'.  call_use() - time @call for @c: fill in what
 * depends on it.  call_choose() - use the row of @table (which ends with an
 * empty one) of that name.  Return: whether there is one. */
bool call_is_named(const struct call *call, const struct bench_case *c);
void call_use(struct bench_case *c, const struct call *call);
bool call_choose(struct bench_case *c, const struct call *table);

static inline const struct call *call_of(const struct bench_case *c)
{
	return c->arg;
}

static inline bool call_is(const struct bench_case *c, const char *name)
{
	return !strcmp(call_of(c)->name, name);
}

/* call_sample() - the descriptor's sample(), for events: time the call, then
 * call_took(). */
int call_sample(struct bench *b, void *state, const struct bench_case *c);

/* call_took() - an event took @ticks, and went right if @good: record it, and
 * give the evidence.  Return: 0 or, with errno as it is, bench_fail(). */
int call_took(struct bench *b, void *state, const struct bench_case *c,
	      bool good, uint64_t ticks);

/* call_conclude() - its conclude(), for loops: give the evidence; nothing for
 * events. */
bench_conclude_fn call_conclude;

#define CALL_FUNCTIONS(ROWS) ROWS(CALL_FUNCTIONS_)
#define CALL_ROWS(ROWS)         \
	{                       \
		ROWS(CALL_ROW_) \
		{               \
			0       \
		}               \
	}
#define CALL_FUNCTIONS_(kind, name, call, ...)                           \
	CALL_##kind##_(name, call) static int holds_##name(              \
		void *state, const struct bench_case *c, uint64_t iters) \
	{                                                                \
		CALL_LOCALS                                              \
                                                                         \
		return (CALL_SECOND_(0, ##__VA_ARGS__, CALL_UNSEEN, 0)); \
	}
#define CALL_SECOND_(first, second, ...) second
#define CALL_ROW_(kind, name, ...) \
	{ #name, CALL_##kind##_ROW_(name), holds_##name },
#define CALL_LOOP_ROW_(name)  run_##name, NULL
#define CALL_EACH_ROW_(name)  run_##name, NULL
#define CALL_EVENT_ROW_(name) NULL, time_##name

/* Or what is built around a call would move it: by 5 % of 250 ns. */
#define CALL_PLACED __attribute__((aligned(64)))

#define CALL_LOOP_(name, call) CALL_TIMES_(name, call, iters)
#define CALL_EACH_(name, call) CALL_TIMES_(name, call, iters * c->ops)
#define CALL_TIMES_(name, call, times)                                  \
	CALL_PLACED static int run_##name(struct bench *b, void *state, \
					  const struct bench_case *c,   \
					  uint64_t iters)               \
	{                                                               \
		CALL_LOCALS                                             \
		const uint64_t times_ = times;                          \
		uint64_t right_ = 0;                                    \
                                                                        \
		for (uint64_t i = 0; i < times_; i++)                   \
			right_ += (uint64_t)(call);                     \
		*(uint64_t *)state += right_;                           \
		return 0;                                               \
	}
#define CALL_EVENT_(name, call)                                         \
	CALL_PLACED static bool time_##name(void *state,                \
					    const struct bench_case *c, \
					    enum timer_method method,   \
					    uint64_t *ticks)            \
	{                                                               \
		CALL_LOCALS                                             \
		bool good;                                              \
                                                                        \
		TIMER_INTERVAL(method, *ticks, good = (call));          \
		return good;                                            \
	}

#endif
