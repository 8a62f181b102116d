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

/* The buffers of all kinds of pages are kept side by side, and so is one on
 * each NUMA node. */
const char latency_points[] =
	"pattern=window pages=$page size=$ladder;"
	"pattern=window pages={thp,hugetlb} size={32K,1M,8M,64M};"
	"pattern=random pages={$page,thp} size={1M,8M,64M};"
	"pattern=page_local pages=$page size={4M,8M,16M,64M};"
	"pattern=chunk stride=512 pages=$page size={32K,1M,8M,64M};"
	"pattern=stride stride=64..4K*2 pages=$page size=64M;"
	"pattern=page pages=$page size={8M,64M};"
	"is exclusive if size>1M; needs memory=2*size if pages=$page;"
	"needs memory=8*size if pages!=$page;"

	/* One size beyond the caches, followed from each node that has a CPU of
	 * ours through the memory of each node. */
	"from_node=$nodes to_node=$nodes pattern=window pages=thp size=$beyond;"
	"is exclusive; needs memory=4*$on_nodes;"

	"level={'1','2','3',memory} figure={size,latency,cycles};"
	"not level=memory figure=size; is derived;"
	"is unit=B higher if figure=size; is unit=ns if figure=latency;"
	"is unit=cycles if figure=cycles";

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

static void set_nodes(struct bench *b)
{
	const unsigned int nodes = bench_nodes(b);
	int64_t node[BENCH_MAX_NODES];
	size_t n = 0;

	for (unsigned int i = 0; nodes > 1 && i < nodes; i++)
		if (bench_nth_node(b, i) >= 0)
			node[n++] = bench_nth_node(b, i);
	bench_set_numbers(b, "nodes", BENCH_INT, node, n);
	BENCH_SET_NUMBER(b, "on_nodes", BENCH_SIZE,
			 nodes * mem_beyond_caches(b));
}

void latency_plan_set(struct bench *b, struct latency_plan *p)
{
	const size_t beyond = mem_beyond_caches(b);
	size_t sizes[LATENCY_MAX], n;
	int64_t numbers[LATENCY_MAX];

	for (unsigned int level = 1; level <= LATENCY_LEVELS; level++)
		p->cache_bytes[level] = (double)bench_cache_bytes(b, level);
	n = ladder(p->cache_bytes, beyond, max_size(p), sizes);
	for (size_t i = 0; i < n; i++)
		numbers[i] = (int64_t)sizes[i];
	bench_set_numbers(b, "ladder", BENCH_SIZE, numbers, n);
	BENCH_SET_NUMBER(b, "beyond", BENCH_SIZE, beyond);
	set_nodes(b);
}

void latency_plan_fill(struct bench *b, struct bench_case *c,
		       bench_case_fn *pass)
{
	struct latency_spec *spec = c->data;

	if (c->derived)
		return;
	*spec = (struct latency_spec) {
		.pattern = CASE_NTH(c, "pattern", pattern_names),
		.pages = CASE_ENUM(c, "pages", mem_pages_name, 3),
		.stride = case_has(c, "stride") ? (size_t)case_int(c, "stride")
						: 0,
		.bytes = (size_t)case_int(c, "size"),
		.from = -1,
		.to = -1,
	};
	c->ops = CHASE_UNROLL;
	if (case_has(c, "to_node")) {
		spec->from = (int)case_int(c, "from_node");
		spec->to = (int)case_int(c, "to_node");
		if (bench_cpu_of_node(b, spec->from) < 0)
			c->skip = no_cpu;
	} else if (is_in_passes(b, spec->pattern, spec->bytes)) {
		c->sample = pass;
		c->least = 1;
		c->ops *=
			(unsigned int)(spec->bytes / CHASE_LINE / CHASE_UNROLL);
	}
	if (spec->pages == MEM_HUGETLB && spec->bytes > mem_huge_pool())
		c->skip = no_pool;
}

size_t latency_plan_largest(const struct bench *b, enum mem_pages pages)
{
	size_t most = 0;

	BENCH_EACH (b, c, "pattern !to_node") {
		const struct latency_spec *spec = c->data;

		if (spec->pages == pages && spec->bytes > most &&
		    bench_selected(b, c))
			most = spec->bytes;
	}
	return most;
}

bool latency_is_curve(const struct latency_spec *spec)
{
	return spec->pattern == WINDOW && spec->pages == MEM_4K;
}
