/* SPDX-License-Identifier: MIT */
/*
 * cache_line - how many bytes does a cache fetch at once, and how many lines
 * with the same place does the first cache keep?
 *
 * A chain of pairs: a pointer in a page of its own leads to another `distance`
 * bytes behind it (in every second pair, at random, to one before it), that one
 * to the next page, in random order. If both are in one line, the second load
 * is a hit in the first cache. With memory=L2 all pairs fit the second cache,
 * so the step from hit to miss is the line's size (stat=line). With
 * memory=DRAM they are thrown out of all caches (clflush) before they are
 * followed, and the step shows what is fetched together: many processors fetch
 * lines in pairs, so at=64 (the second line of a pair) and at=0 can differ.
 *
 * ways=n rows follow a chain of n lines that are 4 KiB apart and so compete
 * for one set of the first cache. As long as they fit, each load is a hit: the
 * last n that does is its associativity (stat=ways), provided that a way is
 * no larger than a page. cache=L2,ways=n rows are the same for the second
 * cache with lines 256 KiB apart on huge pages: its place depends on bits of
 * the physical address that lie within a huge page. In a virtual machine a
 * huge page may be made of small ones; then no set fills up and stat=ways_L2
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
#include "lib/follow.h"
#include "lib/steps.h"

#ifndef _SC_LEVEL1_DCACHE_LINESIZE /* sysconf() of musl knows no caches */
#define _SC_LEVEL1_DCACHE_LINESIZE (-1)
#define _SC_LEVEL1_DCACHE_ASSOC	   (-1)
#define _SC_LEVEL2_CACHE_ASSOC	   (-1)
#endif

#define MAX_WAYS_L2 28			/* as the text says */
#define L2_STEP	    ((size_t)256 << 10) /* one way has no more bytes */
#define LINE_STEP   1.15 /* noise is less, a miss in L1 takes 3 times as long */
#define L1_STEP	    1.3 /* L2 takes three times as long, half of it if half fit */
/* L3 takes three to five times as long as L2 (2.4 with the first line too
 * many, of seventeen).  Where no set of L2 fills up, the curve is not flat: on
 * a Zen 3 lines that share an L1 set cost 12 to 16 cycles, by their number, and
 * 24 once. */
#define L2_MISS	    2
#define DRAM_PAGES  ((size_t)4096) /* a pair in each */
#define BATCH_GROWS 4 /* times the batch before, at most: 2n of the pilot's */

static const char points[] =
	"memory={L2,DRAM} at={0,64} "
	"distance={8,16,32,48,56,64,96,128,192,256};"
	"needs memory=$l2_pages*4K if memory=L2;"
	"needs memory=16M if memory=DRAM;" FOLLOW_OPS
	"stat=line; is derived higher unit=B;"
	"ways=1..24;" FOLLOW_OPS
	"cache=L2 ways=1..28; needs memory=ways*256K;" FOLLOW_OPS
	"stat={ways,ways_L2}; is derived higher unit='1';";

struct line_state {
	struct follow chain;
	size_t l2_pages;	    /* a pair in each */
	void *list[2 * DRAM_PAGES]; /* its lines, to be thrown out */
	bool in_dram;		    /* the pairs of this visit */
	/* Loads since the chain was thrown out of the caches, or more than it
	 * has lines; and in the last batch. */
	uint64_t loads, last;
};

static void cases(struct bench *b, void *state)
{
	struct line_state *s = state;
	const size_t l2 = bench_cache_bytes(b, 2);

	/* Two lines of each page: more than the first cache holds, half of
	 * the second, and few enough pages for a TLB. */
	s->l2_pages = l2 ? l2 / 2 / (2 * (size_t)CHASE_LINE) : 1024;
	if (s->l2_pages > 1024)
		s->l2_pages = 1024;
	BENCH_SET_NUMBER(b, "l2_pages", BENCH_INT, s->l2_pages);
}

/* The lines of the cycle. */
static void list(const struct chase *c, void **line)
{
	void *at = c->entry[0];

	for (size_t i = 0; i < c->lines; i++) {
		line[i] = at;
		at = *(void **)at;
	}
}

/* Pairs, or lines of one set: those of the first cache have all pointers at the
 * start of their page. */
static int enter(struct bench *b, void *state, const struct bench_case *c)
{
	struct line_state *s = state;
	const char *no_flush = ARCH_NO_FLUSH;
	const bool pairs = case_has(c, "distance"), l2 = case_has(c, "cache");
	const size_t set = l2 ? L2_STEP : CHASE_PAGE;
	struct follow_plan plan = {
		.link = pairs ? chase_link_pairs : chase_link_stride,
		.skew = pairs ? (size_t)case_int(c, "at") : 0,
		.step = pairs ? (size_t)case_int(c, "distance") : set,
		.pages = l2 ? MEM_THP : MEM_4K,
	};
	int err;

	s->in_dram = case_is(c, "memory", "DRAM");
	if (s->in_dram && no_flush)
		return bench_skip(b, "%s", no_flush);
	plan.bytes = !pairs	  ? (size_t)case_int(c, "ways") * set
		     : s->in_dram ? DRAM_PAGES * CHASE_PAGE
				  : s->l2_pages * CHASE_PAGE;
	err = follow_link(b, &s->chain, &plan, -1);
	if (err)
		return err;
	s->last = 0;
	s->loads = s->chain.chase.lines + 1;
	if (s->in_dram)
		list(&s->chain.chase, s->list);
	else
		follow_settle(b, c, &s->chain, true);
	return 0;
}

