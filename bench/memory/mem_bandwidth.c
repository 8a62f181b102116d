/* SPDX-License-Identifier: MIT */
/*
 * mem_bandwidth - how many bytes does a core, and do all cores together, move
 * in a second to and from each level of memory?
 *
 * Loops in assembler go over arrays that fit a level (half of L1 or L2, a
 * quarter of L3) or, for memory, 4 times the last cache: read, write, copy and
 * the triad a = b + 3c, with registers of 8, 16, 32 and 64 bytes, with stores
 * past the caches (`_nt`), by `rep` instructions and by libc. `read4` reads at
 * four places at once, which keeps more misses under way than one stream; `_pf`
 * kernels ask for lines 2 KiB ahead by prefetch instructions. `scale` (a = 3b)
 * and `add` (a = b + c) are STREAM's other two, in memory and of sizes that are
 * asked for. Rows with isa=best give the best of the widest registers, `rep`
 * and libc (of one process run; the largest of several noisy values lies a
 * little high), isa=widest go over all sizes. With several threads each has a
 * CPU and a part of the arrays of its own; bytes are those of all together.
 * size is that of all arrays of all threads; threads of one core share its
 * caches, and for memory all last caches that they use count. A thread's arrays
 * are in the memory of its CPU's NUMA node.
 *
 * A level is the one that holds arrays of that size by hwloc's description of
 * the caches. Others may have filled a shared one, or a hypervisor may leave
 * less of it: times_memory is how many times memory's rate a row of level=L3
 * has, and about 1 means that nothing shows the arrays to have been in L3.
 *
 * Bytes are those that the program asks for: read 1, write 1, copy and scale 2
 * (one read, one written), add and triad 3 for each byte of an array. An
 * ordinary store to memory first reads the line (write allocate) and so moves
 * twice as much over the bus as is counted; a non-temporal one does not. Data
 * are neither zero nor constant, but `rep` and libc set all bytes to one value,
 * and `clear` to zero, which some machines treat apart.
 *
 * read_ints and write_ints are the CSE 221 report's: one integer in each 256
 * bytes, counted as a line of 64 bytes, after the last cache was filled with
 * clean or with dirty lines.
 *
 * Measures: bytes in a second.
 * Includes: the loop's own instructions; for several threads, up to 1 % for
 *           their start and end.
 * After:    STREAM (all four) and likwid-bench (same bytes);
 *           lmbench bw_mem (whose rd counts bytes that it does not load); the
 *           CSE 221 report's section 4.2.
 * Needs:    memory: 4 times the last caches and 256 MiB at least, as far as a
 *           quarter of the free memory allows; a CPU for each thread.
 */
#include <math.h>
#include <stdio.h>

#include "bench.h"
#include "lib/mem_buffer.h"
#include "lib/mem_kernels.h"
#include "lib/team.h"

#define MIB	   ((size_t)1 << 20)
#define CHUNK	   ((size_t)256 << 10)	   /* of each array, in one round */
#define INTS_BYTES (64 * MIB)		   /* of the report's access */
#define STEP	   (4 * (size_t)MEM_BLOCK) /* what the kernels can do */
/* Arrays do not begin at the same place in a page: a load would wait for a
 * store before it that looks alike in its lower 12 bits. */
#define SKEW	   ((size_t)17 * 64)
#define EVENT_NS   40e3	 /* of one thread */
#define TEAM_NS	   160e3 /* of several, which never end at the same time */
#define MAX_ROUNDS ((uint64_t)1 << 20)
#define CHECKS	   64		       /* words that are looked at afterwards */
#define POISON	   0x7ff0dead0badf00du /* no sum or product gives this one */

enum level { LEVEL_1, LEVEL_2, LEVEL_3, LEVEL_MEMORY };

static const char *const level_names[] = { "L1", "L2", "L3", "memory" };

