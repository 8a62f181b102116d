/* SPDX-License-Identifier: MIT */
/*
 * file_contention - how does reading slow down when other processes read too?
 *
 * 1 to 10 processes read at the same time, 4 KiB after 4 KiB from a random
 * place on, each its own file (files=own) or all the same one (files=one), past
 * the page cache (mode=direct, O_DIRECT) or out of it (mode=warm). A window of
 * time opens when all are under way, and they go on until it is over; the time
 * of a block is the window times the processes, divided by the blocks that all
 * have got in it.
 *
 * The processes are not pinned: the kernel places them on the CPUs that this
 * program may use (`cpus`). With more processes than CPUs, mode=warm shows how
 * the CPUs are shared, mode=direct how the disk is, as long as the CPUs have
 * time left. A line, time = intercept + slope x processes, is fitted to each
 * series, with the share of the variance that it explains (stat=r2).
 *
 * Measures: ns for 4 KiB as one process sees it.
 * Includes: pread, the switches between processes; warm: a look at the clock
 *           and at the counters for every MiB, direct: at the clock for each
 *           block.
 * After:    CSE 221 report section 6.4 and Figure 9 (10 files of 128 MiB read
 *           from end to end; here 64 MiB, read in parts), fio --numjobs.
 * Needs:    up to 640 MiB of disk; for mode=direct a file system that knows
 *           O_DIRECT.
 */
#include "copies.h"
#include "lib/file_reading.h"

/* Three points make a line; of one series all are wanted. */
static const char points[] =
	"mode={direct,warm} files={own,one} procs=1..10;"
	"not procs={3,4,6,7,8,9} mode=warm; not procs={3,4,6,7,8,9} files=one;"
	"is unit=ns exclusive switches;"
	"mode={direct,warm} files={own,one} stat={intercept,slope,r2};"
	"is derived unit=ns; is unit='1' higher if stat=r2";

/* As many files as the cases that are asked for read; where there is no room
 * for all of them those cases are skipped that need more. */
static int setup(struct bench *b, void *state)
{
	struct file_reading *s = state;
	int64_t most = 1;
	int err = 0;

	BENCH_EACH (b, c, "files=own procs")
		if (bench_selected(b, c) && case_int(c, "procs") > most)
			most = case_int(c, "procs");
	for (int i = 0; i < most && !err; i++) {
		err = file_data_own(b, &s->file[i], (unsigned int)i);
		if (err && !i)
			return bench_fail(b, -err, "%s", s->file[i].why);
	}
	return file_reading_open(b, s);
}

/* The processes that read; what each does is as of file_read. */
static struct crew crew;

/* The bytes that all have read in windows, and the device's counters before. */
static double claimed;
static struct file_counts before;

/* The work of each process. A block from a disk took as long as many cached
 * ones. */
static int read_alone(struct bench *b, void *state, const struct bench_case *c)
{
	const bool looks = case_is(c, "mode", "warm");
	/* How much was read from storage, in the kernel's unit. */
	const long fetched = looks ? bench_usage(RUSAGE_SELF).ru_inblock : 0;
	uint64_t ticks;
	bool pure;
	const int err = file_reading_time(b, state, &ticks);

	if (err)
		return err;
	pure = !looks || bench_usage(RUSAGE_SELF).ru_inblock == fetched;
	if (looks)
		bench_purity(b, c, "stretches_from_cache", BENCH_MOSTLY, 1,
			     pure);
	if (pure)
		bench_record(b, c, ticks);
	return 0;
}

static int enter(struct bench *b, void *state, const struct bench_case *c)
{
	static const struct bench_desc one = {
		.points = points,
		.state_size = sizeof(struct file_reading),
		.case_state_size = sizeof(struct file_point),
		.point = file_reading_point,
		.enter = file_reading_enter,
		.prepare = file_reading_prepare,
		.sample = read_alone,
		.leave = file_reading_leave
	};
	const struct file_place *place =
		&((struct file_reading *)state)->file[0].place;
	uint64_t iters = 0;

	crew = (struct crew) { .desc = &one,
			       .pristine = state,
			       .inner = c->id,
			       .n = (unsigned int)case_int(c, "procs") };
	bench_fact(b, c, "cpus", bench_cpus(b));
	bench_fact_text(b, c, "where", place->where);
	claimed = 0;
	before = file_counts(place);
	return crew_start(&crew, b, &iters);
}

static int sample(struct bench *b, void *state, const struct bench_case *c)
{
	const struct crew_page *page = crew.page;
	const int err = crew_window(&crew, b);
	unsigned int at_work = 0;
	bool pure = true;
	double ops = 0;

	if (err)
		return err;
	for (unsigned int i = 0; i < crew.n; i++) {
		ops += page->of[i].ops;
		at_work += page->of[i].counted > 0;
		pure &= !page->of[i].impure;
	}
	claimed += ops * FILE_DATA_BLOCK;
	if (at_work < crew.n) /* one got no CPU */
		pure = false;
	else
		bench_proof(b, c, "processes_at_work", crew.n, at_work);
	if (bench_is_sample(b))
		bench_purity(b, c, "pure_windows", BENCH_MOSTLY, 1, pure);
	if (pure)
		bench_record_value(b, c,
				   (double)(page->closed_ns - page->opened_ns) *
					   crew.n / ops);
	return 0;
}

static void leave(struct bench *b, void *state, const struct bench_case *c)
{
	const struct file_reading *s = state;
	struct file_counts seen;

	crew_end(&crew, b, c);
	/* One for all: the device does not tell who read. */
	seen = file_counts_since(&s->file[0].place, &before);
	if (case_is(c, "mode", "direct") && seen.device_read >= 0 &&
	    claimed > 0)
		bench_least(b, c, "bytes_read_from_device", claimed,
			    (double)seen.device_read);
}

static void derive(struct bench *b, void *state)
{
	BENCH_EACH (b, slope, "stat=slope") {
		const struct bench_case *const line[] = {
			bench_beside(b, slope, "stat=intercept"), slope,
			bench_beside(b, slope, "stat=r2")
		};

		BENCH_EACH (b, c, "procs")
			if (bench_beside(b, c, "!procs stat=slope") == slope)
				bench_derived_from(b, slope, c);
		bench_derive_line(b, "procs", line);
	}
}

const struct bench_desc bench_desc = {
	.many_cpus = true,
	.points = points,
	.state_size = sizeof(struct file_reading),
	.case_state_size = sizeof(struct file_point),
	.point = file_reading_point,
	.setup = setup,
	.enter = enter,
	.sample = sample,
	.leave = leave,
	.derive = derive,
};
