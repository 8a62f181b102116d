/* SPDX-License-Identifier: MIT */
/*
 * tcp_bandwidth - how many bytes a second does TCP carry?
 *
 * This process sends messages of size bytes, one after the other, into streams
 * connections in turn; the server receives and throws away.  The server counts:
 * after each block it reports on the same connection how many bytes it has
 * got, and what is timed is the time from one report to the next while the
 * next block is already on its way.  So the flow never stops, and starting it
 * up counts for nothing.  The delay of small segments (Nagle) is at work, as it
 * is for a program that asks for nothing.
 *
 * via says how a message gets into the connection: send copies it; zerocopy
 * (MSG_ZEROCOPY) leaves it where it is, but the kernel copies it after all
 * when it goes to a process on this host (fact copied); sendfile and splice
 * (through a pipe) take it out of the page cache.
 *
 * peak is the greatest rate from report to report that was seen, rate the
 * median.  acked is the way of the CSE 221 report: bytes that were newly
 * acknowledged in a span of time, from captured packets; its value is the
 * greatest of them.  The facts say what the connection had: window_bytes and
 * srtt_ns, whose quotient is the report's bound, what was retransmitted, and
 * the algorithm (one that paces, such as bbr, holds a stream back by itself).
 *
 * Measures: bytes that the server has received in a second.
 * Includes: the system calls and copies of both ends and the network stacks.
 * After:    lmbench bw_tcp, iperf3 (which counts for seconds, in 128 KiB);
 *           CSE 221 report section 5.3 (acked).
 * Needs:    two CPUs for place=other_cpu; CAP_NET_RAW and libpcap for acked.
 */
#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

#include "bench.h"
#include "lib/net_capture.h"
#include "lib/net_client.h"
#include "lib/net_host.h"
#include "lib/net_pour.h"

#define MAX_STREAMS 4
#define MAX_CASES   40

/* What a message takes at least and at most, to choose the bytes of a block:
 * how well it fits decides only how long an event takes. */
#define MESSAGE_NS	500.0
#define BYTES_PER_NS	4.0
#define EVENT_NS	4e6
#define PILOT_BYTES	(256u << 10)
#define PILOT_MESSAGES	1024u
#define PILOT_TO_EVENT	4.0
#define PILOTS		8
#define CAPTURE_WAIT_MS 1

/* An acknowledgement may stand for a whole window, some MiB: a span of time
 * needs some of them. */
#define ACKED_BYTES (4u << 20)
#define LEAST_ACKS  3

struct flow_case {
	enum net_via via;
	uint32_t size;
	unsigned int streams;
	enum net_place place;
	bool acked;
	const struct bench_case *peak;
};

struct state {
	struct net_options net; /* first: the option table fills it */
	struct flow_case cases[MAX_CASES];
	size_t n_cases;
	struct net_hosts hosts;
	struct net_pour pour;
	struct net_capture capture;
	/* The flow at hand. */
	struct net_client client[MAX_STREAMS];
	unsigned int streams; /* that are open */
	uint64_t messages;    /* in a block of each stream */
	uint64_t sent;	      /* blocks of each stream */
	uint64_t reported;
	uint64_t mark; /* when the last report was there */
};

static void add(struct bench *b, struct state *s, const struct flow_case *fc)
{
	struct flow_case *keep = &s->cases[s->n_cases++];
	struct bench_case c = {
		.params = {
			P_STR("net", net_hosts_label(&s->net)),
			P_STR("via", net_via_name(fc->via)),
			P_SIZE("size", fc->size),
			P_INT("streams", fc->streams),
			P_STR("place", net_hosts_place(&s->net, fc->place)),
			P_STR("figure", fc->acked ? "acked" : "rate"),
		},
		.arg = keep,
		.skip = net_hosts_why_not(&s->net, b, fc->place, AF_INET),
		.unit = "B/s",
		.better = BENCH_HIGHER,
		.estimator = fc->acked ? BENCH_EST_MAX : BENCH_EST_DEFAULT,
		.events = 8,
		.budget_ms = 200,
		/* A new connection is slow at first: one flow for all. */
		.exclusive = true,
		.switches = true,
	};

	*keep = *fc;
	bench_add(b, &c);
	if (fc->via != NET_SEND || fc->acked || fc->size != 128 << 10)
		return;
	c.derived = true;
	c.estimator = BENCH_EST_MAX;
	c.params[5].text = "peak";
	keep->peak = bench_add(b, &c);
}

