/* SPDX-License-Identifier: MIT */
/*
 * poll - what does it cost to ask which of many descriptors is ready?
 *
 * select() and poll() hand the kernel the whole list each time, and it looks
 * at every one: the cost grows with their number.  epoll keeps the list in the
 * kernel and returns those that became ready: the cost should not grow.  The
 * descriptors are eventfds, none of them ready, or only the last one; the
 * calls do not wait (timeout 0).  What keeping the list costs is epoll_ctl:
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
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bench.h"

#define MAX_FDS 1000

/* Descriptors besides: what the harness has open. */
#define SPARE_FDS (40 + BENCH_ASKED)

static const int64_t counts[] = { 1, 10, 100, 500, MAX_FDS };

#define COUNTS (sizeof(counts) / sizeof(counts[0]))

/* As many as lmbench's, with both ends. */
static const int64_t tcp_counts[] = { 100 };

/* select() names no descriptor above 1023, and each has its far end. */
#define MAX_TCP 500

static const struct bench_open open_axes[] = {
	{ .axis = "fds", .least = 1, .most = MAX_FDS },
	{ 0 },
};

enum { CALL, FDS, READY };
enum kind { EVENTFDS, SOCKETS, FILES };

struct state {
	int fd[MAX_FDS], far[MAX_FDS], extra;
	unsigned int fds, fars;		 /* opened */
	int epoll[COUNTS + BENCH_ASKED]; /* by where its count stands: */
	int64_t count[COUNTS + BENCH_ASKED];
	size_t counts;
	unsigned int epolls; /* opened */
	bool have_extra;
	enum kind kind;
	struct pollfd poll[MAX_FDS];
	fd_set set;
	int top;	/* the greatest in the set */
	uint64_t right; /* calls that answered what they should */
};

struct variant {
	const char *call;
	bench_run_fn *run;
	bool asks; /* whether a descriptor is ready; else it changes the list */
};

struct point {
	const struct variant *variant;
	size_t list; /* index of epoll */
	unsigned int count;
	unsigned int ready; /* of them */
	enum kind kind;
};

static const struct point *point_of(const struct bench_case *c)
{
	return c->data;
}

/* In all run_*(): right calls are counted, and checked by conclude(). */

static int run_select(struct bench *b, void *state, const struct bench_case *c,
		      uint64_t iters)
{
	const struct point *p = point_of(c);
	const int last = ((struct state *)state)->fd[p->count - 1];
	struct state *s = state;

	for (uint64_t i = 0; i < iters; i++) {
		struct timeval none = { 0 };
		fd_set set = s->set;
		const int n = select(s->top + 1, &set, NULL, NULL, &none);

		s->right += n == (int)p->ready &&
			    !FD_ISSET(last, &set) == !p->ready;
	}
	return 0;
}

static int run_poll(struct bench *b, void *state, const struct bench_case *c,
		    uint64_t iters)
{
	const struct point *p = point_of(c);
	const unsigned int count = p->count;
	struct state *s = state;
	const struct pollfd *last = &s->poll[count - 1];

	for (uint64_t i = 0; i < iters; i++) {
		const int n = poll(s->poll, count, 0);

		s->right += n == (int)p->ready && !last->revents == !p->ready;
	}
	return 0;
}

static int run_epoll(struct bench *b, void *state, const struct bench_case *c,
		     uint64_t iters)
{
	const struct point *p = point_of(c);
	struct state *s = state;
	const int last = s->fd[p->count - 1];

	for (uint64_t i = 0; i < iters; i++) {
		struct epoll_event event[4];
		const int n = epoll_wait(s->epoll[p->list], event, 4, 0);

		s->right +=
			n == (int)p->ready && (!n || event[0].data.fd == last);
	}
	return 0;
}

static int run_add_del(struct bench *b, void *state, const struct bench_case *c,
		       uint64_t iters)
{
	const struct point *p = point_of(c);
	struct state *s = state;
	const int epoll = s->epoll[p->list];
	struct epoll_event event = { .events = EPOLLIN };

	for (uint64_t i = 0; i < iters; i++)
		s->right +=
			!epoll_ctl(epoll, EPOLL_CTL_ADD, s->extra, &event) &&
			!epoll_ctl(epoll, EPOLL_CTL_DEL, s->extra, NULL);
	return 0;
}

static int run_mod(struct bench *b, void *state, const struct bench_case *c,
		   uint64_t iters)
{
	const struct point *p = point_of(c);
	struct state *s = state;
	const int last = s->fd[p->count - 1];
	struct epoll_event event = { .events = EPOLLIN };

	event.data.fd = last;
	for (uint64_t i = 0; i < iters; i++)
		s->right += !epoll_ctl(s->epoll[p->list], EPOLL_CTL_MOD, last,
				       &event);
	return 0;
}

static const struct variant variants[] = {
	{ "select", run_select, true },
	{ "poll", run_poll, true },
	{ "epoll", run_epoll, true },
	{ "epoll_add_del", run_add_del, false },
	{ "epoll_mod", run_mod, false },
};

