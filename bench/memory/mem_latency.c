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
 * and shows what prefetching gains. `page` reads one line in each 4 KiB. For
 * `chunk` and `page` size is what is walked through: they touch one line in
 * each chunk or page, so the caches hold them longer than the other orders.
 *
 * On a machine with several NUMA nodes from_node=M,to_node=N rows follow a
 * chain in one node's memory from a CPU of another, and of the same.
 *
 * A chain that a cache can keep is followed until passes get no faster, before
 * it is timed. From the curve of `window` over sizes come the levels, as rows
 * of their own: their latency from the sizes that fit the cache by hwloc's
 * sizes, their size from where the curve passes half-way to the next level
 * (bench/memory/lib/levels.h). Other sizes of `window` can be asked for, up to
 * the memory: --case 'pattern=window,pages=4K,size=4G'.
 *
 * Measures: ns per dependent load; for levels also bytes.
 * Includes: nothing else: 32 loads and a countdown in one round.
 * After:    lmbench lat_mem_rd (a stride, which prefetchers follow: not
 *           comparable in memory), multichase (whose page-local order is most
 *           like window, not page_local), the CSE 221 report's section 4.1
 *           (chunk).
 * Needs:    memory: the largest size is 4 times the last cache and 256 MiB at
 *           least, as far as a quarter of the free memory allows.
 */
#include <math.h>
#include <string.h>

#include "bench.h"
#include "lib/follow.h"
#include "lib/levels.h"
#include "load_rows.h"
#include "sysfile.h"

#define KIB    ((size_t)1 << 10)
#define MIB    ((size_t)1 << 20)
#define LEAST  ((size_t)512) /* as lmbench; all sizes are multiples of it */
#define CACHES 3	     /* that hwloc is asked for */
#define SMALL  MIB /* up to here cases are cheap to link: interleaved */

/* The state of a case: ns of a load in the first pass; 0: not timed. */
typedef double held_ns;

static const char points[] =
	"pattern=window pages=$page size={$ladder,?512..256G/512};"
	"pattern=window pages={thp,hugetlb} size={32K,1M,8M,64M};"
	"pattern=random pages={$page,thp} size={1M,8M,64M};"
	"pattern=page_local pages=$page size={4M,8M,16M,64M};"
	"pattern=chunk stride=512 pages=$page size={32K,1M,8M,64M};"
	"pattern=stride stride=64..4K*2 pages=$page size=64M;"
	"pattern=page pages=$page size={8M,64M};"
	"is exclusive if size>1M;" FOLLOW_OPS
	/* The buffers of all kinds of pages are kept side by side; beside the
	 * chain there is the list that it is made of. */
	"needs memory=size+size/8 if pages=$page; "
	"needs memory=8*size if pages!=$page; needs $pool if pages=hugetlb;"

	LOAD_AXIS "pattern=random pages=$page size=64M;" LOAD_RULES
	"needs memory=2*size;"

	/* One size beyond the caches, followed from each node that has a CPU of
	 * ours through the memory of each node. */
	"from_node=$nodes to_node=$nodes pattern=window pages=thp size=$beyond;"
	"is exclusive;" FOLLOW_OPS "needs memory=4*size;"

	"level={'1','2','3',memory} stat={size,latency};"
	"not level=memory stat=size; is derived;"
	"is unit=B higher if stat=size; is unit=ns if stat=latency";

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
	struct follow chain;
	double cache_bytes[CACHES + 1]; /* as hwloc says; not [0] */
};

/* A whole pass: what the last cache has of a chain need not be spread evenly
 * over it.  The first one finds all that the cache took in: what the others
 * that share it take back at this slow pace is missing from the second on only.
 */
static int sample_pass(struct bench *b, void *state, const struct bench_case *c)
{
	held_ns *const held = c->data;
	struct latency_state *s = state;
	const uint64_t ticks =
		follow_time(b, &s->chain.chase, c->ops / CHASE_UNROLL);

	if (!(*held > 0)) {
		*held = bench_ns(b, (double)ticks) / c->ops;
		bench_fact(b, c, "held_ns", *held);
	}
	bench_record(b, c, ticks);
	return 0;
}

LOAD_SAMPLE(sample_load, follow_run)

static size_t size_of(const struct bench_case *c)
{
	return (size_t)case_int(c, "size");
}

/* Whether a cache can keep it: the largest one, or 32 MiB where none is known
 * to be larger. */
static bool fits(const struct bench *b, size_t bytes)
{
	return 2 * bytes < mem_beyond_caches(b);
}

static bool point(struct bench *b, void *state, struct bench_case *c)
{
	if (c->derived)
		return true;
	if (case_has(c, "to_node")) {
		if (bench_cpu_of_node(b, (int)case_int(c, "from_node")) < 0)
			c->skip = "this process may use no CPU of that node";
	} else if (case_has(c, "load")) {
		c->sample = sample_load;
	} else if (CASE_OF(c, "pattern", patterns)->in_passes &&
		   size_of(c) > SMALL && fits(b, size_of(c))) {
		c->sample = sample_pass;
		c->least = 1;
		c->ops = (unsigned int)(size_of(c) / CHASE_LINE);
	}
	return true;
}

