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
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "lib/follow.h"
#include "lib/levels.h"
#include "lib/mem_buffer.h"
#include "lib/mem_pages.h"
#include "lib/settle.h"
#include "reference.h"
#include "stats.h"

#define KIB	    ((size_t)1 << 10)
#define MIB	    ((size_t)1 << 20)
#define LEAST	    ((size_t)512) /* as lmbench; all sizes are multiples of it */
#define MUL_ROUNDS  ((uint64_t)7)  /* 10752 cycles: about 4 us */
#define LOAD_ROUNDS ((uint64_t)64) /* 2048 loads: as many cycles in L1 */
#define CACHES	    3		   /* that hwloc is asked for */
#define PAIRS	    64		   /* ratios that are kept of a case */
#define SMALL	    MIB /* up to here cases are cheap to link: interleaved */

/* The state of a case. */
struct latency_spec {
	size_t bytes;
	double held_ns; /* of a load, in the first pass; 0: not timed */
	/* Core cycles of a load (SMALL and less), or the core's
	 * frequency, from moment to moment. */
	double pair[PAIRS];
	double share[PAIRS]; /* reference_share() beside each */
	size_t n_pairs;
};

static const char points[] =
	"pattern=window pages=$page size=$ladder;"
	"pattern=window pages={thp,hugetlb} size={32K,1M,8M,64M};"
	"pattern=random pages={$page,thp} size={1M,8M,64M};"
	"pattern=page_local pages=$page size={4M,8M,16M,64M};"
	"pattern=chunk stride=512 pages=$page size={32K,1M,8M,64M};"
	"pattern=stride stride=64..4K*2 pages=$page size=64M;"
	"pattern=page pages=$page size={8M,64M};"
	"is exclusive if size>1M;" FOLLOW_OPS
	/* The buffers of all kinds of pages are kept side by side, and so is
	 * one on each NUMA node. */
	"needs memory=2*size if pages=$page; needs memory=8*size if "
	"pages!=$page;"

	/* One size beyond the caches, followed from each node that has a CPU of
	 * ours through the memory of each node. */
	"from_node=$nodes to_node=$nodes pattern=window pages=thp size=$beyond;"
	"is exclusive;" FOLLOW_OPS "needs memory=4*$on_nodes;"

	"level={'1','2','3',memory} figure={size,latency,cycles};"
	"not level=memory figure=size; is derived;"
	"is unit=B higher if figure=size; is unit=ns if figure=latency;"
	"is unit=cycles if figure=cycles";

static const struct pattern {
	const char *name;
	chase_link_fn *link;
	bool in_passes; /* of what the last cache can hold */
} patterns[] = {
	{ "window", chase_link_window, true },
	{ "random", chase_link_random, true },
	{ "page_local", chase_link_pages, true },
	{ "chunk", chase_link_chunk, false },
	{ "stride", chase_link_stride, false },
	{ "page", chase_link_page, false },
};

struct latency_state {
	struct chase chase;		/* of this visit */
	double cache_bytes[CACHES + 1]; /* as hwloc says; not [0] */
	struct mem_buffer buffer[3]; /* by enum mem_pages, mapped when used */
	/* The chain in a node's memory, by nth, is linked once and followed
	 * from each node, each time on from where the last one came to. */
	struct {
		struct mem_buffer buffer;
		struct chase chase;
		int64_t there; /* bytes on the node */
	} node[BENCH_MAX_NODES];
	unsigned int batches; /* of this visit */
	bool cycles;	      /* of levels are wanted */
};

/* A whole pass: what the last cache has of a chain need not be spread evenly
 * over it.  The first one finds all that the cache took in: what the others
 * that share it take back at this slow pace is missing from the second on only.
 */
static int sample_pass(struct bench *b, void *state, const struct bench_case *c)
{
	struct latency_spec *spec = c->data;
	const uint64_t ticks = follow_time(b, state, c->ops / CHASE_UNROLL);

	if (!(spec->held_ns > 0)) {
		spec->held_ns = bench_ns(b, (double)ticks) / c->ops;
		bench_fact(b, c, "held_ns", spec->held_ns);
	}
	bench_record(b, c, ticks);
	return 0;
}

