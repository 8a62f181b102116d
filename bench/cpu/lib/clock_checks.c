/* SPDX-License-Identifier: MIT */
#include "clock_checks.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "timer.h"

uint64_t clock_backward(uint64_t reads, uint64_t *last)
{
	uint64_t bad = 0;

	for (uint64_t i = 0; i < reads; i++) {
		const uint64_t now = timer_fenced_begin();

		bad += now < *last; /* a coarse clock stands still */
		*last = now;
	}
	return bad;
}

/* A ball on a cache line of its own; odd: to the partner, even: back. */
struct ball {
	_Alignas(128) atomic_uint_fast64_t turn;
	_Alignas(128) atomic_uint_fast64_t stamp;
};

static int play(struct partner *p, void *arg)
{
	struct ball *ball = arg;
	uint64_t turn = 1;

	while (!partner_stopping(p)) {
		if (atomic_load_explicit(&ball->turn, memory_order_acquire) !=
		    turn)
			continue;
		atomic_store_explicit(&ball->stamp, timer_fenced_begin(),
				      memory_order_relaxed);
		atomic_store_explicit(&ball->turn, turn + 1,
				      memory_order_release);
		turn += 2;
	}
	return 0;
}

static bool wait_for(struct ball *ball, uint64_t turn, uint64_t until_ns)
{
	unsigned int spins = 0;

	while (atomic_load_explicit(&ball->turn, memory_order_acquire) < turn)
		if (!(++spins & 1023) && timer_clock_begin() > until_ns)
			return false;
	return true;
}

static void serve(struct ball *ball, struct clock_offset *o, uint64_t rounds,
		  uint64_t until_ns)
{
	for (uint64_t turn = 1; o->rounds < rounds; turn += 2) {
		const uint64_t before = timer_fenced_begin();

		atomic_store_explicit(&ball->turn, turn, memory_order_release);
		if (!wait_for(ball, turn + 1, until_ns))
			return;
		const uint64_t after = timer_fenced_begin();
		const uint64_t there =
			atomic_load_explicit(&ball->stamp,
					     memory_order_relaxed);
		const int64_t low = (int64_t)(there - after);
		const int64_t high = (int64_t)(there - before);

		if (low > o->low)
			o->low = low;
		if (high < o->high)
			o->high = high;
		o->rounds++;
		if (!(o->rounds & 63) && timer_clock_begin() > until_ns)
			return;
	}
}

int clock_offset(struct bench *b, struct clock_offset *o, int cpu,
		 uint64_t rounds, uint64_t limit_ns)
{
	struct ball ball = { 0 };
	struct partner partner;
	const int err =
		partner_start(b, &partner, PARTNER_THREAD, cpu, play, &ball);

	*o = (struct clock_offset) { INT64_MIN, INT64_MAX, 0 };
	if (err)
		return err;
	serve(&ball, o, rounds, timer_clock_begin() + limit_ns);
	partner_stop(&partner);
	return o->rounds ? 0 : -ETIMEDOUT;
}

void clock_pair_read(struct clock_pair *p, unsigned int tries)
{
	p->width_ns = UINT64_MAX;
	while (tries--) {
		const uint64_t before = timer_clock_begin();
		const uint64_t ticks = timer_fenced_begin();
		const uint64_t after = timer_clock_end();

		if (after - before >= p->width_ns)
			continue;
		p->width_ns = after - before;
		p->ns = before + (after - before) / 2;
		p->ticks = ticks;
	}
}
