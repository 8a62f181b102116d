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
#include "lib/net_acked.h"
#include "lib/net_capture.h"
#include "lib/net_client.h"
#include "lib/net_clock.h"
#include "lib/net_host.h"
#include "lib/net_ping.h"
#include "lib/net_proof.h"
#include "lib/net_stamp.h"

enum proto { TCP, TCP6, UDP, UDP6, ICMP };

static const char *const proto_names[] = { "tcp", "tcp6", "udp", "udp6",
					   "icmp" };

enum figure { ROUND_TRIP, STAMPED, PACKET };

static const char *const figure_names[] = { "round_trip", "stamped", "packet" };

/* The parts of a stamped round trip, in their order. */
enum part { SEND, WIRE, RECEIVE, PARTS };

static const char *const part_names[] = { "send", "wire", "receive" };

/* What is counted in all visits to a case together. */
struct tally {
	unsigned int lost;
	unsigned int trips;
	long sleeps; /* in these trips */
	uint64_t again;
	double least_ns;
	unsigned int clock_set;	   /* trips in which the clock was set */
	unsigned int server_acked; /* see net_acked_trip() */
};

struct rtt_case {
	enum figure figure;
	enum proto proto;
	uint32_t size;
	bool busy;
	enum net_place place;
	/* Cases that get their values from this one, or NULL. */
	const struct bench_case *srtt, *parts[PARTS], *spaced, *before, *after;
	struct tally tally;
};

#define MAX_CASES 64

/* Round trips in one event, one right after the other as in other programs of
 * this kind: what the harness does between events would give the scheduler
 * another state of things to decide on. */
#define TRIPS 8

/* So many datagrams lost one after the other are no accident. */
#define MAX_LOST 4

/* From message to message of figure=packet, as in the report. */
#define PACKET_GAP_US 1000

#define NO_STAMPS "this kernel or interface gives no time stamps"

struct state {
	struct net_options net; /* first: the option table fills it */
	struct rtt_case cases[MAX_CASES];
	size_t n_cases;
	struct net_hosts hosts;
	struct net_client client;
	struct net_ping ping;
	struct net_proof proof;
	struct net_capture capture;
	int clock; /* net_clock_watch() */
	bool no_stamps;
	unsigned int lost_in_a_row;
	unsigned int trips; /* of this connection */
	long sleeps;	    /* of this thread, before them */
};

static struct tally *tally_of(struct state *s, const struct bench_case *c)
{
	return &s->cases[c->index].tally;
}

static bool is_udp(enum proto proto)
{
	return proto == UDP || proto == UDP6;
}

static int family_of(enum proto proto)
{
	return proto == TCP6 || proto == UDP6 ? AF_INET6 : AF_INET;
}

static struct bench_case describe(struct bench *b, const struct state *s,
				  const struct rtt_case *rc, const char *figure)
{
	return (struct bench_case) {
		.params = {
			P_STR("net", net_hosts_label(&s->net)),
			P_STR("proto", proto_names[rc->proto]),
			P_SIZE("size", rc->size),
			P_STR("wait", rc->busy ? "busy" : "block"),
			P_STR("place", net_hosts_place(&s->net, rc->place)),
			P_STR("figure", figure),
		},
		.arg = rc,
		.index = rc - s->cases,
		.skip = net_hosts_why_not(&s->net, b, rc->place,
					  family_of(rc->proto)),
		.histogram = BENCH_HIST_LOG,
		.switches = true,
	};
}

static void add(struct bench *b, struct state *s, const struct rtt_case *rc)
{
	struct rtt_case *keep = &s->cases[s->n_cases++];
	struct bench_case c;

	*keep = *rc;
	c = describe(b, s, keep, figure_names[rc->figure]);
	c.events = rc->figure == ROUND_TRIP ? 400 / TRIPS
		   : rc->figure == STAMPED  ? 160
					    : 24;
	c.budget_ms = rc->figure == PACKET ? 60 : 30;
	/* Opening and closing a capture takes tens of ms. */
	c.exclusive = rc->figure == PACKET;
	c.of = bench_add(b, &c);
	c.exclusive = false;
	c.derived = true;
	for (int i = 0; rc->figure == STAMPED && i < PARTS; i++) {
		c.params[5].text = part_names[i];
		keep->parts[i] = bench_add(b, &c);
	}
	if (rc->figure == PACKET) {
		c.params[5].text = "spaced";
		keep->spaced = bench_add(b, &c);
		c.params[5].text = "before";
		keep->before = bench_add(b, &c);
		c.params[5].text = "after";
		keep->after = bench_add(b, &c);
	}
	if (rc->figure != ROUND_TRIP || rc->proto != TCP || rc->size != 1 ||
	    rc->busy)
		return;
	c.params[5].text = "kernel_srtt";
	c.histogram = BENCH_HIST_NONE;
	keep->srtt = bench_add(b, &c);
}

