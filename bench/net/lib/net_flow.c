/* SPDX-License-Identifier: MIT */
#include "net_flow.h"

#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <unistd.h>

/* What a message takes at least, to choose the messages of a block: how well
 * it fits decides only how long a block takes. */
#define MESSAGE_NS   800.0
#define BYTES_PER_NS 4.0

/* The pilot: the least time of a few short blocks.  A flow that has just begun
 * is slower than later. */
#define PILOT_BYTES	(256u << 10)
#define PILOT_MESSAGES	256u
#define PILOT_BLOCKS	4
#define PILOT_TO_STEADY 1.5

/* Blocks of the planned length that a span lasts at least: it goes on with the
 * next one until then.  So all last nearly alike, whatever the flow did, and
 * the mean of their rates is bytes by time. */
#define SPAN_BLOCKS 4

/* Room for a message of @size, in memory and in the file. */
static int make_room(struct net_flow *f, size_t size)
{
	unsigned char *more;

	if (size <= f->room)
		return 0;
	more = realloc(f->buf, size);
	if (!more)
		return bench_fail(f->b, ENOMEM, "memory for messages");
	f->buf = more;
	/* Neither zero nor constant: some copies take short cuts for those. */
	for (size_t i = f->room; i < size; i++)
		f->buf[i] = (unsigned char)(i * 31 + 7);
	if (pwrite(f->file, f->buf, size, 0) != (ssize_t)size)
		return bench_fail(f->b, ENOMEM, "memory for messages");
	f->room = size;
	return 0;
}

int net_flow_open(struct net_flow *f, struct bench *b)
{
	f->b = b;
	f->file = memfd_create("oscost", MFD_CLOEXEC);
	for (unsigned int k = 0; k < NET_FLOW_STREAMS; k++)
		net_client_open(&f->client[k], b);
	return make_room(f, NET_MAX_MESSAGE);
}

static void set_nodelay(const struct net_client *c, int on)
{
	setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
}

/* One stream more. */
static int add_stream(struct net_flow *f, const struct net_host *host)
{
	struct net_client *c = &f->client[f->streams];
	const struct net_hello hello = {
		.op = NET_SINK,
		.size = f->plan.size,
		.block = f->messages * f->plan.size,
	};
	const int err = net_client_begin(c, host, &hello);

	if (err || c->fd < 0)
		return err;
	f->counted[f->streams++] = 0;
	/* As it is for a program that asks for nothing. */
	set_nodelay(c, 0);
	return 0;
}

/* Return: 0 or as net_client_send(). */
static int send_file(struct net_flow *f, struct net_client *c, uint32_t size)
{
	off_t at = 0;

	c->waits = 0;
	while (at < (off_t)size) {
		const ssize_t n =
			sendfile(c->fd, f->file, &at, size - (size_t)at);
		const int err = n > 0	? 0
				: n < 0 ? net_client_check(c, errno)
					: -EIO;

		if (err)
			return err;
		f->taken += n > 0 ? (uint64_t)n : 0;
	}
	return 0;
}

static int send_message(struct net_flow *f, struct net_client *c)
{
	if (f->plan.sendfile)
		return send_file(f, c, f->plan.size);
	f->taken += f->plan.size;
	return net_client_send(c, f->buf, f->plan.size);
}

static int send_block(struct net_flow *f)
{
	int err = 0;

	for (uint64_t i = 0; i < f->messages && !err; i++)
		for (unsigned int k = 0; k < f->streams && !err; k++)
			err = send_message(f, &f->client[k]);
	f->sent += !err;
	return err ? net_client_fail(&f->client[0], err, "send") : 0;
}

/* Nothing follows: the last, small segment must not wait for more, nor for an
 * acknowledgement that is delayed (40 ms). */
static void push(struct net_flow *f)
{
	for (unsigned int k = 0; k < f->streams; k++) {
		set_nodelay(&f->client[k], 1);
		set_nodelay(&f->client[k], 0);
	}
}

/* The next report of stream @k; less than what was sent is for the evidence,
 * more is no count. */
static int read_report(struct net_flow *f, unsigned int k)
{
	const uint64_t most = f->reported * f->messages * f->plan.size;
	struct net_report report;
	const int err =
		net_client_receive(&f->client[k], &report, sizeof(report));

	if (err)
		return err;
	f->counted[k] = report.bytes;
	/* A block is there when the last of its streams is. */
	if (report.ns > f->at_ns)
		f->at_ns = report.ns;
	return report.bytes > most ? -EPROTO : 0;
}