static const char *const ready_names[] = { "none", "last" };

static const struct bench_axis axes[] = {
	AXIS_STR("call", variants),
	AXIS_INT("fds", counts),
	AXIS_STR("ready", ready_names),
	{ 0 },
};

static void skip_beyond_limit(struct bench_case *c, unsigned int fds)
{
	struct rlimit limit = { 0 };

	getrlimit(RLIMIT_NOFILE, &limit);
	if (limit.rlim_max < (rlim_t)fds + SPARE_FDS)
		c->skip = "more descriptors than the hard limit allows "
			  "(ulimit -Hn)";
}

static bool add_point(struct bench *b, void *state, struct bench_case *c)
{
	const struct variant *v = &variants[c->at[0]];
	struct point *p = c->data;

	*p = (struct point) { v, c->at[FDS], c->params[FDS].number,
			      c->at[READY], EVENTFDS };
	/* A list's own cost: the ends of the axis will do. */
	if (!v->asks && (p->ready || (p->list != 0 && p->list < COUNTS - 1)))
		return false;
	skip_beyond_limit(c, p->count);
	c->run = v->run;
	return true;
}

static const char *const tcp_calls[] = { "select" };
static const char *const tcp_on[] = { "tcp" };

static const struct bench_axis tcp_axes[] = {
	AXIS_STR("call", tcp_calls),
	AXIS_INT("fds", tcp_counts),
	AXIS_STR("ready", ready_names),
	AXIS_STR("on", tcp_on),
	{ 0 },
};

static bool add_tcp(struct bench *b, void *state, struct bench_case *c)
{
	const unsigned int count = c->params[FDS].number;

	*(struct point *)c->data = (struct point) { &variants[0], 0, count,
						    c->at[READY], SOCKETS };
	skip_beyond_limit(c, 2 * count);
	if (count > MAX_TCP)
		c->skip = "select cannot have more than 500 connections, both "
			  "of whose ends are here";
	c->run = run_select;
	return true;
}

static const char *const file_on[] = { "file" }, *const file_ready[] = {
	"all"
};

static const struct bench_axis file_axes[] = {
	AXIS_STR("call", tcp_calls),
	AXIS_INT("fds", tcp_counts),
	AXIS_STR("ready", file_ready),
	AXIS_STR("on", file_on),
	{ 0 },
};

static bool add_file(struct bench *b, void *state, struct bench_case *c)
{
	const unsigned int count = c->params[FDS].number;

	*(struct point *)c->data =
		(struct point) { &variants[0], 0, count, count, FILES };
	skip_beyond_limit(c, count);
	c->run = run_select;
	return true;
}

static int cases(struct bench *b, void *state)
{
	struct state *s = state;

	s->counts = bench_values(b, "fds", counts, COUNTS, s->count);
	bench_add_axes(b, tcp_axes, add_tcp);
	bench_add_axes(b, file_axes, add_file);
	return 0;
}

/* As many as the largest list that has a case needs and the limit allows. */
static unsigned int raise_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return 0;
	if (limit.rlim_cur < MAX_FDS + SPARE_FDS) {
		limit.rlim_cur = limit.rlim_max < MAX_FDS + SPARE_FDS
					 ? limit.rlim_max
					 : MAX_FDS + SPARE_FDS;
		if (setrlimit(RLIMIT_NOFILE, &limit))
			return 0;
	}
	if (limit.rlim_cur < SPARE_FDS)
		return 0;
	limit.rlim_cur -= SPARE_FDS;
	return limit.rlim_cur > MAX_FDS ? MAX_FDS
					: (unsigned int)limit.rlim_cur;
}

static int open_lists(struct bench *b, struct state *s)
{
	/* As many lists as there are descriptors for: those asked for are not
	 * in order. */
	for (size_t i = 0; i < s->counts; i++) {
		s->epoll[i] = epoll_create1(EPOLL_CLOEXEC);
		if (s->epoll[i] < 0)
			return bench_fail(b, errno, "epoll_create1");
		s->epolls++;
		for (unsigned int k = 0; k < s->count[i] && k < s->fds; k++) {
			struct epoll_event event = { .events = EPOLLIN };

			event.data.fd = s->fd[k];
			if (epoll_ctl(s->epoll[i], EPOLL_CTL_ADD, s->fd[k],
				      &event))
				return bench_fail(b, errno, "epoll_ctl");
		}
	}
	return 0;
}

static void close_all(struct state *s)
{
	while (s->epolls)
		close(s->epoll[--s->epolls]);
	while (s->fds)
		close(s->fd[--s->fds]);
	while (s->fars)
		close(s->far[--s->fars]);
	if (s->have_extra)
		close(s->extra);
	s->have_extra = false;
}

static int open_eventfds(struct bench *b, struct state *s, unsigned int room)
{
	while (s->fds < room) {
		const int fd = eventfd(0, EFD_CLOEXEC);

		if (fd < 0)
			return bench_fail(b, errno, "eventfd");
		s->poll[s->fds] = (struct pollfd) { fd, POLLIN, 0 };
		s->fd[s->fds++] = fd;
	}
	s->extra = eventfd(0, EFD_CLOEXEC);
	if (s->extra < 0)
		return bench_fail(b, errno, "eventfd");
	s->have_extra = true;
	return open_lists(b, s);
}

