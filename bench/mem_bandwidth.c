/* SPDX-License-Identifier: MIT */
/*
 * mem_bandwidth - how many bytes does a core, and do all cores together, move
 * in a second to and from each level of memory?
 *
 * Loops in assembler go over arrays that fit a level (half of its cache) or,
 * for memory, 4 times the last cache: read, write, copy and the triad a = b +
 * 3c, with registers of 8, 16, 32 and 64 bytes, with stores past the caches
 * (`_nt`), by `rep` instructions and by libc. `read4` reads at four places at
 * once, which keeps more misses under way than one stream. Rows with isa=best
 * give the best of all ways (of one invocation; the largest of several noisy
 * values lies a little high), isa=widest go over all sizes. With several
 * threads each has a CPU and a part of the arrays of its own; bytes are those
 * of all together. size is that of all arrays of all threads.
 *
 * Bytes are those that the program asks for: read 1, write 1, copy 2 (one
 * read, one written), triad 3 for each byte of an array. An ordinary store to
 * memory first reads the line (write allocate) and so moves twice as much over
 * the bus as is counted; a non-temporal one does not. Data are neither zero nor
 * constant, but `rep` and libc set all bytes to one value, and `clear` to zero,
 * which some machines treat apart.
 *
 * read_ints and write_ints are the CSE 221 report's: one integer in each 256
 * bytes, counted as a line of 64 bytes, after the last cache was filled with
 * clean or with dirty lines.
 *
 * Measures: bytes in a second.
 * Includes: the loop's own instructions; for several threads, up to 1 % for
 *           their start and end.
 * After:    STREAM and likwid-bench (same bytes for copy and triad/stream);
 *           lmbench bw_mem (whose rd counts bytes that it does not load); the
 *           CSE 221 report's section 4.2.
 * Needs:    memory: 4 times the last cache and 256 MiB at least, as far as a
 *           quarter of the free memory allows; a CPU for each thread.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "lib/mem_buffer.h"
#include "lib/mem_kernels.h"
#include "lib/mem_team.h"

#define MIB   ((size_t)1 << 20)
#define CHUNK (MIB / 4) /* of each array, gone over in one round */
/* Arrays do not begin at the same place in a page: a load would wait for a
 * store before it that looks alike in its lower 12 bits. */
#define SKEW	   ((size_t)17 * LINE)
#define SKEWS	   ((size_t)4096) /* all of a thread's, and more */
#define EVENT_NS   40e3
#define MAX_ROUNDS ((uint64_t)1 << 20)
#define MAX_SPECS  512
#define CHECKS	   64		       /* words that are looked at afterwards */
#define POISON	   0x7ff0dead0badf00du /* no sum or product gives this one */
#define INTS	   (4 * MIB) /* gone over in one event of the report's access */
#define LINE	   64
#define STRIDE	   256

enum level { L1, L2, L3, MEMORY, LEVELS };

static const char *const level_names[] = { "L1", "L2", "L3", "memory" };

struct spec {
	enum mem_op op;
	enum mem_isa isa;
	enum level level;
	unsigned int threads;
	size_t part;  /* bytes of one array of one thread */
	size_t chunk; /* of that, what one round goes over */
	const struct bench_case *c;
	const struct bench_case *best; /* the row that takes it if it wins */
};

/* One thread's arrays, how far it has come, and the part that it went over:
 * from begin to at, or all. */
struct worker {
	_Alignas(64) char *a; /* on a line of its own */
	char *b, *c;
	size_t at, begin;
	bool all;
};

struct bandwidth_state {
	struct spec spec[MAX_SPECS];
	size_t n_specs;
	const struct bench_case *ints[3];
	size_t cache_bytes[LEVELS], memory_bytes;
	struct mem_buffer buffer;
	struct mem_team team;
	struct worker worker[MEM_TEAM_MAX];
	const struct spec *now;
	uint64_t rounds; /* of it in one event */
	size_t check_at[CHECKS];
	char *ints_at;
	size_t reached; /* in memory, by the case before */
};

static const char too_big[] =
	"needs more than a quarter of the memory that is free or that the "
	"memory cgroup leaves";
static const char no_time[] =
	"left out below --effort 75: others do the same faster or sooner";
static const char no_isa[] = "this processor has no such instructions";

