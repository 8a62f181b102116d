/* SPDX-License-Identifier: MIT */
/*
 * tcp_rtt - how long does a message take through the network and back?
 *
 * stat=round_trip: this process sends size bytes and waits for the same
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
#include <netinet/ip_icmp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bench.h"
#include "deadline.h"
#include "lib/net_capture.h"
#include "lib/net_host.h"
#include "sysfile.h"
#include "wall_clock.h"

/* Round trips in one event, one right after the other as in other programs of
 * this kind: the work of the harness between events would give the scheduler
 * another state of things to decide on. */
#define TRIPS 8

/* A datagram that is not there after two watches was lost; so many in a row are
 * no accident. */
#define LOST_WAITS 2
#define MOST_LOST  20

/* linux/icmp.h has it and cannot be included beside netinet's. */
#define ICMP_FILTER_OPTION 1

/* From message to message of stat=packet, as in the report. */
#define PACKET_GAP_US 1000

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
	" stat={round_trip,kernel_srtt,packet,spaced,before,after};"
	/* Other sizes are for round trips that block; ping sends 56. */
	"not size>1 wait=busy; not size>1 stat!=round_trip;"
	"not size=56 proto!=icmp !asked; not size=32K proto=tcp !asked;"
	/* By IPv4: 65535 bytes less the two headers. */
	"not proto=udp size>65507;"
	"not proto={tcp6,udp6} size>1; not proto={tcp6,udp6} wait=busy;"
	"not proto={tcp6,udp6} place=other_host;"
	/* The kernel answers where the request comes in: on this CPU. */
	"not proto=icmp size!=56; not proto=icmp place!=$near;"
	"not proto!=tcp stat!=round_trip;"
	/* Two that poll on one CPU would only wait for their time slices. */
	"not wait=busy place!=$far; not wait=busy stat!=round_trip;"
	/* No process takes part in a packet, so it has no place of its own. */
	"not stat={packet,spaced,before,after} place!=$near;"
	"is log step=1 if stat!=kernel_srtt;"
	"is derived of=[stat=round_trip] step=1000 if stat=kernel_srtt;"
	/* Opening and closing a capture takes tens of ms. */
	"is exclusive if stat={packet,spaced,before,after};"
	"is derived of=[stat=packet] if "
	"stat={spaced,before,after};" NET_HOSTS_RULES;

_Static_assert(NET_MAX_MESSAGE == 1 << 20, "as in the text");

/* In all visits together. */
struct rtt_case {
	unsigned int lost;
	uint64_t again;
};

struct state {
	struct net_hosts hosts; /* first */
	struct net_capture capture;
	/* A message.  Its first byte is a number, by which an answer is known
	 * to be the one to this message. */
	_Alignas(64) unsigned char buf[NET_MAX_MESSAGE];
	uint8_t number;
	int datagrams; /* the socket of UDP or ICMP, or 0 */

	/* This visit. */
	enum { TCP, UDP, ICMP } proto;
	uint32_t size;
	bool busy, packets;
	/* Cases that get values in it; @srtt may be NULL. */
	const struct bench_case *srtt, *spaced, *before, *after;
	/* Messages that were sent and answered, datagrams lost in a row, and
	 * what the far end had counted and this thread slept before. */
	unsigned int trips, answered, lost;
	uint64_t counted;
	long sleeps;
};

/* Receive the next message.  Return: bytes, at least 1, or as
 * net_receive(), -ETIMEDOUT also if a datagram was lost. */
static ssize_t receive(const struct state *s, int fd, void *buf, size_t len)
{
	for (unsigned int waits = 1;; waits++) {
		const ssize_t n =
			net_receive_some(fd, buf, len,
					 s->busy ? PARTNER_WATCH_MS : 0);
		int err;

		if (n > 0)
			return n;
		err = net_check(n);
		if (!err && fd == s->datagrams && waits > LOST_WAITS)
			err = -ETIMEDOUT;
		if (err)
			return err;
	}
}

static int trip_tcp(struct state *s)
{
	const int fd = s->hosts.client->fd;
	const uint8_t number = ++s->number;
	ssize_t n = 0;
	int err;

	s->buf[0] = number;
	err = net_send(fd, s->buf, s->size);
	s->buf[0] = (unsigned char)~number;
	for (size_t have = 0; have < s->size && !err; have += (size_t)n) {
		n = receive(s, fd, s->buf + have, s->size - have);
		err = n < 0 ? (int)n : 0;
	}
	return err ? err : s->buf[0] == number ? 0 : -EBADMSG;
}

