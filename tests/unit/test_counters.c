/* SPDX-License-Identifier: MIT */
/* The counters on made-up readings, invented machines, and this one. */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

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
	b.after_ns += 2 * MS;
	counters_delta(&c, &a, &b, &k);
	OK(k.begin_ns == 0 && k.end_ns == 101 * MS, "the middle of the reads");
	OK(k.count[0].known && !k.count[0].scaled, "known, not scaled");
	OK_NEAR(k.count[0].value, 6000, 0, "instructions");
	OK_NEAR(k.count[0].share, 1, 0, "counted all the time");
	OK_NEAR(counters_ipc(&k), 2, 0, "instructions for each cycle");
	OK_NEAR(counters_load_pct(&k, width), 50, 1e-12, "the paper's (1)");
	OK(!k.count[COUNTERS_LLC_MISSES].known, "not opened is not known");
	OK(isnan(k.count[COUNTERS_LLC_MISSES].value), "nor has it a value");
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
	OK(k.count[0].known && k.count[0].scaled, "scaled, and said so");
	OK_NEAR(k.count[0].value, 4000, 1e-9,
		"a quarter of the interval stands for all of it");
	OK_NEAR(k.count[0].share, 0.25, 0, "its share");
	OK(!k.count[COUNTERS_CYCLES].known, "no turn, no number");
	OK_NEAR(k.count[COUNTERS_CYCLES].share, 0, 0, "and no share");
	OK(isnan(counters_ipc(&k)), "and no ratio");
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
	OK_NEAR(k.count[0].value, 3500, 0, "both kinds added");
	OK(!k.count[0].scaled, "elsewhere is not multiplexed");
	OK_NEAR(k.count[0].pmu[0], 3000, 0, "on the large cores");
	OK_NEAR(k.count[0].pmu[1], 500, 0, "on the small cores");
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

/* A file of a made-up sysfs. */
static void write_file(const char *dir, const char *device, const char *file,
		       const char *text)
{
	char path[300];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, device);
	mkdir(path, 0700);
	snprintf(path, sizeof(path), "%s/%s/%s", dir, device, file);
	f = fopen(path, "w");
	if (!f)
		return;
	fprintf(f, "%s\n", text);
	fclose(f);
}

static void remove_tree(const char *dir)
{
	char command[300];

	snprintf(command, sizeof(command), "rm -rf '%s'", dir);
	OK(!system(command), "clean up");
}

TEST(test_devices)
{
	char dir[] = "/tmp/test_counters.XXXXXX";
	struct counters_pmu pmus[COUNTERS_PMUS];
	unsigned int n;

	if (!mkdtemp(dir))
		return;
	write_file(dir, "software", "type", "1");
	write_file(dir, "uncore_cbox_0", "type", "14");
	write_file(dir, "uncore_cbox_0", "cpumask", "0");
	n = counters_pmu_find(dir, pmus);
	OK(n == 0, "an uncore is no core");
	write_file(dir, "cpu", "type", "4");
	n = counters_pmu_find(dir, pmus);
	OK(n == 1 && pmus[0].type == 4, "one kind of core");
	OK_STR(pmus[0].name, "cpu", "its name");
	OK(counters_pmu_has(&pmus[0], 511), "has all CPUs");
	OK(counters_pmu_config(1, &pmus[0], n) == 1, "a plain event");
	counters_pmu_free(pmus, n);

	write_file(dir, "cpu", "type", "x");
	remove_tree(dir);
	if (mkdir(dir, 0700))
		return;
	write_file(dir, "cpu_atom", "type", "10");
	write_file(dir, "cpu_atom", "cpus", "16-23,30");
	write_file(dir, "cpu_core", "type", "4");
	write_file(dir, "cpu_core", "cpus", "0-15");
	n = counters_pmu_find(dir, pmus);
	OK(n == 2, "two kinds of core");
	OK_STR(pmus[0].name, "cpu_core", "in the order of their types");
	OK_STR(pmus[1].name, "cpu_atom", "and the other");
	OK(counters_pmu_has(&pmus[0], 0) && counters_pmu_has(&pmus[0], 15) &&
		   !counters_pmu_has(&pmus[0], 16),
	   "large cores");
	OK(counters_pmu_has(&pmus[1], 23) && counters_pmu_has(&pmus[1], 30) &&
		   !counters_pmu_has(&pmus[1], 24),
	   "small cores");
	OK(counters_pmu_config(1, &pmus[1], n) == 0xa00000001,
	   "the type in the upper half");
	counters_pmu_free(pmus, n);
	remove_tree(dir);
	OK(counters_pmu_find("/no/such/dir", pmus) == 0, "no sysfs");
}

static const struct {
	struct counters_refusal r;
	const char *says;
} refusals[] = {
	{ { .err = ENOENT, .hypervisor = true, .paranoid = 2 }, "pmu=on" },
	{ { .err = ENOENT, .paranoid = 2 }, "dmesg" },
	{ { .err = ENOENT, .pmus = 1, .hypervisor = true }, "no such event" },
	{ { .err = EOPNOTSUPP, .event = COUNTERS_PAGE_FAULTS },
	  "does not count it" },
	{ { .err = EACCES, .paranoid = 3 }, "perf_event_paranoid=2" },
	{ { .err = EACCES, .paranoid = 2, .event = COUNTERS_MIGRATIONS },
	  "perf_event_paranoid=1" },
	{ { .err = EACCES, .paranoid = 1, .kind = COUNTERS_CPU },
	  "perf_event_paranoid=0" },
	{ { .err = EPERM, .paranoid = 1 }, "--cap-add PERFMON" },
	{ { .err = EINVAL, .pmus = 1 }, "no counter for it" },
	{ { .err = EBUSY }, "for itself" },
	{ { .err = ENOSYS }, "CONFIG_PERF_EVENTS" },
	{ { .err = EMFILE }, "ulimit -n" },
	{ { .err = E2BIG }, "perf_event_open: " },
};

TEST(test_reasons)
{
	for (size_t i = 0; i < sizeof(refusals) / sizeof(*refusals); i++) {
		char text[COUNTERS_WHY_MAX] = "";

		counters_explain(&refusals[i].r, text, sizeof(text));
		OK(strstr(text, refusals[i].says), refusals[i].says);
		OK(strlen(text) + 1 < sizeof(text), "is not cut off");
	}
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

static int opens(struct counters_target target, unsigned int flags)
{
	struct counters *c = NULL;
	int err = counters_open(&c, &target, flags);

	counters_close(c);
	return err;
}

TEST(test_misuse)
{
	struct counters_target cpu = { COUNTERS_CPU, 0 };
	struct counters_target self = { COUNTERS_SELF, 0 };

	OK(!opens(cpu, 0), "a CPU");
	OK(!opens(cpu, COUNTERS_MSR), "its registers, or a reason");
	cpu.cpu = 8191;
	OK(opens(cpu, 0) == -ENODEV, "no such CPU");
	cpu.cpu = -1;
	OK(opens(cpu, 0) == -EINVAL, "no CPU at all");
	cpu.cpu = 0;
	OK(opens(cpu, COUNTERS_INHERIT) == -EINVAL, "a CPU starts nothing");
	OK(opens(self, COUNTERS_MSR) == -EINVAL, "a thread has no registers");
}
