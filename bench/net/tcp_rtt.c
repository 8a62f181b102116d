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
#include <netinet/ip_icmp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
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

/* Empty looks of a session that polls, about as long as a watch. */
#define SPIN_LOOKS 1000000u

/* A datagram that is not there after two watches was lost; so many in a row are
 * no accident. */
#define LOST_WAITS 2
#define MOST_LOST  20

/* linux/icmp.h has it and cannot be included beside netinet's. */
#define ICMP_FILTER_OPTION 1

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

struct state;

/* The evidence: how much came back, as somebody else has counted it. */
typedef uint64_t count_fn(struct state *s);

/* How a message goes there and back.  Return of @trip: 0 or as
 * net_client_receive(); -EBADMSG if the answer is not what was sent, -ETIMEDOUT
 * from UDP and ICMP if it was lost. */
struct way {
	const char *proto;
	int (*trip)(struct state *s);
	enum net_op op; /* 0: it needs no server */
	count_fn *count;
};

struct rtt_case {
	const struct way *way;
	uint32_t size, flags; /* of the hello */

	/* In all visits together. */
	unsigned int lost;
	uint64_t again;
	unsigned int clock_set;	   /* trips in which the clock was set */
	unsigned int server_acked; /* trips that the server acknowledged */
};

struct state {
	struct net_hosts hosts; /* first */
	struct net_capture capture;
	/* A message.  Its first byte is a number, by which an answer is known
	 * to be the one to this message. */
	unsigned char *buf;
	uint8_t number;
	int datagrams;	/* the socket of UDP or ICMP, or -1 */
	uint16_t ident; /* of ICMP */
	enum { UNKNOWN, COUNTS, SILENT } kernel; /* about bytes received */

	/* This visit. */
	const struct way *way;
	uint32_t size;
	bool busy;
	/* Cases that get their values in it, or NULL. */
	const struct bench_case *srtt, *spaced, *before, *after;
	unsigned int lost; /* in a row */

	/* This connection. */
	count_fn *count;
	uint64_t counted;  /* before it */
	uint64_t answered; /* by our own count */
	unsigned int trips;
	long sleeps; /* of this thread, before them */
};

/* recv() of a session that polls: a signal does not end it, so it has to look
 * by itself now and then, here after some tenths of a second. */
static ssize_t receive_busy(int fd, void *buf, size_t len)
{
	for (unsigned int looks = 1; looks < SPIN_LOOKS; looks++) {
		const ssize_t n = recv(fd, buf, len, MSG_DONTWAIT);

		if (n >= 0 || errno != EAGAIN)
			return n;
	}
	errno = EINTR;
	return -1;
}

/* What comes next.  Return: bytes, at least 1, or as net_client_receive(),
 * -ETIMEDOUT also if a datagram was lost. */
static ssize_t receive(const struct state *s, int fd, void *buf, size_t len)
{
	for (unsigned int waits = 1;; waits++) {
		const ssize_t n = s->busy ? receive_busy(fd, buf, len)
					  : recv(fd, buf, len, 0);
		int err;

		if (n > 0)
			return n;
		err = net_client_check(n < 0 ? errno : ECONNRESET);
		if (!err && fd == s->datagrams && waits > LOST_WAITS)
			err = -ETIMEDOUT;
		if (err)
			return err;
	}
}

static int trip_tcp(struct state *s)
{
	struct net_client *c = s->hosts.client;
	const uint8_t number = ++s->number;
	ssize_t n = 0;
	int err;

	s->buf[0] = number;
	err = net_client_send(c, s->buf, s->size);
	s->buf[0] = (unsigned char)~number;
	for (size_t have = 0; have < s->size && !err; have += (size_t)n) {
		n = receive(s, c->fd, s->buf + have, s->size - have);
		err = n < 0 ? (int)n : 0;
	}
	return err ? err : s->buf[0] == number ? 0 : -EBADMSG;
}

