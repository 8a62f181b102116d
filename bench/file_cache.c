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
#include "lib/file_crew.h"
#include "lib/file_data.h"
#include "lib/file_knee.h"
#include "lib/file_place.h"
#include "lib/mem_group.h"
#include "mem.h"

#define MIB	 ((uint64_t)1 << 20)
#define BLOCK	 4096u
#define PIECE	 (128u << 10) /* what the kernel reads ahead, usually */
#define PARTS	 8	      /* of a file, each timed by itself */
#define EVENTS	 20
#define LEAST	 4	    /* parts of which the slowest may be left out */
#define STEPS	 16	    /* sizes are so many parts of the limit */
#define CHARGED	 0.75	    /* of what the group can hold, at least */
#define CHUNK	 (64 * MIB) /* read at once of the whole machine's file */
#define HALVINGS 5	    /* of the steps between the first sizes */
#define NOT_NEAR "not read: the knee was found without this size"

enum figure { KNEE, CACHED, UNCACHED, FIGURES };

/* What the reading process is told. */
enum { JOIN, FILL, READ };

/* Sizes in parts of the limit; of memory, for the whole machine. */
static const unsigned int group_sizes[] = { 8, 14, 15, 16, 18, 24 };
static const unsigned int machine_sizes[] = { 4,  6,  8,  9,  10, 11, 12,
					      13, 14, 15, 16, 17, 18, 20 };
static const unsigned int machine_first[] = { 4, 8, 12, 16, 18, 20 };

#define LENGTH(a)  (sizeof(a) / sizeof((a)[0]))
#define MAX_POINTS LENGTH(machine_sizes)

struct cache_state {
	bool whole_machine;   /* --whole-machine */
	uint64_t limit_bytes; /* --limit */
	uint64_t unit_bytes;  /* of STEPS to the limit or to memory */
	const struct bench_case *point[MAX_POINTS];
	const struct bench_case *figure[FIGURES];
	struct file_sweep
		sweep; /* of the whole machine; of the group at last */
	double slowest[MAX_POINTS], sum[MAX_POINTS]; /* of the parts, ns */
	unsigned int parts[MAX_POINTS];
	size_t points;
	struct file_data file;
	struct file_place place;
	char where[384];
	struct mem_group group;
	struct file_crew crew;
	enum timer_method method;
	unsigned int part; /* to read next */
	struct file_counts before;
	char block[PIECE];
};

static const struct opt opts[] = {
	OPT_SIZE(0, "limit", cache_state, limit_bytes, "32m", 16 * MIB,
		 1024 * MIB, "limit of the memory control group, bytes"),
	OPT_FLAG(0, "whole-machine", cache_state, whole_machine,
		 "measure the cache of the whole machine: needs much disk and "
		 "many minutes, try --invocations 1, flag"),
	OPT_END,
};

static uint64_t size_of(const struct cache_state *s, size_t i)
{
	return s->unit_bytes *
	       (s->whole_machine ? machine_sizes[i] : group_sizes[i]);
}

static uint64_t memory_bytes(void)
{
	FILE *f = fopen("/proc/meminfo", "re");
	uint64_t bytes = f ? mem_meminfo_field(f, "MemTotal") : 0;
	const int64_t bound = mem_group_bound();

	if (f)
		fclose(f);
	return bound >= 0 && (uint64_t)bound < bytes ? (uint64_t)bound : bytes;
}

static int cases(struct bench *b, void *state)
{
	static const char *const names[FIGURES] = { "knee", "cached",
						    "uncached" };
	struct cache_state *s = state;
	const char *scope = s->whole_machine ? "machine" : "group";

	file_data_init(&s->file);
	s->unit_bytes = (s->whole_machine ? memory_bytes() : s->limit_bytes) /
			STEPS / MIB * MIB;
	if (!s->unit_bytes)
		s->unit_bytes = MIB;
	s->points =
		s->whole_machine ? LENGTH(machine_sizes) : LENGTH(group_sizes);
	for (size_t i = 0; i < s->points; i++) {
		s->point[i] = bench_add(
			b, &(struct bench_case) {
				   .params = { P_STR("scope", scope),
					       P_SIZE("size",
						      (int64_t)size_of(s, i)) },
				   .index = (int64_t)i,
				   .unit = "ns",
				   .estimator = BENCH_EST_MEAN,
				   .events = EVENTS,
				   .budget_ms = 400,
				   .derived = s->whole_machine,
				   .exclusive = true,
				   .switches = true,
			   });
	}
	for (int i = 0; i < FIGURES; i++)
		s->figure[i] =
			bench_add(b, &(struct bench_case) {
					     .params = { P_STR("scope", scope),
							 P_STR("figure",
							       names[i]) },
					     .unit = i == KNEE ? "B" : "ns",
					     .better = i == KNEE ? BENCH_HIGHER
								 : BENCH_LOWER,
					     .estimator = BENCH_EST_DERIVED,
					     .derived = true,
				     });
	return 0;
}

