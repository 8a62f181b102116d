/* SPDX-License-Identifier: MIT */
#include "cache_sweep.h"

#include <errno.h>

#define MIB	 ((uint64_t)1 << 20)
#define PART	 (64 * MIB) /* timed at once, or more */
#define HALVINGS 5	    /* of the steps between the first sizes */

/* In 1/16 of the memory. */
static const unsigned int first[] = { 4, 8, 12, 16, 18, 20 };

#define FIRST (sizeof(first) / sizeof(*first))

/* Everything is done at once, for where the next size lies depends on the
 * last one. */
struct machine {
	struct bench *b;
	struct cache_reader *r;
	const struct bench_case *knee;
};

static uint64_t part_of(uint64_t size)
{
	const uint64_t least = (size + FILE_PARTS - 1) / FILE_PARTS;

	return least <= PART ? PART : (least + MIB - 1) / MIB * MIB;
}

static int read_size(const struct machine *m, enum cache_reader_what what,
		     uint64_t size, struct file_parts *parts)
{
	const uint64_t part = part_of(size);
	uint64_t bytes = 0;

	*parts = (struct file_parts) { 0 };
	for (uint64_t at = 0; at < size; at += part) {
		const uint64_t len = size - at < part ? size - at : part;
		struct cache_report r = { 0 };
		int err;

		if (bench_stopping(m->b))
			return -EINTR;
		err = cache_reader_tell(m->r, what,
					cache_reader_start(m->r, size) + at,
					len, &r);
		if (err || r.wrong)
			return err ? err : -EBADMSG;
		bytes += r.bytes;
		file_parts_add(parts,
			       bench_ns(m->b, (double)r.ticks) /
				       (double)r.blocks,
			       (double)len, (double)r.stored);
	}
	if (what == CACHE_READER_READ)
		bench_proof(m->b, m->knee, "bytes_read", (double)size,
			    (double)bytes);
	return 0;
}

/* Drop it: what an earlier size has left would be kept for longer than what
 * is new.  Read all of it once, as fast as may be, and then as it is timed. */
static int measure_size(void *arg, uint64_t size, double *ns, double *stored)
{
	const struct machine *m = arg;
	struct file_parts filled, parts;
	int64_t left = file_cache_drop(m->r->file.fd, 0, 0);
	int err = left < 0 ? (int)left : left ? -EBUSY : 0;

	if (!err)
		err = read_size(m, CACHE_READER_FILL, size, &filled);
	if (!err)
		err = read_size(m, CACHE_READER_READ, size, &parts);
	if (err)
		return err;
	/* What was dropped came from storage, if that is counted. */
	*ns = file_parts_time(&parts, filled.stored_bytes > 0);
	*stored = file_parts_stored(&parts);
	bench_say(m->b, "%llu MiB: %.0f ns for 4 KiB, %.0f %% from the device",
		  (unsigned long long)(size / MIB), *ns, 100 * *stored);
	return 0;
}

/* Sizes to begin with, as far as there is room on the disk. */
static size_t first_sizes(uint64_t unit_bytes, int64_t room, uint64_t *size)
{
	size_t n = 0;

	for (size_t i = 0; i < FIRST; i++)
		if ((int64_t)(first[i] * unit_bytes) <= room)
			size[n++] = first[i] * unit_bytes;
	return n;
}

int cache_sweep_machine(struct bench *b, struct cache_reader *r,
			struct file_sweep *w, uint64_t unit_bytes,
			const struct bench_case *knee)
{
	struct machine m = { b, r, knee };
	const char *dir = bench_scratch(b);
	uint64_t size[FIRST];
	size_t n;
	int err;

	if (!dir)
		return -EIO;
	n = first_sizes(unit_bytes, file_data_room(dir), size);
	if (n < 3)
		return bench_skip(b,
				  "half of the free space in %s is less "
				  "than three quarters of the memory",
				  dir);
	bench_say(b,
		  "writes %llu MiB to %s and reads some twenty times as much: "
		  "this takes minutes, on a slow disk an hour or more, and all "
		  "of the memory that is free",
		  (unsigned long long)(size[n - 1] / MIB), dir);
	err = cache_reader_open(b, r, size[n - 1]);
	if (err)
		return err;
	err = file_sweep(w, size, n, HALVINGS, MIB, measure_size, &m);
	partner_stop(&r->partner);
	file_data_remove(&r->file);
	return err && err != -ENOENT ? partner_failed(b, err) : 0;
}
