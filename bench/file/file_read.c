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
 * bytes of one) of that size, with block= blocks of so many bytes, with via=
 * by other interfaces: read, readv (into four parts), mmap (copied from a
 * mapping that was not touched before, so page faults are in it), io_uring
 * (one request at a time). via=mapped sums up all words of the file in a
 * mapping whose pages are there: loads alone, no calls and no copy. file=
 * (only where it is asked for) is a cached file of that size, read or mapped as
 * above, or each time from its open() to its close(): via=open_read,
 * via=open_mmap (with the page faults and the munmap()). With depth=
 * so many requests of io_uring are kept under way: latency is the time of one
 * of them, rate how many complete in a second. random_over_sequential tells
 * whether the device seeks.
 *
 * What the kernel can fetch ahead (cold, sequential) is timed in stretches: a
 * file of up to 16 MiB as a whole, from the first read on; of a larger one
 * 8 MiB after 8 MiB, when reading ahead is under way. What is cached is timed
 * in stretches of 256 KiB, but with size= one by one; all else one by one. A
 * cold read through a mapping fetches what lies around it too:
 * bytes_fetched_for_each says how much, read_ahead_bytes how much the kernel
 * may.
 *
 * Measures: ns for one block; with block= bytes in a second, all bytes by all
 *           time.
 * Includes: the system call and the copy to the program (direct: the device
 *           writes there itself).
 * After:    the CSE 221 report's section 6.2 (O_DIRECT, 4 KiB, by file size);
 *           lmbench bw_file_rd, bw_mmap_rd (mapped), lmdd; fio (psync,
 *           io_uring).
 * Needs:    1 GiB of disk, or less and fewer rows; --dir says where. In a
 *           directory in memory (tmpfs) only the warm rows.
 */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "bench.h"
#include "file_data.h"
#include "file_place.h"
#include "lib/file_points.h"
#include "lib/file_reader.h"
#include "lib/file_ring.h"
#include "lib/file_walk.h"

#define LOADED	     32 /* completions counted, and 2 for each of the depth */
#define LEAST_EFFORT 0.1
#define SMALL_BYTES  ((uint64_t)64 << 20)
#define PROBE	     ((size_t)64 << 10)

struct read_state {
	uint64_t bytes; /* --bytes */
	struct file_data data, warm;
	char too_large[FILE_DATA_WHY]; /* why the data are not larger */
	struct file_place place;
	int direct; /* fd, or -errno and: */
	const char *why_direct, *why_ring;
	bool process_counts, device_counts; /* seen to move */
	struct file_ring *ring;
	char *buffers;

	/* Of the visit under way; the row that gets the rate, or NULL. */
	const struct bench_case *rate;
	struct file_reader reader;
	struct file_walk walk;
	uint64_t base, size; /* what is read of the file: its end */
	char *map;
	struct file_counts before;
	uint64_t blocks, right;
	uint64_t uncounted; /* blocks read before the counts in `before` */
	uint64_t ticks[LOADED + 3 * FILE_POINTS_MOST_DEPTH];
};

static int cases(struct bench *b, void *state)
{
	struct read_state *s = state;

	while (s->bytes & (s->bytes - 1))
		s->bytes &= s->bytes - 1; /* down to a power of two */
	file_data_init(&s->data);
	file_data_init(&s->warm);
	s->direct = -EBADF;
	return 0;
}

/*
 * Files, and what can be known of the reads from them.
 */

/* Whether the counters move when something is read from the device: not all
 * file systems tell. */
static int probe_counters(struct bench *b, struct read_state *s)
{
	struct file_counts before, after;

	if (s->place.kind == FILE_PLACE_MEMORY)
		return 0;
	if (file_cache_drop(s->data.fd, 0, PROBE) != 0)
		return 0;
	file_counts_read(&s->place, &before);
	if (pread(s->data.fd, s->buffers, PROBE, 0) != (ssize_t)PROBE)
		return bench_fail(b, errno, "read %s", s->data.path);
	file_counts_read(&s->place, &after);
	file_counts_since(&after, &before);
	s->process_counts = after.process_read >= (int64_t)PROBE;
	s->device_counts = after.device_read >= (int64_t)PROBE;
	return 0;
}

