/* SPDX-License-Identifier: MIT */
#include "net_serve.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

#include "net_session.h"
#include "net_wire.h"

#define HELLO_MS 10000 /* to say hello in */
#define LOOK_MS	 250   /* between two looks at what is over its limits */
#define EVENTS	 64

/* A connection that has not said hello yet. */
struct pending {
	int fd; /* -1: this place is free */
	uint64_t since_ms;
	struct net_addr peer;
	struct net_hello hello;
	size_t have;
};

struct server {
	int listener, epoll;
	const struct net_limits *limits;
	struct pending *pending;
	unsigned int n_pending, next;
	struct net_sessions sessions;
	uint64_t now_ms, active_ms, looked_ms;
};

static uint64_t clock_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000 + (uint64_t)ts.tv_nsec / 1000000;
}

static bool is_allowed(const struct net_limits *lim, const struct net_addr *a)
{
	for (size_t i = 0; i < lim->n_allow; i++)
		if (net_addr_same_host(a, &lim->allow[i]))
			return true;
	return net_addr_is_loopback(a);
}

/* Forget a place; its connection was closed or given away. */
static void forget(struct server *s, struct pending *p)
{
	p->fd = -1;
	s->n_pending--;
}

static void drop(struct server *s, struct pending *p)
{
	close(p->fd);
	forget(s, p);
}

static struct pending *oldest(struct server *s)
{
	struct pending *old = NULL;

	for (unsigned int i = 0; i < s->limits->pending; i++) {
		struct pending *p = &s->pending[i];

		if (p->fd >= 0 && (!old || p->since_ms < old->since_ms))
			old = p;
	}
	return old;
}

/* A free place; where there is none, whoever waited longest must go. */
static struct pending *place(struct server *s)
{
	struct pending *p;

	if (s->n_pending == s->limits->pending) {
		p = oldest(s);
		drop(s, p);
		return p;
	}
	do {
		p = &s->pending[s->next];
		s->next = (s->next + 1) % s->limits->pending;
	} while (p->fd >= 0);
	return p;
}

static void begin_session(struct server *s, struct pending *p)
{
	int flags;

	if (!net_hello_fits(&p->hello)) {
		drop(s, p);
		return;
	}
	epoll_ctl(s->epoll, EPOLL_CTL_DEL, p->fd, NULL);
	flags = fcntl(p->fd, F_GETFL);
	fcntl(p->fd, F_SETFL, flags & ~O_NONBLOCK);
	net_sessions_begin(&s->sessions, p->fd, &p->hello, &p->peer, s->now_ms);
	forget(s, p);
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
			atomic_fetch_add(&s->sessions.closed, 1);
		drop(s, p);
		return;
	}
	p->have += (size_t)n;
	if (p->have == sizeof(p->hello))
		begin_session(s, p);
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
	s->n_pending++;
	event.data.ptr = p;
	if (epoll_ctl(s->epoll, EPOLL_CTL_ADD, fd, &event))
		drop(s, p);
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
			if (s->n_pending)
				drop(s, oldest(s));
			else
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
	s->looked_ms = s->now_ms;
	for (unsigned int i = 0; s->n_pending && i < s->limits->pending; i++) {
		struct pending *p = &s->pending[i];

		if (p->fd >= 0 && s->now_ms - p->since_ms > HELLO_MS)
			drop(s, p);
	}
	if (net_sessions_watch(&s->sessions, s->now_ms) || s->n_pending)
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
	int err;

	s->now_ms = s->active_ms = s->looked_ms = clock_ms();
	s->pending = calloc(s->limits->pending, sizeof(*s->pending));
	if (!s->pending)
		return -ENOMEM;
	for (unsigned int i = 0; i < s->limits->pending; i++)
		s->pending[i].fd = -1;
	err = net_sessions_open(&s->sessions, s->limits);
	if (err)
		return err;
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
	free(s->pending);
	net_sessions_close(&s->sessions);
	if (s->epoll >= 0)
		close(s->epoll);
}

int net_serve(int listener, const struct net_limits *limits,
	      const volatile sig_atomic_t *stop)
{
	struct server s = { .listener = listener, .limits = limits };
	int err;

	s.epoll = -1;
	err = open_server(&s);
	while (!err && !(stop && *stop) && !is_idle(&s))
		err = turn(&s);
	close_server(&s);
	return err;
}
