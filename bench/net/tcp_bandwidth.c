/* SPDX-License-Identifier: MIT */
/*
 * tcp_bandwidth - how many bytes a second does TCP carry?
 *
 * This process sends messages of size bytes, one after the other, into streams
 * connections in turn; the server receives and throws away.  The server counts,
 * and once in some ms of its clock reports on the same connection how many
 * bytes it has got and when: the rate uses the time from one report to the
 * next. This process reads the reports between its messages and waits for none.
 * So the flow never stops, starting it up counts for nothing, and a client that
 * is held up lengthens no span and shortens none.  The delay of small segments
 * (Nagle) is at work, as it is for a program that asks for nothing.
 *
 * by is how a message gets into the connection: send copies it from memory,
 * sendfile takes it out of the page cache.
 *
 * rate is all bytes by all the time of such spans, as in iperf3.  A flow
 * between two CPUs has no one speed: most of its messages wake the receiver,
 * and what that costs depends on how far apart the two CPUs are, which a
 * hypervisor changes.  acked is the way of the CSE 221 report: bytes that were
 * newly acknowledged in a span of time, from captured packets; its value is the
 * greatest of them.  Facts describe the connection: window_bytes and
 * srtt_ns, whose quotient is the report's bound, segment_bytes (what a segment
 * carried in the mean), what was retransmitted, and the algorithm (one that
 * paces, such as bbr, holds a stream back by itself).
 *
 * Measures: bytes that the server has received in a second.
 * Includes: the system calls and copies of both ends and the network stacks.
 * After:    lmbench bw_tcp, iperf3 (whose server calls select() before each
 *           read, which makes it faster);
 *           CSE 221 report section 5.3 (acked).
 * Needs:    two CPUs for place=other_cpu; CAP_NET_RAW for acked.
 */
#include <errno.h>
#include <math.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bench.h"
#include "deadline.h"
#include "lib/net_capture.h"
#include "lib/net_host.h"

/* All sizes where both ends have a CPU, three of them where they share one, and
 * one point of all else. */
static const char points[] =
	"net=$net by={send,sendfile} size={1,64,1K,8K,128K,1M,?1..64M}"
	" streams={1,4} place=$place stat={rate,acked};"
	"not by=sendfile stat=acked; not by=sendfile streams!=1;"
	"not by=sendfile place!=$far !asked; not by=sendfile size!=1M !asked;"
	"not stat=acked place!=$near; not stat=acked streams!=1;"
	"not stat=acked size!=128K;"
	"not streams!=1 place!=$far; not streams!=1 size!=128K;"
	"not place!=$far size!={1,1K,128K} !asked;"
	/* A new connection is slow at first: one flow for all. */
	"is unit='B/s' higher mean exclusive; is max if "
	"stat=acked;" NET_HOSTS_RULES;

_Static_assert(NET_SERVERS == 4, "as in the text");

/* From report to report. */
#define SPAN_NS 4.8e6

/* The most messages of one span in send_some(): then its server has no clock,
 * or its packets are not captured. */
#define MOST_SENT 2000

/* A flow's first ms are others: the congestion control looks for the speed, and
 * the buffers grow.  As long at any effort, or that would decide the value. */
#define WARM_UP_MS 12

/* A network that is not memory alone has round trips of some ms and lets
 * through in bursts what it held back: all that lasts longer there. */
#define SLOWER 16

/* An acknowledgement may stand for a whole window, some MiB: of so many calls
 * of send_some() on the rate is taken that has some of them. */
#define LEAST_ACKS  3
#define LEAST_ACKED 4

/* The least time of a message.  Between two polls of the reports the messages
 * of that time are sent, so that polling takes no share of the time. */
#define MESSAGE_NS   800.0
#define BYTES_PER_NS 4.0
#define LOOK_NS	     0.3e6

struct stream {
	struct net_client *client;
	uint64_t taken;		     /* bytes that the connection took */
	struct net_report from, to;  /* a span, between two reports */
	double from_waits, to_waits; /* bench_waits() when each came */
};

struct state {
	struct net_hosts hosts; /* first */
	struct net_capture capture;
	unsigned char *buf; /* a message, of the greatest size so far */
	size_t room;	    /* bytes of it */
	int file;	    /* the same in the page cache */

	/* This visit. */
	bool acked, sendfile;
	uint32_t size; /* of a message */
	double span_ns;
	struct stream stream[NET_SERVERS];
	unsigned int streams; /* that are open */
	uint64_t moment;      /* of the server's clock: see find_rate() */
};

