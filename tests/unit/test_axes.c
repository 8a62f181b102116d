/* SPDX-License-Identifier: MIT */
/* Tables of cases, their names, their state and what is skipped. */
#include <string.h>

#include "invocation.h"
#include "tap.h"

struct own {
	char filled;
};

struct named {
	const char *name;
	int other;
};

static const struct named calls[] = { { "a", 1 }, { "b", 2 } };
static const int64_t sizes[] = { 1024, 4096, 12 };

static const struct bench_axis axes[] = { AXIS_STR("call", calls),
					  AXIS_SIZE("size", sizes),
					  AXIS_RANGE("n", 2),
					  { 0 } };
static const struct bench_axis twice[] = { AXIS_STR("call", calls),
					   AXIS_SIZE("size", sizes),
					   AXIS_RANGE("n", 1),
					   { 0 } };

/* b has but the size of 4 KiB. */
static bool fill(struct bench *b, void *state, struct bench_case *c)
{
	struct own *own = c->data;

	if (c->at[0] == 1 && c->at[1] != 1)
		return false;
	own->filled += 1;
	c->arg = state;
	c->skip = c->at[2] ? "odd" : NULL;
	return true;
}

static bool states_are_apart(const struct bench *b)
{
	for (size_t i = 0; i < b->n_runs; i++) {
		const struct own *own = b->runs[i]->c.data;

		if ((uintptr_t)own % 64 || own->filled != 1)
			return false;
	}
	return true;
}

int main(void)
{
	const struct bench_desc desc = { .name = "made_up",
					 .case_state_size =
						 sizeof(struct own) };
	int state = 0;
	struct bench b = { .desc = &desc, .state = &state };
	const struct bench_case *c;

	bench_add_axes(&b, axes, fill);
	OK(b.n_runs == 8 && !b.usage_error, "points that make sense are added");
	OK_STR(b.runs[0]->name, "call=a,size=1K,n=0", "names");
	OK(b.runs[1]->c.at[2] == 1, "the last axis changes fastest");
	OK(states_are_apart(&b), "each has a zeroed cache line of its own");
	c = bench_point(&b, axes, 1, 1, 0);
	OK(c && c->params[1].number == 4096 && c->arg == &state,
	   "a point is found by its indices");
	OK(!bench_point(&b, axes, 1, 0, 0), "one that was left out is not");
	OK(b.runs[1]->state == CASE_SKIPPED && !strcmp(b.runs[1]->why, "odd"),
	   "a skip has its reason");
	bench_add_axes(&b, twice, fill);
	OK(b.usage_error, "the same point twice is refused");
	invocation_close(&b);
	return tap_done();
}
