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
 * Usually this program makes a memory control group with a known small limit
 * (--limit), and reads while it is in it: that takes a second, disturbs no
 * other process, and the true answer is known. The file is dropped from the
 * cache before each size, so that its pages are charged to the group when they
 * come back. With --whole-machine there is no group: a file a little larger
 * than memory is written, and the size of the cache of the machine is found by
 * few large steps and then smaller ones around the jump.
 *
 * Measures: ns for 4 KiB by size of the file, read once more after it was read
 *           (a process run does it once for each size); stat=knee: the size
 *           in the middle between the largest file that fits and the smallest
 *           that does not; stat=cached, uncached: ns for 4 KiB on both sides.
 * Includes: pread, the copy, and beyond the knee making room, read-ahead and
 *           the disk, or what stands for it.
 * After:    CSE 221 report section 6.1 (11 readings of each size; hours for
 *           the whole memory); lmbench bw_file_rd (bandwidth, cached).
 * Needs:    permission to make a memory control group (v1 or v2), 64 MiB of
 *           disk; --whole-machine: twice the size of memory free on the disk,
 *           minutes, and no group.
 */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench.h"
#include "file_data.h"
#include "groups.h"
#include "guard.h"
#include "mem.h"
#include "stats.h"
#include "sysfile.h"

#define MIB	 ((uint64_t)1 << 20)
#define STEPS	 16    /* sizes are so many parts of the limit */
#define CHARGED	 0.75  /* of what the group can hold, at least */
#define HALVINGS 5     /* of the steps between the machine's first sizes */
#define BLOCK	 4096u /* of what is timed */
#define PIECE	 (128u << 10) /* of what fills the cache */
#define PARTS	 64	      /* of a file, at most */

/* Sizes in parts of the limit; of memory, for the whole machine, and those of
 * them that are read first. */
static const unsigned int group_sizes[] = { 8, 14, 15, 16, 18, 24 };
static const unsigned int machine_sizes[] = { 4,  6,  8,  9,  10, 11, 12,
					      13, 14, 15, 16, 17, 18, 20 };
static const unsigned int first[] = { 4, 8, 12, 16, 18, 20 };

#define LENGTH(a) (sizeof(a) / sizeof((a)[0]))

static const char points[] =
	"scope=$scope size=$sizes; is unit=ns derived;"
	"scope=$scope stat={knee,cached,uncached}; is derived;"
	"is unit=B higher if stat=knee; is unit=ns if stat!=knee";

/*
 * Where the cache ends: the counters of storage say which sizes fit (less than
 * KNEE_CACHED came from there), and the clock must show it too: the medians of
 * both sides are KNEE_RATIO apart.
 */
#define KNEE_CACHED (1 / 16.0)
#define KNEE_RATIO  1.5 /* reads from the slowest memory to the fastest disk */
#define KNEE_POINTS (LENGTH(machine_sizes) + HALVINGS)

struct file_size {
	double bytes, ns; /* of the file, for a block */
	double stored;	  /* share that came from storage, above 1 with what
			   * was read ahead for nothing */
};

/* The sizes that were measured, ascending, and what they tell. */
struct file_knee {
	struct file_size size[KNEE_POINTS];
	size_t n;
	double bytes;		       /* in the middle between the next two */
	double fits;		       /* the largest size that does */
	double fails;		       /* the smallest that does not */
	double cached_ns, uncached_ns; /* medians of the two sides */
};

static void knee_add(struct file_knee *k, struct file_size size)
{
	size_t at = k->n++;

	for (; at > 0 && k->size[at - 1].bytes > size.bytes; at--)
		k->size[at] = k->size[at - 1];
	k->size[at] = size;
}

/* The median of the times of sizes [from, to). */
static double level(const struct file_knee *k, size_t from, size_t to)
{
	double work[KNEE_POINTS];

	for (size_t i = from; i < to; i++)
		work[i - from] = k->size[i].ns;
	return stats_median(work, to - from);
}

/* Return: 0, -ENOENT if there is no jump, or -EUCLEAN if a size fits that is
 * larger than one that does not: the cache was not the same for both. */
static int knee_find(struct file_knee *k)
{
	size_t cut = 0;

	while (cut < k->n && k->size[cut].stored < KNEE_CACHED)
		cut++;
	for (size_t i = cut; i < k->n; i++)
		if (k->size[i].stored < KNEE_CACHED)
			return -EUCLEAN;
	if (!cut || cut == k->n)
		return -ENOENT;
	k->fits = k->size[cut - 1].bytes;
	k->fails = k->size[cut].bytes;
	k->bytes = (k->fits + k->fails) / 2;
	k->cached_ns = level(k, 0, cut);
	k->uncached_ns = level(k, cut, k->n);
	return k->uncached_ns < k->cached_ns * KNEE_RATIO ? -ENOENT : 0;
}