/* Room for a message of @size, in memory and in the file. */
static int make_room(struct bench *b, struct state *s, size_t size)
{
	unsigned char *more;

	if (size <= s->room)
		return 0;
	more = realloc(s->buf, size);
	s->buf = more ? more : s->buf;
	/* Neither zero nor constant: some copies take short cuts for those. */
	for (size_t i = s->room; more && i < size; i++)
		s->buf[i] = (unsigned char)(i * 31 + 7);
	if (!more || pwrite(s->file, s->buf, size, 0) != (ssize_t)size)
		return bench_fail(b, ENOMEM, "memory for messages");
	s->room = size;
	return 0;
}

static int setup(struct bench *b, void *state)
{
	struct state *s = state;
	int err;

	s->file = memfd_create("oscost", MFD_CLOEXEC);
	err = make_room(b, s, NET_MAX_MESSAGE);
	return err ? err : net_hosts_open(&s->hosts, b);
}

/* One stream more. */
static int add_stream(struct state *s)
{
	struct stream *at = &s->stream[s->streams];
	const struct net_hello hello = { .op = NET_SINK,
					 .size = s->size,
					 .span_ns = (uint64_t)s->span_ns };
	int err;

	*at = (struct stream) { .client = &s->hosts.client[s->streams] };
	err = net_client_begin(at->client, hello);
	s->streams += !err;
	return err;
}

/* Return: 0 or as net_send(). */
static int send_file(const struct state *s, struct stream *to)
{
	const off_t size = s->size;
	off_t at = 0;

	while (at < size) {
		const ssize_t n = sendfile(to->client->fd, s->file, &at,
					   (size_t)(size - at));
		const int err = n > 0 ? 0 : net_check(n);

		if (err)
			return err;
	}
	return 0;
}

static int send_message(const struct state *s, struct stream *to)
{
	const int err = s->sendfile ? send_file(s, to)
				    : net_send(to->client->fd, s->buf, s->size);

	to->taken += err ? 0 : s->size;
	return err;
}

/* Messages for some tenths of a ms at least.  Return: 0 or bench_fail(). */
static int send_some(struct bench *b, struct state *s)
{
	const double message_ns = MESSAGE_NS + s->size / BYTES_PER_NS;
	const double n = LOOK_NS / (message_ns * s->streams);
	int err = 0;

	for (unsigned int i = 0; (i == 0 || i < n) && !err; i++)
		for (unsigned int k = 0; k < s->streams && !err; k++)
			err = send_message(s, &s->stream[k]);
	return err ? net_client_fail(s->hosts.client, err, "send") : 0;
}

/* The next report of a stream; less than what was sent is for the evidence,
 * more is no count.  @wait: for it.  Return: 1, 0 (none is there), or
 * bench_fail(). */
static int read_report(struct stream *at, bool wait)
{
	struct net_report r;
	ssize_t n = 0;
	int err = 0;

	if (!wait) {
		n = recv(at->client->fd, &r, sizeof(r), MSG_DONTWAIT);
		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			return 0;
		err = n <= 0 ? -ECONNRESET : 0;
	}
	if (!err)
		err = net_receive(at->client->fd, (char *)&r + n,
				  sizeof(r) - (size_t)n);
	if (!err && (r.bytes > at->taken || r.bytes < at->to.bytes))
		err = -EPROTO;
	if (err)
		return net_client_fail(at->client, err, "wait for a report");
	at->from = at->to;
	at->to = r;
	at->from_waits = at->to_waits;
	at->to_waits = bench_waits();
	return 1;
}

/* Those that have come, up to the span that holds the moment: one between two
 * reports. Return: 1, 0 (it is not there yet), or bench_fail(). */
static int find_span(struct stream *at, uint64_t moment)
{
	int got = 1;

	while (got > 0 && (!at->from.ns || at->to.ns <= moment))
		got = read_report(at, false);
	return got;
}

/* The first time, which counts for nothing. */
static int warm_up(struct bench *b, struct state *s, int for_ms)
{
	const int64_t until = deadline_in(for_ms);
	int err;

	do
		err = send_some(b, s);
	while (!err && !deadline_passed(until));
	for (unsigned int k = 0; k < s->streams && !err; k++) {
		struct stream *at = &s->stream[k];
		const int got = find_span(at, UINT64_MAX);

		err = got < 0 ? got : 0;
		if (at->to.ns > s->moment)
			s->moment = at->to.ns;
	}
	return err;
}

/* The flow begins here, and goes on until leave(). */
static int enter(struct bench *b, void *state, const struct bench_case *c)
{
	struct state *s = state;
	const int slower = s->hosts.in_memory ? 1 : SLOWER;
	const unsigned int streams = (unsigned int)case_int(c, "streams");
	int err = net_hosts_begin(&s->hosts, c, streams);

	s->acked = case_is(c, "stat", "acked");
	s->sendfile = case_is(c, "by", "sendfile");
	s->size = (uint32_t)case_int(c, "size");
	s->span_ns = SPAN_NS * slower;
	s->streams = 0;
	s->moment = 0;
	if (!err)
		err = make_room(b, s, s->size);
	while (!err && s->streams < streams)
		err = add_stream(s);
	if (!err)
		err = warm_up(b, s, WARM_UP_MS * slower);
	if (err || !s->acked)
		return err;
	return net_capture_open(&s->capture, b,
				net_addr_port(s->hosts.client->to));
}

