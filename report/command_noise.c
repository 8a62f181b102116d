/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "checks.h"
#include "commands.h"
#include "core_share.h"
#include "err.h"
#include "gaps.h"
#include "hogs.h"
#include "noise.h"
#include "text.h"
#include "topo.h"

/* A name is worth telling from this share of the spin on. */
#define NAME_SHARE 0.0005

/* How often a look asks what the thread gets of its core, and the pause
 * between: another thread's work comes and goes by the millisecond. */
#define SHARES	       16
#define SHARE_PAUSE_NS 1000000

/* One CPU's look. */
struct look {
	int cpu, err;
	bool measuring;
	unsigned int ms;
	const struct timer *timer;
	struct gaps gaps;
	json_t *interrupts, *shares, *row;
	pthread_t thread;
};

static json_t *shares_of_core(const struct timer *t)
{
	const struct timespec pause = { 0, SHARE_PAUSE_NS };
	json_t *all = json_array();

	for (int i = 0; i < SHARES; i++) {
		const double rate = core_share_rate(t);

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
	steal = checks_steal_ns("", l->cpu);
	noise_throttle_read(&before, "");
	gaps_spin(&l->gaps, l->timer, l->ms);
	noise_throttle_read(&after, "");
	l->gaps.throttled_ns = (double)(after.ns - before.ns);
	l->gaps.steal_ns = checks_steal_ns("", l->cpu) - steal;
	l->gaps.hypervisor = l->timer->features.hypervisor;
	later = irqs_read("", l->cpu);
	l->interrupts = irqs_between(irqs, later, &l->gaps.interrupts);
	json_decref(later);
	json_decref(irqs);
	/* The others are looked at all at once and would see one another. */
	l->shares = l->measuring ? shares_of_core(l->timer) : json_array();
	return NULL;
}

static json_t *causes_of(const struct gaps *g)
{
	double ns[GAP_CAUSES];
	json_t *o = json_object();

	gaps_causes(g, ns);
	for (int i = 0; i < GAP_CAUSES; i++)
		json_object_set_new(o, gaps_cause_name((enum gap_cause)i),
				    json_real(ns[i] / 1e3));
	return o;
}

/* A JSON number, null where nothing could be read. */
static json_t *real(double x)
{
	json_t *v = json_real(x); /* NULL unless finite */

	return v ? v : json_null();
}

static json_t *row_of(const struct look *l, const struct noise_place *p,
		      json_t *tasks)
{
	const struct gaps *g = &l->gaps;
	double lost = g->spun_ns > 0 ? g->lost_ns / g->spun_ns : 0;
	char grade[2] = { noise_grade(lost), '\0' }, at[32];
	time_t now = time(NULL);
	struct tm utc;

	gmtime_r(&now, &utc);
	strftime(at, sizeof(at), "%Y-%m-%dT%H:%M:%SZ", &utc);
	return json_pack(
		"{s:i, s:s, s:I, s:s, s:i, s:b, s:f, s:f, s:f, s:s, s:I, s:f, "
		"s:o, s:I, s:o, s:f, s:b, s:O, s:O, s:o}",
		"schema", 1, "phase", p->phase, "round", (json_int_t)p->round,
		"at", at, "cpu", l->cpu, "measuring", l->measuring, "spun_us",
		g->spun_ns / 1e3, "lost_us", g->lost_ns / 1e3, "lost", lost,
		"grade", grade, "gaps", (json_int_t)g->n, "longest_us",
		g->longest_ns / 1e3, "causes_us", causes_of(g), "switches",
		(json_int_t)g->switched, "steal_us", real(g->steal_ns / 1e3),
		"throttled_us", g->throttled_ns / 1e3, "hypervisor",
		g->hypervisor, "adds_per_cycle", l->shares, "interrupts",
		l->interrupts, "tasks", tasks);
}

/* Look at @n CPUs at the same time. */
static void look_at_all(struct look *looks, size_t n,
			const struct noise_place *p)
{
	struct hogs before, after;

	hogs_read(&before);
	for (size_t i = 0; i < n; i++)
		if (pthread_create(&looks[i].thread, NULL, look_at, &looks[i]))
			looks[i].err = -EAGAIN;
	for (size_t i = 0; i < n; i++)
		if (looks[i].err != -EAGAIN)
			pthread_join(looks[i].thread, NULL);
	hogs_read(&after);
	for (size_t i = 0; i < n; i++) {
		struct look *l = &looks[i];

		if (l->err)
			continue;
		l->row = row_of(l, p,
				hogs_between(&before, &after, l->cpu,
					     NAME_SHARE * l->gaps.spun_ns));
	}
	hogs_free(&after);
	hogs_free(&before);
}

static int print_all(struct look *looks, size_t n)
{
	int status = EXIT_OK;

	for (size_t i = 0; i < n; i++) {
		if (looks[i].err)
			warn("CPU %d: %s", looks[i].cpu,
			     strerror(-looks[i].err));
		else if (json_dumpf(looks[i].row, stdout,
				    JSON_COMPACT | JSON_REAL_PRECISION(9)))
			status = EXIT_FAIL;
		else
			putchar('\n');
		json_decref(looks[i].row);
		json_decref(looks[i].interrupts);
		json_decref(looks[i].shares);
		gaps_free(&looks[i].gaps);
	}
	return fflush(stdout) || ferror(stdout) ? EXIT_FAIL : status;
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

int command_noise(int cpu, unsigned int ms, const struct noise_place *p)
{
	struct timer t = { 0 };
	struct topo *topo;
	struct look *looks;
	int *cpus, status;
	size_t n, k = 1;

	if (topo_open(&topo)) {
		warn("hwloc cannot tell which CPUs there are");
		return EXIT_FAIL;
	}
	if (!topo_is_real(topo)) {
		warn("hwloc does not describe this machine (HWLOC_SYNTHETIC or "
		     "HWLOC_XMLFILE is set): unset it");
		topo_close(topo);
		return EXIT_FAIL;
	}
	if (cpu < 0)
		cpu = topo_default_cpu(topo);
	n = topo_cpus(topo, NULL, 0);
	cpus = text_alloc(n + 1, sizeof(*cpus));
	topo_cpus(topo, cpus, n);
	topo_close(topo);
	looks = text_alloc(n + 1, sizeof(*looks));
	set_up(&t);
	looks[0] = (struct look) { cpu, .ms = ms, .timer = &t };
	looks[0].measuring = true;
	for (size_t i = 0; i < n; i++)
		if (cpus[i] != cpu)
			looks[k++] = (struct look) { cpus[i], .ms = ms,
						     .timer = &t };
	/* The measuring CPU as it is while one program runs; then all others
	 * at once, for there may be hundreds. */
	look_at_all(looks, 1, p);
	if (k > 1)
		look_at_all(looks + 1, k - 1, p);
	status = looks[0].err ? EXIT_FAIL : EXIT_OK;
	if (print_all(looks, k))
		status = EXIT_FAIL;
	free(looks);
	free(cpus);
	return status;
}