static void add_place(struct bench *b, struct state *s, enum net_place place)
{
	static const uint32_t tcp[] = { 1, 1024, 8192, 65536 };
	static const uint32_t udp[] = { 1, 1024, 8192, 32768 };

	for (int i = 0; i < 4; i++) {
		add(b, s,
		    &(struct rtt_case) { ROUND_TRIP, TCP, tcp[i],
					 .place = place });
		add(b, s,
		    &(struct rtt_case) { ROUND_TRIP, UDP, udp[i],
					 .place = place });
	}
	for (enum proto p = TCP; p <= UDP; p += UDP - TCP)
		add(b, s, &(struct rtt_case) { STAMPED, p, 1, .place = place });
	/* No process takes part in it, so it has no place of its own. */
	if (place == NET_SAME_CPU)
		add(b, s,
		    &(struct rtt_case) { PACKET, TCP, 1, .place = place });
	if (s->net.peer)
		return;
	add(b, s, &(struct rtt_case) { ROUND_TRIP, TCP6, 1, .place = place });
	add(b, s, &(struct rtt_case) { ROUND_TRIP, UDP6, 1, .place = place });
}

static int cases(struct bench *b, void *state)
{
	struct state *s = state;
	const enum net_place far = net_hosts_places(&s->net) - 1;

	for (enum net_place place = 0; place <= far; place++)
		add_place(b, s, place);
	/* Two that poll on one CPU would only wait for their time slices. */
	add(b, s,
	    &(struct rtt_case) { ROUND_TRIP, TCP, 1, true, .place = far });
	add(b, s,
	    &(struct rtt_case) { ROUND_TRIP, UDP, 1, true, .place = far });
	/* The kernel answers where the request comes in: on this CPU. */
	add(b, s, &(struct rtt_case) { ROUND_TRIP, ICMP, 56, .place = 0 });
	return 0;
}

static int setup(struct bench *b, void *state)
{
	struct state *s = state;
	int err = net_ping_open(&s->ping);

	s->clock = net_clock_watch();
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
	const int fd = is_udp(rc->proto) ? s->client.udp : s->client.fd;
	const int trips = net_stamp_begin(&s->client, fd);

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
		.op = is_udp(rc->proto)	     ? NET_ECHO_UDP
		      : rc->figure == PACKET ? NET_ACK
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
			is_udp(rc->proto)      ? NET_PROOF_SERVER
			: rc->figure == PACKET ? NET_PROOF_ACKED
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
				 family_of(rc->proto));
	int err;

	s->lost_in_a_row = 0;
	s->trips = 0;
	if (!host)
		return -EIO; /* it was said why */
	if (rc->proto == ICMP)
		return begin_icmp(b, s, host);
	err = begin_session(b, s, rc, host);
	if (err || bench_stopping(b))
		return err;
	if (rc->figure == PACKET)
		return begin_capture(b, s);
	return rc->figure == STAMPED ? begin_stamps(b, s, rc) : 0;
}

static int trip(struct state *s, const struct rtt_case *rc)
{
	if (rc->proto == ICMP)
		return net_ping_icmp(&s->ping, &s->client, rc->size);
	if (is_udp(rc->proto))
		return net_ping_udp(&s->ping, &s->client, rc->size);
	return net_ping_tcp(&s->ping, &s->client, rc->size);
}

/* A datagram may get lost; that is counted, and no time of a round trip. */
static bool may_get_lost(struct state *s, const struct bench_case *c, int err)
{
	const struct rtt_case *rc = c->arg;

	if (err != -ETIMEDOUT || (rc->proto != ICMP && !is_udp(rc->proto)))
		return false;
	tally_of(s, c)->lost++;
	return ++s->lost_in_a_row <= MAX_LOST;
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
	bench_evidence(b, rc->srtt, "estimates", 1, info.tcpi_rtt > 0);
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
	s->lost_in_a_row = 0;
	s->proof.answered++;
	*ticks = took;
	return 0;
}

