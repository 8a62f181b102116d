/* SPDX-License-Identifier: MIT */
/*
 * tlb - how many pages can be used before translating their addresses takes
 * time, and how much?
 *
 * A chain visits one line in each of n pages of 4 KiB in random order
 * (layout=page). The same number of lines packed side by side (layout=dense)
 * uses as much of the caches but few pages, so the difference of the two is
 * the price of translation. From its curve the levels of the TLB are detected
 * as those of the caches are (bench/memory/lib/levels.h): the row figure=reach
 * is how many pages a level covers, figure=miss what a load costs more beyond
 * it; where the cost goes on rising, it is that at four times the reach, from
 * that at twice the reach to the greatest. The last
 * level is the walk through the page tables; how long that takes depends on
 * which of the tables' lines are cached, and in a virtual machine each step has
 * its own walk through the hypervisor's tables.
 *
 * layout=huge visits one line in each 2 MiB page, where such pages are to be
 * had, and in each another 4 KiB of it: a processor in a virtual machine keeps
 * the smaller of the guest's and the hypervisor's pages, and pieces that differ
 * by 2 MiB share one set of the TLB.
 *
 * Measures: ns for one dependent load; reach in pages; ns added by a miss.
 * Includes: layout=page: the access to the cache; the entries of the page
 *           table use the caches too.
 * After:    lmbench tlb.
 * Needs:    64 MiB of memory (and 256 MiB for huge pages) for the largest n.
 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "bench.h"
#include "lib/chase.h"
#include "lib/levels.h"
#include "lib/mem_buffer.h"
#include "lib/settle.h"
#include "stats.h"

enum layout { PAGE, DENSE, HUGE_PAGE, LAYOUTS };

static const char *const layout_names[] = { "page", "dense", "huge" };

static const unsigned int counts[] = {
	8,    12,   16,	  24,	32,   40,   48,	  56,	64,    72,   80,
	96,   112,  128,  192,	256,  384,  512,  640,	768,   1024, 1280,
	1536, 1792, 2048, 2560, 3072, 4096, 6144, 8192, 12288, 16384
};
static const unsigned int huge_counts[] = { 4, 8, 16, 24, 32, 48, 64, 96, 128 };

#define COUNTS	 (sizeof(counts) / sizeof(counts[0]))
#define HUGES	 (sizeof(huge_counts) / sizeof(huge_counts[0]))
#define MAX_TLBS 2 /* levels that are reported */

struct tlb_state {
	const struct bench_case *row[LAYOUTS][COUNTS];
	const struct bench_case *reach[MAX_TLBS], *miss[MAX_TLBS];
	struct mem_buffer buffer[2]; /* base pages, huge pages */
	int64_t huge_bytes;	     /* of the second, as smaps says */
	struct chase chase;
	void *at;
};

static const char too_big[] =
	"needs more than a quarter of the memory that is free or that the "
	"memory cgroup leaves";
static const char no_step[] = "the curve has no step for this level";

static void add(struct bench *b, struct tlb_state *s, enum layout layout,
		size_t i)
{
	const bool huge = layout == HUGE_PAGE;
	const unsigned int pages = huge ? huge_counts[i] : counts[i];
	/* Both buffers are kept, the small pages' and the huge pages'. */
	const size_t bytes =
		huge ? pages * MEM_HUGE_BYTES +
				counts[COUNTS - 1] * bench_page_bytes()
		     : pages * bench_page_bytes();
	const struct bench_case c = {
		.params = { P_STR("layout", layout_names[layout]),
			    P_INT("pages", pages) },
		.index = layout * (int)COUNTS + (int)i,
		.ops = CHASE_UNROLL,
		.skip = bytes > bench_spare_bytes(b) ? too_big : NULL,
	};

	s->row[layout][i] = bench_add(b, &c);
}

