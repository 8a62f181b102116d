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
#include <limits.h>
#include <linux/magic.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/statfs.h>
#include <time.h>
#include <unistd.h>

#include "arch.h"
#include "bench.h"
#include "counters.h"
#include "cpu_model.h"
#include "deadline.h"
#include "load_work.h"
#include "noise.h"
#include "sysfile.h"

#define INTERVAL_NS 3000000u
#define PIECE_NS    50000u /* between two looks at the clock */
#define FILE_BYTES  ((uint64_t)4 << 20)
#define BLOCK	    4096
#define LEAST_CHASE ((uint64_t)8 << 20)
#define LINE	    64
#define PARTS	    16 /* of the chain; a piece of work is one */
#define UNROLL	    32

enum figure { SYSTEM_LOAD, PROCESSOR_LOAD, WHILE_RUNNING, IPC, FIGURES };

static const char *const figures[FIGURES] = { "system_load", "processor_load",
					      "while_running", "ipc" };

struct load_state {
	struct counters *counters;
	struct cpu_model model;
	bool set_up;
	double width[COUNTERS_PMUS];
	unsigned int pmu; /* that counts where the thread runs */
	char *chain;	  /* a cycle through all its lines, NULL: not linked */
	uint64_t chain_bytes;
	void *entry[PARTS]; /* of the parts, in the order of the chain */
	unsigned int part;  /* where the chase goes on */
	int fd;		    /* of a file, O_DIRECT; -1: not open */
	int waited; /* the thread's schedstat; -1: the kernel has none */
	uint64_t *block;
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
	*asked = (double)(s->rounds * LOAD_ADDS);
	*done = (double)load_add(s->rounds);
	return 0;
}

static int piece_avx(struct bench *b, struct load_state *s, double *asked,
		     double *done)
{
	*asked = (double)(s->rounds * LOAD_VECTOR_ADDS * ARCH_VECTOR_LANES);
	*done = load_vector(s->rounds);
	return 0;
}

static void *follow(void *at, uint64_t rounds)
{
	__asm__ volatile("1:\n\t"
			 ".rept 32\n\t" ARCH_LOAD(
				 "%[at]",
				 "%[at]") ".endr\n\t" ARCH_AGAIN("%[rounds]",
								 "1b")
			 : [at] "+r"(at), [rounds] "+r"(rounds)
			 :
			 : "cc", "memory");
	return at;
}

/* From one entry to the next: whoever arrives has made all the loads. */
static int piece_chase(struct bench *b, struct load_state *s, double *asked,
		       double *done)
{
	const uint64_t loads = s->chain_bytes / LINE / PARTS;
	const unsigned int next = (s->part + 1) % PARTS;
	void *end = follow(s->entry[s->part], loads / UNROLL);

	*asked = (double)loads;
	*done = end == s->entry[next] ? (double)loads : 0;
	s->part = next;
	return 0;
}

static int piece_disk(struct bench *b, struct load_state *s, double *asked,
		      double *done)
{
	uint64_t at = bench_random(b) % (FILE_BYTES / BLOCK) * BLOCK;
	ssize_t n = pread(s->fd, s->block, BLOCK, (off_t)at);

	if (n < 0)
		return bench_fail(b, errno, "read a block");
	*asked = BLOCK;
	*done = n == BLOCK && *s->block == at ? BLOCK : 0;
	return 0;
}