/* Throws the chain out of the caches before it would be followed for the
 * second time, whatever the size of the last one.  None of its lines is loaded
 * for that: a load could fetch the neighbour of one that is out already. */
static int prepare(struct bench *b, void *state, const struct bench_case *c)
{
	struct line_state *s = state;
	const size_t lines = s->chain.chase.lines;

	if (!s->in_dram || s->loads + BATCH_GROWS * s->last <= lines)
		return 0;
	for (size_t i = 0; i < lines; i++)
		ARCH_FLUSH(s->list[i]);
	ARCH_FLUSHED();
	s->loads = 0;
	return 0;
}

static int run(struct bench *b, void *state, const struct bench_case *c,
	       uint64_t iters)
{
	struct line_state *s = state;

	s->last = iters * CHASE_UNROLL;
	s->loads += s->last;
	return follow_run(b, state, c, iters);
}

/* Worth nothing: a batch that came round to lines that it has fetched. */
static void conclude(struct bench *b, void *state, const struct bench_case *c,
		     uint64_t iters)
{
	const struct line_state *s = state;

	if (s->in_dram && s->loads > s->chain.chase.lines)
		bench_skip(b,
			   "a batch of %llu loads is longer than the chain of "
			   "%zu lines: loads from memory take no time here",
			   (unsigned long long)s->loads, s->chain.chase.lines);
}

/* The rows of a figure and their latencies. */
struct rows {
	const struct bench_case *row[MAX_WAYS_L2];
	double ns[MAX_WAYS_L2];
	int n, gap; /* how many; the first without a value, or n */
};

/* @from: from which on they must have values. */
static struct rows rows_of(const struct bench *b, const char *where, int from)
{
	struct rows r = { .n = 0 };

	BENCH_EACH (b, c, where) {
		r.row[r.n] = c;
		r.ns[r.n++] = bench_value(b, c);
	}
	r.gap = steps_gap(r.ns, from, r.n);
	return r;
}

/* @found: 0 or below: it is not; @none: why, if all rows have values. */
static void derive_found(struct bench *b, const struct bench_case *c,
			 const struct rows *r, double found, const char *none)
{
	if (found > 0)
		bench_derive(b, c, found);
	else
		bench_derive_skip(b, c, "%s%s",
				  r->gap < r->n ? r->row[r->gap]->name : none,
				  r->gap < r->n ? " has no value" : "");
}

/* Where loads pass half-way from those of the least distance to the slower half
 * of the farthest. */
static void derive_line(struct bench *b, const struct bench_case *c)
{
	const struct rows r = rows_of(b, "memory=L2 at=0", 0);
	const double far = fmin(r.ns[r.n - 2], r.ns[r.n - 1]);
	int end = -1;

	if (r.gap == r.n && far > LINE_STEP * r.ns[0])
		end = levels_end(r.ns, (size_t)r.n, r.ns[0], far);
	derive_found(b, c, &r,
		     end >= 0 && end + 1 < r.n
			     ? (double)case_int(r.row[end + 1], "distance")
			     : 0,
		     "no distance makes the second load slower");
}

static void derive_ways(struct bench *b, const struct bench_case *l1,
			const struct bench_case *l2)
{
	struct rows r = rows_of(b, "ways !cache", 0);
	/* Ways of the first cache, which hides as many lines of the second. */
	const int ways = steps_ways(r.ns, 0, 4, r.gap, L1_STEP);

	derive_found(b, l1, &r, ways, "all lines of one set still fit");
	r = rows_of(b, "cache=L2 ways", ways + 1);
	if (!ways)
		bench_derive_skip(b, l2,
				  "the ways of the first cache are not known");
	else
		derive_found(b, l2, &r,
			     steps_ways(r.ns, ways + 1, 3, r.gap, L2_MISS),
			     "all lines that should be in one set still fit: "
			     "the huge pages are not in one piece in the "
			     "host's memory, or the first cache hides it");
}

/* The answer of CPUID, by way of libc. */
static void show_cpuid(struct bench *b, const char *row, const char *what,
		       int name)
{
	const long x = sysconf(name);

	if (x > 0)
		bench_fact(b, bench_find(b, "%s", row), what, (double)x);
}

static void derive(struct bench *b, void *state)
{
	derive_line(b, bench_find(b, "stat=line"));
	derive_ways(b, bench_find(b, "stat=ways"),
		    bench_find(b, "stat=ways_L2"));
	show_cpuid(b, "stat=line", "cpuid_bytes", _SC_LEVEL1_DCACHE_LINESIZE);
	show_cpuid(b, "stat=ways", "cpuid_ways", _SC_LEVEL1_DCACHE_ASSOC);
	show_cpuid(b, "stat=ways_L2", "cpuid_ways", _SC_LEVEL2_CACHE_ASSOC);
}

const struct bench_desc bench_desc = {
	.state_size = sizeof(struct line_state),
	.points = points,
	.cases = cases,
	.enter = enter,
	.prepare = prepare,
	.run = run,
	.conclude = conclude,
	.leave = follow_leave,
	.derive = derive,
};
