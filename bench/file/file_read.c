/* SPDX-License-Identifier: MIT */
/*
 * file_read - what does it cost to read a file, sequentially and at random,
 * from the device and from the cache?
 *
 * cache=direct reads with O_DIRECT, each read goes to the device. cache=cold
 * reads through the page cache after what is to be read was dropped from it:
 * the kernel reads ahead where it sees a sequence. cache=warm reads what is
 * cached, as it comes there when a program reads the file once from end to end
 * by 4 KiB: in large pages where the kernel makes such. In a random order no
 * block is read twice before all were.
 *
 * Rows with size= read blocks of 4 KiB by pread() of a file (the last so many
 * bytes of one) of that size (beyond 1 GiB where it is asked for, at random a
 * power of two), with block= blocks of so many bytes, with by=
 * by other interfaces: read, readv (into four parts), mmap (copied from a
 * mapping that was not touched before, so page faults are in it), io_uring
 * (one request at a time). by=mapped sums up all words of the file in a
 * mapping whose pages are there: loads alone, no calls and no copy. file=
 * (only where it is asked for) is a cached file of that size, read or mapped as
 * above, or each time from its open() to its close(): by=open_read,
 * by=open_mmap (with the page faults and the munmap(); up to 1 GiB). With
 * depth= so many requests of io_uring are kept under way: latency is the time
 * of one of them, rate how many complete in a second. random_over_sequential
 * shows whether the device seeks.
 *
 * Blocks that the kernel can fetch ahead (cold, sequential) are timed in
 * stretches: a file of up to 16 MiB as a whole, a larger one 16 MiB after 16
 * MiB, once read-ahead is under way; cached blocks in stretches of 256 KiB, but
 * with size= one by one; all others one by one. bytes_fetched_for_each is the
 * fetched amount for each read, read_ahead_bytes the kernel's limit.
 *
 * Measures: ns for one block; with block= bytes in a second, all bytes by all
 *           time.
 * Includes: the system call and the copy to the program (direct: the device
 *           writes there itself).
 * After:    the CSE 221 report's section 6.2 (O_DIRECT, 4 KiB, by file size);
 *           lmbench bw_file_rd, bw_mmap_rd (mapped), lmdd; fio (psync,
 *           io_uring).
 * Needs:    1 GiB of disk, or less and fewer rows, in --dir. In a
 *           directory in memory (tmpfs) only the warm rows.
 */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include "arch.h"
#include "lib/file_reading.h"

#ifdef HAVE_LIBURING
#include <liburing.h>
#endif

#define LEAST_EFFORT 0.1
#define LEAST_BYTES  ((uint64_t)4 << 20)
#define SMALL_BYTES  ((uint64_t)64 << 20)
#define WARM_BYTES   FILE_OWN_BYTES

#define PARTS 4 /* of the buffer, for readv() */

#define LOAD_EVENTS 32 /* completions counted, and 2 for each of depth */

/* file[]: what is read from the device, and what is cached. */
enum { DATA, WARM };

#define BY_SIZE(order)                                 \
	"cache={direct,cold,warm} order=" order        \
	" size={4M..1G*4,?1G..1024G/1G};"              \
	"not cache=warm size>64M; is exclusive log;"   \
	"is mean if cache=cold order=sequential;"      \
	"cache=direct order=" order " block=4K..1M*4;" \
	"is exclusive mean bytes=block;"

static const char points[] = BY_SIZE("sequential") BY_SIZE("random")

	/* Read-ahead hardly depends on the block, and takes long: one row
	 * beside that of 4 KiB is enough. */
	"cache=cold order=sequential block=1M;"
	"cache=warm order=sequential block=4K..1M*4;"
	"is exclusive mean bytes=block;"

	"cache={direct,warm} order={sequential,random}"
	" ^by={read,pread,readv,mmap,io_uring};"
	"cache=cold order={sequential,random} by=mmap;"
	"not cache=direct order=random; not cache=direct by=mmap;"
	"is exclusive log mean;"

	/* lmbench's mmap reread: nothing but loads. */
	"cache=warm order=sequential by=mapped block=1M;"
	"is exclusive mean bytes=block;"

	"cache=direct order=random by=io_uring block=4K depth=1..64*2"
	" stat={latency,rate};"
	"cache=direct order=sequential by=io_uring block=64K depth=1..16*4"
	" stat={latency,rate};"
	"is exclusive; is log if stat=latency;"
	"is derived of=[stat=latency] unit='1/s' higher if stat=rate;"

	"cache=direct stat=random_over_sequential; is derived unit='1';"

	/* A cached file of a size that was asked for, as lmbench's bw_file_rd
	 * and bw_mmap_rd read it. */
	"cache=warm order=sequential by={pread,mapped,open_read,open_mmap}"
	" block=64K ^file=?256K..1024G/256K; not by={open_read,open_mmap} "
	"file>1G;"
	"is exclusive mean bytes=block";

