/* SPDX-License-Identifier: MIT */
#include "net_serve.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

#include "bench.h"
#include "deadline.h"
#include "net_wire.h"

#define HELLO_MS 10000 /* to say hello in */
#define LOOK_MS	 250   /* between two looks at those over their limits */
#define EVENTS	 64

/* What a thread keeps on its stack is small. */
#define STACK_BYTES 131072u

/* A busy session in which nothing came for so long sleeps until something
 * comes: a client that went away must not cost a CPU. */
#define SPIN_MS 20

/* So many empty looks between two looks at the clock. */
#define SPIN_LOOKS 1024u

/* Whatever the size of the messages, as it is for a program that takes what has
 * come.  (iperf3 reads as much at a time as its client writes.) */
#define SINK_BYTES (1u << 17)

/* A connection that has not said hello yet. */
struct pending {
	int fd; /* -1: this place is free */
	uint64_t since_ms;
	struct net_addr peer;
	struct net_hello hello;
	size_t have; /* bytes of it */
};

/*
 * One that has: a thread each, that blocks (or polls, if it was asked to).  It
 * sets no timeouts, for a timer armed and taken back with each message would be
 * part of the round trip: the thread that accepts looks at all sessions a few
 * times a second instead.
 */
struct session {
	bool used;
	int fd;	 /* the connection */
	int udp; /* NET_ECHO_UDP: the socket of the datagrams, else -1 */
	struct net_hello hello;
	struct net_addr peer;
	_Atomic uint64_t bytes; /* received */
	uint64_t seen;		/* of them, when they last changed */
	uint64_t seen_ms, begin_ms;
	struct server *server;
};

struct server {
	int listener, epoll;
	const struct net_limits *limits;
	struct pending *pending;
	unsigned int next; /* place of the next connection */
	uint64_t now_ms, active_ms, looked_ms;
	pthread_mutex_t lock; /* of the table: fd and used of all sessions */
	pthread_cond_t ended;
	struct session *table; /* limits->sessions of them */
	unsigned int count;
	/* See struct net_answer. */
	_Atomic uint32_t closed;
	_Atomic uint64_t echoed;
	char machine[NET_MACHINE];
};

static uint64_t clock_ms(void)
{
	return (uint64_t)clock_now_ns(CLOCK_MONOTONIC_COARSE) / 1000000;
}

/* recv() that polls for a while.  Return: as recv(). */
static ssize_t receive_busy(int fd, void *buf, size_t len)
{
	uint64_t until = 0;

	for (unsigned int looks = 1;; looks++) {
		const ssize_t n = recv(fd, buf, len, MSG_DONTWAIT);

		if (n >= 0 || (errno != EAGAIN && errno != EINTR))
			return n;
		if (looks % SPIN_LOOKS)
			continue;
		if (!until)
			until = clock_ms() + SPIN_MS;
		else if (clock_ms() > until)
			return recv(fd, buf, len, 0);
	}
}

/* At most @len bytes.  Return: as recv(), 0 also when it had enough. */
static ssize_t receive(struct session *s, int fd, void *buf, size_t len)
{
	uint64_t bytes;
	ssize_t n;

	do
		n = s->hello.flags & NET_BUSY ? receive_busy(fd, buf, len)
					      : recv(fd, buf, len, 0);
	while (n < 0 && errno == EINTR);
	if (n <= 0)
		return n;
	/* This thread alone writes it. */
	bytes = atomic_load_explicit(&s->bytes, memory_order_relaxed) +
		(uint64_t)n;
	atomic_store_explicit(&s->bytes, bytes, memory_order_relaxed);
	return bytes > s->server->limits->bytes ? 0 : n;
}

static int send_all(int fd, const void *buf, size_t len)
{
	const char *at = buf;

	while (len) {
		const ssize_t n = send(fd, at, len, MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return -EPIPE;
		at += n;
		len -= (size_t)n;
	}
	return 0;
}

static void count_echo(struct session *s)
{
	atomic_fetch_add_explicit(&s->server->echoed, 1, memory_order_relaxed);
}

static void echo(struct session *s, unsigned char *buf)
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
		if (send_all(s->fd, buf, size))
			return;
		have = 0;
	}
}

/* A datagram that cannot be sent back is lost, as others are.  An empty one
 * looks like the end: the clients send none. */
static void echo_udp(struct session *s, unsigned char *buf)
{
	for (;;) {
		const ssize_t n = receive(s, s->udp, buf, s->hello.size);

		if (n > 0) {
			count_echo(s);
			send(s->udp, buf, (size_t)n, MSG_NOSIGNAL);
		} else if (n == 0 || errno != ECONNREFUSED) {
			return;
		}
	}
}

