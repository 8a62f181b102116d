/* SPDX-License-Identifier: MIT */
#include "cache_reader.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

static int read_once(struct cache_reader *v, size_t len, uint64_t at,
		     struct file_report *r)
{
	const ssize_t n = pread(v->file.fd, v->block, len, (off_t)at);

	r->bytes += n > 0 ? (uint64_t)n : 0;
	r->blocks++;
	return n == (ssize_t)len ? 0 : n < 0 ? -errno : -EIO;
}

static int read_blocks(struct cache_reader *v, const struct file_order *o,
		       size_t len, struct file_report *r)
{
	int err = 0;

	for (uint64_t at = o->offset; !err && at < o->offset + o->bytes;
	     at += len)
		err = read_once(v, len, at, r);
	return err;
}

static void read_timed(struct cache_reader *v, const struct file_order *o,
		       struct file_report *r)
{
	TIMER_INTERVAL(v->method, r->ticks,
		       r->err = read_blocks(v, o, CACHE_READER_BLOCK, r));
	if (!r->err &&
	    !file_data_sample(v->block, CACHE_READER_BLOCK,
			      o->offset + o->bytes - CACHE_READER_BLOCK))
		r->wrong = CACHE_READER_BLOCK;
}

/* In the process that reads. */
static void work(void *arg, unsigned int member, const struct file_order *o,
		 struct file_report *r)
{
	struct cache_reader *v = arg;
	struct file_counts before, after;

	(void)member;
	if (o->what == CACHE_READER_JOIN) {
		r->err = mem_group_join(&v->group);
		return;
	}
	file_counts_read(&v->place, &before);
	if (o->what == CACHE_READER_FILL)
		r->err = read_blocks(v, o, CACHE_READER_PIECE, r);
	else
		read_timed(v, o, r);
	file_counts_read(&v->place, &after);
	file_counts_since(&after, &before);
	r->stored = after.process_read;
}

static int open_file(struct bench *b, struct cache_reader *v, uint64_t bytes)
{
	char name[32];
	int err;

	snprintf(name, sizeof(name), FILE_CREW_NAME, 0);
	if (bytes <= FILE_CREW_BYTES)
		bytes = FILE_CREW_BYTES; /* file_contention reads it as well */
	else
		snprintf(name, sizeof(name), "cache");
	err = file_data_get(b, &v->file, name, bytes);
	if (err)
		return err;
	err = file_place_find(&v->place, v->file.fd);
	if (err)
		return bench_fail(b, -err, "find out where %s lies",
				  v->file.path);
	file_place_say(&v->place, v->where, sizeof(v->where));
	if (v->place.kind == FILE_PLACE_MEMORY)
		return bench_skip(b,
				  "%s: nothing else holds the file (try "
				  "--dir)",
				  v->where);
	return 0;
}

int cache_reader_open(struct bench *b, struct cache_reader *v, uint64_t bytes)
{
	int err = open_file(b, v, bytes);

	if (err)
		return err;
	v->method = bench_timer(b)->method;
	err = file_crew_begin(b, &v->crew, 1, work, v);
	return err ? bench_fail(b, -err, "start a process") : 0;
}

void cache_reader_end(struct cache_reader *v)
{
	file_crew_end(&v->crew);
	mem_group_close(&v->group);
	if (v->file.fd >= 0)
		file_cache_drop(v->file.fd, 0, 0);
	file_data_close(&v->file);
}

uint64_t cache_reader_start(const struct cache_reader *v, uint64_t size)
{
	return v->file.bytes - size;
}

int cache_reader_tell(struct bench *b, struct cache_reader *v,
		      enum cache_reader_what what, uint64_t offset,
		      uint64_t bytes, struct file_report *report)
{
	const struct file_order o = { .what = (int)what,
				      .offset = offset,
				      .bytes = bytes };
	int err = file_crew_order(&v->crew, 0, &o);

	return err ? err : file_crew_report(b, &v->crew, 0, report);
}
