/* SPDX-License-Identifier: MIT */
/*
 * tcp_connect - what does it cost to set up and take down a TCP connection?
 *
 * connect is the call: it returns when the other kernel has answered, which
 * needs no process there.  rate is how many connections a second one client
 * can make and take down one after the other, a socket for each.  teardown
 * begins a millisecond after the connection was made, as in the CSE 221
 * report: from the call that ends our direction (shutdown) until the end of
 * the other direction is seen, for which the server process must wake up, see
 * our end and close.
 *
 * packet_setup and packet_teardown are the same from captured packets: from
 * the first SYN to the client's acknowledgement of the server's SYN, and from
 * the client's FIN to its acknowledgement of the server's FIN.
 *
 * Where a SYN is lost or the server's queue is full the kernel tries again
 * after a second.  Such a connection is counted (syn_again) and not averaged
 * in: it tells about the loss and not about the cost.
 *
 * Measures: ns of connect(), of the teardown, of the packets' exchange;
 *           connections in a second.
 * Includes: connect: the system call and both network stacks; teardown: the
 *           wake-ups of both processes too; rate: making and closing sockets.
 * After:    lmbench lat_connect (connect); CSE 221 report section 5.4
 *           (packet_setup, packet_teardown).
 * Needs:    two CPUs for place=other_cpu; CAP_NET_RAW and libpcap for the
 *           packets.
 */
#include <errno.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bench.h"
#include "lib/net_capture.h"
#include "lib/net_client.h"
#include "lib/net_handshake.h"
#include "lib/net_host.h"
#include "wall_clock.h"

enum proto { TCP, TCP6 };

static const char *const proto_names[] = { "tcp", "tcp6" };

struct connect_case {
	enum proto proto;
	enum net_place place;
	bool paused;
	/* Not paused: the rate.  Paused: of the packets. */
	const struct bench_case *rate, *setup, *teardown;
	unsigned int syn_again; /* in all visits */
};

#define MAX_CASES 8

/* Between set-up and teardown, as in the report. */
#define PAUSE_US 1000

/* The last packet goes out after the client was woken up, maybe on another CPU,
 * which may be taken away just then. */
#define CAPTURE_MS 5000

struct state {
	struct net_options net; /* first: the option table fills it */
	struct connect_case cases[MAX_CASES];
	size_t n_cases;
	struct net_hosts hosts;
	struct net_client client;
	struct net_capture capture;
	bool capturing;
	int clock; /* wall_clock_watch() */
	/* Of this visit: made and taken down, and what the server had counted
	 * before. */
	unsigned int made;
	uint32_t closed;
};

static int family_of(enum proto proto)
{
	return proto == TCP6 ? AF_INET6 : AF_INET;
}

static void add(struct bench *b, struct state *s, enum proto proto,
		enum net_place place, bool paused)
{
	struct connect_case *keep = &s->cases[s->n_cases++];
	struct bench_case c = {
		.params = {
			P_STR("net", net_hosts_label(&s->net)),
			P_STR("proto", proto_names[proto]),
			P_STR("place", net_hosts_place(&s->net, place)),
			P_STR("figure", paused ? "teardown" : "connect"),
		},
		.arg = keep,
		.index = keep - s->cases,
		.skip = net_hosts_why_not(&s->net, b, place, family_of(proto)),
		.histogram = BENCH_HIST_LOG,
		/* Opening and closing a capture takes tens of ms. */
		.exclusive = paused,
		.switches = true,
	};

	*keep = (struct connect_case) { proto, place, paused, NULL,
					NULL,  NULL,  0 };
	c.of = bench_add(b, &c);
	c.derived = true;
	if (paused) {
		c.params[3].text = "packet_setup";
		keep->setup = bench_add(b, &c);
		c.params[3].text = "packet_teardown";
		keep->teardown = bench_add(b, &c);
		return;
	}
	c.params[3].text = "rate";
	c.unit = "1/s";
	c.better = BENCH_HIGHER;
	c.histogram = BENCH_HIST_NONE;
	keep->rate = bench_add(b, &c);
}

static int cases(struct bench *b, void *state)
{
	struct state *s = state;

	const enum net_place far = net_hosts_places(&s->net) - 1;

	for (enum net_place i = 0; i <= far; i++)
		for (enum proto p = TCP; p <= TCP6; p++) {
			add(b, s, p, i, false);
			/* A capture is dear. */
			if (p == TCP || i == far)
				add(b, s, p, i, true);
		}
	return 0;
}

