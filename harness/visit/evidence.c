/* SPDX-License-Identifier: MIT */
#include "evidence.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "invocation.h"

void evidence_touch(struct bench *b, struct case_run *run)
{
	if (run->mark.visit == b->visits)
		return;
	run->mark = (struct evidence_mark) {
		.visit = b->visits,
		.quads = run->series.diff.n,
		.base_quads = run->base.diff.n,
		.events = run->events.n,
		.involuntary = run->involuntary,
		.migrated = run->migrated,
		.cold = run->cold,
	};
}

void evidence_begin(struct bench *b, struct case_run *run)
{
	b->visits++;
	evidence_touch(b, run);
	b->counts_before = run->counts;
	b->base_counts_before = run->base_counts;
}

static void add(struct bench *b, const struct bench_case *c,
		const struct evidence *of)
{
	struct case_run *run = bench_case_of(b, c);
	struct evidence *e;

	if (!run)
		return;
	evidence_touch(b, run);
	for (size_t i = 0; i < run->evidences; i++) {
		e = &run->evidence[i];
		if (!strcmp(e->what, of->what)) {
			e->now[0] += of->now[0];
			e->now[1] += of->now[1];
			return;
		}
	}
	e = realloc(run->evidence, (run->evidences + 1) * sizeof(*e));
	if (!e) {
		bench_fail(b, ENOMEM, "evidence of %s", run->name);
		return;
	}
	run->evidence = e;
	e[run->evidences++] = *of;
}

void bench_proof(struct bench *b, const struct bench_case *c, const char *what,
		 double expected, double seen)
{
	add(b, c,
	    &(struct evidence) { .what = what,
				 .exact = true,
				 .share = 1,
				 .now = { expected, seen } });
}

void bench_least(struct bench *b, const struct bench_case *c, const char *what,
		 double least, double seen)
{
	add(b, c,
	    &(struct evidence) {
		    .what = what, .share = 1, .now = { least, seen } });
}

void bench_purity(struct bench *b, const struct bench_case *c, const char *what,
		  double share, double all, double pure)
{
	/* It is said of samples, and warming up takes none. */
	if (b->warming_up)
		return;
	add(b, c,
	    &(struct evidence) { .what = what,
				 .purity = true,
				 .share = share,
				 .now = { all, pure } });
}

/* Written so that what is not a number falls short, too. */
static bool falls_short(const struct evidence *e)
{
	return !(e->now[1] >= e->share * e->now[0]) ||
	       (e->exact && e->now[1] > e->now[0]);
}

/* Give back what the visit brought; all, if it was no visit. */
static void drop(struct bench *b, struct case_run *run,
		 const struct case_run *current)
{
	const struct evidence_mark none = { .cold = NAN };
	const struct evidence_mark *to = current ? &run->mark : &none;

	sample_cut(&run->series, to->quads);
	sample_cut(&run->base, to->base_quads);
	run->events.n = to->events;
	run->involuntary = to->involuntary;
	run->migrated = to->migrated;
	run->cold = to->cold;
	run->derived = NAN;
	if (run == current && b->counter) {
		op_counts_restore(&run->counts, &b->counts_before);
		op_counts_restore(&run->base_counts, &b->base_counts_before);
	}
}

/* The verdict on one case: whether its share of the visit is set aside. */
static bool judge(struct case_run *run)
{
	bool aside = false;

	for (size_t i = 0; i < run->evidences; i++) {
		struct evidence *e = &run->evidence[i];

		if (falls_short(e)) {
			aside = true;
			e->short_visits++;
			run->contradicted |= !e->purity;
		}
	}
	run->set_aside += aside;
	return aside;
}

static void add_up(struct case_run *run, bool aside)
{
	for (size_t i = 0; i < run->evidences; i++) {
		struct evidence *e = &run->evidence[i];

		if (aside) {
			e->aside[0] += e->now[0];
			e->aside[1] += e->now[1];
		} else {
			e->expected += e->now[0];
			e->seen += e->now[1];
		}
		e->now[0] = e->now[1] = 0;
	}
}

/* What @run itself says under that name in this visit gives way to @e. */
static void forget(struct case_run *run, const struct evidence *e)
{
	for (size_t i = 0; i < run->evidences; i++)
		if (!strcmp(run->evidence[i].what, e->what)) {
			run->evidence[i].now[0] = run->evidence[i].now[1] = 0;
			run->evidence[i].share = e->share;
		}
}

