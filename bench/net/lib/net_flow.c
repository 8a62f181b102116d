/* SPDX-License-Identifier: MIT */
#include "net_flow.h"

#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <unistd.h>

/* What a message takes at least.  Between two looks at the reports as many are
 * sent as take this time at best, so that a look has no share in the time. */
#define MESSAGE_NS   800.0
#define BYTES_PER_NS 4.0
#define LOOK_NS	     0.3e6

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
		net_client_open(&f->stream[k].client, b);
	return make_room(f, NET_MAX_MESSAGE);
}

/* One stream more. */
static int add_stream(struct net_flow *f, const struct net_host *host)
{
	struct net_stream *at = &f->stream[f->streams];
	const struct net_hello hello = {
		.op = NET_SINK,
		.size = f->plan.size,
		.span_ns = (uint64_t)f->plan.span_ns,
	};
	const int no_delay =
		0; /* as it is for a program that asks for nothing */
	int err;

	at->taken = 0;
	at->from = at->to = (struct net_report) { 0 };
	err = net_client_begin(&at->client, host, &hello);
	if (err)
		return err;
	f->streams++;
	setsockopt(at->client.fd, IPPROTO_TCP, TCP_NODELAY, &no_delay,
		   sizeof(no_delay));
	return 0;
}

/* Return: 0 or as net_client_send(). */
static int send_file(struct net_flow *f, struct net_stream *to)
{
	const off_t size = f->plan.size;
	off_t at = 0;

	to->client.waits = 0;
	while (at < size) {
		const ssize_t n = sendfile(to->client.fd, f->file, &at,
					   (size_t)(size - at));
		const int err = n > 0	? 0
				: n < 0 ? net_client_check(&to->client, errno)
					: -EIO;

		if (err)
			return err;
	}
	return 0;
}

static int send_message(struct net_flow *f, struct net_stream *to)
{
	const int err = f->plan.sendfile ? send_file(f, to)
					 : net_client_send(&to->client, f->buf,
							   f->plan.size);

	to->taken += err ? 0 : f->plan.size;
	return err;
}

int net_flow_send(struct net_flow *f)
{
	const double message_ns = MESSAGE_NS + f->plan.size / BYTES_PER_NS;
	const double n = LOOK_NS / (message_ns * f->streams);
	int err = bench_stopping(f->b) ? -ECANCELED : 0;

	for (unsigned int i = 0; (i == 0 || i < n) && !err; i++)
		for (unsigned int k = 0; k < f->streams && !err; k++)
			err = send_message(f, &f->stream[k]);
	return err ? net_client_fail(&f->stream[0].client, err, "send") : 0;
}

/* The next report of a stream; less than what was sent is for the evidence,
 * more is no count.  @wait: for it.  Return: 1, 0 (none is there), or as
 * net_client_receive(). */
static int read_report(struct net_stream *at, bool wait)
{
	struct net_report r;
	ssize_t n = 0;
	int err;

	if (!wait) {
		n = recv(at->client.fd, &r, sizeof(r), MSG_DONTWAIT);
		if (n <= 0)
			return n < 0 && (errno == EAGAIN || errno == EINTR)
				       ? 0
				       : -ECONNRESET;
	}
	err = net_client_receive(&at->client, (char *)&r + n,
				 sizeof(r) - (size_t)n);
	if (err)
		return err;
	if (r.bytes > at->taken || r.bytes < at->to.bytes)
		return -EPROTO;
	at->from = at->to;
	at->to = r;
	return 1;
}

static int fail_report(struct net_flow *f, int err)
{
	return net_client_fail(&f->stream[0].client, err, "wait for a report");
}

/* Those that have come, up to the span that holds the moment: one between two
 * reports. Return: 1, 0 (it is not there yet), or as net_client_receive(). */
static int find_span(struct net_stream *at, uint64_t moment)
{
	int got = 1;

	while (got > 0 && (!at->from.ns || at->to.ns <= moment))
		got = read_report(at, false);
	return got;
}

static double now_ns(const struct net_flow *f)
{
	const struct timer *t = bench_timer(f->b);

	return (double)timer_end(t->method) * 1e9 / t->hz;
}

/* The first time, which counts for nothing. */
static int warm_up(struct net_flow *f)
{
	const double begin = now_ns(f);
	int err;

	do
		err = net_flow_send(f);
	while (!err && now_ns(f) - begin < f->plan.warm_up_ns);
	for (unsigned int k = 0; k < f->streams && !err; k++) {
		struct net_stream *at = &f->stream[k];
		const int got = find_span(at, UINT64_MAX);

		err = got < 0 ? fail_report(f, got) : 0;
		if (at->to.ns > f->moment)
			f->moment = at->to.ns;
	}
	return err;
}

int net_flow_begin(struct net_flow *f, const struct net_host *host,
		   const struct net_flow_plan *plan)
{
	int err = make_room(f, plan->size);

	f->plan = *plan;
	f->streams = 0;
	f->moment = 0;
	while (!err && f->streams < plan->streams)
		err = add_stream(f, host);
	return err ? err : warm_up(f);
}

int net_flow_finish(struct net_flow *f)
{
	int got = 1;

	for (unsigned int k = 0; k < f->streams; k++)
		shutdown(f->stream[k].client.fd, SHUT_WR);
	for (unsigned int k = 0; k < f->streams && got > 0; k++)
		do
			got = read_report(&f->stream[k], true);
		while (got > 0 && f->stream[k].to.ns);
	return got < 0 ? fail_report(f, got) : 0;
}

int net_flow_rate(struct net_flow *f, double *rate)
{
	double sum = 0;

	*rate = 0;
	for (unsigned int k = 0; k < f->streams; k++) {
		struct net_stream *at = &f->stream[k];
		const int got = find_span(at, f->moment);

		if (got <= 0)
			return got < 0 ? fail_report(f, got) : 0;
		sum += (double)(at->to.bytes - at->from.bytes) * 1e9 /
		       (double)(at->to.ns - at->from.ns);
	}
	f->moment += (uint64_t)f->plan.span_ns;
	*rate = sum;
	return 0;
}

struct net_flow_total net_flow_total(const struct net_flow *f)
{
	struct net_flow_total all = { 0 };

	for (unsigned int k = 0; k < f->streams; k++) {
		struct tcp_info info;

		net_client_info(&f->stream[k].client, &info);
		all.taken += f->stream[k].taken;
		all.counted += f->stream[k].to.bytes;
		all.again += info.tcpi_total_retrans;
	}
	return all;
}

void net_flow_end(struct net_flow *f)
{
	for (unsigned int k = 0; k < NET_FLOW_STREAMS; k++)
		net_client_end(&f->stream[k].client);
	f->streams = 0;
}

void net_flow_close(struct net_flow *f)
{
	free(f->buf);
	if (f->file > 0)
		close(f->file);
}
