/* SPDX-License-Identifier: MIT */
/*
 * file_cache - how much of a file does the kernel keep in memory?
 *
 * A file is read again and again from its beginning to its end, 4 KiB at a
 * time. While the cache can hold all of it a block costs a copy; when the
 * file is larger, the kernel has dropped what is read next, and the time of a
 * block jumps. The size at the jump is the size of the cache, as in the CSE 221
 * report's Figure 4.
 *
 * Usually the reader is a process in a memory control group that this program
 * makes, with a known small limit (--limit): it takes a second, disturbs
 * nobody, and the true answer is known. The file is dropped from the cache
 * before each size, so that its pages are charged to the group when they come
 * back. With --whole-machine there is no group: a file a little larger than
 * memory is written, and the size of the cache of the machine is found by few
 * large steps and then smaller ones around the jump.
 *
 * Measures: ns for 4 KiB by size of the file; figure=knee: the size in the
 *           middle between the largest file that fits and the smallest that
 *           does not; figure=cached, uncached: ns for 4 KiB on both sides.
 * Includes: pread, the copy, and beyond the knee making room, read-ahead and
 *           the disk, or what stands for it.
 * After:    CSE 221 report section 6.1 (11 readings of each size; hours for
 *           the whole memory); lmbench bw_file_rd (bandwidth, cached).
 * Needs:    permission to make a memory control group (v1 or v2), 64 MiB of
 *           disk; --whole-machine: twice the size of memory free on the disk,
 *           minutes, and no group.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"
#include "file_data.h"
#include "file_place.h"
#include "lib/file_knee.h"
#include "mem.h"
#include "partner.h"

#define MIB	 ((uint64_t)1 << 20)
#define PARTS	 8	      /* of a file, each timed by itself */
#define STEPS	 16	      /* sizes are so many parts of the limit */
#define CHARGED	 0.75	      /* of what the group can hold, at least */
#define PART	 (64 * MIB)   /* timed at once, or more: of the whole machine */
#define HALVINGS 5	      /* of the steps between its first sizes */
#define BLOCK	 4096u	      /* of what is timed */
#define PIECE	 (128u << 10) /* of what fills the cache */
#define NOT_NEAR "not read: the knee was found without this size"

/* Sizes in parts of the limit; of memory, for the whole machine, and those of
 * them that are read first. */
static const unsigned int group_sizes[] = { 8, 14, 15, 16, 18, 24 };
static const unsigned int machine_sizes[] = { 4,  6,  8,  9,  10, 11, 12,
					      13, 14, 15, 16, 17, 18, 20 };
static const unsigned int first[] = { 4, 8, 12, 16, 18, 20 };

#define LENGTH(a) (sizeof(a) / sizeof((a)[0]))

static const char points[] =
	"scope=$scope size=$sizes; is unit=ns mean exclusive switches;"
	"is derived if scope=machine;"
	"scope=$scope figure={knee,cached,uncached}; is derived;"
	"is unit=B higher if figure=knee; is unit=ns if figure!=knee";

/* An order to the process that reads, and its answer, in shared memory. */
struct order {
	size_t each; /* by so many bytes */
	uint64_t offset, bytes;
	int err; /* -errno */
	uint64_t ticks;
	uint64_t done, wrong; /* bytes, of which not what the file holds */
	int64_t stored;	      /* of them from storage; -1: not known */
};

/* A case that has a size has the parts that were read of it as its state. */
struct cache_state {
	bool whole_machine;   /* --whole-machine */
	uint64_t limit_bytes; /* --limit */
	uint64_t unit_bytes;  /* of STEPS to the limit or to memory */
	uint64_t most_bytes;  /* of all sizes */
	struct bench *b;
	struct file_sweep sweep;
	struct file_data file;
	struct file_place place;
	struct mem_group group;
	struct partner reader;
	struct order *order;
	unsigned int part; /* to read next */
	struct file_counts before;
};

static const struct opt opts[] = {
	OPT_SIZE(0, "limit", cache_state, limit_bytes, "32m", 16 * MIB,
		 1024 * MIB, "limit of the memory control group, bytes"),
	OPT_FLAG(0, "whole-machine", cache_state, whole_machine,
		 "measure the cache of the whole machine: needs much disk and "
		 "many minutes, try --invocations 1, flag"),
	OPT_END,
};

