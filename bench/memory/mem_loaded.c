/* SPDX-License-Identifier: MIT */
/*
 * mem_loaded - what is memory's latency while other cores use its bandwidth?
 *
 * The chain of mem_latency's `window` is followed in memory by the measuring
 * CPU, while every other CPU reads or writes memory of its own, without pause
 * (load=100) or with pauses that leave it so many percent of that. Each load=N
 * has two rows: stat=latency and stat=bandwidth, and the pairs are the
 * curve of latency against bytes in a second. Traffic begins just before the
 * loads and ends just after them, and is timed from its beginning to its end.
 * `write` counts the bytes stored; ordinary stores fetch the line first, so
 * about twice as many move.
 *
 * The other CPUs include the second thread of the measuring core where it has
 * one (same_core_cpu): its traffic costs the chain more than the memory does.
 * The memory of each CPU is in its own NUMA node.
 *
 * Measures: ns for one dependent load; bytes in a second of the others.
 * Includes: nothing else.
 * After:    multichase multiload (loaded latency); Intel MLC's idea.
 * Needs:    2 CPUs; memory: for the chain, and for all other CPUs together,
 *           twice the last caches and 64 MiB each at least, as far as a quarter
 *           of the free memory allows.
 */
#include <math.h>

#include "arch.h"
#include "bench.h"
#include "lib/follow.h"
#include "lib/mem_kernels.h"
#include "lib/team.h"

#define MIB	   ((size_t)1 << 20)
#define PART_LEAST (64 * MIB)	   /* of each other CPU */
#define CHUNK	   ((size_t)16384) /* between looks at the clock */
#define LOADS_NS   200e3	   /* of the chase in one event */
/* Events beside which another thread did not come to run are no samples; where
 * most are such, something else has the other CPUs, and slows the rest, too. */
#define AT_WORK 0.5

enum kind { READ, WRITE, KINDS };

static const char points[] =
	"traffic={read,write} load=0..100/25 stat={latency,bandwidth};"
	/* With no load there is no traffic to state. */
	"not load=0 stat=bandwidth;"
	"is unit=ns; needs cpus=2 memory=$needed;"
	"is unit='B/s' higher median derived of=[stat=latency] if "
	"stat=bandwidth";

/* The work of one of the other threads, and its counts. */
struct traffic {
	_Alignas(64) struct mem_buffer buffer;
	size_t at;
	uint64_t bytes, ns;
};

struct loaded_state {
	struct follow chain;
	const struct bench_case *bandwidth; /* of this visit; or NULL */
	size_t chain_bytes, part_bytes;	    /* a part: of each other CPU */
	uint64_t rounds;		    /* of the chase in one event */
	struct team team;
	struct traffic other[TEAM_MOST];
	enum kind kind;
	unsigned int load, at_work; /* others that came to run in an event */
	double ns_each_byte[KINDS]; /* at full load, of one thread */
	_Alignas(64) _Atomic bool stop;
};

static void cases(struct bench *b, void *state)
{
	struct loaded_state *s = state;
	const unsigned int n = team_most(b), others = n > 1 ? n - 1 : 1;
	int cpu[TEAM_MOST];
	uint64_t share;
	size_t all;

	for (unsigned int i = 0; i < others; i++)
		cpu[i] = bench_nth_cpu(b, i + 1);
	/* Neither the chain nor the traffic may stay in the last caches. */
	s->chain_bytes = mem_beyond_caches(b);
	all = 2 * bench_caches_bytes(b, cpu, others, 3, &share);
	s->part_bytes =
		((all > s->chain_bytes ? all : s->chain_bytes) / others +
		 MEM_HUGE_BYTES - 1) /
		MEM_HUGE_BYTES * MEM_HUGE_BYTES;
	if (s->part_bytes < PART_LEAST)
		s->part_bytes = PART_LEAST;
	BENCH_SET_NUMBER(b, "needed", BENCH_SIZE,
			 s->chain_bytes + others * s->part_bytes);
}

/* The memory of each CPU is on its NUMA node.  Huge pages: the order of the
 * chain spares translations in any case, and they are touched sooner. */
static int make_ready(struct bench *b, struct loaded_state *s)
{
	const struct follow_plan plan = { .link = chase_link_window,
					  .bytes = s->chain_bytes,
					  .pages = MEM_LARGE };
	int err = 0;

	for (unsigned int i = 1; !err && i < team_most(b); i++) {
		struct mem_buffer *m = &s->other[i].buffer;

		err = mem_have(b, m, s->part_bytes, MEM_LARGE,
			       bench_node_of_cpu(b, bench_nth_cpu(b, i)));
		if (!err)
			mem_fill(m->base, m->bytes, bench_seed(b) + i);
	}
	return err ? err
		   : follow_link(b, &s->chain, &plan,
				 bench_node_of_cpu(b, bench_cpu(b)));
}

/* Moves chunks until it has to stop; after each it waits until it would
 * have come so far at the share of full speed that is asked for. */
