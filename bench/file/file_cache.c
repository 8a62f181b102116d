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
 * Measures: ns for 4 KiB by size of the file, read once more after it was read
 *           (a process run does it once for each size); figure=knee: the size
 *           in the middle between the largest file that fits and the smallest
 *           that does not; figure=cached, uncached: ns for 4 KiB on both sides.
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
#define STEPS	 16    /* sizes are so many parts of the limit */
#define CHARGED	 0.75  /* of what the group can hold, at least */
#define HALVINGS 5     /* of the steps between the machine's first sizes */
#define BLOCK	 4096u /* of what is timed */
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
	"scope=$scope size=$sizes; is unit=ns derived;"
	"scope=$scope figure={knee,cached,uncached}; is derived;"
	"is unit=B higher if figure=knee; is unit=ns if figure!=knee";

/* Orders to the process that reads, and its report. */
struct order {
	size_t each;   /* by so many bytes */
	uint64_t size; /* the end of the file */
	int err;       /* -errno */
	struct file_parts parts;
};

struct cache_state {
	bool whole_machine;   /* --whole-machine */
	uint64_t limit_bytes; /* --limit */
	uint64_t unit_bytes;  /* of STEPS to the limit or to memory */
	struct bench *b;
	struct file_sweep sweep;
	struct file_data file;
	struct file_place place;
	struct mem_group group;
	struct partner reader;
	struct order *order;
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
	bench_set_names(b, "scope", &scope, sizeof(scope), 1);
	bench_set_numbers(b, "sizes", BENCH_SIZE, sizes, n);
	return 0;
}

/* In the process that reads. */
static char block[PIECE];

/* Return: bytes, fewer than @len if one read gave less. */
static uint64_t read_blocks(int fd, size_t each, uint64_t offset, uint64_t len)
{
	uint64_t done = 0;

	while (done < len &&
	       pread(fd, block, each, (off_t)(offset + done)) == (ssize_t)each)
		done += each;
	return done;
}

/* All of it once through the cache, in parts: nothing behind it can be read
 * ahead. */
static int read_size(const struct cache_state *s, struct order *o)
{
	const enum timer_method method = bench_timer(s->b)->method;
	const uint64_t least = (o->size + FILE_PARTS - 1) / FILE_PARTS;
	const uint64_t part = (least + MIB - 1) / MIB * MIB,
		       end = s->file.bytes;
	struct file_counts before, after;
	uint64_t len, done, ticks;

	o->parts = (struct file_parts) { 0 };
	for (uint64_t at = end - o->size; at < end; at += len) {
		len = end - at < part ? end - at : part;
		if (bench_stopping(s->b))
			return -ECANCELED;
		before = file_counts(&s->place);
		TIMER_INTERVAL(method, ticks,
			       done = read_blocks(s->file.fd, o->each, at,
						  len));
		after = file_counts_since(&s->place, &before);
		if (done < len)
			return -EIO;
		if (!file_data_sample(block, o->each, at + len - o->each))
			done -= o->each;
		file_parts_add(&o->parts,
			       bench_ns(s->b, (double)ticks) /
				       ((double)len / BLOCK),
			       (double)done, (double)after.process_read);
	}
	return 0;
}

