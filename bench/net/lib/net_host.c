/* SPDX-License-Identifier: MIT */
#include "net_host.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/socket.h>
#include <unistd.h>

#include "multicall.h"
#include "sysfile.h"

/* As scripts/netlab makes them. */
#define NETLAB_HERE   "oscost-a"
#define NETLAB_THERE  "oscost-b"
#define NETLAB_FILE   "/run/oscost/netlab"
#define NETLAB_WHY    "OSCOST_NETLAB_WHY" /* run-all could not */
#define NETLAB_ADDR_4 "10.78.0.2"
#define NETLAB_ADDR_6 "fd78::2"

#define SERVER "net_server"

/* What a server has used to start is held against it by the scheduler, and its
 * client goes first for as long, unless the CPU was idle meanwhile. */
#define START_US 5000

const struct opt net_options[] = {
	OPT_STR(0, "peer", net_hosts, peer, NULL,
		"measure to net_server on this host (default: loopback, "
		"to a server of our own), IP address"),
	OPT_U64(0, "port", net_hosts, port, "26321", 1, 65535,
		"where net_server listens, TCP port"),
	OPT_FLAG(0, "ipv6", net_hosts, ipv6,
		 "all by IPv6, as on a host without IPv4, flag"),
	OPT_FLAG(0, "netlab", net_hosts, netlab,
		 "measure between the two network namespaces of "
		 "scripts/netlab, flag"),
	OPT_END,
};

static bool is_shaped(void)
{
	char line[64];

	sysfile_line(line, sizeof(line), NETLAB_FILE);
	return strstr(line, " shaped");
}

bool net_hosts_is_memory(const struct net_hosts *h)
{
	return !h->peer && !(h->netlab && is_shaped());
}

