/* SPDX-License-Identifier: MIT */
#include "cache_reader.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* In the process that reads. */
static int read_blocks(struct cache_reader *v, const struct cache_order *o,
		       struct cache_report *r)
{
	while (r->bytes < o->bytes) {
		const ssize_t n = pread(v->file.fd, v->block, o->each,
					(off_t)(o->offset + r->bytes));

		if (n != (ssize_t)o->each)
			return n < 0 ? -errno : -EIO;
		r->bytes += o->each;
	}
	return 0;
}

static int serve(struct partner *p, void *arg)
{
	struct cache_reader *v = arg;
	const struct cache_order *o = v->order;
	struct cache_report *r = &v->order->report;
	struct file_counts before, after;
	int err;

	r->err = v->group.path[0] ? mem_group_join(&v->group) : 0;
	while (!(err = partner_meet(p)) && !(err = partner_meet(p))) {
		*r = (struct cache_report) { 0 };
		file_counts_read(&v->place, &before);
		TIMER_INTERVAL(v->method, r->ticks,
			       r->err = read_blocks(v, o, r));
		file_counts_seen(&v->place, &before, &after);
		r->stored = after.process_read;
		if (!r->err &&
		    !file_data_sample(v->block, o->each,
				      o->offset + o->bytes - o->each))
			r->wrong = o->each;
	}
	return err;
}

/* The measuring process again. */

static int open_file(struct bench *b, struct cache_reader *v, uint64_t bytes)
{
	char name[32] = "cache";
	int err;

	if (bytes <= FILE_OWN_BYTES) {
		bytes = FILE_OWN_BYTES; /* file_contention reads it as well */
		snprintf(name, sizeof(name), FILE_OWN_NAME, 0);
	}
	err = file_data_get(b, &v->file, name, bytes);
	if (err)
		return err;
	err = file_place_find(&v->place, v->file.fd);
	if (err)
		return bench_fail(b, -err, "find out where %s lies",
				  v->file.path);
	return v->place.kind == FILE_PLACE_MEMORY
		       ? bench_skip(b,
				    "%s: nothing else holds the file (try "
				    "--dir)",
				    v->place.where)
		       : 0;
}

int cache_reader_open(struct bench *b, struct cache_reader *v, uint64_t bytes,
		      uint64_t limit)
{
	int err;

	if (limit && mem_group_open(b, &v->group, limit))
		return bench_skip(b, "%s", v->group.why);
	err = open_file(b, v, bytes);
	if (err)
		return err;
	v->method = bench_timer(b)->method;
	v->order = partner_share(sizeof(*v->order));
	if (!v->order)
		return bench_fail(b, ENOMEM, "share a page");
	err = partner_start(b, &v->partner, PARTNER_PROCESS, bench_cpu(b),
			    serve, v);
	if (err)
		return err;
	err = partner_meet(&v->partner); /* it has joined */
	if (err)
		return partner_failed(b, err);
	err = v->order->report.err;
	if (err == -EACCES || err == -EPERM || err == -ENOTSUP)
		return bench_skip(b, "put a process into %s: %s", v->group.path,
				  strerror(-err));
	return err ? bench_fail(b, -err, "put a process into %s", v->group.path)
		   : 0;
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

int cache_reader_read(struct cache_reader *v, size_t each, uint64_t offset,
		      uint64_t bytes, struct cache_report *report)
{
	int err;

	v->order->each = each;
	v->order->offset = offset;
	v->order->bytes = bytes;
	err = partner_meet(&v->partner); /* begin */
	if (!err)
		err = partner_meet(&v->partner); /* end */
	*report = v->order->report;
	return err ? err : report->err;
}
