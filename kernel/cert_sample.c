// SPDX-License-Identifier: MIT
/*
 * Taking samples in ring 0: preemption and interrupts are off around each
 * interval, as in the paper, so that only the hypervisor and the firmware can
 * still come between.
 */
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/smp.h>

#include "cert.h"
#include "ensemble_body.h"
#include "quantum.h"

struct context {
	struct cert *cert;
	enum cert_method method;
	u32 taken;
	volatile int variable; /* the paper's */
};

/* The choice of the body stands before the interval, as that of the method
 * does: nothing but the body lies inside. */
#define INTERVAL(name, ticks, statement)                   \
	do {                                               \
		const u64 begin_ = timer_##name##_begin(); \
		statement;                                 \
		ticks = timer_##name##_end() - begin_;     \
	} while (0)

#define BODIES(name, ticks)                                               \
	do {                                                              \
		if (body == CERTIFICATE_EMPTY)                            \
			INTERVAL(name, ticks, );                          \
		else if (body == CERTIFICATE_LOOP)                        \
			INTERVAL(name, ticks,                             \
				 ensemble_stores(n, &context->variable)); \
		else if (body == CERTIFICATE_FUNCTION)                    \
			INTERVAL(name, ticks, oscost_function());         \
		else if (n == 1)                                          \
			INTERVAL(name, ticks, ensemble_chain(3));         \
		else                                                      \
			INTERVAL(name, ticks, chains(n));                 \
	} while (0)

static noinline void chains(u32 n)
{
	ensemble_chains(n);
}

static u64 sample(void *ctx, enum certificate_body body, u32 n)
{
	struct context *context = ctx;
	unsigned long flags;
	u64 ticks = 0;

	/* 256 samples are about a millisecond where CPUID traps. */
	if (!(++context->taken & 255))
		cond_resched();

	preempt_disable();
	if (body == CERTIFICATE_CHAIN)
		ring0_fpu_begin();
	ring0_mask(flags);
	switch (context->method) {
#define CASE(NAME, name, lacks)      \
	case CERT_##NAME:            \
		BODIES(name, ticks); \
		break;
		RING0_METHODS(CASE)
#undef CASE
	default:
		break;
	}
	ring0_unmask(flags);
	if (body == CERTIFICATE_CHAIN)
		ring0_fpu_end();
	if (smp_processor_id() != context->cert->cpu)
		context->cert->migrations++;
	preempt_enable();
	return ticks;
}

static void take(void *ctx, enum certificate_body body, u32 n, u64 *ticks,
		 u32 count)
{
	while (count--)
		*ticks++ = sample(ctx, body, n);
}

static void keep_row(void *ctx, enum certificate_body body, u32 ensemble,
		     const struct ensemble_row *quiet,
		     const struct ensemble_row *all)
{
	struct context *context = ctx;

	if (body != CERTIFICATE_FUNCTION)
		context->cert->results[context->method].rows[body][ensemble] =
			*quiet;
}

static bool stop(void *ctx)
{
	return signal_pending(current);
}

static const struct certificate_ops ops = {
	.take = take,
	.row = keep_row,
	.stop = stop,
};

const char *cert_method_name(enum cert_method method)
{
	static const char *const names[CERT_METHODS] = {
#define NAME_(NAME, name, lacks) #name,
		RING0_METHODS(NAME_)
#undef NAME_
	};

	return names[method];
}

const char *cert_lacks(enum cert_method method)
{
	const char *const lacks[CERT_METHODS] = {
#define LACKS_(NAME, name, lacks) lacks,
		RING0_METHODS(LACKS_)
#undef LACKS_
	};

	return lacks[method];
}

u64 cert_quantum(void)
{
	static struct quantum q; /* too large for a frame; init only */
	volatile int variable;
	u32 i;

	quantum_start(&q);
	for (i = 0; i < 10000; i++) {
		const u64 first = timer_fenced_begin();

		/* Distances of many lengths, not always the same one. */
		ensemble_stores(i * 2654435761u % 256, &variable);
		quantum_add(&q, timer_fenced_begin() - first);
		if (!(i & 255))
			cond_resched();
	}
	return (quantum_step(&q) + QUANTUM_ONE - 1) / QUANTUM_ONE;
}

int cert_measure(struct cert *cert, u64 *scratch)
{
	struct context context = { .cert = cert };

	cert->cpu = raw_smp_processor_id();
	for (context.method = 0; context.method < CERT_METHODS;
	     context.method++) {
		struct certificate *c =
			&cert->results[context.method].certificate;

		c->has_function = true;
		if (cert_lacks(context.method))
			continue;
		c->clock.quantum = cert->quantum;
		c->clock.hz = cert->hz;
		if (certificate_take(c, &ops, &context, cert->ensembles,
				     cert->samples, scratch))
			return -EINTR;
	}
	return 0;
}
