// SPDX-License-Identifier: MIT
#include "certify_sample.h"

#include <stddef.h>

#include "ensemble_body.h"

/* Each body has its own function: the choice of the method is made in it,
 * before the interval begins. */
static uint64_t time_empty(enum timer_method method)
{
	uint64_t ticks;

	TIMER_INTERVAL(method, ticks, (void)0);
	return ticks;
}

static uint64_t time_loop(enum timer_method method, uint32_t n,
			  volatile int *variable)
{
	uint64_t ticks;

	TIMER_INTERVAL(method, ticks, ensemble_stores(n, variable));
	return ticks;
}

static uint64_t time_chain(enum timer_method method)
{
	uint64_t ticks;

	TIMER_INTERVAL(method, ticks, ensemble_chain(3));
	return ticks;
}

static __attribute__((noinline)) void chains(uint32_t n)
{
	uint32_t x = 3;

	while (n--)
		x = ensemble_chain(x);
}

static uint64_t time_chains(enum timer_method method, uint32_t n)
{
	uint64_t ticks;

	TIMER_INTERVAL(method, ticks, chains(n));
	return ticks;
}

uint64_t certify_sample(struct certify_sampler *s, enum certificate_body body,
			uint32_t n)
{
	switch (body) {
	case CERTIFICATE_EMPTY:
		return time_empty(s->method);
	case CERTIFICATE_LOOP:
		return time_loop(s->method, n, &s->variable);
	default:
		return n == 1 ? time_chain(s->method)
			      : time_chains(s->method, n);
	}
}

static uint64_t sample(void *ctx, enum certificate_body body, uint32_t n)
{
	return certify_sample(ctx, body, n);
}

static const struct certificate_ops ops = { .sample = sample };

uint64_t certify_chain_ticks(void)
{
	struct certify_sampler s = { .method = TIMER_LFENCE };

	return certificate_chain(&ops, &s);
}

uint64_t certify_seen_pct(enum timer_method method)
{
	const uint64_t chain_ticks = certify_chain_ticks();
	struct certify_sampler s = { .method = method };

	return certificate_seen(&ops, &s, chain_ticks);
}
