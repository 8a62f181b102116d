/* SPDX-License-Identifier: MIT */
/* The expressions of the texts of cases, and rows derived by formulas. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "program.h"
#include "scan.h"

enum mode {
	NUMBERS, /* of the case itself: no others are there yet */
	SOURCES, /* tell of which cases it is made */
	VALUES,
	FACTS, /* its labelled terms are facts */
};

struct sum {
	struct scan *s;
	const struct bench_case *c;    /* whose terms these are */
	const struct bench_case *into; /* whose formula it is in the end */
	const char *axis;	       /* bare words are values of it */
	enum mode mode;
	const struct bench_case **missing; /* the first that has no value */
};

static double add_up(struct sum *e);

static double formula(struct sum *e, const struct bench_case *c, enum mode mode)
{
	struct scan s = { e->s->b, c->formula };
	struct sum own = { &s, c, e->into, c->formula_axis, mode, e->missing };

	return add_up(&own);
}

static double fact_of(const struct bench *b, const struct bench_case *c,
		      struct word what)
{
	const struct case_run *run = bench_case_of(b, c);

	for (size_t i = 0; i < run->def.n_facts; i++)
		if (word_is(what, run->def.facts[i].what))
			return run->def.facts[i].value;
	return NAN;
}

/* The value of another case, or a fact of it: ".switches_per_turn". */
static double value_of(struct sum *e, const struct bench_case *other)
{
	struct bench *b = e->s->b;
	double x = 1;

	if (!other) {
		scan_wrong(e->s);
		return NAN;
	}
	if (other->formula && e->mode != NUMBERS)
		x = formula(e, other, e->mode == FACTS ? VALUES : e->mode);
	else if (e->mode == SOURCES)
		bench_derived_from(b, e->into, other);
	else if (e->mode != NUMBERS)
		x = bench_value(b, other);
	if (scan_is(e->s, ".")) {
		const struct word what = scan_name(e->s);

		x = e->mode < VALUES ? 1 : fact_of(b, other, what);
	}
	if (!isfinite(x) && e->missing && !*e->missing)
		*e->missing = other;
	return x;
}

/* A number of the case, or the case beside it that has this value. */
static double named(struct sum *e, struct word w)
{
	char changes[64];
	struct scan s = { e->s->b, changes };

	for (const struct bench_param *p = e->c->params; p->axis; p++)
		if (word_is(w, p->axis) && p->kind != BENCH_STR)
			return (double)p->number;
	if (!e->axis || !w.len)
		return value_of(e, NULL);
	snprintf(changes, sizeof(changes), "%s='%.*s'", e->axis, (int)w.len,
		 w.text);
	return value_of(e, scan_beside(&s, e->c));
}

static double term(struct sum *e)
{
	const struct points_set *set;
	const struct bench_case *other;
	struct word w;
	int64_t n;
	double x;
	bool size;

	if (scan_is(e->s, "(")) {
		x = add_up(e);
		scan_need(e->s, ")");
		return x;
	}
	if (scan_is(e->s, "$")) {
		set = points_find(e->s);
		return set && set->n ? (double)set->value[0].number : NAN;
	}
	if (scan_is(e->s, "[")) {
		other = scan_beside(e->s, e->c);
		scan_need(e->s, "]");
		return value_of(e, other);
	}
	if (scan_number(e->s, &n, &size))
		return (double)n;
	w = scan_name(e->s);
	if (!scan_is(e->s, ":"))
		return named(e, w);
	x = term(e);
	if (e->mode == FACTS)
		bench_fact(e->s->b, e->into, word_keep(w), x);
	return x;
}

static double multiply(struct sum *e)
{
	double x = term(e);

	for (;;)
		if (scan_is(e->s, "*"))
			x *= term(e);
		else if (scan_is(e->s, "/"))
			x /= term(e);
		else
			return x;
}

static double add_up(struct sum *e)
{
	double x = multiply(e);

	for (;;)
		if (scan_is(e->s, "+"))
			x += multiply(e);
		else if (scan_is(e->s, "-"))
			x -= multiply(e);
		else
			return x;
}

double scan_sum(struct scan *s, const struct bench_case *c)
{
	struct sum e = { .s = s, .c = c, .into = c, .mode = NUMBERS };

	return add_up(&e);
}

void points_sources(struct bench *b)
{
	EACH_RUN (b, run) {
		struct scan s = { b, "" };
		struct sum e = { .s = &s, .into = &run->c };

		if (run->c.formula)
			formula(&e, &run->c, SOURCES);
	}
}

void points_derive(struct bench *b)
{
	EACH_RUN (b, run) {
		const struct bench_case *c = &run->c;
		const struct bench_case *missing = NULL;
		struct scan s = { b, "" };
		struct sum e = { .s = &s, .into = c, .missing = &missing };
		double x;

		if (!c->formula || !bench_selected(b, c))
			continue;
		x = formula(&e, c, VALUES);
		if (isfinite(x)) {
			bench_derive_within(b, c, x, 0);
			formula(&e, c, FACTS);
		} else {
			bench_derive_skip(b, c, "needs %s, which has no value",
					  missing ? missing->name : "a row");
		}
	}
}
