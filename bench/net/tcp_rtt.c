/* SPDX-License-Identifier: MIT */
/*
 * tcp_rtt - how long does a message take through the network and back?
 *
 * figure=round_trip: this process sends size bytes and waits for the same
 * bytes from a server, over TCP (without delay of small segments), UDP or as
 * an ICMP echo, which the other kernel answers by itself.  On loopback and
 * between network namespaces (net=veth) the server is a process of ours on
 * this CPU or on another one: place decides more than anything else, so both
 * are given.  wait=block sleeps until the answer is there, wait=busy asks for
 * it again and again, at both ends.
 *
 * kernel_srtt is what the kernel itself thinks: its smoothed round trip of
 * that connection (TCP_INFO), in whole microseconds.  stamped is a round trip
 * of one byte on a socket with the kernel's time stamps, and its three parts:
 * send (from before the call until the packet goes to the driver), wire (until
 * the answer comes from the driver: both ways and all that the other end does)
 * and receive (until the call returns).  packet is the way of the CSE 221
 * report: one byte each millisecond, acknowledged at once, from captured
 * packets: from the segment to its acknowledgement.  It holds no process and
 * no wake-up: what the server had a part in is left out.  spaced are the round
 * trips of the same bytes for the process, and before (from the call to the
 * segment), packet and after (from the acknowledgement to the end of the call)
 * their parts.
 *
 * Measures: ns from before the message is sent until its answer is here.
 * Includes: the system calls of both sides, copying, both network stacks, and
 *           the wake-ups that wait=block needs; packet: the stacks only.
 * After:    lmbench lat_tcp and lat_udp (which place neither end), sockperf
 *           ping-pong (gives half of a round trip), qperf tcp_lat; CSE 221
 *           report section 5.2 (packet).
 * Needs:    two CPUs for place=other_cpu; CAP_NET_RAW for packet and icmp,
 *           and libpcap for packet.
 */
#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bench.h"
#include "deadline.h"
#include "lib/net_acked.h"
#include "lib/net_capture.h"
#include "lib/net_client.h"
#include "lib/net_host.h"
#include "lib/net_ping.h"
#include "lib/net_proof.h"
#include "lib/net_stamp.h"
#include "lib/rtt_plan.h"
#include "wall_clock.h"

/* From message to message of figure=packet, as in the report. */
#define PACKET_GAP_US 1000

#define NO_STAMPS "this kernel or interface gives no time stamps"

struct state {
	struct net_options net; /* first: the option table fills it */
	struct rtt_plan plan;
	struct net_hosts hosts;
	struct net_client client;
	struct net_ping ping;
	struct net_proof proof;
	struct net_capture capture;
	int clock; /* wall_clock_watch() */
	bool no_stamps;
	/* deadline_in() since the first of those lost in a row; 0: none. */
	int64_t give_up;
	unsigned int trips; /* of this connection */
	long sleeps;	    /* of this thread, before them */
};

static struct rtt_tally *tally_of(struct state *s, const struct bench_case *c)
{
	return &s->plan.cases[c->index].tally;
}

static int cases(struct bench *b, void *state)
{
	struct state *s = state;

	s->plan.net = &s->net;
	rtt_plan_make(b, &s->plan);
	return 0;
}

static int setup(struct bench *b, void *state)
{
	struct state *s = state;
	int err = net_ping_open(&s->ping);

	s->clock = wall_clock_watch();
	if (err)
		return bench_fail(b, -err, "memory for messages");
	err = net_client_open(&s->client, b);
	return err ? err : net_hosts_open(&s->hosts, b, &s->net);
}

static long count_sleeps(void)
{
	struct rusage u;

	return getrusage(RUSAGE_THREAD, &u) ? 0 : u.ru_nvcsw;
}

static int begin_icmp(struct bench *b, struct state *s,
		      const struct net_host *host)
{
	const int err = net_ping_icmp_open(&s->ping, host);

	s->client.host = host;
	s->client.busy = false;
	ipc_watch_start(&s->client.watch);
	if (err == -EPERM || err == -EACCES)
		return bench_skip(b, "ICMP is not permitted (needs "
				     "CAP_NET_RAW)");
	if (err)
		return bench_fail(b, -err, "open an ICMP socket");
	net_proof_begin(&s->proof, &s->client, NET_PROOF_ICMP, 0);
	s->sleeps = count_sleeps();
	return 0;
}

static int begin_capture(struct bench *b, struct state *s)
{
	const int err =
		net_capture_connection(&s->capture, b, s->client.fd,
				       net_addr_port(&s->client.host->addr));

	return err == -ENOTSUP ? bench_skip(b, "%s", s->capture.why) : err;
}

