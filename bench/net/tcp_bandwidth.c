/* SPDX-License-Identifier: MIT */
/*
 * tcp_bandwidth - how many bytes a second does TCP carry?
 *
 * This process sends messages of size bytes, one after the other, into streams
 * connections in turn; the server receives and throws away.  The server counts:
 * after each block it reports on the same connection how many bytes it has
 * got and when, and what counts is the time from one report to the next, by the
 * server's clock, while the next block is already on its way.  So the flow
 * never stops, starting it up counts for nothing, and a client that is held up
 * lengthens no span and shortens none.  The delay of small segments (Nagle) is
 * at work, as it is for a program that asks for nothing.
 *
 * via says how a message gets into the connection: send copies it; zerocopy
 * (MSG_ZEROCOPY) leaves it where it is, but the kernel copies it after all
 * when it goes to a process on this host (fact copied); sendfile and splice
 * (through a pipe) take it out of the page cache.
 *
 * rate is the median of such spans.  acked is the way of the CSE 221 report:
 * bytes that were newly acknowledged in a span of time, from captured packets;
 * its value is the greatest of them.  The facts say what the connection had:
 * window_bytes and srtt_ns, whose quotient is the report's bound, segment_bytes
 * (what a segment carried in the mean), what was retransmitted, and the
 * algorithm (one that paces, such as bbr, holds a stream back by itself).
 *
 * Measures: bytes that the server has received in a second.
 * Includes: the system calls and copies of both ends and the network stacks.
 * After:    lmbench bw_tcp, iperf3 (which counts for seconds, in 128 KiB);
 *           CSE 221 report section 5.3 (acked).
 * Needs:    two CPUs for place=other_cpu; CAP_NET_RAW and libpcap for acked.
 */
#include <errno.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "bench.h"
#include "lib/net_capture.h"
#include "lib/net_flow.h"
#include "lib/net_host.h"

#define MAX_CASES 40

/* An event: long against the wake-up of the client after a report, and short
 * enough for some of them to fit between what else the machine does. */
#define EVENT_NS 1.2e6

/* Blocks of an event, which is one if the pilot was right: if it was held up
 * they are too short, and more of them make a span that says something. */
#define MOST_BLOCKS 200

/* A flow's first ms are others: the congestion control looks for the speed, and
 * the buffers grow.  As long at any effort, or that would decide the value. */
#define WARM_UP_NS 12e6

/* A network that is not memory alone has round trips of some ms and lets
 * through in bursts what it held back: all that lasts longer there. */
#define SLOWER 16

/* An acknowledgement may stand for a whole window, some MiB: a span of time
 * needs some of them.  Each block has one at least, with the server's report,
 * so that some blocks have enough if something holds the others back. */
#define ACKED_BYTES	(4u << 20)
#define LEAST_ACKS	3
#define MOST_ACKED	8 /* blocks in a span */
#define CAPTURE_WAIT_MS 1

struct flow_case {
	enum net_via via;
	uint32_t size;
	unsigned int streams;
	enum net_place place;
	bool acked;
};

struct state {
	struct net_options net; /* first: the option table fills it */
	struct flow_case cases[MAX_CASES];
	size_t n_cases;
	struct net_hosts hosts;
	struct net_flow flow;
	struct net_capture capture;
};

static unsigned int slower(const struct state *s)
{
	return net_hosts_is_memory(&s->net) ? 1 : SLOWER;
}

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
		/* A new connection is slow at first: one flow for all. */
		.exclusive = true,
		.switches = true,
	};

	*keep = *fc;
	bench_add(b, &c);
}

static void add_place(struct bench *b, struct state *s, enum net_place place)
{
	static const uint32_t near[] = { 1, 1024, 131072 };
	static const uint32_t far[] = { 1, 64, 1024, 8192, 131072, 1048576 };
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
	    &(struct flow_case) { NET_SEND, 131072, NET_FLOW_STREAMS,
				  .place = far });
	for (enum net_via via = NET_ZEROCOPY; via < NET_VIAS; via++)
		add(b, s,
		    &(struct flow_case) { via, 1048576, 1, .place = far });
	return 0;
}

static int setup(struct bench *b, void *state)
{
	struct state *s = state;
	const int err = net_flow_open(&s->flow, b);

	return err ? err : net_hosts_open(&s->hosts, b, &s->net);
}

static int begin_capture(struct bench *b, struct state *s)
{
	const struct net_client *c = &s->flow.client[0];
	const int err = net_capture_connection(&s->capture, b, c->fd,
					       net_addr_port(&c->host->addr));

	return err == -ENOTSUP ? bench_skip(b, "%s", s->capture.why) : err;
}