/* Which level arrays of that size are in. */
static enum level level_of(const struct bandwidth_state *s, size_t bytes,
			   unsigned int threads)
{
	/* The first two caches are a thread's own. */
	for (int level = L1; level < MEMORY; level++)
		if (bytes / (level < L3 ? threads : 1) <= s->cache_bytes[level])
			return (enum level)level;
	return MEMORY;
}

/* Rounds down to what the kernels can do. */
static size_t part_of(enum mem_op op, size_t size, unsigned int threads)
{
	const size_t step = 4 * (size_t)MEM_BLOCK;

	return size / threads / mem_op_arrays(op) / step * step;
}

static struct bench_case case_of(const char *kernel, const char *isa,
				 enum level level, size_t size,
				 unsigned int threads)
{
	return (struct bench_case) {
		.params = { P_STR("kernel", kernel), P_STR("isa", isa),
			    P_STR("level", level_names[level]),
			    P_SIZE("size", (int64_t)size),
			    P_INT("threads", threads) },
		.better = BENCH_HIGHER,
	};
}

/* The kernels are compared with others that do the same: read4 is a way of
 * reading. */
static const char *family(enum mem_op op)
{
	return mem_op_name(op == MEM_READ4 ? MEM_READ : op);
}

static void add(struct bench *b, struct bandwidth_state *s, enum mem_op op,
		enum mem_isa isa, const char *isa_name, size_t size,
		unsigned int threads)
{
	const enum level level = level_of(s, size, threads);
	const size_t part = part_of(op, size, threads);
	struct bench_case c =
		case_of(mem_op_name(op), isa_name, level, size, threads);
	struct spec *spec = &s->spec[s->n_specs];
	/* libc chooses by size: what it is called with must be the whole. */
	const bool whole = isa == MEM_LIBC;

	if (s->n_specs == MAX_SPECS || part == 0)
		return;
	*spec = (struct spec) { .op = op,
				.isa = isa,
				.level = level,
				.threads = threads,
				.part = part };
	spec->chunk = whole || part < CHUNK ? part : CHUNK;
	c.index = (int64_t)s->n_specs++;
	c.unit = "B/s";
	c.events = whole && level == MEMORY ? 5 : 48;
	c.budget_ms = 6;
	c.exclusive = level >= L3 || threads > 1;
	if (!mem_isa_usable(isa))
		c.skip = no_isa;
	else if (bench_effort(b) < 0.75 && level >= L3 &&
		 ((isa <= MEM_SSE2 && isa != mem_isa_widest()) ||
		  (whole && level == MEMORY)))
		c.skip = no_time;
	else if (size > bench_spare_bytes(b))
		c.skip = too_big;
	spec->c = bench_add(b, &c);
}

/* All kernels that move @size, with all ISAs or only the widest. */
static void add_all(struct bench *b, struct bandwidth_state *s, size_t size,
		    unsigned int threads, bool widest)
{
	const size_t whole = size < 128 * MIB ? size : 128 * MIB;

	for (int op = 0; op < MEM_OPS; op++)
		for (int isa = 0; isa < MEM_ISAS; isa++) {
			if (!mem_kernel(op, isa))
				continue;
			if (widest && isa != (int)mem_isa_widest() &&
			    isa != MEM_REP)
				continue;
			add(b, s, op, isa, mem_isa_name(isa),
			    isa == MEM_LIBC ? whole : size, threads);
		}
}

/* Rows "isa=best" of one size, which its kernels then point to. */
static void add_best(struct bench *b, struct bandwidth_state *s, size_t size,
		     unsigned int threads, size_t first)
{
	for (int op = 0; op < MEM_OPS; op++) {
		struct bench_case c =
			case_of(family(op), "best", level_of(s, size, threads),
				size, threads);
		const struct bench_case *best;

		if (op == MEM_READ4)
			continue;
		c.unit = "B/s";
		c.estimator = BENCH_EST_DERIVED;
		c.derived = true;
		best = bench_add(b, &c);
		for (size_t i = first; i < s->n_specs; i++)
			if (!strcmp(family(s->spec[i].op), family(op)))
				s->spec[i].best = best;
	}
}

