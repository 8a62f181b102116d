/* SPDX-License-Identifier: MIT */
#include "flow.h"

#include <errno.h>
#include <sched.h>
#include <string.h>

/* Between two looks at the clock: so much that a look has no share in the time,
 * and so little that it takes a part of a span. */
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
	f->shared->cpu = sched_getcpu();
	f->shared->sent = sent;
	return err;
}

/* The messages to the next look at the clock.  Return: 0, -ENODATA: the last
 * one has come, or -errno. */
static int drain_some(struct flow *f, bool check)
{
	const struct ring *r = &f->ring;
	const size_t size = r->ch.size;
	const uint64_t fit = LOOK_BYTES / size;
	const uint64_t n = fit < LOOK_MESSAGES ? fit : LOOK_MESSAGES;
	struct message m = { 0 };
	int err = 0;

	for (uint64_t i = 0; i < n && !err; i++) {
		if (check)
			memset(r->buf, 0, size);
		err = ring_get(r, 0, r->buf);
		if (err)
			return err;
		memcpy(&m, r->buf, sizeof(m));
		if (m.number != (uint32_t)++f->received)
			return -EBADMSG;
		if (check) {
			f->checked += size;
			f->right += ring_right(r->buf, size);
		}
		err = m.word ? -ENODATA : 0;
	}
	return err;
}

/* Each byte is looked at before and after the time that counts. */
static int drain_stamped(void *arg)
{
	struct flow *f = arg;
	const struct timer *t = f->timer;
	int err = drain_some(f, true);

	for (uint32_t n = 0; n < f->wanted && !err; n++) {
		struct flow_stamp *s = &f->stamp[n];

		do {
			err = n ? drain_some(f, false) : 0;
			s->ticks = timer_end(t->method);
		} while (!err && n &&
			 timer_ns(t, (double)(s->ticks - s[-1].ticks)) <
				 FLOW_SPAN_NS);
		s->bytes = f->received * f->ring.ch.size;
		s->waited_ns = partner_waited();
	}
	return err;
}

static int drain_rest(void *arg)
{
	int err = 0;

	while (!err)
		err = drain_some(arg, true);
	return err == -ENODATA ? 0 : err;
}

int flow_begin(struct bench *b, struct flow *f, uint32_t wanted, int cpu)
{
	int err;

	f->ring.ch.members = 1;
	f->timer = bench_timer(b);
	f->wanted = wanted < FLOW_STAMPS ? wanted : FLOW_STAMPS;
	err = ring_open(b, &f->ring);
	if (err)
		return err;
	f->shared = partner_share(sizeof(*f->shared));
	if (!f->shared)
		return bench_fail(b, ENOMEM, "memory for a flow");
	err = partner_start(b, &f->source, PARTNER_PROCESS, cpu, pour, f);
	if (err)
		return err;
	ring_fill(f->ring.buf, f->ring.ch.size); /* ours again */
	err = partner_meet(&f->source);
	if (!err)
		err = partner_guard(drain_stamped, f);
	return err ? partner_failed(b, err) : 0;
}

int flow_end(struct bench *b, struct flow *f)
{
	int err;

	atomic_store(&f->shared->stop, 1);
	err = partner_guard(drain_rest, f);
	if (!err)
		err = partner_finish(&f->source);
	return err ? partner_failed(b, err) : 0;
}

void flow_close(struct flow *f)
{
	partner_stop(&f->source);
	ring_close(&f->ring);
	partner_unshare(f->shared, sizeof(*f->shared));
	*f = (struct flow) { 0 };
}
