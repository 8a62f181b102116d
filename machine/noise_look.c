/* SPDX-License-Identifier: MIT */
#include "noise_look.h"

#include <ctype.h>
#include <errno.h>
#include <glob.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "err.h"
#include "grade.h"
#include "machine.h"
#include "program.h"
#include "reference.h"
#include "stats.h"
#include "topo.h"

#define LONG_NS	  1e6	/* no interrupt is served for as long */
#define MOST	  65536 /* plain gaps kept */
#define GAP_NS	  1000
#define GAP_READS 10
#define TRIES	  8
#define SEEN_NS	  20e3

/* A name is worth telling from this share of the spin on. */
#define NAME_SHARE 0.0005

/* How often a look asks what the thread gets of its core, and the pause
 * between: another thread's work comes and goes by the millisecond. */
#define SHARES	       16
#define SHARE_PAUSE_NS 1000000

static int64_t involuntary(void)
{
	struct rusage usage;

	return getrusage(RUSAGE_THREAD, &usage) ? 0 : usage.ru_nivcsw;
}

/* The least step of the clock, in ticks, that others made: 1 us, or ten reads
 * of it.  Most are read in some 20 ns; one that is a device's register (hpet,
 * acpi_pm) takes 1 us by itself. */
static double least_gap(const struct timer *t, enum timer_method method)
{
	uint64_t read = UINT64_MAX;

	for (int i = 0; i < TRIES; i++) {
		const uint64_t ticks = timer_empty(method);

		read = ticks < read ? ticks : read;
	}
	return fmax(1e-9 * GAP_NS * t->hz, GAP_READS * (double)read);
}

/* A gap of @ns; *@switches: the kernel's count of them at the last one. */
static void see_gap(struct cpu_gaps *g, double ns, int64_t *switches)
{
	const int64_t now = involuntary();

	g->n++;
	g->lost_ns += ns;
	g->longest_ns = fmax(g->longest_ns, ns);
	if (now > *switches) {
		g->switched++;
		g->switched_ns += ns;
	} else if (g->nplain < MOST) {
		g->plain[g->nplain++] = ns;
	}
	*switches = now;
}

void cpu_gaps_spin(struct cpu_gaps *g, const struct timer *t, unsigned int ms)
{
	/* CPUID would spend the time in the hypervisor; any order will do. */
	const enum timer_method method =
		t->method == TIMER_CLOCK ? TIMER_CLOCK : TIMER_NONE;
	const double gap = least_gap(t, method), end = ms * t->hz / 1e3;
	const uint64_t begin = timer_begin(method);
	uint64_t last = begin, now = begin;
	int64_t switches = involuntary();
	double least = gap;

	*g = (struct cpu_gaps) { .plain = text_alloc(MOST, sizeof(*g->plain)) };
	for (; (double)(now - begin) < end; last = now) {
		const bool is_gap =
			(double)((now = timer_begin(method)) - last) > least;

		if (is_gap)
			see_gap(g, timer_ns(t, (double)(now - last)),
				&switches);
		/* The step in which it was seen is none, unless it took as
		 * much longer as no system call does. */
		least = gap + is_gap * 1e-9 * SEEN_NS * t->hz;
	}
	g->spun_ns = timer_ns(t, (double)(now - begin));
}

void cpu_gaps_causes(const struct cpu_gaps *g, double *ns)
{
	const double plain = g->lost_ns - g->switched_ns;
	const double ran = fmax(0, g->spun_ns - g->switched_ns);
	/* Interrupts that came while we ran, of those that came in all. */
	const double came =
		g->spun_ns > 0 ? g->interrupts * ran / g->spun_ns : 0;
	double shorter = 0;
	size_t n = 0;

	stats_sort(g->plain, g->nplain);
	for (; n < g->nplain && g->plain[n] < LONG_NS; n++)
		shorter += g->plain[n];
	/* One more or less falls on the ends of the spin. */
	if ((double)n > came + 1)
		shorter =
			fmin(shorter, came * stats_quantile(g->plain, n, 0.5));
	ns[GAP_THROTTLED] = fmin(g->throttled_ns, g->switched_ns);
	ns[GAP_TASKS] = g->switched_ns - ns[GAP_THROTTLED];
	ns[GAP_INTERRUPTS] = fmin(shorter, plain);
	ns[GAP_UNSEEN] = plain - ns[GAP_INTERRUPTS];
}

