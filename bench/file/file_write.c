/* SPDX-License-Identifier: MIT */
/*
 * file_write - what does it cost to write to a file, and to be sure that it is
 * on the disk?
 *
 * Blocks are written over what a file of 4 MiB holds, so no row allocates
 * anything. durable=no: after the write a loss of power may lose it. by=cached
 * leaves it in the page cache, to be written at some later time; by=direct
 * (O_DIRECT) hands it to the device, whose own cache may hold it. durable=yes:
 * the device has confirmed that it keeps it: by=dsync (O_DSYNC), direct_dsync
 * (both), fdatasync (a write, then fdatasync(), timed together). A device that
 * confirms without writing, as some virtual ones do, cannot be detected:
 * flushes_for_each counts what the kernel asked of it for each write.
 *
 * Written blocks are read back from the device after each measurement. For
 * cached, dsync and fdatasync the file is in the cache before, as reading it in
 * sequence leaves it, and for cached dirty already; in the row filled=1M_writes
 * as writing it anew by 1 MiB does, which the kernel keeps in larger pieces.
 *
 * Measures: ns for one write of 4 KiB; with block= bytes in a second, all bytes
 *           by all time.
 * Includes: the system calls, and for durable=yes the wait for the device.
 * After:    lmbench lmdd; fio (sync=dsync, fdatasync=1, direct=1).
 * Needs:    4 MiB of disk, in --dir. In a directory in memory (tmpfs)
 *           only by=cached.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"
#include "file_data.h"
#include "lib/file_walk.h"

#define FILE_BYTES ((uint64_t)4 << 20)
#define MOST_BLOCK ((size_t)1 << 20)
#define KEPT	   32 /* of the last writes, to be read back */

static const struct how {
	const char *name;
	bool durable, then_syncs;
	int flags;
} hows[] = {
	{ "cached", false, false, 0 },
	{ "direct", false, false, O_DIRECT },
	{ "dsync", true, false, O_DSYNC },
	{ "direct_dsync", true, false, O_DIRECT | O_DSYNC },
	{ "fdatasync", true, true, 0 },
};

#define HOW(durable, how)                                           \
	"durable=" durable " by=" how " order={sequential,random};" \
	"durable=" durable " by=" how " order=sequential block=4K..1M*16;"

static const char points[] = HOW("no", "cached") HOW("no", "direct")
	HOW("yes", "dsync") HOW("yes", "direct_dsync") HOW("yes", "fdatasync")
	/* Over pages that the cache has in large pieces. */
	"durable=no by=cached order=random filled='1M_writes';"
	/* It sleeps until the device answers. */
	"is exclusive switches; is log if !block; is mean bytes=block if block";

struct write_state {
	struct file_data data;
	int cached; /* fd, through the page cache */
	char *buffer, *back;

	/* These are of the visit under way. */
	const struct how *how;
	bool by_writes; /* the cache is filled */
	size_t block;
	int fd;
	struct file_walk walk;
	uint64_t salt; /* other contents in each visit */
	struct file_counts before;
	uint64_t offset, writes;
	uint64_t kept[KEPT];
};

static int setup(struct bench *b, void *state)
{
	struct write_state *s = state;
	int err;

	s->buffer = aligned_alloc(FILE_DATA_ALIGN, 2 * MOST_BLOCK);
	if (!s->buffer)
		return bench_fail(b, ENOMEM, "buffers");
	s->back = s->buffer + MOST_BLOCK;
	err = file_data_open(b, &s->data, NULL, "written", FILE_BYTES);
	if (err)
		return bench_fail(b, -err, "%s", s->data.why);
	err = file_data_probe(b, &s->data);
	if (err)
		return err;
	s->cached = file_data_reopen(b, &s->data, O_RDWR);
	return s->cached < 0 ? s->cached : 0;
}

/* All of it anew, @len at once; it stays dirty. */
static int64_t write_all(const struct write_state *s, size_t len)
{
	for (uint64_t at = 0; at < FILE_BYTES; at += len) {
		file_data_fill(s->buffer, len, at);
		errno = EIO;
		if (pwrite(s->cached, s->buffer, len, (off_t)at) !=
		    (ssize_t)len)
			return -errno;
	}
	return 0;
}

/* The cache as the case wants it, whatever it was.  Pages of writes that need
 * not be durable are dirty already: else the more events, the fewer were the
 * first on a clean page, which costs more. */
static int64_t set_cache(const struct write_state *s)
{
	int64_t err = file_cache_drop(s->data.fd, 0, 0);

	if (err < 0 || s->how->flags & O_DIRECT)
		return err;
	if (s->by_writes)
		return write_all(s, MOST_BLOCK);
	err = file_cache_fill(s->data.fd, 0, 0, MOST_BLOCK);
	return err < 0 || s->how->durable ? err : write_all(s, FILE_DATA_BLOCK);
}

