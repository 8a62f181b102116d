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
 * longer intervals.)  figure=processor_load and figure=ipc need
 * hardware counters, and the first also the width of this core.  Their cycles
 * are those in which the thread ran: work that sleeps can have a larger
 * processor_load than system_load.  Of all that it could do in all the time
 * the core did about the product.
 *
 * Measures: % of the time (system_load), % of the instructions possible while
 *	     it ran (processor_load), instructions for each cycle (ipc).
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
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "file_data.h"
#include "file_place.h"
#include "../bench/memory/lib/chase.h"
#include "../bench/memory/lib/mem_buffer.h"
#include "bench.h"
#include "counters.h"
#include "cpu_model.h"
#include "load_work.h"

#define INTERVAL_NS 3000000u
#define PIECE_NS    50000u /* between two looks at the clock */
#define FILE_NAME   "load_demo"
#define FILE_BYTES  ((uint64_t)4 << 20)
#define BLOCK	    FILE_DATA_BLOCK
#define LEAST_CHASE ((uint64_t)8 << 20)

enum figure { SYSTEM_LOAD, PROCESSOR_LOAD, IPC, FIGURES };

static const char *const figures[FIGURES] = { "system_load", "processor_load",
					      "ipc" };

struct load_state {
	struct counters *counters;
	struct cpu_model model;
	bool set_up;
	double width[COUNTERS_PMUS];
	unsigned int pmu; /* that counts where the thread runs */
	struct mem_buffer buffer;
	struct chase chase;
	unsigned int entry; /* where the chase goes on */
	struct file_data file;
	int fd;	    /* of the same file, O_DIRECT; -1: not open */
	int waited; /* the thread's schedstat; -1: the kernel has none */
	char *block;
	uint64_t rounds; /* of a piece of work that counts rounds */
	double done;	 /* in this interval */
	/* Of the chase, where they are counted. */
	double loads, beyond_l2;
};

/* One kind of work: @begin when a visit starts; @piece does a little and gives
 * what it should have done and what it did.  All return 0 or bench_fail() or
 * bench_skip(). */
struct work {
	const char *name;
	const char *unit; /* of what it does: the key of the evidence */
	bench_case_fn *begin;
	int (*piece)(struct bench *b, struct load_state *s, double *asked,
		     double *done);
};

static int piece_arithmetic(struct bench *b, struct load_state *s,
			    double *asked, double *done)
{
	(void)b;
	*asked = (double)(s->rounds * LOAD_ADDS);
	*done = (double)load_add(s->rounds);
	return 0;
}

static int piece_avx(struct bench *b, struct load_state *s, double *asked,
		     double *done)
{
	(void)b;
	*asked = (double)(s->rounds * LOAD_AVX_ADDS * LOAD_AVX_LANES);
	*done = load_avx(s->rounds);
	return 0;
}

/* From one entry to the next: whoever arrives has made all the loads. */
static int piece_chase(struct bench *b, struct load_state *s, double *asked,
		       double *done)
{
	const size_t loads = s->chase.lines / CHASE_ENTRIES;
	unsigned int next = (s->entry + 1) % CHASE_ENTRIES;
	void *end = chase_run(s->chase.entry[s->entry], loads / CHASE_UNROLL);

	(void)b;
	*asked = (double)loads;
	*done = end == s->chase.entry[next] ? (double)loads : 0;
	s->entry = next;
	return 0;
}

static int piece_disk(struct bench *b, struct load_state *s, double *asked,
		      double *done)
{
	uint64_t at = bench_random(b) % (FILE_BYTES / BLOCK) * BLOCK;
	ssize_t n = pread(s->fd, s->block, BLOCK, (off_t)at);

	if (n < 0)
		return bench_fail(b, errno, "read %s", s->file.path);
	*asked = BLOCK;
	*done = n == BLOCK && file_data_sample(s->block, BLOCK, at) ? BLOCK : 0;
	return 0;
}

static int piece_idle(struct bench *b, struct load_state *s, double *asked,
		      double *done)
{
	const struct timespec all = { .tv_nsec = INTERVAL_NS };

	(void)b;
	(void)s;
	*asked = 1;
	*done = !clock_nanosleep(CLOCK_MONOTONIC, 0, &all, NULL);
	return 0;
}

/* How many rounds take about PIECE_NS. */
static int begin_rounds(struct bench *b, void *state,
			const struct bench_case *c)
{
	const struct work *w = c->arg;
	struct load_state *s = state;
	double asked, done;

	for (s->rounds = 1; s->rounds < (uint64_t)1 << 40; s->rounds *= 2) {
		uint64_t begin = timer_clock_begin();
		int err = w->piece(b, s, &asked, &done);

		if (err || timer_clock_end() - begin >= PIECE_NS)
			return err;
	}
	return 0;
}