/* Time for a block of a file of @bytes to @size, and which share of it came
 * from storage.  Return: 0 or -errno. */
typedef int knee_measure_fn(void *arg, uint64_t bytes, struct file_size *size);

/*
 * Find it with few sizes: measure @sizes (ascending), then @halvings times the
 * middle of what is left between the largest that fits and the smallest that
 * does not, in whole @step_bytes.  Return: 0, what knee_find() says of these
 * or later, or what @measure returned.
 */
static int knee_sweep(struct file_knee *k, const uint64_t *sizes, size_t n,
		      unsigned int halvings, uint64_t step_bytes,
		      knee_measure_fn *measure, void *arg)
{
	k->n = 0;
	for (size_t i = 0; i < n + halvings; i++) {
		uint64_t bytes = i < n ? sizes[i] : 0;
		struct file_size size = { 0 };
		int err;

		if (i >= n) {
			if (knee_find(k))
				break;
			bytes = (uint64_t)k->bytes / step_bytes * step_bytes;
			if ((double)bytes <= k->fits)
				break; /* no step between the two */
		}
		size.bytes = (double)bytes;
		err = measure(arg, bytes, &size);
		if (err)
			return err;
		knee_add(k, size);
	}
	return knee_find(k);
}

struct cache_state {
	bool whole_machine;   /* --whole-machine */
	uint64_t limit_bytes; /* --limit */
	uint64_t unit_bytes;  /* of STEPS to the limit or to memory */
	struct bench *b;
	struct file_knee knee;
	struct file_data file;
	/* The control group ("": none), the one that we came from, and the name
	 * of the file with the limit. */
	char group[PATH_MAX], home[PATH_MAX];
	const char *limit_file;
	bool inside;
	int refused; /* errno of the first that could not be made */
};