static int setup(struct bench *b, void *state)
{
	struct state *s = state;
	const int err = net_client_open(&s->client, b);

	s->clock = wall_clock_watch();
	return err ? err : net_hosts_open(&s->hosts, b, &s->net);
}

/* Without packets the rest is measured all the same. */
static int begin_capture(struct bench *b, struct state *s)
{
	const int err =
		net_capture_connection(&s->capture, b, s->client.fd,
				       net_addr_port(&s->client.host->addr));

	s->capturing = !err;
	return err == -ENOTSUP ? 0 : err;
}

static int enter(struct bench *b, void *state, const struct bench_case *c)
{
	struct state *s = state;
	const struct connect_case *cc = c->arg;
	const struct net_host *host =
		net_capture_host(&s->capture, &s->hosts, cc->place,
				 family_of(cc->proto));
	const struct net_hello hello = { .op = NET_ACK, .size = 1 };
	int err;

	s->made = 0;
	if (!host)
		return -EIO; /* it was said why */
	/* A session to begin with: the server is there, this is the interface,
	 * and so many connections has it seen end. */
	err = net_client_begin(&s->client, host, &hello);
	s->closed = s->client.closed;
	if (!err && s->client.fd >= 0 && cc->paused && !bench_stopping(b))
		err = begin_capture(b, s);
	net_client_end(&s->client);
	return err;
}

/* The parts of the life of a connection, in ticks; the clock's overhead not
 * yet taken out. */
struct life {
	uint64_t make, connect, teardown, close;
	uint16_t port; /* the client's */
};

static int make_socket(struct net_client *c)
{
	c->fd = socket(c->host->addr.sa.ss_family, SOCK_STREAM | SOCK_CLOEXEC,
		       0);
	return c->fd < 0 ? -errno : 0;
}

static int do_connect(struct net_client *c)
{
	const struct sockaddr *to = (const struct sockaddr *)&c->host->addr.sa;

	/* Interrupted, it took longer than a watch: it was lost, and is
	 * counted as such. */
	if (!connect(c->fd, to, c->host->addr.len))
		return 0;
	return errno == EINTR ? -EINTR : net_client_check(c, errno);
}

/* Return: 0 when the other direction has ended in good order. */
static int do_teardown(struct net_client *c)
{
	char byte;
	ssize_t n;

	if (shutdown(c->fd, SHUT_WR))
		return net_client_check(c, errno);
	c->waits = 0;
	for (;;) {
		int err;

		n = recv(c->fd, &byte, 1, 0);
		if (n == 0)
			return 0;
		err = n > 0 ? -EPROTO : net_client_check(c, errno);
		if (err)
			return err;
	}
}

static int do_close(struct net_client *c)
{
	const int fd = c->fd;

	c->fd = -1;
	return close(fd) ? -errno : 0;
}

/* Whether a SYN had to be sent again. */
static bool was_lost(const struct net_client *c)
{
	struct tcp_info info;

	net_client_info(c, &info);
	return info.tcpi_total_retrans > 0;
}

static int live(struct bench *b, struct state *s, bool paused,
		struct life *life, bool *lost)
{
	const enum timer_method method = bench_timer(b)->method;
	struct net_client *c = &s->client;
	int err;

	/* From now on: what it interrupts has taken too long. */
	ipc_watch_start(&c->watch);
	TIMER_INTERVAL(method, life->make, err = make_socket(c));
	if (err)
		return err;
	TIMER_INTERVAL(method, life->connect, err = do_connect(c));
	if (err)
		return err;
	life->port = net_client_port(c);
	if (paused)
		usleep(PAUSE_US);
	TIMER_INTERVAL(method, life->teardown, err = do_teardown(c));
	if (err)
		return err;
	*lost = was_lost(c);
	TIMER_INTERVAL(method, life->close, err = do_close(c));
	return err;
}

static int failed(struct bench *b, struct state *s, int err)
{
	if (err == -EADDRNOTAVAIL)
		return bench_skip(b, "all local ports are in TIME_WAIT: try "
				     "again in a minute");
	return net_client_fail(&s->client, err, "connect and close");
}

static double rate_of(const struct bench *b, const struct life *life)
{
	const double ns = bench_ns(b, (double)life->make) +
			  bench_ns(b, (double)life->connect) +
			  bench_ns(b, (double)life->teardown) +
			  bench_ns(b, (double)life->close);

	return 1e9 / ns;
}

static void drop_connection(struct state *s, const struct bench_case *c)
{
	if (s->client.fd >= 0)
		close(s->client.fd);
	s->client.fd = -1;
	s->cases[c->index].syn_again++;
}