static int read_reports(struct net_flow *f)
{
	f->reported++;
	for (unsigned int k = 0; k < f->streams; k++) {
		const int err = read_report(f, k);

		if (err)
			return net_client_fail(&f->client[k], err,
					       "wait for a report");
	}
	return 0;
}

static double now_ns(const struct net_flow *f)
{
	const struct timer *t = bench_timer(f->b);

	return (double)timer_end(t->method) * 1e9 / t->hz;
}

/* How many messages take @ns on this path: as many as at the best speed, but
 * fewer over a slow network. */
static int pilot(struct net_flow *f, const struct net_host *host, double ns)
{
	const uint32_t size = f->plan.size;
	const double most = ns / (MESSAGE_NS + size / BYTES_PER_NS);
	const uint64_t few = PILOT_BYTES / size;
	double least = 0, fit;
	int err;

	f->messages = few > PILOT_MESSAGES ? PILOT_MESSAGES : few ? few : 1;
	f->sent = f->reported = 0;
	err = add_stream(f, host);
	for (int i = 0; i < PILOT_BLOCKS && !err && f->streams; i++) {
		const double begin = now_ns(f);
		double took;

		err = send_block(f);
		push(f);
		if (!err)
			err = read_reports(f);
		took = now_ns(f) - begin;
		if (i == 0 || took < least)
			least = took;
	}
	if (!err)
		err = net_flow_finish(f);
	net_flow_end(f);
	if (err || bench_stopping(f->b))
		return err;
	fit = PILOT_TO_STEADY * ns * (double)f->messages / least;
	fit = fit < most ? fit : most;
	f->messages = fit < 1 ? 1 : (uint64_t)fit;
	return 0;
}

/* The first blocks, which count for nothing. */
static int warm_up(struct net_flow *f)
{
	const double begin = now_ns(f);
	int err = send_block(f);

	do
		err = err ? err : net_flow_step(f);
	while (!err && !bench_stopping(f->b) &&
	       now_ns(f) - begin < f->plan.warm_up_ns);
	f->mark_reported = f->reported;
	f->mark_ns = f->at_ns;
	return err;
}

int net_flow_begin(struct net_flow *f, const struct net_host *host,
		   const struct net_flow_plan *plan)
{
	uint64_t least;
	int err;

	f->plan = *plan;
	f->streams = 0;
	err = make_room(f, plan->size);
	if (err)
		return err;
	err = pilot(f, host, plan->block_ns / plan->streams);
	if (err || bench_stopping(f->b))
		return err;
	least = plan->block_bytes / plan->size;
	if (f->messages < least)
		f->messages = least;
	f->sent = f->reported = f->mark_reported = f->at_ns = f->mark_ns = 0;
	f->taken = 0;
	while (!err && f->streams < plan->streams && !bench_stopping(f->b))
		err = add_stream(f, host);
	return err || bench_stopping(f->b) ? err : warm_up(f);
}

int net_flow_step(struct net_flow *f)
{
	const int err = send_block(f);

	return err || bench_stopping(f->b) ? err : read_reports(f);
}

int net_flow_finish(struct net_flow *f)
{
	int err = 0;

	push(f);
	while (!err && f->reported < f->sent && !bench_stopping(f->b))
		err = read_reports(f);
	return err;
}

double net_flow_rate(struct net_flow *f)
{
	const uint64_t blocks = f->reported - f->mark_reported;
	const double ns = (double)(f->at_ns - f->mark_ns);

	if (ns < f->plan.block_ns * SPAN_BLOCKS)
		return 0;
	f->mark_reported = f->reported;
	f->mark_ns = f->at_ns;
	return (double)(blocks * net_flow_block(f)) * 1e9 / ns;
}

uint64_t net_flow_block(const struct net_flow *f)
{
	return f->messages * f->plan.size * f->streams;
}

uint64_t net_flow_counted(const struct net_flow *f)
{
	uint64_t bytes = 0;

	for (unsigned int k = 0; k < f->streams; k++)
		bytes += f->counted[k];
	return bytes;
}

uint64_t net_flow_again(const struct net_flow *f)
{
	uint64_t again = 0;

	for (unsigned int k = 0; k < f->streams; k++) {
		struct tcp_info info;

		net_client_info(&f->client[k], &info);
		again += info.tcpi_total_retrans;
	}
	return again;
}

void net_flow_end(struct net_flow *f)
{
	for (unsigned int k = 0; k < NET_FLOW_STREAMS; k++)
		net_client_end(&f->client[k]);
	f->streams = 0;
}

void net_flow_close(struct net_flow *f)
{
	free(f->buf);
	if (f->file > 0)
		close(f->file);
}
