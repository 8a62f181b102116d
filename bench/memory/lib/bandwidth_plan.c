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

static const char odd_size[] = "cannot be gone over in equal pieces of 64 to "
			       "256 KiB; a multiple of 64 "
			       "KiB for each array can";
static const char no_isa[] = "this processor has no such instructions";

static const char *const level_names[] = { "L1", "L2", "L3", "memory" };

/* All kernels that move one size, and the best of them. */
static const char size_points[] =
	"kernel=$kernels isa=$isas level=$level size=$size threads=$threads;"
	"kernel=$kernels isa=best level=$level size=$size threads=$threads;"
	"is unit='B/s' higher; is derived if isa=best;"
	"needs memory=$nodes*size if isa!=best";

/* The same of the sizes that are asked for, by one thread. */
const char bandwidth_plan_asked[] =
	"kernel=$kernels isa=$isas level=$levels ^size=?2K..8G/2K threads=1;"
	"kernel=$kernels isa=best level=$levels ^size=?2K..8G/2K threads=1;"
	"is unit='B/s' higher; is derived if isa=best;"
	"needs memory=size if isa!=best";
_Static_assert(STEP == 2048, "the step of what may be asked for");

/* Some kernels with the widest registers over all sizes, for the picture. */
static const char ladder_points[] =
	"kernel={read,read4,write,copy} isa=widest level=$level size=$size"
	" threads=1; is unit='B/s' higher; needs memory=size";

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