/* The largest file that can be had. */
static int make_data(struct bench *b, struct read_state *s)
{
	const uint64_t warm = file_points_warm_bytes(b);
	uint64_t bytes = s->bytes;
	int err = -EIO;

	/* A test of the program shall not write so much.  Where files stay for
	 * the programs of a run all of these use the same. */
	if (bench_effort(b) < LEAST_EFFORT && bytes > SMALL_BYTES &&
	    !bench_files_stay(b)) {
		bytes = SMALL_BYTES;
		snprintf(s->too_large, sizeof(s->too_large),
			 "not at so low an --effort");
	} else if (bytes < FILE_DATA_BYTES) {
		snprintf(s->too_large, sizeof(s->too_large),
			 "a smaller file was asked for with --bytes");
	}
	for (; bytes >= FILE_POINTS_LEAST_BYTES; bytes /= 4) {
		err = file_data_try(b, &s->data, FILE_DATA_NAME, bytes);
		if (err != -ENOSPC && err != -EDQUOT && err != -EFBIG)
			break;
		if (!s->too_large[0])
			memcpy(s->too_large, s->data.why, FILE_DATA_WHY);
	}
	if (err)
		return file_data_give_up(b, &s->data, err);
	/* It is no loss if only this one cannot be had.  That of another size
	 * is another file, as directories of files may be kept. */
	if (warm == FILE_POINTS_WARM_BYTES)
		file_data_try(b, &s->warm, "warm", warm);
	else
		file_data_try(b, &s->warm, "warm_asked", warm);
	return 0;
}

static int setup(struct bench *b, void *state)
{
	struct read_state *s = state;
	int err;

	s->buffers =
		aligned_alloc(FILE_DATA_ALIGN,
			      FILE_POINTS_MOST_DEPTH * FILE_POINTS_LOAD_BLOCK);
	if (!s->buffers)
		return bench_fail(b, ENOMEM, "buffers");
	memset(s->buffers, 1, FILE_POINTS_MOST_DEPTH * FILE_POINTS_LOAD_BLOCK);
	err = make_data(b, s);
	if (err)
		return err;
	err = file_place_find(&s->place, s->data.fd);
	if (err)
		return bench_fail(b, -err, "where %s lies", s->data.path);
	s->direct = file_direct_open(s->data.path, O_RDONLY, &s->why_direct);
	if (s->direct < 0 && !s->why_direct)
		return bench_fail(b, -s->direct, "open %s with O_DIRECT",
				  s->data.path);
	err = file_ring_open(&s->ring, FILE_POINTS_MOST_DEPTH, &s->why_ring);
	if (err && !s->why_ring)
		return bench_fail(b, -err, "io_uring");
	return probe_counters(b, s);
}

/*
 * A visit.
 */

/* Whether this case can be measured here. */
static int check_possible(struct bench *b, struct read_state *s,
			  const struct file_point *t)
{
	if (t->cache == FILE_WARM && s->warm.fd < 0)
		return bench_skip(b, "%s", s->warm.why);
	if (t->cache != FILE_WARM && t->size > s->data.bytes)
		return bench_skip(b, "%s", s->too_large);
	if (t->cache == FILE_DIRECT && s->direct < 0)
		return bench_skip(b, "%s", s->why_direct);
	if (t->cache == FILE_COLD && s->place.kind == FILE_PLACE_MEMORY)
		return bench_skip(b,
				  "%s: nothing can be dropped from the cache",
				  s->place.where);
	if (t->cache != FILE_WARM && !s->process_counts)
		return bench_skip(
			b,
			"nothing tells whether reads from %s "
			"reach a device: /proc/self/io counts no byte",
			s->place.where);
	if (t->via == FILE_URING && !s->ring)
		return bench_skip(b, "%s", s->why_ring);
	return 0;
}

