/* SPDX-License-Identifier: MIT */
#include "ipc_partner.h"

#include <errno.h>
#include <sched.h>

#include "sync_futex.h"

/* Between two looks of a sink at the clock: so much that a look has no share in
 * the time, and so little that it takes a part of a span. */
#define LOOK_BYTES    262144u
#define LOOK_MESSAGES 128u

/* The partner's side. */

static int echo(struct ipc_channel *ch, struct ipc_shared *shared)
{
	for (;;) {
		int err = ipc_receive(ch);

		if (err || atomic_load(&shared->stop))
			return err;
		err = ipc_send(ch);
		if (err)
			return err;
	}
}

static int pour(struct ipc_channel *ch, struct ipc_shared *shared)
{
	do {
		int err;

		ch->last = atomic_load_explicit(&shared->stop,
						memory_order_relaxed);
		err = ipc_send(ch);
		if (err)
			return err;
	} while (!ch->last);
	return 0;
}

/* The messages to the next look at the clock. */
static int drain_some(struct ipc_channel *ch, bool check)
{
	const uint64_t fit = LOOK_BYTES / ch->ends.size;
	const uint64_t n = fit < LOOK_MESSAGES ? fit : LOOK_MESSAGES;
	int err = 0;

	for (uint64_t i = 0; i < n && !err && !ch->ended; i++)
		err = check ? ipc_receive_checked(ch) : ipc_receive(ch);
	return err;
}

/* Each byte is looked at before and after the time that counts. */
static int drain(struct ipc_channel *ch, struct ipc_shared *shared,
		 const struct timer *t)
{
	int err = drain_some(ch, true);

	for (uint32_t n = 0; n < shared->wanted && !err && !ch->ended; n++) {
		struct ipc_stamp *s = &shared->stamp[n];

		do {
			err = n ? drain_some(ch, false) : 0;
			s->ticks = timer_end(t->method);
		} while (!err && n && !ch->ended &&
			 timer_ns(t, (double)(s->ticks - s[-1].ticks)) <
				 IPC_SPAN_NS);
		s->bytes = ch->bytes;
	}
	atomic_store(&shared->there, !err && !ch->ended);
	futex_wake(&shared->there, 1, false);
	while (!err && !ch->ended)
		err = drain_some(ch, true);
	return err;
}

static int work(struct ipc_partner *p, struct ipc_channel *ch)
{
	switch (p->duty) {
	case IPC_ECHO:
		return echo(ch, p->shared);
	case IPC_SOURCE:
		return pour(ch, p->shared);
	default:
		return drain(ch, p->shared, p->timer);
	}
}

static int serve(struct partner *partner, void *arg)
{
	struct ipc_partner *p = arg;
	struct ipc_channel ch = { .rings = &p->shared->rings, .buf = p->buf };
	int err;

	/* Pages of its own, before anything is timed. */
	ipc_fill(p->buf, IPC_MOST_BYTES);
	ipc_attach(&ch, &p->ends);
	err = partner_meet(partner);
	if (!err)
		err = work(p, &ch);
	p->shared->report[p->duty] = (struct ipc_report) {
		.cpu = sched_getcpu(),
		.sent = ch.sent,
		.received = ch.received,
		.bytes = ch.bytes,
		.checked = ch.checked,
		.right = ch.right,
	};
	return err;
}

/* The measuring side. */

static void reset(struct ipc_shared *shared)
{
	atomic_store(&shared->stop, 0);
	atomic_store(&shared->there, 0);
	ipc_ring_reset(&shared->rings.ring[0]);
	ipc_ring_reset(&shared->rings.ring[1]);
}

int ipc_partner_start(struct bench *b, struct ipc_partner *p,
		      struct ipc_ends *ends, int cpu, enum ipc_duty duty)
{
	int err;

	if (duty != IPC_SINK) /* its source has begun */
		reset(p->shared);
	p->ends = *ends;
	p->duty = duty;
	p->timer = bench_timer(b);
	err = partner_start(b, &p->partner, PARTNER_PROCESS, cpu, serve, p);
	ipc_close(ends);
	if (err)
		return err;
	err = partner_meet(&p->partner);
	ipc_fill(p->buf, IPC_MOST_BYTES); /* ours again */
	return err ? partner_failed(b, err) : 0;
}

int ipc_partner_stamps(struct ipc_shared *shared)
{
	int err = 0;

	while (!err && !atomic_load(&shared->there))
		if (futex_wait(&shared->there, 0, false) == -EINTR)
			err = partner_check();
	return err;
}

int ipc_partner_end(struct ipc_partner *p, struct ipc_channel *ch)
{
	int err = 0;

	atomic_store(&p->shared->stop, 1);
	if (ch) /* an echo waits for one more, which it does not answer */
		err = ipc_send(ch);
	if (!err)
		err = partner_finish(&p->partner);
	partner_stop(&p->partner);
	return err;
}
