/* SPDX-License-Identifier: MIT */
#include "bandwidth_plan.h"

#include <math.h>
#include <stdio.h>

#define MIB  ((size_t)1 << 20)
#define STEP (4 * (size_t)MEM_BLOCK) /* what the kernels can do */
/* Arrays do not begin at the same place in a page: a load would wait for a
 * store before it that looks alike in its lower 12 bits. */
#define SKEW ((size_t)17 * 64)

static const char *const level_names[] = { "L1", "L2", "L3", "memory" };

/* All kernels that move one size, and the best of them. */
static const char size_points[] =
	"kernel=$kernels isa=$isas level=$level size=$size threads=$threads;"
	"kernel=$kernels isa=best level=$level size=$size threads=$threads;"
	"is unit='B/s' higher; is derived if isa=best;"
	/* Each thread keeps the most that it had: five times it all of 128. */
	"needs memory=size if isa!=best;"
	"needs memory=2*size if isa!=best threads>16";

/* The same of the sizes that are asked for, by one thread. */
const char bandwidth_plan_asked[] =
	"kernel=$kernels isa=$isas level=$levels ^size=?2K..256G/2K threads=1;"
	"kernel=$kernels isa=best level=$levels ^size=?2K..256G/2K threads=1;"
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
		uint64_t share;
		const size_t all = bench_caches_bytes(b, p->cpu, threads,
						      level + 1, &share);

		p->room[level] = level == LEVEL_3 ? all : threads * share;
		most = all > most ? all : most;
	}
	p->memory_bytes = 4 * most > 256 * MIB ? 4 * most : 256 * MIB;
}

/* The bytes of one call of a round: one of several equal pieces. libc chooses
 * its way by the size of the call: in memory that is no less than all caches
 * have, elsewhere the whole. */
static size_t chunk_of(const struct bandwidth_plan *p,
		       const struct bandwidth_spec *spec)
{
	const size_t pieces =
		spec->isa == MEM_LIBC
			? spec->part / (p->memory_bytes / 4)
			: (spec->part + BANDWIDTH_CHUNK - 1) / BANDWIDTH_CHUNK;
	const size_t steps = spec->part / STEP;

	return pieces > 1 ? (steps + pieces - 1) / pieces * STEP : spec->part;
}

/* The ways that each number of threads has: a best is taken of these, for the
 * bests of one thread and of two are compared. */
static bool is_common(enum mem_isa isa)
{
	return isa == mem_isa_widest() || isa >= MEM_REP;
}

/* Whether a kernel is worth a row there. */
static bool wanted(const struct bandwidth_spec *s, bool asked)
{
	const bool widest = s->isa == mem_isa_widest();

	if (!mem_kernel(s->op, s->isa) || s->op >= MEM_READ_INTS ||
	    (s->threads > 1 && !is_common(s->isa)))
		return false;
	/* One way is enough for these: copy and triad have the rest. */
	if (s->op >= MEM_SCALE)
		return (asked || s->level == LEVEL_MEMORY) && widest;
	/* Lines that are near need not be asked for ahead. */
	return s->op < MEM_WRITE_PF || (s->level >= LEVEL_3 && widest);
}

/* Whether some of the ways of @op are common. */
static bool has_best(enum mem_op op)
{
	for (int isa = 0; isa < MEM_ISAS; isa++)
		if (is_common((enum mem_isa)isa) &&
		    mem_kernel(op, (enum mem_isa)isa))
			return mem_ops[op].family == op && op < MEM_SCALE;
	return false;
}

/* Which level arrays of that size are in. */
static enum bandwidth_level level_of(const struct bandwidth_plan *p,
				     size_t size)
{
	int level = LEVEL_1;

	while (level < LEVEL_MEMORY && size > p->room[level])
		level++;
	return (enum bandwidth_level)level;
}

bool bandwidth_plan_fill(const struct bench *b, const struct bandwidth_plan *p,
			 struct bench_case *c)
{
	struct bandwidth_spec *spec = c->data;
	const bool widest = case_is(c, "isa", "widest");
	unsigned int arrays;

	*spec = (struct bandwidth_spec) {
		.op = CASE_NTH(c, "kernel", mem_ops),
		.level = CASE_NTH(c, "level", level_names),
		.threads = (unsigned int)case_int(c, "threads"),
		.size = (size_t)case_int(c, "size"),
	};
	arrays = mem_ops[spec->op].arrays;
	/* A requested size must be gone over, all of it and nothing more; it
	 * may be that of a level. */
	if (c->asked &&
	    (spec->size % (arrays * STEP) ||
	     spec->level != level_of(p, spec->size) || bench_beside(b, c, "")))
		return false;
	if (c->derived)
		return has_best(spec->op);
	spec->isa =
		widest ? mem_isa_widest() : CASE_NTH(c, "isa", mem_isa_names);
	spec->part = spec->size / spec->threads / arrays / STEP * STEP;
	spec->chunk = chunk_of(p, spec);
	if (case_has(c, "before")) {
		spec->part = BANDWIDTH_INTS;
		spec->chunk = spec->size;
	} else if ((!widest && !wanted(spec, c->asked)) || !spec->part) {
		return false;
	}
	c->exclusive = spec->level >= LEVEL_3 || spec->threads > 1;
	if (!mem_isa_usable(spec->isa))
		c->skip = "this processor has no such instructions";
	return true;
}

