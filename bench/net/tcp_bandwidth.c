/* SPDX-License-Identifier: MIT */
/*
 * tcp_bandwidth - how many bytes a second does TCP carry?
 *
 * This process sends messages of size bytes, one after the other, into streams
 * connections in turn; the server receives and throws away.  The server counts,
 * and once in some ms of its clock says on the same connection how many bytes
 * it has got and when: what counts is the time from one report to the next.
 * This process reads the reports between its messages and waits for none.  So
 * the flow never stops, starting it up counts for nothing, and a client that is
 * held up lengthens no span and shortens none.  The delay of small segments
 * (Nagle) is at work, as it is for a program that asks for nothing.
 *
 * via says how a message gets into the connection: send copies it from memory,
 * sendfile takes it out of the page cache.
 *
 * rate is all bytes by all the time of such spans, as iperf3 says it.  A flow
 * between two CPUs has no one speed: most of its messages wake the receiver,
 * and what that costs depends on how far apart the two CPUs are, which a
 * hypervisor changes.  acked is the way of the CSE 221 report: bytes that were
 * newly acknowledged in a span of time, from captured packets; its value is the
 * greatest of them.  The facts say what the connection had: window_bytes and
 * srtt_ns, whose quotient is the report's bound, segment_bytes (what a segment
 * carried in the mean), what was retransmitted, and the algorithm (one that
 * paces, such as bbr, holds a stream back by itself).
 *
 * Measures: bytes that the server has received in a second.
 * Includes: the system calls and copies of both ends and the network stacks.
 * After:    lmbench bw_tcp, iperf3 (whose server calls select() before each
 *           read, which makes it faster);
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
#include "lib/net_wire.h"

/* All sizes where both ends have a CPU, three of them where they share one, and
 * one point of all else. */
static const char points[] =
	"net=$net via={send,sendfile} size={1,64,1K,8K,128K,1M,?1..64M}"
	" streams={1,$streams} place=$place figure={rate,acked};"
	"not via=sendfile figure=acked; not via=sendfile streams!=1;"
	"not via=sendfile place!=$far !asked; not via=sendfile size!=1M !asked;"
	"not figure=acked place!=$near; not figure=acked streams!=1;"
	"not figure=acked size!=128K;"
	"not streams!=1 place!=$far; not streams!=1 size!=128K;"
	"not place!=$far size!={1,1K,128K} !asked;"
	/* A new connection is slow at first: one flow for all. */
	"is unit='B/s' higher mean exclusive; is max if "
	"figure=acked;" NET_HOSTS_RULES;

/* From report to report. */
#define SPAN_NS 4.8e6

/* What is sent for one span at most, in net_flow_send(): then its server has
 * no clock, or its packets are not captured. */
#define MOST_SENT 2000

/* A flow's first ms are others: the congestion control looks for the speed, and
 * the buffers grow.  As long at any effort, or that would decide the value. */
#define WARM_UP_NS 12e6

/* A network that is not memory alone has round trips of some ms and lets
 * through in bursts what it held back: all that lasts longer there. */
#define SLOWER 16

/* An acknowledgement may stand for a whole window, some MiB: of so many calls
 * of net_flow_send() on the rate is taken that has some of them. */
#define LEAST_ACKS	3
#define LEAST_ACKED	4
#define CAPTURE_WAIT_MS 1

struct state {
	struct net_options net; /* first: the option table fills it */
	bool acked;		/* this visit */
	struct net_hosts hosts;
	struct net_flow flow;
	struct net_capture capture;
};

static int cases(struct bench *b, void *state)
{
	const struct state *s = state;

	BENCH_SET_NUMBER(b, "streams", BENCH_INT, NET_FLOW_STREAMS);
	net_hosts_set(b, &s->net);
	return 0;
}

static int setup(struct bench *b, void *state)
{
	struct state *s = state;
	const int err = net_flow_open(&s->flow, b);

	return err ? err : net_hosts_open(&s->hosts, b, &s->net);
}