static int begin_stamps(struct bench *b, struct state *s,
			const struct rtt_case *rc)
{
	const int fd = rtt_is_udp(rc->proto) ? s->client.udp : s->client.fd;
	/* What has been waited for in vain is not waited for again. */
	const int trips =
		s->no_stamps ? -ENODATA : net_stamp_begin(&s->client, fd);

	if (trips == -EOPNOTSUPP || trips == -ENODATA) {
		s->no_stamps = true;
		return bench_skip(b, NO_STAMPS);
	}
	if (trips < 0)
		return net_client_fail(&s->client, trips, "stamped round trip");
	s->proof.answered += (uint64_t)trips;
	return 0;
}

static int begin_session(struct bench *b, struct state *s,
			 const struct rtt_case *rc, const struct net_host *host)
{
	const struct net_hello hello = {
		.op = rtt_is_udp(rc->proto)	 ? NET_ECHO_UDP
		      : rc->figure == RTT_PACKET ? NET_ACK
						 : NET_ECHO,
		.size = rc->size,
		.flags = rc->busy ? NET_BUSY : 0,
	};
	int err;

	s->trips = 0;
	err = net_client_begin(&s->client, host, &hello);
	if (err || bench_stopping(b))
		return err;
	net_proof_begin(&s->proof, &s->client,
			rtt_is_udp(rc->proto)	   ? NET_PROOF_SERVER
			: rc->figure == RTT_PACKET ? NET_PROOF_ACKED
						   : NET_PROOF_BYTES,
			rc->size);
	s->sleeps = count_sleeps(); /* greeting the server was one */
	return 0;
}

static int enter(struct bench *b, void *state, const struct bench_case *c)
{
	struct state *s = state;
	const struct rtt_case *rc = c->arg;
	const struct net_host *host =
		net_capture_host(&s->capture, &s->hosts, rc->place,
				 rtt_family(rc->proto));
	int err;

	s->give_up = 0;
	s->trips = 0;
	if (!host)
		return -EIO; /* it was said why */
	if (rc->proto == RTT_ICMP)
		return begin_icmp(b, s, host);
	err = begin_session(b, s, rc, host);
	if (err || bench_stopping(b))
		return err;
	if (rc->figure == RTT_PACKET)
		return begin_capture(b, s);
	return rc->figure == RTT_STAMPED ? begin_stamps(b, s, rc) : 0;
}

static int trip(struct state *s, const struct rtt_case *rc)
{
	if (rc->proto == RTT_ICMP)
		return net_ping_icmp(&s->ping, &s->client, rc->size);
	if (rtt_is_udp(rc->proto))
		return net_ping_udp(&s->ping, &s->client, rc->size);
	return net_ping_tcp(&s->ping, &s->client, rc->size);
}

/* A datagram may get lost; that is counted, and no time of a round trip.  So
 * many that nothing comes for long are no accident. */
static bool may_get_lost(struct state *s, const struct bench_case *c, int err)
{
	const struct rtt_case *rc = c->arg;

	if (err != -ETIMEDOUT ||
	    (rc->proto != RTT_ICMP && !rtt_is_udp(rc->proto)))
		return false;
	tally_of(s, c)->lost++;
	if (!s->give_up)
		s->give_up = deadline_in(NET_SILENCE_S * 1000L);
	return !deadline_passed(s->give_up);
}

/* What the kernel thinks now: its estimate is a mean over about 8 round trips,
 * so that nearer values would say the same. */
static void ask_kernel(struct bench *b, const struct rtt_case *rc,
		       struct state *s)
{
	struct tcp_info info;

	if (!rc->srtt)
		return;
	net_client_info(&s->client, &info);
	bench_proof(b, rc->srtt, "estimates", 1, info.tcpi_rtt > 0);
	if (info.tcpi_rtt)
		bench_record_value(b, rc->srtt, info.tcpi_rtt * 1e3);
}

/* One trip; @ticks is 0 if it gives no sample. */
static int timed_trip(struct bench *b, struct state *s,
		      const struct bench_case *c, uint64_t *ticks)
{
	const enum timer_method method = bench_timer(b)->method;
	uint64_t took;
	int err;

	s->trips++;
	*ticks = 0;
	TIMER_INTERVAL(method, took, err = trip(s, c->arg));
	if (may_get_lost(s, c, err))
		return 0;
	if (err)
		return net_client_fail(&s->client, err, "round trip");
	s->give_up = 0;
	s->proof.answered++;
	*ticks = took;
	return 0;
}