static void acknowledge_soon(int fd)
{
	const int on = 1;

	/* The kernel falls back to delayed ones by itself: ask each time. */
	setsockopt(fd, IPPROTO_TCP, TCP_QUICKACK, &on, sizeof(on));
}

static int report(struct session *s, uint64_t bytes, uint64_t ns)
{
	const struct net_report report = { .bytes = bytes, .ns = ns };
	const int err = send_all(s->fd, &report, sizeof(report));

	/* Whoever sends looks like one whose acknowledgements can wait for
	 * what it will send next, and a client that waits with a small segment
	 * until the one before was acknowledged (Nagle) would wait for 40 ms.
	 * A server that only reads acknowledges what it has read at once; so
	 * does this one. */
	acknowledge_soon(s->fd);
	return err;
}

static void sink(struct session *s, unsigned char *buf, size_t room)
{
	uint64_t due = 0, have = 0;
	ssize_t n;

	while ((n = receive(s, s->fd, buf, room)) > 0) {
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
static void acknowledge(struct session *s, unsigned char *buf, size_t room)
{
	ssize_t n;

	do {
		acknowledge_soon(s->fd);
		n = receive(s, s->fd, buf, room);
	} while (n > 0 && !send_all(s->fd, buf, (size_t)n));
}

/* A socket for datagrams from this client and nobody else. */
static int open_udp(struct session *s, uint16_t *port)
{
	struct net_addr there = s->peer;
	const int fd = net_addr_datagrams(s->fd, port);

	if (fd < 0)
		return fd;
	net_addr_set_port(&there, s->hello.port);
	if (connect(fd, (struct sockaddr *)&there.sa, there.len)) {
		close(fd);
		return -EIO;
	}
	pthread_mutex_lock(&s->server->lock);
	s->udp = fd;
	pthread_mutex_unlock(&s->server->lock);
	return 0;
}

static void serve(struct session *s, unsigned char *buf, size_t room)
{
	struct net_answer answer = {
		.magic = NET_ANSWER,
		.status = NET_OK,
		.cpu = sched_getcpu(),
		.same_machine = net_same_machine(&s->hello, s->server->machine),
		.closed = atomic_load(&s->server->closed),
		.echoed = atomic_load(&s->server->echoed),
	};

	if (!buf || (s->hello.op == NET_ECHO_UDP && open_udp(s, &answer.port)))
		answer.status = NET_TROUBLE;
	if (send_all(s->fd, &answer, sizeof(answer)) || answer.status != NET_OK)
		return;
	switch ((enum net_op)s->hello.op) {
	case NET_ECHO:
		echo(s, buf);
		break;
	case NET_ECHO_UDP:
		echo_udp(s, buf);
		break;
	case NET_SINK:
		sink(s, buf, room);
		break;
	case NET_ACK:
		acknowledge(s, buf, room);
		break;
	}
}

static void end(struct session *s)
{
	struct server *server = s->server;

	pthread_mutex_lock(&server->lock);
	close(s->fd);
	if (s->udp >= 0)
		close(s->udp);
	s->used = false;
	server->count--;
	pthread_cond_signal(&server->ended);
	pthread_mutex_unlock(&server->lock);
}

static void *session(void *arg)
{
	struct session *s = arg;
	const size_t room =
		s->hello.op == NET_SINK ? SINK_BYTES : s->hello.size;
	unsigned char *buf = malloc(room);

	if (buf)
		memset(buf, 0x5a, room); /* pages of its own, before the work */
	serve(s, buf, room);
	free(buf);
	end(s);
	return NULL;
}

static int start_thread(struct session *s)
{
	pthread_attr_t attr;
	sigset_t every, old;
	pthread_t id;
	int err;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK_BYTES);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	/* Signals are for the thread that accepts. */
	sigfillset(&every);
	pthread_sigmask(SIG_SETMASK, &every, &old);
	err = pthread_create(&id, &attr, session, s);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	pthread_attr_destroy(&attr);
	return -err;
}

static struct session *take(struct server *server)
{
	for (unsigned int i = 0; i < server->limits->sessions; i++)
		if (!server->table[i].used)
			return &server->table[i];
	return NULL;
}

/* The last thing that it hears; it may not even read it. */
static void refuse(int fd, enum net_status status)
{
	const struct net_answer answer = { .magic = NET_ANSWER,
					   .status = (uint16_t)status };

	send(fd, &answer, sizeof(answer), MSG_NOSIGNAL | MSG_DONTWAIT);
	close(fd);
}

/* Give a connection to a session of its own, also when there is no room or no
 * thread: then the client is told, and it is closed. */
static void begin_session(struct server *server, const struct pending *p)
{
	const int flags = fcntl(p->fd, F_GETFL), fd = p->fd;
	const int on = 1;
	struct session *s;

	/* A server on another host takes no time from the client's CPU, so one
	 * on the same machine keeps off it.  The session's thread inherits it.
	 */
	bench_keep_off(net_same_machine(&p->hello, server->machine)
			       ? p->hello.cpu
			       : -1);
	fcntl(fd, F_SETFL, flags & ~O_NONBLOCK);
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	pthread_mutex_lock(&server->lock);
	s = take(server);
	if (s) {
		*s = (struct session) {
			.used = true,
			.fd = fd,
			.udp = -1,
			.hello = p->hello,
			.peer = p->peer,
			.seen_ms = server->now_ms,
			.begin_ms = server->now_ms,
			.server = server,
		};
		server->count++;
		if (start_thread(s)) {
			s->used = false;
			server->count--;
			refuse(fd, NET_TROUBLE);
		}
	} else {
		refuse(fd, NET_FULL);
	}
	pthread_mutex_unlock(&server->lock);
}

/* A blocked call of the session returns, and it ends by itself. */
static void hang_up(struct session *s)
{
	shutdown(s->fd, SHUT_RDWR);
	if (s->udp >= 0)
		shutdown(s->udp, SHUT_RDWR);
}

static bool is_over(struct session *s)
{
	const struct net_limits *lim = s->server->limits;
	const uint64_t now_ms = s->server->now_ms;
	const uint64_t bytes = atomic_load(&s->bytes);
	char byte;

	if (bytes != s->seen) {
		s->seen = bytes;
		s->seen_ms = now_ms;
	}
	/* Nobody reads the connection of a session with datagrams: it is there
	 * to say that the client lives, and carries nothing more. */
	if (s->udp >= 0 &&
	    (recv(s->fd, &byte, 1, MSG_DONTWAIT) >= 0 || errno != EAGAIN))
		return true;
	return now_ms - s->seen_ms > 1000ull * lim->quiet_s ||
	       now_ms - s->begin_ms > 1000ull * lim->seconds;
}

/* End sessions that are beyond their limits, or whose client has gone.
 * Return: how many there are. */
static unsigned int watch_sessions(struct server *server)
{
	unsigned int count;

	pthread_mutex_lock(&server->lock);
	for (unsigned int i = 0; i < server->limits->sessions; i++)
		if (server->table[i].used && is_over(&server->table[i]))
			hang_up(&server->table[i]);
	count = server->count;
	pthread_mutex_unlock(&server->lock);
	return count;
}

/* End all and wait for them. */
static void close_sessions(struct server *server)
{
	pthread_mutex_lock(&server->lock);
	for (unsigned int i = 0; i < server->limits->sessions; i++)
		if (server->table[i].used)
			hang_up(&server->table[i]);
	while (server->count)
		pthread_cond_wait(&server->ended, &server->lock);
	pthread_mutex_unlock(&server->lock);
}

static bool is_allowed(const struct net_limits *lim, const struct net_addr *a)
{
	for (size_t i = 0; i < lim->n_allow; i++)
		if (net_addr_same_host(a, &lim->allow[i]))
			return true;
	return net_addr_is_loopback(a);
}

static void drop(struct pending *p)
{
	close(p->fd);
	p->fd = -1;
}

/* Places are taken in turn: where the next one is not free, its connection has
 * waited longest, and must go. */
static struct pending *place(struct server *s)
{
	struct pending *p = &s->pending[s->next++ % s->limits->pending];

	if (p->fd >= 0)
		drop(p);
	return p;
}

/* Read more of a hello. */
static void hear(struct server *s, struct pending *p)
{
	const ssize_t n = recv(p->fd, (char *)&p->hello + p->have,
			       sizeof(p->hello) - p->have, MSG_DONTWAIT);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		/* A client that ended in good order will ask for this. */
		if (n == 0 && p->have == 0)
			atomic_fetch_add(&s->closed, 1);
		drop(p);
		return;
	}
	p->have += (size_t)n;
	if (p->have < sizeof(p->hello))
		return;
	if (!net_hello_fits(&p->hello)) {
		drop(p);
		return;
	}
	epoll_ctl(s->epoll, EPOLL_CTL_DEL, p->fd, NULL);
	begin_session(s, p);
	p->fd = -1;
}