static int trip_udp(struct state *s)
{
	const uint8_t number = ++s->number;
	ssize_t n;
	int err;

	s->buf[0] = number;
	while (send(s->datagrams, s->buf, s->size, MSG_NOSIGNAL) < 0) {
		err = net_client_check(errno);
		if (err)
			return err;
	}
	s->buf[0] = (unsigned char)~number;
	/* One that comes late is not the answer that is waited for. */
	do
		n = receive(s, s->datagrams, s->buf, s->size);
	while (n >= 0 && (n != (ssize_t)s->size || s->buf[0] != number));
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

/* Whether that, with its IP header, answers our request @number. */
static bool is_answer(const struct state *s, const unsigned char *packet,
		      size_t bytes, uint16_t number)
{
	const size_t header = bytes ? (size_t)(packet[0] & 15u) << 2 : 0;
	struct icmphdr icmp;

	if (header < 20 || bytes < header + sizeof(icmp))
		return false;
	memcpy(&icmp, packet + header, sizeof(icmp));
	return icmp.type == ICMP_ECHOREPLY &&
	       icmp.un.echo.id == htons(s->ident) &&
	       icmp.un.echo.sequence == htons(number);
}

static int trip_icmp(struct state *s)
{
	const size_t bytes = sizeof(struct icmphdr) + s->size;
	struct icmphdr icmp = { .type = ICMP_ECHO };
	unsigned char packet[2048];
	ssize_t n;

	icmp.un.echo.id = htons(s->ident);
	icmp.un.echo.sequence = htons(++s->number);
	if (bytes > sizeof(packet) - 60)
		return -EMSGSIZE;
	memcpy(packet + sizeof(icmp), s->buf, s->size);
	memcpy(packet, &icmp, sizeof(icmp));
	icmp.checksum = checksum(packet, bytes);
	memcpy(packet, &icmp, sizeof(icmp));
	if (send(s->datagrams, packet, bytes, 0) < 0)
		return -errno;
	do
		n = receive(s, s->datagrams, packet, sizeof(packet));
	while (n >= 0 && !is_answer(s, packet, (size_t)n, s->number));
	return n < 0 ? (int)n : 0;
}

static uint64_t count_received(struct state *s)
{
	struct tcp_info info;

	net_client_info(s->hosts.client, &info);
	return info.tcpi_bytes_received;
}

static uint64_t count_acked(struct state *s)
{
	struct tcp_info info;

	net_client_info(s->hosts.client, &info);
	return info.tcpi_bytes_acked;
}

/* The number of messages sent back, as the server said last. */
static uint64_t count_echoed(struct state *s)
{
	return s->hosts.client->server.echoed;
}

/* Echo replies that came to this network namespace; 0 if it is not told.  The
 * line "Icmp: names" is followed by "Icmp: values". */
static uint64_t count_replies(struct state *s)
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

static const struct way ways[] = {
	{ "tcp", trip_tcp, NET_ECHO, count_received },
	{ "tcp6", trip_tcp, NET_ECHO, count_received },
	{ "udp", trip_udp, NET_ECHO_UDP, count_echoed },
	{ "udp6", trip_udp, NET_ECHO_UDP, count_echoed },
	{ "icmp", trip_icmp, 0, count_replies },
}, packets = { "tcp", trip_tcp, NET_ACK, count_acked };

static int setup(struct bench *b, void *state)
{
	struct state *s = state;

	s->datagrams = -1;
	s->ident = (uint16_t)getpid();
	s->buf = malloc(NET_MAX_MESSAGE);
	if (!s->buf)
		return bench_fail(b, ENOMEM, "memory for messages");
	/* Neither zero nor constant; and all pages are there. */
	for (size_t i = 0; i < NET_MAX_MESSAGE; i++)
		s->buf[i] = (unsigned char)(i * 31 + 7);
	return net_hosts_open(&s->hosts, b);
}

static long count_sleeps(void)
{
	struct rusage u;

	return getrusage(RUSAGE_THREAD, &u) ? 0 : u.ru_nvcsw;
}

static int open_icmp(struct bench *b, struct state *s)
{
	/* Of all that comes only echo replies: on loopback our own requests
	 * come back to us as well. */
	const uint32_t filter = ~(1u << ICMP_ECHOREPLY);
	const struct net_addr *to = &s->hosts.client->to;

	if (access("/proc/thread-self/net/snmp", R_OK))
		return bench_skip(b, "the replies cannot be counted (needs "
				     "/proc/net/snmp)");
	s->datagrams = socket(AF_INET, SOCK_RAW | SOCK_CLOEXEC, IPPROTO_ICMP);
	if (s->datagrams < 0 && (errno == EPERM || errno == EACCES))
		return bench_skip(b, "ICMP is not permitted (needs "
				     "CAP_NET_RAW)");
	return s->datagrams < 0 ||
			       setsockopt(s->datagrams, SOL_RAW,
					  ICMP_FILTER_OPTION, &filter,
					  sizeof(filter)) ||
			       connect(s->datagrams, &to->any, to->len)
		       ? bench_fail(b, errno, "open an ICMP socket")
		       : 0;
}

/* Datagrams to @port of the server.  Return: 0 or -errno. */
static int join_udp(const struct state *s, uint16_t port)
{
	struct net_addr to = s->hosts.client->to;

	to.four.sin_port = htons(port);
	return connect(s->datagrams, &to.any, to.len) ? -errno : 0;
}

/* Which port the server will send from it says in its answer; ours is to be
 * known before. */
static int begin_udp(struct state *s, struct net_hello hello)
{
	struct net_client *c = s->hosts.client;
	int err;

	s->datagrams =
		socket(c->to.any.sa_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (s->datagrams < 0)
		return partner_refused(c->b, errno, "make a socket");
	err = join_udp(s, net_addr_port(&c->to));
	if (err)
		return net_client_fail(c, err, "make a socket");
	hello.port = net_addr_port_of(s->datagrams);
	err = net_client_begin(c, hello);
	if (err)
		return err;
	err = join_udp(s, c->server.port);
	return err ? net_client_fail(c, err, "greet the server") : 0;
}

/* The server's answer has come in: a kernel whose TCP_INFO has no bytes at the
 * first session does not count them. */
static bool kernel_counts(struct state *s)
{
	if (s->kernel == UNKNOWN)
		s->kernel = count_received(s) ? COUNTS : SILENT;
	return s->kernel == COUNTS;
}

static int begin_session(struct bench *b, struct state *s,
			 const struct bench_case *c)
{
	const struct rtt_case *cs = c->data;
	const int on = 1;
	const struct net_hello hello = { .op = cs->way->op,
					 .size = cs->size,
					 .flags = cs->flags };
	const int err = !hello.op ? open_icmp(b, s)
			: hello.op == NET_ECHO_UDP
				? begin_udp(s, hello)
				: net_client_begin(s->hosts.client, hello);

	s->trips = 0;
	s->answered = 0;
	if (err)
		return err;
	setsockopt(s->hosts.client->fd, IPPROTO_TCP, TCP_NODELAY, &on,
		   sizeof(on));
	s->count = s->way->count;
	if (s->count == count_received && !kernel_counts(s))
		s->count = count_echoed;
	s->counted = s->count(s);
	s->sleeps = count_sleeps(); /* greeting the server was one */
	return 0;
}

static int enter(struct bench *b, void *state, const struct bench_case *c)
{
	struct state *s = state;
	const struct rtt_case *cs = c->data;
	int err = net_hosts_begin(&s->hosts, c, 1);

	s->way = cs->way;
	s->size = cs->size;
	s->busy = cs->flags & NET_BUSY;
	s->srtt = s->way == &packets ? NULL
				     : bench_beside(b, c, "figure=kernel_srtt");
	s->spaced = bench_beside(b, c, "figure=spaced");
	s->before = bench_beside(b, c, "figure=before");
	s->after = bench_beside(b, c, "figure=after");
	s->lost = 0;
	if (!err)
		err = begin_session(b, s, c);
	if (err || s->way != &packets)
		return err;
	return net_capture_open(&s->capture, b,
				net_addr_port(&s->hosts.client->to));
}

/* What the kernel thinks now: its estimate is a mean over about 8 round trips,
 * so that nearer values would say the same. */
static void ask_kernel(struct bench *b, struct state *s)
{
	struct tcp_info info;

	if (!s->srtt)
		return;
	net_client_info(s->hosts.client, &info);
	bench_purity(b, s->srtt, "estimates", BENCH_MOSTLY, 1,
		     info.tcpi_rtt > 0);
	if (info.tcpi_rtt)
		bench_record_value(b, s->srtt, info.tcpi_rtt * 1e3);
}

/* One trip; @ticks is 0 if it gives no sample.  A datagram may get lost; that
 * is counted, and no time of a round trip. */
static int timed_trip(struct bench *b, struct state *s, struct rtt_case *cs,
		      uint64_t *ticks)
{
	const enum timer_method method = bench_timer(b)->method;
	uint64_t took;
	int err;

	s->trips++;
	TIMER_INTERVAL(method, took, err = s->way->trip(s));
	if (err == -ETIMEDOUT && s->way->trip != trip_tcp) {
		cs->lost++;
		if (++s->lost <= MOST_LOST)
			return 0;
	}
	if (err)
		return net_client_fail(s->hosts.client, err, "round trip");
	s->lost = 0;
	s->answered++;
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

	/* The segment with data and its acknowledgement.  Only an
	 * acknowledgement without data is one that the other kernel has sent by
	 * itself: one with data is the answer of the process. */
	uint16_t port; /* of the client; others are passed over */
	uint64_t sent_ns, at_ns;
	uint32_t end;	       /* the number after the segment */
	unsigned int sendings; /* 1, or nobody knows which was meant */
	bool pure;	       /* the acknowledgement had no data */
};

/* A net_see_fn.  The last packet acknowledges. */
static bool see_ack(void *arg, const struct net_packet *p)
{
	struct acked_trip *t = arg;

	if (p->port != t->port)
		return false;
	if (p->to_server) {
		if (!p->payload)
			return false;
		t->sent_ns = p->ns;
		t->end = p->seq + p->payload;
		t->sendings++;
		return false;
	}
	if (!t->sendings || p->ack != t->end)
		return false;
	t->at_ns = p->ns;
	t->pure = !p->payload;
	return true;
}

/* Return: 0 or as trip_tcp(); -ENOMSG if the packets were not captured. */
static int acked_trip(struct state *s, struct acked_trip *t)
{
	struct net_client *c = s->hosts.client;
	unsigned char byte = ++s->number;
	int err;

	*t = (struct acked_trip) { .port = net_addr_port_of(c->fd) };
	net_capture_drain(&s->capture);
	t->begin_ns = (uint64_t)clock_now_ns(CLOCK_REALTIME);
	err = net_client_send(c, &byte, 1);
	t->returned_ns = (uint64_t)clock_now_ns(CLOCK_REALTIME);
	byte = (unsigned char)~byte;
	if (!err)
		err = net_client_receive(c, &byte, 1);
	t->end_ns = (uint64_t)clock_now_ns(CLOCK_REALTIME);
	if (err || byte != s->number)
		return err ? err : -EBADMSG;
	if (!net_capture_until(&s->capture, CAPTURE_MS, see_ack, t))
		return 0;
	err = net_client_check(EAGAIN);
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
	struct rtt_case *cs = c->data;
	struct tcp_info info;

	if (s->way->op)
		net_client_facts(s->hosts.client, c,
				 s->way->trip == trip_tcp ? &cs->again : NULL);
	if (s->way->trip != trip_tcp)
		bench_fact(b, c, "lost", cs->lost);
	net_client_info(s->hosts.client, &info);
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
	if (s->answered)
		bench_proof(b, s->spaced, "bytes_back", (double)s->answered,
			    (double)info.tcpi_bytes_received -
				    (double)sizeof(struct net_answer));
}

/* What was answered, as we saw it, against what has been counted meanwhile:
 * bytes received are of this connection alone.  The server is asked in a
 * session of its own. */
static int prove(struct bench *b, struct state *s, const struct bench_case *c)
{
	const bool bytes =
		s->count == count_received || s->count == count_acked;
	const double expected = (double)(s->answered * (bytes ? s->size : 1));
	double seen;
	int err = 0;

	if (!s->answered || bench_stopping(b))
		return 0;
	s->answered = 0; /* it is told once */
	if (s->count == count_echoed) {
		net_client_end(s->hosts.client);
		err = net_client_ask(s->hosts.client);
	}
	if (err)
		return err;
	seen = (double)s->count(s) - (double)s->counted;
	if (s->count == count_received)
		bench_proof(b, c, "bytes_back", expected, seen);
	else
		bench_least(b, c,
			    s->count == count_acked    ? "acknowledged"
			    : s->count == count_echoed ? "echoed_by_server"
						       : "replies_in",
			    expected, seen);
	return 0;
}

/* All that is known of a connection, before it is closed. */
static int end_session(struct bench *b, struct state *s,
		       const struct bench_case *c)
{
	int err;

	tell_facts(b, s, c);
	err = prove(b, s, c);
	net_client_end(s->hosts.client);
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
	struct rtt_case *cs = c->data;
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
		return net_client_fail(s->hosts.client, err, "round trip");
	s->answered++;
	if (wall_clock_was_set(s->capture.clock)) {
		cs->clock_set++;
		return 0;
	}
	/* The other kernel alone has acknowledged the segment, which was sent
	 * once.  One that is this kernel does so before send() has returned. */
	by_kernel =
		t.sendings == 1 && t.pure &&
		(!net_hosts_is_memory(&s->hosts) || t.at_ns <= t.returned_ns);
	bench_purity(b, c, "acked_by_kernel", BENCH_SOME, 1, by_kernel);
	if (!by_kernel) {
		cs->server_acked++;
		return 0;
	}
	record_part(b, s->before, t.begin_ns, t.sent_ns);
	record_part(b, c, t.sent_ns, t.at_ns);
	record_part(b, s->after, t.at_ns, t.end_ns);
	bench_record_value(b, s->spaced, (double)(t.end_ns - t.begin_ns));
	return 0;
}

static bool point(struct bench *b, void *state, struct bench_case *c)
{
	struct rtt_case *cs = c->data;

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

static int leave(struct bench *b, void *state, const struct bench_case *c)
{
	struct state *s = state;
	int err = 0;

	if (s->hosts.client->fd >= 0 || !s->way->op)
		err = end_session(b, s, c);
	net_capture_close(&s->capture, b, c);
	if (s->datagrams >= 0)
		close(s->datagrams);
	s->datagrams = -1;
	net_hosts_end(&s->hosts);
	return err;
}

static void teardown(struct bench *b, void *state)
{
	struct state *s = state;

	net_teardown(b, state);
	free(s->buf);
}

const struct bench_desc bench_desc = {
	.name = "tcp_rtt",
	.many_cpus = true,
	.opts = net_options,
	.state_size = sizeof(struct state),
	.case_state_size = sizeof(struct rtt_case),
	.points = points,
	.point = point,
	.cases = net_cases,
	.setup = setup,
	.enter = enter,
	.leave = leave,
	.teardown = teardown,
};
