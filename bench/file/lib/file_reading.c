/* SPDX-License-Identifier: MIT */
#include "file_reading.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "copies.h"

#define HOT_BYTES   ((uint64_t)256 << 10) /* of what is cached */
#define CROWD_BYTES ((uint64_t)1 << 20)	  /* by several, who also look */

/* Blocks that may be fetched ahead are timed in stretches; a file of at most
 * this size as a whole, from the first read on. */
#define WHOLE_BYTES ((uint64_t)16 << 20)

/*
 * The reads of a case.
 */

/* A small file that is not cached is read as a whole, as is one that is opened.
 * In steady state another event fetches as much ahead as it reads: use steps of
 * the kernel's size, or of many times that. */
static unsigned int stretch_of(const struct file_point *t)
{
	const uint64_t bytes = t->cache == FILE_WARM
				       ? t->crowd ? CROWD_BYTES : HOT_BYTES
			       : t->far ? READING_AHEAD
					: 2 * READING_AHEAD;

	if (t->fresh || t->way->opens)
		return (unsigned int)(t->size / t->block);
	if ((t->cache == FILE_WARM ? t->size && !t->asked
				   : t->cache != FILE_COLD || t->random) ||
	    t->block >= bytes)
		return 1;
	return (unsigned int)(bytes / t->block);
}

static ssize_t by_pread(struct file_reading *s, uint64_t offset)
{
	return pread(s->fd, s->buffers, s->point->block, (off_t)offset);
}

static const struct file_way by_call = { .name = "pread", .read = by_pread };

static uint64_t number(const struct bench_case *c, const char *axis,
		       uint64_t otherwise)
{
	return case_has(c, axis) ? (uint64_t)case_int(c, axis) : otherwise;
}

bool file_reading_point(struct bench *b, void *state, struct bench_case *c)
{
	static const char *const caches[] = { "direct", "cold", "warm",
					      "unknown" };
	const char *cache = case_has(c, "mode") ? "mode" : "cache";
	const bool remote = case_has(c, "where");
	const struct file_reading *s = state;
	struct file_point *t = c->data;

	if (c->derived)
		return true;
	*t = (struct file_point) {
		.cache = CASE_NTH(c, cache, caches),
		.way = &by_call,
		.random = case_is(c, "order", "random"),
		.size = number(c, "size", number(c, "file", 0)),
		.asked = case_has(c, "file") && !remote,
		.far = remote && !case_is(c, "where", "local"),
		.block = number(c, "block", FILE_DATA_BLOCK),
		.depth = (unsigned int)number(c, "depth", 0),
		.crowd = case_has(c, "files"),
	};
	t->of = t->crowd ? -case_is(c, "files", "own")
			 : t->cache == FILE_WARM && !remote;
	t->piece = remote && t->cache == FILE_WARM;
	for (const struct file_way *w = s->ways; w && w->name; w++)
		if (case_is(c, "by", w->name))
			t->way = w;
	t->fresh = t->cache == FILE_COLD && !t->random && t->size &&
		   t->size <= WHOLE_BYTES;
	t->n = stretch_of(t);
	c->ops = t->depth ? 1 : t->n;
	/* A random walk is through a power of two. */
	return !t->random || !(t->size & (t->size - 1));
}

int file_reading_open(struct bench *b, struct file_reading *s)
{
	const size_t bytes = READING_MOST_DEPTH * READING_LOAD_BLOCK;

	s->buffers = aligned_alloc(FILE_DATA_ALIGN, bytes);
	if (!s->buffers)
		return bench_fail(b, ENOMEM, "buffers");
	memset(s->buffers, 1, bytes);
	if (!s->file[0].fd)
		return 0; /* it lies elsewhere */
	if (file_data_probe(b, &s->file[0]))
		return -EIO;
	for (size_t i = 1; i < READING_FILES; i++)
		s->file[i].place = s->file[0].place;
	return 0;
}

/*
 * A visit.
 */

static int uncache(struct bench *b, const struct file_reading *s)
{
	return file_data_uncache(b, s->now, s->base, s->size);
}

/* Which part of the file.  Nothing can be fetched ahead beyond its end, as if
 * the file were no larger; where a size was asked for it begins with it. */
