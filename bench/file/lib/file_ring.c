/* SPDX-License-Identifier: MIT */
#include "file_ring.h"

#include <errno.h>
#include <stdlib.h>

#ifdef HAVE_LIBURING

#include <liburing.h>

#define MOST_DEPTH 256

struct file_ring {
	struct io_uring io;
	unsigned int under_way;
	uint64_t began[MOST_DEPTH], offset[MOST_DEPTH]; /* of each request */
};

struct file_ring *file_ring_open(unsigned int depth, const char **why)
{
	struct file_ring *r = calloc(1, sizeof(*r));
	const int err = !r || depth > MOST_DEPTH
				? -EINVAL
				: io_uring_queue_init(depth, &r->io, 0);

	if (!err)
		return r;
	free(r);
	*why = err == -ENOSYS ? "this kernel has no io_uring"
	       : err == -EPERM || err == -EACCES
		       ? "io_uring is not allowed here (sysctl "
			 "kernel.io_uring_disabled, or a sandbox)"
	       : err == -ENOMEM ? "no memory may be locked for io_uring "
				  "(ulimit -l)"
				: "io_uring_setup fails";
	return NULL;
}

/* What is still under way after an error would come into buffers that are used
 * for something else by then; what the kernel does not have goes with the
 * ring. */
void file_ring_close(struct file_ring *r)
{
	struct io_uring_cqe *cqe;
	int err = 0;

	if (!r)
		return;
	while (r->under_way > io_uring_sq_ready(&r->io) &&
	       (!err || err == -EINTR)) {
		err = io_uring_wait_cqe(&r->io, &cqe);
		if (err)
			continue;
		io_uring_cqe_seen(&r->io, cqe);
		r->under_way--;
	}
	io_uring_queue_exit(&r->io);
	free(r);
}

/* Ask for the block at @offset.  There is an entry for each request: the ring
 * has room for its depth. */
static void ask(struct file_reading *s, uint64_t offset, unsigned int number)
{
	struct file_ring *r = s->ring;
	struct io_uring_sqe *sqe = io_uring_get_sqe(&r->io);
	const size_t len = s->point->block;

	io_uring_prep_read(sqe, s->fd, s->buffers + number * len,
			   (unsigned int)len, offset);
	sqe->user_data = number;
	r->under_way++;
}

static int wait_one(struct file_ring *r)
{
	int err;

	do {
		err = io_uring_submit_and_wait(&r->io, 1);
	} while (err == -EINTR);
	return err < 0 ? err : 0;
}

ssize_t file_ring_read(struct file_reading *s, uint64_t offset)
{
	struct file_ring *r = s->ring;
	struct io_uring_cqe *cqe;
	ssize_t n;

	ask(s, offset, 0);
	n = wait_one(r);
	if (!n)
		n = io_uring_peek_cqe(&r->io, &cqe);
	if (!n) {
		n = cqe->res;
		io_uring_cqe_seen(&r->io, cqe);
		r->under_way--;
	}
	if (n >= 0)
		return n;
	errno = (int)-n;
	return -1;
}

static void ask_next(struct file_reading *s, enum timer_method method,
		     unsigned int i)
{
	struct file_ring *r = s->ring;

	r->offset[i] = s->base + file_walk_next(&s->walk) * s->point->block;
	ask(s, r->offset[i], i);
	r->began[i] = timer_begin(method);
}

/*
 * Take what has completed by *@now, which is set; @ticks (or NULL) gets how
 * long each took; ask anew if @again.  What completes meanwhile is left for the
 * next time: it would be older than its own end.
 *
 * Return: how many, at most the depth.
 */
static unsigned int reap(struct file_reading *s, enum timer_method method,
			 uint64_t *now, uint64_t *ticks, bool again)
{
	struct file_ring *r = s->ring;
	struct io_uring_cqe *cqes[MOST_DEPTH];
	const size_t block = s->point->block;
	const unsigned int n =
		io_uring_peek_batch_cqe(&r->io, cqes, s->point->depth);

	*now = timer_end(method);
	r->under_way -= n;
	s->blocks += n;
	for (unsigned int k = 0; k < n; k++) {
		const unsigned int i = (unsigned int)cqes[k]->user_data;

		/* Never from the future. */
		s->right += cqes[k]->res == (int)block && *now >= r->began[i] &&
			    file_data_sample(s->buffers + i * block, block,
					     r->offset[i]);
		if (ticks)
			ticks[k] = *now - r->began[i];
		/* At once: while others are looked at the device has work.
		 * An error shows when the next is waited for. */
		if (again) {
			ask_next(s, method, i);
			io_uring_submit(&r->io);
		}
	}
	io_uring_cq_advance(&r->io, n);
	return n;
}

int file_ring_load(struct file_reading *s, enum timer_method method,
		   unsigned int wanted, uint64_t *ticks, uint64_t *all_ticks)
{
	struct file_ring *r = s->ring;
	unsigned int warm = 0, counted = 0;
	uint64_t first = 0, now = 0;
	int err = 0;

	for (unsigned int i = 0; i < s->point->depth; i++)
		ask_next(s, method, i);
	/* The interval begins with the last completion that is not counted
	 * and ends with the last that is. */
	while (warm < s->point->depth && !(err = wait_one(r)))
		warm += reap(s, method, &first, NULL, true);
	while (!err && counted < wanted && !(err = wait_one(r)))
		counted += reap(s, method, &now, ticks + counted, true);
	*all_ticks = now - first;
	while (!err && r->under_way && !(err = wait_one(r)))
		reap(s, method, &now, NULL, false);
	return err ? err : (int)counted;
}

#else

struct file_ring *file_ring_open(unsigned int depth, const char **why)
{
	*why = "built without liburing";
	return NULL;
}

/* There is none. */
void file_ring_close(struct file_ring *r)
{
}

ssize_t file_ring_read(struct file_reading *s, uint64_t offset)
{
	return -1;
}

int file_ring_load(struct file_reading *s, enum timer_method method,
		   unsigned int wanted, uint64_t *ticks, uint64_t *all_ticks)
{
	return -ENOTSUP;
}

#endif