/* The flow begins here, and goes on until leave(). */
static int enter(struct bench *b, void *state, const struct bench_case *c)
{
	struct state *s = state;
	const struct flow_case *fc = c->arg;
	const struct net_host *host =
		net_capture_host(&s->capture, &s->hosts, fc->place, AF_INET);
	int err;

	if (!host)
		return -EIO; /* it was said why */
	err = net_flow_begin(&s->flow, host,
			     &(struct net_flow_plan) {
				     .via = fc->via,
				     .size = fc->size,
				     .streams = fc->streams,
				     .block_ns = EVENT_NS * slower(s),
				     .block_bytes = fc->acked ? ACKED_BYTES : 0,
				     .warm_up_ns = WARM_UP_NS * slower(s),
			     });
	if (!err && fc->acked && !bench_stopping(b))
		err = begin_capture(b, s);
	return err;
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

/* One block after the other.  Return: 0, also after Ctrl-C. */
static int pour_blocks(struct bench *b, struct state *s, unsigned int n)
{
	int err = 0;

	for (unsigned int i = 0; i < n && !err && !bench_stopping(b); i++)
		err = net_flow_step(&s->flow);
	if (err)
		net_flow_end(&s->flow);
	return err;
}

/* Looking at what was captured takes a millisecond, in which nothing flows: so
 * the next span has more blocks, and none of this one. */
static int sample_acked(struct bench *b, struct state *s,
			const struct bench_case *c)
{
	double rate = 0;
	int err = 0;

	for (unsigned int n = 1; n <= MOST_ACKED && rate <= 0 && !err; n *= 2) {
		if (bench_stopping(b))
			return 0;
		net_capture_drain(&s->capture);
		err = pour_blocks(b, s, n);
		if (!err && !bench_stopping(b))
			rate = acked_rate(&s->capture);
	}
	if (rate > 0)
		bench_record_value(b, c, rate);
	return err;
}

static int sample(struct bench *b, void *state, const struct bench_case *c)
{
	struct state *s = state;
	const struct flow_case *fc = c->arg;
	double rate = 0;
	int err = 0;

	if (fc->acked)
		return sample_acked(b, s, c);
	for (int i = 0; i < MOST_BLOCKS && rate <= 0; i++) {
		err = pour_blocks(b, s, 1);
		if (err || bench_stopping(b))
			return err;
		rate = net_flow_rate(&s->flow);
	}
	if (rate > 0)
		bench_record_value(b, c, rate);
	return 0;
}

static void tell_facts(struct bench *b, struct state *s,
		       const struct bench_case *c)
{
	const struct flow_case *fc = c->arg;
	uint64_t of_the_first = 0;
	struct tcp_info info;

	net_client_facts(&s->flow.client[0], c, &of_the_first);
	net_client_info(&s->flow.client[0], &info);
	bench_fact(b, c, "retransmitted", (double)net_flow_again(&s->flow));
	bench_fact(b, c, "window_bytes",
		   (double)info.tcpi_snd_cwnd * info.tcpi_snd_mss);
	bench_fact(b, c, "srtt_ns", info.tcpi_rtt * 1e3);
	if (info.tcpi_data_segs_out)
		bench_fact(b, c, "segment_bytes",
			   (double)info.tcpi_bytes_sent /
				   info.tcpi_data_segs_out);
	bench_fact(b, c, "block_bytes",
		   (double)net_flow_block(&s->flow) / fc->streams);
	if (fc->via == NET_ZEROCOPY)
		bench_fact(b, c, "copied", s->flow.pour.copied > 0);
}

/* What connections took must be what the server has counted in the end. */
static int conclude_flow(struct bench *b, struct state *s,
			 const struct bench_case *c)
{
	const struct net_flow *f = &s->flow;
	const int err = net_flow_finish(&s->flow);

	if (err || bench_stopping(b))
		return err;
	bench_proof(b, c, "bytes", (double)f->pour.poured,
		    (double)net_flow_counted(f));
	tell_facts(b, s, c);
	return 0;
}

static int leave(struct bench *b, void *state, const struct bench_case *c)
{
	struct state *s = state;
	const bool flowed = s->flow.streams && s->flow.sent;
	const int err =
		flowed && !bench_stopping(b) ? conclude_flow(b, s, c) : 0;

	net_capture_end(&s->capture);
	net_flow_end(&s->flow);
	return err;
}

static void teardown(struct bench *b, void *state)
{
	struct state *s = state;

	(void)b;
	net_capture_close(&s->capture);
	net_flow_close(&s->flow);
	net_hosts_close(&s->hosts);
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
