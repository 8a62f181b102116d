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

#include "sysfile.h"

/* As scripts/netlab makes them. */
#define NETLAB_HERE   "/run/netns/oscost-a"
#define NETLAB_THERE  "/run/netns/oscost-b"
#define NETLAB_FILE   "/run/oscost/netlab"
#define NETLAB_WHY    "OSCOST_NETLAB_WHY" /* run-all could not */
#define NETLAB_ADDR_4 "10.78.0.2"
#define NETLAB_ADDR_6 "fd78::2"

#define SERVER "net_server"

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

static bool has(int family)
{
	struct net_addr a;
	int fd;

	net_addr_loopback(&a, family, 0);
	fd = net_addr_listen(&a);
	return fd >= 0 && !close(fd);
}

/* The IP version of all that does not name one. */
static int usual_family(const struct net_hosts *h)
{
	struct net_addr a;

	/* net_hosts_open() reports an address that cannot be parsed. */
	if (h->peer && !net_addr_parse(&a, h->peer, 0))
		return a.any.sa_family;
	return h->ipv6 || (!h->peer && !has(AF_INET) && has(AF_INET6))
		       ? AF_INET6
		       : AF_INET;
}

void net_cases(struct bench *b, void *state)
{
	struct net_hosts *h = state;
	const char *const place[] = { h->peer ? "other_host" : "same_cpu",
				      h->peer ? "other_host" : "other_cpu" };
	const bool six = (h->family = usual_family(h)) == AF_INET6;
	static char net[16], line[64];

	sysfile_line(line, sizeof(line), NETLAB_FILE);
	h->in_memory = !h->peer && !(h->netlab && strstr(line, " shaped"));
	snprintf(net, sizeof(net), "%s%s",
		 h->peer	 ? "remote"
		 : !h->netlab	 ? "loopback"
		 : !h->in_memory ? "shaped"
				 : "veth",
		 six ? "6" : "");
	BENCH_SET_NAME(b, "net", net);
	bench_set_names(b, "place", place, sizeof(*place), h->peer ? 1 : 2);
	BENCH_SET_NAME(b, "near", place[0]);
	BENCH_SET_NAME(b, "far", place[1]);
	bench_need(b, "ip",
		   h->peer || has(h->family) ? NULL
		   : six		     ? "needs IPv6"
					     : "needs IPv4");
	bench_need(b, "ipv6",
		   six		   ? "all rows are by IPv6 here"
		   : h->peer	   ? "the address of --peer is of the other IP "
				     "version"
		   : has(AF_INET6) ? NULL
				   : "needs IPv6");
	bench_need(b, "ipv4", six ? "needs IPv4" : NULL);
}

/* Return: 0 or -errno. */
static int enter_namespace(const char *path)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	const int err = fd < 0 || setns(fd, CLONE_NEWNET) ? -errno : 0;

	if (fd >= 0)
		close(fd);
	return err;
}

static int enter_netlab(struct bench *b)
{
	const char *why = getenv(NETLAB_WHY);
	int err = enter_namespace(NETLAB_THERE);

	if (!err)
		err = enter_namespace(NETLAB_HERE);
	if (err == -ENOENT && !why)
		why = "needs the two network namespaces that scripts/netlab "
		      "makes (as root)";
	return !err ? 0
	       : err == -ENOENT
		       ? bench_skip(b, "%s", why)
		       : bench_fail(b, -err, "enter a network namespace");
}

int net_hosts_open(struct net_hosts *h, struct bench *b)
{
	/* net_server lies beside this program, and the static file is both. */
	/* NOLINTNEXTLINE(performance-no-int-to-ptr) */
	const char *self = (const char *)getauxval(AT_EXECFN);
	const char *slash = strrchr(self, '/');
	const int dir = slash ? (int)(slash + 1 - self) : 0;
	struct net_addr to = { .len = 0 };
	int err;

	snprintf(h->file, sizeof(h->file), "%.*s%s", dir, self,
		 ALL_IN_ONE ? self + dir : SERVER);
	h->b = b;
	signal(SIGPIPE, SIG_IGN);
	if (h->peer && h->netlab)
		return bench_fail(b, 0, "--peer and --netlab together");
	if (h->peer && net_addr_parse(&to, h->peer, (uint16_t)h->port))
		return bench_fail(b, 0, "--peer %s: not an IP address",
				  h->peer);
	for (unsigned int i = 0; i < NET_SERVERS; i++)
		h->client[i] = (struct net_client) { .b = b, .to = to };
	err = partner_watch(b);
	return err ? err : h->netlab ? enter_netlab(b) : 0;
}