static int begin_chase(struct bench *b, void *state, const struct bench_case *c)
{
	uint64_t wanted = LEAST_CHASE, l2 = bench_cache_bytes(b, 2);
	struct load_state *s = state;
	int err;

	if (s->buffer.base)
		return 0;
	while (wanted < 4 * l2)
		wanted *= 2;
	if (wanted > bench_spare_bytes(b))
		return bench_skip(b, "not enough memory to chase through");
	err = mem_map(&s->buffer, wanted, MEM_4K);
	if (err)
		return bench_fail(b, -err, "map %s", "memory");
	mem_touch(&s->buffer);
	err = chase_link_random(&s->chase, s->buffer.base, wanted,
				bench_seed(b));
	if (err)
		return bench_fail(b, -err, "link the chase");
	bench_fact(b, c, "chase_bytes", (double)wanted);
	return 0;
}

static int begin_disk(struct bench *b, void *state, const struct bench_case *c)
{
	struct load_state *s = state;
	const char *why = "";
	int err;

	(void)c;
	if (s->fd >= 0)
		return 0;
	err = file_data_get(b, &s->file, FILE_NAME, FILE_BYTES);
	if (err)
		return err;
	if (!s->block)
		s->block = aligned_alloc(FILE_DATA_ALIGN, BLOCK);
	if (!s->block)
		return bench_fail(b, ENOMEM, "a block");
	s->fd = file_direct_open(s->file.path, O_RDONLY, &why);
	if (s->fd < 0)
		return bench_skip(b, "%s: %s", s->file.path, why);
	return 0;
}

static const struct work works[] = {
	{ "arithmetic", "additions", begin_rounds, piece_arithmetic },
	{ "avx", "additions", begin_rounds, piece_avx },
	{ "chase", "loads", begin_chase, piece_chase },
	{ "disk", "bytes", begin_disk, piece_disk },
	{ "idle", "sleeps", NULL, piece_idle },
};

/* How long the thread was ready while others ran.  A kernel that does not keep
 * it says 0 of all, also of how long the thread ran. */
static bool waited_ns(const struct load_state *s, uint64_t *ns)
{
	unsigned long long ran, waited;
	char text[80];
	ssize_t n = s->waited >= 0 ? pread(s->waited, text, sizeof(text) - 1, 0)
				   : -1;

	if (n <= 0)
		return false;
	text[n] = '\0';
	if (sscanf(text, "%llu %llu", &ran, &waited) != 2 || !ran)
		return false;
	*ns = waited;
	return true;
}

static uint64_t cpu_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

/* Work until the interval is over.  @load gets the share of it in percent. */
static int fill_interval(struct bench *b, struct load_state *s,
			 const struct bench_case *c, double *load)
{
	const struct work *w = c->arg;
	double asked, done, all_asked = 0, all_done = 0;
	uint64_t before = 0, after = 0;
	bool known = waited_ns(s, &before);
	uint64_t cpu = cpu_ns(), wall = timer_clock_begin();
	int err;

	do {
		err = w->piece(b, s, &asked, &done);
		if (err)
			return err;
		all_asked += asked;
		all_done += done;
	} while (timer_clock_end() - wall < INTERVAL_NS && !bench_stopping(b));
	/* In the order in which they began: both intervals are of one length.
	 */
	cpu = cpu_ns() - cpu;
	wall = timer_clock_end() - wall;
	known = waited_ns(s, &after) && known;
	*load = 100 * (double)(cpu + (known ? after - before : 0)) /
		(double)wall;
	if (!known)
		bench_fact_text(b, c, "waiting", "not known, not in it");
	s->done = all_done;
	bench_proof(b, c, w->unit, all_asked, all_done);
	return 0;
}

/* Cases of one work stand side by side, in the order of enum figure. */
static const struct bench_case *
sibling(const struct bench *b, const struct bench_case *c, enum figure figure)
{
	const struct work *w = c->arg;
	char name[80];

	snprintf(name, sizeof(name), "work=%s,figure=%s", w->name,
		 figures[figure]);
	return bench_find(b, name);
}

/* The kind of core whose cycles counted: its width is in the load. */
static void find_pmu(struct load_state *s, const struct counters_counts *k)
{
	const double *cycles = k->count[COUNTERS_CYCLES].pmu;

	for (unsigned int i = 0; i < COUNTERS_PMUS; i++)
		if (cycles[i] > cycles[s->pmu])
			s->pmu = i;
}