static uint64_t size_of(const struct bench_case *c)
{
	return (uint64_t)case_int(c, "size");
}

static uint64_t memory_bytes(void)
{
	const uint64_t bytes = (uint64_t)sysconf(_SC_PHYS_PAGES) *
			       (uint64_t)sysconf(_SC_PAGESIZE);
	const int64_t bound = mem_group_bound();

	return bound >= 0 && (uint64_t)bound < bytes ? (uint64_t)bound : bytes;
}

static int cases(struct bench *b, void *state)
{
	struct cache_state *s = state;
	const bool whole = s->whole_machine;
	const char *scope = whole ? "machine" : "group";
	const size_t n = whole ? LENGTH(machine_sizes) : LENGTH(group_sizes);
	int64_t sizes[LENGTH(machine_sizes)];

	s->b = b;
	file_data_init(&s->file);
	s->unit_bytes =
		(whole ? memory_bytes() : s->limit_bytes) / STEPS / MIB * MIB;
	if (!s->unit_bytes)
		s->unit_bytes = MIB;
	for (size_t i = 0; i < n; i++)
		sizes[i] = (int64_t)(s->unit_bytes * (whole ? machine_sizes[i]
							    : group_sizes[i]));
	s->most_bytes = (uint64_t)sizes[n - 1];
	bench_set_names(b, "scope", &scope, sizeof(scope), 1);
	bench_set_numbers(b, "sizes", BENCH_SIZE, sizes, n);
	return 0;
}

/* In the process that reads. */
static char block[PIECE];

static int read_blocks(const struct cache_state *s, struct order *o)
{
	for (; o->done < o->bytes; o->done += o->each) {
		const ssize_t n = pread(s->file.fd, block, o->each,
					(off_t)(o->offset + o->done));

		if (n != (ssize_t)o->each)
			return n < 0 ? -errno : -EIO;
	}
	return 0;
}

static int serve(struct partner *p, void *arg)
{
	const struct cache_state *s = arg;
	const enum timer_method method = bench_timer(s->b)->method;
	struct order *o = s->order;
	struct file_counts before;
	int err;

	o->err = s->group.path[0] ? mem_group_join(&s->group) : 0;
	err = partner_meet(p);
	while (!err && !(err = partner_meet(p))) { /* it is asked */
		before = file_counts(&s->place);
		TIMER_INTERVAL(method, o->ticks, o->err = read_blocks(s, o));
		o->stored = file_counts_since(&s->place, &before).process_read;
		if (!file_data_sample(block, o->each,
				      o->offset + o->bytes - o->each))
			o->wrong = o->each;
		err = partner_meet(p);
	}
	return err;
}

/* The measuring process again. */

/* Make the file, @bytes of it. */
static int open_file(struct bench *b, struct cache_state *s, uint64_t bytes)
{
	char name[32] = "cache";
	int err;

	if (bytes <= FILE_OWN_BYTES) {
		bytes = FILE_OWN_BYTES; /* file_contention reads it as well */
		snprintf(name, sizeof(name), FILE_OWN_NAME, 0);
	}
	err = file_data_get(b, &s->file, name, bytes);
	if (err)
		return err;
	err = file_place_find(&s->place, s->file.fd);
	if (err)
		return bench_fail(b, -err, "find out where %s lies",
				  s->file.path);
	return s->place.kind == FILE_PLACE_MEMORY
		       ? bench_skip(b,
				    "%s: nothing else holds the file (try "
				    "--dir)",
				    s->place.where)
		       : 0;
}

/* And a group of @limit bytes (0: none), and the process in it.  close_reader()
 * in any case. */
