/* SPDX-License-Identifier: MIT */
/* The counters on made-up readings, invented machines, and this one. */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "box.h"
#include "counters_set.h"
#include "tests.h"

#define MS UINT64_C(1000000)

static struct counters_reading at(uint64_t ms)
{
	struct counters_reading r = { .before_ns = ms * MS,
				      .after_ns = ms * MS };

	return r;
}

static void set(struct counters_reading *r, int pmu, enum counters_event event,
		uint64_t value, uint64_t enabled_ms, uint64_t running_ms)
{
	r->raw[pmu][event] = (struct counters_raw) { value, enabled_ms * MS,
						     running_ms * MS };
}

static struct counters one_pmu(enum counters_kind kind)
{
	struct counters c = { .target.kind = kind,
			      .pmus = 1,
			      .wanted_pmus = 1 };

	for (int e = 0; e < COUNTERS_EVENTS; e++)
		c.opened[e] = 1;
	return c;
}

TEST(test_plain)
{
	const double width[COUNTERS_PMUS] = { 4, NAN, NAN, NAN };
	struct counters c = one_pmu(COUNTERS_SELF);
	struct counters_reading a = at(0), b = at(100);
	struct counters_counts k;

	c.opened[COUNTERS_LLC_MISSES] = 0;
	set(&a, 0, COUNTERS_INSTRUCTIONS, 1000, 50, 50);
	set(&b, 0, COUNTERS_INSTRUCTIONS, 7000, 90, 90);
	set(&a, 0, COUNTERS_CYCLES, 500, 50, 50);
	set(&b, 0, COUNTERS_CYCLES, 3500, 90, 90);
	counters_delta(&c, &a, &b, &k);
	OK(k.count[0].known && !k.count[0].scaled && k.count[0].share == 1 &&
		   k.count[0].value == 6000,
	   "instructions, counted all the time");
	OK_NEAR(counters_ipc(&k), 2, 0, "instructions for each cycle");
	OK_NEAR(counters_load_pct(&k, width), 50, 1e-12, "the paper's (1)");
	OK(!k.count[COUNTERS_LLC_MISSES].known &&
		   isnan(k.count[COUNTERS_LLC_MISSES].value),
	   "not opened is not known");
	OK(k.count[COUNTERS_BRANCHES].known &&
		   k.count[COUNTERS_BRANCHES].value == 0,
	   "a thread that did not run did nothing");
	counters_delta(&c, &b, &a, &k);
	OK(!k.count[0].known, "backwards is not known");
}

TEST(test_multiplexed)
{
	struct counters c = one_pmu(COUNTERS_SELF);
	struct counters_reading a = at(0), b = at(100);
	struct counters_counts k;

	set(&a, 0, COUNTERS_INSTRUCTIONS, 10, 100, 100);
	set(&b, 0, COUNTERS_INSTRUCTIONS, 1010, 200, 125);
	set(&a, 0, COUNTERS_CYCLES, 0, 100, 100);
	set(&b, 0, COUNTERS_CYCLES, 0, 200, 100);
	counters_delta(&c, &a, &b, &k);
	OK(k.count[0].known && k.count[0].scaled && k.count[0].share == 0.25 &&
		   fabs(k.count[0].value - 4000) < 1e-9,
	   "a quarter of the interval stands for all of it");
	OK(!k.count[COUNTERS_CYCLES].known &&
		   k.count[COUNTERS_CYCLES].share == 0 &&
		   isnan(counters_ipc(&k)),
	   "no turn: no number, no share, no ratio");
}

