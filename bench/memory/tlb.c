/* SPDX-License-Identifier: MIT */
/*
 * tlb - how many pages can be used before translating their addresses takes
 * time, and how much?
 *
 * A chain reads one line in each of n pages of 4 KiB in random order
 * (layout=page). The same number of lines packed side by side (layout=dense)
 * uses as much of the caches but few pages, so the difference of the two is
 * the cost of translation. From its curve the levels of the TLB are detected
 * as those of the caches are (bench/memory/lib/steps.h): the row stat=reach
 * is how many pages a level covers, stat=miss what a load costs more beyond
 * it; where the cost goes on rising, it is that at four times the reach, from
 * that at twice the reach to the greatest. The last
 * level is the walk through the page tables; how long that takes depends on
 * which of the tables' lines are cached, and in a virtual machine each step has
 * its own walk through the hypervisor's tables.
 *
 * layout=huge reads one line in each 2 MiB page, where such pages are to be
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
#include <math.h>
#include <string.h>

#include "bench.h"
#include "lib/follow.h"
#include "lib/steps.h"
#include "stats.h"

#define COUNTS 64 /* points of the curve, at most */

/* Both buffers are kept, the small pages' and the huge pages'. */
static const char points[] =
	"layout={page,dense} pages={8,12,16,24,32,40,48,56,64,72,80,96,112,128,"
	"192,256,384,512,640,768,1024,1280,1536,1792,2048,2560,3072,4096,6144,"
	"8192,12288,16384};"
	"layout=huge pages={4,8,16,24,32,48,64,96,128};" FOLLOW_OPS
	"needs memory=pages*$page if layout!=huge;"
	"needs memory=pages*2M+16384*$page if layout=huge;"
	"level={'1','2'} stat={reach,miss}; is derived;"
	"is unit=pages higher if stat=reach; is unit=ns if stat=miss";

static const char no_step[] = "the curve has no step for this level";

static size_t pages_of(const struct bench_case *c)
{
	return (size_t)case_int(c, "pages");
}

static int enter(struct bench *b, void *state, const struct bench_case *c)
{
	const bool dense = case_is(c, "layout", "dense");
	const bool huge = case_is(c, "layout", "huge");
	const size_t step = dense  ? CHASE_LINE
			    : huge ? MEM_HUGE_BYTES
				   : bench_page_bytes();
	const struct follow_plan plan = {
		.link = dense ? chase_link_window : chase_link_page,
		.bytes = pages_of(c) * step,
		.step = step,
		.pages = huge ? MEM_THP : MEM_4K,
	};
	const int err = follow_link(b, state, &plan, -1);

	if (!err)
		follow_settle(b, c, state, true);
	return err;
}

static void leave(struct bench *b, void *state, const struct bench_case *c)
{
	const struct follow *f = state;

	/* As many as the row says: a line in each page, or side by side. */
	if (f->chase.at)
		bench_proof(b, c, "lines_visited", (double)pages_of(c),
			    (double)chase_verify(&f->chase));
}

/* The price of translation by pages, on top of the fastest load so that its
 * logarithm can be taken.  A price below zero is noise like one above it and
 * stays as it is. */
static size_t curve_get(const struct bench *b, double *pages, double *ns)
{
	double base = INFINITY;
	size_t n = 0;

	BENCH_EACH (b, dense, "layout=dense")
		base = fmin(base, bench_value(b, dense));
	BENCH_EACH (b, page, "layout=page") {
		const struct bench_case *dense =
			bench_beside(b, page, "layout=dense");
		const double more =
			bench_value(b, page) - bench_value(b, dense);

		if (n == COUNTS || !isfinite(more) || !(base + more > 0))
			continue;
		pages[n] = (double)pages_of(page);
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

/* The cost at the first count of pages that is no less than @least. */
static double at(const double *pages, const double *ns, size_t n, double least)
{
	size_t i = 0;

	while (i + 1 < n && pages[i] < least)
		i++;
	return ns[i];
}

static void derive(struct bench *b, void *state)
{
	double pages[COUNTS] = { 0 }, ns[COUNTS] = { 0 };
	struct level levels[LEVELS_MAX + 1] = { 0 };
	const size_t n = curve_get(b, pages, ns);
	const int last = steps_levels(pages, ns, n, levels) - 1;
	int k = 0;

	BENCH_EACH (b, reach, "stat=reach") {
		const struct bench_case *miss =
			bench_beside(b, reach, "stat=miss");
		const struct level *l = &levels[k];
		const double here = l->latency_ns, next = l[1].latency_ns;
		/* Behind the last plateau there may be a rise without end. */
		const int end = k < last    ? levels_end(ns, n, here, next)
				: k == last ? steps_rise(ns, n, l)
					    : -1;

		if (end < 0) {
			bench_derive_skip(b, reach, no_step);
			bench_derive_skip(b, miss, no_step);
			continue;
		}
		bench_derive_between(b, reach, pages[end], pages[end],
				     pages[end + 1]);
		if (k++ < last)
			/* No better resolved than both plateaus scatter. */
			bench_derive_within(b, miss, next - here,
					    spread(ns, l) + spread(ns, l + 1));
		else
			/* With pages visited in turn few are still there at
			 * twice the reach, none at four times.  The cost goes
			 * on rising: the tables take more of the caches the
			 * more pages there are. */
			bench_derive_between(b, miss,
					     at(pages, ns, n, 4 * pages[end]) -
						     here,
					     at(pages, ns, n, 2 * pages[end]) -
						     here,
					     ns[n - 1] - here);
	}
}

const struct bench_desc bench_desc = {
	.state_size = sizeof(struct follow),
	.points = points,
	.enter = enter,
	.run = follow_run,
	.leave = leave,
	.derive = derive,
};
