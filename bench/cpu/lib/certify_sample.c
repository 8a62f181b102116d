/* SPDX-License-Identifier: MIT */
#include "certify_sample.h"

#include <stddef.h>

#include "arch.h"
#include "ensemble_body.h"

static __attribute__((noinline)) void chains(uint32_t n)
{
	ensemble_chains(n);
}

/* The choice of the method is made before the first interval begins. */
#define TAKE(...)                                                \
	switch (method) {                                        \
		ARCH_SHARED_ENDS(count, ticks, __VA_ARGS__)      \
	default:                                                 \
		while (count--) {                                \
			uint64_t t_;                             \
			TIMER_INTERVAL(method, t_, __VA_ARGS__); \
			*ticks++ = t_;                           \
		}                                                \
	}

/* Each body has its own function: nothing but the body lies inside. */
static void take_empty(enum timer_method method, uint64_t *ticks,
		       uint32_t count)
{
	TAKE((void)0);
}

static void take_loop(enum timer_method method, uint32_t n,
		      volatile int *variable, uint64_t *ticks, uint32_t count)
{
	TAKE(ensemble_stores(n, variable));
}

static void take_chain(enum timer_method method, uint64_t *ticks,
		       uint32_t count)
{
	TAKE(ensemble_chain(3));
}

static void take_chains(enum timer_method method, uint32_t n, uint64_t *ticks,
			uint32_t count)
{
	TAKE(chains(n));
}

void certify_take(struct certify_sampler *s, enum certificate_body body,
		  uint32_t n, uint64_t *ticks, uint32_t count)
{
	switch (body) {
	case CERTIFICATE_EMPTY:
		take_empty(s->method, ticks, count);
		break;
	case CERTIFICATE_LOOP:
		take_loop(s->method, n, &s->variable, ticks, count);
		break;
	default:
		if (n == 1)
			take_chain(s->method, ticks, count);
		else
			take_chains(s->method, n, ticks, count);
	}
}

static void take(void *ctx, enum certificate_body body, uint32_t n,
		 uint64_t *ticks, uint32_t count)
{
	certify_take(ctx, body, n, ticks, count);
}

static const struct certificate_ops ops = { .take = take };

uint64_t certify_seen_pct(enum timer_method method, uint64_t quantum)
{
	struct certify_sampler s = { .method = method };

	return certificate_seen(&ops, &s, quantum);
}
