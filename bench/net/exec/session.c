/* SPDX-License-Identifier: MIT */
#include "session.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "deadline.h"

/* A busy session in which nothing came for so long sleeps until something
 * comes: a client that went away must not cost a CPU. */
#define SPIN_MS 20

/* Whatever the size of the messages, as it is for a program that takes what has
 * come.  (iperf3 reads as much at a time as its client writes.) */
#define SINK_BYTES (1u << 17)

/* At most @len bytes.  Return: as recv(), 0 also when it had enough. */
static ssize_t receive(struct net_session *s, int fd, void *buf, size_t len)
{
	ssize_t n;

	do
		n = net_receive_some(fd, buf, len,
				     s->hello.flags & NET_BUSY ? SPIN_MS : 0);
	while (n < 0 && errno == EINTR);
	if (n <= 0)
		return n;
	s->bytes += (uint64_t)n;
	return s->bytes > s->most ? 0 : n;
}

static void count_echo(struct net_session *s)
{
	atomic_fetch_add_explicit(&s->counts->echoed, 1, memory_order_relaxed);
}

static void echo(struct net_session *s, unsigned char *buf)
{
	const size_t size = s->hello.size;
	size_t have = 0;

	for (;;) {
		const ssize_t n = receive(s, s->fd, buf + have, size - have);

		if (n <= 0)
			return;
		have += (size_t)n;
		if (have < size)
			continue;
		/* Before it is sent: the client may ask at once. */
		count_echo(s);
		if (net_send(s->fd, buf, size))
			return;
		have = 0;
	}
}