/* Which column of the heading "CPU0 CPU2" is @cpu's; -1 if none is. */
static int column_of(const char *heading, int cpu)
{
	const char *word;

	for (unsigned int i = 0; (word = field_nth(heading, i)); i++)
		if (field_number(word + strlen("CPU"), -1) == cpu)
			return (int)i;
	return -1;
}

/* One line: "41: 0 6969 PCI-MSIX-0000:00:04.0 1-edge virtio3-rx", or
 * "LOC: 1 2 Local timer interrupts".  ERR and MIS have one number for all. */
static void add_irq(json_t *o, char *line, unsigned int column)
{
	char *at = strchr(line, ':'), *name = line + strspn(line, " ");
	const int64_t count =
		at ? field_number(field_nth(at + 1, column), -1) : -1;

	if (!at || count < 0)
		return;
	*at++ = '\0';
	/* A device goes by its last word, the rest by their letters. */
	if (isdigit((unsigned char)*name) && strrchr(at, ' '))
		name = strrchr(at, ' ') + 1;
	json_object_set_new(o, name,
			    json_integer(count +
					 json_integer_value(
						 json_object_get(o, name))));
}

json_t *irqs_read(const char *root, int cpu)
{
	char *text = sysfile_text("%s/proc/interrupts", root), *rest = text;
	char *line = text ? strsep(&rest, "\n") : NULL;
	int column = line ? column_of(line, cpu) : -1;
	json_t *o = json_object();

	while (column >= 0 && (line = strsep(&rest, "\n")))
		add_irq(o, line, (unsigned int)column);
	free(text);
	return o;
}

json_t *counts_between(const json_t *before, const json_t *after, double *all)
{
	json_t *o = json_object(), *v;
	const char *name;

	*all = 0;
	json_object_foreach((json_t *)after, name, v)
	{
		json_int_t n =
			json_integer_value(v) -
			json_integer_value(json_object_get(before, name));

		if (n <= 0)
			continue;
		*all += (double)n;
		json_object_set_new(o, name, json_integer(n));
	}
	return o;
}

#define MOST_NAMES 3
#define PROCESSOR  39 /* the field of stat: the CPU it was on */

/* The run time, ns, of each thread of the machine by its directory,
 * "/proc/7/task/8", without those of this process. */
static json_t *threads_read(void)
{
	char *own = text_format("/proc/%d/", (int)getpid());
	json_t *o = json_object();
	glob_t paths;

	(void)glob("/proc/[0-9]*/task/[0-9]*", GLOB_NOSORT, NULL, &paths);
	for (size_t i = 0; i < paths.gl_pathc; i++) {
		const char *path = paths.gl_pathv[i];
		const int64_t ns =
			sysfile_number(-1, NULL, "%s/schedstat", path);

		if (ns >= 0 && strncmp(path, own, strlen(own)) != 0)
			json_object_set_new(o, path, json_integer(ns));
	}
	globfree(&paths);
	free(own);
	return o;
}

/* The CPU that a thread was on last, -1 if it is gone. */
static int last_cpu(const char *path)
{
	char line[1024];

	sysfile_stat(line, sizeof(line), "%s/stat", path);
	return (int)field_number(field_of_stat(line, PROCESSOR), -1);
}

static json_t *describe_thread(const char *path, double ran_us)
{
	return json_pack("{s:i, s:o, s:f}", "pid",
			 atoi(path + strlen("/proc/")), "name",
			 machine_text(sysfile_first("%s/comm", path)), "ran_us",
			 ran_us);
}

/* At most three {pid, name, ran_us} of those of @ran that were on @cpu last,
 * the longest first; none where other processes cannot be seen. */