static const struct opt opts[] = {
	OPT_SIZE(0, "limit", cache_state, limit_bytes, "32m", 16 * MIB,
		 1024 * MIB, "limit of the memory control group, bytes"),
	OPT_FLAG(0, "whole-machine", cache_state, whole_machine,
		 "measure the cache of the whole machine: writes a file as "
		 "large as memory and reads it some twenty times, for minutes "
		 "or, on a slow disk, an hour; try --rounds 1, flag"),
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

static void cases(struct bench *b, void *state)
{
	struct cache_state *s = state;
	const bool whole = s->whole_machine;
	const size_t n = whole ? LENGTH(machine_sizes) : LENGTH(group_sizes);
	int64_t sizes[LENGTH(machine_sizes)];

	s->b = b;
	s->unit_bytes =
		(whole ? memory_bytes() : s->limit_bytes) / STEPS / MIB * MIB;
	if (!s->unit_bytes)
		s->unit_bytes = MIB;
	for (size_t i = 0; i < n; i++)
		sizes[i] = (int64_t)(s->unit_bytes * (whole ? machine_sizes[i]
							    : group_sizes[i]));
	BENCH_SET_NAME(b, "scope", whole ? "machine" : "group");
	bench_set_numbers(b, "sizes", BENCH_SIZE, sizes, n);
}

/*
 * The control group: pages that a process in it reads into the page cache are
 * charged to it.
 */

/* Make it below @dir, v1 or v2.  A v2 group that has processes, as our own,
 * cannot have limited groups below it, but those above it may. */
static void make_group(void *arg, const char *dir, bool is_v2)
{
	struct cache_state *s = arg;
	char limit[32];
	int err;

	if (s->group[0] || access(dir, F_OK))
		return;
	if (!s->home[0])
		snprintf(s->home, sizeof(s->home), "%s", dir);
	s->limit_file = is_v2 ? "memory.max" : "memory.limit_in_bytes";
	snprintf(s->group, sizeof(s->group),
		 "%.4000s/" GUARD_CGROUP "%016" PRIx64, dir,
		 bench_random(s->b));
	/* Noted before it is there, for we may be killed between the two. */
	bench_guard(s->b, "cgroup", s->group);
	snprintf(limit, sizeof(limit), "%" PRIu64, s->limit_bytes);
	err = mkdir(s->group, 0755)
		      ? -errno
		      : sysfile_write(limit, "%s/%s", s->group, s->limit_file);
	if (!err)
		return;
	/* v2: a group with no memory controller. */
	if (!s->refused)
		s->refused = err == -ENOENT ? ENOTSUP : -err;
	guard_remove_cgroup(s->group);
	s->group[0] = '\0';
}

static int open_group(struct bench *b, struct cache_state *s)
{
	groups_visit("", "memory", make_group, s);
	if (!s->home[0])
		return bench_skip(b, "no memory control group is mounted");
	return s->group[0] ? 0
			   : bench_skip(b,
					"cannot make a memory control group in "
					"%s or above it: %s",
					s->home, strerror(s->refused));
}

static int enter_group(struct bench *b, struct cache_state *s)
{
	const int err = sysfile_write("0", "%s/cgroup.procs", s->group);

	s->inside = !err;
	return err ? bench_fail(b, -err, "put a process into %s", s->group) : 0;
}

/* Make the file, @bytes of it, or one that file_contention reads as well. */
static int open_file(struct bench *b, struct cache_state *s, uint64_t bytes)
{
	const int err =
		bytes <= FILE_OWN_BYTES
			? file_data_own(b, &s->file, 0)
			: file_data_open(b, &s->file, NULL, "cache", bytes);

	if (err)
		return bench_fail(b, -err, "%s", s->file.why);
	return s->file.place.kind == FILE_PLACE_MEMORY
		       ? bench_skip(b,
				    "%s: nothing else holds the file (try "
				    "--dir)",
				    s->file.place.where)
		       : 0;
}

/* Read [@at, @end) of the file; the bytes that were right are added to @right.
 * Return: ns for a block. */
static double read_part(const struct cache_state *s, uint64_t at, uint64_t end,
			double *right)
{
	static char block[BLOCK];
	const ssize_t each = BLOCK;
	const double blocks = (double)(end - at) / BLOCK;
	const uint64_t from = at;
	uint64_t ticks;

	TIMER_INTERVAL(bench_timer(s->b)->method, ticks,
		       while (at < end && pread(s->file.fd, block, each,
						(off_t)at) == each) at += each);
	if (at == end && !file_data_sample(block, BLOCK, end - BLOCK))
		at -= BLOCK;
	*right += (double)(at - from);
	return bench_ns(s->b, (double)ticks) / blocks;
}

/* Read the end of the file, of size->bytes, in parts: nothing behind it can be
 * read ahead.  The rest of @size is filled in.  Return: bytes that were right.
 */
static double read_file(const struct cache_state *s, struct file_size *size)
{
	const uint64_t bytes = (uint64_t)size->bytes, end = s->file.bytes;
	const uint64_t least = (bytes + PARTS - 1) / PARTS;
	const uint64_t part = (least + MIB - 1) / MIB * MIB;
	double ns[PARTS], sum = 0, right = 0, stored = 0;
	size_t n = 0;

	for (uint64_t at = end - bytes; at < end; at += part, n++) {
		const struct file_counts before = file_counts(&s->file.place);

		ns[n] = read_part(s, at, end - at < part ? end : at + part,
				  &right);
		stored += fmax(0, (double)file_counts_since(&s->file.place,
							    &before)
					  .process_read);
		sum += ns[n];
	}
	size->stored = stored / right;
	/* A pause makes some parts of what is cached longer. */
	size->ns = size->stored < KNEE_CACHED ? stats_median(ns, n)
					      : sum / (double)n;
	return right;
}

/* The memory that the group says it holds: else the pages are not its own. */
static int check_charge(struct cache_state *s, const struct bench_case *c,
			uint64_t size)
{
	const int64_t limit =
		sysfile_number(-1, NULL, "%s/%s", s->group, s->limit_file);
	const bool is_v2 = !strcmp(s->limit_file, "memory.max");
	const int64_t charged = sysfile_number(-1, is_v2 ? "file" : "cache",
					       "%s/memory.stat", s->group);

	if (charged < 0 || limit <= 0)
		return bench_fail(s->b, errno, "read what %s holds", s->group);
	bench_purity(s->b, c, "charged_bytes", CHARGED,
		     (double)(size < (uint64_t)limit ? size : (uint64_t)limit),
		     (double)charged);
	bench_fact(s->b, c, "limit_bytes", (double)limit);
	return 0;
}

/* Drop it: what an earlier size has left would be kept for longer than what
 * is new.  Then read all of it once, as fast as may be. */
static int fill(struct cache_state *s, uint64_t size)
{
	const uint64_t from = s->file.bytes - size;
	struct file_counts before;
	int64_t cached;
	int err = file_data_uncache(s->b, &s->file, 0, 0);

	if (err)
		return err;
	before = file_counts(&s->file.place);
	cached = file_cache_fill(s->file.fd, from, size, PIECE);
	/* All was dropped, so it came from storage. */
	if (file_counts_since(&s->file.place, &before).process_read <= 0)
		return bench_skip(s->b,
				  "nothing tells whether reads from %s reach a "
				  "device: /proc/self/io counts no byte",
				  s->file.place.where);
	/* A little is missing: the group came to its limit for a moment while
	 * it was filled, so what fits may not be there yet. */
	if (s->group[0] && cached >= 0 && (uint64_t)cached < size &&
	    size - (uint64_t)cached < size / 8)
		cached = file_cache_fill(s->file.fd, from, size, PIECE);
	return cached < 0
		       ? bench_fail(s->b, (int)-cached, "read %s", s->file.path)
		       : 0;
}

/* As fast as may be into the cache, and then as it is timed. */
static int measure_size(void *arg, uint64_t bytes, struct file_size *size)
{
	struct cache_state *s = arg;
	struct bench *b = s->b;
	const struct bench_case *c = bench_next(b, NULL, "stat=knee");
	int err = fill(s, bytes);

	BENCH_EACH (b, of, "size")
		if (size_of(of) == bytes)
			c = of;
	if (!err && s->group[0])
		err = check_charge(s, c, bytes);
	if (err)
		return err;
	bench_proof(b, c, "bytes_read", size->bytes, read_file(s, size));
	bench_fact_text(b, c, "where", s->file.place.where);
	bench_fact(b, c, "cached_bytes",
		   (double)file_cache_bytes(s->file.fd, s->file.bytes - bytes,
					    bytes));
	if (case_has(c, "size"))
		bench_derive(b, c, size->ns);
	return 0;
}

/* The first of the machine's sizes for which there is room on the disk. */
static int choose_of_machine(struct bench *b, const struct cache_state *s,
			     uint64_t *size, size_t *n)
{
	const char *dir = bench_scratch(b);

	for (size_t i = 0; i < LENGTH(first); i++)
		if ((int64_t)(first[i] * s->unit_bytes) <= file_place_room(dir))
			size[(*n)++] = first[i] * s->unit_bytes;
	if (*n < 3)
		return bench_skip(b,
				  "half of the free space in %s is less "
				  "than three quarters of the memory",
				  dir);
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
	BENCH_EACH (b, c, "stat")
		all |= bench_selected(b, c);
	BENCH_EACH (b, c, "size")
		if (all || bench_selected(b, c))
			size[(*n)++] = size_of(c);
	return 0;
}

/* Everything is done here, for where the next size lies depends on the last
 * one. */
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
	if (!whole)
		err = open_group(b, s);
	/* Before the group is entered: writing it must not be charged. */
	if (!err)
		err = open_file(b, s, size[n - 1]);
	if (!err && !whole)
		err = enter_group(b, s);
	if (err)
		return err;
	err = knee_sweep(&s->knee, size, n, whole ? HALVINGS : 0, MIB,
			 measure_size, s);
	return err == -ENOENT || err == -EUCLEAN ? 0 : err;
}