/* Some kernels with the widest registers over all sizes, for the picture. */
static void add_ladder(struct bench *b, struct bandwidth_state *s)
{
	static const enum mem_op ops[] = { MEM_READ, MEM_READ4, MEM_WRITE,
					   MEM_COPY };
	const enum mem_isa isa = mem_isa_widest();

	for (size_t size = 8192; size <= 64 * MIB; size *= 2)
		for (size_t i = 0; i < sizeof(ops) / sizeof(ops[0]); i++)
			add(b, s, ops[i], isa, "widest", size, 1);
	for (size_t i = 0; i < sizeof(ops) / sizeof(ops[0]); i++)
		add(b, s, ops[i], isa, "widest", s->memory_bytes, 1);
}

static int sample_ints(struct bench *b, void *state,
		       const struct bench_case *c);

static void add_ints(struct bench *b, struct bandwidth_state *s)
{
	static const char *const kernels[] = { "read_ints", "read_ints",
					       "write_ints" };
	static const char *const before[] = { "clean", "dirty", "dirty" };
	const size_t needed = 64 * MIB + 2 * s->cache_bytes[L3];

	for (int i = 0; i < 3; i++) {
		struct bench_case c =
			case_of(kernels[i], "scalar", MEMORY, INTS, 1);

		c.params[5] = (struct bench_param)P_STR("before", before[i]);
		c.index = -1 - i;
		c.bytes = INTS / STRIDE * LINE;
		c.sample = sample_ints;
		c.events = 8;
		c.exclusive = true;
		if (needed > s->memory_bytes || needed > bench_spare_bytes(b))
			c.skip = too_big;
		s->ints[i] = bench_add(b, &c);
	}
}

static int cases(struct bench *b, void *state)
{
	struct bandwidth_state *s = state;
	const unsigned int cpus = bench_cpus(b);
	size_t size[LEVELS];

	for (unsigned int level = L1; level < MEMORY; level++)
		s->cache_bytes[level] = bench_cache_bytes(b, level + 1);
	s->memory_bytes = 4 * s->cache_bytes[L3] > 256 * MIB
				  ? 4 * s->cache_bytes[L3]
				  : 256 * MIB;
	size[L1] = s->cache_bytes[L1] / 2;
	size[L2] = s->cache_bytes[L2] / 2;
	size[L3] = s->cache_bytes[L3] / 4;
	size[MEMORY] = s->memory_bytes;
	for (unsigned int threads = 1; threads <= cpus && threads <= 64;
	     threads += threads < 16 || threads == cpus ? 1
			: threads * 2 > cpus		? cpus - threads
							: threads)
		for (int level = L1; level < LEVELS; level++) {
			const size_t first = s->n_specs;
			const size_t bytes =
				size[level] * (level < L3 ? threads : 1);

			if (!bytes || (level == L3 && threads > 1))
				continue;
			add_all(b, s, bytes, threads, threads > 1);
			add_best(b, s, bytes, threads, first);
		}
	add_ladder(b, s);
	add_ints(b, s);
	return 0;
}

/* The largest case that is to be measured. */
static size_t largest(const struct bench *b, const struct bandwidth_state *s)
{
	size_t bytes = 4 * MIB;

	for (size_t i = 0; i < s->n_specs; i++) {
		const struct spec *spec = &s->spec[i];
		const size_t size =
			spec->part * mem_op_arrays(spec->op) * spec->threads;

		if (bench_selected(b, spec->c) && size > bytes)
			bytes = size;
	}
	for (int i = 0; i < 3; i++)
		if (bench_selected(b, s->ints[i]) && bytes < s->memory_bytes)
			bytes = s->memory_bytes;
	return bytes;
}

static int setup(struct bench *b, void *state)
{
	struct bandwidth_state *s = state;
	/* Huge pages where they can be had: this is about moving data. */
	const int err = mem_map(&s->buffer,
				largest(b, s) + MEM_TEAM_MAX * SKEWS, MEM_THP);

	if (err)
		return bench_fail(b, -err, "map memory");
	mem_fill(s->buffer.base, s->buffer.bytes, bench_seed(b));
	return 0;
}

static void work(void *arg, unsigned int member, uint64_t rounds)
{
	struct bandwidth_state *s = arg;
	struct worker *w = &s->worker[member];
	const struct spec *spec = s->now;
	mem_kernel_fn *const fn = mem_kernel(spec->op, spec->isa);

	while (rounds--) {
		fn(w->a + w->at, w->b + w->at, w->c + w->at, spec->chunk);
		w->at += spec->chunk;
		if (w->at + spec->chunk > spec->part) {
			w->at = 0;
			w->all = true;
		}
	}
}

