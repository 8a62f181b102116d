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

#include "bench.h"
#include "lib/bandwidth_plan.h"
#include "lib/mem_buffer.h"
#include "lib/mem_kernels.h"
#include "lib/settle.h"

#define EVENT_NS   40e3	 /* of one thread */
#define TEAM_NS	   160e3 /* of several, which never end at the same time */
#define MAX_ROUNDS ((uint64_t)1 << 20)
#define CHECKS	   64		       /* words that are looked at afterwards */
#define POISON	   0x7ff0dead0badf00du /* no sum or product gives this one */
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

struct bandwidth_state {
	struct bandwidth_plan plan;
	struct partner_team team;
	struct worker worker[PARTNER_TEAM_MAX];
	const struct bandwidth_spec *now;
	uint64_t rounds; /* of it in one event */
	size_t check_at[CHECKS];
	size_t reached; /* in memory, by the case before */
};

static const char ints_points[] =
	"kernel=read_ints isa=scalar level=memory size=4M threads=1 "
	"before={clean,dirty};"
	"kernel=write_ints isa=scalar level=memory size=4M threads=1 "
	"before=dirty;"
	"is unit='B/s' higher; needs $caches memory=$ints";

static bool point(struct bench *b, void *state, struct bench_case *c)
{
	const struct bandwidth_state *s = state;

	return bandwidth_plan_fill(b, &s->plan, c);
}

static int cases(struct bench *b, void *state)
{
	struct bandwidth_state *s = state;

	bandwidth_plan_make(b, &s->plan);
	BENCH_SET_NUMBER(b, "ints", BENCH_SIZE,
			 BANDWIDTH_INTS + 2 * s->plan.last_bytes);
	bench_need(b, "caches",
		   s->plan.last_bytes ? NULL
				      : "no size of a cache to be filled "
					"before is known");
	return 0;
}

/* The next piece that a thread goes over. */
static size_t piece(const struct bandwidth_spec *spec, const struct worker *w)
{
	const size_t left = spec->part - w->at;

	return left < spec->chunk ? left : spec->chunk;
}

/* Rounds that go over all. */
static size_t pieces(const struct bandwidth_spec *spec)
{
	return (spec->part + spec->chunk - 1) / spec->chunk;
}

static void work(void *arg, unsigned int member, uint64_t rounds)
{
	struct bandwidth_state *s = arg;
	struct worker *w = &s->worker[member];
	const struct bandwidth_spec *spec = s->now;
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
static int lay_out(struct bench *b, struct bandwidth_state *s,
		   const struct bandwidth_spec *spec, size_t more)
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

		err = mem_have(b, m, bandwidth_room(spec) + more, MEM_LARGE,
			       bench_node_of_cpu(b, s->plan.cpu[i]));
		if (!err && m->bytes != had)
			mem_fill(m->base, m->bytes, bench_seed(b) + i);
		w->a = m->base;
		w->b = w->a + bandwidth_place(spec, 1);
		w->c = w->a + bandwidth_place(spec, 2);
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
static void fill_cache(struct bandwidth_state *s, bool clean)
{
	const size_t bytes = s->plan.last_bytes / MEM_BLOCK * MEM_BLOCK;
	char *at = s->worker[0].a + BANDWIDTH_INTS +
		   (clean ? 0 : s->plan.last_bytes);

	mem_kernel(clean ? MEM_READ : MEM_WRITE, MEM_SCALAR)(at, at, at, bytes);
}

/* ns of @rounds by all threads. */
static double time_rounds(const struct bench *b, struct bandwidth_state *s,
			  uint64_t rounds)
{
	uint64_t ticks;

	TIMER_INTERVAL(bench_timer(b)->method, ticks,
		       partner_team_run(&s->team, rounds));
	return bench_ns(b, (double)ticks);
}

static void go_over(void *arg, uint64_t passes)
{
	struct bandwidth_state *s = arg;

	partner_team_run(&s->team, passes * pieces(s->now));
}

/* An event lasts so long that what the clock and the start of the threads add
 * is under a hundredth of it.  In caches an event is whole passes: a part of
 * the arrays may be in another cache than the rest. */
static void choose_rounds(struct bench *b, struct bandwidth_state *s,
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
	struct bandwidth_state *s = state;
	int err;

	s->now = c->data;
	err = lay_out(b, s, s->now,
		      case_has(c, "before") ? 2 * s->plan.last_bytes : 0);
	if (err)
		return err;
	if (s->worker[0].buffer.huge >= 0)
		bench_fact(b, c, "huge_bytes",
			   (double)s->worker[0].buffer.huge);
	bench_fact_text(b, c, "registers", mem_isa_names[s->now->isa]);
	if (s->now->isa == MEM_LIBC)
		bench_fact(b, c, "call_bytes", (double)s->now->chunk);
	err = partner_team_start(b, &s->team, s->now->threads, work, s);
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
	struct bandwidth_state *s = state;
	const double ns = time_rounds(b, s, s->rounds);

	if (ns > 0)
		bench_record_value(b, c,
				   bandwidth_rate(s->now, s->worker[0].moved,
						  ns));
	return 0;
}

/* How many of the words that were poisoned hold what they should. */
static int right_words(const struct bandwidth_state *s)
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

static int leave(struct bench *b, void *state, const struct bench_case *c)
{
	struct bandwidth_state *s = state;

	partner_team_stop(&s->team);
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
	return 0;
}

static int derive(struct bench *b, void *state)
{
	const struct bandwidth_state *s = state;

	bandwidth_plan_derive(b, &s->plan);
	return 0;
}

const struct bench_desc bench_desc = {
	.name = "mem_bandwidth",
	.many_cpus = true,
	.open = bandwidth_plan_asked,
	.state_size = sizeof(struct bandwidth_state),
	.case_state_size = sizeof(struct bandwidth_spec),
	.points = ints_points,
	.point = point,
	.cases = cases,
	.enter = enter,
	.sample = sample,
	.leave = leave,
	.derive = derive,
};
