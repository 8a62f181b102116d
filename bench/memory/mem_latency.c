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
 * and shows what prefetching gains. `page` visits one line in each 4 KiB. Of
 * `chunk` and `page` size is what is walked through: they touch one line in
 * each chunk or page, so the caches hold them longer than the other orders.
 *
 * On a machine with several NUMA nodes from_node=M,to_node=N rows follow a
 * chain in one node's memory from a CPU of another, and of the same.
 *
 * A chain that a cache can keep is followed until passes get no faster, before
 * it is timed. From the curve of `window` over sizes come the levels, as rows
 * of their own: their latency from the sizes that fit the cache by what hwloc
 * says, their size from plateaus with ramps between them (by least cost:
 * bench/memory/lib/levels.h), with core cycles from chains of multiplications,
 * of a known number of cycles, timed in turn with the loads, because the core's
 * frequency changes from moment to moment.
 *
 * Measures: ns per dependent load; for levels also bytes and core cycles.
 * Includes: nothing else: 32 loads and a countdown in one round.
 * After:    lmbench lat_mem_rd (a stride, which prefetchers follow: not
 *           comparable in memory), multichase (whose page-local order is most
 *           like window, not page_local), the CSE 221 report's section 4.1
 *           (chunk).
 * Needs:    memory: the largest size is 4 times the last cache and 256 MiB at
 *           least, as far as a quarter of the free memory allows.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "lib/chase.h"
#include "lib/latency_levels.h"
#include "lib/latency_nodes.h"
#include "lib/latency_plan.h"
#include "lib/mem_buffer.h"
#include "lib/settle.h"
#include "reference.h"
#include "stats.h"

#define MUL_ROUNDS  ((uint64_t)7) /* 10752 cycles: about 4 us */
#define LOAD_ROUNDS 64		  /* 2048 loads: as many cycles in L1 */

struct latency_state {
	struct latency_plan plan;
	struct latency_levels levels;
	struct mem_buffer buffer[3]; /* by enum mem_pages, mapped when used */
	int64_t huge_bytes[3];	     /* of them, as smaps says */
	struct latency_nodes nodes;
	struct chase chase;
	void *at;
	unsigned int batches; /* of this visit */
	bool cycles;	      /* of levels are wanted */
};

static uint64_t time_loads(const struct bench *b, struct latency_state *s,
			   uint64_t rounds)
{
	uint64_t ticks;

	TIMER_INTERVAL(bench_timer(b)->method, ticks,
		       s->at = chase_run(s->at, rounds));
	return ticks;
}

/* A whole pass: what the last cache has of a chain need not be spread evenly
 * over it.  The first one finds all that the cache took in: what the others
 * that share it take back at this slow pace is missing from the second on only.
 */
static int sample_pass(struct bench *b, void *state, const struct bench_case *c)
{
	struct latency_state *s = state;
	struct latency_spec *spec = c->data;
	const uint64_t ticks = time_loads(b, s, c->ops / CHASE_UNROLL);

	if (!(spec->held_ns > 0)) {
		spec->held_ns = bench_ns(b, (double)ticks) / c->ops;
		bench_fact(b, c, "held_ns", spec->held_ns);
	}
	bench_record(b, c, ticks);
	return 0;
}

static bool point(struct bench *b, void *state, struct bench_case *c)
{
	latency_plan_fill(b, c, sample_pass);
	return true;
}

static int cases(struct bench *b, void *state)
{
	struct latency_state *s = state;

	latency_plan_set(b, &s->plan);
	bench_points(b, latency_points);
	latency_levels_add(b, &s->levels, &s->plan);
	return 0;
}

/* Maps and touches a buffer for the largest case with these pages; the others
 * use its beginning. */
static int map_for(struct bench *b, struct latency_state *s,
		   enum mem_pages pages)
{
	const size_t bytes = latency_plan_largest(b, pages);
	struct mem_buffer *m = &s->buffer[pages];
	int err;

	if (m->base)
		return 0;
	err = mem_map(m, bytes, pages);
	if (err)
		return bench_fail(b, -err, "map %zu bytes of %s pages", bytes,
				  mem_pages_name(pages));
	mem_touch(m);
	s->huge_bytes[pages] = mem_huge_bytes(m);
	return 0;
}

/* Which pages @c really has. */
static int check_pages(struct bench *b, const struct latency_state *s,
		       const struct bench_case *c)
{
	const struct latency_spec *spec = c->data;
	const int64_t huge = s->huge_bytes[spec->pages];
	const size_t bytes = s->buffer[spec->pages].bytes;

	/* Small ones are asked for; smaps may be missing. */
	if (spec->pages == MEM_4K && huge > 0)
		return bench_fail(b, 0, "%lld bytes are on huge pages",
				  (long long)huge);
	if (spec->pages != MEM_4K && huge < (int64_t)bytes)
		return mem_skip_huge(b, huge, bytes);
	bench_fact(b, c, "page_bytes",
		   (double)(spec->pages == MEM_4K ? bench_page_bytes()
						  : MEM_HUGE_BYTES));
	return 0;
}