static int trip_udp(struct state *s)
{
	const uint8_t number = ++s->number;
	ssize_t n;

	s->buf[0] = number;
	n = net_send(s->datagrams, s->buf, s->size);
	s->buf[0] = (unsigned char)~number;
	/* One that comes late is not the answer that is waited for. */
	while (n >= 0 && (n != (ssize_t)s->size || s->buf[0] != number))
		n = receive(s, s->datagrams, s->buf, s->size);
	return n < 0 ? (int)n : 0;
}

static uint16_t checksum(const unsigned char *data, size_t bytes)
{
	uint32_t sum = 0;

	for (size_t i = 0; i + 1 < bytes; i += 2)
		sum += (uint32_t)(data[i] << 8 | data[i + 1]);
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return htons((uint16_t)~sum);
}

static int trip_icmp(struct state *s)
{
	const size_t bytes = sizeof(struct icmphdr) + s->size;
	struct icmphdr *const icmp = (void *)s->buf, got = { .type = 0 };
	unsigned char answer[2048];
	ssize_t n, header;

	icmp->un.echo.sequence = htons(++s->number);
	icmp->checksum = 0;
	icmp->checksum = checksum(s->buf, bytes);
	n = net_send(s->datagrams, s->buf, bytes);
	/* It comes with its IP header, as do those to others and late ones. */
	while (n >= 0 && got.un.gateway != icmp->un.gateway) {
		n = receive(s, s->datagrams, answer, sizeof(answer));
		header = (answer[0] & 15) << 2;
		if (n >= header + (ssize_t)sizeof(got))
			memcpy(&got, answer + header, sizeof(got));
	}
	return n < 0 ? (int)n : 0;
}

/* Echo replies that came to this network namespace; 0 if unknown.  The
 * line "Icmp: names" is followed by "Icmp: values". */
static uint64_t count_replies(void)
{
	char *text = sysfile_text("/proc/thread-self/net/snmp");
	const char *names = field_behind(text, "Icmp"), *name;
	const char *values =
		names ? field_behind(strchr(names, '\n'), "Icmp") : NULL;
	int64_t n = 0;

	for (unsigned int i = 0; values && (name = field_nth(names, i)); i++)
		if (!strncmp(name, "InEchoReps ", 11))
			n = field_number(field_nth(values, i), 0);
	free(text);
	return (uint64_t)n;
}

static int setup(struct bench *b, void *state)
{
	struct state *s = state;

	/* Neither zero nor constant; and all pages are there. */
	for (size_t i = 0; i < NET_MAX_MESSAGE; i++)
		s->buf[i] = (unsigned char)(i * 31 + 7);
	return net_hosts_open(&s->hosts, b);
}

static int begin_icmp(struct bench *b, struct state *s)
{
	/* Take echo replies only: on loopback our own requests come back to us
	 * as well. */
	const uint32_t filter = ~(1u << ICMP_ECHOREPLY);
	const struct net_addr *to = &s->hosts.client->to;
	const struct icmphdr icmp = { .type = ICMP_ECHO,
				      .un.echo.id = (uint16_t)getpid() };

	if (access("/proc/thread-self/net/snmp", R_OK))
		return bench_skip(b, "the replies cannot be counted (needs "
				     "/proc/net/snmp)");
	memcpy(s->buf, &icmp, sizeof(icmp));
	s->datagrams = socket(AF_INET, SOCK_RAW | SOCK_CLOEXEC, IPPROTO_ICMP);
	if (s->datagrams < 0 ||
	    setsockopt(s->datagrams, SOL_RAW, ICMP_FILTER_OPTION, &filter,
		       sizeof(filter)) ||
	    connect(s->datagrams, &to->any, to->len))
		return bench_fail(b, errno,
				  "an ICMP socket (needs CAP_NET_RAW)");
	s->counted = count_replies();
	return 0;
}

/* Which port the server will send from it says in its answer; ours is to be
 * known before. */