static void choose_part(struct bench *b, struct file_reading *s,
			const struct file_point *t)
{
	const uint64_t end =
		t->of <= 0 || t->asked ? s->now->bytes : FILE_OWN_BYTES;

	s->size = t->size ? t->size : end;
	s->base = t->asked ? 0 : end - s->size;
	if (t->piece && s->size > FILE_OWN_BYTES) {
		s->base += bench_random(b) %
			   ((s->size - FILE_OWN_BYTES) / t->block + 1) *
			   t->block;
		s->size = FILE_OWN_BYTES;
	}
}

/* Open it, if this case can be measured here. */
static int open_file(struct bench *b, struct file_reading *s,
		     const struct file_point *t)
{
	const struct file_place *place = &s->now->place;
	const bool direct = t->cache == FILE_DIRECT || t->cache == FILE_UNKNOWN;

	if (t->cache == FILE_COLD && place->kind == FILE_PLACE_MEMORY)
		return bench_skip(b,
				  "%s: nothing can be dropped from the cache",
				  place->where);
	if (s->now->fd && !t->way->opens)
		s->fd = file_data_reopen(b, s->now,
					 O_RDONLY | (direct ? O_DIRECT : 0));
	if (s->fd < 0)
		return s->fd;
	if (t->cache != FILE_WARM && !t->far &&
	    file_counts(place).process_read < 0)
		return bench_skip(
			b,
			"nothing tells whether reads from %s "
			"reach a device: /proc/self/io counts no byte",
			place->where);
	return 0;
}

/* Once more by each case, so that all begin with the same in the CPU's caches:
 * what was read last, or of several readers, and of a piece, next to nothing:
 * that one finds more of its file there than ten do is not what is asked. */
static int fill(struct bench *b, struct file_reading *s,
		const struct file_point *t)
{
	const uint64_t from = t->piece ? s->base : 0,
		       bytes = t->piece ? s->size : s->now->bytes;
	int64_t cached = file_cache_bytes(s->now->fd, from, bytes);

	if (cached >= 0)
		cached = file_cache_fill(s->now->fd, from, bytes,
					 t->crowd || t->piece ? 1
					 : (uint64_t)cached < bytes
						 ? FILE_DATA_BLOCK
						 : READING_MOST_BLOCK);
	if (cached >= 0)
		cached = file_cache_bytes(s->now->fd, s->base, s->size);
	if (cached < 0)
		return bench_fail(b, (int)-cached, "cache %s", s->now->path);
	if ((uint64_t)cached < s->size)
		return bench_skip(b,
				  "only %lld of %llu bytes stay in the "
				  "cache",
				  (long long)cached,
				  (unsigned long long)s->size);
	return 0;
}

/* Map what is read of the file, if the way needs that.  Return: 0 or -errno. */
static int map(struct file_reading *s)
{
	const int how = s->point->way->mapping;
	void *at;

	if (!how)
		return 0;
	at = mmap(NULL, s->size, PROT_READ, how, s->fd, (off_t)s->base);
	if (at == MAP_FAILED)
		return -errno;
	s->map = at;
	return 0;
}

/* Return: 0 or -errno. */
static int unmap_and_close(struct file_reading *s)
{
	int err = s->map && munmap((void *)s->map, s->size) ? -errno : 0;

	if (s->fd > 0 && close(s->fd))
		err = -errno;
	s->map = NULL;
	s->fd = 0;
	return err;
}

/* A sequence begins in the first part, so that it need not break off soon: so
 * many blocks lie ahead at least. */
static uint64_t blocks_ahead(const struct file_reading *s,
			     const struct file_point *t)
{
	return s->walk.blocks - (t->random ? 0 : s->walk.blocks / 4);
}

static void start_walk(struct bench *b, struct file_reading *s,
		       const struct file_point *t)
{
	const uint64_t blocks = s->size / t->block;
	uint64_t seed = bench_random(b);

	if (t->fresh || t->way->opens)
		seed = 0;
	else if (!t->random && !t->crowd)
		seed %= blocks / 4;
	file_walk_start(&s->walk, blocks, t->random, seed);
}

static void count_from_here(struct file_reading *s)
{
	s->uncounted = s->blocks;
	s->before = file_counts(&s->now->place);
}