static int link_chain(struct bench *b, struct latency_state *s,
		      const struct latency_spec *spec)
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
		return chase_link_page(&s->chase, base, spec->bytes,
				       bench_page_bytes(), seed);
	}
}

static int enter(struct bench *b, void *state, const struct bench_case *c)
{
	struct latency_state *s = state;
	const struct latency_spec *spec = c->data;
	int err;

	s->batches = 0;
	s->cycles = latency_levels_has_cycles(b, &s->levels);
	if (spec->to >= 0)
		return latency_nodes_enter(b, &s->nodes, c, &s->at);
	err = map_for(b, s, spec->pages);
	if (err)
		return err;
	err = check_pages(b, s, c);
	if (err)
		return err;
	err = link_chain(b, s, spec);
	if (err)
		return bench_fail(b, -err, "link the chain");
	s->at = s->chase.entry[0];
	/* The last cache may have kept any part of what was linked. */
	if (spec->bytes >= mem_beyond_caches(b))
		mem_flush(s->buffer[spec->pages].base, spec->bytes);
	/* By the lines that it touches: not all orders touch all of them.
	 * Strides are about fetching ahead from memory. */
	if (spec->pattern != STRIDE &&
	    settle_fits(b, s->chase.lines * CHASE_LINE)) {
		settle_chase(b, c, &s->chase);
		/* Where passes are timed, the cold one is this. */
		if (!c->sample)
			s->at = chase_run(s->at,
					  s->chase.lines / CHASE_UNROLL + 1);
	}
	return 0;
}

static int run(struct bench *b, void *state, const struct bench_case *c,
	       uint64_t iters)
{
	struct latency_state *s = state;

	s->at = chase_run(s->at, iters);
	return 0;
}

static uint64_t time_muls(const struct bench *b, uint64_t rounds)
{
	uint64_t ticks;

	TIMER_INTERVAL(bench_timer(b)->method, ticks, reference_muls(rounds));
	return ticks;
}

/* Core cycles of a load: loads between multiplications, n and 2n of both, so
 * that neither a change of the frequency nor the clock's own time is in it.
 * NAN if something came between. */
static double pair_cycles(const struct bench *b, struct latency_state *s)
{
	const uint64_t n = LOAD_ROUNDS, m = MUL_ROUNDS;
	double muls = 0, loads = 0;

	muls -= (double)time_muls(b, m);
	loads -= (double)time_loads(b, s, n);
	muls += (double)time_muls(b, 2 * m);
	loads += (double)time_loads(b, s, 2 * n);
	loads += (double)time_loads(b, s, 2 * n);
	muls += (double)time_muls(b, 2 * m);
	loads -= (double)time_loads(b, s, n);
	muls -= (double)time_muls(b, m);
	if (!(muls > 0) || !(loads > 0))
		return NAN;
	return loads / (LOAD_ROUNDS * CHASE_UNROLL) /
	       (muls / (MUL_ROUNDS * REFERENCE_LINKS) /
		bench_timer(b)->multiply_cycles);
}

static int conclude(struct bench *b, void *state, const struct bench_case *c,
		    uint64_t iters)
{
	struct latency_state *s = state;
	struct latency_spec *spec = c->data;
	double pair;

	/* After each pass or group of four batches. */
	if (!s->cycles || !latency_is_curve(spec) ||
	    spec->n_pairs == LATENCY_PAIRS || (!c->sample && s->batches++ % 4))
		return 0;
	pair = spec->bytes <= LATENCY_SMALL ? pair_cycles(b, s)
					    : reference_hz(bench_timer(b));
	if (!(pair > 0))
		return 0;
	/* NAN, where it cannot be told, is not more than anything. */
	spec->share[spec->n_pairs] = fmax(0, reference_share(bench_timer(b)));
	spec->pair[spec->n_pairs++] = pair;
	return 0;
}

/* The chain must still be the one that was linked, and of all the lines. */
static int leave(struct bench *b, void *state, const struct bench_case *c)
{
	struct latency_state *s = state;
	const struct latency_spec *spec = c->data;
	int err = 0;

	if (spec->to >= 0)
		err = latency_nodes_leave(b, &s->nodes, c, s->at);
	else if (s->at && s->chase.lines)
		bench_proof(b, c, "lines_visited", (double)s->chase.lines,
			    (double)chase_verify(&s->chase));
	s->at = NULL;
	return err;
}

static int derive(struct bench *b, void *state)
{
	struct latency_state *s = state;

	latency_levels_derive(b, &s->levels, &s->plan);
	return 0;
}

static void teardown(struct bench *b, void *state)
{
	struct latency_state *s = state;

	for (int i = 0; i < 3; i++)
		mem_unmap(&s->buffer[i]);
	latency_nodes_close(&s->nodes);
}

const struct bench_desc bench_desc = {
	.name = "mem_latency",
	.state_size = sizeof(struct latency_state),
	.case_state_size = sizeof(struct latency_spec),
	.point = point,
	.cases = cases,
	.enter = enter,
	.run = run,
	.conclude = conclude,
	.leave = leave,
	.derive = derive,
	.teardown = teardown,
};
