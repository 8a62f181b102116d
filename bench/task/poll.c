/* SPDX-License-Identifier: MIT */
/*
 * poll - what does it cost to ask which of many descriptors is ready?
 *
 * select() and poll() hand the kernel the whole list each time, and it looks
 * at every one: the cost grows with their number.  epoll keeps the list in the
 * kernel and returns those that became ready: the cost should not grow.  The
 * descriptors are eventfds, none of them ready, or only the last one; the
 * calls do not wait (timeout 0).  Keeping the list costs epoll_ctl calls:
 * adding and deleting one more, or modifying one, in a list of that length.
 * With on=tcp they are connections over loopback, an end of each, which take
 * longer to be looked at than an eventfd; with on=file copies of the descriptor
 * of a file in memory, which is always ready and has nothing to be asked.
 *
 * Measures: one call; epoll_add_del: two (one EPOLL_CTL_ADD, one DEL).
 * Includes: for select making the set anew, as it is overwritten (128 bytes
 *           copied); for poll nothing besides.
 * After:    lmbench lat_select file (on=file), and tcp (on=tcp; it asks whether
 *           copies of one descriptor can be written, and all can).
 * Needs:    as many descriptors as ulimit -n allows; select none above 1023.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bench.h"
#include "call.h"

#define MAX_FDS 1000
#define MAX_TCP 500 /* select() names no descriptor above 1023 */

/* A list's own cost: the ends of the axis will do.  on=tcp: as many as
 * lmbench's, with both ends.  72 descriptors: what the harness has open. */
static const char points[] =
	"op={select,poll,epoll} fds={1,10,100,500,1000,?1..1000} "
	"ready={none,last}; needs files=fds+72;"
	"op={epoll_add_del,epoll_mod} fds={1,1000,?1..1000} ready=none;"
	"needs files=fds+72;"
	"op=select fds={100,?1..1000} ready={none,last} on=tcp;"
	"needs files=2*fds+72;"
	"op=select fds={100,?1..1000} ready=all on=file;"
	"needs files=fds+72";

struct state {
	uint64_t right;
	/* In this visit: descriptors asked about, and ready; the open ones. */
	unsigned int count, ready;
	int fd[MAX_FDS], far[MAX_FDS]; /* far: the other ends of connections */
	unsigned int fds, fars;
	int extra, epoll; /* one more, and the list; 0: none */
	struct pollfd poll[MAX_FDS];
	fd_set set;
	int top; /* the greatest in the set */
};

TIMER_INLINE bool select_once(const struct state *s, int last)
{
	struct timeval none = { 0 };
	fd_set set = s->set;
	const int n = select(s->top + 1, &set, NULL, NULL, &none);

	return n == (int)s->ready && !FD_ISSET(last, &set) == !s->ready;
}

TIMER_INLINE bool poll_once(struct state *s)
{
	const int n = poll(s->poll, s->count, 0);

	return n == (int)s->ready &&
	       !s->poll[s->count - 1].revents == !s->ready;
}

TIMER_INLINE bool epoll_once(const struct state *s, int last)
{
	struct epoll_event event[4];
	const int n = epoll_wait(s->epoll, event, 4, 0);

	return n == (int)s->ready && (!n || event[0].data.fd == last);
}

#define CALL_LOCALS                                                \
	struct state *const s CALL_LOCAL = state;                  \
	const int last CALL_LOCAL = s->fd[s->count - 1];           \
	struct epoll_event event CALL_LOCAL = { .events = EPOLLIN, \
						.data.fd = last };
#define CALLS(X)                                                              \
	X(LOOP, select, select_once(s, last), CALL_UNSEEN)                    \
	X(LOOP, poll, poll_once(s), CALL_UNSEEN)                              \
	X(LOOP, epoll, epoll_once(s, last), CALL_UNSEEN)                      \
	X(LOOP, epoll_add_del,                                                \
	  !epoll_ctl(s->epoll, EPOLL_CTL_ADD, s->extra, &event) &&            \
		  !epoll_ctl(s->epoll, EPOLL_CTL_DEL, s->extra, NULL),        \
	  CALL_UNSEEN)                                                        \
	X(LOOP, epoll_mod, !epoll_ctl(s->epoll, EPOLL_CTL_MOD, last, &event), \
	  CALL_UNSEEN)
CALL_FUNCTIONS(CALLS)
static const struct call calls[] = CALL_ROWS(CALLS);

static bool add_point(struct bench *b, void *state, struct bench_case *c)
{
	if (case_is(c, "on", "tcp") && case_int(c, "fds") > MAX_TCP)
		c->skip = "select cannot have more than 500 connections, both "
			  "of whose ends are here";
	return call_choose(c, calls);
}

/* As far as this user may: the text has said which lists need more. */
static void raise_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