/* The state of a case. */
struct spec {
	enum mem_op op;
	enum mem_isa isa;
	enum level level;
	unsigned int threads;
	size_t size;  /* of all arrays of all threads */
	size_t part;  /* bytes of one array of one thread */
	size_t chunk; /* of that, what one round goes over; the last one less */
	const struct bench_case *best; /* the row that takes it if it wins */
};

/* One thread's arrays, in memory of its own, how far it has come, and the part
 * that it went over: from begin to at, or all. */
struct worker {
	_Alignas(64) char *a; /* on a line of its own */
	char *b, *c;
	size_t at, begin;
	bool all;
	uint64_t moved; /* bytes of each array, in this event */
	struct mem_buffer buffer;
};

struct state {
	size_t last_bytes; /* of the last cache that is known; 0: of none */
	/* The room of each level for the arrays of all threads, and the size
	 * beyond all caches; for the number of threads being planned, and when
	 * all is planned for one. */
	size_t room[LEVEL_MEMORY], memory_bytes;
	int cpu[TEAM_MOST]; /* of each thread */

	struct team team;
	struct worker worker[TEAM_MOST];
	const struct spec *now;
	uint64_t rounds; /* of it in one event */
	size_t check_at[CHECKS];
	size_t reached; /* in memory, by the case before */
};

/*
 * The rows: which kernels, with which registers, on arrays of which size, by
 * how many threads; and those that take the best of them.
 */

/* All kernels that move one size, and the best of them. */
static const char size_points[] =
	"kernel=$kernels isa=$isas level=$level size=$size threads=$threads;"
	"kernel=$kernels isa=best level=$level size=$size threads=$threads;"
	"is unit='B/s' higher; is derived if isa=best;"
	/* Each thread keeps the most that it had: five times it all of 128. */
	"needs memory=size if isa!=best;"
	"needs memory=2*size if isa!=best threads>16";

/* The same of the sizes that are asked for, by one thread. */
static const char asked_points[] =
	"kernel=$kernels isa=$isas level=$levels ^size=?2K..256G/2K threads=1;"
	"kernel=$kernels isa=best level=$levels ^size=?2K..256G/2K threads=1;"
	"is unit='B/s' higher; is derived if isa=best;"
	"needs memory=size if isa!=best";
_Static_assert(STEP == 2048, "the step of what may be asked for");

/* Some kernels with the widest registers over all sizes, for the picture. */
static const char ladder_points[] =
	"kernel={read,read4,write,copy} isa=widest level=$level size=$size"
	" threads=1; is unit='B/s' higher; needs memory=size";

/* The report's. */
static const char ints_points[] =
	"kernel=read_ints isa=scalar level=memory size=4M threads=1 "
	"before={clean,dirty};"
	"kernel=write_ints isa=scalar level=memory size=4M threads=1 "
	"before=dirty;"
	"is unit='B/s' higher; needs $caches memory=$ints";

/* The first two caches have a part for each thread, which may share one with
 * others; the last ones hold whatever is in any of them.  Memory is four times
 * all caches of a level that the threads use: many second ones may be more than
 * a last one. */
static void make_room(const struct bench *b, struct state *s,
		      unsigned int threads)
{
	size_t most = 0;

	for (unsigned int level = LEVEL_1; level < LEVEL_MEMORY; level++) {
		uint64_t share;
		const size_t all = bench_caches_bytes(b, s->cpu, threads,
						      level + 1, &share);

		s->room[level] = level == LEVEL_3 ? all : threads * share;
		most = all > most ? all : most;
	}
	s->memory_bytes = 4 * most > 256 * MIB ? 4 * most : 256 * MIB;
}

/* The bytes of one call of a round: one of several equal pieces. libc chooses
 * its way by the size of the call: in memory that is no less than all caches
 * have, elsewhere the whole. */