static int drop(struct bench *b, struct read_state *s)
{
	const int64_t left = file_cache_drop(s->data.fd, s->base, s->size);

	if (left < 0)
		return bench_fail(b, (int)-left, "drop %s from the cache",
				  s->data.path);
	if (left)
		return bench_skip(b,
				  "%lld bytes of %s stay in the cache: "
				  "somebody else uses the file",
				  (long long)left, s->data.path);
	return 0;
}

/* Once more by each case, so that all begin with the same in the CPU's caches:
 * what was read last. */
static int fill(struct bench *b, struct read_state *s)
{
	int64_t cached = file_cache_bytes(s->warm.fd, 0, 0);

	if (cached >= 0)
		cached = file_cache_fill(s->warm.fd, 0, 0,
					 (uint64_t)cached < s->warm.bytes
						 ? FILE_DATA_BLOCK
						 : FILE_POINTS_MOST_BLOCK);
	if (cached >= 0)
		cached = file_cache_bytes(s->warm.fd, s->base, s->size);
	if (cached < 0)
		return bench_fail(b, (int)-cached, "cache %s", s->warm.path);
	if ((uint64_t)cached < s->size)
		return bench_skip(b,
				  "only %lld of %llu bytes stay in the "
				  "cache",
				  (long long)cached,
				  (unsigned long long)s->size);
	return 0;
}

static int map(struct bench *b, struct read_state *s)
{
	const int there = s->reader.via == FILE_MAPPED ? MAP_POPULATE : 0;

	s->map = mmap(NULL, s->size, PROT_READ, MAP_SHARED | there,
		      s->reader.fd, (off_t)s->base);
	if (s->map == MAP_FAILED) {
		s->map = NULL;
		return bench_fail(b, errno, "map %llu bytes",
				  (unsigned long long)s->size);
	}
	s->reader.map = s->map;
	return 0;
}

/* A sequence begins in the first part, so that it need not break off. */
static void start_walk(struct bench *b, struct read_state *s,
		       const struct file_point *t)
{
	const uint64_t blocks = s->size / t->block;
	uint64_t seed = bench_random(b);

	if (!t->random)
		seed = t->fresh ? 0 : seed % (blocks / 4);
	file_walk_start(&s->walk, blocks, t->random, seed);
}

static void count_from_here(struct read_state *s)
{
	s->uncounted = s->blocks;
	file_counts_read(&s->place, &s->before);
}

static int enter(struct bench *b, void *state, const struct bench_case *c)
{
	struct read_state *s = state;
	const struct file_point *t = c->data;
	const struct file_data *f = t->cache == FILE_WARM ? &s->warm : &s->data;
	int err = check_possible(b, s, t);
	uint64_t bytes;

	s->blocks = s->right = 0;
	s->rate = bench_beside(b, c, "figure=rate");
	if (err)
		return err;
	/* Nothing can be fetched ahead beyond the end, as if the file were
	 * no larger; what was asked for is cached, and begins with the file. */
	bytes = t->cache == FILE_WARM && !t->asked ? FILE_POINTS_WARM_BYTES
						   : f->bytes;
	s->size = t->size ? t->size : bytes;
	s->base = t->asked ? 0 : bytes - s->size;
	s->reader = (struct file_reader) {
		.via = t->via,
		.fd = t->cache == FILE_DIRECT ? s->direct : f->fd,
		.path = f->path,
		.block = t->block,
		.buffer = s->buffers,
		.base = s->base,
		.ring = s->ring,
		.place = UINT64_MAX,
		.n = t->n,
	};
	if (t->cache != FILE_DIRECT)
		err = t->cache == FILE_WARM ? fill(b, s) : drop(b, s);
	if (!err && (t->via == FILE_MMAP || t->via == FILE_MAPPED))
		err = map(b, s);
	start_walk(b, s, t);
	count_from_here(s);
	return err;
}