_Static_assert(FILE_DATA_BYTES == 1 << 30 && FILE_DATA_BLOCK == 4096 &&
		       WARM_BYTES == 64 << 20 &&
		       READING_LOAD_BLOCK == 64 << 10 &&
		       READING_MOST_DEPTH == 64,
	       "as in the text");

/*
 * Reads through io_uring.
 */

#ifdef HAVE_LIBURING

struct file_ring {
	struct io_uring io;
	unsigned int under_way;
	uint64_t began[READING_MOST_DEPTH],
		offset[READING_MOST_DEPTH]; /* of each request */
};

/* A ring, which after an error is of no more use; NULL: as of bench_fail(). */
static struct file_ring *ring_open(struct bench *b)
{
	struct file_ring *r = calloc(1, sizeof(*r));
	const int err = r ? io_uring_queue_init(READING_MOST_DEPTH, &r->io, 0)
			  : -ENOMEM;

	if (!err)
		return r;
	free(r);
	bench_fail(b, -err,
		   "io_uring (ulimit -l, sysctl kernel.io_uring_disabled)");
	return NULL;
}

/* Wait for reads that are still under way after an error: they would write into
 * buffers that are used again.  Reads that the kernel has not started end with
 * the ring. */
static void ring_close(struct file_ring *r)
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

/* Ask for the block at @offset: there is an entry for each request. */
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

static ssize_t by_ring(struct file_reading *s, uint64_t offset)
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
 * long each took; ask anew if @again.  A read that completes meanwhile is left
 * for the next time: it would be older than its own end.
 *
 * Return: how many, at most the depth.
 */
