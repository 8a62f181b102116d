/* SPDX-License-Identifier: MIT */
/*
 * mem_parallel - how many misses does a core keep under way at once?
 *
 * k chains of pointers are followed side by side: loads of one chain wait for
 * each other, those of different chains do not. The time of a load is its
 * latency divided by how many of the k really overlap. All chains are in one
 * cycle through memory far beyond the caches (or in half of the second cache,
 * for comparison), in the order of mem_latency's `window`, and begin at places
 * spread evenly over it. The row figure=overlap is the best gain over one
 * chain.
 *
 * Measures: ns for one load when there are so many chains; overlap, a ratio.
 * Includes: nothing else; with many chains some pointers are kept in memory
 *           (L1) because there are not so many registers.
 * After:    lmbench par_mem; multichase with -p.
 * Needs:    twice the last cache of memory, as far as a quarter of the free
 * memory allows.
 */
#include <math.h>
#include <string.h>

#include "bench.h"
#include "lib/chase.h"
#include "lib/mem_buffer.h"

#define MIB ((size_t)1 << 20)

enum level { L2, MEMORY, LEVELS };

static const char *const level_names[] = { "L2", "memory" };
static const unsigned int chases[] = { 1, 2, 3, 4, 6, 8, 10, 12, 14, 16 };

#define COUNTS (sizeof(chases) / sizeof(chases[0]))

struct parallel_state {
	const struct bench_case *row[LEVELS][COUNTS];
	const struct bench_case *overlap[LEVELS];
	size_t bytes[LEVELS];
	struct mem_buffer buffer[LEVELS];
	struct chase chase[LEVELS];
	/* Where each sixteenth of the cycle has been followed to: no visit may
	 * find in a cache what the one before it fetched. */
	void *reached[LEVELS][CHASE_ENTRIES];
	void *at[CHASE_ENTRIES];
};

static const char too_big[] =
	"needs more than a quarter of the memory that is free or that the "
	"memory cgroup leaves";

static void add_level(struct bench *b, struct parallel_state *s, int level)
{
	const struct bench_case gain = {
		.params = { P_STR("level", level_names[level]),
			    P_STR("figure", "overlap") },
		.unit = "1",
		.better = BENCH_HIGHER,
		.estimator = BENCH_EST_DERIVED,
		.derived = true,
	};

	for (size_t i = 0; i < COUNTS; i++) {
		const struct bench_case c = {
			.params = { P_STR("level", level_names[level]),
				    P_INT("chases", chases[i]),
				    P_SIZE("size", (int64_t)s->bytes[level]) },
			.index = level * (int)COUNTS + (int)i,
			.ops = CHASE_UNROLL * chases[i],
			.budget_ms = 10,
			.skip = s->bytes[level] > bench_spare_bytes(b) ? too_big
								       : NULL,
		};

		s->row[level][i] = bench_add(b, &c);
	}
	s->overlap[level] = bench_add(b, &gain);
}

static int cases(struct bench *b, void *state)
{
	struct parallel_state *s = state;
	const size_t llc = bench_cache_bytes(b, 3);
	const size_t spare = bench_spare_bytes(b);

	s->bytes[L2] = bench_cache_bytes(b, 2) / 2;
	if (!s->bytes[L2])
		s->bytes[L2] = MIB / 8;
	/* As much of it as may be had. */
	s->bytes[MEMORY] = mem_beyond_caches(b);
	while (s->bytes[MEMORY] > spare && s->bytes[MEMORY] / 2 > llc)
		s->bytes[MEMORY] /= 2;
	for (int level = 0; level < LEVELS; level++)
		add_level(b, s, level);
	return 0;
}

static int link_level(struct bench *b, struct parallel_state *s, int level)
{
	struct mem_buffer *m = &s->buffer[level];
	/* The order spares translations, so the pages' size changes nothing
	 * but the time that touching them takes. */
	int err = mem_map(m, s->bytes[level], MEM_THP);

	if (!err)
		mem_touch(m);
	if (!err)
		err = chase_link_window(&s->chase[level], m->base, m->bytes,
					bench_random(b));
	if (err)
		return bench_fail(b, -err, "a chain of %zu bytes",
				  s->bytes[level]);
	memcpy(s->reached[level], s->chase[level].entry,
	       sizeof(s->reached[level]));
	return 0;
}

static int enter(struct bench *b, void *state, const struct bench_case *c)
{
	struct parallel_state *s = state;
	const int level = (int)(c->index / (int)COUNTS);
	const size_t k = chases[c->index % (int)COUNTS];

	if (!s->buffer[level].base) {
		const int err = link_level(b, s, level);

		if (err)
			return err;
	}
	/* As far from each other as can be, so that none finds in the cache
	 * what another has fetched. */
	for (size_t i = 0; i < k; i++)
		s->at[i] = s->reached[level][i * CHASE_ENTRIES / k];
	if (level == L2)
		chase_run(s->at[0], s->chase[level].lines / CHASE_UNROLL + 1);
	return 0;
}

static int run(struct bench *b, void *state, const struct bench_case *c,
	       uint64_t iters)
{
	struct parallel_state *s = state;

	(void)b;
	chase_run_many(s->at, chases[c->index % (int)COUNTS],
		       iters * CHASE_UNROLL);
	return 0;
}

static int leave(struct bench *b, void *state, const struct bench_case *c)
{
	struct parallel_state *s = state;
	const int level = (int)(c->index / (int)COUNTS);
	const size_t k = chases[c->index % (int)COUNTS];

	(void)b;
	for (size_t i = 0; s->buffer[level].base && i < k; i++)
		s->reached[level][i * CHASE_ENTRIES / k] = s->at[i];
	return 0;
}

static int derive(struct bench *b, void *state)
{
	struct parallel_state *s = state;

	for (int level = 0; level < LEVELS; level++) {
		const double one = bench_value(b, s->row[level][0]);
		const uint64_t lines = s->bytes[level] / CHASE_LINE;
		double best = one;

		for (size_t i = 0; i < COUNTS; i++) {
			best = fmin(best, bench_value(b, s->row[level][i]));
			if (s->buffer[level].base)
				bench_evidence(b, s->row[level][i],
					       "lines_in_cycle", (double)lines,
					       (double)s->chase[level].lines);
		}
		if (isfinite(one))
			bench_derive(b, s->overlap[level], one / best);
		else
			bench_derive_skip(b, s->overlap[level],
					  "one chain has no value");
	}
	return 0;
}

static void teardown(struct bench *b, void *state)
{
	struct parallel_state *s = state;

	(void)b;
	for (int level = 0; level < LEVELS; level++)
		mem_unmap(&s->buffer[level]);
}

const struct bench_desc bench_desc = {
	.name = "mem_parallel",
	.state_size = sizeof(struct parallel_state),
	.cases = cases,
	.enter = enter,
	.run = run,
	.leave = leave,
	.derive = derive,
	.teardown = teardown,
};
