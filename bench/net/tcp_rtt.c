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
 * kernel_srtt is the kernel's own smoothed round trip of that connection
 * (TCP_INFO), in whole microseconds.  packet is the way of the CSE 221 report:
 * one byte each millisecond, acknowledged at once, from captured packets: from
 * the segment to its acknowledgement.  It holds no process and no wake-up: a
 * trip in which the server had a part is left out.  spaced are the round trips
 * of the same bytes for the process, and before (from the call to the segment),
 * packet and after (from the acknowledgement to the end of the call) their
 * parts.
 *
 * Measures: ns from before the message is sent until its answer is here.
 * Includes: the system calls of both sides, copying, both network stacks, and
 *           the wake-ups that wait=block needs; packet: the stacks only.
 * After:    lmbench lat_tcp and lat_udp (which place neither end), sockperf
 *           ping-pong (gives half of a round trip), qperf tcp_lat; CSE 221
 *           report section 5.2 (packet).
 * Needs:    two CPUs for place=other_cpu; CAP_NET_RAW for packet and icmp.
 */
#include <errno.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bench.h"
#include "deadline.h"
#include "lib/net_ack.h"
#include "lib/net_client.h"
#include "lib/net_host.h"
#include "lib/net_ping.h"
#include "lib/net_wire.h"
#include "wall_clock.h"

/* Round trips in one event, one right after the other as in other programs of
 * this kind: the work of the harness between events would give the scheduler
 * another state of things to decide on. */
#define TRIPS 8

/* Datagrams that are lost for so long are no accident. */
#define SILENCE_MS 10000

/* From message to message of figure=packet, as in the report. */
#define PACKET_GAP_US 1000

/* Until a packet that was sent has been captured. */
#define CAPTURE_MS 500

/*
 * A kernel that has been asked to acknowledge at once does so for 16 segments
 * of a connection; later it is the server that makes it, when it asks again
 * after having been woken up.  One of them is the greeting.
 * Source: TCP_MAX_QUICKACKS of the Linux kernel, net/ipv4/tcp_input.c.
 */
#define ACKED_TRIPS 12

static const char points[] =
	"net=$net proto={tcp,tcp6,udp,udp6,icmp}"
	" size={1,56,1K,8K,32K,64K,?1..1M} wait={block,busy} place=$place"
	" figure={round_trip,kernel_srtt,packet,spaced,before,after};"
	/* Other sizes are for round trips that block; ping sends 56. */
	"not size>1 wait=busy; not size>1 figure!=round_trip;"
	"not size=56 proto!=icmp !asked; not size=32K proto=tcp !asked;"
	/* By IPv4: 65535 bytes less the two headers. */
	"not proto=udp size>65507;"
	"not proto={tcp6,udp6} size>1; not proto={tcp6,udp6} wait=busy;"
	"not proto={tcp6,udp6} place=other_host;"
	/* The kernel answers where the request comes in: on this CPU. */
	"not proto=icmp size!=56; not proto=icmp place!=$near;"
	"not proto!=tcp figure!=round_trip;"
	/* Two that poll on one CPU would only wait for their time slices. */
	"not wait=busy place!=$far; not wait=busy figure!=round_trip;"
	/* No process takes part in a packet, so it has no place of its own. */
	"not figure={packet,spaced,before,after} place!=$near;"
	"is log step=1 if figure!=kernel_srtt;"
	"is derived of=[figure=round_trip] step=1000 if figure=kernel_srtt;"
	/* Opening and closing a capture takes tens of ms. */
	"is exclusive if figure={packet,spaced,before,after};"
	"is derived of=[figure=packet] if "
	"figure={spaced,before,after};" NET_HOSTS_RULES;

_Static_assert(NET_MAX_MESSAGE == 1 << 20, "as in the text");

/* How a message goes there and back, and who counts that it did. */
static const struct way {
	const char *proto;
	int (*trip)(struct net_ping *p, struct net_client *c, uint32_t size);
	enum net_op op;
	enum net_proof_by proof;
} ways[] = {
	{ "tcp", net_ping_tcp, NET_ECHO, NET_PROOF_BYTES },
	{ "tcp6", net_ping_tcp, NET_ECHO, NET_PROOF_BYTES },
	{ "udp", net_ping_udp, NET_ECHO_UDP, NET_PROOF_SERVER },
	{ "udp6", net_ping_udp, NET_ECHO_UDP, NET_PROOF_SERVER },
	{ "icmp", net_ping_icmp, 0, NET_PROOF_ICMP },
}, packets = { "tcp", net_ping_tcp, NET_ACK, NET_PROOF_ACKED };

