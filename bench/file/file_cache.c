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
#include "lib/cache_reader.h"
#include "lib/cache_sweep.h"
#include "lib/file_knee.h"

#define MIB	 ((uint64_t)1 << 20)
#define PARTS	 8    /* of a file, each timed by itself */
#define STEPS	 16   /* sizes are so many parts of the limit */
#define CHARGED	 0.75 /* of what the group can hold, at least */
#define NOT_NEAR "not read: the knee was found without this size"

enum figure { KNEE, CACHED, UNCACHED, FIGURES };

/* Sizes in parts of the limit; of memory, for the whole machine. */
static const unsigned int group_sizes[] = { 8, 14, 15, 16, 18, 24 };
static const unsigned int machine_sizes[] = { 4,  6,  8,  9,  10, 11, 12,
					      13, 14, 15, 16, 17, 18, 20 };

#define LENGTH(a)  (sizeof(a) / sizeof((a)[0]))
#define MAX_POINTS LENGTH(machine_sizes)

struct cache_state {
	bool whole_machine;   /* --whole-machine */
	uint64_t limit_bytes; /* --limit */
	uint64_t unit_bytes;  /* of STEPS to the limit or to memory */
	const struct bench_case *point[MAX_POINTS];
	const struct bench_case *figure[FIGURES];
	struct file_sweep sweep;
	struct file_parts parts[MAX_POINTS]; /* of the group's points */
	size_t points, n_added;
	struct cache_reader reader;
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

static const char counters[] = "what the reader got from storage";
static uint64_t size_of(const struct cache_state *s, size_t i)
{
	return s->unit_bytes *
	       (s->whole_machine ? machine_sizes[i] : group_sizes[i]);
}

static uint64_t memory_bytes(void)
{
	const uint64_t bytes = (uint64_t)sysconf(_SC_PHYS_PAGES) *
			       (uint64_t)sysconf(_SC_PAGESIZE);
	const int64_t bound = mem_group_bound();

	return bound >= 0 && (uint64_t)bound < bytes ? (uint64_t)bound : bytes;
}

static const char *const names[FIGURES] = { "knee", "cached", "uncached" };

static const char points[] =
	"scope=$scope size=$sizes; is unit=ns mean exclusive switches;"
	"scope=$scope figure={knee,cached,uncached}; is derived;"
	"is unit=B higher if figure=knee; is unit=ns if figure!=knee";

static bool point(struct bench *b, void *state, struct bench_case *c)
{
	struct cache_state *s = state;

	if (case_has(c, "size")) {
		c->index = (int64_t)s->n_added++;
		c->derived = s->whole_machine;
	}
	return true;
}

static int cases(struct bench *b, void *state)
{
	struct cache_state *s = state;
	int64_t sizes[MAX_POINTS];
	const char *scope = s->whole_machine ? "machine" : "group";

	file_data_init(&s->reader.file);
	s->unit_bytes = (s->whole_machine ? memory_bytes() : s->limit_bytes) /
			STEPS / MIB * MIB;
	if (!s->unit_bytes)
		s->unit_bytes = MIB;
	s->points =
		s->whole_machine ? LENGTH(machine_sizes) : LENGTH(group_sizes);
	for (size_t i = 0; i < s->points; i++)
		sizes[i] = (int64_t)size_of(s, i);
	bench_set_names(b, "scope", &scope, sizeof(scope), 1);
	bench_set_numbers(b, "sizes", BENCH_SIZE, sizes, s->points);
	bench_points(b, points);
	for (size_t i = 0; i < s->points; i++)
		s->point[i] = bench_next(b, i ? s->point[i - 1] : NULL, "size");
	for (int i = 0; i < FIGURES; i++)
		s->figure[i] =
			bench_find(b, "scope=%s,figure=%s", scope, names[i]);
	return 0;
}

/* The file, the group, and the process in it: once, at the first visit. */
static int begin(struct bench *b, struct cache_state *s)
{
	struct mem_group *group = &s->reader.group;
	struct cache_report r;
	int err;

	if (s->reader.partner.page)
		return 0;
	if (4 * bench_spare_bytes(b) < 2 * s->limit_bytes)
		return bench_skip(b,
				  "less than twice %llu MiB of memory may be "
				  "taken: the limit of the group would not "
				  "be the narrowest",
				  (unsigned long long)(s->limit_bytes / MIB));
	err = mem_group_open(b, group, s->limit_bytes);
	if (err)
		return bench_skip(b, "%s", group->why);
	err = cache_reader_open(b, &s->reader, size_of(s, s->points - 1));
	if (err)
		return err;
	err = cache_reader_tell(&s->reader, CACHE_READER_JOIN, 0, 0, &r);
	if (err == -EACCES || err == -EPERM || err == -ENOTSUP)
		return bench_skip(b, "put a process into %s: %s", group->path,
				  strerror(-err));
	return err ? bench_fail(b, -err, "put a process into %s", group->path)
		   : 0;
}

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

/* The reader could not read, or is gone: a new one at the next visit. */
static int lost(struct bench *b, struct cache_state *s, int err)
{
	cache_reader_end(&s->reader);
	return partner_failed(b, err);
}

/* All of @size once through the cache, from the part on that is next. */
static int fill(struct bench *b, struct cache_state *s, uint64_t size)
{
	struct cache_report r;
	int err = 0;

	for (unsigned int i = 0; !err && i < PARTS && !bench_stopping(b); i++)
		err = cache_reader_tell(&s->reader, CACHE_READER_FILL,
					cache_reader_start(&s->reader, size) +
						(s->part + i) % PARTS *
							(size / PARTS),
					size / PARTS, &r);
	return err;
}

/* Whether a little of @size is missing: the group came to its limit for a
 * moment while it was filled, so what fits may not be there yet. */
static bool almost(const struct cache_state *s, uint64_t size)
{
	const int64_t cached =
		file_cache_bytes(s->reader.file.fd,
				 cache_reader_start(&s->reader, size), 0);

	return cached >= 0 && (uint64_t)cached < size &&
	       size - (uint64_t)cached < size / PARTS;
}

/* All of the file's last @size bytes through the cache, from any part on. */
static int enter(struct bench *b, void *state, const struct bench_case *c)
{
	struct cache_state *s = state;
	const uint64_t size = size_of(s, (size_t)c->index);
	int64_t left;
	int err;

	err = begin(b, s);
	if (err) {
		cache_reader_end(&s->reader);
		return err;
	}
	bench_fact_text(b, c, "where", s->reader.place.where);
	left = file_cache_drop(s->reader.file.fd, 0, 0);
	if (left)
		return left < 0 ? bench_fail(b, (int)-left, "drop the file")
				: bench_skip(b,
					     "%lld bytes of the file stay in "
					     "the cache",
					     (long long)left);
	s->part = (unsigned int)(bench_random(b) % PARTS);
	err = fill(b, s, size);
	if (!err && almost(s, size))
		err = fill(b, s, size);
	if (err)
		return lost(b, s, err);
	file_counts_read(&s->reader.place, &s->before);
	return check_charge(b, &s->reader.group, c, size);
}

static int sample(struct bench *b, void *state, const struct bench_case *c)
{
	struct cache_state *s = state;
	const uint64_t len = size_of(s, (size_t)c->index) / PARTS;
	struct cache_report r = { 0 };
	int err =
		cache_reader_tell(&s->reader, CACHE_READER_READ,
				  cache_reader_start(&s->reader, len * PARTS) +
					  s->part * len,
				  len, &r);
	double ns;

	if (err)
		return lost(b, s, err);
	s->part = (s->part + 1) % PARTS;
	ns = bench_ns(b, (double)r.ticks) / (double)r.blocks;
	bench_record_value(b, c, ns);
	file_parts_add(&s->parts[c->index], ns, (double)len, (double)r.stored);
	bench_proof(b, c, "bytes_read", (double)len,
		    (double)(r.bytes - r.wrong));
	return 0;
}

/* How much of it came from the device, and how much is cached now. */
static int leave(struct bench *b, void *state, const struct bench_case *c)
{
	struct cache_state *s = state;
	struct file_counts now;
	int64_t cached;

	if (s->reader.file.fd < 0 || !s->reader.partner.page)
		return 0;
	file_counts_read(&s->reader.place, &now);
	file_counts_since(&now, &s->before);
	if (now.device_read >= 0)
		bench_fact(b, c, "device_bytes_read", (double)now.device_read);
	cached = file_cache_bytes(
		s->reader.file.fd,
		cache_reader_start(&s->reader, size_of(s, (size_t)c->index)),
		0);
	if (cached >= 0)
		bench_fact(b, c, "cached_bytes", (double)cached);
	return 0;
}

static int setup(struct bench *b, void *state)
{
	struct cache_state *s = state;

	return s->whole_machine
		       ? cache_sweep_machine(b, &s->reader, &s->sweep,
					     s->unit_bytes, s->figure[KNEE])
		       : 0;
}

/* The points of the group, as the sweep has them of the machine. */
static void gather(struct bench *b, struct cache_state *s)
{
	bool counted = false;

	for (size_t i = 0; i < s->points; i++)
		counted |= s->parts[i].stored_bytes > 0;
	for (size_t i = 0; i < s->points; i++)
		if (isfinite(bench_value(b, s->point[i])))
			file_sweep_add(&s->sweep, (double)size_of(s, i),
				       file_parts_time(&s->parts[i], counted),
				       file_parts_stored(&s->parts[i]));
}

static void spread_sweep(struct bench *b, const struct cache_state *s)
{
	const struct file_sweep *w = &s->sweep;

	for (size_t i = 0; i < s->points; i++) {
		bool found = false;

		for (size_t k = 0; k < w->n && !found; k++) {
			found = w->size_bytes[k] == (double)size_of(s, i);
			if (found)
				bench_derive(b, s->point[i], w->ns[k]);
		}
		if (!found)
			bench_derive_skip(b, s->point[i], NOT_NEAR);
	}
}

static void skip_figures(struct bench *b, const struct cache_state *s, int err)
{
	for (int i = 0; i < FIGURES; i++)
		if (!s->sweep.n)
			bench_derive_skip(b, s->figure[i],
					  "none of the sizes was read");
		else if (err == -EUCLEAN)
			bench_derive_skip(b, s->figure[i],
					  "a size came from storage and a "
					  "larger one did not: the cache was "
					  "not the same for both");
		else
			bench_derive_skip(b, s->figure[i],
					  "the time of a block has no jump "
					  "over the %zu sizes that were read",
					  s->sweep.n);
}

static int derive(struct bench *b, void *state)
{
	struct cache_state *s = state;
	const struct bench_case *knee = s->figure[KNEE];
	const struct file_sweep *w = &s->sweep;
	struct file_knee k, clock;
	int err;

	if (s->whole_machine)
		spread_sweep(b, s);
	else
		gather(b, s);
	err = file_sweep_find(w, &k);
	if (err) {
		skip_figures(b, s, err);
		return 0;
	}
	bench_derive_between(b, knee, k.size_bytes, k.fits_bytes,
			     k.fails_bytes);
	bench_derive(b, s->figure[CACHED], k.cached_ns);
	bench_derive(b, s->figure[UNCACHED], k.uncached_ns);
	bench_fact(b, knee, "fits_bytes", k.fits_bytes);
	bench_fact(b, knee, "fails_bytes", k.fails_bytes);
	bench_fact(b, knee, "spare_bytes", 4.0 * (double)bench_spare_bytes(b));
	bench_fact_text(b, knee, "where", s->reader.place.where);
	bench_fact_text(b, knee, "found_by",
			k.counted ? counters : "the clock");
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
		file_data_remove(&s->reader.file);
	cache_reader_end(&s->reader);
}

const struct bench_desc bench_desc = {
	.name = "file_cache",
	.opts = opts,
	.state_size = sizeof(struct cache_state),
	.point = point,
	.cases = cases,
	.setup = setup,
	.enter = enter,
	.sample = sample,
	.leave = leave,
	.derive = derive,
	.teardown = teardown,
};