static bool has(int family)
{
	struct net_addr a;
	int fd;

	net_addr_loopback(&a, family, 0);
	fd = net_addr_listen(&a);
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

/* The IP version of all that does not name one. */
static int usual_family(const struct net_hosts *h)
{
	struct net_addr a;

	/* An address that cannot be parsed is told by net_hosts_open(). */
	if (h->peer && !net_addr_parse(&a, h->peer, 0))
		return a.any.sa_family;
	return h->ipv6 || (!h->peer && !has(AF_INET) && has(AF_INET6))
		       ? AF_INET6
		       : AF_INET;
}

int net_cases(struct bench *b, void *state)
{
	const struct net_hosts *h = state;
	const char *const place[] = { h->peer ? "other_host" : "same_cpu",
				      h->peer ? "other_host" : "other_cpu" };
	const int family = usual_family(h);
	const bool six = family == AF_INET6;
	static char net[16];

	snprintf(net, sizeof(net), "%s%s",
		 h->peer       ? "remote"
		 : !h->netlab  ? "loopback"
		 : is_shaped() ? "shaped"
			       : "veth",
		 six ? "6" : "");
	BENCH_SET_NAME(b, "net", net);
	bench_set_names(b, "place", place, sizeof(*place), h->peer ? 1 : 2);
	BENCH_SET_NAME(b, "near", place[0]);
	BENCH_SET_NAME(b, "far", place[1]);
	bench_need(b, "ip",
		   h->peer || has(family) ? NULL
		   : six		  ? "needs IPv6"
					  : "needs IPv4");
	bench_need(b, "ipv6",
		   six		   ? "all rows are by IPv6 here"
		   : h->peer	   ? "the address of --peer is of the other IP "
				     "version"
		   : has(AF_INET6) ? NULL
				   : "needs IPv6");
	bench_need(b, "ipv4", six ? "needs IPv4" : NULL);
	return 0;
}

static int enter_netlab(struct bench *b)
{
	const char *why = getenv(NETLAB_WHY);
	int err = net_addr_enter(NETLAB_THERE);

	if (!err)
		err = net_addr_enter(NETLAB_HERE);
	if (err == -ENOENT)
		return bench_skip(b, "%s",
				  why ? why
				      : "needs the two network namespaces that "
					"scripts/netlab makes (as root)");
	return err ? bench_skip(b, "may not enter a network namespace: %s",
				strerror(-err))
		   : 0;
}

static int become_server(struct partner *p, void *arg)
{
	const struct net_hosts *h = arg;
	const char *const word[] = { SERVER, "--inherit", NULL };
	int err = h->defer ? partner_defer() : 0;

	if (!err && h->netlab)
		err = net_addr_enter(NETLAB_THERE);
	if (!err && (dup2(h->listener, STDIN_FILENO) < 0 ||
		     dup2(STDERR_FILENO, STDOUT_FILENO) < 0 ||
		     /* If it was there already. */
		     fcntl(STDIN_FILENO, F_SETFD, 0) ||
		     execv(h->file, (char *const *)word)))
		err = -errno;
	return err;
}

int net_hosts_open(struct net_hosts *h, struct bench *b)
{
	struct net_addr to = { .len = 0 };
	int err;

	h->listener = -1;
	h->family = usual_family(h);
	signal(SIGPIPE, SIG_IGN);
	if (h->peer && h->netlab)
		return bench_fail(b, 0, "--peer and --netlab together");
	if (h->peer && net_addr_parse(&to, h->peer, (uint16_t)h->port))
		return bench_fail(b, 0, "--peer %s: not an IP address",
				  h->peer);
	for (unsigned int i = 0; i < NET_SERVERS; i++)
		h->client[i] = (struct net_client) {
			.b = b, .to = to, .fd = -1, .is_peer = h->peer
		};
	err = h->peer ? partner_watch(true) : 0;
	if (err)
		err = bench_fail(b, -err, "make a timer");
	else if (h->netlab)
		err = enter_netlab(b);
	h->b = err ? NULL : b;
	return err;
}

static int family_of(const struct net_hosts *h, const struct bench_case *c)
{
	return case_is(c, "proto", "unix") ? AF_UNIX
	       : case_is(c, "proto", "tcp6") || case_is(c, "proto", "udp6")
		       ? AF_INET6
		       : h->family;
}

/* A socket that listens where the server of @c is to be found. */
static int listen_there(struct net_hosts *h, int family)
{
	const bool netlab = h->netlab;
	struct net_addr *a = &h->client[0].to;
	int err = netlab ? net_addr_enter(NETLAB_THERE) : 0;

	if (family == AF_UNIX) /* its name is no file */
		*a = (struct net_addr) { .any.sa_family = AF_UNIX,
					 .len = sizeof(a->any.sa_family) };
	else if (!netlab)
		net_addr_loopback(a, family, 0);
	else
		net_addr_parse(a,
			       family == AF_INET6 ? NETLAB_ADDR_6
						  : NETLAB_ADDR_4,
			       0);
	if (err)
		return err;
	h->listener = net_addr_listen(a);
	for (unsigned int i = 1; i < NET_SERVERS; i++)
		h->client[i].to = *a;
	/* It was entered once: nothing keeps us out. */
	err = netlab ? net_addr_enter(NETLAB_HERE) : 0;
	return h->listener < 0 ? h->listener : err;
}

/* net_server lies beside this program, and the static file is both. */
static int start_servers(struct net_hosts *h, int cpu, unsigned int sessions)
{
	/* NOLINTNEXTLINE(performance-no-int-to-ptr) */
	const char *self = (const char *)getauxval(AT_EXECFN);
	const char *slash = strrchr(self, '/');
	const int dir = slash ? (int)(slash + 1 - self) : 0;
	int err = 0;

	snprintf(h->file, sizeof(h->file), "%.*s%s", dir, self,
		 multicall_write ? self + dir : SERVER);
	if (access(h->file, X_OK))
		return bench_skip(h->b, "needs " SERVER " beside this program");
	for (unsigned int i = 0; i < sessions && !err; i++)
		err = partner_start(h->b, &h->server[i], PARTNER_PROCESS, cpu,
				    become_server, h);
	usleep(START_US);
	return err;
}

int net_hosts_begin(struct net_hosts *h, const struct bench_case *c,
		    unsigned int sessions)
{
	int err;

	if (h->peer)
		return 0;
	err = listen_there(h, family_of(h, c));
	if (err)
		return partner_refused(h->b, -err, "a socket that listens");
	return start_servers(h, bench_partner(h->b, c->place), sessions);
}

void net_hosts_end(struct net_hosts *h)
{
	for (unsigned int i = 0; i < NET_SERVERS; i++) {
		net_client_end(&h->client[i]);
		partner_stop(&h->server[i]);
	}
	if (h->listener >= 0)
		close(h->listener);
	h->listener = -1;
}

void net_teardown(struct bench *b, void *state)
{
	struct net_hosts *h = state;

	if (!h->b)
		return; /* setup() did not come so far */
	net_hosts_end(h);
	if (h->peer)
		partner_watch(false);
	h->b = NULL;
}

int net_client_check(int err)
{
	const int why = partner_check();

	if (why && (why != -ETIMEDOUT || err == EINTR || err == EAGAIN))
		return why;
	return err == EINTR || err == EAGAIN ? 0 : -err;
}

int net_client_send(struct net_client *c, const void *buf, size_t len)
{
	const char *at = buf;

	while (len) {
		const ssize_t n = send(c->fd, at, len, MSG_NOSIGNAL);
		const int err = n < 0 ? net_client_check(errno) : 0;

		if (err)
			return err;
		if (n > 0) {
			at += n;
			len -= (size_t)n;
		}
	}
	return 0;
}

int net_client_receive(struct net_client *c, void *buf, size_t len)
{
	char *at = buf;

	while (len) {
		const ssize_t n = recv(c->fd, at, len, 0);
		const int err =
			n > 0 ? 0
			      : net_client_check(n < 0 ? errno : ECONNRESET);

		if (err)
			return err;
		if (n > 0) {
			at += n;
			len -= (size_t)n;
		}
	}
	return 0;
}

int net_client_socket(struct net_client *c)
{
	c->fd = socket(c->to.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	return c->fd < 0 ? -errno : 0;
}

int net_client_dial(struct net_client *c)
{
	int err = 0;

	/* Linux goes on with one that was interrupted. */
	while (!err && connect(c->fd, &c->to.any, c->to.len))
		err = net_client_check(errno);
	return err;
}

int net_client_begin(struct net_client *c, struct net_hello hello)
{
	int err = net_client_socket(c);

	if (err)
		return bench_fail(c->b, -err, "make a socket");
	err = net_client_dial(c);
	if (err)
		return net_client_fail(c, err, "connect to the server");
	hello.magic = NET_MAGIC;
	hello.version = NET_VERSION;
	hello.cpu = sched_getcpu();
	sysfile_line(hello.machine, sizeof(hello.machine), NET_MACHINE_FILE);
	c->server = (struct net_answer) { 0 };
	err = net_client_send(c, &hello, sizeof(hello));
	if (!err)
		err = net_client_receive(c, &c->server, sizeof(c->server));
	if (!err && c->server.magic != NET_ANSWER)
		err = -EPROTO;
	if (err)
		return net_client_fail(c, err, "greet the server");
	return c->server.status == NET_OK
		       ? 0
		       : bench_skip(c->b, "the server refused: %s",
				    c->server.status == NET_FULL
					    ? "it has too many sessions"
					    : "it has no memory or processes");
}

int net_client_ask(struct net_client *c)
{
	const int err = net_client_begin(c, (struct net_hello) { .op = NET_ACK,
								 .size = 1 });

	net_client_end(c);
	return err;
}

void net_client_end(struct net_client *c)
{
	if (c->fd >= 0)
		close(c->fd);
	c->fd = -1;
}

int net_client_fail(struct net_client *c, int err, const char *doing)
{
	const char *why = err == -ESRCH	       ? "our server process has ended"
			  : err == -ETIMEDOUT  ? "the server does not answer"
			  : err == -ECONNRESET ? "the server hung up"
			  : err == -EPIPE      ? "the server hung up"
			  : err == -EPROTO     ? "that is no net_server"
					       : NULL;

	if (err == -ECANCELED)
		return err;
	return why ? bench_fail(c->b, 0, "%s: %s", doing, why)
		   : bench_fail(c->b, -err, "%s", doing);
}

void net_client_info(const struct net_client *c, struct tcp_info *info)
{
	socklen_t len = sizeof(*info);

	memset(info, 0, sizeof(*info));
	getsockopt(c->fd, IPPROTO_TCP, TCP_INFO, info, &len);
}

void net_client_facts(const struct net_client *c, const struct bench_case *bc,
		      uint64_t *again)
{
	char name[16] = "";
	socklen_t len = sizeof(name) - 1;
	struct tcp_info info;

	bench_fact(c->b, bc, "server_cpu", c->server.cpu);
	if (c->is_peer)
		bench_fact(c->b, bc, "same_machine", c->server.same_machine);
	if (!again)
		return;
	net_client_info(c, &info);
	*again += info.tcpi_total_retrans;
	bench_fact(c->b, bc, "retransmitted", (double)*again);
	if (!getsockopt(c->fd, IPPROTO_TCP, TCP_CONGESTION, name, &len))
		bench_fact_text(c->b, bc, "congestion", name);
}