static json_t *threads_on(json_t *ran, int cpu, double least_ns)
{
	json_t *list = json_array(), *ns;
	const char *path;

	json_object_foreach(ran, path, ns)
	{
		const double us = (double)json_integer_value(ns) / 1e3;
		size_t at = 0;

		if (us * 1e3 <= least_ns || last_cpu(path) != cpu)
			continue;
		while (json_real_value(json_object_get(json_array_get(list, at),
						       "ran_us")) >= us)
			at++;
		json_array_insert_new(list, at, describe_thread(path, us));
		json_array_remove(list, MOST_NAMES);
	}
	return list;
}

/* All looks share these. */
static struct timer clock_used;
static unsigned int look_ms;

/* One CPU's look. */
struct look {
	int cpu, err;
	bool measuring;
	struct cpu_gaps gaps;
	json_t *interrupts, *shares;
	pthread_t thread;
};

/* Time of @cpu that the hypervisor gave to other guests since the start, in the
 * steps of the kernel's clock (10 ms); NAN if unknown. */
static double steal_ns(int cpu)
{
	char *text = sysfile_text("/proc/stat");
	const int64_t n = text ? noise_stolen(text, cpu) : -1;

	free(text);
	return n < 0 ? NAN : (double)n * 1e9 / (double)sysconf(_SC_CLK_TCK);
}

static json_t *shares_of_core(void)
{
	const struct timespec pause = { 0, SHARE_PAUSE_NS };
	json_t *all = json_array();

	for (int i = 0; i < SHARES; i++) {
		const double rate = reference_share(&clock_used);

		nanosleep(&pause, NULL);
		if (isfinite(rate))
			json_array_append_new(all, json_real(rate));
	}
	return all;
}

static void *look_at(void *arg)
{
	struct look *l = arg;
	struct noise_throttle before, after;
	json_t *irqs, *later;
	double steal;

	l->err = bench_pin(l->cpu);
	if (l->err)
		return NULL;
	irqs = irqs_read("", l->cpu);
	steal = steal_ns(l->cpu);
	noise_throttle_read(&before, "");
	cpu_gaps_spin(&l->gaps, &clock_used, look_ms);
	noise_throttle_read(&after, "");
	l->gaps.throttled_ns = (double)(after.ns - before.ns);
	l->gaps.steal_ns = steal_ns(l->cpu) - steal;
	later = irqs_read("", l->cpu);
	l->interrupts = counts_between(irqs, later, &l->gaps.interrupts);
	json_decref(later);
	json_decref(irqs);
	/* The others are looked at all at once and would see one another. */
	l->shares = l->measuring ? shares_of_core() : json_array();
	return NULL;
}

/* Print the row of a look, which is over.  Return: an exit status. */
static int print_row(struct look *l, const char *phase, uint64_t round,
		     json_t *tasks)
{
	const struct cpu_gaps *g = &l->gaps;
	double lost = g->spun_ns > 0 ? g->lost_ns / g->spun_ns : 0;
	char at[32];
	time_t now = time(NULL);
	double ns[GAP_CAUSES];
	struct tm utc;
	json_t *row;
	int status;

	cpu_gaps_causes(g, ns);
	gmtime_r(&now, &utc);
	strftime(at, sizeof(at), "%Y-%m-%dT%H:%M:%SZ", &utc);
	row = json_pack(
		"{s:i, s:s, s:I, s:s, s:i, s:b, s:f, s:f, s:f, s:s, s:I, s:f, "
		"s:{s:f, s:f, s:f, s:f}, s:I, s:o?, s:f, s:b, s:o, s:o, s:o}",
		"schema", 1, "phase", phase, "round", (json_int_t)round, "at",
		at, "cpu", l->cpu, "measuring", l->measuring, "spun_us",
		g->spun_ns / 1e3, "lost_us", g->lost_ns / 1e3, "lost", lost,
		"noise", noise_word(lost), "gaps", (json_int_t)g->n,
		"longest_us", g->longest_ns / 1e3, "causes_us", "tasks",
		ns[GAP_TASKS] / 1e3, "throttled", ns[GAP_THROTTLED] / 1e3,
		"interrupts", ns[GAP_INTERRUPTS] / 1e3, "unseen",
		ns[GAP_UNSEEN] / 1e3, "switches", (json_int_t)g->switched,
		"steal_us",
		json_real(g->steal_ns / 1e3), /* NULL unless finite */
		"throttled_us", g->throttled_ns / 1e3, "hypervisor",
		clock_used.features.hypervisor, "adds_per_cycle", l->shares,
		"interrupts", l->interrupts, "tasks", tasks);
	status = json_dumpf(row, stdout, JSON_COMPACT | JSON_REAL_PRECISION(9))
			 ? EXIT_FAIL
			 : EXIT_OK;
	putchar('\n');
	json_decref(row);
	free(g->plain);
	return status;
}