static void add_place(struct bench *b, struct state *s, enum net_place place)
{
	static const uint32_t near[] = { 1, 1024, 131072 };
	static const uint32_t far[] = { 1,     64,     1024,   8192,
					32768, 131072, 1048576 };
	const bool all = place != NET_SAME_CPU || s->net.peer;
	const uint32_t *sizes = all ? far : near;
	const size_t n =
		all ? sizeof(far) / sizeof(*far) : sizeof(near) / sizeof(*near);

	for (size_t i = 0; i < n; i++)
		add(b, s,
		    &(struct flow_case) { NET_SEND, sizes[i], 1,
					  .place = place });
}

static int cases(struct bench *b, void *state)
{
	struct state *s = state;
	const enum net_place far = net_hosts_places(&s->net) - 1;

	for (enum net_place place = 0; place <= far; place++)
		add_place(b, s, place);
	add(b, s,
	    &(struct flow_case) { NET_SEND, 131072, 1, .place = 0,
				  .acked = true });
	add(b, s,
	    &(struct flow_case) { NET_SEND, 131072, MAX_STREAMS,
				  .place = far });
	for (enum net_via via = NET_ZEROCOPY; via < NET_VIAS; via++)
		add(b, s,
		    &(struct flow_case) { via, 1048576, 1, .place = far });
	return 0;
}

static int setup(struct bench *b, void *state)
{
	struct state *s = state;
	const int err = net_pour_open(&s->pour);

	if (err)
		return bench_fail(b, -err, "memory for messages");
	for (unsigned int k = 0; k < MAX_STREAMS; k++)
		if (net_client_open(&s->client[k], b))
			return -EIO; /* it was said why */
	return net_hosts_open(&s->hosts, b, &s->net);
}

static int begin(struct net_client *c, const struct net_host *host,
		 uint32_t size, uint64_t block)
{
	const struct net_hello hello = {
		.op = NET_SINK,
		.size = size,
		.block = block,
	};
	const int off = 0;
	const int err = net_client_begin(c, host, &hello);

	if (!err && c->fd >= 0)
		setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &off, sizeof(off));
	return err;
}

static int send_block(struct state *s, const struct flow_case *fc,
		      uint64_t messages)
{
	int err = 0;

	for (uint64_t i = 0; i < messages && !err; i++)
		for (unsigned int k = 0; k < s->streams && !err; k++)
			err = net_pour_message(&s->pour, &s->client[k], fc->via,
					       fc->size);
	return err;
}

/* The next report of each stream must say what the count is by now. */
static int read_reports(struct state *s, uint64_t block)
{
	s->reported++;
	for (unsigned int k = 0; k < s->streams; k++) {
		unsigned char report[NET_REPORT_BYTES];
		const int err = net_client_receive(&s->client[k], report,
						   sizeof(report));

		if (err)
			return err;
		if (net_report_unpack(report) != s->reported * block)
			return -EPROTO;
	}
	return 0;
}

static uint64_t now(const struct bench *b)
{
	return timer_end(bench_timer(b)->method);
}

/* The least that @few messages took on a connection of their own, in ns. */
static int time_few(struct bench *b, struct state *s,
		    const struct flow_case *fc, uint64_t few, double *ns)
{
	int err = 0;

	*ns = 0;
	s->reported = 0;
	for (int i = 0; i < PILOTS && !err; i++) {
		const uint64_t begin_ticks = now(b);
		double took;

		err = send_block(s, fc, few);
		if (!err)
			err = read_reports(s, few * fc->size);
		took = bench_ns(b, (double)(now(b) - begin_ticks));
		if (i == 0 || took < *ns)
			*ns = took;
	}
	return err;
}