static int open_reader(struct bench *b, struct cache_state *s, uint64_t bytes,
		       uint64_t limit)
{
	int err;

	if (limit && mem_group_open(b, &s->group, limit))
		return bench_skip(b, "%s", s->group.why);
	err = open_file(b, s, bytes);
	if (err)
		return err;
	s->order = partner_share(sizeof(*s->order));
	if (!s->order)
		return bench_fail(b, ENOMEM, "share a page");
	err = partner_start(b, &s->reader, PARTNER_PROCESS, bench_cpu(b), serve,
			    s);
	if (err)
		return err;
	err = partner_meet(&s->reader); /* it has joined */
	if (err)
		return partner_failed(b, err);
	err = s->order->err;
	if (err == -EACCES || err == -EPERM || err == -ENOTSUP)
		return bench_skip(b, "put a process into %s: %s", s->group.path,
				  strerror(-err));
	return err ? bench_fail(b, -err, "put a process into %s", s->group.path)
		   : 0;
}

/* No process, no group, nothing cached. */
static void close_reader(struct cache_state *s)
{
	partner_stop(&s->reader);
	partner_unshare(s->order, sizeof(*s->order));
	s->order = NULL;
	mem_group_close(&s->group);
	if (s->file.fd >= 0)
		file_cache_drop(s->file.fd, 0, 0);
	file_data_close(&s->file);
}

/* Where a file of @size begins in the test file: it has its end, lest the
 * kernel read ahead what is beyond @size. */
static uint64_t start_of(const struct cache_state *s, uint64_t size)
{
	return s->file.bytes - size;
}

/* Read @len bytes at @at of a file of @size.  Return: 0 or -errno. */
static int read_part(struct cache_state *s, size_t each, uint64_t size,
		     uint64_t at, uint64_t len, struct file_parts *parts)
{
	struct order *o = s->order;
	int err;

	*o =
		(struct order) { each, start_of(s, size) + at, len, 0, 0, 0, 0,
				 0 };
	err = partner_meet(&s->reader); /* begin */
	if (!err)
		err = partner_meet(&s->reader); /* end */
	if (!err)
		err = o->err;
	if (!err)
		file_parts_add(parts,
			       bench_ns(s->b, (double)o->ticks) /
				       ((double)len / BLOCK),
			       (double)o->done, (double)o->stored);
	return err;
}

/* All of @size once through the cache, @part after @part from @first on. */
static int read_size(struct cache_state *s, size_t each, uint64_t size,
		     uint64_t part, uint64_t first_at, struct file_parts *parts)
{
	int err = 0;

	*parts = (struct file_parts) { 0 };
	for (uint64_t done = 0; !err && done < size; done += part) {
		const uint64_t at = (first_at + done) % size;

		if (bench_stopping(s->b))
			return -ECANCELED;
		err = read_part(s, each, size, at,
				size - at < part ? size - at : part, parts);
		if (!err && s->order->wrong)
			err = -EBADMSG;
	}
	return err;
}

/*
 * The whole machine: everything is done at once, for where the next size lies
 * depends on the last one.
 */

/* Drop it: what an earlier size has left would be kept for longer than what
 * is new.  Read all of it once, as fast as may be, and then as it is timed. */
static int measure_size(void *arg, uint64_t size, double *ns, double *stored)
{
	struct cache_state *s = arg;
	const uint64_t least = (size + FILE_PARTS - 1) / FILE_PARTS;
	const uint64_t part =
		least <= PART ? PART : (least + MIB - 1) / MIB * MIB;
	struct file_parts filled, parts;
	int64_t left = file_cache_drop(s->file.fd, 0, 0);
	int err = left < 0 ? (int)left : left ? -EBUSY : 0;

	if (!err)
		err = read_size(s, PIECE, size, part, 0, &filled);
	if (!err)
		err = read_size(s, BLOCK, size, part, 0, &parts);
	if (err)
		return err;
	bench_proof(s->b, bench_next(s->b, NULL, "figure=knee"), "bytes_read",
		    (double)size, parts.bytes);
	/* All was dropped, so it came from storage, if that is counted. */
	*ns = file_parts_time(&parts, filled.stored_bytes > 0);
	*stored = file_parts_stored(&parts);
	bench_say(s->b, "%llu MiB: %.0f ns for 4 KiB, %.0f %% from the device",
		  (unsigned long long)(size / MIB), *ns, 100 * *stored);
	return 0;
}

