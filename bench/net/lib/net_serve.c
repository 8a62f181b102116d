/* SPDX-License-Identifier: MIT */
#include "net_serve.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "deadline.h"
#include "net_session.h"

#define HELLO_MS 10000 /* to say hello in */
#define LOOK_MS	 250   /* between two looks at those over their limits */
#define EVENTS	 64

/* A connection that has not said hello yet. */
struct pending {
	int fd; /* -1: this place is free */
	int64_t until_ms;
	struct net_hello hello;
	size_t have; /* bytes of it */
};

struct server {
	int listener, epoll;
	const struct net_limits *limits;
	struct pending *pending;
	unsigned int next; /* place of the next connection */
	int64_t active_ms; /* when somebody was there last */
	int64_t look_ms;   /* when to look() again */
	pid_t *child;	   /* limits->sessions of them */
	size_t children;
	struct net_counts *counts;
	bool eof;
	bool crashed; /* a session: that is a fault of ours */
};

static void drop(struct pending *p)
{
	close(p->fd);
	p->fd = -1;
}

static void drop_all(struct server *s)
{
	for (unsigned int i = 0; s->pending && i < s->limits->pending; i++)
		if (s->pending[i].fd >= 0)
			drop(&s->pending[i]);
}

/* The session of this process, for tick(). */
static struct net_session session;
static const struct net_limits *its_limits;

/* Each second: end the session if it is over its limits. */
static void tick(int sig)
{
	static uint64_t seconds, quiet_s, seen;

	quiet_s = session.bytes == seen ? quiet_s + 1 : 0;
	seen = session.bytes;
	if (++seconds > its_limits->seconds || quiet_s > its_limits->quiet_s)
		_exit(0);
}

/* In a process of its own, which has nothing of other connections. */
static _Noreturn void be_session(struct server *s, struct pending *p,
				 pid_t server)
{
	const struct itimerval each_second = { { 1, 0 }, { 1, 0 } };

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != server)
		_exit(1);
	its_limits = s->limits;
	session = (struct net_session) { .fd = p->fd,
					 .hello = p->hello,
					 .counts = s->counts,
					 .most = s->limits->bytes };
	p->fd = -1;
	drop_all(s);
	close(s->listener);
	close(s->epoll);
	fcntl(session.fd, F_SETFL, 0); /* it blocks */
	signal(SIGALRM, tick);
	setitimer(ITIMER_REAL, &each_second, NULL);
	net_session_run(&session);
	_exit(0);
}

/* Forget the sessions that have ended. */
static void reap(struct server *s)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		s->crashed |= status != 0;
		for (size_t i = 0; i < s->children; i++)
			if (s->child[i] == pid)
				s->child[i--] = s->child[--s->children];
	}
}

/* Give a connection to a process of its own, also when there is no room or no
 * process: then the client is told, and it is closed. */
static void begin_session(struct server *s, struct pending *p)
{
	struct net_answer refusal = { .magic = NET_ANSWER, .status = NET_FULL };
	const pid_t server = getpid();
	pid_t pid = -1;

	epoll_ctl(s->epoll, EPOLL_CTL_DEL, p->fd,
		  NULL); /* or it has two ends */
	net_session_place(&p->hello);
	reap(s);
	if (s->children < s->limits->sessions) {
		refusal.status = NET_TROUBLE;
		pid = fork();
	}
	if (pid == 0)
		be_session(s, p, server);
	if (pid > 0)
		s->child[s->children++] = pid;
	else
		send(p->fd, &refusal, sizeof(refusal), MSG_NOSIGNAL);
	drop(p);
}

static bool is_allowed(const struct net_limits *lim, const struct net_addr *a)
{
	for (size_t i = 0; i < lim->n_allow; i++)
		if (net_addr_same_host(a, &lim->allow[i]))
			return true;
	return net_addr_is_loopback(a);
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
	p->have += n > 0 ? (size_t)n : 0;
	if (n > 0 && p->have < sizeof(p->hello))
		return;
	/* A client that ended in good order will ask for this. */
	if (n == 0 && p->have == 0)
		atomic_fetch_add(&s->counts->closed, 1);
	if (n > 0 && net_hello_fits(&p->hello))
		begin_session(s, p);
	else
		drop(p);
}