/*
 * Conclusions from the sizes.
 */

static void derive_knee(struct bench *b, const struct cache_state *s,
			const struct bench_case *knee)
{
	const struct file_knee *k = &s->knee;

	bench_derive_between(b, knee, k->bytes, k->fits, k->fails);
	bench_derive(b, bench_beside(b, knee, "stat=cached"), k->cached_ns);
	bench_derive(b, bench_beside(b, knee, "stat=uncached"), k->uncached_ns);
	bench_fact_text(b, knee, "where", s->file.place.where);
	if (s->whole_machine)
		bench_fact(b, knee, "memory_bytes", (double)memory_bytes());
	else
		bench_expect(b, knee, (double)s->limit_bytes);
}

static void derive(struct bench *b, void *state)
{
	struct cache_state *s = state;
	const int err = knee_find(&s->knee);

	BENCH_EACH (b, c, "size")
		if (s->whole_machine && isnan(bench_value(b, c)))
			bench_derive_skip(b, c,
					  "not read: the knee was found "
					  "without this size");
	if (!err)
		derive_knee(b, s, bench_next(b, NULL, "stat=knee"));
	else
		BENCH_EACH (b, c, "stat")
			bench_derive_skip(
				b, c,
				!s->knee.n ? "none of the sizes was read"
				: err == -EUCLEAN
					? "a size came from storage and a "
					  "larger one did not: the cache was "
					  "not the same for both"
					: "the time of a block has no jump "
					  "over the %zu sizes that were read",
				s->knee.n);
}

static void teardown(struct bench *b, void *state)
{
	struct cache_state *s = state;

	/* Removing a group kills the processes in it: leave it first. */
	if (s->group[0] &&
	    (!s->inside || !sysfile_write("0", "%s/cgroup.procs", s->home)))
		guard_remove_cgroup(s->group);
	if (s->file.fd)
		file_cache_drop(s->file.fd, 0, 0);
	if (s->whole_machine)
		file_data_remove(&s->file);
}

const struct bench_desc bench_desc = {
	.opts = opts,
	.state_size = sizeof(struct cache_state),
	.points = points,
	.cases = cases,
	.setup = setup,
	.derive = derive,
	.teardown = teardown,
};