/* Write a file larger than memory, read parts of it and remove it. */
static int setup(struct bench *b, void *state)
{
	struct cache_state *s = state;
	uint64_t size[LENGTH(first)];
	const char *dir;
	size_t n = 0;
	int err;

	if (!s->whole_machine)
		return 0;
	dir = bench_scratch(b);
	if (!dir)
		return -EIO;
	/* As far as there is room on the disk. */
	for (size_t i = 0; i < LENGTH(first); i++)
		if ((int64_t)(first[i] * s->unit_bytes) <= file_data_room(dir))
			size[n++] = first[i] * s->unit_bytes;
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
	err = open_reader(b, s, size[n - 1], 0);
	if (err)
		return err;
	err = file_sweep(&s->sweep, size, n, HALVINGS, MIB, measure_size, s);
	partner_stop(&s->reader);
	file_data_remove(&s->file);
	return err && err != -ENOENT ? partner_failed(b, err) : 0;
}

/*
 * A group.
 */

/* What the group says that it holds: else the pages are not its own. */
static int check_charge(struct bench *b, const struct mem_group *group,
			const struct bench_case *c, uint64_t size)
{
	const int64_t charged = mem_group_cached(group);
	const int64_t limit = charged < 0 ? -1 : mem_group_limit(group);

	if (limit <= 0)
		return bench_fail(b, errno, "read what %s holds", group->path);
	bench_purity(b, c, "charged_bytes", CHARGED,
		     (double)(size < (uint64_t)limit ? size : (uint64_t)limit),
		     (double)charged);
	bench_fact(b, c, "limit_bytes", (double)limit);
	return 0;
}

/* All of @size once through the cache, from the part on that is next. */
static int fill(struct cache_state *s, uint64_t size)
{
	struct file_parts parts;

	return read_size(s, PIECE, size, size / PARTS, s->part * (size / PARTS),
			 &parts);
}

static int64_t cached_of(const struct cache_state *s, uint64_t size)
{
	return file_cache_bytes(s->file.fd, start_of(s, size), 0);
}

/* All of the file's last @size bytes through the cache, from any part on. */
static int fill_all(struct bench *b, struct cache_state *s, uint64_t size)
{
	const int64_t left = file_cache_drop(s->file.fd, 0, 0);
	int64_t cached;
	int err;

	if (left)
		return left < 0 ? bench_fail(b, (int)-left, "drop the file")
				: bench_skip(b,
					     "%lld bytes of the file stay in "
					     "the cache",
					     (long long)left);
	s->part = (unsigned int)(bench_random(b) % PARTS);
	err = fill(s, size);
	cached = err ? -1 : cached_of(s, size);
	/* A little is missing: the group came to its limit for a moment while
	 * it was filled, so what fits may not be there yet. */
	if (cached >= 0 && (uint64_t)cached < size &&
	    size - (uint64_t)cached < size / PARTS)
		err = fill(s, size);
	return err ? partner_failed(b, err) : 0;
}

static int enter(struct bench *b, void *state, const struct bench_case *c)
{
	struct cache_state *s = state;
	int err = 0;

	if (4 * bench_spare_bytes(b) < 2 * s->limit_bytes)
		return bench_skip(b,
				  "less than twice %llu MiB of memory may be "
				  "taken: the limit of the group would not "
				  "be the narrowest",
				  (unsigned long long)(s->limit_bytes / MIB));
	/* Once; a new one where it could not read, or is gone. */
	if (!s->reader.page)
		err = open_reader(b, s, s->most_bytes, s->limit_bytes);
	if (!err)
		err = fill_all(b, s, size_of(c));
	if (err) {
		close_reader(s);
		return err;
	}
	bench_fact_text(b, c, "where", s->place.where);
	s->before = file_counts(&s->place);
	return check_charge(b, &s->group, c, size_of(c));
}

static int sample(struct bench *b, void *state, const struct bench_case *c)
{
	struct cache_state *s = state;
	struct file_parts *parts = c->data;
	const uint64_t len = size_of(c) / PARTS;
	const int err =
		read_part(s, BLOCK, size_of(c), s->part * len, len, parts);

	if (err) {
		close_reader(s);
		return partner_failed(b, err);
	}
	s->part = (s->part + 1) % PARTS;
	bench_record_value(b, c,
			   bench_ns(b, (double)s->order->ticks) /
				   ((double)len / BLOCK));
	bench_proof(b, c, "bytes_read", (double)len,
		    (double)(s->order->done - s->order->wrong));
	return 0;
}