static enum mem_pages pages_of(const struct bench_case *c)
{
	return CASE_ENUM(c, "pages", mem_pages_name, 3);
}

static size_t size_of(const struct bench_case *c)
{
	return (size_t)case_int(c, "size");
}

static bool is_between_nodes(const struct bench_case *c)
{
	return case_has(c, "to_node");
}

static bool point(struct bench *b, void *state, struct bench_case *c)
{
	struct latency_spec *spec = c->data;

	if (c->derived)
		return true;
	spec->bytes = size_of(c);
	if (is_between_nodes(c)) {
		if (bench_cpu_of_node(b, (int)case_int(c, "from_node")) < 0)
			c->skip = "this process may use no CPU of that node";
	} else if (CASE_OF(c, "pattern", patterns)->in_passes &&
		   spec->bytes > SMALL && settle_fits(b, spec->bytes)) {
		c->sample = sample_pass;
		c->least = 1;
		c->ops = (unsigned int)(spec->bytes / CHASE_LINE);
	}
	if (pages_of(c) == MEM_HUGETLB && spec->bytes > mem_huge_pool())
		c->skip = "the pool of huge pages is too small (sysctl "
			  "vm.nr_hugepages)";
	return true;
}

static const char of_curve[] = "pattern=window pages=$page";
static const char *const level_names[] = { "memory", "1", "2", "3" };

static bool is_curve(const struct bench_case *c)
{
	return case_is(c, "pattern", "window") &&
	       case_is(c, "pages", bench_page_name());
}

/* Of its size a level is made from all of the curve, else from the sizes that
 * it holds and, to know it from memory, the one beyond the caches. */
static void add_levels(struct bench *b, const double *cache_bytes)
{
	BENCH_EACH (b, row, "level") {
		const size_t level = CASE_NTH(row, "level", level_names);

		BENCH_EACH (b, c, of_curve) {
			const struct latency_spec *spec = c->data;

			if (case_is(row, "figure", "size") ||
			    spec->bytes == mem_beyond_caches(b) ||
			    (level && levels_is_of(cache_bytes + 1, level - 1,
						   (double)spec->bytes)))
				bench_derived_from(b, row, c);
		}
	}
}

/* Inserts @bytes into the ascending @sizes unless it is there. */
static size_t insert(int64_t *sizes, size_t n, size_t bytes)
{
	const int64_t size = (int64_t)(bytes / LEAST * LEAST);
	size_t at = n;

	while (at > 0 && sizes[at - 1] > size)
		at--;
	if (!size || (at > 0 && sizes[at - 1] == size))
		return n;
	memmove(sizes + at + 1, sizes + at, (n - at) * sizeof(*sizes));
	sizes[at] = size;
	return n + 1;
}

/* The ladder: two sizes to an octave from 2 KiB on, one beyond 4 MiB where
 * filling takes its time, and steps of an eighth around each cache, of a
 * quarter around large ones. */
static size_t ladder(const double *cache_bytes, size_t beyond, int64_t *sizes)
{
	size_t n = 0, max = 256 * MIB;

	for (size_t bytes = LEAST; bytes <= 64 * MIB; bytes *= 2) {
		n = insert(sizes, n, bytes);
		if (bytes > KIB && bytes < 4 * MIB)
			n = insert(sizes, n, bytes + bytes / 2);
	}
	for (int level = 1; level <= CACHES; level++) {
		const size_t cache = (size_t)cache_bytes[level];
		const bool large = cache > 8 * MIB;
		const size_t step = cache / (large ? 4 : 8);

		for (size_t k = large ? 4 : 6; k <= (large ? 5 : 10); k++)
			n = insert(sizes, n, k * step);
		max = 4 * cache > max ? 4 * cache : max;
	}
	n = insert(sizes, n, beyond);
	return insert(sizes, n, max);
}