static int sample_trips(struct bench *b, struct state *s,
			const struct bench_case *c)
{
	const struct rtt_case *rc = c->arg;
	uint64_t ticks[RTT_TRIPS] = { 0 };
	int err = 0;

	for (int i = 0; i < RTT_TRIPS && !err && !bench_stopping(b); i++)
		err = timed_trip(b, s, c, &ticks[i]);
	if (err || bench_stopping(b))
		return err;
	for (int i = 0; i < RTT_TRIPS; i++)
		if (ticks[i])
			bench_record(b, c, ticks[i]);
	ask_kernel(b, rc, s);
	return 0;
}

/* A trip in which somebody set the clock has no times. */
static bool clock_was_set(struct state *s, const struct bench_case *c)
{
	if (!wall_clock_was_set(s->clock))
		return false;
	tally_of(s, c)->clock_set++;
	return true;
}

/* Stamps that are not in order are no stamps of these packets. */
static void record_part(struct bench *b, const struct bench_case *part,
			uint64_t from_ns, uint64_t to_ns)
{
	bench_purity(b, part, "in_order", BENCH_MOSTLY, 1, from_ns <= to_ns);
	if (from_ns <= to_ns)
		bench_record_value(b, part, (double)(to_ns - from_ns));
}

static int sample_stamped(struct bench *b, struct state *s,
			  const struct bench_case *c)
{
	const struct rtt_case *rc = c->arg;
	struct net_stamps t = { 0 };
	uint64_t at[RTT_PARTS + 1];
	const int err = net_stamp_trip(&s->client,
				       rtt_is_udp(rc->proto) ? s->client.udp
							     : s->client.fd,
				       ++s->ping.number, &t);

	if (may_get_lost(s, c, err))
		return 0;
	if (err)
		return net_client_fail(&s->client, err, "stamped round trip");
	s->give_up = 0;
	s->proof.answered++;
	if (clock_was_set(s, c))
		return 0;
	for (int i = 0; i < RTT_PARTS; i++)
		bench_purity(b, rc->parts[i], "stamps", BENCH_MOSTLY, 1,
			     t.out_ns && t.in_ns);
	if (!t.out_ns || !t.in_ns)
		return 0;
	at[0] = t.begin_ns;
	at[1] = t.out_ns;
	at[2] = t.in_ns;
	at[3] = t.end_ns;
	bench_record_value(b, c, (double)(t.end_ns - t.begin_ns));
	for (int i = 0; i < RTT_PARTS; i++)
		record_part(b, rc->parts[i], at[i], at[i + 1]);
	return 0;
}

static void tell_packets(struct bench *b, struct state *s,
			 const struct bench_case *c,
			 const struct tcp_info *info)
{
	const struct rtt_case *rc = c->arg;

	bench_fact(b, c, "server_acked", tally_of(s, c)->server_acked);
	if (s->proof.answered)
		bench_proof(b, rc->spaced, "bytes_back",
			    (double)s->proof.answered,
			    (double)info->tcpi_bytes_received -
				    NET_ANSWER_BYTES);
}

/* Waking up is a good part of the time: did this end sleep at all? */
static void tell_sleeps(struct bench *b, struct state *s,
			const struct bench_case *c)
{
	struct rtt_tally *t = tally_of(s, c);

	t->trips += s->trips;
	t->sleeps += count_sleeps() - s->sleeps;
	if (t->trips)
		bench_fact(b, c, "sleeps_per_trip",
			   (double)t->sleeps / t->trips);
}

static void tell_least(struct bench *b, const struct rtt_case *rc,
		       struct rtt_tally *t, double least_ns)
{
	if (t->least_ns <= 0 || least_ns < t->least_ns)
		t->least_ns = least_ns;
	bench_fact(b, rc->srtt, "least_ns", t->least_ns);
}

static void tell_facts(struct bench *b, struct state *s,
		       const struct bench_case *c)
{
	const struct rtt_case *rc = c->arg;
	struct rtt_tally *t = tally_of(s, c);
	struct tcp_info info;

	if (rc->figure == RTT_ROUND_TRIP)
		tell_sleeps(b, s, c);
	else
		bench_fact(b, c, "clock_set", t->clock_set);
	if (rc->proto != RTT_ICMP)
		net_client_facts(&s->client, c, &t->again);
	if (rtt_is_udp(rc->proto) || rc->proto == RTT_ICMP)
		bench_fact(b, c, "lost", t->lost);
	net_client_info(&s->client, &info);
	if (rc->figure == RTT_PACKET)
		tell_packets(b, s, c, &info);
	if (rc->srtt)
		tell_least(b, rc, t, info.tcpi_min_rtt * 1e3);
}

/* What there is to say of a connection, before it is closed. */
static int end_session(struct bench *b, struct state *s,
		       const struct bench_case *c)
{
	int err;

	tell_facts(b, s, c);
	err = net_proof_end(&s->proof, &s->client, c);
	net_client_end(&s->client);
	return err;
}