static void make_traffic(void *arg, unsigned int member, uint64_t rounds)
{
	struct loaded_state *s = arg;
	struct traffic *t = &s->other[member];
	mem_kernel_fn *const fn =
		mem_kernel(s->kind == READ ? MEM_READ4 : MEM_WRITE,
			   mem_isa_widest());
	const double each = s->ns_each_byte[s->kind] * 100 / s->load;
	const uint64_t begin = timer_clock_begin();

	t->bytes = 0;
	while (s->load &&
	       !atomic_load_explicit(&s->stop, memory_order_relaxed)) {
		char *at = t->buffer.base + t->at;

		fn(at, at, at, CHUNK);
		t->bytes += CHUNK;
		t->at = (t->at + CHUNK) % s->part_bytes;
		while (s->load < 100 &&
		       (double)(timer_clock_begin() - begin) <
			       each * (double)t->bytes &&
		       !atomic_load_explicit(&s->stop, memory_order_relaxed))
			ARCH_PAUSE();
	}
	t->ns = timer_clock_begin() - begin;
}

/* One event: traffic begins, the chase is timed, traffic ends.  *@bandwidth: of
 * the others.  Return: ns of the chase. */
static double event(struct bench *b, struct loaded_state *s, double *bandwidth)
{
	uint64_t ticks;

	atomic_store(&s->stop, false);
	team_go(&s->team, 1);
	/* Until the traffic is under way. */
	s->chain.chase.at = chase_run(s->chain.chase.at, 64);
	ticks = follow_time(b, &s->chain.chase, s->rounds);
	atomic_store(&s->stop, true);
	team_wait(&s->team);
	*bandwidth = 0;
	s->at_work = 0;
	for (unsigned int i = 1; i < s->team.size; i++) {
		const struct traffic *t = &s->other[i];

		s->at_work += t->bytes > 0;
		if (t->ns)
			*bandwidth += (double)t->bytes * 1e9 / (double)t->ns;
	}
	return bench_ns(b, (double)ticks);
}

/* Find the rate of full load, of which 0 % and 100 % need no share. */
static int find_full(struct bench *b, struct loaded_state *s)
{
	double bandwidth, best = 0;

	s->load = 100;
	for (int i = 0; i < 5; i++) {
		event(b, s, &bandwidth);
		best = fmax(best, bandwidth);
	}
	if (!(best > 0))
		return bench_skip(b, "no other thread came to run in five "
				     "events: their CPUs are busy with "
				     "something else");
	s->ns_each_byte[s->kind] = 1e9 * (s->team.size - 1) / best;
	return 0;
}

static int enter(struct bench *b, void *state, const struct bench_case *c)
{
	struct loaded_state *s = state;
	const unsigned int load = (unsigned int)case_int(c, "load");
	int err = s->chain.chase.at ? 0 : make_ready(b, s);

	s->kind = case_is(c, "traffic", "read") ? READ : WRITE;
	s->bandwidth = bench_beside(b, c, "stat=bandwidth");
	if (!err)
		err = team_start(b, &s->team, team_most(b), make_traffic, s);
	if (err)
		return err;
	for (s->rounds = 8; s->rounds < (1 << 20); s->rounds *= 2)
		if (bench_ns(b, (double)follow_time(b, &s->chain.chase,
						    s->rounds)) >= LOADS_NS)
			break;
	if (load > 0 && load < 100 && s->ns_each_byte[s->kind] <= 0)
		err = find_full(b, s);
	s->load = load;
	if (bench_partner(b, BENCH_SAME_CORE) >= 0)
		bench_fact(b, c, "same_core_cpu",
			   bench_partner(b, BENCH_SAME_CORE));
	return err;
}

static int sample(struct bench *b, void *state, const struct bench_case *c)
{
	struct loaded_state *s = state;
	double bandwidth;
	const double ns = event(b, s, &bandwidth);
	const unsigned int others = s->load ? s->team.size - 1 : 0;

	if (others)
		bench_purity(b, c, "threads_at_work", AT_WORK, others,
			     s->at_work);
	/* A chase under less load than the row says is no sample of it. */
	if (others && s->at_work < others)
		return 0;
	bench_record_value(b, c, ns / (double)(s->rounds * CHASE_UNROLL));
	if (s->bandwidth && bandwidth > 0)
		bench_record_value(b, s->bandwidth, bandwidth);
	return 0;
}

static void leave(struct bench *b, void *state, const struct bench_case *c)
{
	struct loaded_state *s = state;

	team_stop(&s->team);
}

static void derive(struct bench *b, void *state)
{
	struct loaded_state *s = state;
	const double lines =
		s->chain.chase.at ? (double)chase_verify(&s->chain.chase) : 0;

	BENCH_EACH (b, c, "stat=latency")
		if (s->chain.chase.at)
			bench_proof(b, c, "lines_in_cycle",
				    (double)s->chain_bytes / CHASE_LINE, lines);
}

const struct bench_desc bench_desc = {
	.many_cpus = true,
	.state_size = sizeof(struct loaded_state),
	.points = points,
	.cases = cases,
	.enter = enter,
	.sample = sample,
	.leave = leave,
	.derive = derive,
};
