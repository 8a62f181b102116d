/* SPDX-License-Identifier: MIT */
#include "call.h"

#include <errno.h>

bool call_is_named(const struct call *call, const struct bench_case *c)
{
	const char *first = c->params[0].text, *second = c->params[1].text;
	const size_t len = strlen(first);

	if (strncmp(call->name, first, len) != 0)
		return false;
	return !call->name[len] || (second && call->name[len] == '_' &&
				    !strcmp(call->name + len + 1, second));
}

void call_use(struct bench_case *c, const struct call *call)
{
	c->arg = call;
	c->run = call->run;
}

bool call_choose(struct bench_case *c, const struct call *table)
{
	while (table->name && !call_is_named(table, c))
		table++;
	call_use(c, table);
	return table->name;
}

static void prove(struct bench *b, const struct bench_case *c, uint64_t iters,
		  uint64_t right, int held)
{
	bench_proof(b, c, "calls", (double)(iters * c->ops), (double)right);
	if (held != CALL_UNSEEN)
		bench_proof(b, c, "effects", 1, held);
}

int call_took(struct bench *b, void *state, const struct bench_case *c,
	      bool good, uint64_t ticks)
{
	int held;

	if (!good)
		return bench_fail(b, errno, "%s", call_of(c)->name);
	held = call_of(c)->holds(state, c, 1);
	bench_record(b, c, ticks);
	prove(b, c, 1, c->ops, held);
	return 0;
}

int call_sample(struct bench *b, void *state, const struct bench_case *c)
{
	uint64_t ticks;
	const bool good =
		call_of(c)->time(state, c, bench_timer(b)->method, &ticks);

	return call_took(b, state, c, good, ticks);
}

void call_conclude(struct bench *b, void *state, const struct bench_case *c,
		   uint64_t iters)
{
	uint64_t *right = state;

	if (c->run)
		prove(b, c, iters, *right, call_of(c)->holds(state, c, iters));
	*right = 0;
}