/* How much of it came from the device, and how much is cached now. */
static int leave(struct bench *b, void *state, const struct bench_case *c)
{
	struct cache_state *s = state;
	struct file_counts seen;
	int64_t cached;

	if (s->file.fd < 0 || !s->reader.page)
		return 0;
	seen = file_counts_since(&s->place, &s->before);
	if (seen.device_read >= 0)
		bench_fact(b, c, "device_bytes_read", (double)seen.device_read);
	cached = cached_of(s, size_of(c));
	if (cached >= 0)
		bench_fact(b, c, "cached_bytes", (double)cached);
	return 0;
}

/*
 * What follows from the points.
 */

/* Those of the group, as the sweep has them of the machine. */
static void gather(struct bench *b, struct cache_state *s)
{
	bool counted = false;

	BENCH_EACH (b, c, "size")
		counted |= ((struct file_parts *)c->data)->stored_bytes > 0;
	BENCH_EACH (b, c, "size")
		if (isfinite(bench_value(b, c)))
			file_sweep_add(&s->sweep, (double)size_of(c),
				       file_parts_time(c->data, counted),
				       file_parts_stored(c->data));
}

static void spread_sweep(struct bench *b, const struct file_sweep *w)
{
	BENCH_EACH (b, c, "size") {
		size_t k = 0;

		while (k < w->n && w->size_bytes[k] != (double)size_of(c))
			k++;
		if (k < w->n)
			bench_derive(b, c, w->ns[k]);
		else
			bench_derive_skip(b, c, NOT_NEAR);
	}
}

static void skip_figures(struct bench *b, size_t n, int err)
{
	char why[128];

	snprintf(why, sizeof(why),
		 !n ? "none of the sizes was read"
		 : err == -EUCLEAN
			 ? "a size came from storage and a larger one did not: "
			   "the cache was not the same for both"
			 : "the time of a block has no jump over the %zu sizes "
			   "that were read",
		 n);
	BENCH_EACH (b, c, "figure")
		bench_derive_skip(b, c, "%s", why);
}

static int derive(struct bench *b, void *state)
{
	struct cache_state *s = state;
	const struct bench_case *knee = bench_next(b, NULL, "figure=knee");
	const struct file_sweep *w = &s->sweep;
	struct file_knee k, clock;
	int err;

	if (s->whole_machine)
		spread_sweep(b, w);
	else
		gather(b, s);
	err = file_sweep_find(w, &k);
	if (err) {
		skip_figures(b, w->n, err);
		return 0;
	}
	bench_derive_between(b, knee, k.size_bytes, k.fits_bytes,
			     k.fails_bytes);
	bench_derive(b, bench_beside(b, knee, "figure=cached"), k.cached_ns);
	bench_derive(b, bench_beside(b, knee, "figure=uncached"),
		     k.uncached_ns);
	bench_fact(b, knee, "fits_bytes", k.fits_bytes);
	bench_fact(b, knee, "fails_bytes", k.fails_bytes);
	bench_fact(b, knee, "spare_bytes", 4.0 * (double)bench_spare_bytes(b));
	bench_fact_text(b, knee, "where", s->place.where);
	bench_fact_text(b, knee, "found_by",
			k.counted ? "what the reader got from storage"
				  : "the clock");
	if (!file_knee_find(&clock, w->size_bytes, w->ns, w->n))
		bench_fact(b, knee, "clock_bytes", clock.size_bytes);
	if (s->whole_machine)
		bench_fact(b, knee, "memory_bytes", (double)memory_bytes());
	else
		bench_expect(b, knee, (double)s->limit_bytes);
	return 0;
}

static void teardown(struct bench *b, void *state)
{
	struct cache_state *s = state;

	if (s->whole_machine)
		file_data_remove(&s->file);
	close_reader(s);
}

const struct bench_desc bench_desc = {
	.name = "file_cache",
	.opts = opts,
	.state_size = sizeof(struct cache_state),
	.case_state_size = sizeof(struct file_parts),
	.points = points,
	.cases = cases,
	.setup = setup,
	.enter = enter,
	.sample = sample,
	.leave = leave,
	.derive = derive,
	.teardown = teardown,
};
