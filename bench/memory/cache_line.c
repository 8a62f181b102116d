/* SPDX-License-Identifier: MIT */
/*
 * cache_line - how many bytes does a cache fetch at once, and how many lines
 * with the same place does the first cache keep?
 *
 * A chain of pairs: a pointer in a page of its own leads to another `distance`
 * bytes behind it (in every second pair, at random, to one before it), that one
 * to the next page, in random order. If both are in one line, the second load
 * is a hit in the first cache. With memory=L2 all pairs fit the second cache,
 * so the step from hit to miss is the line's size (figure=line). With
 * memory=DRAM they are thrown out of all caches (clflush) before they are
 * followed, and the step shows what is fetched together: many processors fetch
 * lines in pairs, so at=64 (the second line of a pair) and at=0 can differ.
 *
 * ways=n rows follow a chain of n lines that are 4 KiB apart and so compete
 * for one set of the first cache. As long as they fit, each load is a hit: the
 * last n that does is its associativity (figure=ways), provided that a way is
 * no larger than a page. cache=L2,ways=n rows are the same for the second
 * cache with lines 256 KiB apart on huge pages: its place depends on bits of
 * the physical address that lie within a huge page. In a virtual machine a
 * huge page may be made of small ones; then no set fills up and figure=ways_L2
 * is skipped. The place in a last cache is a hash of the physical address that
 * is not public: no rows.
 *
 * Measures: ns for one dependent load, mean of the two of a pair; line in
 *           bytes; ways.
 * Includes: memory=DRAM: address translation, one page for each pair.
 * After:    lmbench line and cache.
 * Needs:    16 MiB of memory; huge pages for cache=L2.
 */
#include <math.h>
#include <unistd.h>

#include "arch.h"
#include "bench.h"
#include "lib/cache_steps.h"
#include "lib/chase.h"
#include "lib/mem_buffer.h"
#include "lib/settle.h"

#ifndef _SC_LEVEL1_DCACHE_LINESIZE /* sysconf() of musl knows no caches */
#define _SC_LEVEL1_DCACHE_LINESIZE (-1)
#define _SC_LEVEL1_DCACHE_ASSOC	   (-1)
#define _SC_LEVEL2_CACHE_ASSOC	   (-1)
#endif

#define MAX_WAYS    24 /* of the first cache */
#define MAX_WAYS_L2 28
#define L2_STEP	    ((size_t)256 << 10) /* one way has no more bytes */
#define L2_HUGES    ((MAX_WAYS_L2 * L2_STEP + MEM_HUGE_BYTES - 1) / MEM_HUGE_BYTES)
#define L1_STEP	    1.3 /* L2 takes three times as long, half of it if half fit */
/* L3 takes three to five times as long as L2 (2.4 with the first line too
 * many, of seventeen).  Where no set of L2 fills up, the curve is not flat: on
 * a Zen 3 lines that share an L1 set cost 12 to 16 cycles, by their number, and
 * 24 once. */
#define L2_MISS	    2
#define DRAM_PAGES  4096 /* a pair in each */
#define BATCH_GROWS 4 /* times the batch before, at most: 2n of the pilot's */
#define NO_VALUE    "%s has no value"

enum where { IN_L2, IN_DRAM, WHERES };

static const char *const where_names[] = { "L2", "DRAM" };
static const unsigned int distances[] = { 8,  16, 32,  48,  56,
					  64, 96, 128, 192, 256 };
static const unsigned int starts[] = { 0, 64 };

#define DISTANCES (sizeof(distances) / sizeof(distances[0]))
#define STARTS	  (sizeof(starts) / sizeof(starts[0]))
#define PAIRS	  (WHERES * STARTS * DISTANCES)

