/* SPDX-License-Identifier: MIT */
/* One invocation: what happens, in which order. */
#include "life.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "err.h"
#include "guard.h"
#include "program.h"
#include "sysfile.h"
#include "topo.h"

static int choose_cpu(struct bench *b, int wanted)
{
	const int fastest = topo_default_cpu(b->topo, 0);
	const char *usable;
	char *status;

	if (fastest < 0)
		return verdict_give_up(b, EXIT_FAIL, "no CPU to run on");
	b->cpu = wanted < 0 ? fastest : wanted;
	b->kind = topo_kind(b->topo, b->cpu);
	b->slower =
		b->kind && strcmp(b->kind, topo_kind(b->topo, fastest)) != 0;
	if (topo_has(b->topo, b->cpu))
		return EXIT_OK;
	status = sysfile_text("/proc/self/status");
	usable = field_behind(status, "Cpus_allowed_list");
	verdict_give_up(b, EXIT_USAGE,
			"--cpu %d: not a CPU that this process may use (%.*s)",
			wanted, usable ? (int)strcspn(usable, "\n") : 0,
			usable ? usable : "");
	free(status);
	return EXIT_USAGE;
}

/* The error of a core row is that of its sources. */
static void make_core(struct case_run *run)
{
	run->choice.core = run->choice.weighty = true;
	for (size_t i = 0; i < run->def.n_sources; i++)
		run->def.sources[i]->choice.weighty = true;
}

/* Whether any case matches @glob: it is asked for.  A whole name is that case
 * alone, though others may have all its terms. */
static bool ask(struct bench *b, const char *glob)
{
	bool found = false, whole = false, one;

	EACH_RUN (b, run) {
		found |= case_matches(&run->c, glob, &one);
		whole |= one;
	}
	EACH_RUN (b, run)
		run->choice.asked |=
			case_matches(&run->c, glob, &one) && (one || !whole);
	return found;
}

/* Hide what was not asked for; what nothing needs is not measured.  A derived
 * case that has no source may need any. */
static void hide(struct bench *b)
{
	bool any = false;

	EACH_RUN (b, run) {
		run->choice.hidden = !run->choice.asked;
		if (!run->choice.asked)
			continue;
		any |= run->c.derived && !run->def.n_sources;
		for (size_t i = 0; i < run->def.n_sources; i++)
			run->def.sources[i]->choice.needed = true;
	}
	EACH_RUN (b, run)
		if (run->choice.hidden && !any && !run->choice.needed &&
		    run->verdict.state == CASE_ASKED)
			verdict_unselect(run);
}

static int matches_nothing(struct bench *b, const char *glob)
{
	const struct bench_desc *d = b->desc;
	char open[160], near[400] = "";
	size_t len = 0;

	points_open(d->open ? d->open : d->points, open, sizeof(open));
	for (size_t n = *open ? 0 : strlen(glob); n > 2 && !len; n--)
		EACH_RUN (b, run) {
			const char *name = run->c.name;

			if (len < 130 && memmem(name, strlen(name), glob, n))
				len += (size_t)sprintf(near + len, "%s%.120s",
						       len ? ", "
							   : "; nearest: ",
						       name);
		}
	return verdict_give_up(b, EXIT_USAGE,
			       "--case '%s' matches no case of --list%s%s%s",
			       glob, near,
			       *open ? "; beside those it may ask for" : "",
			       open + (*open != '\0'));
}

/* Apply --case and --core. */
static int choose_cases(struct bench *b)
{
	const struct invocation_plan *plan = &b->plan;
	const struct opt_list *globs = &plan->globs;
	bool some = false;

	/* A pattern of a core row may be for another machine; rows of copies
	 * are not quoted. */
	for (size_t i = 0; !plan->copies && plan->core_rows[i]; i++)
		ask(b, plan->core_rows[i]);
	EACH_RUN (b, run) {
		if (run->choice.asked)
			make_core(run);
		run->choice.asked = !globs->n;
	}
	for (size_t i = 0; i < globs->n; i++)
		if (!ask(b, globs->item[i]))
			return matches_nothing(b, globs->item[i]);
	EACH_RUN (b, run) {
		run->choice.asked &= run->choice.core || !plan->core;
		some |= run->choice.asked;
	}
	if (!some && plan->core)
		return verdict_give_up(b, EXIT_SKIP, "it has no core row here");
	if (globs->n || plan->core)
		hide(b);
	return EXIT_OK;
}