static void record_packet(struct bench *b, const struct bench_case *c,
			  const struct net_acked *t)
{
	const struct rtt_case *rc = c->arg;

	record_part(b, rc->before, t->begin_ns, t->sent_ns);
	record_part(b, c, t->sent_ns, t->ack_ns);
	record_part(b, rc->after, t->ack_ns, t->end_ns);
	bench_record_value(b, rc->spaced, (double)(t->end_ns - t->begin_ns));
}

/* Whose acknowledgements are still those of the kernel alone. */
static int renew(struct bench *b, struct state *s, const struct bench_case *c)
{
	const struct net_host *host = s->client.host;
	int err;

	if (s->trips < NET_ACKED_TRIPS)
		return 0;
	err = end_session(b, s, c);
	return err ? err : begin_session(b, s, c->arg, host);
}

static int fail_packet(struct bench *b, struct state *s, int err)
{
	return err == -ENOMSG
		       ? bench_fail(b, 0,
				    "a packet and its acknowledgement were "
				    "not captured")
		       : net_client_fail(&s->client, err, "round trip");
}

/* On a host with little time to spare it is often the server that
 * acknowledges, not its kernel: such a trip tells nothing of the packets, and
 * spoils nothing either. */
static int sample_packet(struct bench *b, struct state *s,
			 const struct bench_case *c)
{
	struct net_acked t;
	int err = renew(b, s, c);

	if (err || bench_stopping(b))
		return err;
	usleep(PACKET_GAP_US);
	s->trips++;
	err = net_acked_trip(&s->client, &s->capture, ++s->ping.number,
			     net_hosts_is_memory(&s->net), &t);
	if (err && err != -ENODATA)
		return fail_packet(b, s, err);
	s->proof.answered++;
	if (clock_was_set(s, c))
		return 0;
	bench_purity(b, c, "acked_by_kernel", BENCH_SOME, 1, !err);
	if (err) {
		tally_of(s, c)->server_acked++;
		return 0;
	}
	record_packet(b, c, &t);
	return 0;
}

static int sample(struct bench *b, void *state, const struct bench_case *c)
{
	struct state *s = state;
	const struct rtt_case *rc = c->arg;

	if (bench_stopping(b))
		return 0;
	switch (rc->figure) {
	case RTT_STAMPED:
		return sample_stamped(b, s, c);
	case RTT_PACKET:
		return sample_packet(b, s, c);
	default:
		return sample_trips(b, s, c);
	}
}

static int leave(struct bench *b, void *state, const struct bench_case *c)
{
	const struct rtt_case *rc = c->arg;
	struct state *s = state;
	int err = 0;

	if (s->client.fd >= 0 || rc->proto == RTT_ICMP)
		err = end_session(b, s, c);
	if (rc->figure == RTT_PACKET && s->capture.pcap)
		bench_fact(b, c, "not_captured", net_capture_lost(&s->capture));
	net_capture_end(&s->capture);
	net_ping_icmp_close(&s->ping);
	net_client_end(&s->client);
	return err;
}

static void skip_beside(struct bench *b, const struct rtt_case *rc,
			const char *why)
{
	bench_derive_skip(b, rc->spaced, "%s", why);
	bench_derive_skip(b, rc->before, "%s", why);
	bench_derive_skip(b, rc->after, "%s", why);
}

/* What is measured beside a case is skipped with it. */
static int derive(struct bench *b, void *state)
{
	const struct state *s = state;

	for (size_t i = 0; i < s->plan.n; i++) {
		const struct rtt_case *rc = &s->plan.cases[i];

		if (rc->spaced && s->capture.why)
			skip_beside(b, rc, s->capture.why);
		for (int k = 0; k < RTT_PARTS && rc->parts[k] && s->no_stamps;
		     k++)
			bench_derive_skip(b, rc->parts[k], NO_STAMPS);
	}
	return 0;
}

static void teardown(struct bench *b, void *state)
{
	struct state *s = state;

	(void)b;
	net_capture_close(&s->capture);
	net_client_close(&s->client);
	if (s->clock > 0)
		close(s->clock);
	net_hosts_close(&s->hosts);
	net_ping_close(&s->ping);
}

static const struct opt options[] = { NET_OPTIONS(state), OPT_END };

const struct bench_desc bench_desc = {
	.name = "tcp_rtt",
	.opts = options,
	.state_size = sizeof(struct state),
	.cases = cases,
	.setup = setup,
	.enter = enter,
	.sample = sample,
	.leave = leave,
	.derive = derive,
	.teardown = teardown,
};
