/* SPDX-License-Identifier: MIT */
#include "bandwidth_plan.h"

#include <math.h>
#include <string.h>

#define MIB	    ((size_t)1 << 20)
#define STEP	    (4 * (size_t)MEM_BLOCK) /* what the kernels can do */
#define LEAST_CHUNK ((size_t)64 << 10) /* calls take a part of smaller ones */
/* Arrays do not begin at the same place in a page: a load would wait for a
 * store before it that looks alike in its lower 12 bits. */
#define SKEW ((size_t)17 * 64)

const char bandwidth_too_big[] =
	"needs more than a quarter of the memory that is free or that the "
	"memory cgroup leaves";
static const char odd_size[] = "cannot be gone over in equal pieces of 64 to "
			       "256 KiB; a multiple of 64 "
			       "KiB for each array can";
static const char no_isa[] = "this processor has no such instructions";

static const char *const level_names[] = { "L1", "L2", "L3", "memory" };

/* The first two caches have a part for each thread, which may share one with
 * others; the last ones hold whatever is in any of them.  Memory is four times
 * all caches of a level that the threads use: many second ones may be more than
 * a last one. */
static void make_room(const struct bench *b, struct bandwidth_plan *p,
		      unsigned int threads)
{
	size_t most = 0;

	for (unsigned int level = LEVEL_1; level < LEVEL_MEMORY; level++) {
		const size_t all =
			bench_caches_bytes(b, p->cpu, threads, level + 1);

		p->room[level] =
			level == LEVEL_3
				? all
				: threads * bench_cache_share(b, p->cpu,
							      threads,
							      level + 1);
		most = all > most ? all : most;
	}
	p->memory_bytes = 4 * most > 256 * MIB ? 4 * most : 256 * MIB;
}

/* Which level arrays of that size are in. */
static enum bandwidth_level level_of(const struct bandwidth_plan *p,
				     size_t bytes)
{
	for (int level = LEVEL_1; level < LEVEL_MEMORY; level++)
		if (bytes <= p->room[level])
			return (enum bandwidth_level)level;
	return LEVEL_MEMORY;
}

static size_t part_of(enum mem_op op, size_t size, unsigned int threads)
{
	return size / threads / mem_op_arrays(op) / STEP * STEP;
}

/* The largest piece of those that all of @part is made of. */
static size_t equal_chunk(size_t part)
{
	size_t pieces = (part + BANDWIDTH_CHUNK - 1) / BANDWIDTH_CHUNK;

	while (part % (pieces * STEP))
		pieces++;
	return part / pieces;
}

/* What a round goes over.  libc chooses by the size that it is called with: in
 * memory that is no less than all caches have, elsewhere the whole. */
static size_t chunk_of(const struct bandwidth_plan *p,
		       const struct bandwidth_spec *spec, bool asked)
{
	const size_t pieces = spec->part / (p->memory_bytes / 4);

	if (spec->isa != MEM_LIBC && asked)
		return equal_chunk(spec->part);
	if (spec->isa != MEM_LIBC)
		return spec->part < BANDWIDTH_CHUNK ? spec->part
						    : BANDWIDTH_CHUNK;
	return pieces > 1 ? spec->part / pieces / STEP * STEP : spec->part;
}

static struct bench_case case_of(const char *kernel, const char *isa,
				 enum bandwidth_level level, size_t size,
				 unsigned int threads)
{
	return (struct bench_case) {
		.params = { P_STR("kernel", kernel), P_STR("isa", isa),
			    P_STR("level", level_names[level]),
			    P_SIZE("size", (int64_t)size),
			    P_INT("threads", threads) },
		.unit = "B/s",
		.better = BENCH_HIGHER,
	};
}

/* Each node that has one of the threads has a buffer as large as all. */
static size_t bytes_needed(const struct bandwidth_plan *p, size_t size,
			   unsigned int threads)
{
	size_t nodes = 0;

	for (unsigned int i = 0; i < threads; i++) {
		bool seen = false;

		for (unsigned int k = 0; k < i; k++)
			seen |= p->node[k] == p->node[i];
		nodes += !seen;
	}
	return nodes * size;
}

/* @asked: all of it must be gone over, and nothing more. */
static void add(struct bench *b, struct bandwidth_plan *p, enum mem_op op,
		enum mem_isa isa, const char *isa_name, size_t size,
		unsigned int threads, bool asked)
{
	const enum bandwidth_level level = level_of(p, size);
	const size_t part = part_of(op, size, threads);
	struct bench_case c =
		case_of(mem_op_name(op), isa_name, level, size, threads);
	struct bandwidth_spec *spec = &p->spec[p->n];

	if (p->n == BANDWIDTH_MAX || part == 0 ||
	    (asked && part * mem_op_arrays(op) != size))
		return;
	*spec = (struct bandwidth_spec) { .op = op,
					  .isa = isa,
					  .level = level,
					  .threads = threads,
					  .part = part };
	spec->chunk = chunk_of(p, spec, asked);
	c.index = (int64_t)p->n++;
	c.exclusive = level >= LEVEL_3 || threads > 1;
	if (isa == MEM_LIBC && level == LEVEL_MEMORY)
		c.least = 1; /* a call for all that the caches have */
	if (!mem_isa_usable(isa))
		c.skip = no_isa;
	else if (spec->chunk < spec->part && spec->chunk < LEAST_CHUNK)
		c.skip = odd_size;
	else if (bytes_needed(p, size, threads) > bench_spare_bytes(b))
		c.skip = bandwidth_too_big;
	spec->c = bench_add(b, &c);
}

