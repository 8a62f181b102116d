/* SPDX-License-Identifier: MIT */
#include "load_rows.h"

#include <fcntl.h>
#include <math.h>
#include <time.h>
#include <unistd.h>

#include "counters.h"
#include "cpu_model.h"
#include "deadline.h"
#include "noise.h"
#include "sysfile.h"

#define INTERVAL_NS 3000000u
#define PIECE_NS    50000u /* between looks at the clock */

/* State of the measuring thread; counters are NULL until the first interval. */
static struct {
	struct counters *counters;
	struct cpu_model model;
	double width[COUNTERS_PMUS];
	unsigned int pmu; /* that counts where the thread runs */
	int waits;	  /* its schedstat; -1: the kernel has none */
} load;

static int open_counters(struct bench *b)
{
	static const struct counters_target self = { .kind = COUNTERS_SELF };
	const int err = counters_open(&load.counters, &self, 0);

	if (err)
		return bench_fail(b, -err, "open the counters");
	load.waits = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
	cpu_model_read(&load.model, 0);
	cpu_model_widths(&load.model, load.counters, load.width);
	return 0;
}

/* How long the thread was ready while others ran. */
static bool waited_ns(int64_t *ns)
{
	char text[96];
	int64_t ran_ns;

	return noise_waits(sysfile_again(load.waits, text, sizeof(text)),
			   &ran_ns, ns);
}

/* Work until the interval is over.  @pct gets the load by the system. */
static int fill_interval(struct bench *b, void *state,
			 const struct bench_case *c, bench_run_fn *run,
			 double *pct)
{
	int64_t before = 0, after = 0;
	bool known = waited_ns(&before);
	int64_t cpu = clock_now_ns(CLOCK_THREAD_CPUTIME_ID);
	const uint64_t from = timer_clock_begin();
	uint64_t wall = 0, piece, iters = 1;
	int err;

	do {
		err = run(b, state, c, iters);
		piece = wall;
		wall = timer_clock_end() - from;
		if (wall - piece < PIECE_NS)
			iters *= 2;
	} while (!err && wall < INTERVAL_NS);
	/* In the order in which they began: both intervals are of one length.
	 */
	cpu = clock_now_ns(CLOCK_THREAD_CPUTIME_ID) - cpu;
	wall = timer_clock_end() - from;
	known = waited_ns(&after) && known;
	*pct = 100 * (double)(cpu + (known ? after - before : 0)) /
	       (double)wall;
	if (!known)
		bench_fact_text(b, c, "waiting", "not known, not in it");
	return err;
}

/* The kind of core whose cycles counted: its width is in the load. */
static void find_pmu(const struct counters_counts *k)
{
	const double *cycles = k->count[COUNTERS_CYCLES].pmu;

	for (unsigned int i = 0; i < COUNTERS_PMUS; i++)
		if (cycles[i] > cycles[load.pmu])
			load.pmu = i;
}

int load_interval(struct bench *b, void *state, const struct bench_case *c,
		  bench_run_fn *run)
{
	struct counters_counts k;
	double pct, running;
	int err = load.counters ? 0 : open_counters(b);

	if (err)
		return err;
	err = counters_start(load.counters);
	if (err)
		return bench_fail(b, -err, "start the counters");
	err = fill_interval(b, state, c, run, &pct);
	if (err)
		return err;
	err = counters_stop(load.counters, &k);
	if (err)
		return bench_fail(b, -err, "read the counters");
	if (k.count[COUNTERS_CYCLES].known)
		find_pmu(&k);
	bench_record_value(b, c, pct);
	/* Load of the cycles in which it ran, and so of all. */
	running = counters_load_pct(&k, load.width);
	if (isfinite(running))
		bench_record_value(b, bench_beside(b, c, "load=core"),
				   running * pct / 100);
	return 0;
}

/* Why load=core has no value, or NULL. */
static const char *why_not(char *text, size_t size)
{
	const char *why = counters_why(load.counters, COUNTERS_INSTRUCTIONS);

	if (!why)
		why = counters_why(load.counters, COUNTERS_CYCLES);
	if (why || isfinite(load.width[load.pmu]))
		return why;
	cpu_model_width(&load.model, counters_pmu_name(load.counters, load.pmu),
			text, size);
	return text;
}

void load_derive(struct bench *b)
{
	char text[200];

	BENCH_EACH (b, c, "load=core") {
		const char *why = load.counters
					  ? why_not(text, sizeof(text))
					  : "its intervals were not measured";

		if (!why && isnan(bench_value(b, c)))
			why = "it never had a counter: others use them";
		if (why)
			bench_derive_skip(b, c, "%s", why);
		else
			bench_fact(b, c, "width", load.width[load.pmu]);
	}
}