/* What missed L2 went to the last level. */
static void add_misses(struct load_state *s, const struct counters_counts *k)
{
	const struct counters_count *llc = &k->count[COUNTERS_LLC_REFERENCES];

	if (!llc->known)
		return;
	s->loads += s->done;
	s->beyond_l2 += llc->value;
}

static int sample_interval(struct bench *b, void *state,
			   const struct bench_case *c)
{
	struct load_state *s = state;
	struct counters_counts k;
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
	if (((const struct work *)c->arg)->piece == piece_chase)
		add_misses(s, &k);
	if (k.count[COUNTERS_CYCLES].known)
		find_pmu(s, &k);
	bench_record_value(b, c, load);
	x = counters_load_pct(&k, s->width);
	if (isfinite(x))
		bench_record_value(b, sibling(b, c, PROCESSOR_LOAD), x);
	x = counters_ipc(&k);
	if (isfinite(x))
		bench_record_value(b, sibling(b, c, IPC), x);
	return 0;
}

static int enter(struct bench *b, void *state, const struct bench_case *c)
{
	const struct work *w = c->arg;

	return w->begin ? w->begin(b, state, c) : 0;
}

/* Why a row that needs counters has no value, or NULL. */
static const char *why_not(const struct load_state *s, enum figure figure,
			   char *text, size_t size)
{
	const char *why = counters_why(s->counters, COUNTERS_INSTRUCTIONS);

	if (!why)
		why = counters_why(s->counters, COUNTERS_CYCLES);
	if (why || figure != PROCESSOR_LOAD || isfinite(s->width[s->pmu]))
		return why;
	cpu_model_say_width(&s->model, counters_pmu_name(s->counters, s->pmu),
			    text, size);
	return text;
}

static int derive(struct bench *b, void *state)
{
	struct load_state *s = state;
	char text[200];

	for (size_t i = 0; i < sizeof(works) / sizeof(*works); i++) {
		const struct bench_case *c =
			sibling(b, &(struct bench_case) { .arg = &works[i] },
				SYSTEM_LOAD);

		if (works[i].piece == piece_chase && s->loads > 0)
			bench_fact(b, c, "llc_references_per_load",
				   s->beyond_l2 / s->loads);
		for (int f = PROCESSOR_LOAD; f < FIGURES; f++) {
			const struct bench_case *d =
				sibling(b, c, (enum figure)f);
			const char *why =
				why_not(s, (enum figure)f, text, sizeof(text));

			if (!why && isnan(bench_value(b, c)))
				why = "its intervals were not measured";
			if (!why && isnan(bench_value(b, d)))
				why = "it never had a counter: others use them";
			if (why)
				bench_derive_skip(b, d, "%s", why);
			else if (f == PROCESSOR_LOAD)
				bench_fact(b, d, "width", s->width[s->pmu]);
		}
	}
	return 0;
}

static int setup(struct bench *b, void *state)
{
	static const struct counters_target self = { .kind = COUNTERS_SELF };
	struct load_state *s = state;
	int err;

	s->set_up = true;
	s->fd = -1;
	s->waited = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
	file_data_init(&s->file);
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

	(void)b;
	/* Without setup() there is nothing, and fd 0 is not ours. */
	if (!s->set_up)
		return;
	if (s->fd >= 0)
		close(s->fd);
	if (s->waited >= 0)
		close(s->waited);
	file_data_close(&s->file);
	free(s->block);
	mem_unmap(&s->buffer);
	counters_close(s->counters);
	cpu_model_free(&s->model);
}

static int cases(struct bench *b, void *state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(works) / sizeof(*works); i++) {
		const struct work *w = &works[i];
		const char *skip = w->piece == piece_avx && !load_avx_usable()
					   ? "this processor has no AVX"
					   : NULL;

		for (int f = 0; f < FIGURES; f++)
			bench_add(b,
				  &(struct bench_case) {
					  .params = { P_STR("work", w->name),
						      P_STR("figure",
							    figures[f]) },
					  .arg = w,
					  .skip = skip,
					  .unit = f == IPC ? "1" : "%",
					  .better = BENCH_HIGHER,
					  .sample = f ? NULL : sample_interval,
					  .derived = f != SYSTEM_LOAD });
	}
	return 0;
}

const struct bench_desc bench_desc = {
	.name = "load_demo",
	.state_size = sizeof(struct load_state),
	.cases = cases,
	.setup = setup,
	.enter = enter,
	.derive = derive,
	.teardown = teardown,
};