int file_reading_enter(struct bench *b, void *state, const struct bench_case *c)
{
	struct file_reading *s = state;
	const struct file_point *t = c->data;
	const struct file_data *f =
		&s->file[t->of < 0 ? b->copy : (unsigned int)t->of];
	int err;

	s->blocks = s->right = 0;
	s->now = f;
	s->point = t;
	s->why = NULL;
	s->position = UINT64_MAX;
	if ((!f->fd && !t->far) || t->size > f->bytes)
		return bench_skip(b, "%s", f->why);
	choose_part(b, s, t);
	err = open_file(b, s, t);
	if (!err)
		err = t->cache == FILE_COLD   ? uncache(b, s)
		      : t->cache == FILE_WARM ? fill(b, s, t)
					      : 0;
	if (!err && !t->way->opens && map(s))
		err = bench_fail(b, errno, "map %llu bytes",
				 (unsigned long long)s->size);
	start_walk(b, s, t);
	count_from_here(s);
	return err;
}

/*
 * Blocks.
 */

static int read_all(struct file_reading *s)
{
	const struct file_way *w = s->point->way;

	s->sum = 0;
	for (unsigned int i = 0; i < s->point->n; i++) {
		uint64_t word;
		const ssize_t n = w->read(s, s->offset[i]);

		if (n != (ssize_t)s->point->block)
			return n < 0 ? -errno : -ENODATA;
		/* A single block is looked at later. */
		if (s->point->n == 1 || w->sums)
			continue;
		memcpy(&word, s->buffers + file_data_sampled(s->offset[i]),
		       sizeof(word));
		s->sum ^= word;
	}
	return 0;
}

/* Read the stretch of blocks at @s->offset.  Return: 0 or -errno (-ENODATA: a
 * read was short). */
static int read_stretch(struct file_reading *s)
{
	const struct file_way *w = s->point->way;
	int err, closed;

	if (!w->opens)
		return read_all(s);
	s->fd = open(s->now->path, O_RDONLY | O_CLOEXEC);
	if (s->fd < 0)
		return -errno;
	s->position = 0;
	err = map(s);
	if (!err)
		err = read_all(s);
	closed = unmap_and_close(s);
	return err ? err : closed;
}

/* How many of them held what they should, as far as the words that were looked
 * at tell: all or none. */
static unsigned int count_good(const struct file_reading *s)
{
	const struct file_point *t = s->point;
	uint64_t sum = s->sum;

	if (!t->way->sums &&
	    !file_data_sample(s->buffers, t->block, s->offset[t->n - 1]))
		return 0;
	for (unsigned int i = 0; i < t->n; i++)
		if (t->way->sums)
			for (size_t at = 0; at < t->block; at += 8)
				sum -= file_data_word(s->offset[i] + at);
		else if (t->n > 1)
			sum ^= file_data_word(s->offset[i] +
					      file_data_sampled(s->offset[i]));
	return sum ? 0 : t->n;
}

/* Blocks near an earlier one may have been fetched with it. */
static int make_cold(struct bench *b, struct file_reading *s,
		     const struct bench_case *c, size_t block)
{
	const uint64_t at = s->offset[0];
	int64_t cached = file_cache_bytes(s->now->fd, at, block);
	int err = 0;

	if (cached > 0) {
		err = uncache(b, s);
		cached = err ? 0 : file_cache_bytes(s->now->fd, at, block);
	}
	if (cached < 0)
		return bench_fail(b, (int)-cached, "look into the page cache");
	bench_purity(b, c, "uncached_before", BENCH_MOSTLY, (double)block,
		     (double)block - (double)cached);
	return err;
}

static void next_stretch(struct file_reading *s, const struct file_point *t)
{
	for (unsigned int i = 0; i < t->n; i++)
		s->offset[i] = s->base + file_walk_next(&s->walk) * t->block;
}