struct line_state {
	const struct bench_case *pair[WHERES][STARTS][DISTANCES];
	const struct bench_case *way[MAX_WAYS];
	const struct bench_case *way_l2[MAX_WAYS_L2];
	const struct bench_case *line, *ways, *ways_l2;
	size_t pages[WHERES]; /* a pair in each */
	struct mem_buffer buffer, huge;
	int64_t huge_bytes; /* of the second, as smaps says */
	struct chase chase;
	void *at;
	void *list[2 * DRAM_PAGES]; /* its lines, to be thrown out */
	bool flushed;	/* the chain was thrown out of the caches ... */
	uint64_t loads; /* ... and so many loads followed it since, */
	uint64_t last;	/* so many in the last batch */
};

static const char too_big[] =
	"needs more than a quarter of the memory that is free or that the "
	"memory cgroup leaves";

static void add_pair(struct bench *b, struct line_state *s, size_t w, size_t a,
		     size_t d)
{
	struct bench_case c = {
		.params = { P_STR("memory", where_names[w]),
			    P_INT("at", starts[a]),
			    P_INT("distance", distances[d]) },
		.index = (int64_t)((w * STARTS + a) * DISTANCES + d),
		.ops = CHASE_UNROLL,
	};

	if (s->pages[w] * CHASE_PAGE > bench_spare_bytes(b))
		c.skip = too_big;
	s->pair[w][a][d] = bench_add(b, &c);
}

static void add_pairs(struct bench *b, struct line_state *s)
{
	for (size_t w = 0; w < WHERES; w++)
		for (size_t a = 0; a < STARTS; a++)
			for (size_t d = 0; d < DISTANCES; d++)
				add_pair(b, s, w, a, d);
}

static void add_ways(struct bench *b, struct line_state *s)
{
	for (int n = 0; n < MAX_WAYS + MAX_WAYS_L2; n++) {
		const bool first = n < MAX_WAYS;
		const int ways = first ? n + 1 : n - MAX_WAYS + 1;
		struct bench_case c = {
			.params = { P_INT("ways", ways) },
			.index = (int64_t)PAIRS + n,
			.ops = CHASE_UNROLL,
		};

		if (!first) {
			c.params[0] = (struct bench_param)P_STR("cache", "L2");
			c.params[1] = (struct bench_param)P_INT("ways", ways);
			if (L2_HUGES * MEM_HUGE_BYTES > bench_spare_bytes(b))
				c.skip = too_big;
		}
		*(first ? &s->way[n] : &s->way_l2[n - MAX_WAYS]) =
			bench_add(b, &c);
	}
}

static int cases(struct bench *b, void *state)
{
	struct line_state *s = state;
	const size_t l2 = bench_cache_bytes(b, 2);
	struct bench_case figure = {
		.params = { P_STR("figure", "line") },
		.unit = "B",
		.better = BENCH_HIGHER,
		.estimator = BENCH_EST_DERIVED,
		.derived = true,
	};

	/* Two lines of each page: more than the first cache holds, half of
	 * the second, and few enough pages for a TLB. */
	s->pages[IN_L2] = l2 ? l2 / 2 / (2 * (size_t)CHASE_LINE) : 1024;
	if (s->pages[IN_L2] > 1024)
		s->pages[IN_L2] = 1024;
	s->pages[IN_DRAM] = DRAM_PAGES;
	add_pairs(b, s);
	s->line = bench_add(b, &figure);
	add_ways(b, s);
	figure.params[0] = (struct bench_param)P_STR("figure", "ways");
	figure.unit = "1";
	s->ways = bench_add(b, &figure);
	figure.params[0] = (struct bench_param)P_STR("figure", "ways_L2");
	s->ways_l2 = bench_add(b, &figure);
	return 0;
}

static int setup(struct bench *b, void *state)
{
	struct line_state *s = state;
	const size_t dram = s->pages[IN_DRAM] * CHASE_PAGE;
	const size_t bytes = dram <= bench_spare_bytes(b)
				     ? dram
				     : s->pages[IN_L2] * CHASE_PAGE;
	const int err = mem_map(&s->buffer, bytes, MEM_4K);

	if (err)
		return bench_fail(b, -err, "map %zu bytes", bytes);
	mem_touch(&s->buffer);
	return 0;
}

