/* SPDX-License-Identifier: MIT */
/*
 * mem_parallel - how many misses does a core keep under way at once?
 *
 * k chains of pointers are followed side by side: loads of one chain wait for
 * each other, those of different chains do not. The time of a load is its
 * latency divided by how many of the k really overlap. All chains are in one
 * cycle through memory far beyond the caches (or in half of the second cache,
 * for comparison), in the order of mem_latency's `window`, each in a sixteenth
 * of it. The sixteenths are taken in turn, and each goes on where it was left,
 * so that no load finds in the last cache what was fetched before. The row
 * stat=overlap is the gain over one chain at its best. That is as many misses
 * as are under way, unless a line's bytes take longer on their way: the second
 * cache of many cores gives 32 in a cycle, whatever the number of misses.
 *
 * Measures: ns for one load when there are so many chains; overlap, a ratio.
 * Includes: nothing else with up to 14 chains, whose pointers are in registers.
 *           With 16, two wait in vector registers: a move there and one back
 *           (3 cycles each on recent cores) in every second of their loads.
 * After:    lmbench par_mem; multichase with -p.
 * Needs:    four times the last cache of memory, 128 MiB at least, as far as a
 *           quarter of the free memory allows.
 */
#include <math.h>
#include <string.h>

#include "bench.h"
#include "lib/follow.h"

#define MIB ((size_t)1 << 20)

enum level { L2, MEMORY, LEVELS };

static const char *const level_names[] = { "L2", "memory" };

#define COUNTS 10 /* of chains */
#define LEVEL(level)                                                    \
	"level=" level " chases={1,2,3,4,6,8,10,12,14,16} size=$" level \
	";is ops=" BENCH_TEXT(                                          \
		CHASE_UNROLL) "*chases; needs memory=size;"             \
			      "level=" level                            \
			      " stat=overlap; is derived unit='1' higher;"

struct parallel_state {
	struct parallel_level {
		size_t bytes;
		struct follow chain;
		/* Where each sixteenth of the cycle has been followed to, and
		 * which is the next to go on with. */
		void *reached[CHASE_ENTRIES];
		size_t next;
	} level[LEVELS];
	void *at[CHASE_ENTRIES];
	size_t chases; /* of this visit */
};

static int level_of(const struct bench_case *c)
{
	return (int)CASE_NTH(c, "level", level_names);
}

static void cases(struct bench *b, void *state)
{
	struct parallel_state *s = state;
	const size_t llc = bench_cache_bytes(b, 3);
	const size_t spare = bench_spare_bytes(b);
	const size_t l2 = bench_cache_bytes(b, 2) / 2;
	size_t bytes = 2 * mem_beyond_caches(b);

	/* As much of it as may be had. */
	while (bytes > spare && bytes / 2 > llc)
		bytes /= 2;
	s->level[L2].bytes = l2 ? l2 : MIB / 8;
	s->level[MEMORY].bytes = bytes;
	for (int i = 0; i < LEVELS; i++)
		BENCH_SET_NUMBER(b, level_names[i], BENCH_SIZE,
				 s->level[i].bytes);
}

static int link_level(struct bench *b, struct parallel_level *l, bool memory)
{
	/* The order spares translations, so the pages' size changes nothing
	 * but the time that touching them takes. */
	const struct follow_plan plan = { .link = chase_link_window,
					  .bytes = l->bytes,
					  .pages = MEM_LARGE };
	const int err =
		l->chain.chase.at ? 0 : follow_link(b, &l->chain, &plan, -1);

	if (err || l->reached[0])
		return err;
	memcpy(l->reached, l->chain.chase.entry, sizeof(l->reached));
	/* The lines linked last are in the last cache, at the end of some of
	 * the sixteenths: going half the way through all of them replaces
	 * them. */
	if (memory)
		chase_run_many(l->reached, CHASE_ENTRIES,
			       l->chain.chase.lines / CHASE_ENTRIES / 2);
	return 0;
}

static int enter(struct bench *b, void *state, const struct bench_case *c)
{
	struct parallel_state *s = state;
	struct parallel_level *l = &s->level[level_of(c)];
	const int err = link_level(b, l, l == &s->level[MEMORY]);

	s->chases = err ? 0 : (size_t)case_int(c, "chases");
	for (size_t i = 0; i < s->chases; i++)
		s->at[i] = l->reached[(l->next + i) % CHASE_ENTRIES];
	if (!err && l == &s->level[L2])
		follow_settle(b, c, &l->chain, false);
	return err;
}

static int run(struct bench *b, void *state, const struct bench_case *c,
	       uint64_t iters)
{
	struct parallel_state *s = state;

	chase_run_many(s->at, s->chases, iters * CHASE_UNROLL);
	return 0;
}

static void leave(struct bench *b, void *state, const struct bench_case *c)
{
	struct parallel_state *s = state;
	struct parallel_level *l = &s->level[level_of(c)];

	for (size_t i = 0; i < s->chases; i++)
		l->reached[(l->next + i) % CHASE_ENTRIES] = s->at[i];
	l->next += s->chases;
}

static double median_of_3(const double *x)
{
	return fmax(fmin(x[0], x[1]), fmin(fmax(x[0], x[1]), x[2]));
}

/* The least time, of three neighbours the middle one, for the least of ten is
 * the luckiest; the last one counts alone, because there the time may still be
 * falling. */
static double least_time(const double *ns)
{
	double best = fmin(ns[0], ns[COUNTS - 1]);

	for (size_t i = 0; i + 2 < COUNTS; i++)
		best = fmin(best, median_of_3(ns + i));
	return best;
}

/* The rows of one level. */
static void derive_level(struct bench *b, const struct bench_case *overlap,
			 const struct parallel_level *l)
{
	const struct chase *chase = &l->chain.chase;
	const double lines = chase->at ? (double)chase_verify(chase) : 0;
	double ns[COUNTS] = { 0 }, chases[COUNTS] = { 0 };
	size_t n = 0;

	BENCH_EACH (b, row, "chases") {
		if (!case_is(row, "level", case_str(overlap, "level")))
			continue;
		chases[n] = (double)case_int(row, "chases");
		ns[n++] = bench_value(b, row);
		if (chase->at)
			bench_proof(b, row, "lines_in_cycle",
				    (double)l->bytes / CHASE_LINE, lines);
	}
	if (!isfinite(ns[0])) {
		bench_derive_skip(b, overlap, "one chain has no value");
		return;
	}
	bench_derive(b, overlap, ns[0] / least_time(ns));
	/* By half of what one more miss for each chain would make of it. */
	if (ns[COUNTS - 1] <
	    ns[COUNTS - 2] * (1 + chases[COUNTS - 2] / chases[COUNTS - 1]) / 2)
		bench_fact_text(b, overlap, "end",
				"at least: with the most chains the time was "
				"still falling");
}

static void derive(struct bench *b, void *state)
{
	struct parallel_state *s = state;

	BENCH_EACH (b, c, "stat=overlap")
		derive_level(b, c, &s->level[level_of(c)]);
}

const struct bench_desc bench_desc = {
	.state_size = sizeof(struct parallel_state),
	.points = LEVEL("L2") LEVEL("memory"),
	.cases = cases,
	.enter = enter,
	.run = run,
	.leave = leave,
	.derive = derive,
};