struct case_state {
	const struct way *way;
	uint32_t size, flags; /* of the hello */

	/* In all visits together. */
	unsigned int lost;
	uint64_t again;
	unsigned int clock_set;	   /* trips in which the clock was set */
	unsigned int server_acked; /* trips that the server acknowledged */
};

struct state {
	struct net_options net; /* first: the option table fills it */
	struct net_hosts hosts;
	struct net_client client;
	struct net_ping ping;
	struct net_proof proof;
	struct net_capture capture;
	int clock; /* wall_clock_watch() */

	/* This visit. */
	const struct way *way;
	uint32_t size;
	/* Cases that get their values in it, or NULL. */
	const struct bench_case *srtt, *spaced, *before, *after;
	/* deadline_in() since the first of those lost in a row; 0: none. */
	int64_t give_up;
	unsigned int trips; /* of this connection */
	long sleeps;	    /* of this thread, before them */
};

static int setup(struct bench *b, void *state)
{
	struct state *s = state;
	const int err = net_ping_open(&s->ping);

	s->clock = wall_clock_watch();
	if (err)
		return bench_fail(b, -err, "memory for messages");
	net_client_open(&s->client, b);
	return net_hosts_open(&s->hosts, b, &s->net);
}

static long count_sleeps(void)
{
	struct rusage u;

	return getrusage(RUSAGE_THREAD, &u) ? 0 : u.ru_nvcsw;
}

static int open_icmp(struct bench *b, struct state *s)
{
	int err;

	if (access("/proc/thread-self/net/snmp", R_OK))
		return bench_skip(b, "the replies cannot be counted (needs "
				     "/proc/net/snmp)");
	s->client.host = &s->hosts.host;
	s->client.busy = false;
	err = net_ping_icmp_open(&s->ping, s->client.host);
	if (err == -EPERM || err == -EACCES)
		return bench_skip(b, "ICMP is not permitted (needs "
				     "CAP_NET_RAW)");
	return err ? bench_fail(b, -err, "open an ICMP socket") : 0;
}

static int begin_session(struct bench *b, struct state *s,
			 const struct bench_case *c)
{
	const struct case_state *cs = c->data;
	const struct net_hello hello = { .op = cs->way->op,
					 .size = cs->size,
					 .flags = cs->flags };
	const int err =
		hello.op ? net_client_begin(&s->client, &s->hosts.host, &hello)
			 : open_icmp(b, s);

	s->trips = 0;
	if (err)
		return err;
	net_proof_begin(&s->proof, &s->client, cs->way->proof, cs->size);
	s->sleeps = count_sleeps(); /* greeting the server was one */
	return 0;
}

static int enter(struct bench *b, void *state, const struct bench_case *c)
{
	struct state *s = state;
	const struct case_state *cs = c->data;
	int err = net_hosts_begin(&s->hosts, c, 1);

	s->way = cs->way;
	s->size = cs->size;
	s->srtt = s->way == &packets ? NULL
				     : bench_beside(b, c, "figure=kernel_srtt");
	s->spaced = bench_beside(b, c, "figure=spaced");
	s->before = bench_beside(b, c, "figure=before");
	s->after = bench_beside(b, c, "figure=after");
	s->give_up = 0;
	if (!err)
		err = begin_session(b, s, c);
	if (err || s->way != &packets)
		return err;
	return net_capture_open(&s->capture, b, s->client.fd);
}

/* A datagram may get lost; that is counted, and no time of a round trip.  So
 * many that nothing comes for long are no accident. */
static bool may_get_lost(struct state *s, struct case_state *cs, int err)
{
	if (err != -ETIMEDOUT || s->way->trip == net_ping_tcp)
		return false;
	cs->lost++;
	if (!s->give_up)
		s->give_up = deadline_in(SILENCE_MS);
	return !deadline_passed(s->give_up);
}

/* What the kernel thinks now: its estimate is a mean over about 8 round trips,
 * so that nearer values would say the same. */
