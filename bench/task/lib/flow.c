/* SPDX-License-Identifier: MIT */
#include "flow.h"

#include <errno.h>
#include <sched.h>
#include <string.h>

#include "sync_futex.h"

/* Between two looks of a sink at the clock: so much that a look has no share in
 * the time, and so little that it takes a part of a span. */
#define LOOK_BYTES    262144u
#define LOOK_MESSAGES 128u

static int pour(struct partner *p, void *arg)
{
	const struct flow *f = arg;
	const struct ring *r = &f->ring;
	struct message m = { 0 };
	uint64_t sent = 0;
	int err;

	/* Pages of its own, before anything is timed. */
	ring_fill(r->buf, r->ch.size);
	err = partner_meet(p);
	while (!err && !m.word) {
		m.number = (uint32_t)++sent;
		m.word = atomic_load_explicit(&f->shared->stop,
					      memory_order_relaxed);
		memcpy(r->buf, &m, sizeof(m));
		err = ring_put(r, 0, r->buf);
	}
	f->shared->source =
		(struct flow_report) { .cpu = sched_getcpu(), .sent = sent };
	return err;
}

/* The messages to the next look at the clock.  Return: 0, -ENODATA: the last
 * one has come, or -errno. */
static int drain_some(const struct ring *r, struct flow_report *got, bool check)
{
	const uint64_t fit = LOOK_BYTES / r->ch.size;
	const uint64_t n = fit < LOOK_MESSAGES ? fit : LOOK_MESSAGES;
	struct message m;
	int err = 0;

	for (uint64_t i = 0; i < n && !err; i++) {
		if (check)
			memset(r->buf, 0, r->ch.size);
		err = ring_get(r, 0, r->buf);
		if (err)
			return err;
		memcpy(&m, r->buf, sizeof(m));
		got->bytes += r->ch.size;
		if (m.number != (uint32_t)++got->received)
			return -EBADMSG;
		if (check) {
			got->checked += r->ch.size;
			got->right += ring_right(r->buf, r->ch.size);
		}
		err = m.word ? -ENODATA : 0;
	}
	return err;
}

/* Each byte is looked at before and after the time that counts. */
static int drain(struct partner *p, void *arg)
{
	const struct flow *f = arg;
	struct flow_shared *shared = f->shared;
	struct flow_report got = { .cpu = sched_getcpu() };
	const struct timer *t = f->timer;
	int err;

	ring_fill(f->ring.buf, f->ring.ch.size);
	err = partner_meet(p);
	if (!err)
		err = drain_some(&f->ring, &got, true);
	for (uint32_t n = 0; n < shared->wanted && !err; n++) {
		struct flow_stamp *s = &shared->stamp[n];

		do {
			err = n ? drain_some(&f->ring, &got, false) : 0;
			s->ticks = timer_end(t->method);
		} while (!err && n &&
			 timer_ns(t, (double)(s->ticks - s[-1].ticks)) <
				 FLOW_SPAN_NS);
		s->bytes = got.bytes;
		s->waited_ns = partner_waited();
	}
	atomic_store(&shared->there, !err);
	futex_wake(&shared->there, 1, false);
	while (!err)
		err = drain_some(&f->ring, &got, true);
	shared->sink = got;
	return err == -ENODATA ? 0 : err;
}

static int await_stamps(void *arg)
{
	struct flow_shared *shared = arg;

	while (!atomic_load(&shared->there))
		futex_wait(&shared->there, 0, false);
	return 0;
}

int flow_begin(struct bench *b, struct flow *f, uint32_t wanted, int cpu)
{
	int err;

	f->ring.ch.members = 1;
	f->timer = bench_timer(b);
	err = ring_open(b, &f->ring);
	if (err)
		return err;
	f->shared = partner_share(sizeof(*f->shared));
	if (!f->shared)
		return bench_fail(b, ENOMEM, "memory for a log");
	f->shared->wanted = wanted < FLOW_STAMPS ? wanted : FLOW_STAMPS;
	err = partner_start(b, &f->source, PARTNER_PROCESS, cpu, pour, f);
	if (!err)
		err = partner_start(b, &f->sink, PARTNER_PROCESS, bench_cpu(b),
				    drain, f);
	if (err)
		return err;
	err = partner_meet(&f->source);
	if (!err)
		err = partner_meet(&f->sink);
	if (!err)
		err = partner_guard(await_stamps, f->shared);
	return err ? partner_failed(b, err) : 0;
}

int flow_end(struct bench *b, struct flow *f)
{
	int err;

	atomic_store(&f->shared->stop, 1);
	err = partner_finish(&f->source);
	if (!err)
		err = partner_finish(&f->sink);
	return err ? partner_failed(b, err) : 0;
}

void flow_close(struct flow *f)
{
	partner_stop(&f->source);
	partner_stop(&f->sink);
	ring_close(&f->ring);
	partner_unshare(f->shared, sizeof(*f->shared));
	*f = (struct flow) { 0 };
}
