/* SPDX-License-Identifier: MIT */
#include "cache_reader.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

static int read_once(struct cache_reader *v, size_t len, uint64_t at,
		     struct cache_report *r)
{
	const ssize_t n = pread(v->file.fd, v->block, len, (off_t)at);

	r->bytes += n > 0 ? (uint64_t)n : 0;
	r->blocks++;
	return n == (ssize_t)len ? 0 : n < 0 ? -errno : -EIO;
}

static int read_blocks(struct cache_reader *v, const struct cache_order *o,
		       size_t len, struct cache_report *r)
{
	int err = 0;

	for (uint64_t at = o->offset; !err && at < o->offset + o->bytes;
	     at += len)
		err = read_once(v, len, at, r);
	return err;
}

static void read_timed(struct cache_reader *v, const struct cache_order *o,
		       struct cache_report *r)
{
	TIMER_INTERVAL(v->method, r->ticks,
		       r->err = read_blocks(v, o, CACHE_READER_BLOCK, r));
	if (!r->err &&
	    !file_data_sample(v->block, CACHE_READER_BLOCK,
			      o->offset + o->bytes - CACHE_READER_BLOCK))
		r->wrong = CACHE_READER_BLOCK;
}

/* In the process that reads. */
static void work(struct cache_reader *v)
{
	const struct cache_order *o = v->order;
	struct cache_report *r = &v->order->report;
	struct file_counts before, after;

	*r = (struct cache_report) { 0 };
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

static int serve(struct partner *p, void *arg)
{
	int err;

	while (!(err = partner_meet(p))) {
		work(arg);
		err = partner_meet(p);
		if (err)
			break;
	}
	return err;
}

static int open_file(struct bench *b, struct cache_reader *v, uint64_t bytes)
{
	char name[32];
	int err;

	snprintf(name, sizeof(name), FILE_OWN_NAME, 0);
	if (bytes <= FILE_OWN_BYTES)
		bytes = FILE_OWN_BYTES; /* file_contention reads it as well */
	else
		snprintf(name, sizeof(name), "cache");
	err = file_data_get(b, &v->file, name, bytes);
	if (err)
		return err;
	err = file_place_find(&v->place, v->file.fd);
	if (err)
		return bench_fail(b, -err, "find out where %s lies",
				  v->file.path);
	if (v->place.kind == FILE_PLACE_MEMORY)
		return bench_skip(b,
				  "%s: nothing else holds the file (try "
				  "--dir)",
				  v->place.where);
	return 0;
}

int cache_reader_open(struct bench *b, struct cache_reader *v, uint64_t bytes)
{
	int err = open_file(b, v, bytes);

	if (err)
		return err;
	v->method = bench_timer(b)->method;
	v->order = partner_share(sizeof(*v->order));
	if (!v->order)
		return bench_fail(b, ENOMEM, "share a page");
	return partner_start(b, &v->partner, PARTNER_PROCESS, bench_cpu(b),
			     serve, v);
}

void cache_reader_end(struct cache_reader *v)
{
	partner_stop(&v->partner);
	partner_unshare(v->order, sizeof(*v->order));
	v->order = NULL;
	mem_group_close(&v->group);
	if (v->file.fd >= 0)
		file_cache_drop(v->file.fd, 0, 0);
	file_data_close(&v->file);
}

uint64_t cache_reader_start(const struct cache_reader *v, uint64_t size)
{
	return v->file.bytes - size;
}

int cache_reader_tell(struct cache_reader *v, enum cache_reader_what what,
		      uint64_t offset, uint64_t bytes,
		      struct cache_report *report)
{
	int err;

	*v->order = (struct cache_order) { .what = what,
					   .offset = offset,
					   .bytes = bytes };
	err = partner_meet(&v->partner);
	if (!err)
		err = partner_meet(&v->partner);
	*report = v->order->report;
	return err ? err : report->err;
}
