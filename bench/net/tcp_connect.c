/* SPDX-License-Identifier: MIT */
/*
 * tcp_connect - what does it cost to set up and take down a TCP connection?
 *
 * connect is the call: it returns when the other kernel has answered, which
 * needs no process there.  It wakes the server, which does not preempt the
 * client (SCHED_BATCH), or on one CPU its accept() would be in the call in some
 * states of the scheduler and not in others.  rate is how many connections a
 * second one client can make and take down one after the other, a socket for
 * each.  teardown begins a millisecond after the connection was made, as in the
 * CSE 221 report: from the call that ends our direction (shutdown) until the
 * end of the other direction is seen, for which the server process must wake
 * up, see our end and close.
 *
 * packet_setup and packet_teardown are the same from captured packets, in
 * measurements of their own, because a capture is expensive: from the first SYN
 * to the client's acknowledgement of the server's SYN, and from the client's
 * FIN to its acknowledgement of the server's FIN.
 *
 * proto=unix is the same with AF_UNIX stream sockets, on one host: a process of
 * ours accepts, reads the client's end and closes.
 *
 * Where a SYN is lost or the server's queue is full the kernel tries again
 * after a second.  That connection is counted (syn_again) and not averaged
 * in: it shows the loss and not the cost.
 *
 * Measures: ns of connect(), of the teardown, of the packets' exchange;
 *           connections in a second.
 * Includes: connect: the system call and both network stacks; teardown: the
 *           wake-ups of both processes too; rate: making and closing sockets.
 * After:    lmbench lat_connect (connect) and lat_unix_connect (proto=unix: it
 *           times socket, connect and close, and not the wait for the server's
 *           end that rate has); CSE 221 report section 5.4 (packet_setup,
 *           packet_teardown).
 * Needs:    two CPUs for place=other_cpu; CAP_NET_RAW for the
 *           packets.
 */
#include <errno.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bench.h"
#include "lib/net_capture.h"
#include "lib/net_host.h"
#include "wall_clock.h"

/* In these the client waits between set-up and teardown. */
#define PAUSED "stat={teardown,packet_setup,packet_teardown}"

static const char points[] =
	"net=$net proto={tcp,tcp6,unix} place=$place"
	" stat={connect,rate,teardown,packet_setup,packet_teardown};"
	"not proto=unix net!=loopback; not proto=unix " PAUSED ";"
	/* A capture is slow, and its opening and closing take tens of ms. */
	"not proto=tcp6 place!=$far " PAUSED ";"
	"is exclusive if " PAUSED ";"
	"is log step=1 if stat!=rate; is unit='1/s' higher if stat=rate;"
	"is derived of=[stat=connect] if stat=rate;"
	"is derived of=[stat=packet_setup] if "
	"stat=packet_teardown;" NET_HOSTS_RULES;

/* Between set-up and teardown, as in the report. */
#define PAUSE_US 1000

struct case_state {
	unsigned int syn_again; /* in all visits */
};

struct state {
	struct net_hosts hosts; /* first */
	struct net_capture capture;
	/* Counts of this visit: connections made and taken down, and the
	 * server's count before. */
	unsigned int made;
	uint32_t closed;
	bool paused; /* between set-up and teardown */
	/* The cases that get their values in it: the rate, or those of the
	 * packets, of which @setup is NULL in other visits. */
	const struct bench_case *rate, *setup, *teardown;
};

static int setup(struct bench *b, void *state)
{
	struct state *s = state;

	s->hosts.defer = true;
	return net_hosts_open(&s->hosts, b);
}

static int enter(struct bench *b, void *state, const struct bench_case *c)
{
	struct state *s = state;
	int err = net_hosts_begin(&s->hosts, c, 1);

	s->made = 0;
	s->setup = case_is(c, "stat", "packet_setup") ? c : NULL;
	s->paused = s->setup || case_is(c, "stat", "teardown");
	s->rate = bench_beside(b, c, "stat=rate");
	s->teardown = bench_beside(b, c, "stat=packet_teardown");
	/* A session to begin with: the server is there, this is the interface,
	 * and so many connections has it seen end. */
	if (!err)
		err = net_client_ask(s->hosts.client);
	s->closed = s->hosts.client->server.closed;
	if (!err && s->setup)
		err = net_capture_open(&s->capture, b,
				       net_addr_port(s->hosts.client->to));
	if (!err && case_is(c, "proto", "unix"))
		bench_fact(b, c, "server_cpu", s->hosts.client->server.cpu);
	return err;
}

/* The parts of the life of a connection, in ticks; the clock's overhead not
 * yet taken out. */
struct life {
	uint64_t make, connect, teardown, close;
	uint16_t port; /* the client's */
};

/* Return: 0 when the other direction has ended in good order. */
static int do_teardown(struct net_client *c)
{
	int err = shutdown(c->fd, SHUT_WR) ? -errno : 0;
	char byte;

	while (!err) {
		const ssize_t n = recv(c->fd, &byte, 1, 0);

		if (n == 0)
			return 0;
		err = n > 0 ? -EPROTO : net_check(n);
	}
	return err;
}

static int do_close(struct net_client *c)
{
	const int fd = c->fd;

	c->fd = 0;
	return close(fd) ? -errno : 0;
}

/* Whether a SYN had to be sent again. */
static bool was_lost(const struct net_client *c)
{
	return net_client_info(c).tcpi_total_retrans > 0;
}

