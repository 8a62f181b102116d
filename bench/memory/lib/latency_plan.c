/* SPDX-License-Identifier: MIT */
#include "latency_plan.h"

#include <string.h>

#include "chase.h"
#include "settle.h"

#define KIB   ((size_t)1 << 10)
#define MIB   ((size_t)1 << 20)
#define LEAST ((size_t)512) /* as lmbench; all sizes are multiples of it */

static const char *const pattern_names[] = { "window", "random", "page_local",
					     "chunk",  "stride", "page" };

static const char too_big[] =
	"needs more than its share of a quarter of the memory that is free or "
	"that the memory cgroup leaves";
static const char no_cpu[] = "this process may use no CPU of that node";
static const char no_pool[] =
	"the pool of huge pages is too small (sysctl vm.nr_hugepages)";

static bool is_in_passes(const struct bench *b, enum latency_pattern pattern,
			 size_t bytes)
{
	return (pattern == WINDOW || pattern == RANDOM ||
		pattern == PAGE_LOCAL) &&
	       bytes > LATENCY_SMALL && settle_fits(b, bytes);
}

/* What the largest case may take: the buffers of all kinds of pages are kept
 * side by side, and so is one on each NUMA node. */
static uint64_t share(const struct bench *b, enum mem_pages pages)
{
	const uint64_t spare = bench_spare_bytes(b);

	return pages == MEM_4K ? spare / 2 : spare / 8;
}

static void add(struct bench *b, struct latency_plan *p,
		enum latency_pattern pattern, enum mem_pages pages,
		size_t stride, size_t bytes)
{
	const size_t rounds = bytes / CHASE_LINE / CHASE_UNROLL;
	struct bench_case c = {
		.params = { P_STR("pattern", pattern_names[pattern]) },
		.index = (int64_t)p->n,
		.ops = CHASE_UNROLL,
		.exclusive = bytes > LATENCY_SMALL,
	};
	struct bench_param *at = &c.params[1];

	if (p->n == LATENCY_MAX)
		return;
	if (is_in_passes(b, pattern, bytes)) {
		c.sample = p->pass;
		c.least = 1;
		c.ops = (unsigned int)rounds * CHASE_UNROLL;
	}
	if (stride)
		*at++ = (struct bench_param)P_SIZE("stride", (int64_t)stride);
	*at++ = (struct bench_param)P_STR("pages", mem_pages_name(pages));
	*at = (struct bench_param)P_SIZE("size", (int64_t)bytes);
	if (pages == MEM_HUGETLB && bytes > mem_huge_pool())
		c.skip = no_pool;
	else if (bytes > share(b, pages))
		c.skip = too_big;
	p->spec[p->n] = (struct latency_spec) { .pattern = pattern,
						.pages = pages,
						.stride = stride,
						.bytes = bytes,
						.from = -1,
						.to = -1 };
	p->spec[p->n].c = bench_add(b, &c);
	p->n++;
}

/* Inserts @bytes into the ascending @sizes unless it is there. */
static size_t insert(size_t *sizes, size_t n, size_t bytes)
{
	size_t at = n;

	bytes = bytes / LEAST * LEAST;
	while (at > 0 && sizes[at - 1] > bytes)
		at--;
	if (!bytes || (at > 0 && sizes[at - 1] == bytes))
		return n;
	memmove(sizes + at + 1, sizes + at, (n - at) * sizeof(*sizes));
	sizes[at] = bytes;
	return n + 1;
}

/* The ladder: two sizes to an octave from 2 KiB on, one beyond 4 MiB where
 * filling takes its time, and steps of an eighth around each cache, of a
 * quarter around large ones. */
static size_t ladder(const double *cache_bytes, size_t beyond, size_t max,
		     size_t *sizes)
{
	size_t n = 0;

	for (size_t bytes = LEAST; bytes <= max && bytes <= 64 * MIB;
	     bytes *= 2) {
		n = insert(sizes, n, bytes);
		if (bytes > KIB && bytes < 4 * MIB && bytes + bytes / 2 <= max)
			n = insert(sizes, n, bytes + bytes / 2);
	}
	for (int level = 1; level <= LATENCY_LEVELS; level++) {
		const size_t cache = (size_t)cache_bytes[level];
		const int large = cache > 8 * MIB;
		const size_t step = cache / (large ? 4 : 8);

		for (size_t k = large ? 4 : 6; step && k <= (large ? 5 : 10);
		     k++)
			if (k * step <= max)
				n = insert(sizes, n, k * step);
	}
	n = insert(sizes, n, beyond);
	return insert(sizes, n, max);
}