/* How many messages make a block that takes about as long as an event should:
 * as many as at the best speed, but fewer over a slow network. */
static int pilot(struct bench *b, struct state *s, const struct flow_case *fc,
		 const struct net_host *host)
{
	const double event_ns = EVENT_NS / fc->streams;
	const double most = event_ns / (MESSAGE_NS + fc->size / BYTES_PER_NS);
	uint64_t few = PILOT_BYTES / fc->size;
	double ns, fit;
	int err;

	few = few > PILOT_MESSAGES ? PILOT_MESSAGES : few ? few : 1;
	err = begin(&s->client[0], host, fc->size, few * fc->size);
	if (err || s->client[0].fd < 0)
		return err;
	s->streams = 1;
	err = net_pour_prepare(&s->client[0], fc->via);
	if (!err)
		err = time_few(b, s, fc, few, &ns);
	if (!err && fc->via == NET_ZEROCOPY)
		err = net_pour_reap(&s->pour, &s->client[0]);
	if (err == -ENOPROTOOPT)
		return bench_skip(b, "%s: not in this kernel",
				  net_via_name(fc->via));
	if (err)
		return net_client_fail(&s->client[0], err, "first messages");
	net_client_end(&s->client[0]);
	s->streams = 0;
	fit = PILOT_TO_EVENT * event_ns * (double)few / ns;
	fit = fit < most ? fit : most;
	if (fc->acked && fit < (double)ACKED_BYTES / fc->size)
		fit = (double)ACKED_BYTES / fc->size;
	s->messages = fit < 1 ? 1 : (uint64_t)fit;
	return 0;
}

static int open_streams(struct bench *b, struct state *s,
			const struct flow_case *fc)
{
	const struct net_host *host =
		net_hosts_need(&s->hosts, fc->place, AF_INET);
	int err;

	if (!host)
		return -EIO; /* it was said why */
	err = pilot(b, s, fc, host);
	s->sent = s->reported = 0;
	while (!err && s->streams < fc->streams && !bench_stopping(b)) {
		struct net_client *c = &s->client[s->streams++];

		err = begin(c, host, fc->size, s->messages * fc->size);
		if (!err)
			err = net_pour_prepare(c, fc->via);
	}
	return err;
}

static int begin_capture(struct bench *b, struct state *s)
{
	const struct net_client *c = &s->client[0];
	struct net_addr here = { .len = sizeof(here.sa) };
	int err;

	if (getsockname(c->fd, (struct sockaddr *)&here.sa, &here.len))
		return bench_fail(b, errno, "getsockname");
	err = net_capture_open(&s->capture, b, &here,
			       net_addr_port(&c->host->addr));
	return err == -ENOTSUP ? bench_skip(b, "%s", s->capture.why) : err;
}

/* The flow begins here, and goes on until leave(). */
static int enter(struct bench *b, void *state, const struct bench_case *c)
{
	struct state *s = state;
	const struct flow_case *fc = c->arg;
	int err;

	s->pour.unfinished = s->pour.copied = 0;
	s->streams = 0;
	err = open_streams(b, s, fc);
	if (!err && fc->acked && !bench_stopping(b))
		err = begin_capture(b, s);
	if (err || bench_stopping(b))
		return err;
	err = send_block(s, fc, s->messages);
	if (err)
		return net_client_fail(&s->client[0], err, "send");
	s->sent++;
	s->mark = now(b);
	return 0;
}

/* The bytes acknowledged between the first and the last acknowledgement that
 * was captured, in a second; 0 if there were too few. */
static double acked_rate(struct net_capture *cap)
{
	struct net_packet p, first = { 0 }, last = { 0 };
	unsigned int acks = 0;

	while (!net_capture_next(cap, &p, CAPTURE_WAIT_MS)) {
		if (p.to_server)
			continue;
		last = p;
		if (!acks++)
			first = p;
	}
	if (acks < LEAST_ACKS || last.ns <= first.ns)
		return 0;
	return (double)(last.ack - first.ack) * 1e9 /
	       (double)(last.ns - first.ns);
}

