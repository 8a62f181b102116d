/* SPDX-License-Identifier: MIT */
/*
 * load_demo - when the system says 100 %, how much does the core do?
 *
 * The load that an operating system shows is the share of the time in which a
 * CPU was not idle.  A core that waits for memory is not idle, so it counts as
 * busy; a program that waits for a disk sleeps, and does not.  The load of the
 * core itself is what it retired against what it could have retired while the
 * work ran: instructions / (cycles x the most instructions in a cycle).
 *
 * work=arithmetic is additions that do not wait for each other: as near to the
 * most as a core's adders allow.  work=chase follows pointers in random order
 * through more than the second-level cache: 100 % for the system, next to
 * nothing for the core.  work=avx adds vectors.  work=disk reads blocks of 4
 * KiB at random places without the page cache.  work=idle sleeps.
 *
 * figure=system_load is the share of the time in which the thread ran or was
 * ready to run, over intervals of 3 ms: what the system sees of this work as
 * load.  Time in which it was ready and others had the CPU is in it, for the
 * CPU is not idle then; what others do while it sleeps is not, nor what a
 * hypervisor took where the kernel knows of it.  /proc/stat cannot tell that:
 * it counts in steps of 10 ms, and everybody's.  (cpu_load shows it, over
 * longer intervals.)  The other figures need hardware counters, and all but ipc
 * the width of this core.  The cycles of while_running and ipc are those in
 * which the thread ran.  figure=processor_load is of all cycles of that time,
 * the source's equation (1): while_running x system_load.
 *
 * Measures: % of the time (system_load); % of the instructions possible in
 *	     that time (processor_load), while it ran (while_running);
 *	     instructions for each cycle (ipc).
 * Includes: the kernel's part of the work, where the counters may see it;
 *	     about 5 us of reading clocks and files in 3 ms.
 * After:    M. Schwarzbauer et al., "Processor-oriented performance
 *	     measurement tool" (2010), Figures 9 and 10.
 * Needs:    hardware counters for all but system_load; for work=disk a file
 *	     system that takes O_DIRECT.
 */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "../bench/memory/lib/chase.h"
#include "../bench/memory/lib/mem_buffer.h"
#include "arch.h"
#include "bench.h"
#include "counters.h"
#include "cpu_model.h"
#include "deadline.h"
#include "file_data.h"
#include "file_place.h"
#include "noise.h"
#include "reference.h"
#include "sysfile.h"

#define INTERVAL_NS 3000000u
#define ROUNDS	    4096 /* of additions: 50 us or so between looks at the clock */
#define FILE_BYTES  ((uint64_t)4 << 20)
#define BLOCK	    FILE_DATA_BLOCK
#define LEAST_CHASE ((uint64_t)8 << 20)

struct load_state {
	struct counters *counters;
	struct cpu_model model;
	bool set_up;
	double width[COUNTERS_PMUS];
	unsigned int pmu;	  /* that counts where the thread runs */
	struct mem_buffer memory; /* of the chase; not mapped: not linked */
	struct chase chase;
	unsigned int part; /* where the chase goes on */
	struct file_data file;
	int direct; /* the file, O_DIRECT; -1: not open */
	char *block;
	int waited;   /* the thread's schedstat; -1: the kernel has none */
	double asked; /* of a piece of the work at hand */
	double done;  /* in this interval */
	/* Of the chase, where they are counted. */
	double loads, beyond_l2;
};

/* One kind of work: @begin when a visit starts (0, bench_fail() or
 * bench_skip(), and what a piece asks for, if the table does not say); @piece
 * does a little and gives what it did, or after bench_fail() less than 0. */
struct work {
	const char *name;
	const char *unit; /* of what it does: the key of the evidence */
	double asked;
	bench_case_fn *begin;
	double (*piece)(struct bench *b, struct load_state *s);
};