static int sample_plain(struct bench *b, struct state *s,
			const struct bench_case *c)
{
	const struct connect_case *cc = c->arg;
	struct life life = { 0 };
	bool lost = false;
	const int err = live(b, s, false, &life, &lost);

	if (err == -EINTR || lost) {
		drop_connection(s, c);
		return 0;
	}
	if (err)
		return failed(b, s, err);
	bench_record(b, c, life.connect);
	bench_record_value(b, cc->rate, rate_of(b, &life));
	s->made++;
	return 0;
}

static int record_packets(struct bench *b, struct state *s,
			  const struct connect_case *cc, uint16_t port)
{
	struct net_handshake h;
	bool opened, closed;

	if (net_capture_handshake(&s->capture, &h, port, CAPTURE_MS))
		return bench_fail(b, 0,
				  "the packets of a connection were not "
				  "captured");
	if (wall_clock_was_set(s->clock))
		return 0; /* the packets' stamps are of that clock */
	opened = h.syns == 1 && h.open_ns > h.syn_ns;
	closed = h.fins == 1 && h.closed_ns > h.fin_ns;
	bench_purity(b, cc->setup, "handshakes", BENCH_MOSTLY, 1, opened);
	bench_purity(b, cc->teardown, "handshakes", BENCH_MOSTLY, 1, closed);
	if (opened)
		bench_record_value(b, cc->setup,
				   (double)(h.open_ns - h.syn_ns));
	if (closed)
		bench_record_value(b, cc->teardown,
				   (double)(h.closed_ns - h.fin_ns));
	return 0;
}

static int sample_paused(struct bench *b, struct state *s,
			 const struct bench_case *c)
{
	struct life life = { 0 };
	bool lost = false;
	int err;

	if (s->capturing)
		net_capture_drain(&s->capture);
	err = live(b, s, true, &life, &lost);
	if (err == -EINTR || lost) {
		drop_connection(s, c);
		return 0;
	}
	if (err)
		return failed(b, s, err);
	bench_record(b, c, life.teardown);
	s->made++;
	return s->capturing ? record_packets(b, s, c->arg, life.port) : 0;
}

static int sample(struct bench *b, void *state, const struct bench_case *c)
{
	const struct connect_case *cc = c->arg;

	if (bench_stopping(b))
		return 0;
	return cc->paused ? sample_paused(b, state, c)
			  : sample_plain(b, state, c);
}

/* The server counts connections that came and were ended by their client. */
static int ask_server(struct bench *b, struct state *s,
		      const struct bench_case *c)
{
	const struct connect_case *cc = c->arg;
	const int err = net_client_ask(&s->client, s->client.host);
	const uint32_t seen = s->client.closed - s->closed;

	if (err || bench_stopping(b))
		return err;
	bench_proof(b, c, "closed_by_server", s->made, seen);
	if (cc->rate)
		bench_proof(b, cc->rate, "closed_by_server", s->made, seen);
	return 0;
}

static int leave(struct bench *b, void *state, const struct bench_case *c)
{
	struct state *s = state;
	const struct connect_case *cc = c->arg;

	bench_fact(b, c, "syn_again", s->cases[c->index].syn_again);
	if (s->capturing)
		bench_fact(b, cc->setup, "not_captured",
			   net_capture_lost(&s->capture));
	net_capture_end(&s->capture);
	s->capturing = false;
	net_client_end(&s->client);
	return s->made && !bench_stopping(b) ? ask_server(b, s, c) : 0;
}

/* What is counted beside a case is skipped with it. */
static void skip_beside(struct bench *b, const struct connect_case *cc,
			const char *why)
{
	if (!cc->paused) {
		bench_derive_skip(b, cc->rate, "%s", why);
		return;
	}
	bench_derive_skip(b, cc->setup, "%s", why);
	bench_derive_skip(b, cc->teardown, "%s", why);
}

static int derive(struct bench *b, void *state)
{
	const struct state *s = state;

	for (size_t i = 0; i < s->n_cases; i++) {
		const struct connect_case *cc = &s->cases[i];
		const char *why =
			net_hosts_unfit(&s->hosts, family_of(cc->proto));

		if (!why && cc->paused)
			why = s->capture.why;
		if (why)
			skip_beside(b, cc, why);
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
}

static const struct opt options[] = { NET_OPTIONS(state), OPT_END };

const struct bench_desc bench_desc = {
	.name = "tcp_connect",
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
