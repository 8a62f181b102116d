/* SPDX-License-Identifier: MIT */
/*
 * cache_line - how many bytes does a cache fetch at once, and how many lines
 * with the same place does the first cache keep?
 *
 * A chain of pairs: a pointer in a page of its own leads to another `distance`
 * bytes behind it, that one to the next page, in random order. If both are in
 * one line, the second load is a hit in the first cache. With memory=L2 all
 * pairs fit the second cache, so the step from hit to miss is the line's size
 * (figure=line). With memory=DRAM they do not, and the step shows what is
 * fetched together: many processors fetch lines in pairs, so at=64 (the second
 * line of a pair) and at=0 can differ.
 *
 * ways=n rows follow a chain of n lines that are 4 KiB apart and so compete
 * for one set of the first cache. As long as they fit, each load is a hit: the
 * last n that does is its associativity (figure=ways), provided that a way is
 * no larger than a page. For further caches the place depends on bits of the
 * physical address, which a program does not know: no rows.
 *
 * Measures: ns for one dependent load, mean of the two of a pair; line in
 *           bytes; ways.
 * Includes: memory=DRAM: address translation, one page for each pair.
 * After:    lmbench line and cache.
 * Needs:    64 MiB of memory beyond the last cache for memory=DRAM.
 */
#include <math.h>
#include <unistd.h>

#include "bench.h"
#include "lib/chase.h"
#include "lib/mem_buffer.h"

#define MIB	 ((size_t)1 << 20)
#define MAX_WAYS 24
#define STEP	 1.15 /* a plateau's noise is less, a miss in L1 is 3 times */

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
	const struct bench_case *line, *ways;
	size_t pages[WHERES]; /* a pair in each */
	struct mem_buffer buffer;
	struct chase chase;
	void *at;
};

static const char too_big[] =
	"needs more than a quarter of the memory that is free or that the "
	"memory cgroup leaves";

static void add_pairs(struct bench *b, struct line_state *s)
{
	for (int w = 0; w < WHERES; w++)
		for (size_t a = 0; a < STARTS; a++)
			for (size_t d = 0; d < DISTANCES; d++) {
				const struct bench_case c = {
					.params = { P_STR("memory",
							  where_names[w]),
						    P_INT("at", starts[a]),
						    P_INT("distance",
							  distances[d]) },
					.index = (int64_t)((w * STARTS + a) *
								   DISTANCES +
							   d),
					.ops = CHASE_UNROLL,
					.budget_ms = 5,
					.exclusive = w == IN_DRAM,
					.skip = s->pages[w] * CHASE_PAGE >
								bench_spare_bytes(
									b)
							? too_big
							: NULL,
				};

				s->pair[w][a][d] = bench_add(b, &c);
			}
}