static int read_once(const struct cache_state *s, char *to, size_t len,
		     uint64_t at, struct file_report *r)
{
	const ssize_t n = pread(s->file.fd, to, len, (off_t)at);

	r->bytes += n > 0 ? (uint64_t)n : 0;
	r->blocks++;
	return n == (ssize_t)len ? 0 : n < 0 ? -errno : -EIO;
}

static int read_blocks(struct cache_state *s, const struct file_order *o,
		       size_t len, struct file_report *r)
{
	int err = 0;

	for (uint64_t at = o->offset; !err && at < o->offset + o->bytes;
	     at += len)
		err = read_once(s, s->block, len, at, r);
	return err;
}

/* In the process that reads. */
static void work(void *arg, unsigned int member, const struct file_order *o,
		 struct file_report *r)
{
	struct cache_state *s = arg;

	(void)member;
	switch (o->what) {
	case JOIN:
		r->err = mem_group_join(&s->group);
		break;
	case FILL:
		r->err = read_blocks(s, o, PIECE, r);
		break;
	default:
		TIMER_INTERVAL(s->method, r->ticks,
			       r->err = read_blocks(s, o, BLOCK, r));
		if (!r->err && !file_data_sample(s->block, BLOCK,
						 o->offset + o->bytes - BLOCK))
			r->wrong = BLOCK;
	}
}

/* Where a file of @size begins in the test file: it has its end, lest the
 * kernel read ahead what is beyond @size. */
static uint64_t start_of(const struct cache_state *s, uint64_t size)
{
	return s->file.bytes - size;
}

static int tell(struct bench *b, struct cache_state *s, int what,
		uint64_t offset, uint64_t bytes, struct file_report *r)
{
	const struct file_order o = { .what = what,
				      .offset = offset,
				      .bytes = bytes };
	int err = file_crew_order(&s->crew, 0, &o);

	return err ? err : file_crew_report(b, &s->crew, 0, r);
}

static int open_file(struct bench *b, struct cache_state *s, uint64_t bytes)
{
	char name[32];
	int err;

	snprintf(name, sizeof(name), FILE_CREW_NAME, 0);
	if (bytes <= FILE_CREW_BYTES)
		bytes = FILE_CREW_BYTES; /* file_contention reads it as well */
	else
		snprintf(name, sizeof(name), "cache");
	err = file_data_get(b, &s->file, name, bytes);
	if (err)
		return err;
	err = file_place_find(&s->place, s->file.fd);
	if (err)
		return bench_fail(b, -err, "find out where %s lies",
				  s->file.path);
	file_place_say(&s->place, s->where, sizeof(s->where));
	if (s->place.kind == FILE_PLACE_MEMORY)
		return bench_skip(b,
				  "%s: nothing else holds the file (try "
				  "--dir)",
				  s->where);
	return 0;
}

static int start(struct bench *b, struct cache_state *s)
{
	int err;

	s->method = bench_timer(b)->method;
	err = file_crew_begin(b, &s->crew, 1, work, s);
	return err ? bench_fail(b, -err, "start a process") : 0;
}

/* The file, the group, and the process in it: once, at the first visit. */
static int begin(struct bench *b, struct cache_state *s)
{
	struct file_report r;
	int err;

	if (s->crew.size)
		return 0;
	if (4 * bench_spare_bytes(b) < 2 * s->limit_bytes)
		return bench_skip(b,
				  "less than twice %llu MiB of memory may be "
				  "taken: the limit of the group would not "
				  "be the narrowest",
				  (unsigned long long)(s->limit_bytes / MIB));
	err = mem_group_open(b, &s->group, s->limit_bytes);
	if (err)
		return bench_skip(b, "%s", s->group.why);
	err = open_file(b, s, size_of(s, s->points - 1));
	if (!err)
		err = start(b, s);
	if (err)
		return err;
	err = tell(b, s, JOIN, 0, 0, &r);
	if (err == -EACCES || err == -EPERM || err == -ENOTSUP)
		return bench_skip(b, "put a process into %s: %s", s->group.path,
				  strerror(-err));
	return err ? bench_fail(b, -err, "put a process into %s", s->group.path)
		   : 0;
}

static void end(struct cache_state *s)
{
	file_crew_end(&s->crew);
	mem_group_close(&s->group);
	if (s->file.fd >= 0)
		file_cache_drop(s->file.fd, 0, 0);
	file_data_close(&s->file);
}