static double piece_arithmetic(struct bench *b, struct load_state *s)
{
	return (double)reference_independent(ROUNDS);
}

#if ARCH_VECTOR_BITS
typedef double vector __attribute__((vector_size(8 * ARCH_VECTOR_LANES)));
#if ARCH_VECTOR_BITS >= 256
#define WITH_VECTORS ARCH_WITH_256
#define HAS_VECTORS  ARCH_HAS_256()
#else
#define WITH_VECTORS
#define HAS_VECTORS true
#endif
#define EACH_SUM(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7)
#define BEGIN(n)    vector sum##n = { 0 };
#define TIMES_8(x)  x x x x x x x x
#define ADD(n)         \
	sum##n += one; \
	__asm__ volatile("" : ARCH_IN_VECTOR(sum##n));
#define ADD_UP(n) all += sum##n;

/* Eight sums that do not wait for each other, of a type that this program must
 * run without.  Return: of all lanes. */
WITH_VECTORS static double add_vectors(void)
{
	vector one = { 0 }, all = { 0 };
	double done = 0;

	one += 1;
	EACH_SUM(BEGIN)
	for (int round = 0; round < ROUNDS; round++) {
		TIMES_8(EACH_SUM(ADD))
	}
	EACH_SUM(ADD_UP)
	for (int i = 0; i < ARCH_VECTOR_LANES; i++)
		done += all[i];
	return done;
}
#else
#define HAS_VECTORS   false
#define add_vectors() 0
#endif

static double piece_vectors(struct bench *b, struct load_state *s)
{
	return add_vectors();
}

/* From one entry to the next: whoever arrives has made all the loads. */
static double piece_chase(struct bench *b, struct load_state *s)
{
	const unsigned int next = (s->part + 1) % CHASE_ENTRIES;
	void *end = chase_run(s->chase.entry[s->part],
			      (size_t)s->asked / CHASE_UNROLL);

	s->part = next;
	return end == s->chase.entry[next] ? s->asked : 0;
}

static double piece_disk(struct bench *b, struct load_state *s)
{
	const uint64_t at = bench_random(b) % (FILE_BYTES / BLOCK) * BLOCK;
	const ssize_t n = pread(s->direct, s->block, BLOCK, (off_t)at);

	if (n < 0)
		return bench_fail(b, errno, "read a block");
	return n == BLOCK && file_data_sample(s->block, BLOCK, at) ? BLOCK : 0;
}

static double piece_idle(struct bench *b, struct load_state *s)
{
	const struct timespec all = { .tv_nsec = INTERVAL_NS };

	return !clock_nanosleep(CLOCK_MONOTONIC, 0, &all, NULL);
}

static int begin_chase(struct bench *b, void *state, const struct bench_case *c)
{
	uint64_t wanted = LEAST_CHASE, l2 = bench_cache_bytes(b, 2);
	struct load_state *s = state;
	int err;

	if (s->memory.base)
		return 0;
	while (wanted < 4 * l2)
		wanted *= 2;
	if (wanted > bench_spare_bytes(b))
		return bench_skip(b, "not enough memory to chase through");
	err = mem_have(b, &s->memory, wanted, MEM_4K, -1);
	if (err)
		return err;
	err = chase_link_random(&s->chase, s->memory.base, wanted, CHASE_LINE,
				bench_seed(b));
	if (err)
		return bench_fail(b, -err, "link the chase");
	bench_fact(b, c, "chase_bytes", (double)wanted);
	return 0;
}

static int begin_disk(struct bench *b, void *state, const struct bench_case *c)
{
	struct load_state *s = state;
	const char *why;
	int err;

	if (s->direct >= 0)
		return 0;
	err = file_data_get(b, &s->file, "load", FILE_BYTES);
	if (err)
		return err;
	if (!s->block)
		s->block = aligned_alloc(FILE_DATA_ALIGN, BLOCK);
	if (!s->block)
		return bench_fail(b, ENOMEM, "a block");
	s->direct = file_direct_open(s->file.path, O_RDONLY, &why);
	if (s->direct >= 0)
		return 0;
	return why ? bench_skip(b, "%s: %s", s->file.path, why)
		   : bench_fail(b, -s->direct, "open %s", s->file.path);
}

static const struct work works[] = {
	{ "arithmetic", "additions", ROUNDS *REFERENCE_INDEPENDENT, NULL,
	  piece_arithmetic },
	{ ARCH_VECTOR_NAME, "additions", ROUNDS * 64 * ARCH_VECTOR_LANES, NULL,
	  piece_vectors },
	{ "chase", "loads", 0, begin_chase, piece_chase },
	{ "disk", "bytes", BLOCK, begin_disk, piece_disk },
	{ "idle", "sleeps", 1, NULL, piece_idle },
};

/* How long the thread was ready while others ran.  A kernel that does not keep
 * it says 0 of all, also of how long the thread ran. */
static bool waited_ns(const struct load_state *s, int64_t *ns)
{
	char text[96];
	int64_t ran_ns;

	return noise_waits(sysfile_again(s->waited, text, sizeof(text)),
			   &ran_ns, ns);
}

/* Work until the interval is over.  @load gets the share of it in percent. */
static int fill_interval(struct bench *b, struct load_state *s,
			 const struct bench_case *c, double *load)
{
	const struct work *w = CASE_OF(c, "work", works);
	double done, asked = 0;
	int64_t before = 0, after = 0;
	bool known = waited_ns(s, &before);
	int64_t cpu = clock_now_ns(CLOCK_THREAD_CPUTIME_ID);
	uint64_t wall = timer_clock_begin();

	s->done = 0;
	do {
		done = w->piece(b, s);
		if (done < 0)
			return -1;
		asked += s->asked;
		s->done += done;
	} while (timer_clock_end() - wall < INTERVAL_NS && !bench_stopping(b));
	/* In the order in which they began: both intervals are of one length.
	 */
	cpu = clock_now_ns(CLOCK_THREAD_CPUTIME_ID) - cpu;
	wall = timer_clock_end() - wall;
	known = waited_ns(s, &after) && known;
	*load = 100 * (double)(cpu + (known ? after - before : 0)) /
		(double)wall;
	if (!known)
		bench_fact_text(b, c, "waiting", "not known, not in it");
	bench_proof(b, c, w->unit, asked, s->done);
	return 0;
}

/* The kind of core whose cycles counted: its width is in the load. */
static void find_pmu(struct load_state *s, const struct counters_counts *k)
{
	const double *cycles = k->count[COUNTERS_CYCLES].pmu;

	for (unsigned int i = 0; i < COUNTERS_PMUS; i++)
		if (cycles[i] > cycles[s->pmu])
			s->pmu = i;
}

static int sample_interval(struct bench *b, void *state,
			   const struct bench_case *c)
{
	struct load_state *s = state;
	struct counters_counts k;
	const struct counters_count *llc = &k.count[COUNTERS_LLC_REFERENCES];
	double load, x;
	int err = counters_start(s->counters);

	if (err)
		return bench_fail(b, -err, "read the counters");
	err = fill_interval(b, s, c, &load);
	if (err)
		return err;
	err = counters_stop(s->counters, &k);
	if (err)
		return bench_fail(b, -err, "read the counters");
	/* What missed L2 went to the last level. */
	if (case_is(c, "work", "chase") && llc->known) {
		s->loads += s->done;
		s->beyond_l2 += llc->value;
	}
	if (k.count[COUNTERS_CYCLES].known)
		find_pmu(s, &k);
	bench_record_value(b, c, load);
	x = counters_load_pct(&k, s->width);
	if (isfinite(x)) {
		bench_record_value(b,
				   bench_beside(b, c, "figure=while_running"),
				   x);
		bench_record_value(b,
				   bench_beside(b, c, "figure=processor_load"),
				   x * load / 100);
	}
	x = counters_ipc(&k);
	if (isfinite(x))
		bench_record_value(b, bench_beside(b, c, "figure=ipc"), x);
	return 0;
}

static int enter(struct bench *b, void *state, const struct bench_case *c)
{
	const struct work *w = CASE_OF(c, "work", works);
	struct load_state *s = state;
	const int err = w->begin ? w->begin(b, state, c) : 0;
	const size_t loads = s->chase.lines / CHASE_ENTRIES;

	s->asked = w->asked > 0 ? w->asked : (double)loads;
	return err;
}

/* Why a row that needs counters has no value, or NULL. */
static const char *why_not(const struct load_state *s, bool needs_width,
			   char *text, size_t size)
{
	const char *why = counters_why(s->counters, COUNTERS_INSTRUCTIONS);

	if (!why)
		why = counters_why(s->counters, COUNTERS_CYCLES);
	if (why || !needs_width || isfinite(s->width[s->pmu]))
		return why;
	cpu_model_width(&s->model, counters_pmu_name(s->counters, s->pmu), text,
			size);
	return text;
}

static int derive(struct bench *b, void *state)
{
	struct load_state *s = state;
	char text[200];

	if (s->loads > 0)
		bench_fact(b, bench_next(b, NULL, "work=chase"),
			   "llc_references_per_load", s->beyond_l2 / s->loads);
	BENCH_EACH (b, c, "figure!=system_load") {
		const struct bench_case *load =
			bench_beside(b, c, "figure=system_load");
		const bool needs_width = !case_is(c, "figure", "ipc");
		const char *why = why_not(s, needs_width, text, sizeof(text));

		if (!why && isnan(bench_value(b, load)))
			why = "its intervals were not measured";
		if (!why && isnan(bench_value(b, c)))
			why = "it never had a counter: others use them";
		if (why)
			bench_derive_skip(b, c, "%s", why);
		else if (needs_width)
			bench_fact(b, c, "width", s->width[s->pmu]);
	}
	return 0;
}

static int setup(struct bench *b, void *state)
{
	static const struct counters_target self = { .kind = COUNTERS_SELF };
	struct load_state *s = state;
	int err;

	s->set_up = true;
	s->direct = -1;
	file_data_init(&s->file);
	s->waited = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
	err = counters_open(&s->counters, &self, 0);
	if (err)
		return bench_fail(b, -err, "open the counters");
	cpu_model_read(&s->model, 0);
	cpu_model_widths(&s->model, s->counters, s->width);
	return 0;
}

static void teardown(struct bench *b, void *state)
{
	struct load_state *s = state;

	/* Without setup() there is nothing, and fd 0 is not ours. */
	if (!s->set_up)
		return;
	if (s->direct >= 0)
		close(s->direct);
	if (s->waited >= 0)
		close(s->waited);
	file_data_close(&s->file);
	free(s->block);
	mem_unmap(&s->memory);
	counters_close(s->counters);
	cpu_model_free(&s->model);
}

static int cases(struct bench *b, void *state)
{
	BENCH_SET_NAMES(b, "works", works);
	bench_need(b, "vectors",
		   HAS_VECTORS ? NULL : "this processor has no AVX");
	return 0;
}

const struct bench_desc bench_desc = {
	.name = "load_demo",
	.state_size = sizeof(struct load_state),
	.points = "work={$works} "
		  "figure={system_load,processor_load,while_running,ipc};"
		  "is higher unit='%'; is unit='1' if figure=ipc;"
		  "is derived of=[figure=system_load] if figure!=system_load;"
		  "needs $vectors if work=" ARCH_VECTOR_NAME,
	.cases = cases,
	.setup = setup,
	.enter = enter,
	.sample = sample_interval,
	.derive = derive,
	.teardown = teardown,
};