static int sample_acked(struct bench *b, struct state *s,
			const struct bench_case *c)
{
	for (unsigned int n = LEAST_ACKED; n <= MOST_SENT; n *= 2) {
		struct net_packet p, first = { 0 }, last = { 0 };
		unsigned int acks = 0;
		int err = 0;

		while (net_capture_next(&s->capture, &p, false))
			; /* of before */
		for (unsigned int i = 0; i < n && !err; i++)
			err = send_some(b, s);
		if (err)
			return err;
		while (net_capture_next(&s->capture, &p, false)) {
			if (p.to_server)
				continue;
			last = p;
			if (!acks++)
				first = p;
		}
		if (acks < LEAST_ACKS || last.ns <= first.ns)
			continue;
		bench_record_value(b, c,
				   (double)(last.ack - first.ack) * 1e9 /
					   (double)(last.ns - first.ns));
		return 0;
	}
	return 0;
}

/*
 * Bytes a second that the server received in the span that holds the next
 * moment, of all streams.  Moments are span_ns apart, so that a span that lasts
 * longer counts as often as it is longer, and the mean is all bytes by all the
 * time.  @rate: 0 if that span has not been reported yet.  Return: 0 or
 * bench_fail().
 */
static int find_rate(struct bench *b, struct state *s, double *rate)
{
	double sum = 0, waited = 0, ns = INFINITY;

	for (unsigned int k = 0; k < s->streams; k++) {
		struct stream *at = &s->stream[k];
		const int got = find_span(at, s->moment);

		if (got <= 0)
			return got;
		sum += (double)(at->to.bytes - at->from.bytes) * 1e9 /
		       (double)(at->to.ns - at->from.ns);
		ns = fmin(ns, (double)(at->to.ns - at->from.ns));
		waited = fmax(waited, bench_waits() - at->from_waits);
	}
	bench_waited(b, waited, ns);
	s->moment += (uint64_t)s->span_ns;
	*rate = sum;
	return 0;
}

static int sample(struct bench *b, void *state, const struct bench_case *c)
{
	struct state *s = state;
	double rate = 0;
	int err = 0;

	if (s->acked)
		return sample_acked(b, s, c);
	for (unsigned int i = 0; i < MOST_SENT && !err; i++) {
		err = find_rate(b, s, &rate);
		if (rate > 0)
			bench_record_value(b, c, rate);
		if (rate > 0 || err)
			break;
		err = send_some(b, s);
	}
	return err;
}

static void write_facts(struct bench *b, struct state *s,
			const struct bench_case *c)
{
	const struct tcp_info info = net_client_info(s->hosts.client);
	uint64_t again = 0;

	for (unsigned int k = s->streams; k-- > 0;)
		net_client_facts(&s->hosts.client[k], c, &again);
	bench_fact(b, c, "window_bytes",
		   (double)info.tcpi_snd_cwnd * info.tcpi_snd_mss);
	bench_fact(b, c, "srtt_ns", info.tcpi_rtt * 1e3);
	if (info.tcpi_data_segs_out)
		bench_fact(b, c, "segment_bytes",
			   (double)info.tcpi_bytes_sent /
				   info.tcpi_data_segs_out);
}

/* Send no more, and wait for the server's last count: what the connections took
 * must be what it has counted in the end. */
static void finish(struct bench *b, struct state *s, const struct bench_case *c)
{
	uint64_t taken = 0, counted = 0;
	int got = 1;

	write_facts(b, s, c);
	for (unsigned int k = 0; k < s->streams; k++)
		shutdown(s->hosts.client[k].fd, SHUT_WR);
	for (unsigned int k = 0; k < s->streams && got > 0; k++) {
		struct stream *at = &s->stream[k];

		do
			got = read_report(at, true);
		while (got > 0 && at->to.ns);
		taken += at->taken;
		counted += at->to.bytes;
	}
	if (got > 0)
		bench_proof(b, c, "bytes", (double)taken, (double)counted);
}

static void leave(struct bench *b, void *state, const struct bench_case *c)
{
	struct state *s = state;

	if (s->streams && s->stream[0].taken)
		finish(b, s, c);
	net_capture_close(&s->capture, b, c);
	net_hosts_end(&s->hosts);
}

const struct bench_desc bench_desc = {
	.many_cpus = true,
	.opts = net_options,
	.points = points,
	.state_size = sizeof(struct state),
	.cases = net_cases,
	.setup = setup,
	.enter = enter,
	.sample = sample,
	.leave = leave,
};