int net_session_datagrams(int connection, uint16_t from, uint16_t *port)
{
	struct net_addr here = net_addr_here(connection);
	struct net_addr there = { .len = sizeof(there.six) };
	int fd;

	if (getpeername(connection, &there.any, &there.len))
		return -errno;
	here.four.sin_port = 0;
	there.four.sin_port = htons(from);
	fd = socket(here.any.sa_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	if (bind(fd, &here.any, here.len) ||
	    connect(fd, &there.any, there.len)) {
		close(fd);
		return -EIO;
	}
	here = net_addr_here(fd);
	*port = net_addr_port(here);
	return fd;
}

static volatile sig_atomic_t datagrams; /* for hang_up() */

/* A blocked call returns, and the session ends by itself. */
static void hang_up(int sig)
{
	shutdown(datagrams, SHUT_RDWR);
}

/* Nobody reads the connection of a session with datagrams: it is there to say
 * that the client lives, and whatever comes there ends it.  Return: whether it
 * has come already. */
static bool watch_connection(const struct net_session *s, int udp)
{
	char byte;

	datagrams = udp;
	signal(SIGIO, hang_up);
	fcntl(s->fd, F_SETOWN, getpid());
	fcntl(s->fd, F_SETFL, O_ASYNC);
	return recv(s->fd, &byte, 1, MSG_DONTWAIT) >= 0 || errno != EAGAIN;
}

/* A datagram that cannot be sent back is lost, as others are.  An empty one
 * looks like the end: the clients send none. */
static void echo_udp(struct net_session *s, int udp, unsigned char *buf)
{
	bool over = watch_connection(s, udp);

	while (!over) {
		const ssize_t n = receive(s, udp, buf, s->hello.size);

		if (n > 0) {
			count_echo(s);
			send(udp, buf, (size_t)n, MSG_NOSIGNAL);
		} else {
			over = n == 0 || errno != ECONNREFUSED;
		}
	}
	fcntl(s->fd, F_SETFL, 0);
}

static void acknowledge_soon(int fd)
{
	const int on = 1;

	/* The kernel falls back to delayed ones by itself: ask each time. */
	setsockopt(fd, IPPROTO_TCP, TCP_QUICKACK, &on, sizeof(on));
}

static int report(struct net_session *s, uint64_t bytes, uint64_t ns)
{
	const struct net_report report = { .bytes = bytes, .ns = ns };
	const int err = net_send(s->fd, &report, sizeof(report));

	/* Whoever sends looks like one whose acknowledgements can wait for
	 * what it will send next, and a client that waits with a small segment
	 * until the one before was acknowledged (Nagle) would wait for 40 ms.
	 * A server that only reads acknowledges what it has read at once; so
	 * does this one. */
	acknowledge_soon(s->fd);
	return err;
}

static void sink(struct net_session *s, unsigned char *buf)
{
	uint64_t due = 0, have = 0;
	ssize_t n;

	while ((n = receive(s, s->fd, buf, SINK_BYTES)) > 0) {
		const uint64_t now = (uint64_t)clock_now_ns(CLOCK_MONOTONIC);

		have += (uint64_t)n;
		if (now < due)
			continue;
		if (report(s, have, now))
			return;
		due = now + s->hello.span_ns;
	}
	report(s, have, 0);
}

/* The acknowledgement does not wait for the answer. */
static void acknowledge(struct net_session *s, unsigned char *buf)
{
	ssize_t n;

	acknowledge_soon(s->fd);
	while ((n = receive(s, s->fd, buf, s->hello.size)) > 0) {
		count_echo(s);
		if (net_send(s->fd, buf, (size_t)n))
			return;
		acknowledge_soon(s->fd);
	}
}

static void serve(struct net_session *s, int udp, unsigned char *buf)
{
	switch ((enum net_op)s->hello.op) {
	case NET_ECHO:
		echo(s, buf);
		break;
	case NET_ECHO_UDP:
		echo_udp(s, udp, buf);
		break;
	case NET_SINK:
		sink(s, buf);
		break;
	case NET_ACK:
		acknowledge(s, buf);
		break;
	}
}

void net_session_run(struct net_session *s)
{
	const size_t room =
		s->hello.op == NET_SINK ? SINK_BYTES : s->hello.size;
	unsigned char *buf = malloc(room);
	struct net_answer answer = {
		.magic = NET_ANSWER,
		.cpu = sched_getcpu(),
		.same_machine = s->same_machine,
		.closed = atomic_load(&s->counts->closed),
		.echoed = atomic_load(&s->counts->echoed),
	};
	const int on = 1;
	int udp = -1;

	setsockopt(s->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	if (buf)
		memset(buf, 0x5a, room); /* pages of its own, before the work */
	if (buf && s->hello.op == NET_ECHO_UDP)
		udp = net_session_datagrams(s->fd, s->hello.port, &answer.port);
	if (!buf || (s->hello.op == NET_ECHO_UDP && udp < 0))
		answer.status = NET_TROUBLE;
	if (!net_send(s->fd, &answer, sizeof(answer)) &&
	    answer.status == NET_OK)
		serve(s, udp, buf);
	if (udp >= 0)
		close(udp);
	free(buf);
}

int net_session_accept(int listener, struct net_counts *counts)
{
	struct net_session s = { .counts = counts, .most = UINT64_MAX };
	ssize_t n;

	s.fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
	if (s.fd < 0)
		return errno == EINTR ? 0 : -errno;
	n = recv(s.fd, &s.hello, sizeof(s.hello), MSG_WAITALL);
	/* A client that ended in good order will ask for this. */
	if (n == 0)
		atomic_fetch_add(&counts->closed, 1);
	else if (n == sizeof(s.hello) && net_hello_fits(&s.hello))
		net_session_run(&s);
	close(s.fd);
	return 0;
}

/* As IPv6 has it, also of IPv4. */
static struct in6_addr host_of(const struct net_addr *a)
{
	struct in6_addr host = { .s6_addr = { [10] = 0xff, [11] = 0xff } };

	if (a->any.sa_family == AF_INET6)
		return a->six.sin6_addr;
	memcpy(&host.s6_addr[12], &a->four.sin_addr, 4);
	return host;
}

bool net_addr_same_host(const struct net_addr *a, const struct net_addr *b)
{
	const struct in6_addr x = host_of(a), y = host_of(b);

	return IN6_ARE_ADDR_EQUAL(&x, &y);
}

bool net_addr_is_loopback(const struct net_addr *a)
{
	const struct in6_addr host = host_of(a);

	return IN6_IS_ADDR_LOOPBACK(&host) ||
	       (IN6_IS_ADDR_V4MAPPED(&host) && host.s6_addr[12] == 127);
}