/* The flow begins here, and goes on until leave(). */
static int enter(struct bench *b, void *state, const struct bench_case *c)
{
	struct state *s = state;
	const unsigned int slower = net_hosts_is_memory(&s->net) ? 1 : SLOWER;
	const struct net_flow_plan plan = {
		.sendfile = case_is(c, "via", "sendfile"),
		.size = (uint32_t)case_int(c, "size"),
		.streams = (unsigned int)case_int(c, "streams"),
		.span_ns = SPAN_NS * slower,
		.warm_up_ns = WARM_UP_NS * slower,
	};
	int err = net_hosts_begin(&s->hosts, c, plan.streams);

	s->acked = case_is(c, "figure", "acked");
	if (!err)
		err = net_flow_begin(&s->flow, &s->hosts.host, &plan);
	if (err || !s->acked)
		return err;
	err = net_capture_open(&s->capture, b, s->flow.stream[0].client.fd);
	return s->capture.why ? bench_skip(b, "%s", s->capture.why) : err;
}

/* The acknowledgements of a span. */
struct acks {
	struct net_packet first, last;
	unsigned int n;
};

static bool see_ack(void *arg, const struct net_packet *p)
{
	struct acks *a = arg;

	if (p->to_server)
		return false;
	a->last = *p;
	if (!a->n++)
		a->first = *p;
	return false;
}

/* Looking at what was captured takes a millisecond, in which nothing flows: so
 * the next span has more bytes, and none of this one. */
static int sample_acked(struct bench *b, struct state *s,
			const struct bench_case *c)
{
	for (unsigned int n = LEAST_ACKED; n <= MOST_SENT; n *= 2) {
		struct acks a = { .n = 0 };
		int err = 0;

		net_capture_drain(&s->capture);
		for (unsigned int i = 0; i < n && !err; i++)
			err = net_flow_send(&s->flow);
		if (err)
			return err;
		net_capture_until(&s->capture, CAPTURE_WAIT_MS, see_ack, &a);
		if (a.n < LEAST_ACKS || a.last.ns <= a.first.ns)
			continue;
		bench_record_value(b, c,
				   (double)(a.last.ack - a.first.ack) * 1e9 /
					   (double)(a.last.ns - a.first.ns));
		return 0;
	}
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
		err = net_flow_rate(&s->flow, &rate);
		if (rate > 0)
			break;
		if (!err)
			err = net_flow_send(&s->flow);
	}
	if (rate > 0)
		bench_record_value(b, c, rate);
	return err;
}

static void tell_facts(struct bench *b, struct state *s,
		       const struct bench_case *c)
{
	uint64_t of_the_first = 0;
	struct tcp_info info;

	net_client_facts(&s->flow.stream[0].client, c, &of_the_first);
	net_client_info(&s->flow.stream[0].client, &info);
	bench_fact(b, c, "retransmitted",
		   (double)net_flow_total(&s->flow).again);
	bench_fact(b, c, "window_bytes",
		   (double)info.tcpi_snd_cwnd * info.tcpi_snd_mss);
	bench_fact(b, c, "srtt_ns", info.tcpi_rtt * 1e3);
	if (info.tcpi_data_segs_out)
		bench_fact(b, c, "segment_bytes",
			   (double)info.tcpi_bytes_sent /
				   info.tcpi_data_segs_out);
}

/* What connections took must be what the server has counted in the end. */
static int conclude_flow(struct bench *b, struct state *s,
			 const struct bench_case *c)
{
	struct net_flow_total all;
	int err;

	tell_facts(b, s, c);
	err = net_flow_finish(&s->flow);
	if (err)
		return err;
	all = net_flow_total(&s->flow);
	bench_proof(b, c, "bytes", (double)all.taken, (double)all.counted);
	return 0;
}

static int leave(struct bench *b, void *state, const struct bench_case *c)
{
	struct state *s = state;
	int err = 0;

	if (net_flow_total(&s->flow).taken && !bench_stopping(b))
		err = conclude_flow(b, s, c);
	net_capture_close(&s->capture, b, c);
	net_flow_end(&s->flow);
	net_hosts_end(&s->hosts);
	return err;
}

static void teardown(struct bench *b, void *state)
{
	struct state *s = state;

	net_flow_close(&s->flow);
	net_hosts_close(&s->hosts);
}

static const struct opt options[] = { NET_OPTIONS(state), OPT_END };

const struct bench_desc bench_desc = {
	.name = "tcp_bandwidth",
	.many_cpus = true,
	.opts = options,
	.points = points,
	.state_size = sizeof(struct state),
	.cases = cases,
	.setup = setup,
	.enter = enter,
	.sample = sample,
	.leave = leave,
	.teardown = teardown,
};
