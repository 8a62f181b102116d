/* SPDX-License-Identifier: MIT */
#include "file_ring.h"

#include <errno.h>
#include <stdlib.h>

#include "file_data.h"

#ifdef HAVE_LIBURING

#include <liburing.h>

#define MOST_DEPTH 256

struct file_ring {
	struct io_uring io;
	unsigned int depth;
	int dead; /* -errno: there is no ring any more */
	uint64_t began[MOST_DEPTH], offset[MOST_DEPTH]; /* of each request */
};

int file_ring_open(struct file_ring **ring, unsigned int depth,
		   const char **why)
{
	struct file_ring *r = calloc(1, sizeof(*r));
	int err;

	*ring = NULL;
	if (!r || depth > MOST_DEPTH) {
		free(r);
		return r ? -EINVAL : -ENOMEM;
	}
	err = io_uring_queue_init(depth, &r->io, 0);
	if (err) {
		free(r);
		*why = err == -ENOSYS ? "this kernel has no io_uring"
		       : err == -EPERM || err == -EACCES
			       ? "io_uring is not allowed here (sysctl "
				 "kernel.io_uring_disabled, or a sandbox)"
		       : err == -ENOMEM
			       ? "no memory may be locked for io_uring "
				 "(ulimit -l)"
			       : "io_uring_setup fails";
		return err;
	}
	r->depth = depth;
	*ring = r;
	return 0;
}

void file_ring_close(struct file_ring *ring)
{
	if (!ring)
		return;
	if (!ring->dead)
		io_uring_queue_exit(&ring->io);
	free(ring);
}

static int wait_one(struct file_ring *r)
{
	int err;

	do {
		err = io_uring_submit_and_wait(&r->io, 1);
	} while (err == -EINTR);
	return err < 0 ? err : 0;
}

/* After an error: wait for what the kernel has of @under_way requests, or it
 * would be taken for what the next caller asks for; what it does not have goes
 * with the ring. */
static void start_again(struct file_ring *r, unsigned int under_way)
{
	unsigned int left = io_uring_sq_ready(&r->io);
	struct io_uring_cqe *cqe;
	int err = 0;

	while (left < under_way && (!err || err == -EINTR)) {
		err = io_uring_wait_cqe(&r->io, &cqe);
		if (err)
			continue;
		io_uring_cqe_seen(&r->io, cqe);
		under_way--;
	}
	io_uring_queue_exit(&r->io);
	r->dead = io_uring_queue_init(r->depth, &r->io, 0);
}

ssize_t file_ring_read(struct file_ring *ring, int fd, void *buffer, size_t len,
		       uint64_t offset)
{
	struct io_uring_sqe *sqe =
		ring->dead ? NULL : io_uring_get_sqe(&ring->io);
	struct io_uring_cqe *cqe;
	ssize_t n;
	int err;

	if (!sqe) {
		errno = ring->dead ? -ring->dead : EBUSY;
		return -1;
	}
	io_uring_prep_read(sqe, fd, buffer, (unsigned int)len, offset);
	err = wait_one(ring);
	if (!err)
		err = io_uring_peek_cqe(&ring->io, &cqe);
	if (err) {
		start_again(ring, 1);
		errno = -err;
		return -1;
	}
	n = cqe->res;
	io_uring_cqe_seen(&ring->io, cqe);
	if (n < 0) {
		errno = (int)-n;
		return -1;
	}
	return n;
}

static void ask(struct file_ring *r, struct file_ring_load *l, unsigned int i)
{
	struct io_uring_sqe *sqe = io_uring_get_sqe(&r->io);

	/* There is one for each request: the ring has room for @depth. */
	r->offset[i] = l->base + file_walk_next(l->walk) * l->block;
	io_uring_prep_read(sqe, l->fd, l->buffers + i * l->block,
			   (unsigned int)l->block, r->offset[i]);
	sqe->user_data = i;
	r->began[i] = timer_begin(l->method);
}

static void check(struct file_ring *r, struct file_ring_load *l, unsigned int i,
		  int res)
{
	if (res == (int)l->block &&
	    file_data_sample(l->buffers + i * l->block, l->block, r->offset[i]))
		l->done++;
	else
		l->wrong++;
}

/*
 * Take what has completed by *@now, which is set; @ticks (or NULL) gets how
 * long each took; ask anew if @again.  What completes meanwhile is left for the
 * next time: it would be older than its own end.
 *
 * Return: how many, at most the depth.
 */
static unsigned int reap(struct file_ring *r, struct file_ring_load *l,
			 uint64_t *now, uint64_t *ticks, bool again)
{
	struct io_uring_cqe *cqes[MOST_DEPTH];
	const unsigned int n = io_uring_peek_batch_cqe(&r->io, cqes, l->depth);

	*now = timer_end(l->method);
	for (unsigned int k = 0; k < n; k++) {
		const unsigned int i = (unsigned int)cqes[k]->user_data;

		if (ticks)
			ticks[k] = *now - r->began[i];
		check(r, l, i, cqes[k]->res);
		/* Never from the future. */
		l->wrong += *now < r->began[i];
		/* At once: while others are looked at the device has work.
		 * An error shows when the next is waited for. */
		if (again) {
			ask(r, l, i);
			io_uring_submit(&r->io);
		}
	}
	io_uring_cq_advance(&r->io, n);
	return n;
}

int file_ring_load(struct file_ring *ring, struct file_ring_load *l)
{
	unsigned int warm = 0, under_way = l->depth;
	uint64_t first = 0, now = 0;
	int err = 0;

	l->done = l->wrong = l->counted = 0;
	if (ring->dead)
		return ring->dead;
	for (unsigned int i = 0; i < l->depth; i++)
		ask(ring, l, i);
	/* The interval begins with the last completion that is not counted
	 * and ends with the last that is. */
	while (!err && warm < l->depth) {
		err = wait_one(ring);
		warm += err ? 0 : reap(ring, l, &first, NULL, true);
	}
	while (!err && l->counted < l->wanted) {
		err = wait_one(ring);
		if (!err)
			l->counted += reap(ring, l, &now, l->ticks + l->counted,
					   true);
	}
	l->all_ticks = now - first;
	while (!err && under_way) {
		err = wait_one(ring);
		under_way -= err ? 0 : reap(ring, l, &now, NULL, false);
	}
	if (err)
		start_again(ring, under_way);
	return err;
}

#else

int file_ring_open(struct file_ring **ring, unsigned int depth,
		   const char **why)
{
	*ring = NULL;
	*why = "built without liburing";
	return -ENOTSUP;
}

void file_ring_close(struct file_ring *ring)
{
}

ssize_t file_ring_read(struct file_ring *ring, int fd, void *buffer, size_t len,
		       uint64_t offset)
{
	errno = ENOTSUP;
	return -1;
}

int file_ring_load(struct file_ring *ring, struct file_ring_load *l)
{
	return -ENOTSUP;
}

#endif
