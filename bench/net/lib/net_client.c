/* SPDX-License-Identifier: MIT */
#include "net_client.h"

#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* Empty looks of a session that polls, about as long as a watch. */
#define SPIN_LOOKS 1000000u

/* What is not there after two watches was lost. */
#define LOST_WAITS 2

int net_client_check(struct net_client *c, int err)
{
	const int why = partner_check();

	if (err == EINTR && !why)
		return c->most_waits && ++c->waits > c->most_waits ? -ETIMEDOUT
								   : 0;
	if (why && (why != -ETIMEDOUT || err == EINTR || err == EAGAIN))
		return why;
	return err == EAGAIN ? 0 : -err;
}

int net_client_send(struct net_client *c, const void *buf, size_t len)
{
	const char *at = buf;

	c->waits = 0;
	while (len) {
		const ssize_t n = send(c->fd, at, len, MSG_NOSIGNAL);
		const int err = n < 0 ? net_client_check(c, errno) : 0;

		if (err)
			return err;
		if (n > 0) {
			at += n;
			len -= (size_t)n;
		}
	}
	return 0;
}

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

/* What is there.  Return: bytes, at least 1, or as net_client_receive(). */
static ssize_t receive_some(struct net_client *c, int fd, void *buf, size_t len)
{
	c->waits = 0;
	for (;;) {
		const ssize_t n = c->busy ? receive_busy(fd, buf, len)
					  : recv(fd, buf, len, 0);
		int err;

		if (n > 0)
			return n;
		err = net_client_check(c, n < 0 ? errno : ECONNRESET);
		if (err)
			return err;
	}
}

ssize_t net_client_datagram(struct net_client *c, int fd, void *buf, size_t len)
{
	ssize_t n;

	c->most_waits = LOST_WAITS;
	n = receive_some(c, fd, buf, len);
	c->most_waits = 0;
	return n;
}

int net_client_receive(struct net_client *c, void *buf, size_t len)
{
	char *at = buf;

	while (len) {
		const ssize_t n = receive_some(c, c->fd, at, len);

		if (n < 0)
			return (int)n;
		at += n;
		len -= (size_t)n;
	}
	return 0;
}

/* After a connect() that a signal interrupted: it goes on, and must not be
 * called again.  Return: 0 or as net_client_check(). */
static int await(struct net_client *c)
{
	struct pollfd ready = { .fd = c->fd, .events = POLLOUT };
	socklen_t len = sizeof(int);
	int err = 0;

	/* The watch interrupts it. */
	while (!err && poll(&ready, 1, -1) < 0)
		err = net_client_check(c, errno);
	if (!err && getsockopt(c->fd, SOL_SOCKET, SO_ERROR, &err, &len))
		return -errno;
	return err < 0 ? err : -err;
}

int net_client_socket(struct net_client *c)
{
	c->fd = socket(c->to.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	return c->fd < 0 ? -errno : 0;
}

int net_client_dial(struct net_client *c)
{
	if (!connect(c->fd, &c->to.any, c->to.len))
		return 0;
	return errno == EINTR ? await(c) : net_client_check(c, errno);
}

static int talk(struct net_client *c, struct net_hello hello)
{
	int err = 0;

	if (hello.op == NET_ECHO_UDP) {
		c->udp = net_addr_datagrams(c->fd, &hello.port);
		err = c->udp < 0 ? c->udp : 0;
	}
	hello.magic = NET_MAGIC;
	hello.version = NET_VERSION;
	hello.cpu = sched_getcpu();
	net_addr_machine(hello.machine, sizeof(hello.machine));
	if (!err)
		err = net_client_send(c, &hello, sizeof(hello));
	if (!err)
		err = net_client_receive(c, &c->server, sizeof(c->server));
	return !err && c->server.magic != NET_ANSWER ? -EPROTO : err;
}

int net_client_begin(struct net_client *c, const struct net_hello *hello)
{
	const int on = 1;
	int err;

	c->busy = false;
	c->server = (struct net_answer) { 0 };
	err = net_client_socket(c);
	if (err)
		return bench_fail(c->b, -err, "make a socket");
	err = net_client_dial(c);
	if (err)
		return net_client_fail(c, err, "connect to the server");
	setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	err = talk(c, *hello);
	if (!err && c->server.status != NET_OK)
		return bench_skip(c->b, "the server refused: %s",
				  c->server.status == NET_FULL
					  ? "it has too many sessions"
					  : "it has no memory or processes");
	if (!err && c->udp >= 0)
		err = net_addr_join(c->udp, c->fd, c->server.port);
	if (err)
		return net_client_fail(c, err, "greet the server");
	c->busy = hello->flags & NET_BUSY;
	return 0;
}

int net_client_ask(struct net_client *c)
{
	const struct net_hello hello = { .op = NET_ACK, .size = 1 };
	const int err = net_client_begin(c, &hello);

	net_client_end(c);
	return err;
}

void net_client_end(struct net_client *c)
{
	if (c->fd >= 0)
		close(c->fd);
	if (c->udp >= 0)
		close(c->udp);
	c->fd = c->udp = -1;
}

int net_client_fail(struct net_client *c, int err, const char *doing)
{
	switch (-err) {
	case ECANCELED:
		return err;
	case ESRCH:
		return bench_fail(c->b, 0, "%s: our server process has ended",
				  doing);
	case ETIMEDOUT:
		return bench_fail(c->b, 0, "%s: the server does not answer",
				  doing);
	case ECONNRESET:
	case EPIPE:
		return bench_fail(c->b, 0, "%s: the server hung up", doing);
	case EPROTO:
		return bench_fail(c->b, 0, "%s: that is no net_server", doing);
	default:
		return bench_fail(c->b, -err, "%s", doing);
	}
}

void net_client_info(const struct net_client *c, struct tcp_info *info)
{
	socklen_t len = sizeof(*info);

	memset(info, 0, sizeof(*info));
	if (getsockopt(c->fd, IPPROTO_TCP, TCP_INFO, info, &len))
		memset(info, 0, sizeof(*info));
}

uint16_t net_client_port(const struct net_client *c)
{
	struct net_addr here;

	return net_addr_here(c->fd, &here) ? 0 : net_addr_port(&here);
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
	if (c->udp >= 0 || c->fd < 0)
		return;
	net_client_info(c, &info);
	*again += info.tcpi_total_retrans;
	bench_fact(c->b, bc, "retransmitted", (double)*again);
	if (!getsockopt(c->fd, IPPROTO_TCP, TCP_CONGESTION, name, &len))
		bench_fact_text(c->b, bc, "congestion", name);
}
