/* SPDX-License-Identifier: MIT */
/*
 * mem_latency - how long does a load take whose address comes from the load
 * before it, by how much memory is used?
 *
 * A chain of pointers, one in each cache line, is followed in assembler: each
 * load must wait for the one before it, so the time of a load is the latency
 * of the level of memory that holds it. The order decides what is measured.
 * `window` (the default) takes 96 random pages at a time and their lines in
 * random order, first all even lines, then all odd ones: prefetchers find no
 * stream and no neighbour, and translations are reused, so this is the
 * latency of caches and memory. `random` is fully random: address translation
 * is in it. `page_local` finishes one page before the next, which lets
 * prefetchers of today help. `chunk` is the list of the CSE 221 report: a
 * random element of the next chunk of `stride` bytes. `stride` walks upwards
 * and shows what prefetching gains. `page` visits one line in each 4 KiB.
 *
 * From the curve of `window` over sizes the levels are detected (plateaus with
 * ramps between them, by least cost: bench/lib/levels.h) and their size and
 * latency reported as rows of their own, with cycles from a chain of
 * additions that is timed after each batch, because the core's frequency
 * changes from moment to moment.
 *
 * Measures: ns per dependent load; for levels also bytes and core cycles.
 * Includes: nothing else: 32 loads and a countdown in one round.
 * After:    lmbench lat_mem_rd (a stride, which prefetchers follow: not
 *           comparable in memory), multichase (page_local with 4 KiB pages),
 *           the CSE 221 report's section 4.1 (chunk).
 * Needs:    memory: the largest size is 4 times the last cache and 256 MiB at
 *           least, as far as a quarter of the free memory allows.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "lib/chase.h"
#include "lib/levels.h"
#include "lib/mem_buffer.h"
#include "stats.h"

#define KIB	   ((size_t)1 << 10)
#define MIB	   ((size_t)1 << 20)
#define MAX_SPECS  128
#define MAX_LEVELS 3   /* caches that hwloc is asked for */
#define MAX_HZ	   256 /* samples of the core's frequency for a case */
#define SMALL	   MIB /* up to here cases are interleaved: cheap to link */
#define WALKED	   (16 * MIB) /* up to here the whole chain is walked first */
#define ADD_ROUNDS 20	      /* 10240 cycles: about 4 us */

enum pattern { WINDOW, RANDOM, PAGE_LOCAL, CHUNK, STRIDE, PAGE };

static const char *const pattern_names[] = { "window", "random", "page_local",
					     "chunk",  "stride", "page" };

struct spec {
	enum pattern pattern;
	enum mem_pages pages;
	size_t stride, bytes;
	const struct bench_case *c;
	double hz[MAX_HZ];
	size_t n_hz;
};

enum figure { FIG_SIZE, FIG_LATENCY, FIG_CYCLES, FIGURES };

static const char *const figure_names[] = { "size", "latency", "cycles" };

struct latency_state {
	struct spec spec[MAX_SPECS];
	size_t n_specs;
	/* Level 0 is memory, 1 ... are caches. */
	const struct bench_case *level[MAX_LEVELS + 1][FIGURES];
	double cache_bytes[MAX_LEVELS + 1];
	struct mem_buffer buffer[3]; /* by enum mem_pages, mapped when used */
	int64_t huge_bytes[3];	     /* of them, as smaps says */
	struct chase chase;
	void *at;
};

static const char too_big[] =
	"needs more than a quarter of the memory that is free or that the "
	"memory cgroup leaves";
static const char no_time[] =
	"left out below --effort 75: it takes longer to make than to measure";
static const char no_pool[] =
	"the pool of huge pages is too small (sysctl vm.nr_hugepages)";

/* What a quick run does without: sizes near a large last cache, of which the
 * levels need few, and long chains that are not for the levels. */
static bool slow_to_make(const struct latency_state *s, enum pattern pattern,
			 size_t bytes)
{
	if (pattern != WINDOW)
		return bytes > 16 * MIB && pattern != STRIDE;
	return bytes > 256 * MIB ||
	       (bytes > 64 * MIB &&
		(double)bytes < 2 * s->cache_bytes[MAX_LEVELS]);
}

static void add(struct bench *b, struct latency_state *s, enum pattern pattern,
		enum mem_pages pages, size_t stride, size_t bytes)
{
	struct bench_case c = {
		.params = { P_STR("pattern", pattern_names[pattern]) },
		.index = (int64_t)s->n_specs,
		.ops = CHASE_UNROLL,
		.budget_ms = bytes <= SMALL ? 6 : 12,
		.exclusive = bytes > SMALL,
	};
	struct bench_param *p = &c.params[1];