static void admit(struct server *s, int fd, const struct net_addr *peer)
{
	struct epoll_event event = { .events = EPOLLIN };
	struct pending *p;

	s->active_ms = s->now_ms;
	if (!is_allowed(s->limits, peer)) {
		close(fd);
		return;
	}
	p = place(s);
	*p = (struct pending) { .fd = fd,
				.since_ms = s->now_ms,
				.peer = *peer };
	event.data.ptr = p;
	if (epoll_ctl(s->epoll, EPOLL_CTL_ADD, fd, &event))
		drop(p);
}

/* As many as wait, but not without end: others want to be heard. */
static void accept_some(struct server *s)
{
	for (int i = 0; i < EVENTS; i++) {
		struct net_addr peer = { .len = sizeof(peer.sa) };
		const int fd = accept4(s->listener, (struct sockaddr *)&peer.sa,
				       &peer.len, SOCK_NONBLOCK | SOCK_CLOEXEC);

		if (fd >= 0) {
			admit(s, fd, &peer);
			continue;
		}
		if (errno == EMFILE || errno == ENFILE) {
			/* It would be reported again at once, and for ever. */
			place(s);
			usleep(10000);
		}
		return;
	}
}

static void handle(struct server *s, const struct epoll_event *event)
{
	struct pending *p = event->data.ptr;

	if (!p)
		accept_some(s);
	else if (p->fd >= 0)
		hear(s, p);
}