static int become_server(struct partner *p, void *arg)
{
	const struct net_hosts *h = arg;
	const char *const word[] = { SERVER, "--inherit", NULL };
	int err = h->defer ? partner_defer() : 0;

	if (!err && h->netlab)
		err = enter_namespace(NETLAB_THERE);
	if (!err && (dup2(h->listener, STDIN_FILENO) < 0 ||
		     dup2(STDERR_FILENO, STDOUT_FILENO) < 0 ||
		     /* If it was there already. */
		     fcntl(STDIN_FILENO, F_SETFD, 0) ||
		     execv(h->file, (char *const *)word)))
		err = -errno;
	return err;
}

int net_hosts_begin(struct net_hosts *h, const struct bench_case *c,
		    unsigned int sessions)
{
	const int family = case_is(c, "proto", "unix")	 ? AF_UNIX
			   : case_is(c, "proto", "tcp6") ? AF_INET6
			   : case_is(c, "proto", "udp6") ? AF_INET6
							 : h->family;
	const int cpu = bench_partner(h->b, c->place);
	struct net_addr a;
	int err = 0;

	if (h->peer)
		return 0;
	if (access(h->file, X_OK))
		return bench_skip(h->b, "needs " SERVER " beside this program");
	net_addr_loopback(&a, family, 0);
	if (h->netlab) {
		net_addr_parse(&a,
			       family == AF_INET6 ? NETLAB_ADDR_6
						  : NETLAB_ADDR_4,
			       0);
		enter_namespace(NETLAB_THERE);
	}
	h->listener = net_addr_listen(&a);
	if (h->netlab)
		err = enter_namespace(NETLAB_HERE);
	if (err || h->listener < 0)
		return partner_refused(h->b, err ? -err : -h->listener,
				       "a socket that listens");
	for (unsigned int i = 0; i < sessions && !err; i++) {
		h->client[i].to = a;
		err = partner_start(h->b, &h->server[i], PARTNER_PROCESS, cpu,
				    become_server, h);
		if (!err)
			err = partner_settle(h->b, &h->server[i]);
	}
	return err;
}

void net_hosts_end(struct net_hosts *h)
{
	for (unsigned int i = 0; i < NET_SERVERS; i++)
		net_client_end(&h->client[i]);
	partner_stop_all(h->server, NET_SERVERS);
	if (h->listener > 0)
		close(h->listener);
	h->listener = 0;
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
		err = net_check(-1);
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
	err = net_send(c->fd, &hello, sizeof(hello));
	if (!err)
		err = net_receive(c->fd, &c->server, sizeof(c->server));
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
	if (c->fd > 0)
		close(c->fd);
	c->fd = 0;
}

int net_client_fail(struct net_client *c, int err, const char *doing)
{
	const char *why = err == -ETIMEDOUT ? "the server does not answer"
			  : err == -EPROTO  ? "that is no net_server"
			  : err == -ECONNRESET || err == -EPIPE
				  ? "the server hung up"
				  : NULL;

	return why ? bench_fail(c->b, 0, "%s: %s", doing, why)
		   : bench_fail(c->b, -err, "%s", doing);
}

struct tcp_info net_client_info(const struct net_client *c)
{
	struct tcp_info info = { .tcpi_state = 0 };

	getsockopt(c->fd, IPPROTO_TCP, TCP_INFO, &info,
		   &(socklen_t) { sizeof(info) });
	return info;
}

void net_client_facts(const struct net_client *c, const struct bench_case *bc,
		      uint64_t *again)
{
	char name[16] = "";

	bench_fact(c->b, bc, "server_cpu", c->server.cpu);
	if (c->server.same_machine)
		bench_fact(c->b, bc, "same_machine", 1);
	if (!again)
		return;
	*again += net_client_info(c).tcpi_total_retrans;
	bench_fact(c->b, bc, "retransmitted", (double)*again);
	if (!getsockopt(c->fd, IPPROTO_TCP, TCP_CONGESTION, name,
			&(socklen_t) { sizeof(name) - 1 }))
		bench_fact_text(c->b, bc, "congestion", name);
}