static int cases(struct bench *b, void *state)
{
	static const char *const names[MAX_TLBS] = { "1", "2" };
	struct tlb_state *s = state;

	for (int layout = PAGE; layout <= DENSE; layout++)
		for (size_t i = 0; i < COUNTS; i++)
			add(b, s, (enum layout)layout, i);
	for (size_t i = 0; i < HUGES; i++)
		add(b, s, HUGE_PAGE, i);
	for (int level = 0; level < MAX_TLBS; level++) {
		struct bench_case c = {
			.params = { P_STR("level", names[level]),
				    P_STR("figure", "reach") },
			.unit = "pages",
			.better = BENCH_HIGHER,
			.estimator = BENCH_EST_DERIVED,
			.derived = true,
		};

		s->reach[level] = bench_add(b, &c);
		c.params[1] = (struct bench_param)P_STR("figure", "miss");
		c.unit = "ns";
		c.better = BENCH_LOWER;
		s->miss[level] = bench_add(b, &c);
	}
	return 0;
}

/* What the largest case with these pages needs, of those to be measured. */
static size_t largest(const struct bench *b, const struct tlb_state *s,
		      bool huge)
{
	size_t bytes = bench_page_bytes();

	for (size_t i = 0; huge && i < HUGES; i++)
		if (bench_selected(b, s->row[HUGE_PAGE][i]))
			bytes = huge_counts[i] * MEM_HUGE_BYTES;
	for (size_t i = 0; !huge && i < COUNTS; i++)
		if (bench_selected(b, s->row[PAGE][i]) ||
		    bench_selected(b, s->row[DENSE][i]))
			bytes = counts[i] * bench_page_bytes();
	return bytes;
}

static int map(struct bench *b, struct tlb_state *s, struct mem_buffer *m,
	       bool huge)
{
	int64_t got;
	int err = mem_map(m, largest(b, s, huge), huge ? MEM_THP : MEM_4K);

	if (err)
		return bench_fail(b, -err, "map memory");
	mem_touch(m);
	got = mem_huge_bytes(m);
	if (!huge && got > 0)
		return bench_fail(b, 0, "%lld bytes are on huge pages",
				  (long long)got);
	if (huge)
		s->huge_bytes = got;
	return 0;
}

static int enter(struct bench *b, void *state, const struct bench_case *c)
{
	struct tlb_state *s = state;
	const enum layout layout = (enum layout)(c->index / (int)COUNTS);
	const size_t i = (size_t)c->index % COUNTS;
	struct mem_buffer *m = &s->buffer[layout == HUGE_PAGE];
	const uint64_t seed = bench_random(b);
	int err;

	s->chase.lines = 0;
	err = m->base ? 0 : map(b, s, m, layout == HUGE_PAGE);
	if (err)
		return err;
	if (layout == HUGE_PAGE && s->huge_bytes < (int64_t)m->bytes)
		return mem_skip_huge(b, s->huge_bytes, m->bytes);
	if (layout == DENSE)
		err = chase_link_window(&s->chase, m->base,
					(size_t)counts[i] * CHASE_LINE, seed);
	else if (layout == PAGE)
		err = chase_link_page(&s->chase, m->base,
				      (size_t)counts[i] * bench_page_bytes(),
				      bench_page_bytes(), seed);
	else
		err = chase_link_page(&s->chase, m->base,
				      huge_counts[i] * MEM_HUGE_BYTES,
				      MEM_HUGE_BYTES, seed);
	if (err)
		return bench_fail(b, -err, "link the chain");
	settle_chase(b, c, &s->chase);
	s->at = chase_run(s->chase.entry[0], s->chase.lines / CHASE_UNROLL + 1);
	return 0;
}

static int run(struct bench *b, void *state, const struct bench_case *c,
	       uint64_t iters)
{
	struct tlb_state *s = state;

	s->at = chase_run(s->at, iters);
	return 0;
}

static int leave(struct bench *b, void *state, const struct bench_case *c)
{
	struct tlb_state *s = state;
	const size_t i = (size_t)c->index % COUNTS;

	/* As many as the row says: a line in each page, or side by side. */
	if (s->chase.lines)
		bench_proof(b, c, "lines_visited",
			    c->index / (int)COUNTS == HUGE_PAGE ? huge_counts[i]
								: counts[i],
			    (double)chase_verify(&s->chase));
	return 0;
}