static void next_offset(struct read_state *s, unsigned int i, size_t block)
{
	s->reader.offset[i] = s->base + file_walk_next(&s->walk) * block;
}

/* What lies around an earlier block may have been fetched with it. */
static int make_cold(struct bench *b, struct read_state *s,
		     const struct bench_case *c, size_t block)
{
	const uint64_t at = s->reader.offset[0];
	int64_t cached = file_cache_bytes(s->data.fd, at, block);
	int err = 0;

	if (cached > 0) {
		err = drop(b, s);
		cached = err ? 0 : file_cache_bytes(s->data.fd, at, block);
	}
	if (cached < 0)
		return bench_fail(b, (int)-cached, "look into the page cache");
	bench_purity(b, c, "uncached_before", BENCH_MOSTLY, (double)block,
		     (double)block - (double)cached);
	return err;
}

static int prepare(struct bench *b, void *state, const struct bench_case *c)
{
	struct read_state *s = state;
	const struct file_point *t = c->data;

	if (t->via == FILE_MMAP && madvise(s->map, s->size, MADV_DONTNEED))
		return bench_fail(b, errno, "madvise");
	/* All was read, so all is cached; or another place each time. */
	if (t->fresh ||
	    (t->cache == FILE_COLD && s->walk.at + t->n > s->walk.blocks)) {
		const int err = drop(b, s);

		if (err)
			return err;
		start_walk(b, s, t);
	}
	if (file_reader_whole(t->via))
		return 0;
	for (unsigned int i = 0; i < t->n; i++)
		next_offset(s, i, t->block);
	return t->cache == FILE_COLD && t->random ? make_cold(b, s, c, t->block)
						  : 0;
}

/* One event is some reads of the whole load. */
static int sample_load(struct bench *b, struct read_state *s,
		       const struct bench_case *c, const struct file_point *t)
{
	struct file_ring_load l = {
		.fd = s->direct,
		.buffers = s->buffers,
		.block = t->block,
		.depth = t->depth,
		.method = bench_timer(b)->method,
		.walk = &s->walk,
		.base = s->base,
		.wanted = LOADED + 2 * t->depth,
		.ticks = s->ticks,
	};
	const int err = file_ring_load(s->ring, &l);

	if (err)
		return bench_fail(b, -err, "io_uring");
	s->blocks += l.done + l.wrong;
	s->right += l.done;
	for (unsigned int i = 0; i < l.counted; i++)
		bench_record(b, c, l.ticks[i]);
	bench_record_value(b, s->rate,
			   l.counted * 1e9 / bench_ns(b, (double)l.all_ticks));
	return 0;
}

static int sample(struct bench *b, void *state, const struct bench_case *c)
{
	struct read_state *s = state;
	const struct file_point *t = c->data;
	uint64_t ticks;
	int err;

	if (t->depth)
		return sample_load(b, s, c, t);
	TIMER_INTERVAL(bench_timer(b)->method, ticks,
		       err = file_reader_run(&s->reader));
	if (err)
		return bench_fail(b, -err, "read by %s",
				  file_reader_name(t->via));
	bench_record(b, c, ticks);
	s->blocks += t->n;
	s->right += file_reader_good(&s->reader);
	/* The first event of a visit, no sample, is where our own code is
	 * fetched, and more of it ahead, which no count tells apart. */
	if (t->cache == FILE_WARM && s->blocks == t->n && !bench_is_sample(b))
		count_from_here(s);
	return 0;
}