/* The chain of n lines of one set. */
static int link_ways(struct bench *b, struct line_state *s, size_t n)
{
	int err;

	/* All pointers at the start of their page. */
	if (n <= MAX_WAYS)
		return chase_link_stride(&s->chase, s->buffer.base,
					 n * CHASE_PAGE, CHASE_PAGE);
	if (!s->huge.base) {
		err = mem_map(&s->huge, L2_HUGES * MEM_HUGE_BYTES, MEM_THP);
		if (err)
			return err;
		mem_touch(&s->huge);
		s->huge_bytes = mem_huge_bytes(&s->huge);
	}
	if (s->huge_bytes < (int64_t)s->huge.bytes)
		return mem_skip_huge(b, s->huge_bytes, s->huge.bytes);
	return chase_link_stride(&s->chase, s->huge.base,
				 (n - MAX_WAYS) * L2_STEP, L2_STEP);
}

static int enter(struct bench *b, void *state, const struct bench_case *c)
{
	struct line_state *s = state;
	const size_t i = (size_t)c->index;
	const uint64_t seed = bench_random(b);
	int err;

	s->chase.lines = 0;
	s->last = 0;
	if (i >= PAIRS)
		err = link_ways(b, s, i - PAIRS + 1);
	else
		err = chase_link_pairs(&s->chase, s->buffer.base,
				       s->pages[i / DISTANCES / STARTS],
				       starts[i / DISTANCES % STARTS],
				       distances[i % DISTANCES], seed);
	if (err)
		return bench_fail(b, -err, "link the chain");
	s->at = s->chase.entry[0];
	s->flushed = false;
	if (i < PAIRS && i / DISTANCES / STARTS == IN_DRAM) {
		const char *why = ARCH_NO_FLUSH;

		if (why)
			return bench_skip(b, "%s", why);
		chase_list(&s->chase, s->list);
		return 0;
	}
	settle_chase(b, c, &s->chase);
	s->at = chase_run(s->at, s->chase.lines / CHASE_UNROLL + 1);
	return 0;
}

/* Throws the chain out of the caches before it would be followed for the
 * second time, whatever the size of the last one. */
static int prepare(struct bench *b, void *state, const struct bench_case *c)
{
	struct line_state *s = state;

	if ((size_t)c->index >= PAIRS ||
	    (size_t)c->index / DISTANCES / STARTS != IN_DRAM)
		return 0;
	if (s->flushed && s->loads + BATCH_GROWS * s->last <= s->chase.lines)
		return 0;
	chase_flush(s->list, s->chase.lines);
	s->flushed = true;
	s->loads = 0;
	return 0;
}

static int run(struct bench *b, void *state, const struct bench_case *c,
	       uint64_t iters)
{
	struct line_state *s = state;

	s->at = chase_run(s->at, iters);
	s->last = iters * CHASE_UNROLL;
	s->loads += s->last;
	return 0;
}

/* A batch that came round to lines that it has fetched itself is worth
 * nothing. */
static int conclude(struct bench *b, void *state, const struct bench_case *c,
		    uint64_t iters)
{
	const struct line_state *s = state;

	if (s->flushed && s->loads > s->chase.lines)
		return bench_skip(b,
				  "a batch of %llu loads is longer than the "
				  "chain of %zu lines: loads from memory take "
				  "no time here",
				  (unsigned long long)s->loads, s->chase.lines);
	return 0;
}

static int leave(struct bench *b, void *state, const struct bench_case *c)
{
	struct line_state *s = state;

	if (s->chase.lines)
		bench_proof(b, c, "pointers_visited", (double)s->chase.lines,
			    (double)chase_verify(&s->chase));
	return 0;
}

/* The latencies of @n rows.  Return: of which the first gap from @from on is;
 * @n: there is none. */