/* Of these one way is enough: copy and triad have the others. */
static bool one_way(enum mem_op op)
{
	return op >= MEM_SCALE;
}

/* The ways that each number of threads has: a best is taken of these, for the
 * bests of one thread and of two are compared. */
static bool is_common(enum mem_isa isa)
{
	return isa == mem_isa_widest() || isa >= MEM_REP;
}

/* Whether a kernel is worth a row there. */
static bool wanted(enum mem_op op, enum mem_isa isa, enum bandwidth_level level,
		   unsigned int threads, bool asked)
{
	if (!mem_kernel(op, isa))
		return false;
	if (threads > 1 && !is_common(isa))
		return false;
	if (one_way(op))
		return (asked || level == LEVEL_MEMORY) &&
		       isa == mem_isa_widest();
	/* Lines that are near need not be asked for ahead. */
	return op < MEM_WRITE_PF ||
	       (level >= LEVEL_3 && isa == mem_isa_widest());
}

/* All kernels that move @size. */
static void add_all(struct bench *b, struct bandwidth_plan *p, size_t size,
		    unsigned int threads, bool asked)
{
	const enum bandwidth_level level = level_of(p, size);

	for (int op = 0; op < MEM_OPS; op++)
		for (int isa = 0; isa < MEM_ISAS; isa++)
			if (wanted(op, isa, level, threads, asked))
				add(b, p, op, isa, mem_isa_name(isa), size,
				    threads, asked);
}

static bool is_way(const struct bandwidth_spec *spec, int op)
{
	return (int)mem_op_family(spec->op) == op && is_common(spec->isa);
}

/* Whether a case since the @first is a way of @op: three arrays do not fit into
 * each size that may be asked for. */
static bool has_way(const struct bandwidth_plan *p, int op, size_t first)
{
	while (first < p->n && !is_way(&p->spec[first], op))
		first++;
	return first < p->n;
}

/* Rows "isa=best" of one size, which its kernels then point to. */
static void add_best(struct bench *b, struct bandwidth_plan *p, size_t size,
		     unsigned int threads, size_t first)
{
	for (int op = 0; op < MEM_OPS; op++) {
		struct bench_case c = case_of(mem_op_name(op), "best",
					      level_of(p, size), size, threads);
		const struct bench_case *best;

		if ((int)mem_op_family(op) != op || one_way(op) ||
		    !has_way(p, op, first))
			continue;
		c.estimator = BENCH_EST_DERIVED;
		c.derived = true;
		best = bench_add(b, &c);
		for (size_t i = first; i < p->n; i++)
			if (is_way(&p->spec[i], op)) {
				p->spec[i].best = best;
				bench_derived_from(b, best, p->spec[i].c);
			}
	}
}

/* Some kernels with the widest registers over all sizes, for the picture. */
static void add_ladder(struct bench *b, struct bandwidth_plan *p)
{
	static const enum mem_op ops[] = { MEM_READ, MEM_READ4, MEM_WRITE,
					   MEM_COPY };
	const enum mem_isa isa = mem_isa_widest();

	for (size_t size = 8192; size <= 64 * MIB; size *= 2)
		for (size_t i = 0; i < sizeof(ops) / sizeof(ops[0]); i++)
			add(b, p, ops[i], isa, "widest", size, 1, false);
	for (size_t i = 0; i < sizeof(ops) / sizeof(ops[0]); i++)
		add(b, p, ops[i], isa, "widest", p->memory_bytes, 1, false);
}

/* All numbers up to 16, from there on powers of two, and all CPUs. */
static unsigned int next_threads(unsigned int threads, unsigned int cpus)
{
	if (threads < 16 || threads >= cpus)
		return threads + 1;
	return threads * 2 > cpus ? cpus : threads * 2;
}

static void size_levels(const struct bandwidth_plan *p, int64_t *size)
{
	size[LEVEL_1] = (int64_t)p->room[LEVEL_1] / 2;
	size[LEVEL_2] = (int64_t)p->room[LEVEL_2] / 2;
	size[LEVEL_3] = (int64_t)p->room[LEVEL_3] / 4;
	size[LEVEL_MEMORY] = (int64_t)p->memory_bytes;
}

static void add_threads(struct bench *b, struct bandwidth_plan *p,
			unsigned int threads)
{
	int64_t size[LEVELS];

	size_levels(p, size);
	for (int level = LEVEL_1; level < LEVELS; level++) {
		const size_t first = p->n;
		const size_t bytes = (size_t)size[level];

		if (!bytes || (level == LEVEL_3 && threads > 1))
			continue;
		add_all(b, p, bytes, threads, false);
		add_best(b, p, bytes, threads, first);
	}
}