static void look(struct server *s)
{
	bool active = watch_sessions(s);

	s->looked_ms = s->now_ms;
	for (unsigned int i = 0; i < s->limits->pending; i++) {
		struct pending *p = &s->pending[i];

		if (p->fd >= 0 && s->now_ms - p->since_ms > HELLO_MS)
			drop(p);
		active |= p->fd >= 0;
	}
	if (active)
		s->active_ms = s->now_ms;
}

static bool is_idle(const struct server *s)
{
	return s->limits->idle_s &&
	       s->now_ms - s->active_ms >= 1000ull * s->limits->idle_s;
}

/* First those that speak, then new ones: one of these may take the place of
 * one of those, and an event must not reach the wrong one. */
static int turn(struct server *s)
{
	struct epoll_event events[EVENTS];
	const int n = epoll_wait(s->epoll, events, EVENTS, LOOK_MS);

	if (n < 0 && errno != EINTR)
		return -errno;
	s->now_ms = clock_ms();
	for (int i = 0; i < n; i++)
		if (events[i].data.ptr)
			handle(s, &events[i]);
	for (int i = 0; i < n; i++)
		if (!events[i].data.ptr)
			handle(s, &events[i]);
	if (s->now_ms - s->looked_ms >= LOOK_MS)
		look(s);
	return 0;
}

static int open_server(struct server *s)
{
	struct epoll_event event = { .events = EPOLLIN };

	fcntl(s->listener, F_SETFL, O_NONBLOCK);
	net_addr_machine(s->machine, sizeof(s->machine));
	s->now_ms = s->active_ms = s->looked_ms = clock_ms();
	pthread_mutex_init(&s->lock, NULL);
	pthread_cond_init(&s->ended, NULL);
	s->pending = calloc(s->limits->pending, sizeof(*s->pending));
	s->table = calloc(s->limits->sessions, sizeof(*s->table));
	if (!s->pending || !s->table)
		return -ENOMEM;
	for (unsigned int i = 0; i < s->limits->pending; i++)
		s->pending[i].fd = -1;
	s->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (s->epoll < 0 ||
	    epoll_ctl(s->epoll, EPOLL_CTL_ADD, s->listener, &event))
		return -errno;
	return 0;
}

static void close_server(struct server *s)
{
	for (unsigned int i = 0; s->pending && i < s->limits->pending; i++)
		if (s->pending[i].fd >= 0)
			close(s->pending[i].fd);
	if (s->table)
		close_sessions(s);
	free(s->pending);
	free(s->table);
	if (s->epoll >= 0)
		close(s->epoll);
}

int net_serve(int listener, const struct net_limits *limits,
	      const volatile sig_atomic_t *stop)
{
	struct server s = { .listener = listener,
			    .epoll = -1,
			    .limits = limits };
	int err;

	err = open_server(&s);
	while (!err && !*stop && !is_idle(&s))
		err = turn(&s);
	close_server(&s);
	return err;
}