static void ask_kernel(struct bench *b, struct state *s)
{
	struct tcp_info info;

	if (!s->srtt)
		return;
	net_client_info(&s->client, &info);
	bench_purity(b, s->srtt, "estimates", BENCH_MOSTLY, 1,
		     info.tcpi_rtt > 0);
	if (info.tcpi_rtt)
		bench_record_value(b, s->srtt, info.tcpi_rtt * 1e3);
}

/* One trip; @ticks is 0 if it gives no sample. */
static int timed_trip(struct bench *b, struct state *s, struct case_state *cs,
		      uint64_t *ticks)
{
	const enum timer_method method = bench_timer(b)->method;
	uint64_t took;
	int err;

	s->trips++;
	*ticks = 0;
	TIMER_INTERVAL(method, took,
		       err = s->way->trip(&s->ping, &s->client, s->size));
	if (may_get_lost(s, cs, err))
		return 0;
	if (err)
		return net_client_fail(&s->client, err, "round trip");
	s->give_up = 0;
	s->proof.answered++;
	*ticks = took;
	return 0;
}

static int sample_trips(struct bench *b, void *state,
			const struct bench_case *c)
{
	struct state *s = state;
	uint64_t ticks[TRIPS] = { 0 };
	int err = 0;

	for (int i = 0; i < TRIPS && !err; i++)
		err = timed_trip(b, s, c->data, &ticks[i]);
	for (int i = 0; i < TRIPS && !err; i++)
		if (ticks[i])
			bench_record(b, c, ticks[i]);
	if (!err)
		ask_kernel(b, s);
	return err;
}

/* One byte there and back, with its packets, all by the kernel's clock for
 * packets. */
struct acked_trip {
	uint64_t begin_ns;    /* before send() */
	uint64_t returned_ns; /* after it */
	uint64_t end_ns;      /* after recv() */
	struct net_ack ack;
};

/* Return: 0 or as net_ping_tcp(); -ENOMSG if the packets were not captured. */
static int acked_trip(struct state *s, struct acked_trip *t)
{
	struct net_client *c = &s->client;
	unsigned char byte = ++s->ping.number;
	int err;

	*t = (struct acked_trip) { .ack.port = net_client_port(c) };
	net_capture_drain(&s->capture);
	t->begin_ns = (uint64_t)clock_now_ns(CLOCK_REALTIME);
	err = net_client_send(c, &byte, 1);
	t->returned_ns = (uint64_t)clock_now_ns(CLOCK_REALTIME);
	byte = (unsigned char)~byte;
	if (!err)
		err = net_client_receive(c, &byte, 1);
	t->end_ns = (uint64_t)clock_now_ns(CLOCK_REALTIME);
	if (err || byte != s->ping.number)
		return err ? err : -EBADMSG;
	if (!net_capture_until(&s->capture, CAPTURE_MS, net_ack_see, &t->ack))
		return 0;
	err = net_client_check(c, EAGAIN);
	return err ? err : -ENOMSG;
}

/* Stamps that are not in order are no stamps of these packets. */
static void record_part(struct bench *b, const struct bench_case *part,
			uint64_t from_ns, uint64_t to_ns)
{
	bench_purity(b, part, "in_order", BENCH_MOSTLY, 1, from_ns <= to_ns);
	if (from_ns <= to_ns)
		bench_record_value(b, part, (double)(to_ns - from_ns));
}

static void tell_facts(struct bench *b, struct state *s,
		       const struct bench_case *c)
{
	struct case_state *cs = c->data;
	struct tcp_info info;

	if (s->way->op)
		net_client_facts(&s->client, c, &cs->again);
	if (s->way->trip != net_ping_tcp)
		bench_fact(b, c, "lost", cs->lost);
	net_client_info(&s->client, &info);
	if (s->srtt)
		bench_fact(b, s->srtt, "least_ns", info.tcpi_min_rtt * 1e3);
	/* Waking up is a good part of the time: did this end sleep at all? */
	if (s->way != &packets && s->trips)
		bench_fact(b, c, "sleeps_per_trip",
			   (double)(count_sleeps() - s->sleeps) / s->trips);
	if (s->way != &packets)
		return;
	bench_fact(b, c, "clock_set", cs->clock_set);
	bench_fact(b, c, "server_acked", cs->server_acked);
	if (s->proof.answered)
		bench_proof(b, s->spaced, "bytes_back",
			    (double)s->proof.answered,
			    (double)info.tcpi_bytes_received -
				    (double)sizeof(struct net_answer));
}