static int piece_idle(struct bench *b, struct load_state *s, double *asked,
		      double *done)
{
	const struct timespec all = { .tv_nsec = INTERVAL_NS };

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

/* All lines of the chain in random order; -ENOMEM if there is none for it. */
static int link_chain(struct bench *b, struct load_state *s)
{
	const size_t lines = s->chain_bytes / LINE;
	uint32_t *order = calloc(lines, sizeof(*order));

	if (!order)
		return -ENOMEM;
	for (size_t i = 0; i < lines; i++) {
		const size_t j = bench_random(b) % (i + 1);

		order[i] = order[j];
		order[j] = (uint32_t)i;
	}
	for (size_t i = 0; i < lines; i++) {
		void **line = (void **)(s->chain + (size_t)order[i] * LINE);

		*line = s->chain + (size_t)order[(i + 1) % lines] * LINE;
		if (i % (lines / PARTS) == 0)
			s->entry[i / (lines / PARTS)] = line;
	}
	free(order);
	return 0;
}

static int begin_chase(struct bench *b, void *state, const struct bench_case *c)
{
	uint64_t wanted = LEAST_CHASE, l2 = bench_cache_bytes(b, 2);
	struct load_state *s = state;
	int err;

	if (s->chain)
		return 0;
	while (wanted < 4 * l2)
		wanted *= 2;
	if (wanted > bench_spare_bytes(b))
		return bench_skip(b, "not enough memory to chase through");
	s->chain_bytes = wanted;
	s->chain = mmap(NULL, wanted, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (s->chain == MAP_FAILED) {
		s->chain = NULL;
		return bench_fail(b, errno, "map memory");
	}
	/* Refused where there are no huge pages: then it has what it wants. */
	madvise(s->chain, wanted, MADV_NOHUGEPAGE);
	err = link_chain(b, s);
	if (err)
		return bench_fail(b, -err, "link the chase");
	bench_fact(b, c, "chase_bytes", (double)wanted);
	return 0;
}

static bool is_in_memory(int fd)
{
	struct statfs fs;

	return !fstatfs(fd, &fs) &&
	       (fs.f_type == TMPFS_MAGIC || fs.f_type == RAMFS_MAGIC);
}

/* Each block begins with its place in the file. */
static int write_file(const struct load_state *s, int fd)
{
	memset(s->block, 0, BLOCK);
	for (uint64_t at = 0; at < FILE_BYTES; at += BLOCK) {
		ssize_t n;

		*s->block = at;
		n = pwrite(fd, s->block, BLOCK, (off_t)at);
		if (n != BLOCK)
			return n < 0 ? -errno : -ENOSPC;
	}
	return fsync(fd) ? -errno : 0;
}

static int begin_disk(struct bench *b, void *state, const struct bench_case *c)
{
	struct load_state *s = state;
	const char *dir;
	char path[PATH_MAX];
	int fd, err;

	if (s->fd >= 0)
		return 0;
	dir = bench_scratch(b);
	if (!dir)
		return -EIO; /* it has said why */
	if (!s->block)
		s->block = aligned_alloc(BLOCK, BLOCK);
	if (!s->block)
		return bench_fail(b, ENOMEM, "a block");
	if ((size_t)snprintf(path, sizeof(path), "%s/load_demo", dir) >=
	    sizeof(path))
		return bench_fail(b, ENAMETOOLONG, "%s", dir);
	fd = open(path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
	err = fd < 0 ? -errno : write_file(s, fd);
	if (fd >= 0)
		close(fd);
	if (err == -ENOSPC || err == -EDQUOT || err == -EFBIG)
		return bench_skip(b, "%s: %s", path, strerror(-err));
	if (err)
		return bench_fail(b, -err, "%s", path);
	/* tmpfs takes O_DIRECT since Linux 6.6, and reads its memory. */
	s->fd = open(path, O_RDONLY | O_DIRECT | O_CLOEXEC);
	if (s->fd < 0 && errno != EINVAL)
		return bench_fail(b, errno, "%s", path);
	if (s->fd < 0 || is_in_memory(s->fd)) {
		unlink(path);
		return bench_skip(b, "%s: the file system has no O_DIRECT",
				  dir);
	}
	return 0;
}

static const struct work works[] = {
	{ "arithmetic", "additions", begin_rounds, piece_arithmetic },
	{ ARCH_VECTOR_NAME, "additions", begin_rounds, piece_avx },
	{ "chase", "loads", begin_chase, piece_chase },
	{ "disk", "bytes", begin_disk, piece_disk },
	{ "idle", "sleeps", NULL, piece_idle },
};

/* How long the thread was ready while others ran.  A kernel that does not keep
 * it says 0 of all, also of how long the thread ran. */
static bool waited_ns(const struct load_state *s, uint64_t *ns)
{
	char text[96];
	int64_t ran_ns, waited;
	const bool known =
		noise_waits(sysfile_again(s->waited, text, sizeof(text)),
			    &ran_ns, &waited);

	*ns = (uint64_t)waited;
	return known;
}

/* Work until the interval is over.  @load gets the share of it in percent. */
static int fill_interval(struct bench *b, struct load_state *s,
			 const struct bench_case *c, double *load)
{
	const struct work *w = c->arg;
	double asked, done, all_asked = 0, all_done = 0;
	uint64_t before = 0, after = 0;
	bool known = waited_ns(s, &before);
	uint64_t cpu = (uint64_t)clock_now_ns(CLOCK_THREAD_CPUTIME_ID),
		 wall = timer_clock_begin();
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
	cpu = (uint64_t)clock_now_ns(CLOCK_THREAD_CPUTIME_ID) - cpu;
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

	return bench_find(b, "work=%s,figure=%s", w->name, figures[figure]);
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
	if (isfinite(x)) {
		bench_record_value(b, sibling(b, c, WHILE_RUNNING), x);
		bench_record_value(b, sibling(b, c, PROCESSOR_LOAD),
				   x * load / 100);
	}
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
	if (why || figure == IPC || isfinite(s->width[s->pmu]))
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
			else if (f != IPC)
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
	if (s->fd >= 0)
		close(s->fd);
	if (s->waited >= 0)
		close(s->waited);
	free(s->block);
	if (s->chain)
		munmap(s->chain, s->chain_bytes);
	counters_close(s->counters);
	cpu_model_free(&s->model);
}

static bool point(struct bench *b, void *state, struct bench_case *c)
{
	const struct work *w = CASE_OF(c, "work", works);

	c->arg = w;
	if (w->piece == piece_avx && !load_vector_usable())
		c->skip = "this processor has no AVX";
	return true;
}

const struct bench_desc bench_desc = {
	.name = "load_demo",
	.state_size = sizeof(struct load_state),
	.points = "work={arithmetic," ARCH_VECTOR_NAME ",chase,disk,idle}"
		  " figure={system_load,processor_load,while_running,ipc};"
		  "is unit='%' higher; is unit='1' if figure=ipc;"
		  "is derived if figure!=system_load",
	.point = point,
	.sample = sample_interval,
	.setup = setup,
	.enter = enter,
	.derive = derive,
	.teardown = teardown,
};