/* Say of all cases that got samples in this visit what spoilt it. */
static void spread(struct bench *b, const struct case_run *current)
{
	for (size_t k = 0; k < current->evidences; k++) {
		const struct evidence *e = &current->evidence[k];
		const struct evidence same = { .what = e->what,
					       .purity = true,
					       .share = e->share,
					       .now = { e->now[0],
							e->now[1] } };

		if (!falls_short(e))
			continue;
		for (size_t i = 0; i < b->n_runs; i++)
			if (b->runs[i] != current &&
			    b->runs[i]->mark.visit == b->visits) {
				forget(b->runs[i], &same);
				add(b, &b->runs[i]->c, &same);
			}
	}
}

bool evidence_settle(struct bench *b, struct case_run *current)
{
	const bool short_here = current && judge(current);
	/* What a visit had in it, all have that it gave samples. */
	const bool spoilt = short_here && !current->contradicted;
	bool again = spoilt;

	if (spoilt)
		spread(b, current);

	for (size_t i = 0; i < b->n_runs; i++) {
		struct case_run *run = b->runs[i];
		bool aside;

		if (run->mark.visit != b->visits)
			continue;
		aside = run == current ? short_here : judge(run);
		again |= aside && !run->contradicted;
		add_up(run, aside);
		if (aside)
			drop(b, run, current);
	}
	b->visits++; /* what is said from here on is no part of it */
	return again;
}

static const struct evidence *worst_purity(const struct case_run *run)
{
	const struct evidence *worst = NULL;

	for (size_t i = 0; i < run->evidences; i++) {
		const struct evidence *e = &run->evidence[i];

		if (e->short_visits &&
		    (!worst || e->short_visits > worst->short_visits))
			worst = e;
	}
	return worst;
}

void evidence_conclude(struct bench *b)
{
	for (size_t i = 0; i < b->n_runs; i++) {
		struct case_run *run = b->runs[i];
		const struct evidence *e = worst_purity(run);

		if (!run->set_aside || run->contradicted || !e ||
		    run->state != CASE_ASKED || run->events.n ||
		    run->series.diff.n || isfinite(run->derived))
			continue;
		run->state = CASE_SKIPPED;
		/* A proof in the end counts all the same. */
		run->dropped = true;
		snprintf(run->why, sizeof(run->why),
			 "set aside: something else was in all of it: %s: "
			 "%.4g %%, at least %.4g %% wanted",
			 e->what,
			 e->aside[0] > 0 ? 100 * e->aside[1] / e->aside[0] : 0,
			 100 * e->share);
	}
}

const struct evidence *evidence_contradicted(const struct case_run *run)
{
	for (size_t i = 0; i < run->evidences; i++) {
		const struct evidence *e = &run->evidence[i];

		if (!e->purity && (e->short_visits || falls_short(e)))
			return e;
	}
	return NULL;
}

/* What the value rests on; of a case that has none, why. */
static void figures(const struct case_run *run, const struct evidence *e,
		    double *expected, double *seen)
{
	if (e->short_visits &&
	    (run->contradicted || run->state == CASE_SKIPPED)) {
		*expected = e->aside[0];
		*seen = e->aside[1];
	} else {
		*expected = e->expected;
		*seen = e->seen;
	}
}

json_t *evidence_json(const struct case_run *run)
{
	json_t *o = json_object();

	for (size_t i = 0; o && i < run->evidences; i++) {
		const struct evidence *e = &run->evidence[i];
		double expected, seen;
		json_t *v;

		figures(run, e, &expected, &seen);
		v = json_pack("{s:s,s:f,s:f}", "kind",
			      e->purity	 ? "purity"
			      : e->exact ? "proof"
					 : "least",
			      "expected", expected, "seen", seen);
		if (v && e->purity)
			json_object_set_new(v, "share", json_real(e->share));
		if (json_object_set_new(o, e->what, v)) {
			json_decref(o);
			return NULL;
		}
	}
	return o;
}

json_t *evidence_aside(const struct case_run *run)
{
	json_t *reasons;

	if (!run->set_aside)
		return json_null();
	reasons = json_object();
	for (size_t i = 0; i < run->evidences; i++)
		if (run->evidence[i].short_visits)
			json_object_set_new(
				reasons, run->evidence[i].what,
				json_integer(run->evidence[i].short_visits));
	return json_pack("{s:i,s:o}", "visits", (int)run->set_aside, "reasons",
			 reasons);
}