/* What the kernel counted while so many bytes were claimed to be read. */
static void show_counts(struct bench *b, struct read_state *s,
			const struct bench_case *c, const struct file_point *t,
			double claimed)
{
	struct file_counts seen;

	file_counts_read(&s->place, &seen);
	file_counts_since(&seen, &s->before);
	if (t->cache != FILE_WARM) {
		bench_least(b, c, "bytes_read_by_process", claimed,
			    (double)seen.process_read);
		if (s->device_counts)
			bench_least(b, c, "bytes_read_from_device", claimed,
				    (double)seen.device_read);
		if (t->cache == FILE_COLD)
			bench_fact(b, c, "bytes_fetched_for_each",
				   (double)seen.process_read / claimed);
		return;
	}
	/* A kernel may take back pages that nobody has read for a while. */
	bench_purity(b, c, "bytes_cached", BENCH_MOSTLY, (double)s->size,
		     (double)file_cache_bytes(s->warm.fd, s->base, s->size));
	if (seen.process_read >= 0)
		bench_purity(b, c, "bytes_without_device", BENCH_MOSTLY,
			     claimed, claimed - (double)seen.process_read);
}

static int leave(struct bench *b, void *state, const struct bench_case *c)
{
	struct read_state *s = state;
	const struct file_point *t = c->data;

	if (s->map)
		munmap(s->map, s->size);
	s->map = NULL;
	if (!s->blocks)
		return 0;
	bench_fact_text(b, c, "place", s->place.where);
	bench_fact(b, c, "file_bytes", (double)s->size);
	if (t->cache == FILE_COLD && s->place.read_ahead >= 0)
		bench_fact(b, c, "read_ahead_bytes",
			   (double)s->place.read_ahead);
	bench_proof(b, c, "blocks_as_written", (double)s->blocks,
		    (double)s->right);
	show_counts(b, s, c, t,
		    (double)(s->blocks - s->uncounted) * (double)t->block);
	/* The next case shall not wait for what is still fetched ahead. */
	if (t->cache == FILE_COLD)
		file_cache_drop(s->data.fd, s->base, s->size);
	return 0;
}

static int derive(struct bench *b, void *state)
{
	struct read_state *s = state;
	const struct bench_case *ratio =
		bench_find(b, "cache=direct,figure=random_over_sequential");
	double sequential = NAN, random = NAN;
	char text[512];

	/* Of the largest that has both. */
	BENCH_EACH (b, c, "cache=direct order=sequential size") {
		const double in_turn = bench_value(b, c);
		const double at_random =
			bench_value(b, bench_beside(b, c, "order=random"));

		if (isfinite(in_turn) && isfinite(at_random)) {
			sequential = in_turn;
			random = at_random;
		}
	}
	file_place_judge(&s->place, sequential, random, text, sizeof(text));
	bench_fact_text(b, ratio, "device", text);
	if (isfinite(sequential) && isfinite(random))
		bench_derive(b, ratio, random / sequential);
	else
		bench_derive_skip(b, ratio,
				  "needs the rows cache=direct of one size");
	return 0;
}

static void teardown(struct bench *b, void *state)
{
	struct read_state *s = state;

	file_ring_close(s->ring);
	if (s->direct >= 0)
		close(s->direct);
	file_data_close(&s->data);
	file_data_close(&s->warm);
	free(s->buffers);
}

static const struct opt opts[] = {
	OPT_SIZE(0, "bytes", read_state, bytes, "1g", FILE_POINTS_LEAST_BYTES,
		 FILE_DATA_BYTES,
		 "largest file that is read, rounded down to a power of two, "
		 "bytes"),
	OPT_END,
};

const struct bench_desc bench_desc = {
	.name = "file_read",
	.case_state_size = sizeof(struct file_point),
	.points = file_points,
	.point = file_point_fill,
	.opts = opts,
	.state_size = sizeof(struct read_state),
	.cases = cases,
	.setup = setup,
	.enter = enter,
	.prepare = prepare,
	.sample = sample,
	.leave = leave,
	.derive = derive,
	.teardown = teardown,
};
