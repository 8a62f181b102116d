/* SPDX-License-Identifier: MIT */
#include "net_session.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

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

static uint64_t clock_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &ts);
	return (uint64_t)ts.tv_sec * 1000 + (uint64_t)ts.tv_nsec / 1000000;
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
static ssize_t receive(struct net_session *s, int fd, void *buf, size_t len)
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
	return bytes > s->all->limits->bytes ? 0 : n;
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

static void count_echo(struct net_session *s)
{
	atomic_fetch_add_explicit(&s->all->echoed, 1, memory_order_relaxed);
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
		if (send_all(s->fd, buf, size))
			return;
		have = 0;
	}
}

/* A datagram that cannot be sent back is lost, as others are.  An empty one
 * looks like the end: the clients send none. */
static void echo_udp(struct net_session *s, unsigned char *buf)
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

static uint64_t clock_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

/* Report the blocks that are there.  @due: the end of the next one. */
static int report_blocks(struct net_session *s, uint64_t have, uint64_t *due)
{
	struct net_report report = { .ns = clock_ns() };

	for (; have >= *due; *due += s->hello.block) {
		report.bytes = *due;
		if (send_all(s->fd, &report, sizeof(report)))
			return -EPIPE;
	}
	/* Whoever sends looks like one whose acknowledgements can wait for
	 * what it will send next, and a client that waits with a small segment
	 * until the one before was acknowledged (Nagle) would wait for 40 ms.
	 * A server that only reads acknowledges what it has read at once; so
	 * does this one. */
	acknowledge_soon(s->fd);
	return 0;
}

static void sink(struct net_session *s, unsigned char *buf, size_t room)
{
	uint64_t due = s->hello.block, have = 0;

	for (;;) {
		const ssize_t n = receive(s, s->fd, buf, room);

		if (n <= 0)
			return;
		have += (uint64_t)n;
		if (have >= due && report_blocks(s, have, &due))
			return;
	}
}

/* The acknowledgement does not wait for the answer. */
static void acknowledge(struct net_session *s, unsigned char *buf, size_t room)
{
	ssize_t n;

	do {
		acknowledge_soon(s->fd);
		n = receive(s, s->fd, buf, room);
	} while (n > 0 && !send_all(s->fd, buf, (size_t)n));
}

/* A socket for datagrams from this client and nobody else. */
static int open_udp(struct net_session *s, uint16_t *port)
{
	struct net_addr here = { .len = sizeof(here.sa) }, there = s->peer;
	const int fd = socket(there.sa.ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return -errno;
	net_addr_set_port(&there, s->hello.port);
	if (getsockname(s->fd, (struct sockaddr *)&here.sa, &here.len))
		goto fail;
	net_addr_set_port(&here, 0);
	if (bind(fd, (struct sockaddr *)&here.sa, here.len) ||
	    connect(fd, (struct sockaddr *)&there.sa, there.len) ||
	    getsockname(fd, (struct sockaddr *)&here.sa, &here.len))
		goto fail;
	*port = net_addr_port(&here);
	pthread_mutex_lock(&s->all->lock);
	s->udp = fd;
	pthread_mutex_unlock(&s->all->lock);
	return 0;
fail:
	close(fd);
	return -EIO;
}

static void serve(struct net_session *s, unsigned char *buf, size_t room)
{
	struct net_answer answer = {
		.magic = NET_MAGIC,
		.status = NET_OK,
		.cpu = sched_getcpu(),
		.closed = atomic_load(&s->all->closed),
		.echoed = atomic_load(&s->all->echoed),
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

static void end(struct net_session *s)
{
	struct net_sessions *all = s->all;

	pthread_mutex_lock(&all->lock);
	close(s->fd);
	if (s->udp >= 0)
		close(s->udp);
	s->used = false;
	all->count--;
	pthread_cond_signal(&all->ended);
	pthread_mutex_unlock(&all->lock);
}

static void *session(void *arg)
{
	struct net_session *s = arg;
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

int net_sessions_open(struct net_sessions *all, const struct net_limits *lim)
{
	*all = (struct net_sessions) { .limits = lim };
	all->table = calloc(lim->sessions, sizeof(*all->table));
	if (!all->table)
		return -ENOMEM;
	pthread_mutex_init(&all->lock, NULL);
	pthread_cond_init(&all->ended, NULL);
	return 0;
}

static int start_thread(struct net_session *s)
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

static struct net_session *take(struct net_sessions *all)
{
	for (unsigned int i = 0; i < all->limits->sessions; i++)
		if (!all->table[i].used)
			return &all->table[i];
	return NULL;
}

/* The last thing that it hears; it may not even read it. */
static void refuse(int fd, enum net_status status)
{
	const struct net_answer answer = { .magic = NET_MAGIC,
					   .status = (uint16_t)status };

	send(fd, &answer, sizeof(answer), MSG_NOSIGNAL | MSG_DONTWAIT);
	close(fd);
}

void net_sessions_begin(struct net_sessions *all, int fd,
			const struct net_hello *hello,
			const struct net_addr *peer, uint64_t now_ms)
{
	const int on = 1;
	struct net_session *s;

	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	pthread_mutex_lock(&all->lock);
	s = take(all);
	if (s) {
		*s = (struct net_session) {
			.used = true,
			.fd = fd,
			.udp = -1,
			.hello = *hello,
			.peer = *peer,
			.seen_ms = now_ms,
			.begin_ms = now_ms,
			.all = all,
		};
		all->count++;
		if (start_thread(s)) {
			s->used = false;
			all->count--;
			refuse(fd, NET_TROUBLE);
		}
	} else {
		refuse(fd, NET_FULL);
	}
	pthread_mutex_unlock(&all->lock);
}

/* A blocked call of the session returns, and it ends by itself. */
static void hang_up(struct net_session *s)
{
	shutdown(s->fd, SHUT_RDWR);
	if (s->udp >= 0)
		shutdown(s->udp, SHUT_RDWR);
}

static bool is_over(struct net_session *s, uint64_t now_ms)
{
	const struct net_limits *lim = s->all->limits;
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

unsigned int net_sessions_watch(struct net_sessions *all, uint64_t now_ms)
{
	unsigned int count;

	pthread_mutex_lock(&all->lock);
	for (unsigned int i = 0; i < all->limits->sessions; i++)
		if (all->table[i].used && is_over(&all->table[i], now_ms))
			hang_up(&all->table[i]);
	count = all->count;
	pthread_mutex_unlock(&all->lock);
	return count;
}

void net_sessions_close(struct net_sessions *all)
{
	if (!all->table)
		return;
	pthread_mutex_lock(&all->lock);
	for (unsigned int i = 0; i < all->limits->sessions; i++)
		if (all->table[i].used)
			hang_up(&all->table[i]);
	while (all->count)
		pthread_cond_wait(&all->ended, &all->lock);
	pthread_mutex_unlock(&all->lock);
	free(all->table);
	all->table = NULL;
}