static int cases(struct bench *b, void *state)
{
	struct line_state *s = state;
	const size_t l2 = bench_cache_bytes(b, 2),
		     llc = bench_cache_bytes(b, 3);
	struct bench_case figure = {
		.params = { P_STR("figure", "line") },
		.unit = "B",
		.better = BENCH_HIGHER,
		.estimator = BENCH_EST_DERIVED,
		.derived = true,
	};

	/* Two lines of each page: more than the first cache holds, half of
	 * the second, and few enough pages for a TLB.  For DRAM the lines
	 * alone must not fit the last cache. */
	s->pages[IN_L2] = l2 ? l2 / 2 / (2 * (size_t)CHASE_LINE) : 1024;
	if (s->pages[IN_L2] > 1024)
		s->pages[IN_L2] = 1024;
	s->pages[IN_DRAM] = (llc > 32 * MIB ? llc : 32 * MIB) / CHASE_PAGE * 2;
	add_pairs(b, s);
	s->line = bench_add(b, &figure);
	for (int n = 0; n < MAX_WAYS; n++) {
		const struct bench_case c = {
			.params = { P_INT("ways", n + 1) },
			.index = (int64_t)PAIRS + n,
			.ops = CHASE_UNROLL,
			.budget_ms = 3,
		};

		s->way[n] = bench_add(b, &c);
	}
	figure.params[0] = (struct bench_param)P_STR("figure", "ways");
	figure.unit = "1";
	s->ways = bench_add(b, &figure);
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

static int enter(struct bench *b, void *state, const struct bench_case *c)
{
	struct line_state *s = state;
	const size_t i = (size_t)c->index;
	const uint64_t seed = bench_random(b);
	int err;

	if (i >= PAIRS)
		/* All pointers at the start of their page: one set. */
		err = chase_link_stride(&s->chase, s->buffer.base,
					(i - PAIRS + 1) * CHASE_PAGE,
					CHASE_PAGE);
	else
		err = chase_link_pairs(&s->chase, s->buffer.base,
				       s->pages[i / DISTANCES / STARTS],
				       CHASE_PAGE / 2 +
					       starts[i / DISTANCES % STARTS],
				       distances[i % DISTANCES], seed);
	if (err)
		return bench_fail(b, -err, "link the chain");
	s->at = s->chase.entry[0];
	if (i >= PAIRS || i / DISTANCES / STARTS == IN_L2)
		s->at = chase_run(s->at, 2 * s->chase.lines / CHASE_UNROLL + 1);
	return 0;
}

static int run(struct bench *b, void *state, const struct bench_case *c,
	       uint64_t iters)
{
	struct line_state *s = state;

	(void)b;
	(void)c;
	s->at = chase_run(s->at, iters);
	return 0;
}

static int leave(struct bench *b, void *state, const struct bench_case *c)
{
	struct line_state *s = state;

	if (s->chase.lines)
		bench_evidence(b, c, "pointers_visited", (double)s->chase.lines,
			       (double)chase_verify(&s->chase));
	return 0;
}

/* The smallest distance at which the second load is no hit: half of the way
 * from the nearest to the farthest. */
static void derive_line(struct bench *b, const struct line_state *s)
{
	const struct bench_case *const *row = s->pair[IN_L2][0];
	const double near = bench_value(b, row[0]);
	const double far = bench_value(b, row[DISTANCES - 1]);

	if (!(far > near * STEP)) {
		bench_derive_skip(b, s->line,
				  "no distance makes the second load slower");
		return;
	}
	for (size_t d = 0; d < DISTANCES; d++)
		if (bench_value(b, row[d]) > (near + far) / 2) {
			bench_derive(b, s->line, distances[d]);
			return;
		}
}

/* The last n before loads of n lines of one set are slower than of few. */
static void derive_ways(struct bench *b, const struct line_state *s)
{
	double base = INFINITY;

	for (int n = 0; n < 4; n++)
		base = fmin(base, bench_value(b, s->way[n]));
	for (int n = 1; n < MAX_WAYS; n++)
		if (bench_value(b, s->way[n]) > base * STEP &&
		    (n + 1 == MAX_WAYS ||
		     bench_value(b, s->way[n + 1]) > base * STEP)) {
			bench_derive(b, s->ways, n);
			return;
		}
	bench_derive_skip(b, s->ways, "%d lines of one set still fit",
			  MAX_WAYS);
}

static int derive(struct bench *b, void *state)
{
	const struct line_state *s = state;
	const long line = sysconf(_SC_LEVEL1_DCACHE_LINESIZE);
	const long ways = sysconf(_SC_LEVEL1_DCACHE_ASSOC);

	derive_line(b, s);
	derive_ways(b, s);
	/* What CPUID says, by way of libc. */
	if (line > 0)
		bench_fact(b, s->line, "cpuid_bytes", (double)line);
	if (ways > 0)
		bench_fact(b, s->ways, "cpuid_ways", (double)ways);
	return 0;
}

static void teardown(struct bench *b, void *state)
{
	struct line_state *s = state;

	(void)b;
	mem_unmap(&s->buffer);
}

const struct bench_desc bench_desc = {
	.name = "cache_line",
	.state_size = sizeof(struct line_state),
	.cases = cases,
	.setup = setup,
	.enter = enter,
	.run = run,
	.leave = leave,
	.derive = derive,
	.teardown = teardown,
};