/* A hypervisor with fewer counters than it shows. */
TEST(test_stands_still)
{
	struct counters c = one_pmu(COUNTERS_SELF);
	struct counters_reading a = at(0), b = at(100);
	struct counters_counts k;

	for (int e = 0; e < COUNTERS_HARDWARE; e++)
		set(&b, 0, (enum counters_event)e, 20000000, 3, 3);
	counters_delta(&c, &a, &b, &k);
	OK(k.count[COUNTERS_CYCLES].known && k.count[COUNTERS_BRANCHES].known &&
		   k.count[COUNTERS_REF_CYCLES].known,
	   "all count");
	set(&b, 0, COUNTERS_CYCLES, 0, 3, 3);
	set(&b, 0, COUNTERS_BRANCHES, 0, 3, 3);
	counters_delta(&c, &a, &b, &k);
	OK(!k.count[COUNTERS_CYCLES].known && isnan(counters_ipc(&k)),
	   "instructions without cycles are not believed");
	OK(!k.count[COUNTERS_BRANCHES].known, "nor without branches");
	OK(k.count[COUNTERS_INSTRUCTIONS].known, "those that count are");
	set(&b, 0, COUNTERS_CYCLES, 1200000, 3, 3);
	counters_delta(&c, &a, &b, &k);
	OK(!k.count[COUNTERS_CYCLES].known, "nor 16.7 in a cycle");
	set(&b, 0, COUNTERS_CYCLES, 2000000, 3, 3);
	set(&b, 0, COUNTERS_INSTRUCTIONS, 0, 3, 3);
	set(&b, 0, COUNTERS_REF_CYCLES, 0, 3, 3);
	counters_delta(&c, &a, &b, &k);
	OK(!k.count[COUNTERS_INSTRUCTIONS].known &&
		   !k.count[COUNTERS_REF_CYCLES].known,
	   "nor cycles in which nothing else moves");
	OK(k.count[COUNTERS_CYCLES].known, "which then are known");
	c.arch.hypervisor = true;
	set(&b, 0, COUNTERS_INSTRUCTIONS, 1000000, 3, 2);
	counters_delta(&c, &a, &b, &k);
	OK(!k.count[COUNTERS_INSTRUCTIONS].known,
	   "in a virtual machine turns are not made up for");
	OK(k.count[COUNTERS_CYCLES].known, "what had none is known there too");
	b.raw[0][COUNTERS_CYCLES].running_ns -= 10000;
	counters_delta(&c, &a, &b, &k);
	OK(k.count[COUNTERS_CYCLES].known && k.count[COUNTERS_CYCLES].scaled,
	   "and what missed a moment");
	set(&b, 0, COUNTERS_INSTRUCTIONS, 200000, 3, 3);
	set(&b, 0, COUNTERS_BRANCHES, 0, 3, 3);
	set(&b, 0, COUNTERS_LLC_REFERENCES, 0, 3, 3);
	counters_delta(&c, &a, &b, &k);
	OK(!k.count[COUNTERS_BRANCHES].known, "a batch has branches");
	OK(!k.count[COUNTERS_LLC_REFERENCES].known,
	   "and who misses has asked before");
	set(&b, 0, COUNTERS_BRANCHES, 2000000, 3, 3);
	set(&b, 0, COUNTERS_BRANCH_MISSES, 0, 3, 3);
	counters_delta(&c, &a, &b, &k);
	OK(!k.count[COUNTERS_BRANCH_MISSES].known,
	   "nobody predicts two million branches without a miss");
}

/* A thread that moves between kinds of core. */
TEST(test_hybrid)
{
	const double width[COUNTERS_PMUS] = { 6, 5, NAN, NAN };
	const double unknown[COUNTERS_PMUS] = { 6, NAN, NAN, NAN };
	struct counters c = one_pmu(COUNTERS_SELF);
	struct counters_reading a = at(0), b = at(100);
	struct counters_counts k;

	c.pmus = 2;
	c.wanted_pmus = 3;
	for (int e = 0; e < COUNTERS_HARDWARE; e++)
		c.opened[e] = 3;
	set(&b, 0, COUNTERS_INSTRUCTIONS, 3000, 100, 60);
	set(&b, 1, COUNTERS_INSTRUCTIONS, 500, 100, 40);
	set(&b, 0, COUNTERS_CYCLES, 1000, 100, 60);
	set(&b, 1, COUNTERS_CYCLES, 400, 100, 40);
	counters_delta(&c, &a, &b, &k);
	OK(k.count[0].value == 3500 && k.count[0].pmu[0] == 3000 &&
		   k.count[0].pmu[1] == 500 && !k.count[0].scaled,
	   "both kinds added; elsewhere is not multiplexed");
	OK_NEAR(counters_load_pct(&k, width), 3500 / 8000. * 100, 1e-9,
		"each kind with its width");
	OK(isnan(counters_load_pct(&k, unknown)), "a width is missing");

	set(&b, 0, COUNTERS_INSTRUCTIONS, 3000, 100, 30);
	set(&b, 1, COUNTERS_INSTRUCTIONS, 500, 100, 20);
	counters_delta(&c, &a, &b, &k);
	OK(k.count[0].scaled, "elsewhere and multiplexed");
	OK_NEAR(k.count[0].value, 7000, 1e-9, "half of the time was seen");

	set(&b, 1, COUNTERS_CYCLES, 0, 100, 0);
	set(&b, 0, COUNTERS_CYCLES, 1000, 100, 100);
	counters_delta(&c, &a, &b, &k);
	OK(!isnan(k.count[COUNTERS_CYCLES].value), "all on the large cores");
	c.opened[COUNTERS_CYCLES] = 1;
	counters_delta(&c, &a, &b, &k);
	OK(k.count[COUNTERS_CYCLES].known,
	   "a kind that cannot count does not matter if never used");
	set(&b, 0, COUNTERS_CYCLES, 1000, 100, 60);
	counters_delta(&c, &a, &b, &k);
	OK(!k.count[COUNTERS_CYCLES].known, "but it does if it was used");
}