/* Each node that has one of the threads has a buffer as large as all. */
static size_t count_nodes(const struct bandwidth_plan *p, unsigned int threads)
{
	size_t nodes = 0;

	for (unsigned int i = 0; i < threads; i++) {
		bool seen = false;

		for (unsigned int k = 0; k < i; k++)
			seen |= p->node[k] == p->node[i];
		nodes += !seen;
	}
	return nodes;
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

static bool is_way(const struct bench_case *c, const struct bench_case *best)
{
	const struct bandwidth_spec *spec = c->data, *of = best->data;

	return mem_op_family(spec->op) == of->op && is_common(spec->isa) &&
	       case_int(c, "size") == case_int(best, "size");
}

/* Whether @best has a way: three arrays do not fit into each size that may be
 * asked for. */
static bool has_way(const struct bench *b, const struct bandwidth_plan *p,
		    const struct bench_case *best)
{
	for (const struct bench_case *c = bench_next(b, p->before, "isa!=best");
	     c; c = bench_next(b, c, "isa!=best"))
		if (is_way(c, best))
			return true;
	return false;
}

bool bandwidth_plan_fill(struct bench *b, const struct bandwidth_plan *p,
			 struct bench_case *c)
{
	struct bandwidth_spec *spec = c->data;
	const size_t size = (size_t)case_int(c, "size");
	const bool widest = case_is(c, "isa", "widest");

	*spec = (struct bandwidth_spec) {
		.op = CASE_ENUM(c, "kernel", mem_op_name, MEM_OPS),
		.level = CASE_NTH(c, "level", level_names),
		.threads = (unsigned int)case_int(c, "threads"),
	};
	/* A size that is asked for may be that of a level. */
	if (c->asked &&
	    (spec->level != level_of(p, size) || bench_beside(b, c, "")))
		return false;
	if (c->derived)
		return mem_op_family(spec->op) == spec->op &&
		       !one_way(spec->op) && has_way(b, p, c);
	spec->isa = widest ? mem_isa_widest()
			   : CASE_ENUM(c, "isa", mem_isa_name, MEM_ISAS);
	spec->part = part_of(spec->op, size, spec->threads);
	/* What is asked for must be gone over, all of it and nothing more. */
	if ((!widest && !wanted(spec->op, spec->isa, spec->level, spec->threads,
				c->asked)) ||
	    !spec->part ||
	    (c->asked && spec->part * mem_op_arrays(spec->op) != size))
		return false;
	spec->chunk = chunk_of(p, spec, c->asked);
	c->exclusive = spec->level >= LEVEL_3 || spec->threads > 1;
	if (!mem_isa_usable(spec->isa))
		c->skip = no_isa;
	else if (spec->chunk < spec->part && spec->chunk < LEAST_CHUNK)
		c->skip = odd_size;
	return true;
}

static void set_size(struct bench *b, const struct bandwidth_plan *p,
		     size_t size)
{
	const char *const level = level_names[level_of(p, size)];

	BENCH_SET_NUMBER(b, "size", BENCH_SIZE, size);
	bench_set_names(b, "level", &level, sizeof(level), 1);
}

/* The points of @text; the kernels of each size point to its best. */
static void add_points(struct bench *b, struct bandwidth_plan *p,
		       const char *text)
{
	const struct bench_case *last = p->before;

	bench_points(b, text);
	for (const struct bench_case *best = bench_next(b, last, "isa=best");
	     best; best = bench_next(b, best, "isa=best"))
		for (const struct bench_case *c =
			     bench_next(b, last, "isa!=best");
		     c; c = bench_next(b, c, "isa!=best")) {
			struct bandwidth_spec *spec = c->data;

			if (!is_way(c, best))
				continue;
			spec->best = best;
			bench_derived_from(b, best, c);
		}
	while ((last = bench_next(b, last, "kernel")))
		p->before = last;
}

static void add_all(struct bench *b, struct bandwidth_plan *p, size_t size,
		    unsigned int threads)
{
	set_size(b, p, size);
	BENCH_SET_NUMBER(b, "threads", BENCH_INT, threads);
	BENCH_SET_NUMBER(b, "nodes", BENCH_INT, count_nodes(p, threads));
	add_points(b, p, size_points);
}

static void add_ladder(struct bench *b, struct bandwidth_plan *p)
{
	for (size_t size = 8192; size <= 64 * MIB; size *= 2) {
		set_size(b, p, size);
		bench_points(b, ladder_points);
	}
	set_size(b, p, p->memory_bytes);
	bench_points(b, ladder_points);
	BENCH_EACH (b, c, "isa=widest")
		p->before = c;
}

/* All numbers up to 16, from there on powers of two, and all CPUs. */
static unsigned int next_threads(unsigned int threads, unsigned int cpus)
{
	if (threads < 16 || threads >= cpus)
		return threads + 1;
	return threads * 2 > cpus ? cpus : threads * 2;
}

static void add_threads(struct bench *b, struct bandwidth_plan *p,
			unsigned int threads)
{
	const size_t size[LEVELS] = { p->room[LEVEL_1] / 2,
				      p->room[LEVEL_2] / 2,
				      p->room[LEVEL_3] / 4, p->memory_bytes };

	for (int level = LEVEL_1; level < LEVELS; level++)
		if (size[level] && (level != LEVEL_3 || threads == 1))
			add_all(b, p, size[level], threads);
}

void bandwidth_plan_make(struct bench *b, struct bandwidth_plan *p)
{
	const unsigned int all = bench_cpus(b);
	const char *kernels[MEM_OPS], *isas[MEM_ISAS];

	for (int op = 0; op < MEM_OPS; op++)
		kernels[op] = mem_op_name((enum mem_op)op);
	for (int isa = 0; isa < MEM_ISAS; isa++)
		isas[isa] = mem_isa_name((enum mem_isa)isa);
	BENCH_SET_NAMES(b, "kernels", kernels);
	BENCH_SET_NAMES(b, "isas", isas);
	BENCH_SET_NAMES(b, "levels", level_names);
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
	add_points(b, p, bandwidth_plan_asked);
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
	size_t most = 0;

	BENCH_EACH (b, c, "kernel !before isa!=best") {
		const struct bandwidth_spec *spec = c->data;
		const size_t size =
			spec->part * mem_op_arrays(spec->op) * spec->threads;

		if (size > most && bench_selected(b, c) &&
		    has_thread(p, spec, node))
			most = size;
	}
	return most;
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

void bandwidth_plan_best(struct bench *b)
{
	BENCH_EACH (b, c, "!before isa!=best") {
		const struct bandwidth_spec *spec = c->data;
		const double here = bench_value(b, c);

		if (!spec->best || !isfinite(here) ||
		    here <= bench_value(b, spec->best))
			continue;
		bench_derive(b, spec->best, here);
		bench_fact_text(b, spec->best, "by", c->name);
	}
	BENCH_EACH (b, best, "isa=best")
		if (!isfinite(bench_value(b, best)))
			bench_derive_skip(b, best,
					  "none of its ways has a value");
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
	BENCH_EACH (b, c, "level=L3 isa!=best")
		BENCH_EACH (b, other, "!before isa!=best") {
			const struct bandwidth_spec *spec = c->data;
			const struct bandwidth_spec *in_memory = other->data;

			if (!is_like_in_memory(p, spec, in_memory))
				continue;
			compare(b, c, other);
			if (spec->best)
				compare(b, spec->best, in_memory->best);
		}
}