static int cases(struct bench *b, void *state)
{
	struct latency_state *s = state;
	const unsigned int nodes = bench_nodes(b);
	const size_t beyond = mem_beyond_caches(b);
	int64_t sizes[LEVELS_CURVE], node[BENCH_MAX_NODES];
	size_t n = 0;

	for (unsigned int i = 0; nodes > 1 && i < nodes; i++)
		if (bench_nth_node(b, i) >= 0)
			node[n++] = bench_nth_node(b, i);
	bench_set_numbers(b, "nodes", BENCH_INT, node, n);
	for (unsigned int level = 1; level <= CACHES; level++)
		s->cache_bytes[level] = (double)bench_cache_bytes(b, level);
	bench_set_numbers(b, "ladder", BENCH_SIZE, sizes,
			  ladder(s->cache_bytes, beyond, sizes));
	BENCH_SET_NUMBER(b, "beyond", BENCH_SIZE, beyond);
	BENCH_SET_NUMBER(b, "on_nodes", BENCH_SIZE, nodes * beyond);
	bench_points(b, points);
	add_levels(b, s->cache_bytes);
	return 0;
}

static int setup(struct bench *b, void *state)
{
	struct latency_state *s = state;

	BENCH_EACH (b, c, "figure=cycles")
		s->cycles |= bench_selected(b, c);
	return 0;
}

/* Bytes of the largest case with these pages; the others use the beginning of
 * its buffer. */
static size_t largest(const struct bench *b, enum mem_pages pages)
{
	size_t most = 0;

	BENCH_EACH (b, c, "pattern !to_node")
		if (pages_of(c) == pages && bench_selected(b, c) &&
		    size_of(c) > most)
			most = size_of(c);
	return most;
}

static int link_chain(struct bench *b, struct latency_state *s,
		      const struct bench_case *c)
{
	const enum mem_pages pages = pages_of(c);
	struct mem_buffer *m = &s->buffer[pages];
	int err = mem_have(b, m, largest(b, pages), pages, -1);

	if (!err)
		err = mem_check(b, m);
	if (err)
		return err;
	bench_fact(b, c, "page_bytes",
		   (double)(pages == MEM_4K ? bench_page_bytes()
					    : MEM_HUGE_BYTES));
	err = CASE_OF(c, "pattern", patterns)
		      ->link(&s->chase, m->base, size_of(c),
			     case_has(c, "stride")
				     ? (size_t)case_int(c, "stride")
				     : bench_page_bytes(),
			     bench_random(b));
	if (err)
		return bench_fail(b, -err, "link the chain");
	/* The last cache may have kept any part of what was linked. */
	if (size_of(c) >= mem_beyond_caches(b))
		mem_flush(m->base, size_of(c));
	/* By the lines that it touches: not all orders touch all of them.
	 * Strides are about fetching ahead from memory.  Where passes are
	 * timed, the cold one is the round. */
	if (!case_is(c, "pattern", "stride") &&
	    settle_fits(b, s->chase.lines * CHASE_LINE))
		follow_settle(b, c, &s->chase, !c->sample);
	return 0;
}

/* Which of bench_nth_node() to_node is. */
static unsigned int nth_node(const struct bench *b, const struct bench_case *c)
{
	unsigned int i = 0;

	while (bench_nth_node(b, i) >= 0 &&
	       bench_nth_node(b, i) != case_int(c, "to_node"))
		i++;
	return i;
}