	if (s->n_specs == MAX_SPECS)
		return;
	if (stride)
		*p++ = (struct bench_param)P_SIZE("stride", (int64_t)stride);
	*p++ = (struct bench_param)P_STR("pages", mem_pages_name(pages));
	*p = (struct bench_param)P_SIZE("size", (int64_t)bytes);
	if (bytes > bench_spare_bytes(b))
		c.skip = too_big;
	else if (pages == MEM_HUGETLB && bytes > mem_huge_pool())
		c.skip = no_pool;
	else if (bench_effort(b) < 0.75 && slow_to_make(s, pattern, bytes))
		c.skip = no_time;
	s->spec[s->n_specs] = (struct spec) { .pattern = pattern,
					      .pages = pages,
					      .stride = stride,
					      .bytes = bytes };
	s->spec[s->n_specs].c = bench_add(b, &c);
	s->n_specs++;
}

/* Inserts @bytes into the ascending @sizes unless it is there. */
static size_t insert(size_t *sizes, size_t n, size_t bytes)
{
	size_t at = n;

	bytes = bytes / KIB * KIB;
	while (at > 0 && sizes[at - 1] > bytes)
		at--;
	if (!bytes || (at > 0 && sizes[at - 1] == bytes))
		return n;
	memmove(sizes + at + 1, sizes + at, (n - at) * sizeof(*sizes));
	sizes[at] = bytes;
	return n + 1;
}

/* The ladder: two sizes to an octave, one beyond 8 MiB where linking takes its
 * time, and steps of an eighth around each cache, of a quarter around large
 * ones. */
static size_t ladder(const double *cache_bytes, size_t max, size_t *sizes)
{
	size_t n = 0;

	for (size_t bytes = KIB; bytes <= max && bytes <= 64 * MIB;
	     bytes *= 2) {
		n = insert(sizes, n, bytes);
		if (bytes < 8 * MIB && bytes + bytes / 2 <= max)
			n = insert(sizes, n, bytes + bytes / 2);
	}
	for (int level = 1; level <= MAX_LEVELS; level++) {
		const size_t cache = (size_t)cache_bytes[level];
		const int large = cache > 8 * MIB;
		const size_t step = cache / (large ? 4 : 8);

		for (size_t k = large ? 4 : 6; step && k <= (large ? 5 : 10);
		     k++)
			if (k * step <= max)
				n = insert(sizes, n, k * step);
	}
	if (max > 256 * MIB)
		n = insert(sizes, n, 256 * MIB);
	return insert(sizes, n, max);
}

static size_t max_size(const struct latency_state *s)
{
	size_t max = 256 * MIB;

	for (int level = 1; level <= MAX_LEVELS; level++)
		if (4 * s->cache_bytes[level] > (double)max)
			max = 4 * (size_t)s->cache_bytes[level];
	return max;
}

static void add_levels(struct bench *b, struct latency_state *s)
{
	static const char *const names[] = { "memory", "1", "2", "3" };
	static const char *const units[] = { "B", "ns", "cycles" };

	for (int i = 1; i <= MAX_LEVELS + 1; i++) {
		const int level = i % (MAX_LEVELS + 1);

		for (int fig = 0; fig < FIGURES; fig++) {
			const struct bench_case c = {
				.params = { P_STR("level", names[level]),
					    P_STR("figure",
						  figure_names[fig]) },
				.unit = units[fig],
				.better = fig == FIG_SIZE ? BENCH_HIGHER
							  : BENCH_LOWER,
				.estimator = BENCH_EST_DERIVED,
				.derived = true,
			};

			if (level || fig != FIG_SIZE)
				s->level[level][fig] = bench_add(b, &c);
		}
	}
}

static int cases(struct bench *b, void *state)
{
	static const size_t some[] = { 32 * KIB, MIB, 8 * MIB, 64 * MIB };
	struct latency_state *s = state;
	size_t sizes[MAX_SPECS], n;

	for (unsigned int level = 1; level <= MAX_LEVELS; level++)
		s->cache_bytes[level] = (double)bench_cache_bytes(b, level);
	n = ladder(s->cache_bytes, max_size(s), sizes);
	for (size_t i = 0; i < n; i++)
		add(b, s, WINDOW, MEM_4K, 0, sizes[i]);
	for (size_t i = 0; i < 4; i++)
		add(b, s, WINDOW, MEM_THP, 0, some[i]);
	for (size_t i = 0; i < 4; i++)
		add(b, s, WINDOW, MEM_HUGETLB, 0, some[i]);
	for (size_t i = 1; i < 4; i++)
		add(b, s, RANDOM, MEM_4K, 0, some[i]);
	for (size_t i = 1; i < 4; i++)
		add(b, s, RANDOM, MEM_THP, 0, some[i]);
	for (size_t i = 2; i < 4; i++)
		add(b, s, PAGE_LOCAL, MEM_4K, 0, some[i]);
	for (size_t i = 0; i < 4; i++)
		add(b, s, CHUNK, MEM_4K, 512, some[i]);
	for (size_t stride = 64; stride <= 4096; stride *= 2)
		add(b, s, STRIDE, MEM_4K, stride, 64 * MIB);
	for (size_t i = 2; i < 4; i++)
		add(b, s, PAGE, MEM_4K, 0, some[i]);
	add_levels(b, s);
	return 0;
}