static int begin_udp(struct state *s, struct net_hello hello)
{
	struct net_client *c = s->hosts.client;
	struct net_addr to = c->to;
	int err;

	s->datagrams = socket(to.any.sa_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (s->datagrams < 0 || connect(s->datagrams, &to.any, to.len))
		return partner_refused(c->b, errno, "make a socket");
	hello.port = net_addr_port(net_addr_here(s->datagrams));
	err = net_client_begin(c, hello);
	to.four.sin_port = htons(c->server.port);
	if (!err && connect(s->datagrams, &to.any, to.len))
		err = bench_fail(c->b, errno, "connect to the server");
	return err;
}

static int begin_session(struct state *s)
{
	struct net_client *c = s->hosts.client;
	const int on = 1;
	const struct net_hello hello = { .op = s->packets	 ? NET_ACK
					       : s->proto == UDP ? NET_ECHO_UDP
								 : NET_ECHO,
					 .size = s->size,
					 .flags = s->busy ? NET_BUSY : 0 };
	const int err = s->proto == UDP ? begin_udp(s, hello)
					: net_client_begin(c, hello);

	if (!err)
		setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	return err;
}

static int enter(struct bench *b, void *state, const struct bench_case *c)
{
	struct state *s = state;
	struct net_client *client = s->hosts.client;
	int err = net_hosts_begin(&s->hosts, c, 1);

	s->proto = case_is(c, "proto", "icmp")	    ? ICMP
		   : case_str(c, "proto")[0] == 'u' ? UDP
						    : TCP;
	s->size = (uint32_t)case_int(c, "size");
	s->busy = case_is(c, "wait", "busy");
	s->packets = case_is(c, "stat", "packet");
	s->srtt = s->packets ? NULL : bench_beside(b, c, "stat=kernel_srtt");
	s->spaced = bench_beside(b, c, "stat=spaced");
	s->before = bench_beside(b, c, "stat=before");
	s->after = bench_beside(b, c, "stat=after");
	s->trips = s->answered = s->lost = 0;
	if (err)
		return err;
	if (s->proto == ICMP)
		return begin_icmp(b, s);
	err = net_client_ask(client);
	s->counted = client->server.echoed;
	if (!err)
		err = s->packets ? net_capture_open(&s->capture, b,
						    net_addr_port(client->to))
				 : begin_session(s);
	s->sleeps = bench_usage(RUSAGE_THREAD)
			    .ru_nvcsw; /* greeting the server was some */
	return err;
}

/* The kernel's estimate now.  It is a mean over about 8 round trips, so values
 * closer together would be the same. */
static void ask_kernel(struct bench *b, struct state *s)
{
	const uint32_t us = net_client_info(s->hosts.client).tcpi_rtt;

	if (!s->srtt)
		return;
	bench_purity(b, s->srtt, "estimates", BENCH_MOSTLY, 1, us > 0);
	if (us)
		bench_record_value(b, s->srtt, us * 1e3);
}

/* All that is known of a connection, before it is closed. */
static void end_session(struct state *s, const struct bench_case *c)
{
	struct net_client *client = s->hosts.client;
	struct rtt_case *cs = c->data;

	if (client->fd > 0)
		net_client_facts(client, c,
				 s->proto == TCP ? &cs->again : NULL);
	net_client_end(client);
}

/* The segment with a byte and its acknowledgement.  Only an acknowledgement
 * without data is one that the other kernel has sent by itself: one with data
 * is the answer of the process. */
struct acked {
	uint16_t port; /* of the client; others are passed over */
	uint64_t sent_ns, at_ns;
	uint32_t end;	       /* the number after the segment */
	unsigned int sendings; /* 1, or nobody knows which was meant */
	bool pure;	       /* the acknowledgement had no data */
};

/* Return: whether packet @p acknowledges. */
static bool see_ack(struct acked *a, const struct net_packet *p)
{
	if (p->port != a->port)
		return false;
	if (p->to_server && p->payload) {
		a->sent_ns = p->ns;
		a->end = p->seq + p->payload;
		a->sendings++;
	}
	if (p->to_server || !a->sendings || p->ack != a->end)
		return false;
	a->at_ns = p->ns;
	a->pure = !p->payload;
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

/* One byte there and back, with its packets, all by the kernel's clock for
 * packets. */
static int acked_trip(struct bench *b, struct state *s,
		      const struct bench_case *c)
{
	const int fd = s->hosts.client->fd;
	struct acked a = { .port = net_addr_port(net_addr_here(fd)) };
	const unsigned char number = ++s->number;
	unsigned char byte = number;
	uint64_t begin_ns, returned_ns, end_ns;
	struct net_packet p;
	bool by_kernel;
	int err;

	usleep(PACKET_GAP_US);
	while (net_capture_next(&s->capture, &p, false))
		;
	begin_ns = (uint64_t)clock_now_ns(CLOCK_REALTIME);
	err = net_send(fd, &byte, 1);
	returned_ns = (uint64_t)clock_now_ns(CLOCK_REALTIME);
	byte = (unsigned char)~number;
	if (!err)
		err = net_receive(fd, &byte, 1);
	end_ns = (uint64_t)clock_now_ns(CLOCK_REALTIME);
	if (!err && byte != number)
		err = -EBADMSG;
	if (err)
		return net_client_fail(s->hosts.client, err, "round trip");
	s->answered++;
	do
		if (!net_capture_next(&s->capture, &p, false))
			return bench_fail(b, 0,
					  "a packet and its acknowledgement "
					  "were not captured");
	while (!see_ack(&a, &p));
	if (wall_clock_was_set(s->capture.clock))
		return 0;
	/* The other kernel alone has acknowledged the segment, which was sent
	 * once.  One that is this kernel does so before send() has returned.
	 * On a host with little time to spare it is often the server that
	 * acknowledges: such a trip shows nothing of the packets. */
	by_kernel = a.sendings == 1 && a.pure &&
		    (!s->hosts.in_memory || a.at_ns <= returned_ns);
	bench_purity(b, c, "acked_by_kernel", BENCH_SOME, 1, by_kernel);
	if (!by_kernel)
		return 0;
	record_part(b, s->before, begin_ns, a.sent_ns);
	record_part(b, c, a.sent_ns, a.at_ns);
	record_part(b, s->after, a.at_ns, end_ns);
	bench_record_value(b, s->spaced, (double)(end_ns - begin_ns));
	return 0;
}

/* A connection whose acknowledgements are those of the kernel alone. */
static int sample_packets(struct bench *b, struct state *s,
			  const struct bench_case *c)
{
	int err = 0;

	if (s->answered % ACKED_TRIPS == 0) {
		end_session(s, c);
		err = begin_session(s);
	}
	return err ? err : acked_trip(b, s, c);
}

/* Compare the answers that we received with the count of the server or, for
 * ICMP, of the kernel.  Both also count other clients' answers, and those that
 * were lost on the way back. */
static void prove(struct bench *b, struct state *s, const struct bench_case *c)
{
	const bool icmp = s->proto == ICMP;
	const int err = icmp ? 0 : net_client_ask(s->hosts.client);
	const double seen = (double)(icmp ? count_replies()
					  : s->hosts.client->server.echoed) -
			    (double)s->counted;

	if (err)
		return;
	if (icmp)
		bench_least(b, c, "replies_in", s->answered, seen);
	else if (s->proto == UDP || s->hosts.peer)
		bench_least(b, c, "echoed_by_server", s->answered, seen);
	else
		bench_proof(b, c, "echoed_by_server", s->answered, seen);
	if (s->packets)
		bench_least(b, s->spaced, "echoed_by_server", s->answered,
			    seen);
}

static int sample(struct bench *b, void *state, const struct bench_case *c)
{
	const enum timer_method method = bench_timer(b)->method;
	struct state *s = state;
	struct rtt_case *cs = c->data;
	int (*const trip)(struct state * s) = s->proto == TCP	? trip_tcp
					      : s->proto == UDP ? trip_udp
								: trip_icmp;
	uint64_t ticks[TRIPS];

	if (s->packets)
		return sample_packets(b, s, c);
	for (int i = 0; i < TRIPS; i++) {
		int err;

		s->trips++;
		TIMER_INTERVAL(method, ticks[i], err = trip(s));
		/* A datagram may get lost: that is no time of a round trip. */
		if (err == -ETIMEDOUT && s->proto != TCP &&
		    ++s->lost <= MOST_LOST) {
			cs->lost++;
			ticks[i] = 0;
			continue;
		}
		if (err)
			return net_client_fail(s->hosts.client, err,
					       "round trip");
		s->lost = 0;
		s->answered++;
	}
	for (int i = 0; i < TRIPS; i++)
		if (ticks[i])
			bench_record(b, c, ticks[i]);
	ask_kernel(b, s);
	return 0;
}

static void leave(struct bench *b, void *state, const struct bench_case *c)
{
	struct state *s = state;
	const struct rtt_case *cs = c->data;

	if (s->proto != TCP)
		bench_fact(b, c, "lost", cs->lost);
	/* Waking up is a good part of the time: did this end sleep at all? */
	if (s->trips)
		bench_fact(b, c, "sleeps_per_trip",
			   (double)(bench_usage(RUSAGE_THREAD).ru_nvcsw -
				    s->sleeps) /
				   s->trips);
	end_session(s, c);
	if (s->answered)
		prove(b, s, c);
	net_capture_close(&s->capture, b, c);
	if (s->datagrams > 0)
		close(s->datagrams);
	s->datagrams = 0;
	net_hosts_end(&s->hosts);
}

const struct bench_desc bench_desc = {
	.many_cpus = true,
	.opts = net_options,
	.state_size = sizeof(struct state),
	.case_state_size = sizeof(struct rtt_case),
	.points = points,
	.cases = net_cases,
	.setup = setup,
	.enter = enter,
	.sample = sample,
	.leave = leave,
};