/* The list that the kernel keeps. */
static int open_list(struct bench *b, struct state *s)
{
	s->epoll = epoll_create1(EPOLL_CLOEXEC);
	for (unsigned int k = 0; k < s->count; k++) {
		struct epoll_event event = { .events = EPOLLIN,
					     .data.fd = s->fd[k] };

		if (epoll_ctl(s->epoll, EPOLL_CTL_ADD, s->fd[k], &event))
			return bench_fail(b, errno, "a list of epoll");
	}
	return 0;
}

static void leave(struct bench *b, void *state, const struct bench_case *c)
{
	struct state *s = state;

	while (s->fds)
		close(s->fd[--s->fds]);
	while (s->fars)
		close(s->far[--s->fars]);
	if (s->extra > 0)
		close(s->extra);
	if (s->epoll > 0)
		close(s->epoll);
	s->extra = s->epoll = 0;
}

/* A socket that listens over loopback on @here. */
static int listen_on(struct sockaddr_in *here)
{
	const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	socklen_t len = sizeof(*here);

	here->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	return !bind(fd, (struct sockaddr *)here, len) && !listen(fd, 1) &&
			       !getsockname(fd, (struct sockaddr *)here, &len)
		       ? fd
		       : -1;
}

/* One more connection to s->extra.  Return: its near end, or -1. */
static int connect_one(struct state *s, const struct sockaddr_in *here)
{
	/* A port that is given back at once: there are many in each visit. */
	const struct linger none = { .l_onoff = 1 };
	const int near = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int far = -1;

	if (!setsockopt(near, SOL_SOCKET, SO_LINGER, &none, sizeof(none)) &&
	    !connect(near, (const struct sockaddr *)here, sizeof(*here)))
		far = accept4(s->extra, NULL, NULL, SOCK_CLOEXEC);
	if (far >= 0)
		s->far[s->fars++] = far;
	else if (near >= 0)
		close(near);
	return far < 0 ? -1 : near;
}

/* All that are asked, and s->extra, from which they are made: one more eventfd,
 * a file, or what listens. */
static int open_all(struct bench *b, struct state *s, bool tcp, bool file)
{
	struct sockaddr_in here = { .sin_family = AF_INET };

	s->extra = tcp	  ? listen_on(&here)
		   : file ? memfd_create("poll", MFD_CLOEXEC)
			  : eventfd(0, EFD_CLOEXEC);
	while (s->extra >= 0 && s->fds < s->count) {
		const int fd = tcp    ? connect_one(s, &here)
			       : file ? fcntl(s->extra, F_DUPFD_CLOEXEC, 0)
				      : eventfd(0, EFD_CLOEXEC);

		if (fd < 0)
			break;
		s->poll[s->fds] = (struct pollfd) { fd, POLLIN, 0 };
		s->fd[s->fds++] = fd;
	}
	s->ready = file ? s->count : 0;
	if (s->fds == s->count)
		return 0;
	return tcp ? bench_skip(b, "no TCP connection over loopback: %s",
				strerror(errno))
		   : bench_fail(b, errno, "make descriptors");
}

/* Bytes written over loopback are there when write() returns, or soon: the
 * kernel may postpone their delivery. */
static int make_ready(struct bench *b, struct state *s, unsigned int last)
{
	const uint64_t one = 1;
	const int fd = s->fars ? s->far[last] : s->fd[last];
	char byte;

	s->ready = 1;
	if (write(fd, &one, sizeof(one)) < 0 ||
	    (s->fars && recv(s->fd[last], &byte, 1, MSG_PEEK) != 1))
		return bench_fail(b, errno, "make a descriptor ready");
	return 0;
}

static int make_set(struct bench *b, struct state *s)
{
	FD_ZERO(&s->set);
	s->top = 0;
	for (unsigned int k = 0; k < s->count; k++) {
		if (s->fd[k] >= FD_SETSIZE)
			return bench_skip(b,
					  "select cannot have descriptors "
					  "from %d on",
					  FD_SETSIZE);
		FD_SET(s->fd[k], &s->set);
		if (s->fd[k] > s->top)
			s->top = s->fd[k];
	}
	return 0;
}

static int enter(struct bench *b, void *state, const struct bench_case *c)
{
	struct state *s = state;
	int err;

	raise_limit();
	s->count = (unsigned int)case_int(c, "fds");
	err = open_all(b, s, case_is(c, "on", "tcp"), case_is(c, "on", "file"));
	if (!err && call_is(c, "select"))
		err = make_set(b, s);
	else if (!err && !call_is(c, "poll"))
		err = open_list(b, s);
	if (!err && case_is(c, "ready", "last"))
		err = make_ready(b, s, s->count - 1);
	return err;
}

const struct bench_desc bench_desc = {
	.state_size = sizeof(struct state),
	.points = points,
	.point = add_point,
	.enter = enter,
	.conclude = call_conclude,
	.leave = leave,
};
