/* SPDX-License-Identifier: MIT */
#include "timer.h"

#include <errno.h>
#include <string.h>

#include "ensemble_body.h"
#include "fence.h"
#include "quantum.h"

#include "contract.h" /* last: it looks at what ensemble_body.h included */

#define SANDWICHES	  200
#define DELAY_ROUNDS	  256 /* with the reads some 100 ns: ten steps of 10 ns */
#define LONG_DELAY_ROUNDS 8192
#define COARSE_STEPS	  16 /* a clock that is coarse gets more reads */
#define COARSE_READS	  50
#define FENCE_READS	  1000
#define TRAP_READS	  64
#define TRAP_TRIES	  20

static const char *const names[TIMER_METHODS] = {
#define NAMED(NAME, name, ...) [TIMER_##NAME] = #name,
	ARCH_METHODS(NAMED, )[TIMER_CLOCK] = "clock",
};

const char *timer_name(enum timer_method method)
{
	return names[method];
}

int timer_find(const char *name)
{
	for (int i = 0; i < TIMER_METHODS; i++)
		if (!strcmp(names[i], name))
			return i;
	return -EINVAL;
}

uint64_t timer_empty(enum timer_method method)
{
	uint64_t ticks;

	TIMER_INTERVAL(method, ticks, );
	return ticks;
}

struct timer_instant timer_instant(void)
{
	struct timer_instant best = { .width_ns = UINT64_MAX };

	for (int i = 0; i < SANDWICHES; i++) {
		uint64_t ns0 = timer_clock_begin();
		uint64_t ticks = timer_fenced_begin();
		uint64_t ns1 = timer_clock_begin();

		if (ns1 - ns0 < best.width_ns)
			best = (struct timer_instant) { ns0 + (ns1 - ns0) / 2,
							ticks, ns1 - ns0 };
	}
	return best;
}

double timer_tsc_hz_since(const struct timer_instant *begin, uint64_t window_ns)
{
	struct timer_instant b;
	uint64_t past;

	/* Sleeping leaves the CPU to others; the TSC is invariant. */
	while ((past = timer_clock_begin() - begin->ns) < window_ns)
		nanosleep(&(struct timespec) { 0, (long)(window_ns - past) },
			  NULL);
	b = timer_instant();
	return (double)(b.ticks - begin->ticks) * 1e9 /
	       (double)(b.ns - begin->ns);
}

double timer_tsc_hz(uint64_t window_ns)
{
	const struct timer_instant now = timer_instant();

	return timer_tsc_hz_since(&now, window_ns);
}

/* How to read the clock of @method for its own sake: that method may be one
 * that does not wait, or takes long (CPUID). */
static enum timer_method plain_method(enum timer_method method)
{
	return method == TIMER_CLOCK ? TIMER_CLOCK : TIMER_FENCED;
}

/* From 64 cycles to @most and 64, never as many as the time before: at the
 * least so many that a clock which is kept from standing still by a tick of
 * its own is not read twice within one step. */
static inline void irregular_delay(uint32_t i, uint32_t most)
{
	uint64_t rounds = 64 + i * 2654435761u % most;

	__asm__ volatile("1:\n\t" ARCH_AGAIN("%0", "1b")
			 : "+r"(rounds)
			 :
			 : "cc");
}

/* @q gets the differences of @reads readings, more of a clock that rarely
 * advances, with delays of up to @most cycles between them. */
static void read_steps(struct quantum *q, enum timer_method method,
		       uint32_t reads, uint32_t most)
{
	uint64_t last = timer_begin(method);

	quantum_start(q);
	for (uint32_t i = 0;
	     i < reads || (q->n < COARSE_STEPS && i < COARSE_READS * reads);
	     i++) {
		uint64_t now;

		irregular_delay(i, most);
		now = timer_begin(method);
		quantum_add(q, now - last);
		last = now;
		if (!(i % 64) && quantum_is_fine(q))
			break;
	}
}

double timer_quantum(enum timer_method method, uint32_t reads)
{
	struct quantum q;
	uint32_t step, longer;

	method = plain_method(method);
	read_steps(&q, method, reads, DELAY_ROUNDS);
	step = quantum_step(&q);
	/* A long step shows few of its multiples in short delays, and a broken
	 * one is known the better the greater the multiples are. */
	if (q.divisor <= 1 && !quantum_is_fine(&q)) {
		read_steps(&q, method, reads / 4, LONG_DELAY_ROUNDS);
		longer = quantum_step(&q);
		if (longer != QUANTUM_ONE || quantum_is_fine(&q))
			step = longer;
	}
	return (double)step / QUANTUM_ONE;
}

/* @n chains of ensemble_body.h, 1 or 8k. */
__attribute__((noinline)) static void roots(uint32_t n)
{
	if (n == 1)
		ensemble_chain(3);
	else
		ensemble_chains(n);
}

static uint64_t take_chains(void *ctx, uint32_t n, uint32_t i)
{
	const enum timer_method *method = ctx;
	uint64_t ticks;

	irregular_delay(i, DELAY_ROUNDS);
	TIMER_INTERVAL(*method, ticks, roots(n));
	return ticks;
}

/* Time reads that may trap; one may take less than a step of the counter, so
 * time many. */
static void probe_reads(struct timer_features *f)
{
	for (int i = 0; i < TRAP_TRIES; i++) {
		const uint64_t ns = timer_clock_begin();
		const uint64_t first = timer_none_begin();
		uint64_t last = first, ticks;
		double each;

		for (int k = 0; k < TRAP_READS; k++)
			last = timer_none_end();
		each = (double)(timer_clock_begin() - ns) / TRAP_READS;
		ticks = (last - first + TRAP_READS / 2) / TRAP_READS;
		if (ticks < f->trap_ticks)
			f->trap_ticks = ticks;
		if (!i || each < f->trap_ns)
			f->trap_ns = each;
	}
}

void timer_probe(struct timer_features *f)
{
	enum timer_method method;

	memset(f, 0, sizeof(*f));
	f->trap_ticks = UINT64_MAX;
	arch_probe(f);
	if (f->counter && f->trap_ticks == UINT64_MAX)
		probe_reads(f);
	method = timer_waiting(f);
	f->fence_holds =
		f->counter && fence_holds(take_chains, &method,
					  timer_quantum(method, FENCE_READS));
}