/* All that is known of a connection, before it is closed. */
static int end_session(struct bench *b, struct state *s,
		       const struct bench_case *c)
{
	int err;

	tell_facts(b, s, c);
	err = net_proof_end(&s->proof, &s->client, c);
	net_client_end(&s->client);
	return err;
}

/* A connection whose acknowledgements are still those of the kernel alone. */
static int renew(struct bench *b, struct state *s, const struct bench_case *c)
{
	int err;

	if (s->trips < ACKED_TRIPS)
		return 0;
	err = end_session(b, s, c);
	return err ? err : begin_session(b, s, c);
}

/* On a host with little time to spare it is often the server that
 * acknowledges, not its kernel: such a trip tells nothing of the packets, and
 * spoils nothing either. */
static int sample_packet(struct bench *b, void *state,
			 const struct bench_case *c)
{
	struct state *s = state;
	struct case_state *cs = c->data;
	struct acked_trip t;
	bool by_kernel;
	int err = renew(b, s, c);

	if (err)
		return err;
	usleep(PACKET_GAP_US);
	s->trips++;
	err = acked_trip(s, &t);
	if (err == -ENOMSG)
		return bench_fail(b, 0,
				  "a packet and its acknowledgement were not "
				  "captured");
	if (err)
		return net_client_fail(&s->client, err, "round trip");
	s->proof.answered++;
	if (wall_clock_was_set(s->clock)) {
		cs->clock_set++;
		return 0;
	}
	/* The other kernel alone has acknowledged the segment, which was sent
	 * once.  One that is this kernel does so before send() has returned. */
	by_kernel =
		t.ack.sendings == 1 && t.ack.pure &&
		(!net_hosts_is_memory(&s->net) || t.ack.at_ns <= t.returned_ns);
	bench_purity(b, c, "acked_by_kernel", BENCH_SOME, 1, by_kernel);
	if (!by_kernel) {
		cs->server_acked++;
		return 0;
	}
	record_part(b, s->before, t.begin_ns, t.ack.sent_ns);
	record_part(b, c, t.ack.sent_ns, t.ack.at_ns);
	record_part(b, s->after, t.ack.at_ns, t.end_ns);
	bench_record_value(b, s->spaced, (double)(t.end_ns - t.begin_ns));
	return 0;
}

static bool point(struct bench *b, void *state, struct bench_case *c)
{
	struct case_state *cs = c->data;

	cs->way = CASE_OF(c, "proto", ways);
	cs->size = (uint32_t)case_int(c, "size");
	cs->flags = case_is(c, "wait", "busy") ? NET_BUSY : 0;
	c->sample = sample_trips;
	if (case_is(c, "figure", "packet")) {
		cs->way = &packets;
		c->sample = sample_packet;
	}
	return true;
}

static int cases(struct bench *b, void *state)
{
	const struct state *s = state;

	net_hosts_set(b, &s->net);
	return 0;
}

static int leave(struct bench *b, void *state, const struct bench_case *c)
{
	struct state *s = state;
	int err = 0;

	if (s->client.fd >= 0 || !s->way->op)
		err = end_session(b, s, c);
	net_capture_close(&s->capture, b, c);
	net_ping_icmp_close(&s->ping);
	net_client_end(&s->client);
	net_hosts_end(&s->hosts);
	return err;
}

static void teardown(struct bench *b, void *state)
{
	struct state *s = state;

	if (s->clock > 0)
		close(s->clock);
	net_hosts_close(&s->hosts);
	net_ping_close(&s->ping);
}

static const struct opt options[] = { NET_OPTIONS(state), OPT_END };

const struct bench_desc bench_desc = {
	.name = "tcp_rtt",
	.many_cpus = true,
	.opts = options,
	.state_size = sizeof(struct state),
	.case_state_size = sizeof(struct case_state),
	.points = points,
	.point = point,
	.cases = cases,
	.setup = setup,
	.enter = enter,
	.leave = leave,
	.teardown = teardown,
};