/* The largest case with these pages that is to be measured, bytes. */
static size_t largest(const struct bench *b, const struct latency_state *s,
		      enum mem_pages pages)
{
	size_t bytes = 0;

	for (size_t i = 0; i < s->n_specs; i++)
		if (s->spec[i].pages == pages && s->spec[i].bytes > bytes &&
		    bench_selected(b, s->spec[i].c))
			bytes = s->spec[i].bytes;
	return bytes;
}

/* Maps and touches a buffer for the largest case with these pages; the others
 * use its beginning. */
static int map_for(struct bench *b, struct latency_state *s,
		   enum mem_pages pages)
{
	struct mem_buffer *m = &s->buffer[pages];
	int err;

	if (m->base)
		return 0;
	err = mem_map(m, largest(b, s, pages), pages);
	if (err)
		return bench_fail(b, -err, "map %zu bytes of %s pages",
				  m->bytes, mem_pages_name(pages));
	mem_touch(m);
	s->huge_bytes[pages] = mem_huge_bytes(m);
	return 0;
}

/* Which pages @spec really has. */
static int check_pages(struct bench *b, const struct latency_state *s,
		       const struct spec *spec)
{
	const int64_t huge = s->huge_bytes[spec->pages];
	const size_t bytes = s->buffer[spec->pages].bytes;

	if (huge < 0)
		return bench_fail(b, (int)-huge, "/proc/self/smaps");
	if (spec->pages == MEM_4K && huge)
		return bench_fail(b, 0, "%lld bytes are on huge pages",
				  (long long)huge);
	if (spec->pages != MEM_4K && (size_t)huge < bytes)
		return bench_skip(b, "only %lld of %zu bytes got huge pages",
				  (long long)huge, bytes);
	bench_fact(b, spec->c, "page_bytes",
		   spec->pages == MEM_4K ? CHASE_PAGE : (double)MEM_HUGE_BYTES);
	return 0;
}

static int link_chain(struct bench *b, struct latency_state *s,
		      const struct spec *spec)
{
	char *base = s->buffer[spec->pages].base;
	const uint64_t seed = bench_random(b);

	switch (spec->pattern) {
	case WINDOW:
		return chase_link_window(&s->chase, base, spec->bytes, seed);
	case RANDOM:
		return chase_link_random(&s->chase, base, spec->bytes, seed);
	case PAGE_LOCAL:
		return chase_link_pages(&s->chase, base, spec->bytes, seed);
	case CHUNK:
		return chase_link_chunk(&s->chase, base, spec->bytes,
					spec->stride, seed);
	case STRIDE:
		return chase_link_stride(&s->chase, base, spec->bytes,
					 spec->stride);
	default:
		return chase_link_page(&s->chase, base, spec->bytes, CHASE_PAGE,
				       seed);
	}
}

static int enter(struct bench *b, void *state, const struct bench_case *c)
{
	struct latency_state *s = state;
	const struct spec *spec = &s->spec[c->index];
	int err = map_for(b, s, spec->pages);

	if (err)
		return err;
	err = check_pages(b, s, spec);
	if (err)
		return err;
	err = link_chain(b, s, spec);
	if (err)
		return bench_fail(b, -err, "link the chain");
	s->at = s->chase.entry[0];
	/* Linking has gone through the caches in the order of the chain.
	 * Where they could hold all of it, go through it once more. */
	if (spec->bytes <= WALKED)
		s->at = chase_run(s->at, s->chase.lines / CHASE_UNROLL + 1);
	return 0;
}

static int run(struct bench *b, void *state, const struct bench_case *c,
	       uint64_t iters)
{
	struct latency_state *s = state;

	(void)b;
	(void)c;
	s->at = chase_run(s->at, iters);
	return 0;
}