static size_t max_size(const struct latency_plan *p)
{
	size_t max = 256 * MIB;

	for (int level = 1; level <= LATENCY_LEVELS; level++)
		if (4 * p->cache_bytes[level] > (double)max)
			max = 4 * (size_t)p->cache_bytes[level];
	return max;
}

static void add_pair(struct bench *b, struct latency_plan *p, size_t bytes,
		     int from, int to)
{
	struct bench_case c = {
		.params = { P_INT("from_node", from), P_INT("to_node", to),
			    P_STR("pattern", "window"), P_STR("pages", "thp"),
			    P_SIZE("size", (int64_t)bytes) },
		.index = (int64_t)p->n,
		.ops = CHASE_UNROLL,
		.exclusive = true,
	};

	if (p->n == LATENCY_MAX)
		return;
	if (bench_cpu_of_node(b, from) < 0)
		c.skip = no_cpu;
	else if (bench_nodes(b) * bytes > bench_spare_bytes(b) / 4)
		c.skip = too_big;
	p->spec[p->n] = (struct latency_spec) { .pattern = WINDOW,
						.pages = MEM_THP,
						.bytes = bytes,
						.from = from,
						.to = to };
	p->spec[p->n].c = bench_add(b, &c);
	p->n++;
}

/* One size beyond the caches, followed from each node that has a CPU of ours
 * through the memory of each node.  All nodes' memory is kept until the end. */
static void add_nodes(struct bench *b, struct latency_plan *p)
{
	const size_t bytes = mem_beyond_caches(b);
	const unsigned int nodes = bench_nodes(b);

	for (unsigned int i = 0; nodes > 1 && i < nodes; i++)
		for (unsigned int k = 0; k < nodes; k++)
			if (bench_nth_node(b, i) >= 0 &&
			    bench_nth_node(b, k) >= 0)
				add_pair(b, p, bytes, bench_nth_node(b, i),
					 bench_nth_node(b, k));
}

void latency_plan_make(struct bench *b, struct latency_plan *p,
		       bench_case_fn *pass)
{
	static const size_t some[] = { 32 * KIB, MIB, 8 * MIB, 64 * MIB };
	size_t sizes[LATENCY_MAX], n;

	p->pass = pass;
	for (unsigned int level = 1; level <= LATENCY_LEVELS; level++)
		p->cache_bytes[level] = (double)bench_cache_bytes(b, level);
	n = ladder(p->cache_bytes, mem_beyond_caches(b), max_size(p), sizes);
	for (size_t i = 0; i < n; i++)
		add(b, p, WINDOW, MEM_4K, 0, sizes[i]);
	for (size_t i = 0; i < 4; i++)
		add(b, p, WINDOW, MEM_THP, 0, some[i]);
	for (size_t i = 0; i < 4; i++)
		add(b, p, WINDOW, MEM_HUGETLB, 0, some[i]);
	for (size_t i = 1; i < 4; i++)
		add(b, p, RANDOM, MEM_4K, 0, some[i]);
	for (size_t i = 1; i < 4; i++)
		add(b, p, RANDOM, MEM_THP, 0, some[i]);
	for (size_t bytes = 4 * MIB; bytes <= 16 * MIB; bytes *= 2)
		add(b, p, PAGE_LOCAL, MEM_4K, 0, bytes);
	add(b, p, PAGE_LOCAL, MEM_4K, 0, 64 * MIB);
	for (size_t i = 0; i < 4; i++)
		add(b, p, CHUNK, MEM_4K, 512, some[i]);
	for (size_t stride = 64; stride <= 4096; stride *= 2)
		add(b, p, STRIDE, MEM_4K, stride, 64 * MIB);
	for (size_t i = 2; i < 4; i++)
		add(b, p, PAGE, MEM_4K, 0, some[i]);
	add_nodes(b, p);
}

size_t latency_plan_largest(const struct bench *b, const struct latency_plan *p,
			    enum mem_pages pages)
{
	size_t bytes = 0;

	for (size_t i = 0; i < p->n; i++)
		if (p->spec[i].pages == pages && p->spec[i].to < 0 &&
		    p->spec[i].bytes > bytes && bench_selected(b, p->spec[i].c))
			bytes = p->spec[i].bytes;
	return bytes;
}

bool latency_is_curve(const struct latency_spec *spec)
{
	return spec->pattern == WINDOW && spec->pages == MEM_4K;
}