static void admit(struct server *s, int fd, const struct net_addr *peer)
{
	struct epoll_event event = { .events = EPOLLIN };
	struct pending *p;

	s->active_ms = deadline_in(0);
	if (!is_allowed(s->limits, peer)) {
		close(fd);
		return;
	}
	p = place(s);
	*p = (struct pending) { .fd = fd, .until_ms = deadline_in(HELLO_MS) };
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

/* Whoever started us has gone when there is nothing more to read. */
static void read_input(struct server *s)
{
	char ignored[64];
	const ssize_t n = read(STDIN_FILENO, ignored, sizeof(ignored));

	s->eof = n == 0 || (n < 0 && errno != EINTR);
}

static void look(struct server *s)
{
	const int64_t now_ms = deadline_in(0);

	reap(s);
	s->look_ms = now_ms + LOOK_MS;
	if (s->children)
		s->active_ms = now_ms;
	for (unsigned int i = 0; i < s->limits->pending; i++) {
		struct pending *p = &s->pending[i];

		if (p->fd < 0)
			continue;
		s->active_ms = now_ms;
		if (deadline_passed(p->until_ms))
			drop(p);
	}
}

/* First those that speak, then new ones: one of these may take the place of
 * one of those, and an event must not reach the wrong one. */
static int turn(struct server *s)
{
	struct epoll_event events[EVENTS];
	const int n = epoll_wait(s->epoll, events, EVENTS, LOOK_MS);
	bool new = false;

	if (n < 0 && errno != EINTR)
		return -errno;
	for (int i = 0; i < n; i++) {
		struct pending *p = events[i].data.ptr;

		if (!p)
			new = true;
		else if (events[i].data.ptr == (void *)s)
			read_input(s);
		else if (p->fd >= 0)
			hear(s, p);
	}
	if (new)
		accept_some(s);
	if (deadline_passed(s->look_ms))
		look(s);
	return 0;
}

static bool is_idle(const struct server *s)
{
	return s->limits->idle_s &&
	       deadline_passed(s->active_ms +
			       1000 * (int64_t)s->limits->idle_s);
}

static int open_server(struct server *s)
{
	struct epoll_event event = { .events = EPOLLIN };

	fcntl(s->listener, F_SETFL, O_NONBLOCK);
	signal(SIGCHLD, SIG_DFL); /* or its sessions could not be counted */
	s->active_ms = deadline_in(0);
	s->pending = calloc(s->limits->pending, sizeof(*s->pending));
	s->child = calloc(s->limits->sessions, sizeof(*s->child));
	s->counts = mmap(NULL, sizeof(*s->counts), PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (!s->pending || !s->child || s->counts == MAP_FAILED)
		return -ENOMEM;
	for (unsigned int i = 0; i < s->limits->pending; i++)
		s->pending[i].fd = -1;
	s->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (s->epoll < 0 ||
	    epoll_ctl(s->epoll, EPOLL_CTL_ADD, s->listener, &event))
		return -errno;
	event.data.ptr = s;
	/* A file has nothing to wait for. */
	s->eof = s->limits->until_eof &&
		 epoll_ctl(s->epoll, EPOLL_CTL_ADD, STDIN_FILENO, &event);
	return 0;
}

static void close_server(struct server *s)
{
	if (s->pending)
		drop_all(s);
	for (size_t i = 0; i < s->children; i++) {
		kill(s->child[i], SIGKILL);
		while (waitpid(s->child[i], NULL, 0) < 0 && errno == EINTR)
			;
	}
	free(s->pending);
	free(s->child);
	if (s->counts != MAP_FAILED)
		munmap(s->counts, sizeof(*s->counts));
	if (s->epoll >= 0)
		close(s->epoll);
}

int net_serve(int listener, const struct net_limits *limits,
	      const volatile sig_atomic_t *stop)
{
	struct server s = { .listener = listener,
			    .epoll = -1,
			    .limits = limits,
			    .counts = MAP_FAILED };
	int err;

	err = open_server(&s);
	while (!err && !*stop && !s.eof && !is_idle(&s))
		err = turn(&s);
	close_server(&s);
	return s.crashed && !err ? -EFAULT : err;
}