/* The price of translation by pages, on top of the fastest load so that its
 * logarithm can be taken.  A price below zero is noise like one above it and
 * stays as it is. */
static size_t curve_get(const struct bench *b, const struct tlb_state *s,
			double *pages, double *ns)
{
	double base = INFINITY;
	size_t n = 0;

	for (size_t i = 0; i < COUNTS; i++)
		base = fmin(base, bench_value(b, s->row[DENSE][i]));
	for (size_t i = 0; i < COUNTS; i++) {
		const double more = bench_value(b, s->row[PAGE][i]) -
				    bench_value(b, s->row[DENSE][i]);

		if (!isfinite(more) || !(base + more > 0))
			continue;
		pages[n] = counts[i];
		ns[n++] = base + more;
	}
	return n;
}

/* How far the points of a plateau typically are from its median. */
static double spread(const double *ns, const struct level *l)
{
	const size_t n = l->last - l->first + 1;
	double work[COUNTS];

	memcpy(work, ns + l->first, n * sizeof(*work));
	return stats_mad(work, n);
}

/* A level of which the end is seen and what follows is a plateau. */
static void derive_step(struct bench *b, const struct tlb_state *s, int i,
			const struct level *level, const double *pages,
			const double *ns, size_t n)
{
	bench_derive_between(b, s->reach[i], level->size_bytes,
			     level->size_bytes,
			     levels_above(pages, n, level->size_bytes));
	/* Never told from nothing by less than both plateaus scatter. */
	bench_derive_within(b, s->miss[i],
			    level[1].latency_ns - level->latency_ns,
			    spread(ns, level) + spread(ns, level + 1));
}

/* The cost at the first count of pages that is no less than @least. */
static double at(const double *pages, const double *ns, size_t n, double least)
{
	size_t i = 0;

	while (i + 1 < n && pages[i] < least)
		i++;
	return ns[i];
}

/* The last level, behind which there may be a rise that has no end. */
static void derive_rise(struct bench *b, const struct tlb_state *s, int i,
			const struct level *level, const double *pages,
			const double *ns, size_t n)
{
	const int end = levels_rise(ns, n, level);
	const double here = level->latency_ns;

	if (end < 0) {
		bench_derive_skip(b, s->reach[i], no_step);
		bench_derive_skip(b, s->miss[i], no_step);
		return;
	}
	bench_derive_between(b, s->reach[i], pages[end], pages[end],
			     pages[end + 1]);
	/* Of pages visited in turn few are still there at twice the reach, none
	 * at four times.  The cost goes on rising: the tables take more of the
	 * caches the more pages there are. */
	bench_derive_between(b, s->miss[i],
			     at(pages, ns, n, 4 * pages[end]) - here,
			     at(pages, ns, n, 2 * pages[end]) - here,
			     ns[n - 1] - here);
}

static int derive(struct bench *b, void *state)
{
	struct tlb_state *s = state;
	double pages[COUNTS], ns[COUNTS];
	struct level level[LEVELS_MAX];
	const size_t n = curve_get(b, s, pages, ns);
	const int found = levels_find(pages, ns, n, level);

	for (int i = 0; i < MAX_TLBS; i++)
		if (i + 1 < found) {
			derive_step(b, s, i, &level[i], pages, ns, n);
		} else if (i + 1 == found) {
			derive_rise(b, s, i, &level[i], pages, ns, n);
		} else {
			bench_derive_skip(b, s->reach[i], no_step);
			bench_derive_skip(b, s->miss[i], no_step);
		}
	return 0;
}

static void teardown(struct bench *b, void *state)
{
	struct tlb_state *s = state;

	mem_unmap(&s->buffer[0]);
	mem_unmap(&s->buffer[1]);
}

const struct bench_desc bench_desc = {
	.name = "tlb",
	.state_size = sizeof(struct tlb_state),
	.cases = cases,
	.enter = enter,
	.run = run,
	.leave = leave,
	.derive = derive,
	.teardown = teardown,
};