int file_reading_time(struct bench *b, struct file_reading *s, uint64_t *ticks)
{
	const struct file_point *t = s->point;
	int err;

	TIMER_INTERVAL(bench_timer(b)->method, *ticks, err = read_stretch(s));
	if (err == -ENODATA && t->far)
		return bench_skip(b, "one read gave fewer than %zu bytes",
				  t->block);
	if (err)
		return s->why ? bench_fail(b, 0, "%s", s->why)
			      : bench_fail(b, -err, "read by %s", t->way->name);
	s->blocks += t->n;
	s->right += count_good(s);
	/* The first event of a visit, no sample, is where our own code is
	 * fetched, and more of it ahead, which no count separates. */
	if (t->cache == FILE_WARM && s->blocks == t->n)
		count_from_here(s);
	return 0;
}

int file_reading_prepare(struct bench *b, void *state,
			 const struct bench_case *c)
{
	struct file_reading *s = state;
	const struct file_point *t = c->data;
	uint64_t ticks;
	int err;

	if (s->map && t->way->mapping == MAP_SHARED &&
	    madvise((void *)s->map, s->size, MADV_DONTNEED))
		return bench_fail(b, errno, "madvise");
	/* All was read, so all is cached; or another place each time. */
	if (t->fresh ||
	    (t->cache == FILE_COLD && s->walk.at + t->n > blocks_ahead(s, t))) {
		err = uncache(b, s);
		if (err)
			return err;
		start_walk(b, s, t);
		/* Reading ahead is under way again when it is timed. */
		if (!t->fresh && !t->random) {
			next_stretch(s, t);
			err = file_reading_time(b, s, &ticks);
			if (err)
				return err;
		}
	}
	next_stretch(s, t);
	return t->cache == FILE_COLD && t->random ? make_cold(b, s, c, t->block)
						  : 0;
}

int file_reading_sample(struct bench *b, void *state,
			const struct bench_case *c)
{
	uint64_t ticks;
	const int err = file_reading_time(b, state, &ticks);

	if (!err)
		bench_record(b, c, ticks);
	return err;
}

/*
 * Evidence.
 */

/* Report the kernel's counts for the time in which @claimed bytes were read. */
static void show_counts(struct bench *b, struct file_reading *s,
			const struct bench_case *c, const struct file_point *t,
			double claimed)
{
	struct file_counts seen = file_counts_since(&s->now->place, &s->before);
	int64_t fetched = seen.process_read;

	if (t->cache == FILE_WARM) {
		/* A kernel may take back pages that no process read for a
		 * while. */
		bench_purity(b, c, "bytes_cached", BENCH_MOSTLY,
			     (double)s->size,
			     (double)file_cache_bytes(s->now->fd, s->base,
						      s->size));
		if (fetched >= 0 && !t->far)
			bench_purity(b, c, "bytes_without_device", BENCH_MOSTLY,
				     claimed, claimed - (double)fetched);
		return;
	}
	/* For reads over the network its server asked the device, not we. */
	if (t->far)
		fetched = seen.device_read -= fetched > 0 ? fetched : 0;
	else
		bench_least(b, c, "bytes_read_by_process", claimed,
			    (double)fetched);
	if (seen.device_read >= 0 && !t->crowd)
		bench_least(b, c, "bytes_read_from_device", claimed,
			    (double)seen.device_read);
	if (t->cache == FILE_COLD && fetched >= 0)
		bench_fact(b, c, "bytes_fetched_for_each",
			   (double)fetched / claimed);
}

void file_reading_leave(struct bench *b, void *state,
			const struct bench_case *c)
{
	struct file_reading *s = state;
	const struct file_point *t = c->data;

	unmap_and_close(s);
	if (!s->blocks)
		return;
	if (s->now->fd)
		bench_fact_text(b, c, "place", s->now->place.where);
	bench_fact(b, c, "file_bytes", (double)s->size);
	/* Check all words of the last one. */
	if (!t->way->sums && !t->depth &&
	    !file_data_matches(s->buffers, t->block, s->offset[t->n - 1]))
		s->right = 0;
	if (s->unchecked)
		bench_fact_text(b, c, "contents", "not checked");
	else
		bench_proof(b, c, "blocks_as_written", (double)s->blocks,
			    (double)s->right);
	if (t->cache != FILE_UNKNOWN)
		show_counts(b, s, c, t,
			    (double)(s->blocks - s->uncounted) *
				    (double)t->block);
	/* The next case shall not wait for what is still fetched ahead. */
	if (t->cache == FILE_COLD)
		file_cache_drop(s->now->fd, s->base, s->size);
}