/* The sizes that were asked for, by one thread. */
static void add_asked(struct bench *b, struct bandwidth_plan *p)
{
	int64_t size[LEVELS + BENCH_ASKED] = { 0 };
	size_t n;

	size_levels(p, size);
	n = bench_values(b, "size", size, LEVELS, size);
	for (size_t i = LEVELS; i < n; i++) {
		const size_t first = p->n;

		add_all(b, p, (size_t)size[i], 1, true);
		add_best(b, p, (size_t)size[i], 1, first);
	}
}

const struct bench_open bandwidth_plan_open[] = {
	{ "size", BENCH_SIZE, STEP, (int64_t)1 << 33, STEP },
	{ 0 },
};

void bandwidth_plan_make(struct bench *b, struct bandwidth_plan *p)
{
	const unsigned int all = bench_cpus(b);

	for (unsigned int level = 1; level <= LEVEL_MEMORY; level++)
		if (bench_cache_bytes(b, level))
			p->last_bytes = bench_cache_bytes(b, level);
	p->cpus = all < PARTNER_TEAM_MAX ? all : PARTNER_TEAM_MAX;
	for (unsigned int i = 0; i < p->cpus; i++) {
		p->cpu[i] = bench_nth_cpu(b, i);
		p->node[i] = bench_node_of_cpu(b, p->cpu[i]);
	}
	for (unsigned int n = 1; n <= p->cpus; n = next_threads(n, p->cpus)) {
		make_room(b, p, n);
		add_threads(b, p, n);
	}
	make_room(b, p, 1);
	add_ladder(b, p);
	add_asked(b, p);
}

static bool has_thread(const struct bandwidth_plan *p,
		       const struct bandwidth_spec *spec, int node)
{
	for (unsigned int i = 0; i < spec->threads; i++)
		if (p->node[i] == node)
			return true;
	return false;
}

size_t bandwidth_plan_largest(const struct bench *b,
			      const struct bandwidth_plan *p, int node)
{
	size_t bytes = 0;

	for (size_t i = 0; i < p->n; i++) {
		const struct bandwidth_spec *spec = &p->spec[i];
		const size_t size =
			spec->part * mem_op_arrays(spec->op) * spec->threads;

		if (bench_selected(b, spec->c) && size > bytes &&
		    has_thread(p, spec, node))
			bytes = size;
	}
	return bytes;
}

struct bandwidth_place bandwidth_place(const struct bandwidth_spec *spec,
				       unsigned int thread)
{
	const unsigned int arrays = mem_op_arrays(spec->op);
	const size_t a = thread * (arrays * spec->part + BANDWIDTH_APART);
	const size_t next = spec->part + SKEW;

	return (struct bandwidth_place) {
		.a = a,
		.b = arrays > 1 ? a + next : a,
		.c = arrays > 2 ? a + 2 * next : a,
	};
}

double bandwidth_rate(const struct bandwidth_spec *spec, uint64_t rounds,
		      double ns)
{
	return (double)spec->chunk * mem_op_arrays(spec->op) * spec->threads *
	       (double)rounds * 1e9 / ns;
}

void bandwidth_plan_best(struct bench *b, const struct bandwidth_plan *p)
{
	for (size_t i = 0; i < p->n; i++) {
		const struct bandwidth_spec *spec = &p->spec[i];
		const double here = bench_value(b, spec->c);

		if (!spec->best || !isfinite(here) ||
		    here <= bench_value(b, spec->best))
			continue;
		bench_derive(b, spec->best, here);
		bench_fact_text(b, spec->best, "by", spec->c->name);
	}
	for (size_t i = 0; i < p->n; i++) {
		const struct bench_case *best = p->spec[i].best;

		if (best && !isfinite(bench_value(b, best)))
			bench_derive_skip(b, best,
					  "none of its ways has a value");
	}
}

static void compare(struct bench *b, const struct bench_case *c,
		    const struct bench_case *memory)
{
	const double times = bench_value(b, c) / bench_value(b, memory);

	if (isfinite(times))
		bench_fact(b, c, "times_memory", round(times * 100) / 100);
}

/* Whether @other moves data in the same way as @spec, for the same purpose (one
 * of the ladder, or one that a best is taken of), and in memory: not with what
 * is just too large for the caches. */
static bool is_like_in_memory(const struct bandwidth_plan *p,
			      const struct bandwidth_spec *spec,
			      const struct bandwidth_spec *other)
{
	return other->op == spec->op && other->isa == spec->isa &&
	       other->threads == spec->threads && !other->best == !spec->best &&
	       other->part == part_of(spec->op, p->memory_bytes, 1);
}

void bandwidth_plan_compare(struct bench *b, const struct bandwidth_plan *p)
{
	for (size_t i = 0; i < p->n; i++) {
		const struct bandwidth_spec *spec = &p->spec[i];

		for (size_t k = 0; spec->level == LEVEL_3 && k < p->n; k++) {
			const struct bandwidth_spec *other = &p->spec[k];

			if (!is_like_in_memory(p, spec, other))
				continue;
			compare(b, spec->c, other->c);
			if (spec->best)
				compare(b, spec->best, other->best);
		}
	}
}
