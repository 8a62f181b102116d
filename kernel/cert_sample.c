// SPDX-License-Identifier: MIT
/*
 * Taking samples in ring 0: preemption and interrupts are off around each
 * interval, as in the paper, so that only the hypervisor and the firmware can
 * still come between.
 */
#include <linux/irqflags.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/smp.h>

#include <asm/cpufeature.h>
#include <asm/fpu/api.h>

#include "cert.h"
#include "ensemble_body.h"
#include "quantum.h"
#include "timer_asm.h"

/* The paper's alternative for processors without RDTSCP: writing CR0, even
 * unchanged, serialises, so the read behind it waits for the measured code. */
#define timer_cr0_begin timer_cpuid_begin

TIMER_INLINE uint64_t timer_cr0_end(void)
{
	unsigned long cr0;
	uint32_t lo, hi;

	asm volatile("mov %%cr0, %2\n\t"
		     "mov %2, %%cr0\n\t"
		     "rdtsc"
		     : "=a"(lo), "=d"(hi), "=&r"(cr0)
		     :
		     : "memory");
	return (uint64_t)hi << 32 | lo;
}

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

	/* 256 samples of a trapping CPUID are about a millisecond. */
	if (!(++context->taken & 255))
		cond_resched();

	preempt_disable();
	if (body == CERTIFICATE_CHAIN)
		kernel_fpu_begin();
	raw_local_irq_save(flags);
	switch (context->method) {
	case CERT_NONE:
		BODIES(none, ticks);
		break;
	case CERT_CPUID2:
		BODIES(cpuid2, ticks);
		break;
	case CERT_CPUID:
		BODIES(cpuid, ticks);
		break;
	case CERT_LFENCE:
		BODIES(lfence, ticks);
		break;
	case CERT_CR0:
		BODIES(cr0, ticks);
		break;
	default:
		break;
	}
	raw_local_irq_restore(flags);
	if (body == CERTIFICATE_CHAIN)
		kernel_fpu_end();
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
		[CERT_NONE] = "none",	[CERT_CPUID2] = "cpuid2",
		[CERT_CPUID] = "cpuid", [CERT_LFENCE] = "lfence",
		[CERT_CR0] = "cr0",
	};

	return names[method];
}

bool cert_usable(enum cert_method method)
{
	return boot_cpu_has(X86_FEATURE_RDTSCP) ||
	       (method != CERT_CPUID && method != CERT_LFENCE);
}

u64 cert_quantum(void)
{
	struct context context = { .method = CERT_LFENCE };
	static struct quantum q; /* too large for a frame; init only */
	u32 i;

	quantum_start(&q);
	for (i = 0; i < 10000; i++) {
		const u64 first = timer_lfence_begin();

		/* Distances of many lengths, not always the same one. */
		ensemble_stores(i * 2654435761u % 256, &context.variable);
		quantum_add(&q, timer_lfence_begin() - first);
		if (!(i & 255))
			cond_resched();
	}
	return (quantum_step(&q) + QUANTUM_ONE - 1) / QUANTUM_ONE;
}

int cert_measure(struct cert *cert, u64 *scratch)
{
	struct context context = { .cert = cert, .method = CERT_LFENCE };

	cert->cpu = raw_smp_processor_id();
	for (context.method = 0; context.method < CERT_METHODS;
	     context.method++) {
		struct certificate *c =
			&cert->results[context.method].certificate;

		if (!cert_usable(context.method))
			continue;
		c->clock.quantum = cert->quantum;
		c->clock.hz = cert->hz;
		c->has_function = true;
		if (certificate_take(c, &ops, &context, cert->ensembles,
				     cert->samples, scratch))
			return -EINTR;
	}
	return 0;
}