/* What the group says that it holds: else the pages are not its own. */
static int check_charge(struct bench *b, struct cache_state *s,
			const struct bench_case *c, uint64_t size)
{
	const int64_t charged = mem_group_cached(&s->group);
	const int64_t limit = mem_group_limit(&s->group);

	if (charged < 0 || limit <= 0)
		return bench_fail(b, (int)(charged < 0 ? -charged : -limit),
				  "read what %s holds", s->group.path);
	bench_evidence(b, c, "charged_bytes",
		       CHARGED * (double)(size < (uint64_t)limit
						  ? size
						  : (uint64_t)limit),
		       (double)charged);
	bench_fact(b, c, "limit_bytes", (double)limit);
	return 0;
}

/* The reader could not read, or is gone: a new one at the next visit. */
static int lost(struct bench *b, struct cache_state *s, int err)
{
	end(s);
	return bench_stopping(b) ? 0 : bench_fail(b, -err, "read the file");
}

/* All of @size once through the cache, from the part on that is next. */
static int fill(struct bench *b, struct cache_state *s, uint64_t size)
{
	struct file_report r;
	int err = 0;

	for (unsigned int i = 0; !err && i < PARTS && !bench_stopping(b); i++)
		err = tell(b, s, FILL,
			   start_of(s, size) +
				   (s->part + i) % PARTS * (size / PARTS),
			   size / PARTS, &r);
	return err;
}

/* Whether a little of @size is missing: the group came to its limit for a
 * moment while it was filled, so what fits may not be there yet. */
static bool almost(const struct cache_state *s, uint64_t size)
{
	const int64_t cached =
		file_cache_bytes(s->file.fd, start_of(s, size), 0);

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
		end(s);
		return err;
	}
	bench_fact_text(b, c, "where", s->where);
	left = file_cache_drop(s->file.fd, 0, 0);
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
	file_counts_read(&s->place, &s->before);
	return check_charge(b, s, c, size);
}

static void note(struct bench *b, struct cache_state *s,
		 const struct bench_case *c, double ns)
{
	s->sum[c->index] += ns;
	s->slowest[c->index] = fmax(s->slowest[c->index], ns);
	s->parts[c->index]++;
	bench_record_value(b, c, ns);
}

static int sample(struct bench *b, void *state, const struct bench_case *c)
{
	struct cache_state *s = state;
	const uint64_t len = size_of(s, (size_t)c->index) / PARTS;
	struct file_report r = { 0 };
	int err = tell(b, s, READ, start_of(s, len * PARTS) + s->part * len,
		       len, &r);

	if (err)
		return lost(b, s, err);
	s->part = (s->part + 1) % PARTS;
	note(b, s, c, bench_ns(b, (double)r.ticks) / (double)r.blocks);
	bench_evidence(b, c, "bytes_read", (double)len,
		       (double)(r.bytes - r.wrong));
	return 0;
}

/* How much of it came from the device, and how much is cached now. */
static int leave(struct bench *b, void *state, const struct bench_case *c)
{
	struct cache_state *s = state;
	struct file_counts now;
	int64_t cached;

	if (s->file.fd < 0 || !s->crew.size)
		return 0;
	file_counts_read(&s->place, &now);
	file_counts_since(&now, &s->before);
	if (now.device_read >= 0)
		bench_fact(b, c, "device_bytes_read", (double)now.device_read);
	cached = file_cache_bytes(s->file.fd,
				  start_of(s, size_of(s, (size_t)c->index)), 0);
	if (cached >= 0)
		bench_fact(b, c, "cached_bytes", (double)cached);
	return 0;
}

/*
 * The whole machine: everything is done at once, for where the next size lies
 * depends on the last one.
 */
struct sweep {
	struct bench *b;
	struct cache_state *s;
};

static int read_size(const struct sweep *w, int what, uint64_t size,
		     struct file_report *sum)
{
	int err = 0;

	*sum = (struct file_report) { 0 };
	for (uint64_t at = 0; !err && at < size; at += CHUNK) {
		struct file_report r = { 0 };

		if (bench_stopping(w->b))
			return -EINTR;
		err = tell(w->b, w->s, what, start_of(w->s, size) + at,
			   size - at < CHUNK ? size - at : CHUNK, &r);
		if (!err && r.wrong)
			err = -EBADMSG;
		sum->ticks += r.ticks;
		sum->blocks += r.blocks;
		sum->bytes += r.bytes;
	}
	return err;
}

/* Drop it: what an earlier size has left would be kept for longer than what
 * is new.  Read all of it once, as fast as may be, and then as it is timed. */
static int measure_size(void *arg, uint64_t size, double *ns)
{
	const struct sweep *w = arg;
	struct file_report sum;
	int64_t left = file_cache_drop(w->s->file.fd, 0, 0);
	int err = left < 0 ? (int)left : left ? -EBUSY : 0;

	if (!err)
		err = read_size(w, FILL, size, &sum);
	if (!err)
		err = read_size(w, READ, size, &sum);
	if (err)
		return err;
	bench_evidence(w->b, w->s->figure[KNEE], "bytes_read", (double)size,
		       (double)sum.bytes);
	*ns = bench_ns(w->b, (double)sum.ticks) / (double)sum.blocks;
	bench_say(w->b, "%llu MiB: %.0f ns for 4 KiB",
		  (unsigned long long)(size / MIB), *ns);
	return 0;
}