/* Look at @n CPUs at the same time.  Return: an exit status. */
static int look_at_all(struct look *looks, size_t n, const char *phase,
		       uint64_t round)
{
	json_t *before = threads_read(), *after, *ran;
	int status = EXIT_OK;
	double all;

	for (size_t i = 0; i < n; i++)
		if (pthread_create(&looks[i].thread, NULL, look_at, &looks[i]))
			looks[i].err = -EAGAIN;
	for (size_t i = 0; i < n; i++)
		if (looks[i].err != -EAGAIN)
			pthread_join(looks[i].thread, NULL);
	after = threads_read();
	ran = counts_between(before, after, &all);
	for (size_t i = 0; i < n; i++) {
		struct look *l = &looks[i];

		if (l->err)
			warn("CPU %d: %s", l->cpu, strerror(-l->err));
		else
			status |=
				print_row(l, phase, round,
					  threads_on(ran, l->cpu,
						     NAME_SHARE *
							     l->gaps.spun_ns));
	}
	json_decref(ran);
	json_decref(after);
	json_decref(before);
	return status;
}

/* The clock: what run-all has calibrated, or 50 ms of our own. */
static void set_up(struct timer *t)
{
	const char *given = getenv("OSCOST_TSC_HZ"), *why;

	timer_probe(&t->features);
	t->method = timer_choose(&t->features, &why);
	t->hz = given ? strtod(given, NULL) : 0;
	if (t->method == TIMER_CLOCK)
		t->hz = 1e9;
	else if (!(t->hz > 1e6 && t->hz < 1e11))
		t->hz = timer_tsc_hz(50000000);
}

int noise_look(int cpu, unsigned int ms, const char *phase, uint64_t round)
{
	struct bench at = { .cpu = cpu };
	struct look *looks;
	unsigned int n = 0;
	int status;

	if (topo_open(&at.topo)) {
		warn("hwloc cannot tell which CPUs there are");
		return EXIT_FAIL;
	}
	if (!topo_is_real(at.topo)) {
		warn("hwloc does not describe this machine (HWLOC_SYNTHETIC or "
		     "HWLOC_XMLFILE is set): unset it");
		topo_close(at.topo);
		return EXIT_FAIL;
	}
	if (cpu < 0)
		at.cpu = topo_default_cpu(at.topo, 0);
	/* One more: it may be none of those that may be used. */
	looks = text_alloc(bench_cpus(&at) + 1, sizeof(*looks));
	looks[0].measuring = true;
	for (; (cpu = bench_nth_cpu(&at, n)) >= 0; n++)
		looks[n].cpu = cpu;
	topo_close(at.topo);
	set_up(&clock_used);
	look_ms = ms;
	/* The measuring CPU as it is while one program runs; then all others
	 * at once, for there may be hundreds. */
	status = look_at_all(looks, 1, phase, round);
	if (n > 1)
		status |= look_at_all(looks + 1, n - 1, phase, round);
	if (looks[0].err || fflush(stdout) || ferror(stdout))
		status = EXIT_FAIL;
	free(looks);
	return status;
}