static int refused(struct bench *b)
{
	return bench_skip(b, "no TCP connection over loopback: %s",
			  strerror(errno));
}

/* One more connection to @listener, which listens on @here. */
static int connect_one(struct bench *b, struct state *s, int listener,
		       const struct sockaddr_in *here)
{
	/* A port that is given back at once: there are many in each visit. */
	const struct linger none = { .l_onoff = 1 };
	const int near = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int far;

	if (near < 0)
		return refused(b);
	s->fd[s->fds++] = near;
	if (setsockopt(near, SOL_SOCKET, SO_LINGER, &none, sizeof(none)) ||
	    connect(near, (const struct sockaddr *)here, sizeof(*here)))
		return refused(b);
	far = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
	if (far < 0)
		return refused(b);
	s->far[s->fars++] = far;
	return 0;
}

static int open_sockets(struct bench *b, struct state *s, unsigned int count)
{
	struct sockaddr_in here = { .sin_family = AF_INET };
	const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	socklen_t len = sizeof(here);
	int err = 0;

	if (listener < 0)
		return refused(b);
	here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (bind(listener, (struct sockaddr *)&here, len) ||
	    listen(listener, 1) ||
	    getsockname(listener, (struct sockaddr *)&here, &len))
		err = refused(b);
	while (!err && s->fds < count)
		err = connect_one(b, s, listener, &here);
	close(listener);
	return err;
}

static int open_files(struct bench *b, struct state *s, unsigned int count)
{
	const int fd = memfd_create("poll", MFD_CLOEXEC);

	while (fd >= 0 && s->fds < count) {
		const int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);

		if (copy < 0)
			break;
		s->fd[s->fds++] = copy;
	}
	if (s->fds < count)
		bench_fail(b, errno, "descriptors of a file");
	if (fd >= 0)
		close(fd);
	return s->fds < count ? -1 : 0;
}

/* Those of the other kind make room: select() knows 1024 descriptors. */
static int open_kind(struct bench *b, struct state *s, const struct point *p)
{
	const unsigned int room = raise_limit();

	if (s->fds && s->kind == p->kind && (!p->kind || s->fds == p->count))
		return 0;
	close_all(s);
	s->kind = p->kind;
	return p->kind == SOCKETS ? open_sockets(b, s, p->count)
	       : p->kind == FILES ? open_files(b, s, p->count)
				  : open_eventfds(b, s, room);
}

/* What is written over loopback is there when write() returns, or soon: its
 * delivery may have been put off. */
static int make_ready(struct bench *b, struct state *s, unsigned int last)
{
	const uint64_t one = 1;
	char byte;
	const int fd = s->kind == SOCKETS ? s->far[last] : s->fd[last];

	if (write(fd, &one, sizeof(one)) < 0)
		return bench_fail(b, errno, "make a descriptor ready");
	if (s->kind == SOCKETS && recv(s->fd[last], &byte, 1, MSG_PEEK) != 1)
		return bench_fail(b, errno, "receive over loopback");
	return 0;
}

static int make_set(struct bench *b, struct state *s, unsigned int count)
{
	FD_ZERO(&s->set);
	s->top = 0;
	for (unsigned int k = 0; k < count; k++) {
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
	const struct point *p = point_of(c);
	const unsigned int count = p->count;
	struct state *s = state;
	int err = open_kind(b, s, p);

	if (err)
		return err;
	if (count > s->fds)
		return bench_skip(b, "more descriptors than the limit allows");
	err = p->ready && p->kind != FILES ? make_ready(b, s, count - 1) : 0;
	return !err && c->run == run_select ? make_set(b, s, count) : err;
}

static int prepare(struct bench *b, void *state, const struct bench_case *c)
{
	((struct state *)state)->right = 0;
	return 0;
}

static int conclude(struct bench *b, void *state, const struct bench_case *c,
		    uint64_t iters)
{
	const struct state *s = state;

	bench_proof(b, c, "right_answers", (double)iters, (double)s->right);
	return 0;
}

static int leave(struct bench *b, void *state, const struct bench_case *c)
{
	const struct point *p = point_of(c);
	struct state *s = state;
	const unsigned int count = p->count;
	uint64_t value;

	if (p->ready && p->kind != FILES && count <= s->fds &&
	    read(s->fd[count - 1], &value, sizeof(value)) < 0)
		return bench_fail(b, errno, "make a descriptor not ready");
	return 0;
}

static void teardown(struct bench *b, void *state)
{
	close_all(state);
}

const struct bench_desc bench_desc = {
	.name = "poll",
	.state_size = sizeof(struct state),
	.case_state_size = sizeof(struct point),
	.axes = axes,
	.open = open_axes,
	.point = add_point,
	.cases = cases,
	.enter = enter,
	.prepare = prepare,
	.conclude = conclude,
	.leave = leave,
	.teardown = teardown,
};