static int values(const struct bench *b, const struct bench_case *const *row,
		  int from, int n, double *ns)
{
	for (int i = 0; i < n; i++)
		ns[i] = bench_value(b, row[i]);
	return cache_steps_gap(ns, from, n);
}

static void derive_line(struct bench *b, const struct line_state *s)
{
	const struct bench_case *const *row = s->pair[IN_L2][0];
	double ns[DISTANCES];
	const int rows = values(b, row, 0, DISTANCES, ns);
	const int line =
		rows == (int)DISTANCES ? cache_steps_line(ns, rows) : 0;

	if (line > 0)
		bench_derive(b, s->line, distances[line]);
	else if (rows < (int)DISTANCES)
		bench_derive_skip(b, s->line, NO_VALUE, row[rows]->name);
	else if (line < 0)
		bench_derive_skip(b, s->line,
				  "%u bytes apart loads are slower, but "
				  "farther apart not all are",
				  distances[-line]);
	else
		bench_derive_skip(b, s->line,
				  "no distance makes the second load slower");
}

/* Return: the ways of the first cache, 0: not known. */
static int derive_ways(struct bench *b, const struct line_state *s)
{
	double ns[MAX_WAYS];
	const int rows = values(b, s->way, 0, MAX_WAYS, ns);
	const int ways = cache_steps_ways(ns, 0, 4, rows, L1_STEP);

	if (ways)
		bench_derive(b, s->ways, ways);
	else if (rows < MAX_WAYS)
		bench_derive_skip(b, s->ways, NO_VALUE, s->way[rows]->name);
	else
		bench_derive_skip(b, s->ways, "%d lines of one set still fit",
				  MAX_WAYS);
	return ways;
}

/* @l1: ways of the first cache, which hides as many lines of the second. */
static void derive_ways_l2(struct bench *b, const struct line_state *s, int l1)
{
	double ns[MAX_WAYS_L2];
	const int rows = values(b, s->way_l2, l1 + 1, MAX_WAYS_L2, ns);
	const int ways = cache_steps_ways(ns, l1 + 1, 3, rows, L2_MISS);

	if (ways)
		bench_derive(b, s->ways_l2, ways);
	else if (rows < MAX_WAYS_L2)
		bench_derive_skip(b, s->ways_l2, NO_VALUE,
				  s->way_l2[rows]->name);
	else
		bench_derive_skip(b, s->ways_l2,
				  "%d lines that should be in one set still "
				  "fit: the huge pages are not in one piece in "
				  "the host's memory, or the first cache hides "
				  "it",
				  MAX_WAYS_L2);
}

static int derive(struct bench *b, void *state)
{
	const struct line_state *s = state;
	const long line = sysconf(_SC_LEVEL1_DCACHE_LINESIZE);
	const long ways = sysconf(_SC_LEVEL1_DCACHE_ASSOC);
	const long ways_l2 = sysconf(_SC_LEVEL2_CACHE_ASSOC);
	int l1;

	derive_line(b, s);
	l1 = derive_ways(b, s);
	if (l1)
		derive_ways_l2(b, s, l1);
	else
		bench_derive_skip(b, s->ways_l2,
				  "the ways of the first cache are not known");
	/* What CPUID says, by way of libc. */
	if (line > 0)
		bench_fact(b, s->line, "cpuid_bytes", (double)line);
	if (ways > 0)
		bench_fact(b, s->ways, "cpuid_ways", (double)ways);
	if (ways_l2 > 0)
		bench_fact(b, s->ways_l2, "cpuid_ways", (double)ways_l2);
	return 0;
}

static void teardown(struct bench *b, void *state)
{
	struct line_state *s = state;

	mem_unmap(&s->buffer);
	mem_unmap(&s->huge);
}

const struct bench_desc bench_desc = {
	.name = "cache_line",
	.state_size = sizeof(struct line_state),
	.cases = cases,
	.setup = setup,
	.enter = enter,
	.prepare = prepare,
	.run = run,
	.conclude = conclude,
	.leave = leave,
	.derive = derive,
	.teardown = teardown,
};