static int serve(struct partner *p, void *arg)
{
	const struct cache_state *s = arg;
	struct order *o = s->order;
	int err;

	o->err = s->group.path[0] ? mem_group_join(&s->group) : 0;
	err = partner_meet(p);
	while (!err && !(err = partner_meet(p))) { /* it is asked */
		o->err = read_size(s, o);
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
	s->place = file_place_find(s->file.fd);
	return s->place.kind == FILE_PLACE_MEMORY
		       ? bench_skip(b,
				    "%s: nothing else holds the file (try "
				    "--dir)",
				    s->place.where)
		       : 0;
}

/* And a group of @limit bytes (0: none), and the process in it. */
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

/* Let it read the last @size bytes of the file by @each.  Return: 0 or
 * -errno. */
static int ask(struct cache_state *s, size_t each, uint64_t size)
{
	int err;

	s->order->each = each;
	s->order->size = size;
	err = partner_meet(&s->reader); /* begin */
	if (!err)
		err = partner_meet(&s->reader); /* end */
	return err ? err : s->order->err;
}

static int64_t cached_of(const struct cache_state *s, uint64_t size)
{
	return file_cache_bytes(s->file.fd, s->file.bytes - size, 0);
}

/* The memory that the group says it holds: else the pages are not its own. */
static int check_charge(struct cache_state *s, const struct bench_case *c,
			uint64_t size)
{
	const int64_t charged = mem_group_cached(&s->group);
	const int64_t limit = charged < 0 ? -1 : mem_group_limit(&s->group);

	if (limit <= 0)
		return bench_fail(s->b, errno, "read what %s holds",
				  s->group.path);
	bench_purity(s->b, c, "charged_bytes", CHARGED,
		     (double)(size < (uint64_t)limit ? size : (uint64_t)limit),
		     (double)charged);
	bench_fact(s->b, c, "limit_bytes", (double)limit);
	return 0;
}

/* Drop it: what an earlier size has left would be kept for longer than what
 * is new.  Then read all of it once. */
static int fill(struct cache_state *s, uint64_t size, bool *counted)
{
	int64_t cached = file_cache_drop(s->file.fd, 0, 0);
	int err;

	if (cached)
		return cached < 0 ? (int)cached
				  : bench_skip(s->b,
					       "%lld bytes of the file stay in "
					       "the cache",
					       (long long)cached);
	err = ask(s, PIECE, size);
	/* All was dropped, so it came from storage, if that is counted. */
	*counted = s->order->parts.stored_bytes > 0;
	cached = err ? -1 : cached_of(s, size);
	/* A little is missing: the group came to its limit for a moment while
	 * it was filled, so what fits may not be there yet. */
	if (s->group.path[0] && cached >= 0 && (uint64_t)cached < size &&
	    size - (uint64_t)cached < size / 8)
		err = ask(s, PIECE, size);
	return err;
}

/* As fast as may be into the cache, and then as it is timed. */
static int measure_size(void *arg, uint64_t size, double *ns, double *stored)
{
	struct cache_state *s = arg;
	struct bench *b = s->b;
	const struct bench_case *c = bench_next(b, NULL, "figure=knee");
	const struct file_parts *parts = &s->order->parts;
	struct file_counts before, seen;
	bool counted = false;
	int err = fill(s, size, &counted);

	BENCH_EACH (b, of, "size")
		if (size_of(of) == size)
			c = of;
	before = file_counts(&s->place);
	if (!err && s->group.path[0])
		err = check_charge(s, c, size);
	if (!err)
		err = ask(s, BLOCK, size);
	if (err)
		return err;
	seen = file_counts_since(&s->place, &before);
	bench_proof(b, c, "bytes_read", (double)size, parts->bytes);
	bench_fact_text(b, c, "where", s->place.where);
	bench_fact(b, c, "device_bytes_read", (double)seen.device_read);
	bench_fact(b, c, "cached_bytes", (double)cached_of(s, size));
	*ns = file_parts_time(parts, counted);
	*stored = file_parts_stored(parts);
	if (s->whole_machine)
		bench_say(b,
			  "%llu MiB: %.0f ns for 4 KiB, %.0f %% from the "
			  "device",
			  (unsigned long long)(size / MIB), *ns, 100 * *stored);
	return 0;
}

/* The first of the machine's sizes for which there is room on the disk. */
static int choose_of_machine(struct bench *b, const struct cache_state *s,
			     uint64_t *size, size_t *n)
{
	const char *dir = bench_scratch(b);

	if (!dir)
		return -EIO;
	for (size_t i = 0; i < LENGTH(first); i++)
		if ((int64_t)(first[i] * s->unit_bytes) <= file_data_room(dir))
			size[(*n)++] = first[i] * s->unit_bytes;
	if (*n < 3)
		return bench_skip(b,
				  "half of the free space in %s is less "
				  "than three quarters of the memory",
				  dir);
	bench_say(b,
		  "writes %llu MiB to %s and reads some twenty times as much: "
		  "this takes minutes, on a slow disk an hour or more, and all "
		  "of the memory that is free",
		  (unsigned long long)(size[*n - 1] / MIB), dir);
	return 0;
}

/* The group's sizes that were asked for; a figure needs all. */
static int choose_of_group(struct bench *b, const struct cache_state *s,
			   uint64_t *size, size_t *n)
{
	bool all = false;

	if (4 * bench_spare_bytes(b) < 2 * s->limit_bytes)
		return bench_skip(b,
				  "less than twice %llu MiB of memory may be "
				  "taken: the limit of the group would not "
				  "be the narrowest",
				  (unsigned long long)(s->limit_bytes / MIB));
	BENCH_EACH (b, c, "figure")
		all |= bench_selected(b, c);
	BENCH_EACH (b, c, "size")
		if (all || bench_selected(b, c))
			size[(*n)++] = size_of(c);
	return 0;
}

/* Everything is done here, for where the next size lies depends on the last
 * one.  No process, no group, nothing cached is left. */
static int setup(struct bench *b, void *state)
{
	struct cache_state *s = state;
	const bool whole = s->whole_machine;
	uint64_t size[LENGTH(machine_sizes)];
	size_t n = 0;
	int err = whole ? choose_of_machine(b, s, size, &n)
			: choose_of_group(b, s, size, &n);

	if (err || !n)
		return err;
	err = open_reader(b, s, size[n - 1], whole ? 0 : s->limit_bytes);
	if (err)
		return err;
	err = file_sweep(&s->sweep, size, n, whole ? HALVINGS : 0, MIB,
			 measure_size, s);
	return err && err != -ENOENT && err != -EUCLEAN ? partner_failed(b, err)
							: 0;
}

/*
 * What follows from the points.
 */

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

	spread_sweep(b, w);
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

	partner_stop(&s->reader);
	partner_unshare(s->order, sizeof(*s->order));
	mem_group_close(&s->group);
	if (s->file.fd >= 0)
		file_cache_drop(s->file.fd, 0, 0);
	if (s->whole_machine)
		file_data_remove(&s->file);
	file_data_close(&s->file);
}

const struct bench_desc bench_desc = {
	.name = "file_cache",
	.opts = opts,
	.state_size = sizeof(struct cache_state),
	.points = points,
	.cases = cases,
	.setup = setup,
	.derive = derive,
	.teardown = teardown,
};
