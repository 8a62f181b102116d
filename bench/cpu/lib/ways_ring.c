/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "ways.h"

/* The descriptors and buffers of nop, read and ready. */
static int open_things(struct bench *b, struct ways *s)
{
	const char *dir = bench_scratch(b);
	char path[PATH_MAX];
	int file, event;

	/* Not of a memfd: io_uring hands reads of that to a worker. */
	snprintf(path, sizeof(path), "%s/file", dir);
	file = ways_keep(s, open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600));
	event = ways_keep(s, eventfd(1, EFD_CLOEXEC));
	if (file < 0 || event < 0 ||
	    write(file, s->memory, WAYS_BLOCK) != WAYS_BLOCK)
		return bench_fail(b, errno, "%s and an eventfd", path);
	s->poll[0] = (struct pollfd) { event, POLLIN, 0 };
	return 0;
}

#ifdef HAVE_LIBURING

#include <liburing.h>

enum { NOP, READ, READY };

static int open_ring_of(struct bench *b, struct ways *s, unsigned int flags)
{
	struct io_uring_params p = { .flags = flags, .sq_thread_idle = 1000 };
	const int cpu = bench_partner(b, BENCH_ANY_OTHER);
	int err = open_things(b, s);

	if (err)
		return err;
	if (flags && cpu < 0)
		return bench_skip(b, "no second CPU for the kernel's thread");
	p.sq_thread_cpu = flags ? (unsigned int)cpu : 0;
	s->ring = calloc(1, sizeof(*s->ring));
	if (!s->ring)
		return bench_fail(b, ENOMEM, "a ring");
	err = io_uring_queue_init_params(WAYS_MOST, s->ring, &p);
	if (!err)
		return 0;
	free(s->ring);
	s->ring = NULL;
	return bench_skip(b, "io_uring: %s", strerror(-err));
}

static int open_ring(struct bench *b, struct ways *s)
{
	return open_ring_of(b, s, 0);
}

static int open_poller(struct bench *b, struct ways *s)
{
	return open_ring_of(b, s, IORING_SETUP_SQPOLL | IORING_SETUP_SQ_AFF);
}

void ways_ring_close(struct ways *s)
{
	if (s->ring)
		io_uring_queue_exit(s->ring);
	free(s->ring);
	s->ring = NULL;
}

/* Request @i of a batch; its answer is to name it. */
TIMER_INLINE void request(struct ways *s, int op, uint64_t i)
{
	struct io_uring_sqe *e;

	/* The kernel's thread may answer before it gives the entries back. */
	while (!(e = io_uring_get_sqe(s->ring)))
		;
	if (op == READ)
		io_uring_prep_read(e, s->fd[0], s->memory, WAYS_BLOCK, 0);
	else if (op == READY)
		io_uring_prep_poll_add(e, s->poll[0].fd, POLLIN);
	else
		io_uring_prep_nop(e);
	e->user_data = i;
}

/* The next answer. Return: whether it is right. */
TIMER_INLINE bool take(struct ways *s, int op)
{
	static const int right[] = {
		[NOP] = 0, [READ] = WAYS_BLOCK, [READY] = POLLIN
	};
	struct io_uring_cqe *e;
	bool good;

	if (io_uring_peek_cqe(s->ring, &e) && io_uring_wait_cqe(s->ring, &e))
		return false;
	good = e->res == right[op] && e->user_data < s->n;
	io_uring_cqe_seen(s->ring, e);
	return good;
}

/* Return: how many answers of a batch were right. */
TIMER_INLINE uint64_t by_ring(struct ways *s, int op)
{
	uint64_t right = 0;

	for (size_t k = 0; k < s->n; k++)
		request(s, op, k);
	io_uring_submit_and_wait(s->ring, (unsigned int)s->n);
	for (size_t k = 0; k < s->n; k++)
		right += take(s, op);
	return right;
}

/* No call: the kernel's thread sees what is new, unless it has gone to sleep,
 * and this program sees when it is done. */
TIMER_INLINE uint64_t by_poller(struct ways *s, int op)
{
	uint64_t right = 0;

	for (size_t k = 0; k < s->n; k++)
		request(s, op, k);
	s->submits++;
	s->woken += !!(IO_URING_READ_ONCE(*s->ring->sq.kflags) &
		       IORING_SQ_NEED_WAKEUP);
	io_uring_submit(s->ring);
	while (io_uring_cq_ready(s->ring) < s->n)
		;
	for (size_t k = 0; k < s->n; k++)
		right += take(s, op);
	return right;
}
#else

static int open_ring(struct bench *b, struct ways *s)
{
	return bench_skip(b, "this program was built without liburing");
}

/* Not reached. */
#define open_poller	 open_ring
#define by_ring(s, op)	 0
#define by_poller(s, op) 0

void ways_ring_close(struct ways *s)
{
}
#endif

#define THREE(W, what, op, expr)                            \
	W(EACH, what##_call, open_things, expr)             \
	W(LOOP, what##_io_uring, open_ring, by_ring(s, op)) \
	W(LOOP, what##_sqpoll, open_poller, by_poller(s, op))
#define CALLS(W)                                                       \
	THREE(W, nop, NOP, getppid() == s->parent)                     \
	THREE(W, read_same, READ,                                      \
	      pread(s->fd[0], s->memory, WAYS_BLOCK, 0) == WAYS_BLOCK) \
	THREE(W, ready, READY, poll(s->poll, 1, 0) == 1)
WAYS_FUNCTIONS(CALLS)
const struct way ways_rings[] = WAYS_ROWS(CALLS);