static size_t chunk_of(const struct state *s, const struct spec *spec)
{
	const size_t pieces = spec->isa == MEM_LIBC
				      ? spec->part / (s->memory_bytes / 4)
				      : (spec->part + CHUNK - 1) / CHUNK;
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
static bool wanted(const struct spec *s, bool asked)
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
static enum level level_of(const struct state *s, size_t size)
{
	int level = LEVEL_1;

	while (level < LEVEL_MEMORY && size > s->room[level])
		level++;
	return (enum level)level;
}

static bool point(struct bench *b, void *state, struct bench_case *c)
{
	const struct state *s = state;
	struct spec *spec = c->data;
	const bool widest = case_is(c, "isa", "widest");
	unsigned int arrays;

	*spec = (struct spec) {
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
	     spec->level != level_of(s, spec->size) || bench_beside(b, c, "")))
		return false;
	if (c->derived)
		return has_best(spec->op);
	spec->isa =
		widest ? mem_isa_widest() : CASE_NTH(c, "isa", mem_isa_names);
	spec->part = spec->size / spec->threads / arrays / STEP * STEP;
	spec->chunk = chunk_of(s, spec);
	if (case_has(c, "before")) {
		spec->part = INTS_BYTES;
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
static void add(struct bench *b, const struct state *s, size_t size,
		unsigned int threads, const char *text)
{
	BENCH_SET_NAME(b, "level", level_names[level_of(s, size)]);
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
		struct spec *spec = c->data;
		char best[48];

		snprintf(best, sizeof(best), "kernel=%s isa=best",
			 mem_ops[mem_ops[spec->op].family].name);
		if (is_common(spec->isa))
			spec->best = bench_beside(b, c, best);
		if (spec->best)
			bench_derived_from(b, spec->best, c);
	}
}

static void cases(struct bench *b, void *state)
{
	const unsigned int cpus = team_most(b);
	struct state *s = state;

	BENCH_SET_NAMES(b, "kernels", mem_ops);
	BENCH_SET_NAMES(b, "isas", mem_isa_names);
	BENCH_SET_NAMES(b, "levels", level_names);
	for (unsigned int i = 0; i < cpus; i++)
		s->cpu[i] = bench_nth_cpu(b, i);
	for (unsigned int level = 1; level <= LEVEL_MEMORY; level++)
		if (bench_cache_bytes(b, level))
			s->last_bytes = bench_cache_bytes(b, level);
	for (unsigned int t = 1; t <= cpus; t = next_threads(t, cpus)) {
		make_room(b, s, t);
		for (int level = LEVEL_1; level < LEVEL_MEMORY; level++)
			if (s->room[level] && (level != LEVEL_3 || t == 1))
				add(b, s,
				    s->room[level] / (level == LEVEL_3 ? 4 : 2),
				    t, size_points);
		add(b, s, s->memory_bytes, t, size_points);
	}
	make_room(b, s, 1);
	for (size_t bytes = 8192; bytes <= 64 * MIB; bytes *= 2)
		add(b, s, bytes, 1, ladder_points);
	add(b, s, s->memory_bytes, 1, ladder_points);
	bench_points(b, asked_points);
	link_bests(b);
	BENCH_SET_NUMBER(b, "ints", BENCH_SIZE, INTS_BYTES + 2 * s->last_bytes);
	bench_need(b, "caches",
		   s->last_bytes ? NULL
				 : "no size of a cache to be filled before is "
				   "known");
	bench_points(b, ints_points);
}

/* Where the @nth array of a thread begins, in bytes from the start of its
 * memory; what the operation does not use is where the first is. */
static size_t place_of(const struct spec *spec, unsigned int nth)
{
	return nth < mem_ops[spec->op].arrays ? nth * (spec->part + SKEW) : 0;
}

/* The memory that it needs. */
static size_t room_of(const struct spec *spec)
{
	return place_of(spec, mem_ops[spec->op].arrays - 1) + spec->part;
}

/* Bytes a second, of all threads, where one of them came by @bytes of each of
 * its arrays in @ns. */
static double rate_of(const struct spec *spec, uint64_t bytes, double ns)
{
	/* A line of 64 bytes of each 256. */
	const double each =
		spec->op >= MEM_READ_INTS ? 0.25 : mem_ops[spec->op].arrays;

	return (double)bytes * each * spec->threads * 1e9 / ns;
}

/*
 * A visit.
 */

/* The next piece that a thread goes over. */
static size_t piece(const struct spec *spec, const struct worker *w)
{
	const size_t left = spec->part - w->at;

	return left < spec->chunk ? left : spec->chunk;
}

/* Rounds that go over all. */
static size_t pieces(const struct spec *spec)
{
	return (spec->part + spec->chunk - 1) / spec->chunk;
}

static void work(void *arg, unsigned int member, uint64_t rounds)
{
	struct state *s = arg;
	struct worker *w = &s->worker[member];
	const struct spec *spec = s->now;
	mem_kernel_fn *const fn = mem_kernel(spec->op, spec->isa);

	w->moved = 0;
	while (rounds--) {
		const size_t bytes = piece(spec, w);

		fn(w->a + w->at, w->b + w->at, w->c + w->at, bytes);
		w->moved += bytes;
		w->at += bytes;
		if (w->at == spec->part) {
			w->at = 0;
			w->all = true;
		}
	}
}

/* Memory next to each thread's CPU, on huge pages where they can be had: this
 * is about moving data.  Poison where the measuring thread will write.  In
 * memory it begins where the case before came to an end, for the last cache may
 * hold what that touched. */
static int lay_out(struct bench *b, struct state *s, const struct spec *spec,
		   size_t more)
{
	const size_t first =
		spec->level < LEVEL_MEMORY
			? 0
			: s->reached / spec->chunk % pieces(spec) * spec->chunk;
	struct worker *w = s->worker;
	int err = 0;

	for (unsigned int i = 0; !err && i < spec->threads; i++, w++) {
		struct mem_buffer *m = &w->buffer;
		const size_t had = m->bytes;

		err = mem_have(b, m, room_of(spec) + more, MEM_LARGE,
			       bench_node_of_cpu(b, s->cpu[i]));
		if (!err && m->bytes != had)
			mem_fill(m->base, m->bytes, bench_seed(b) + i);
		w->a = m->base;
		w->b = w->a + place_of(spec, 1);
		w->c = w->a + place_of(spec, 2);
		w->at = w->begin = first;
		w->all = false;
	}
	w = s->worker;
	for (int i = 0; !err && i < CHECKS; i++) {
		s->check_at[i] = (w->at + bench_random(b) % piece(spec, w)) /
				 sizeof(uint64_t);
		if (mem_ops[spec->op].family != MEM_READ)
			((uint64_t *)w->a)[s->check_at[i]] = POISON;
	}
	return err;
}

/* Puts the last cache into the state that the report asks for, by what lies
 * behind the array. */
static void fill_cache(struct state *s, bool clean)
{
	const size_t bytes = s->last_bytes / MEM_BLOCK * MEM_BLOCK;
	char *at = s->worker[0].a + INTS_BYTES + (clean ? 0 : s->last_bytes);

	mem_kernel(clean ? MEM_READ : MEM_WRITE, MEM_SCALAR)(at, at, at, bytes);
}

/* ns of @rounds by all threads. */
static double time_rounds(const struct bench *b, struct state *s,
			  uint64_t rounds)
{
	uint64_t ticks;

	TIMER_INTERVAL(bench_timer(b)->method, ticks,
		       team_run(&s->team, rounds));
	return bench_ns(b, (double)ticks);
}

static void go_over(void *arg, uint64_t passes)
{
	struct state *s = arg;

	team_run(&s->team, passes * pieces(s->now));
}

/* An event lasts so long that what the clock and the start of the threads add
 * is under a hundredth of it.  In caches an event is whole passes: a part of
 * the arrays may be in another cache than the rest. */
static void choose_rounds(struct bench *b, struct state *s,
			  const struct bench_case *c)
{
	const double event_ns = s->now->threads > 1 ? TEAM_NS : EVENT_NS;

	s->rounds = 1;
	if (s->now->level < LEVEL_MEMORY)
		s->rounds = pieces(s->now) *
			    (uint64_t)fmax(1, ceil(event_ns /
						   settle(b, c, go_over, s)));
	else
		while (s->rounds < MAX_ROUNDS &&
		       time_rounds(b, s, s->rounds) < event_ns)
			s->rounds *= 2;
}

static int enter(struct bench *b, void *state, const struct bench_case *c)
{
	struct state *s = state;
	int err;

	s->now = c->data;
	err = lay_out(b, s, s->now,
		      case_has(c, "before") ? 2 * s->last_bytes : 0);
	if (err)
		return err;
	if (s->worker[0].buffer.huge >= 0)
		bench_fact(b, c, "huge_bytes",
			   (double)s->worker[0].buffer.huge);
	bench_fact_text(b, c, "registers", mem_isa_names[s->now->isa]);
	if (s->now->isa == MEM_LIBC)
		bench_fact(b, c, "call_bytes", (double)s->now->chunk);
	err = team_start(b, &s->team, s->now->threads, work, s);
	if (err)
		return err;
	choose_rounds(b, s, c);
	if (case_has(c, "before"))
		fill_cache(s, case_is(c, "before", "clean"));
	return 0;
}

/* Each event is timed by itself, so that the median leaves out those that were
 * disturbed. */
static int sample(struct bench *b, void *state, const struct bench_case *c)
{
	struct state *s = state;
	const double ns = time_rounds(b, s, s->rounds);

	if (ns > 0)
		bench_record_value(b, c,
				   rate_of(s->now, s->worker[0].moved, ns));
	return 0;
}

/* How many of the words that were poisoned hold what they should. */
static int right_words(const struct state *s)
{
	const struct mem_op_info *op = &mem_ops[s->now->op];
	const struct worker *w = &s->worker[0];
	int right = 0;

	for (int i = 0; i < CHECKS; i++) {
		const size_t at = s->check_at[i];
		const double made = op->b * ((double *)w->b)[at] +
				    op->c * ((double *)w->c)[at];

		right += op->family < MEM_CLEAR
				 ? ((uint64_t *)w->a)[at] != POISON
				 : ((double *)w->a)[at] == made;
	}
	return right;
}

static void leave(struct bench *b, void *state, const struct bench_case *c)
{
	struct state *s = state;

	team_stop(&s->team);
	s->reached = s->worker[0].at;
	if (mem_ops[s->now->op].family != MEM_READ)
		bench_proof(b, c, "words_moved", CHECKS, right_words(s));
	/* Zeros and single bytes must not be what others then read. */
	for (unsigned int i = 0; s->now->isa >= MEM_REP && i < s->now->threads;
	     i++) {
		const struct worker *w = &s->worker[i];

		mem_fill(w->all ? w->a : w->a + w->begin,
			 w->all ? s->now->part : w->at - w->begin, 1);
	}
}

static void derive_bests(struct bench *b)
{
	BENCH_EACH (b, c, "!before isa!=best") {
		const struct spec *spec = c->data;
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

/* The rows isa=best get the best of what was measured, and what is in L3 by its
 * size the fact times_memory: its rate over that of the same way in memory, to
 * hundredths.  No fact where either has no value. */
static void derive(struct bench *b, void *state)
{
	const struct state *s = state;
	char in_memory[48];

	derive_bests(b);
	snprintf(in_memory, sizeof(in_memory), "level=memory size=%zu",
		 s->memory_bytes);
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

const struct bench_desc bench_desc = {
	.many_cpus = true,
	.open = asked_points,
	.state_size = sizeof(struct state),
	.case_state_size = sizeof(struct spec),
	.point = point,
	.cases = cases,
	.enter = enter,
	.sample = sample,
	.leave = leave,
	.derive = derive,
};