static int sample_trips(struct bench *b, struct state *s,
			const struct bench_case *c)
{
	const struct rtt_case *rc = c->arg;
	uint64_t ticks[TRIPS] = { 0 };
	int err = 0;

	for (int i = 0; i < TRIPS && !err && !bench_stopping(b); i++)
		err = timed_trip(b, s, c, &ticks[i]);
	if (err || bench_stopping(b))
		return err;
	for (int i = 0; i < TRIPS; i++)
		if (ticks[i])
			bench_record(b, c, ticks[i]);
	ask_kernel(b, rc, s);
	return 0;
}

/* A trip in which somebody set the clock has no times. */
static bool clock_was_set(struct state *s, const struct bench_case *c)
{
	if (!net_clock_was_set(s->clock))
		return false;
	tally_of(s, c)->clock_set++;
	return true;
}

/* Stamps that are not in order are no stamps of these packets. */
static void record_part(struct bench *b, const struct bench_case *part,
			uint64_t from_ns, uint64_t to_ns)
{
	bench_evidence(b, part, "in_order", 1, from_ns <= to_ns);
	if (from_ns <= to_ns)
		bench_record_value(b, part, (double)(to_ns - from_ns));
}

static int sample_stamped(struct bench *b, struct state *s,
			  const struct bench_case *c)
{
	const struct rtt_case *rc = c->arg;
	struct net_stamps t = { 0 };
	uint64_t at[PARTS + 1];
	const int err =
		net_stamp_trip(&s->client,
			       is_udp(rc->proto) ? s->client.udp : s->client.fd,
			       ++s->ping.number, &t);

	if (may_get_lost(s, c, err))
		return 0;
	if (err)
		return net_client_fail(&s->client, err, "stamped round trip");
	s->lost_in_a_row = 0;
	s->proof.answered++;
	if (clock_was_set(s, c))
		return 0;
	for (int i = 0; i < PARTS; i++)
		bench_evidence(b, rc->parts[i], "stamps", 2,
			       !!t.out_ns + !!t.in_ns);
	if (!t.out_ns || !t.in_ns)
		return 0;
	at[0] = t.begin_ns;
	at[1] = t.out_ns;
	at[2] = t.in_ns;
	at[3] = t.end_ns;
	bench_record_value(b, c, (double)(t.end_ns - t.begin_ns));
	for (int i = 0; i < PARTS; i++)
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
		bench_evidence(b, rc->spaced, "bytes_back",
			       (double)s->proof.answered,
			       (double)info->tcpi_bytes_received -
				       NET_ANSWER_BYTES);
}

/* Waking up is a good part of the time: did this end sleep at all? */
static void tell_sleeps(struct bench *b, struct state *s,
			const struct bench_case *c)
{
	struct tally *t = tally_of(s, c);

	t->trips += s->trips;
	t->sleeps += count_sleeps() - s->sleeps;
	if (t->trips)
		bench_fact(b, c, "sleeps_per_trip",
			   (double)t->sleeps / t->trips);
}

static void tell_least(struct bench *b, const struct rtt_case *rc,
		       struct tally *t, double least_ns)
{
	if (t->least_ns <= 0 || least_ns < t->least_ns)
		t->least_ns = least_ns;
	bench_fact(b, rc->srtt, "least_ns", t->least_ns);
}

static void tell_facts(struct bench *b, struct state *s,
		       const struct bench_case *c)
{
	const struct rtt_case *rc = c->arg;
	struct tally *t = tally_of(s, c);
	struct tcp_info info;

	if (rc->figure == ROUND_TRIP)
		tell_sleeps(b, s, c);
	else
		bench_fact(b, c, "clock_set", t->clock_set);
	if (rc->proto != ICMP)
		net_client_facts(&s->client, c, &t->again);
	if (is_udp(rc->proto) || rc->proto == ICMP)
		bench_fact(b, c, "lost", t->lost);
	net_client_info(&s->client, &info);
	if (rc->figure == PACKET)
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
	if (err)
		tally_of(s, c)->server_acked++;
	else
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
	case STAMPED:
		return sample_stamped(b, s, c);
	case PACKET:
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

	if (s->client.fd >= 0 || rc->proto == ICMP)
		err = end_session(b, s, c);
	if (rc->figure == PACKET && s->capture.pcap)
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

	for (size_t i = 0; i < s->n_cases; i++) {
		const struct rtt_case *rc = &s->cases[i];

		if (rc->spaced && s->capture.why)
			skip_beside(b, rc, s->capture.why);
		for (int k = 0; k < PARTS && rc->parts[k] && s->no_stamps; k++)
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