/* Sizes to begin with, as far as there is room on the disk. */
static size_t first_sizes(const struct cache_state *s, int64_t room,
			  uint64_t *first)
{
	size_t n = 0;

	for (size_t i = 0; i < LENGTH(machine_first); i++) {
		const uint64_t size = machine_first[i] * s->unit_bytes;

		if ((int64_t)size <= room)
			first[n++] = size;
	}
	return n;
}

static int sweep_machine(struct bench *b, struct cache_state *s)
{
	uint64_t first[LENGTH(machine_first)];
	struct sweep w = { b, s };
	const char *dir = bench_scratch(b);
	size_t n;
	int err;

	if (!dir)
		return -EIO;
	n = first_sizes(s, file_data_room(dir), first);
	if (n < 3)
		return bench_skip(b,
				  "half of the free space in %s is less "
				  "than three quarters of the memory",
				  dir);
	bench_say(b,
		  "writes %llu MiB to %s and reads some twenty times as much: "
		  "this takes minutes, on a slow disk an hour or more, and all "
		  "of the memory that is free",
		  (unsigned long long)(first[n - 1] / MIB), dir);
	err = open_file(b, s, first[n - 1]);
	if (!err)
		err = start(b, s);
	if (err)
		return err;
	err = file_sweep(&s->sweep, first, n, HALVINGS, MIB, measure_size, &w);
	file_crew_end(&s->crew);
	file_data_remove(&s->file);
	if (err && err != -ENOENT && !bench_stopping(b))
		return bench_fail(b, -err, "read the file");
	return 0;
}

static int setup(struct bench *b, void *state)
{
	struct cache_state *s = state;

	return s->whole_machine ? sweep_machine(b, s) : 0;
}

/* The points of the group, as the sweep has them of the machine. */
static void gather(struct bench *b, struct cache_state *s)
{
	for (size_t i = 0; i < s->points; i++) {
		if (!s->parts[i] || !isfinite(bench_value(b, s->point[i])))
			continue;
		s->sweep.size_bytes[s->sweep.n] = (double)size_of(s, i);
		s->sweep.ns[s->sweep.n++] =
			file_knee_mean(s->sum[i], s->slowest[i], s->parts[i]);
	}
}

static void spread_sweep(struct bench *b, struct cache_state *s)
{
	for (size_t i = 0; i < s->points; i++) {
		bool found = false;

		for (size_t k = 0; k < s->sweep.n && !found; k++) {
			found = s->sweep.size_bytes[k] == (double)size_of(s, i);
			if (found)
				bench_derive(b, s->point[i], s->sweep.ns[k]);
		}
		if (!found)
			bench_derive_skip(b, s->point[i], NOT_NEAR);
	}
}

static void skip_figures(struct bench *b, const struct cache_state *s)
{
	for (int i = 0; i < FIGURES; i++)
		if (!s->sweep.n)
			bench_derive_skip(b, s->figure[i],
					  "none of the sizes was read");
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
	struct file_knee k;

	if (s->whole_machine)
		spread_sweep(b, s);
	else
		gather(b, s);
	if (file_knee_find(&k, s->sweep.size_bytes, s->sweep.ns, s->sweep.n)) {
		skip_figures(b, s);
		return 0;
	}
	bench_derive(b, knee, k.size_bytes);
	bench_derive(b, s->figure[CACHED], k.cached_ns);
	bench_derive(b, s->figure[UNCACHED], k.uncached_ns);
	bench_fact(b, knee, "fits_bytes", k.fits_bytes);
	bench_fact(b, knee, "fails_bytes", k.fails_bytes);
	bench_fact(b, knee, "mem_available_bytes",
		   (double)mem_available_bytes());
	bench_fact_text(b, knee, "where", s->where);
	if (s->whole_machine)
		bench_fact(b, knee, "memory_bytes", (double)memory_bytes());
	else
		bench_expect(b, knee, (double)s->limit_bytes);
	return 0;
}

static void teardown(struct bench *b, void *state)
{
	struct cache_state *s = state;

	(void)b;
	if (s->whole_machine)
		file_data_remove(&s->file);
	end(s);
}

const struct bench_desc bench_desc = {
	.name = "file_cache",
	.opts = opts,
	.state_size = sizeof(struct cache_state),
	.cases = cases,
	.setup = setup,
	.enter = enter,
	.sample = sample,
	.leave = leave,
	.derive = derive,
	.teardown = teardown,
};