/* From a CPU of one NUMA node through the memory of another. */
static int enter_node(struct bench *b, struct latency_state *s,
		      const struct bench_case *c)
{
	const unsigned int i = nth_node(b, c);
	struct mem_buffer *m = &s->node[i].buffer;
	struct chase *chase = &s->node[i].chase;
	const int node = bench_nth_node(b, i);
	const int cpu = bench_cpu_of_node(b, (int)case_int(c, "from_node"));
	int err = mem_have(b, m, size_of(c), MEM_THP, node);

	if (!err)
		err = mem_check(b, m);
	if (err)
		return err;
	if (!chase->at) {
		s->node[i].there = mem_node_bytes(m, node);
		err = chase_link_window(chase, m->base, m->bytes, 0,
					bench_random(b));
		if (err)
			return bench_fail(b, -err, "link the chain");
		mem_flush(m->base, m->bytes);
	}
	err = bench_pin(cpu);
	if (err)
		return bench_fail(b, -err, "go to CPU %d", cpu);
	bench_fact(b, c, "from_cpu", cpu);
	bench_proof(b, c, "bytes_on_node", (double)m->bytes,
		    fmax(0, (double)s->node[i].there));
	s->chase = *chase;
	return 0;
}

static int enter(struct bench *b, void *state, const struct bench_case *c)
{
	struct latency_state *s = state;

	s->batches = 0;
	s->chase.at = NULL;
	return is_between_nodes(c) ? enter_node(b, s, c) : link_chain(b, s, c);
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
static double pair_cycles(const struct bench *b, struct chase *c)
{
	static const uint64_t n[] = { 1, 2, 2, 1 };
	double muls = 0, loads = 0;

	for (int i = 0; i < 4; i++) {
		const double sign = n[i] == 2 ? 1 : -1;

		if (i < 2)
			muls += sign * (double)time_muls(b, MUL_ROUNDS * n[i]);
		loads += sign * (double)follow_time(b, c, LOAD_ROUNDS * n[i]);
		if (i >= 2)
			muls += sign * (double)time_muls(b, MUL_ROUNDS * n[i]);
	}
	if (!(muls > 0) || !(loads > 0))
		return NAN;
	return loads / (double)(LOAD_ROUNDS * CHASE_UNROLL) /
	       (muls / (double)(MUL_ROUNDS * REFERENCE_LINKS) /
		bench_timer(b)->multiply_cycles);
}

static int conclude(struct bench *b, void *state, const struct bench_case *c,
		    uint64_t iters)
{
	struct latency_state *s = state;
	struct latency_spec *spec = c->data;
	double pair;

	/* After each pass or group of four batches. */
	if (!s->cycles || !is_curve(c) || spec->n_pairs == PAIRS ||
	    (!c->sample && s->batches++ % 4))
		return 0;
	pair = spec->bytes <= SMALL ? pair_cycles(b, &s->chase)
				    : reference_hz(bench_timer(b));
	if (!(pair > 0))
		return 0;
	/* NAN, where it cannot be told, is not more than anything. */
	spec->share[spec->n_pairs] = fmax(0, reference_share(bench_timer(b)));
	spec->pair[spec->n_pairs++] = pair;
	return 0;
}

static int leave(struct bench *b, void *state, const struct bench_case *c)
{
	struct latency_state *s = state;

	if (is_between_nodes(c)) {
		const int err = bench_pin(bench_cpu(b));

		if (err)
			return bench_fail(b, -err, "go back to CPU %d",
					  bench_cpu(b));
		if (s->chase.at)
			s->node[nth_node(b, c)].chase = s->chase;
	}
	return follow_leave(b, s, c);
}

/*
 * Rows that are found in the curve: size, latency and core cycles of each cache
 * and of memory.
 */

/* What the levels are made from: what a load takes from where the lines were
 * put by warming up.  A row may be slower: its chain goes round on until it has
 * no more than the others that share the last cache leave it. */
struct curve {
	double size[LEVELS_CURVE], latency[LEVELS_CURVE];
	const struct latency_spec *spec[LEVELS_CURVE];
	size_t n;
};

static void curve_get(const struct bench *b, struct curve *all)
{
	all->n = 0;
	BENCH_EACH (b, c, of_curve) {
		const struct latency_spec *spec = c->data;
		const double ns = bench_value(b, c);

		if (!isfinite(ns) || all->n == LEVELS_CURVE)
			continue;
		all->size[all->n] = (double)spec->bytes;
		all->latency[all->n] =
			spec->held_ns > 0 ? fmin(ns, spec->held_ns) : ns;
		all->spec[all->n++] = spec;
	}
}

struct taken {
	double cycles, share;
};

static int most_share_first(const void *a, const void *b)
{
	const struct taken *x = a, *y = b;

	return (x->share < y->share) - (x->share > y->share);
}

/* What was taken at the points of a plateau. */
static size_t gather(const struct curve *curve, const struct level *l,
		     struct taken *all)
{
	size_t n = 0;

	for (size_t i = l->first; i <= l->last; i++) {
		const struct latency_spec *spec = curve->spec[i];
		const double unit =
			spec->bytes <= SMALL ? 1 : curve->latency[i] * 1e-9;

		for (size_t k = 0; k < spec->n_pairs; k++)
			all[n++] = (struct taken) { spec->pair[k] * unit,
						    spec->share[k] };
	}
	return n;
}

/* Core cycles of a load in a level: the median over the quarter of all that was
 * taken at the points of its plateau in which we had most of the core, for
 * another hardware thread of it takes turns at the load ports (seen: 5.1 cycles
 * instead of 5.0); NAN if nothing was. */
static double level_cycles(const struct curve *curve, const struct level *l)
{
	/* More than ulimit -s may allow. */
	static struct taken all[LEVELS_CURVE * PAIRS];
	static double cycles[LEVELS_CURVE * PAIRS];
	const size_t n = gather(curve, l, all), most = (n + 3) / 4;

	qsort(all, n, sizeof(*all), most_share_first);
	for (size_t i = 0; i < most; i++)
		cycles[i] = all[i].cycles;
	return most ? stats_median(cycles, most) : NAN;
}

static const char used_up_text[] =
	"others use this cache up (in a virtual machine it is the host's, for "
	"all its guests), or the machine is too busy";

/* Steps of the ladder of sizes between what was found and what hwloc says. */
static double steps_off(const struct curve *curve, double found, double told)
{
	double steps = 0;

	for (size_t i = 0; i < curve->n; i++)
		steps += (curve->size[i] > found) != (curve->size[i] > told);
	return steps;
}

/* Whether a size was measured that fills at least half of a cache. */
static bool is_filled(const struct curve *curve, double cache_bytes)
{
	for (size_t i = 0; i < curve->n; i++)
		if (curve->size[i] >= cache_bytes / 2 &&
		    curve->size[i] <= cache_bytes)
			return true;
	return false;
}

/* @next_ns: what the next cache takes, or memory.  @told: what hwloc says. */
static void derive_size(struct bench *b, const struct bench_case *row,
			const struct curve *curve, const struct level *l,
			double next_ns, double told, bool last)
{
	const int end = levels_end(curve->size, curve->latency, curve->n,
				   l->latency_ns, next_ns);
	const double found = end < 0 ? 0 : curve->size[end];
	const double off = steps_off(curve, found, told);

	if (end < 0) {
		bench_derive_skip(b, row, "nothing slower was measured");
	} else if (!last || found >= told / 2) {
		bench_derive_between(b, row, found, found,
				     levels_above(curve->size, curve->n,
						  found));
		bench_fact(b, row, "hwloc_bytes", told);
		bench_fact(b, row, "steps_off", off);
		/* What makes a cache look smaller or larger than it is. */
		if (off > 1)
			bench_fact_text(
				b, row, "why",
				found < told
					? "others use a part of it, or pages "
					  "of 4 KiB fill its sets unevenly, or "
					  "the machine is too busy"
					: "the step is hidden by the next "
					  "cache, or the machine is too busy");
	} else if (is_filled(curve, told)) {
		/* Where others use the half of the last cache or more, the end
		 * that is seen is theirs to set: no size of the cache. */
		bench_derive_skip(b, row,
				  "seen up to %.4g of the %.4g MiB that hwloc "
				  "states: %s",
				  found / 1048576, told / 1048576,
				  used_up_text);
	} else {
		bench_derive_skip(
			b, row,
			"no size was measured that fills half of the "
			"%.4g MiB that hwloc states: %.4g MiB still fit",
			told / 1048576, found / 1048576);
	}
}

static void derive_cycles(struct bench *b, const struct bench_case *row,
			  double cycles)
{
	if (isfinite(cycles))
		bench_derive(b, row, cycles);
	else
		bench_derive_skip(b, row, "a core's cycle could not be told");
}

static void skip_level(struct bench *b, const struct bench_case *row,
		       size_t level, double cache_bytes)
{
	if (level && cache_bytes > 0)
		bench_derive_skip(b, row,
				  "no size that would fit the %.0f KiB that "
				  "hwloc states is clearly faster than memory: "
				  "%s",
				  cache_bytes / 1024, used_up_text);
	else
		bench_derive_skip(b, row,
				  level ? "hwloc knows no such cache"
					: "the size beyond the caches could "
					  "not be measured");
}

/* Into @l[0] the least size beyond all caches (larger ones take as long, and
 * touching them more than all measuring), into the others the caches; a latency
 * of 0 or NAN: not found. */
static void find_levels(const struct bench *b, const struct curve *curve,
			const double *cache_bytes, struct level *l)
{
	l[0].latency_ns = NAN;
	for (size_t i = 0; i < curve->n; i++)
		if (curve->spec[i]->bytes == mem_beyond_caches(b))
			l[0] = (struct level) { .first = i,
						.last = i,
						.latency_ns =
							curve->latency[i] };
	for (size_t level = 1; level <= CACHES; level++)
		if (levels_known(curve->size, curve->latency, curve->n,
				 cache_bytes + 1, CACHES, level - 1,
				 l[0].latency_ns, &l[level]))
			l[level].latency_ns = 0;
}

static void derive_levels(struct bench *b, const double *cache_bytes)
{
	struct level found[CACHES + 1] = { 0 };
	struct curve curve;

	curve_get(b, &curve);
	find_levels(b, &curve, cache_bytes, found);
	BENCH_EACH (b, row, "level") {
		const size_t level = CASE_NTH(row, "level", level_names);
		const struct level *l = &found[level];
		size_t next = (level + 1) % (CACHES + 1);

		while (next && !(found[next].latency_ns > 0))
			next = (next + 1) % (CACHES + 1);
		if (!(l->latency_ns > 0)) {
			skip_level(b, row, level, cache_bytes[level]);
		} else if (case_is(row, "figure", "cycles")) {
			derive_cycles(b, row, level_cycles(&curve, l));
		} else if (case_is(row, "figure", "latency")) {
			bench_derive(b, row, l->latency_ns);
			bench_fact(b, row, "from_bytes", curve.size[l->first]);
			bench_fact(b, row, "to_bytes", curve.size[l->last]);
		} else {
			derive_size(b, row, &curve, l, found[next].latency_ns,
				    cache_bytes[level],
				    level == CACHES ||
					    !(cache_bytes[level + 1] > 0));
		}
	}
}

static int derive(struct bench *b, void *state)
{
	const struct latency_state *s = state;

	derive_levels(b, s->cache_bytes);
	return 0;
}

static void teardown(struct bench *b, void *state)
{
	struct latency_state *s = state;

	for (int i = 0; i < 3; i++)
		mem_unmap(&s->buffer[i]);
	for (int i = 0; i < BENCH_MAX_NODES; i++)
		mem_unmap(&s->node[i].buffer);
}

const struct bench_desc bench_desc = {
	.name = "mem_latency",
	.state_size = sizeof(struct latency_state),
	.case_state_size = sizeof(struct latency_spec),
	.point = point,
	.cases = cases,
	.setup = setup,
	.enter = enter,
	.run = follow_run,
	.conclude = conclude,
	.leave = leave,
	.derive = derive,
	.teardown = teardown,
};