static void record(struct bench *b, struct state *s, const struct bench_case *c,
		   double ns)
{
	const struct flow_case *fc = c->arg;
	const double bytes =
		(double)s->messages * (double)fc->size * s->streams;

	if (fc->acked) {
		const double rate = acked_rate(&s->capture);

		if (rate > 0)
			bench_record_value(b, c, rate);
		return;
	}
	bench_record_value(b, c, bytes * 1e9 / ns);
	if (!fc->peak)
		return;
	bench_record_value(b, fc->peak, bytes * 1e9 / ns);
	bench_evidence(b, fc->peak, "reports", 1, 1);
}

static int sample(struct bench *b, void *state, const struct bench_case *c)
{
	struct state *s = state;
	const struct flow_case *fc = c->arg;
	const uint64_t block = s->messages * fc->size, mark = s->mark;
	int err;

	if (bench_stopping(b))
		return 0;
	if (fc->acked)
		net_capture_drain(&s->capture);
	err = send_block(s, fc, s->messages);
	if (!err) {
		s->sent++;
		err = read_reports(s, block);
	}
	s->mark = now(b);
	if (err)
		return net_client_fail(&s->client[0], err, "send");
	record(b, s, c, bench_ns(b, (double)(s->mark - mark)));
	return 0;
}

static void tell_facts(struct bench *b, struct state *s,
		       const struct bench_case *c)
{
	const struct flow_case *fc = c->arg;
	struct tcp_info info = { 0 };
	uint64_t again = 0;

	net_client_facts(&s->client[0], c);
	for (unsigned int k = 0; k < s->streams; k++) {
		net_client_info(&s->client[k], &info);
		again += info.tcpi_total_retrans;
	}
	bench_fact(b, c, "retransmitted", (double)again);
	bench_fact(b, c, "window_bytes",
		   (double)info.tcpi_snd_cwnd * info.tcpi_snd_mss);
	bench_fact(b, c, "srtt_ns", info.tcpi_rtt * 1e3);
	bench_fact(b, c, "block_bytes", (double)(s->messages * fc->size));
	if (fc->via == NET_ZEROCOPY)
		bench_fact(b, c, "copied", s->pour.copied > 0);
}

/* What is still on its way must arrive. */
static int finish(struct state *s, const struct flow_case *fc)
{
	int err = 0;

	if (fc->via == NET_ZEROCOPY)
		err = net_pour_reap(&s->pour, &s->client[0]);
	while (!err && s->reported < s->sent)
		err = read_reports(s, s->messages * fc->size);
	return err;
}

static int leave(struct bench *b, void *state, const struct bench_case *c)
{
	struct state *s = state;
	const struct flow_case *fc = c->arg;
	int err = 0;

	if (s->sent && !bench_stopping(b)) {
		const double block =
			(double)s->messages * fc->size * s->streams;

		err = finish(s, fc);
		bench_evidence(b, c, "bytes", block * (double)s->sent,
			       block * (double)s->reported);
		tell_facts(b, s, c);
		err = err ? net_client_fail(&s->client[0], err,
					    "the last of the data")
			  : 0;
	}
	net_capture_close(&s->capture);
	for (unsigned int k = 0; k < MAX_STREAMS; k++)
		net_client_end(&s->client[k]);
	s->sent = 0;
	return err;
}

static void teardown(struct bench *b, void *state)
{
	struct state *s = state;

	(void)b;
	net_capture_close(&s->capture);
	for (unsigned int k = 0; k < MAX_STREAMS; k++)
		net_client_close(&s->client[k]);
	net_hosts_close(&s->hosts);
	net_pour_close(&s->pour);
}

static const struct opt options[] = { NET_OPTIONS(state), OPT_END };

const struct bench_desc bench_desc = {
	.name = "tcp_bandwidth",
	.opts = options,
	.state_size = sizeof(struct state),
	.cases = cases,
	.setup = setup,
	.enter = enter,
	.sample = sample,
	.leave = leave,
	.teardown = teardown,
};
