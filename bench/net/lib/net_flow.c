/* SPDX-License-Identifier: MIT */
#include "net_flow.h"

#include <errno.h>
#include <netinet/in.h>
#include <sys/socket.h>

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

/* A span that is shorter than this part of what was planned goes on with the
 * next block: a server that was held up finds much there at once, and what it
 * copies out of its socket then says nothing about the flow. */
#define LEAST_SPAN 0.5

int net_flow_open(struct net_flow *f, struct bench *b)
{
	const int err = net_pour_open(&f->pour);

	f->b = b;
	if (err)
		return bench_fail(b, -err, "memory for messages");
	for (unsigned int k = 0; k < NET_FLOW_STREAMS; k++)
		if (net_client_open(&f->client[k], b))
			return -EIO; /* it was said why */
	return 0;
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
	int err = net_client_begin(c, host, &hello);

	if (err || c->fd < 0)
		return err;
	f->counted[f->streams++] = 0;
	/* As it is for a program that asks for nothing. */
	set_nodelay(c, 0);
	err = net_pour_prepare(c, f->plan.via);
	if (err == -ENOPROTOOPT)
		return bench_skip(f->b, "%s: not in this kernel",
				  net_via_name(f->plan.via));
	return err ? bench_fail(f->b, -err, "prepare a connection") : 0;
}

static int send_block(struct net_flow *f)
{
	int err = 0;

	for (uint64_t i = 0; i < f->messages && !err; i++)
		for (unsigned int k = 0; k < f->streams && !err; k++)
			err = net_pour_message(&f->pour, &f->client[k],
					       f->plan.via, f->plan.size);
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
	unsigned char bytes[NET_REPORT_BYTES];
	struct net_report report;
	const int err = net_client_receive(&f->client[k], bytes, sizeof(bytes));

	if (err)
		return err;
	net_report_unpack(&report, bytes);
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
	err = pilot(f, host, plan->block_ns / plan->streams);
	if (err || bench_stopping(f->b))
		return err;
	least = plan->block_bytes / plan->size;
	if (f->messages < least)
		f->messages = least;
	f->sent = f->reported = f->mark_reported = f->at_ns = f->mark_ns = 0;
	f->pour.unfinished = f->pour.copied = f->pour.poured = 0;
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

	if (f->plan.via == NET_ZEROCOPY)
		err = net_pour_reap(&f->pour, &f->client[0]);
	if (err)
		return net_client_fail(&f->client[0], err,
				       "the last of the data");
	push(f);
	while (!err && f->reported < f->sent && !bench_stopping(f->b))
		err = read_reports(f);
	return err;
}

double net_flow_rate(struct net_flow *f)
{
	const uint64_t blocks = f->reported - f->mark_reported;
	const double ns = (double)(f->at_ns - f->mark_ns);

	if (ns < f->plan.block_ns * LEAST_SPAN)
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
	for (unsigned int k = 0; k < NET_FLOW_STREAMS; k++)
		net_client_close(&f->client[k]);
	net_pour_close(&f->pour);
}