/* The rows of one size. */
static void add(struct bench *b, const struct bandwidth_plan *p, size_t size,
		unsigned int threads, const char *text)
{
	BENCH_SET_NAME(b, "level", level_names[level_of(p, size)]);
	BENCH_SET_NUMBER(b, "size", BENCH_SIZE, size);
	BENCH_SET_NUMBER(b, "threads", BENCH_INT, threads);
	bench_points(b, text);
}

/* All numbers up to 16, from there on powers of two, and all CPUs. */
static unsigned int next_threads(unsigned int threads, unsigned int cpus)
{
	if (threads < 16 || threads >= cpus)
		return threads + 1;
	return threads * 2 > cpus ? cpus : threads * 2;
}

/* A row that may win points to the row that takes the best. */
static void link_bests(struct bench *b)
{
	BENCH_EACH (b, c, "isa!={best,widest}") {
		struct bandwidth_spec *spec = c->data;
		char best[48];

		snprintf(best, sizeof(best), "kernel=%s isa=best",
			 mem_ops[mem_ops[spec->op].family].name);
		if (is_common(spec->isa))
			spec->best = bench_beside(b, c, best);
		if (spec->best)
			bench_derived_from(b, spec->best, c);
	}
}

void bandwidth_plan_make(struct bench *b, struct bandwidth_plan *p)
{
	BENCH_SET_NAMES(b, "kernels", mem_ops);
	BENCH_SET_NAMES(b, "isas", mem_isa_names);
	BENCH_SET_NAMES(b, "levels", level_names);
	p->cpus = bench_cpus(b) < PARTNER_TEAM_MAX ? bench_cpus(b)
						   : PARTNER_TEAM_MAX;
	for (unsigned int i = 0; i < p->cpus; i++)
		p->cpu[i] = bench_nth_cpu(b, i);
	for (unsigned int level = 1; level <= LEVEL_MEMORY; level++)
		if (bench_cache_bytes(b, level))
			p->last_bytes = bench_cache_bytes(b, level);
	for (unsigned int t = 1; t <= p->cpus; t = next_threads(t, p->cpus)) {
		make_room(b, p, t);
		for (int level = LEVEL_1; level < LEVEL_MEMORY; level++)
			if (p->room[level] && (level != LEVEL_3 || t == 1))
				add(b, p,
				    p->room[level] / (level == LEVEL_3 ? 4 : 2),
				    t, size_points);
		add(b, p, p->memory_bytes, t, size_points);
	}
	make_room(b, p, 1);
	for (size_t bytes = 8192; bytes <= 64 * MIB; bytes *= 2)
		add(b, p, bytes, 1, ladder_points);
	add(b, p, p->memory_bytes, 1, ladder_points);
	bench_points(b, bandwidth_plan_asked);
	link_bests(b);
}

size_t bandwidth_place(const struct bandwidth_spec *spec, unsigned int nth)
{
	return nth < mem_ops[spec->op].arrays ? nth * (spec->part + SKEW) : 0;
}

size_t bandwidth_room(const struct bandwidth_spec *spec)
{
	return bandwidth_place(spec, mem_ops[spec->op].arrays - 1) + spec->part;
}

double bandwidth_rate(const struct bandwidth_spec *spec, uint64_t bytes,
		      double ns)
{
	/* A line of 64 bytes of each 256. */
	const double each =
		spec->op >= MEM_READ_INTS ? 0.25 : mem_ops[spec->op].arrays;

	return (double)bytes * each * spec->threads * 1e9 / ns;
}

static void derive_bests(struct bench *b)
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

void bandwidth_plan_derive(struct bench *b, const struct bandwidth_plan *p)
{
	char in_memory[48];

	derive_bests(b);
	snprintf(in_memory, sizeof(in_memory), "level=memory size=%zu",
		 p->memory_bytes);
	BENCH_EACH (b, c, "level=L3") {
		const struct bench_case *memory = bench_beside(b, c, in_memory);
		const double times =
			memory ? bench_value(b, c) / bench_value(b, memory)
			       : NAN;

		if (isfinite(times))
			bench_fact(b, c, "times_memory",
				   round(times * 100) / 100);
	}
}