int invocation_open(struct bench *b, const struct bench_desc *desc, void *state,
		    const struct invocation_plan *plan)
{
	int err;

	b->desc = desc;
	b->state = state;
	b->plan = *plan;
	b->now = (struct program_visit) {
		.time_ns = plan->share_ms * 1e4 * (double)plan->effort,
		.rng = plan->seed | 1,
		.dither = plan->seed | 1,
	};
	b->begin_ns = invocation_now_ns();
	err = topo_open(&b->topo);
	if (err)
		return verdict_give_up(b, EXIT_FAIL,
				       "hwloc cannot read the machine: %s",
				       strerror(-err));
	err = choose_cpu(b, (int)plan->cpu);
	if (!err)
		err = cases_make(b);
	return err ? err : choose_cases(b);
}

static int choose_timer(struct bench *b)
{
	const struct invocation_plan *plan = &b->plan;
	struct timer *t = &b->timer;
	const int asked = timer_find(plan->timer); /* not "auto" */
	enum timer_method method;
	const char *why = "";

	timer_probe(&t->features);
	method = timer_choose(&t->features, &why);
	if (asked >= 0) {
		method = (enum timer_method)asked;
		if (!timer_usable(method, &t->features, &why))
			return verdict_give_up(b, EXIT_SKIP, "--timer %s: %s",
					       timer_name(method), why);
	}
	if (timer_calibrate(t, method, plan->tsc_hz))
		return verdict_give_up(b, EXIT_FAIL,
				       "the timer %s cannot be "
				       "calibrated",
				       timer_name(method));
	return EXIT_OK;
}

/* A getcpu that always says the same (gVisor: 0) proves no pin: it must have
 * followed to another CPU before. */
static int pin(struct bench *b)
{
	const int other = bench_partner(b, BENCH_ANY_OTHER);
	int stuck;

	if (!topo_is_real(b->topo))
		return verdict_give_up(
			b, EXIT_FAIL,
			"hwloc describes an invented machine "
			"(HWLOC_SYNTHETIC or HWLOC_XMLFILE is set): "
			"unset it to measure this one");
	stuck = other < 0 ? 0 : bench_pin(other);
	/* A sandbox may forbid it: the grade is D then. */
	b->unpinned = -bench_pin(b->cpu);
	if (!b->unpinned && stuck == -EIO)
		b->unpinned = EIO;
	return EXIT_OK;
}

/* Skip cases whose source case was skipped. */
static void skip_beside(struct bench *b)
{
	EACH_RUN (b, run) {
		const struct case_run *of = bench_case_of(b, run->c.of);

		if (run->c.derived && of && of->verdict.state == CASE_SKIPPED &&
		    !run->got.events.n && isnan(run->def.derived))
			bench_derive_skip(b, &run->c, "%s", of->verdict.why);
	}
}

static int set_up_and_sample(struct bench *b)
{
	const struct bench_desc *d = b->desc;
	const int err = d->setup ? d->setup(b, b->state) : 0;
	bool skipped;

	evidence_settle(b, NULL);
	if (!err)
		visit_cases(b);
	evidence_conclude(b);
	if (!err) {
		points_derive(b);
		if (d->derive)
			d->derive(b, b->state);
	}
	evidence_settle(b, NULL);
	evidence_conclude(b);
	skip_beside(b);
	skipped = b->verdict.skip_all;
	if (d->teardown)
		d->teardown(b, b->state);
	if (b->scratch[0]) {
		/* The program may have used up its descriptors. */
		close(STDIN_FILENO);
		guard_remove_tree(b->scratch);
	}
	if (err)
		verdict_give_up(b, EXIT_FAIL, "%s", strerror(-err));
	return skipped ? EXIT_SKIP : b->verdict.why[0] ? EXIT_FAIL : EXIT_OK;
}

int invocation_measure(struct bench *b)
{
	static const struct counters_target self = { .kind = COUNTERS_SELF };
	const time_t now = time(NULL);
	struct tm utc;
	int code, err = 0;

	strftime(b->started_at, sizeof(b->started_at), "%Y-%m-%dT%H:%M:%SZ",
		 gmtime_r(&now, &utc));
	code = pin(b);
	if (!code)
		code = choose_timer(b);
	if (code)
		return code;
	/* Touched pages must stay: one fetched again during an interval
	 * would be part of it.  Pages that are not touched (the libraries' are
	 * tens of MiB) are left alone.  Not permitted to all, and no loss
	 * where nothing is swapped. */
	(void)mlockall(MCL_CURRENT | MCL_ONFAULT);
	/* An event that cannot be counted is no failure; without memory or
	 * files nothing is. */
	if (b->plan.counters)
		err = counters_open(&b->counters, &self, 0);
	if (err)
		return verdict_give_up(b, EXIT_FAIL, "--counters: %s",
				       strerror(-err));
	code = set_up_and_sample(b);
	b->duration_s = (double)(invocation_now_ns() - b->begin_ns) / 1e9;
	return code;
}