/* Where to begin: in memory where the case before came to an end, for the last
 * cache may hold what that has touched. */
static size_t first_chunk(const struct bandwidth_state *s,
			  const struct spec *spec)
{
	if (spec->level < MEMORY)
		return 0;
	return s->reached / spec->chunk % (spec->part / spec->chunk) *
	       spec->chunk;
}

/* Arrays of all threads one after the other; poison where the measuring
 * thread will write. */
static void lay_out(struct bench *b, struct bandwidth_state *s,
		    const struct spec *spec)
{
	const unsigned int arrays = mem_op_arrays(spec->op);
	uint64_t *a;

	for (unsigned int i = 0; i < spec->threads; i++) {
		char *base = s->buffer.base + i * (arrays * spec->part + SKEWS);

		s->worker[i] = (struct worker) {
			.a = base,
			.b = base + (arrays > 1 ? spec->part + SKEW : 0),
			.c = base + (arrays > 2 ? 2 * (spec->part + SKEW) : 0),
			.at = first_chunk(s, spec),
			.begin = first_chunk(s, spec),
		};
	}
	a = (uint64_t *)s->worker[0].a;
	for (int i = 0; i < CHECKS; i++) {
		s->check_at[i] =
			(s->worker[0].at + bench_random(b) % spec->chunk) /
			sizeof(uint64_t);
		if (spec->op != MEM_READ && spec->op != MEM_READ4)
			a[s->check_at[i]] = POISON;
	}
}

/* Puts the caches into the state that the report asks for. */
static void fill_cache(struct bandwidth_state *s, int64_t kind)
{
	const size_t bytes = s->cache_bytes[L3] / MEM_BLOCK * MEM_BLOCK;
	char *clean = s->buffer.base + 64 * MIB;
	char *dirty = clean + s->cache_bytes[L3];

	if (kind == -1)
		mem_kernel(MEM_READ, MEM_SSE2)(clean, clean, clean, bytes);
	else
		mem_kernel(MEM_WRITE, MEM_SSE2)(dirty, dirty, dirty, bytes);
	s->ints_at = s->buffer.base;
}

/* Ticks of @rounds by all threads. */
static uint64_t time_rounds(const struct bench *b, struct bandwidth_state *s,
			    uint64_t rounds)
{
	uint64_t ticks;

	TIMER_INTERVAL(bench_timer(b)->method, ticks,
		       mem_team_run(&s->team, rounds));
	return ticks;
}

/* An event is as many rounds as last for EVENT_NS: what the clock and the
 * start of the threads add is then under a hundredth of it. */
static void choose_rounds(const struct bench *b, struct bandwidth_state *s)
{
	/* What is never gone over but as a whole lasts as long as it does. */
	const uint64_t most =
		s->now->isa == MEM_LIBC && s->now->level >= L3 ? 1 : MAX_ROUNDS;

	for (s->rounds = 1; s->rounds < most; s->rounds *= 2)
		if (bench_ns(b, (double)time_rounds(b, s, s->rounds)) >=
		    EVENT_NS)
			break;
}

static int enter(struct bench *b, void *state, const struct bench_case *c)
{
	struct bandwidth_state *s = state;
	int err;

	if (c->index < 0) {
		fill_cache(s, c->index);
		return 0;
	}
	s->now = &s->spec[c->index];
	lay_out(b, s, s->now);
	err = mem_team_begin(&s->team, b, s->now->threads, work, s);
	if (err)
		return bench_fail(b, -err, "start the threads");
	if (s->now->level < MEMORY)
		mem_team_run(&s->team, s->now->part / s->now->chunk);
	choose_rounds(b, s);
	return 0;
}

/* Each event is timed by itself, so that the median leaves out those that were
 * disturbed. */
static int sample(struct bench *b, void *state, const struct bench_case *c)
{
	struct bandwidth_state *s = state;
	const struct spec *spec = s->now;
	const double bytes = (double)spec->chunk * mem_op_arrays(spec->op) *
			     spec->threads * (double)s->rounds;
	const double ns = bench_ns(b, (double)time_rounds(b, s, s->rounds));

	if (ns > 0)
		bench_record_value(b, c, bytes * 1e9 / ns);
	return 0;
}