static int enter(struct bench *b, void *state, const struct bench_case *c)
{
	struct write_state *s = state;
	int64_t err;

	s->writes = 0;
	s->how = CASE_OF(c, "by", hows);
	s->by_writes = case_has(c, "filled");
	s->block = c->bytes ? c->bytes : FILE_DATA_BLOCK;
	s->fd = file_data_reopen(b, &s->data, O_RDWR | s->how->flags);
	if (s->fd < 0)
		return s->fd;
	if (s->how->durable && s->data.place.kind == FILE_PLACE_MEMORY)
		return bench_skip(b, "%s: nothing there is durable",
				  s->data.place.where);
	err = set_cache(s);
	if (err < 0)
		return bench_fail(b, (int)-err,
				  "put %s into the cache or "
				  "out of it",
				  s->data.path);
	s->salt = bench_random(b) << 32;
	file_walk_start(&s->walk, FILE_BYTES / s->block,
			case_is(c, "order", "random"), bench_random(b));
	s->before = file_counts(&s->data.place);
	return 0;
}

static int prepare(struct bench *b, void *state, const struct bench_case *c)
{
	struct write_state *s = state;

	s->offset = file_walk_next(&s->walk) * s->block;
	file_data_fill(s->buffer, s->block, s->offset + s->salt);
	return 0;
}

static ssize_t write_once(const struct write_state *s)
{
	const ssize_t n = pwrite(s->fd, s->buffer, s->block, (off_t)s->offset);

	return s->how->then_syncs && n > 0 && fdatasync(s->fd) ? -1 : n;
}

static int sample(struct bench *b, void *state, const struct bench_case *c)
{
	struct write_state *s = state;
	uint64_t ticks;
	ssize_t n;

	TIMER_INTERVAL(bench_timer(b)->method, ticks, n = write_once(s));
	/* It was allocated before, but some file systems write elsewhere. */
	if (n != (ssize_t)s->block)
		return bench_fail(b, n < 0 ? errno : EIO, "write to %s",
				  s->data.path);
	bench_record(b, c, ticks);
	s->kept[s->writes++ % KEPT] = s->offset;
	return 0;
}

/* The last blocks that were written, as the device has them. */
static void read_back(struct bench *b, struct write_state *s,
		      const struct bench_case *c)
{
	const size_t block = s->block;
	/* Large ones were written again and again: the same in each place. */
	const uint64_t most =
		FILE_BYTES / block < KEPT ? FILE_BYTES / block : KEPT;
	const uint64_t n = s->writes < most ? s->writes : most;
	uint64_t right = 0;

	for (uint64_t i = 0; i < n; i++)
		right +=
			pread(s->data.fd, s->back, block, (off_t)s->kept[i]) ==
				(ssize_t)block &&
			file_data_matches(s->back, block, s->kept[i] + s->salt);
	bench_proof(b, c, "blocks_read_back", (double)n, (double)right);
}

static void show_counts(struct bench *b, const struct write_state *s,
			const struct bench_case *c)
{
	const double claimed = (double)s->writes * (double)s->block;
	const struct file_counts seen =
		file_counts_since(&s->data.place, &s->before);

	if (!s->how->flags && !s->how->durable)
		return;
	if (seen.device_written >= 0)
		bench_least(b, c, "bytes_written_to_device", claimed,
			    (double)seen.device_written);
	if (s->how->flags & O_DIRECT && seen.process_written >= 0)
		bench_least(b, c, "bytes_written_by_process", claimed,
			    (double)seen.process_written);
	if (seen.device_flushes >= 0)
		bench_fact(b, c, "flushes_for_each",
			   (double)seen.device_flushes / (double)s->writes);
}

static void leave(struct bench *b, void *state, const struct bench_case *c)
{
	struct write_state *s = state;
	const struct file_place *place = &s->data.place;
	int64_t left;

	if (s->fd > 0)
		close(s->fd);
	if (!s->writes)
		return;
	show_counts(b, s, c);
	bench_fact_text(b, c, "place", place->where);
	/* The next case shall not wait for what this one has left. */
	left = file_cache_drop(s->data.fd, 0, 0);
	if (left < 0)
		bench_fail(b, (int)-left, "write back %s", s->data.path);
	if (left > 0 && place->kind != FILE_PLACE_MEMORY)
		bench_fact(b, c, "bytes_read_back_from_cache", (double)left);
	read_back(b, s, c);
}

static void teardown(struct bench *b, void *state)
{
	struct write_state *s = state;

	/* It does not hold any more what others would look for. */
	file_data_remove(&s->data);
	free(s->buffer);
}

const struct bench_desc bench_desc = {
	.state_size = sizeof(struct write_state),
	.points = points,
	.setup = setup,
	.enter = enter,
	.prepare = prepare,
	.sample = sample,
	.leave = leave,
	.teardown = teardown,
};