/* The core's frequency at this moment. */
static int conclude(struct bench *b, void *state, const struct bench_case *c,
		    uint64_t iters)
{
	struct latency_state *s = state;
	struct spec *spec = &s->spec[c->index];
	uint64_t once, twice;

	(void)iters;
	if (spec->pattern != WINDOW || spec->n_hz == MAX_HZ)
		return 0;
	TIMER_INTERVAL(bench_timer(b)->method, once, chase_adds(ADD_ROUNDS));
	TIMER_INTERVAL(bench_timer(b)->method, twice,
		       chase_adds(ADD_ROUNDS + ADD_ROUNDS));
	if (twice > once)
		spec->hz[spec->n_hz++] = (double)ADD_ROUNDS * CHASE_ADDS *
					 bench_timer(b)->hz /
					 (double)(twice - once);
	return 0;
}

/* The chain must still be the one that was linked, and of all the lines. */
static int leave(struct bench *b, void *state, const struct bench_case *c)
{
	struct latency_state *s = state;

	if (s->at && s->chase.lines)
		bench_evidence(b, c, "lines_visited", (double)s->chase.lines,
			       (double)chase_verify(&s->chase));
	s->at = NULL;
	return 0;
}

/* What the detected levels are made from. */
struct curve {
	double size[MAX_SPECS], latency[MAX_SPECS], cycles[MAX_SPECS];
	size_t n;
};

static void curve_get(struct bench *b, struct latency_state *s,
		      struct curve *curve)
{
	curve->n = 0;
	for (size_t i = 0; i < s->n_specs; i++) {
		struct spec *spec = &s->spec[i];
		const double ns = bench_value(b, spec->c);

		if (spec->pattern != WINDOW || spec->pages != MEM_4K ||
		    !isfinite(ns) || !spec->n_hz)
			continue;
		curve->size[curve->n] = (double)spec->bytes;
		curve->latency[curve->n] = ns;
		curve->cycles[curve->n++] =
			ns * 1e-9 * stats_median(spec->hz, spec->n_hz);
	}
}

static void skip_level(struct bench *b, struct latency_state *s, int level,
		       const char *why)
{
	for (int fig = 0; fig < FIGURES; fig++)
		if (s->level[level][fig])
			bench_derive_skip(b, s->level[level][fig], "%s", why);
}

static void derive_level(struct bench *b, struct latency_state *s, int level,
			 const struct level *l, struct curve *curve)
{
	const size_t n = l->last - l->first + 1;
	double cycles[MAX_SPECS];

	memcpy(cycles, curve->cycles + l->first, n * sizeof(*cycles));
	bench_derive(b, s->level[level][FIG_LATENCY], l->latency_ns);
	bench_derive(b, s->level[level][FIG_CYCLES], stats_median(cycles, n));
	if (!s->level[level][FIG_SIZE])
		return;
	bench_derive(b, s->level[level][FIG_SIZE], l->size_bytes);
	bench_fact(b, s->level[level][FIG_SIZE], "hwloc_bytes",
		   s->cache_bytes[level]);
}

static int derive(struct bench *b, void *state)
{
	struct latency_state *s = state;
	struct level levels[LEVELS_MAX];
	struct curve curve;
	int n;

	curve_get(b, s, &curve);
	n = levels_find(curve.size, curve.latency, curve.n, levels);
	for (int level = 1; level <= MAX_LEVELS; level++) {
		const int at =
			n < 2 ? -ENOENT
			      : levels_match(levels, (size_t)n,
					     s->cache_bytes + 1, MAX_LEVELS,
					     (size_t)level - 1);

		if (at >= 0)
			derive_level(b, s, level, &levels[at], &curve);
		else
			skip_level(b, s, level,
				   "the curve has no plateau of its own for "
				   "this level: no such cache, or others use "
				   "it up");
	}
	/* Memory must have been reached: a size beyond all caches. */
	if (n >= 2 && levels[n - 1].size_bytes > s->cache_bytes[MAX_LEVELS])
		derive_level(b, s, 0, &levels[n - 1], &curve);
	else
		skip_level(b, s, 0,
			   "no size beyond the caches could be measured");
	return 0;
}

static void teardown(struct bench *b, void *state)
{
	struct latency_state *s = state;

	(void)b;
	for (int i = 0; i < 3; i++)
		mem_unmap(&s->buffer[i]);
}

const struct bench_desc bench_desc = {
	.name = "mem_latency",
	.state_size = sizeof(struct latency_state),
	.cases = cases,
	.enter = enter,
	.run = run,
	.conclude = conclude,
	.leave = leave,
	.derive = derive,
	.teardown = teardown,
};
