/* SPDX-License-Identifier: MIT */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/udp.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <unistd.h>

#include "partner.h"
#include "ways.h"

#ifndef UDP_SEGMENT
#define UDP_SEGMENT 103
#endif

#define DATAGRAM   1000		     /* 64 of them are what one may be */
#define MOST_LOOKS ((size_t)1 << 24) /* for one that may be lost */

enum { NEAR, FAR, FILE_, PIPE_OUT, PIPE_IN }; /* places in s->fd */

/* A connection over loopback; neither end waits. */
static int open_pair(struct bench *b, struct ways *s, int type)
{
	struct sockaddr_in here = { .sin_family = AF_INET };
	struct sockaddr *const address = (struct sockaddr *)&here;
	socklen_t len = sizeof(here);
	const int listener = socket(AF_INET, type | SOCK_CLOEXEC, 0);
	const int near = ways_keep(s, socket(AF_INET, type | SOCK_CLOEXEC, 0));
	int far = listener;

	here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (listener < 0 || near < 0 || bind(listener, address, len) ||
	    (type == SOCK_STREAM && listen(listener, 1)) ||
	    getsockname(listener, address, &len) || connect(near, address, len))
		far = -1;
	else if (type == SOCK_STREAM)
		far = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
	if (listener >= 0 && far != listener)
		close(listener);
	if (ways_keep(s, far) < 0 || fcntl(near, F_SETFL, O_NONBLOCK) ||
	    fcntl(far, F_SETFL, O_NONBLOCK))
		return bench_skip(b, "a connection over loopback: %s",
				  strerror(errno));
	return 0;
}

static int open_file(struct bench *b, struct ways *s)
{
	int ends[2], err = open_pair(b, s, SOCK_STREAM), file;

	if (err)
		return err;
	file = ways_keep(s, memfd_create("oscost-ways", MFD_CLOEXEC));
	if (file < 0 || write(file, s->memory, s->n) != (ssize_t)s->n ||
	    pipe2(ends, O_CLOEXEC | O_NONBLOCK))
		return bench_fail(b, errno, "make a file and a pipe");
	ways_keep(s, ends[0]);
	ways_keep(s, ends[1]);
	s->in_pipe = 0;
	return 0;
}

/* Some of the bytes from @at on go out.  Return: how many, or -1. */
typedef ssize_t push_fn(struct ways *s, size_t at);

static size_t piece(const struct ways *s, size_t at)
{
	const size_t most = 64 << 10;

	return s->n - at < most ? s->n - at : most;
}

static ssize_t push_copy(struct ways *s, size_t at)
{
	const ssize_t n =
		pread(s->fd[FILE_], s->memory, piece(s, at), (off_t)at);

	return n <= 0 ? -1 : send(s->fd[NEAR], s->memory, (size_t)n, 0);
}

static ssize_t push_sendfile(struct ways *s, size_t at)
{
	off_t from = (off_t)at;

	return sendfile(s->fd[NEAR], s->fd[FILE_], &from, s->n - at);
}

static ssize_t push_splice(struct ways *s, size_t at)
{
	off_t from = (off_t)at;
	ssize_t n;

	if (!s->in_pipe) {
		n = splice(s->fd[FILE_], &from, s->fd[PIPE_IN], NULL,
			   piece(s, at), 0);
		if (n <= 0)
			return -1;
		s->in_pipe = (size_t)n;
	}
	n = splice(s->fd[PIPE_OUT], NULL, s->fd[NEAR], NULL, s->in_pipe,
		   SPLICE_F_NONBLOCK);
	s->in_pipe -= n > 0 ? (size_t)n : 0;
	return n;
}

/* All bytes go out and come in.  Return: whether they did. */
static bool transfer(struct ways *s, push_fn *push)
{
	size_t out = 0, in = 0;

	while (in < s->n) {
		ssize_t n = out < s->n ? push(s, out) : 0;

		if (n < 0 && errno != EAGAIN)
			break;
		out += n > 0 ? (size_t)n : 0;
		n = recv(s->fd[FAR], NULL, s->n, MSG_TRUNC);
		if (n < 0 && errno != EAGAIN)
			break;
		in += n > 0 ? (size_t)n : 0;
	}
	return in == s->n;
}

/* Datagrams. */

static int open_datagrams(struct bench *b, struct ways *s)
{
	const int bytes = 1 << 20;
	int err;

	err = open_pair(b, s, SOCK_DGRAM);
	if (!err)
		setsockopt(s->fd[FAR], SOL_SOCKET, SO_RCVBUF, &bytes,
			   sizeof(bytes));
	return err;
}

/* Datagrams of the right length that have come.  Before Linux 6.6 they may be
 * left to a thread of this CPU. */
static uint64_t receive(struct ways *s)
{
	struct mmsghdr m[WAYS_MOST] = { 0 };
	struct iovec v = { s->memory, WAYS_BLOCK };
	size_t have = 0, good = 0, left = MOST_LOOKS;

	for (size_t i = 0; i < s->n; i++)
		m[i].msg_hdr =
			(struct msghdr) { .msg_iov = &v, .msg_iovlen = 1 };
	while (have < s->n && good == have) {
		const int n = recvmmsg(s->fd[FAR], m + have,
				       (unsigned int)(s->n - have),
				       MSG_DONTWAIT, NULL);

		if (n <= 0 && !--left)
			break;
		if (n <= 0)
			sched_yield();
		for (int i = 0; i < n; i++)
			good += m[have++].msg_len == DATAGRAM;
	}
	return good;
}

static uint64_t send_each(struct ways *s)
{
	for (size_t i = 0; i < s->n; i++)
		send(s->fd[NEAR], s->memory + i * DATAGRAM, DATAGRAM, 0);
	return receive(s);
}

static uint64_t send_many(struct ways *s)
{
	struct mmsghdr m[WAYS_MOST] = { 0 };
	struct iovec v[WAYS_MOST];

	for (size_t i = 0; i < s->n; i++) {
		v[i] = (struct iovec) { s->memory + i * DATAGRAM, DATAGRAM };
		m[i].msg_hdr =
			(struct msghdr) { .msg_iov = &v[i], .msg_iovlen = 1 };
	}
	sendmmsg(s->fd[NEAR], m, (unsigned int)s->n, 0);
	return receive(s);
}

static uint64_t send_segments(struct ways *s)
{
	send(s->fd[NEAR], s->memory, s->n * DATAGRAM, 0);
	return receive(s);
}

static int open_segments(struct bench *b, struct ways *s)
{
	const int bytes = DATAGRAM;
	const int err = open_datagrams(b, s);

	if (err)
		return err;
	return setsockopt(s->fd[NEAR], IPPROTO_UDP, UDP_SEGMENT, &bytes,
			  sizeof(bytes))
		       ? bench_skip(b, "UDP_SEGMENT: %s", strerror(errno))
		       : 0;
}

#define CALLS(W)                                                           \
	W(LOOP, to_socket_read_send, open_file, transfer(s, push_copy))    \
	W(LOOP, to_socket_sendfile, open_file, transfer(s, push_sendfile)) \
	W(LOOP, to_socket_splice, open_file, transfer(s, push_splice))     \
	W(LOOP, datagrams_send, open_datagrams, send_each(s))              \
	W(LOOP, datagrams_sendmmsg, open_datagrams, send_many(s))          \
	W(LOOP, datagrams_gso, open_segments, send_segments(s))
WAYS_FUNCTIONS(CALLS)
const struct way ways_net[] = WAYS_ROWS(CALLS);