static const char of_curve[] = "pattern=window pages=$page !asked";
static const char *const level_names[] = { "memory", "1", "2", "3" };

/* A level's size is found from the whole curve, its latency from the sizes that
 * it holds and, to separate it from memory, the one beyond the caches. */
static void add_levels(struct bench *b, const double *cache_bytes)
{
	BENCH_EACH (b, row, "level") {
		const size_t level = CASE_NTH(row, "level", level_names);

		BENCH_EACH (b, c, of_curve) {
			if (case_is(row, "stat", "size") ||
			    size_of(c) == mem_beyond_caches(b) ||
			    (level && levels_is_of(cache_bytes + 1, level - 1,
						   (double)size_of(c))))
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

static void cases(struct bench *b, void *state)
{
	struct latency_state *s = state;
	const unsigned int nodes = bench_nodes(b);
	const size_t beyond = mem_beyond_caches(b);
	int64_t sizes[LEVELS_CURVE], node[BENCH_MAX_NODES];
	size_t n = 0;

	while (nodes > 1 && n < nodes) {
		node[n] = bench_nth_node(b, (unsigned int)n);
		n++;
	}
	bench_set_numbers(b, "nodes", BENCH_INT, node, n);
	for (unsigned int level = 1; level <= CACHES; level++)
		s->cache_bytes[level] = (double)bench_cache_bytes(b, level);
	bench_set_numbers(b, "ladder", BENCH_SIZE, sizes,
			  ladder(s->cache_bytes, beyond, sizes));
	BENCH_SET_NUMBER(b, "beyond", BENCH_SIZE, beyond);
	bench_need(b, "pool",
		   sysfile_number(0, "HugePages_Free", "/proc/meminfo") > 0
			   ? NULL
			   : "the pool of huge pages is too small (sysctl "
			     "vm.nr_hugepages)");
	bench_points(b, points);
	add_levels(b, s->cache_bytes);
}

/* From a CPU of one NUMA node through the memory of another, on huge pages. */
static int go_to_node(struct bench *b, const struct bench_case *c, char *base)
{
	const int cpu = bench_cpu_of_node(b, (int)case_int(c, "from_node"));
	const int err = bench_pin(cpu);
	double there = 0;

	if (err)
		return bench_fail(b, -err, "go to CPU %d", cpu);
	for (size_t at = 0; at < size_of(c); at += MEM_HUGE_BYTES)
		if (mem_node(base + at, -1) == case_int(c, "to_node"))
			there += MEM_HUGE_BYTES;
	bench_fact(b, c, "from_cpu", cpu);
	bench_proof(b, c, "bytes_on_node", (double)size_of(c), there);
	return 0;
}

static int enter(struct bench *b, void *state, const struct bench_case *c)
{
	struct latency_state *s = state;
	const struct follow_plan plan = {
		.link = CASE_OF(c, "pattern", patterns)->link,
		.bytes = size_of(c),
		.step = case_has(c, "stride") ? (size_t)case_int(c, "stride")
					      : bench_page_bytes(),
		.pages = case_is(c, "pages", "thp")	  ? MEM_THP
			 : case_is(c, "pages", "hugetlb") ? MEM_HUGETLB
							  : MEM_4K,
	};
	char **base = &s->chain.buffer[plan.pages].base;
	const int err =
		follow_link(b, &s->chain, &plan,
			    case_has(c, "to_node") ? (int)case_int(c, "to_node")
						   : -1);

	if (err)
		return err;
	bench_fact(b, c, "page_bytes",
		   (double)(plan.pages == MEM_4K ? bench_page_bytes()
						 : MEM_HUGE_BYTES));
	/* The last cache may have kept any part of what was linked. */
	if (plan.bytes >= mem_beyond_caches(b))
		mem_flush(*base, plan.bytes);
	/* By the lines that it touches: not all orders touch all of them.
	 * Strides are about fetching ahead from memory.  Where passes are
	 * timed, the cold one is the round. */
	if (plan.link != chase_link_stride &&
	    fits(b, s->chain.chase.lines * CHASE_LINE))
		follow_settle(b, c, &s->chain, !c->sample);
	return case_has(c, "to_node") ? go_to_node(b, c, *base) : 0;
}

/* The source of the levels: the time of a load from where the warm-up put the
 * lines.  A row may be slower: its chain goes round until it has no more of the
 * last cache than the other users leave it. */
struct curve {
	double size[LEVELS_CURVE], latency[LEVELS_CURVE];
	size_t n;
	/* Memory is the least size beyond all caches (larger ones take as long,
	 * and touching them more than all measuring); a latency of 0 or NAN:
	 * not found. */
	struct level level[CACHES + 1];
};

static void curve_get(const struct bench *b, const double *cache_bytes,
		      struct curve *all)
{
	struct level *l = all->level;

	l[0].latency_ns = NAN;
	BENCH_EACH (b, c, of_curve) {
		const held_ns *const held = c->data;
		const size_t i = all->n;
		double ns = bench_value(b, c);

		if (!isfinite(ns) || i == LEVELS_CURVE)
			continue;
		if (*held > 0)
			ns = fmin(ns, *held);
		if (size_of(c) == mem_beyond_caches(b))
			l[0] = (struct level) { .first = i,
						.last = i,
						.latency_ns = ns };
		all->size[i] = (double)size_of(c);
		all->latency[i] = ns;
		all->n++;
	}
	for (size_t level = 1; level <= CACHES; level++)
		if (levels_known(all->size, all->latency, all->n,
				 cache_bytes + 1, level - 1, l[0].latency_ns,
				 &l[level]))
			l[level].latency_ns = 0;
}

static const char slow_text[] =
	"no size that would fit is clearly faster than memory: ";
static const char used_up_text[] =
	"other programs use this cache up (of a virtual machine all guests of "
	"the host), or the machine is too busy";
static const char beyond_text[] =
	"the size beyond the caches could not be measured";

/* Steps of the ladder of sizes between two of them. */
static double steps_between(const struct curve *curve, double a, double b)
{
	double steps = 0;

	for (size_t i = 0; i < curve->n; i++)
		steps += (curve->size[i] > a) != (curve->size[i] > b);
	return steps;
}

/* @told: hwloc's size. */
static void derive_size(struct bench *b, const struct bench_case *row,
			const struct curve *curve, size_t level, double told,
			bool last)
{
	const struct level *l = curve->level;
	size_t next = level;
	double found, off;
	int end;

	do
		next = (next + 1) % (CACHES + 1);
	while (next && !(l[next].latency_ns > 0));
	end = levels_end(curve->latency, curve->n, l[level].latency_ns,
			 l[next].latency_ns);
	found = end < 0 ? 0 : curve->size[end];
	off = steps_between(curve, found, told);
	if (end < 0) {
		bench_derive_skip(b, row, "nothing slower was measured");
	} else if (!last || found >= told / 2) {
		bench_derive_between(
			b, row, found, found,
			curve->size[end + (end + 1 < (int)curve->n)]);
		bench_fact(b, row, "hwloc_bytes", told);
		bench_fact(b, row, "steps_off", off);
		/* Reasons that make a cache look smaller or larger. */
		if (off > 1)
			bench_fact_text(
				b, row, "why",
				found < told
					? "others use a part of it, or pages "
					  "of 4 KiB fill its sets unevenly, or "
					  "the machine is too busy"
					: "the step is hidden by the next "
					  "cache, or the machine is too busy");
	} else {
		/* Where others use the half of the last cache or more, the end
		 * that is seen is theirs to set: no size of the cache. */
		bench_derive_skip(b, row,
				  "seen up to %.4g of the %.4g MiB that hwloc "
				  "states: %s",
				  found / 1048576, told / 1048576,
				  steps_between(curve, told / 2 - 1, told) > 0
					  ? used_up_text
					  : "no size was measured that fills "
					    "half of it");
	}
}

static void derive(struct bench *b, void *state)
{
	const struct latency_state *s = state;
	struct curve curve = { .n = 0 };

	curve_get(b, s->cache_bytes, &curve);
	BENCH_EACH (b, row, "level") {
		const size_t level = CASE_NTH(row, "level", level_names);
		const struct level *l = &curve.level[level];
		const double told = s->cache_bytes[level];

		if (!(l->latency_ns > 0)) {
			bench_derive_skip(b, row, "%s%s",
					  told > 0 ? slow_text : "",
					  told > 0 ? used_up_text
					  : level ? "hwloc states no size of it"
						  : beyond_text);
		} else if (case_is(row, "stat", "latency")) {
			bench_derive(b, row, l->latency_ns);
			bench_fact(b, row, "from_bytes", curve.size[l->first]);
			bench_fact(b, row, "to_bytes", curve.size[l->last]);
		} else if (bench_cache_hidden(b, (unsigned int)level + 1)) {
			bench_derive_skip(b, row, "next cache of unknown size");
		} else {
			derive_size(b, row, &curve, level, told,
				    level == CACHES ||
					    !(s->cache_bytes[level + 1] > 0));
		}
	}
	load_derive(b);
}

const struct bench_desc bench_desc = {
	.state_size = sizeof(struct latency_state),
	.case_state_size = sizeof(held_ns),
	.open = points,
	.point = point,
	.cases = cases,
	.enter = enter,
	.run = follow_run,
	.leave = follow_leave,
	.derive = derive,
};