static unsigned int reap(struct file_reading *s, enum timer_method method,
			 uint64_t *now, uint64_t *ticks, bool again)
{
	struct file_ring *r = s->ring;
	struct io_uring_cqe *cqes[READING_MOST_DEPTH];
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

/*
 * Many requests at a time: as many as the case's depth are kept under way; each
 * that completes is looked at, counted, and replaced by the next block of the
 * walk at once.
 * @ticks: gets how long each of at least @wanted, at most a depth more, took:
 *	   the first as many as the depth, and those that are under way at the
 *	   end, are not among them.
 * @all_ticks: gets the time from first to last completion of those.
 *
 * Return: how many, or -errno.  Nothing is under way afterwards.
 */
static int ring_load(struct file_reading *s, enum timer_method method,
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

static struct file_ring *ring_open(struct bench *b)
{
	bench_skip(b, "built without liburing");
	return NULL;
}

/* There is none. */
#define ring_close(r) ((void)(r))
#define ring_load(s, method, wanted, ticks, all_ticks) \
	((void)(wanted), *(all_ticks) = (method), -ENOTSUP)

#define by_ring NULL

#endif

/*
 * The ways to read.
 */

static ssize_t by_read(struct file_reading *s, uint64_t offset)
{
	ssize_t n;

	if (s->position != offset &&
	    lseek(s->fd, (off_t)offset, SEEK_SET) != (off_t)offset)
		return -1;
	n = read(s->fd, s->buffers, s->point->block);
	s->position = n < 0 ? UINT64_MAX : offset + (uint64_t)n;
	return n;
}

static ssize_t by_readv(struct file_reading *s, uint64_t offset)
{
	const size_t part = s->point->block / PARTS;
	struct iovec v[PARTS];

	for (size_t i = 0; i < PARTS; i++)
		v[i] = (struct iovec) { s->buffers + i * part, part };
	return preadv(s->fd, v, PARTS, (off_t)offset);
}

static ssize_t by_mmap(struct file_reading *s, uint64_t offset)
{
	memcpy(s->buffers, s->map + (offset - s->base), s->point->block);
	/* Else the compiler would drop the copy, which is not used. */
	__asm__ volatile("" : : "r"(s->buffers) : "memory");
	return (ssize_t)s->point->block;
}

/* Eight bytes at a time, in four chains: no compiler's vectors. */
static ssize_t by_sum(struct file_reading *s, uint64_t offset)
{
	uint64_t a = 0, b = 0, c = 0, d = 0;
	const char *at = s->map + (offset - s->base);

	for (const char *end = at + s->point->block; at < end; at += 32)
		arch_add_words(&a, &b, &c, &d, at);
	s->sum += a + b + c + d;
	return (ssize_t)s->point->block;
}

static const struct file_way file_ways[] = {
	{ .name = "read", .read = by_read },
	{ .name = "readv", .read = by_readv },
	{ .name = "mmap", .read = by_mmap, .mapping = MAP_SHARED },
	{ .name = "io_uring", .read = by_ring },
	{ .name = "mapped",
	  .read = by_sum,
	  .mapping = MAP_SHARED | MAP_POPULATE,
	  .sums = true },
	{ .name = "open_read", .read = by_read, .opens = true },
	{ .name = "open_mmap",
	  .read = by_sum,
	  .mapping = MAP_SHARED,
	  .opens = true,
	  .sums = true },
	{ 0 },
};

/* The largest that is asked for, or @most. */
static uint64_t most_asked(const struct bench *b, const char *axis,
			   uint64_t most)
{
	BENCH_EACH (b, c, axis)
		if (c->asked && (uint64_t)case_int(c, axis) > most)
			most = (uint64_t)case_int(c, axis);
	return most;
}

/* The largest file that can be had; its why says why it is not larger. */
static int make_data(struct bench *b, struct file_data *f, uint64_t bytes)
{
	char why[FILE_DATA_WHY] = "";
	int err = -EIO;

	/* A test of the program shall not write so much.  Where files stay for
	 * the programs of a run all of these use the same. */
	if (bench_effort(b) < LEAST_EFFORT && bytes == FILE_DATA_BYTES &&
	    !bench_files_stay(b)) {
		bytes = SMALL_BYTES;
		snprintf(why, sizeof(why), "not at so low an --effort");
	}
	for (; bytes >= LEAST_BYTES;
	     bytes = bytes > FILE_DATA_BYTES ? FILE_DATA_BYTES : bytes / 4) {
		err = file_data_open(b, f, NULL,
				     bytes > FILE_DATA_BYTES ? "data_asked"
							     : FILE_DATA_NAME,
				     bytes);
		if (err != -ENOSPC && err != -EDQUOT && err != -EFBIG)
			break;
		if (!why[0])
			memcpy(why, f->why, sizeof(why));
	}
	if (err)
		return bench_fail(b, -err, "%s", f->why);
	memcpy(f->why, why, sizeof(why));
	return 0;
}

static int setup(struct bench *b, void *state)
{
	struct file_reading *s = state;
	const uint64_t warm = most_asked(b, "file", WARM_BYTES);
	const int err = make_data(b, &s->file[DATA],
				  most_asked(b, "size", FILE_DATA_BYTES));

	if (err)
		return err;
	/* It is no loss if only this one cannot be had.  That of another size
	 * is another file, as directories of files may be kept. */
	file_data_open(b, &s->file[WARM], NULL,
		       warm == WARM_BYTES ? "warm" : "warm_asked", warm);
	return file_reading_open(b, s);
}

/* One event is some reads of the whole load. */
static int sample_load(struct bench *b, void *state, const struct bench_case *c)
{
	static uint64_t ticks[LOAD_EVENTS + 3 * READING_MOST_DEPTH];
	const struct file_point *t = c->data;
	uint64_t all_ticks;
	const int n = ring_load(state, bench_timer(b)->method,
				LOAD_EVENTS + 2 * t->depth, ticks, &all_ticks);

	if (n < 0)
		return bench_fail(b, -n, "io_uring");
	for (int i = 0; i < n; i++)
		bench_record(b, c, ticks[i]);
	bench_record_value(b, bench_beside(b, c, "stat=rate"),
			   n * 1e9 / bench_ns(b, (double)all_ticks));
	return 0;
}

static bool point(struct bench *b, void *state, struct bench_case *c)
{
	((struct file_reading *)state)->ways = file_ways;
	if (case_is(c, "stat", "latency"))
		c->sample = sample_load;
	return file_reading_point(b, state, c);
}

static int enter(struct bench *b, void *state, const struct bench_case *c)
{
	struct file_reading *s = state;
	const int err = file_reading_enter(b, state, c);

	if (err || !case_is(c, "by", "io_uring"))
		return err;
	s->ring = ring_open(b);
	return s->ring ? 0 : -1;
}

static void leave(struct bench *b, void *state, const struct bench_case *c)
{
	struct file_reading *s = state;

	ring_close(s->ring);
	s->ring = NULL;
	file_reading_leave(b, state, c);
}

static void derive(struct bench *b, void *state)
{
	const struct file_reading *s = state;
	const struct bench_case *ratio =
		bench_find(b, "cache=direct,stat=random_over_sequential");
	double found = NAN;

	/* Use the largest size that has both. */
	BENCH_EACH (b, c, "cache=direct order=sequential size") {
		const struct bench_case *random =
			bench_beside(b, c, "order=random");
		const double x = bench_value(b, random) / bench_value(b, c);

		found = isfinite(x) ? x : found;
	}
	bench_fact_text(b, ratio, "device", s->file[DATA].place.where);
	if (isfinite(found))
		bench_derive(b, ratio, found);
	else
		bench_derive_skip(b, ratio,
				  "needs the rows cache=direct of one size");
}

const struct bench_desc bench_desc = {
	.points = points,
	.state_size = sizeof(struct file_reading),
	.case_state_size = sizeof(struct file_point),
	.point = point,
	.setup = setup,
	.enter = enter,
	.prepare = file_reading_prepare,
	.sample = file_reading_sample,
	.leave = leave,
	.derive = derive,
};