static int live(struct bench *b, struct state *s, struct life *life, bool *lost)
{
	const enum timer_method method = bench_timer(b)->method;
	struct net_client *c = s->hosts.client;
	int err;

	TIMER_INTERVAL(method, life->make, err = net_client_socket(c));
	if (err)
		return err;
	TIMER_INTERVAL(method, life->connect, err = net_client_dial(c));
	if (err)
		return err;
	life->port = net_addr_port(net_addr_here(c->fd));
	if (s->paused)
		usleep(PAUSE_US);
	TIMER_INTERVAL(method, life->teardown, err = do_teardown(c));
	if (err)
		return err;
	*lost = was_lost(c);
	TIMER_INTERVAL(method, life->close, err = do_close(c));
	return err;
}

/*
 * Set-up and teardown of one TCP connection, as the CSE 221 report has them
 * (section 5.4): from the first SYN to the client's acknowledgement of the
 * server's, and from the client's FIN to its acknowledgement of the server's.
 */
struct handshake {
	uint16_t port; /* of the client; others are passed over */
	uint64_t syn_ns, open_ns, fin_ns, closed_ns;
	unsigned int syns, fins; /* that the client sent: 1 each, or again */
	uint32_t server_syn, server_fin;
	bool answered, finished; /* the server's SYN, FIN was seen */
};

/* Bits of the flags, RFC 9293 section 3.1. */
#define FIN 0x01
#define SYN 0x02
#define ACK 0x10

static void from_server(struct handshake *h, const struct net_packet *p)
{
	if (p->flags & SYN) {
		h->answered = true;
		h->server_syn = p->seq;
	}
	if (p->flags & FIN) {
		h->finished = true;
		h->server_fin = p->seq + p->payload;
	}
}

/* Return: whether packet @p is the last one. */
static bool see_handshake(struct handshake *h, const struct net_packet *p)
{
	if (p->port != h->port)
		return false;
	if (!p->to_server) {
		from_server(h, p);
		return false;
	}
	if (p->flags & SYN) {
		if (!h->syns++)
			h->syn_ns = p->ns;
		return false;
	}
	if (h->answered && !h->open_ns && p->flags & ACK &&
	    p->ack == h->server_syn + 1)
		h->open_ns = p->ns;
	if (p->flags & FIN && !h->fins++)
		h->fin_ns = p->ns;
	if (h->finished && h->fins && p->flags & ACK &&
	    p->ack == h->server_fin + 1)
		h->closed_ns = p->ns;
	return h->closed_ns;
}

static double rate_of(const struct bench *b, const struct life *life)
{
	return 1e9 / (bench_ns(b, (double)life->make) +
		      bench_ns(b, (double)life->connect) +
		      bench_ns(b, (double)life->teardown) +
		      bench_ns(b, (double)life->close));
}

static int record_packets(struct bench *b, struct state *s, uint16_t port)
{
	struct handshake h = { .port = port };
	struct net_packet p;
	bool opened, closed;

	/* The last one goes out after the client was woken up, maybe on another
	 * CPU. */
	while (net_capture_next(&s->capture, &p, true) &&
	       !see_handshake(&h, &p))
		;
	if (wall_clock_was_set(s->capture.clock))
		return 0; /* the packets' stamps are of that clock */
	opened = h.syns == 1 && h.open_ns > h.syn_ns;
	closed = h.fins == 1 && h.closed_ns > h.fin_ns;
	bench_purity(b, s->setup, "handshakes", BENCH_MOSTLY, 1, opened);
	bench_purity(b, s->teardown, "handshakes", BENCH_MOSTLY, 1, closed);
	if (opened)
		bench_record_value(b, s->setup, (double)(h.open_ns - h.syn_ns));
	if (closed)
		bench_record_value(b, s->teardown,
				   (double)(h.closed_ns - h.fin_ns));
	return 0;
}

static int sample(struct bench *b, void *state, const struct bench_case *c)
{
	struct state *s = state;
	struct case_state *cs = c->data;
	struct life life = { 0 };
	bool lost = false;
	int err;

	err = live(b, s, &life, &lost);
	if (err == -EADDRNOTAVAIL)
		return bench_skip(b, "all local ports are in TIME_WAIT: try "
				     "again in a minute");
	if (err)
		return net_client_fail(s->hosts.client, err,
				       "connect and close");
	cs->syn_again += lost;
	if (lost)
		return 0;
	s->made++;
	if (s->setup)
		return record_packets(b, s, life.port);
	bench_record(b, c, s->paused ? life.teardown : life.connect);
	if (!s->paused)
		bench_record_value(b, s->rate, rate_of(b, &life));
	return 0;
}

/* The server counts connections that came and were ended by their client, those
 * of other clients, too: not where its socket has no port. */
static void ask_server(struct bench *b, struct state *s,
		       const struct bench_case *c)
{
	const int err = net_client_ask(s->hosts.client);
	const uint32_t seen = s->hosts.client->server.closed - s->closed;

	if (err)
		return;
	if (case_is(c, "proto", "unix")) {
		bench_proof(b, c, "closed_by_server", s->made, seen);
		bench_proof(b, s->rate, "closed_by_server", s->made, seen);
		return;
	}
	bench_least(b, c, "closed_by_server", s->made, seen);
	if (!s->paused)
		bench_least(b, s->rate, "closed_by_server", s->made, seen);
}

static void leave(struct bench *b, void *state, const struct bench_case *c)
{
	struct state *s = state;
	const struct case_state *cs = c->data;

	if (!case_is(c, "proto", "unix"))
		bench_fact(b, c, "syn_again", cs->syn_again);
	net_capture_close(&s->capture, b, s->setup);
	net_client_end(s->hosts.client);
	if (s->made)
		ask_server(b, s, c);
	net_hosts_end(&s->hosts);
}

const struct bench_desc bench_desc = {
	.many_cpus = true,
	.opts = net_options,
	.state_size = sizeof(struct state),
	.case_state_size = sizeof(struct case_state),
	.points = points,
	.cases = net_cases,
	.setup = setup,
	.enter = enter,
	.sample = sample,
	.leave = leave,
};