TEST(test_gap)
{
	struct counters c = one_pmu(COUNTERS_CPU);
	struct counters_reading a = at(0), b = at(1000);
	struct counters_counts k;

	set(&b, 0, COUNTERS_INSTRUCTIONS, 1000, 1000, 1000);
	set(&b, 0, COUNTERS_CYCLES, 1000, 600, 600);
	counters_delta(&c, &a, &b, &k);
	OK(k.count[COUNTERS_INSTRUCTIONS].known, "there all the time");
	OK(!k.count[COUNTERS_CYCLES].known, "away for a part of it");
	OK(!k.count[COUNTERS_BRANCHES].known, "away all the time");
	/* The reader itself was held up: nothing is missing. */
	a.after_ns = 450 * MS;
	counters_delta(&c, &a, &b, &k);
	OK(k.count[COUNTERS_CYCLES].known, "a slow reader is no gap");
}

TEST(test_devices)
{
	struct counters_pmu pmus[COUNTERS_PMUS];
	unsigned int n;

	box_open(true);
	box_put("one/software/type", "1\n");
	box_put("one/uncore_cbox_0/type", "14\n");
	box_put("one/uncore_cbox_0/cpumask", "0\n");
	OK(counters_pmu_find(in_box("one"), pmus) == 0, "an uncore is no core");
	box_put("one/cpu/type", "4\n");
	n = counters_pmu_find(in_box("one"), pmus);
	OK(n == 1 && pmus[0].type == 4 && counters_pmu_has(&pmus[0], 511) &&
		   counters_pmu_config(1, &pmus[0], n) == 1,
	   "one kind of core has all CPUs");
	OK_STR(pmus[0].name, "cpu", "its name");
	counters_pmu_free(pmus, n);
	box_put("two/cpu_atom/type", "10\n");
	box_put("two/cpu_atom/cpus", "16-23,30\n");
	box_put("two/cpu_core/type", "4\n");
	box_put("two/cpu_core/cpus", "0-15\n");
	n = counters_pmu_find(in_box("two"), pmus);
	OK(n == 2 && !strcmp(pmus[0].name, "cpu_core") &&
		   !strcmp(pmus[1].name, "cpu_atom"),
	   "two kinds of core, in the order of their types");
	OK(counters_pmu_has(&pmus[0], 0) && counters_pmu_has(&pmus[0], 15) &&
		   !counters_pmu_has(&pmus[0], 16) &&
		   counters_pmu_has(&pmus[1], 23) &&
		   counters_pmu_has(&pmus[1], 30) &&
		   !counters_pmu_has(&pmus[1], 24),
	   "their CPUs");
	OK(counters_pmu_config(1, &pmus[1], n) == 0xa00000001,
	   "the type in the upper half");
	counters_pmu_free(pmus, n);
	OK(counters_pmu_find("/no/such/dir", pmus) == 0, "no sysfs");
}

static void touch_pages(size_t pages)
{
	long size = sysconf(_SC_PAGESIZE);
	char *p = mmap(NULL, pages * (size_t)size, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		return;
	madvise(p, pages * (size_t)size, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < pages; i++)
		((volatile char *)p)[i * (size_t)size] = 1;
	munmap(p, pages * (size_t)size);
}

/* Whatever this machine has: each event is known or has a reason. */
TEST(test_here)
{
	struct counters *c = NULL;
	struct counters_counts k;
	int bad = 0;

	OK(!counters_open(&c,
			  &(struct counters_target) { .kind = COUNTERS_SELF },
			  0),
	   "the calling thread can always be opened");
	if (!c)
		return;
	touch_pages(1);
	OK(!counters_start(c), "start");
	touch_pages(100);
	OK(!counters_stop(c, &k), "stop");
	for (int e = 0; e < COUNTERS_EVENTS; e++) {
		const char *why = counters_why(c, (enum counters_event)e);

		bad += why && (k.count[e].known || strlen(why) < 10);
		/* One that is counted may yet have had no turn. */
		bad += !why && !k.count[e].known && k.count[e].share > 0;
	}
	OK(!bad, "each is known or has a reason");
	OK(k.count[COUNTERS_PAGE_FAULTS].known &&
		   k.count[COUNTERS_PAGE_FAULTS].value >= 100,
	   "every page touched is a fault");
	OK(k.count[COUNTERS_CONTEXT_SWITCHES].known, "switches are known");
	counters_close(c);
	counters_close(NULL);
}

TEST(test_misuse)
{
	static const struct {
		struct counters_target target;
		unsigned int flags;
		int err;
		const char *what;
	} t[] = {
		{ { COUNTERS_CPU, 0 }, 0, 0, "a CPU" },
		{ { COUNTERS_CPU, 0 }, COUNTERS_MSR, 0, "its registers" },
		{ { COUNTERS_CPU, 8191 }, 0, -ENODEV, "no such CPU" },
		{ { COUNTERS_CPU, -1 }, 0, -EINVAL, "no CPU at all" },
		{ { COUNTERS_SELF, 0 }, COUNTERS_MSR, -EINVAL, "of a thread" },
	};

	for (size_t i = 0; i < sizeof(t) / sizeof(*t); i++) {
		struct counters *c = NULL;

		OK(counters_open(&c, &t[i].target, t[i].flags) == t[i].err,
		   t[i].what);
		counters_close(c);
	}
}