static int sample_ints(struct bench *b, void *state, const struct bench_case *c)
{
	struct bandwidth_state *s = state;
	uint64_t ticks;

	if (s->ints_at + INTS > s->buffer.base + 64 * MIB)
		s->ints_at = s->buffer.base;
	if (c->index == -3) {
		TIMER_INTERVAL(bench_timer(b)->method, ticks,
			       mem_write_ints(s->ints_at, INTS));
	} else {
		TIMER_INTERVAL(bench_timer(b)->method, ticks,
			       mem_read_ints(s->ints_at, INTS));
	}
	s->ints_at += INTS;
	bench_record(b, c, ticks);
	return 0;
}

/* How many of the words that were poisoned hold what they should. */
static int right_words(const struct bandwidth_state *s)
{
	const struct worker *w = &s->worker[0];
	int right = 0;

	for (int i = 0; i < CHECKS; i++) {
		const size_t at = s->check_at[i];
		const uint64_t a = ((uint64_t *)w->a)[at];
		const uint64_t source = ((uint64_t *)w->b)[at];

		switch (s->now->op) {
		case MEM_CLEAR:
			right += a == 0;
			break;
		case MEM_COPY:
		case MEM_COPY_NT:
			right += a == source;
			break;
		case MEM_TRIAD:
		case MEM_TRIAD_NT:
			right +=
				((double *)w->a)[at] ==
				((double *)w->b)[at] + 3 * ((double *)w->c)[at];
			break;
		default:
			right += a != POISON;
		}
	}
	return right;
}

/* Gives an array back the numbers that it had. */
static void refill(const struct worker *w, const struct spec *spec)
{
	if (w->all)
		mem_fill(w->a, spec->part, 1);
	else
		mem_fill(w->a + w->begin, w->at - w->begin, 1);
}

static int leave(struct bench *b, void *state, const struct bench_case *c)
{
	struct bandwidth_state *s = state;

	if (c->index < 0)
		return 0;
	mem_team_end(&s->team);
	s->reached = s->worker[0].at;
	if (s->now->op != MEM_READ && s->now->op != MEM_READ4)
		bench_evidence(b, c, "words_moved", CHECKS, right_words(s));
	/* Zeros and single bytes must not be what others then read. */
	for (unsigned int i = 0; s->now->isa >= MEM_REP && i < s->now->threads;
	     i++)
		refill(&s->worker[i], s->now);
	return 0;
}

/* A row isa=best without a winner says so. */
static void skip_best(struct bench *b, const struct bandwidth_state *s)
{
	for (size_t i = 0; i < s->n_specs; i++) {
		const struct bench_case *best = s->spec[i].best;

		if (best && !isfinite(bench_value(b, best)))
			bench_derive_skip(b, best,
					  "none of its ways has a value");
	}
}

static int derive(struct bench *b, void *state)
{
	struct bandwidth_state *s = state;
	const int64_t huge = mem_huge_bytes(&s->buffer);

	for (size_t i = 0; i < s->n_specs; i++) {
		const struct spec *spec = &s->spec[i];
		const double here = bench_value(b, spec->c);

		bench_fact(b, spec->c, "huge_bytes",
			   huge < 0 ? NAN : (double)huge);
		bench_fact_text(b, spec->c, "registers",
				mem_isa_name(spec->isa));
		if (!spec->best || !isfinite(here) ||
		    here <= bench_value(b, spec->best))
			continue;
		bench_derive(b, spec->best, here);
		bench_fact_text(b, spec->best, "by", spec->c->name);
	}
	skip_best(b, s);
	return 0;
}

static void teardown(struct bench *b, void *state)
{
	struct bandwidth_state *s = state;

	(void)b;
	mem_team_close(&s->team);
	mem_unmap(&s->buffer);
}

const struct bench_desc bench_desc = {
	.name = "mem_bandwidth",
	.state_size = sizeof(struct bandwidth_state),
	.cases = cases,
	.setup = setup,
	.enter = enter,
	.sample = sample,
	.leave = leave,
	.derive = derive,
	.teardown = teardown,
};
