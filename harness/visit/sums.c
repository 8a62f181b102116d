/* SPDX-License-Identifier: MIT */
/* The expressions of the texts of cases, and rows derived by formulas. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "program.h"
#include "scan.h"

struct sum {
	struct scan *s;
	const struct bench_case *c;    /* whose terms these are */
	const struct bench_case *into; /* whose formula it is in the end */
	bool facts;		       /* its labelled terms are facts */
	const struct bench_case *off;  /* the source that is off by its error */
};

static double add_up(struct sum *e);

/* The value of the formula of @c, as part of that of @into. */
static double formula(struct bench *b, const struct bench_case *c,
		      const struct bench_case *into, bool facts,
		      const struct bench_case *off)
{
	struct scan s = { b, c->formula };

	return add_up(&(struct sum) { &s, c, into, facts, off });
}

static double fact_of(const struct case_run *run, const char *what)
{
	for (size_t i = 0; i < run->def.n_facts; i++)
		if (!strcmp(what, run->def.facts[i].what))
			return run->def.facts[i].value;
	return NAN;
}

/* The value of another case, which is a source, or a fact of it, as
 * ".switches_per_turn". */
static double value_of(struct sum *e, const struct bench_case *other)
{
	struct bench *b = e->s->b;
	double x;

	if (!other || !e->into) {
		scan_wrong(e->s);
		return NAN;
	}
	if (other->formula) {
		x = formula(b, other, e->into, false, e->off);
	} else {
		bench_derived_from(b, e->into, other);
		x = bench_value(b, other);
		x += other == e->off ? headline_error(b, other) : 0;
	}
	if (scan_is(e->s, "."))
		x = fact_of(bench_case_of(b, other), scan_name(e->s));
	return x;
}

/* A number of the case, or the case beside it that has this value where its
 * formula stands. */
static double named(struct sum *e, const char *name)
{
	const struct bench_param *p = case_param(e->c, name);
	struct bench_param value = { e->c->formula_axis, BENCH_STR,
				     .text = name };
	const struct terms change = {
		{ { .axis = value.axis, .value = &value, .n = 1 } }, 1
	};

	if (p && p->kind != BENCH_STR)
		return (double)p->number;
	return value_of(e,
			e->into ? terms_beside(e->s->b, &change, e->c) : NULL);
}

static double term(struct sum *e)
{
	const struct term *set;
	const struct bench_case *other;
	const char *name;
	int64_t n;
	double x;

	if (scan_is(e->s, "(")) {
		x = add_up(e);
		scan_need(e->s, ")");
		return x;
	}
	if (scan_is(e->s, "$")) {
		set = &points_find(e->s)->values;
		return set->n ? (double)set->value[0].number : NAN;
	}
	if (scan_is(e->s, "[")) {
		other = scan_beside(e->s, e->c);
		scan_need(e->s, "]");
		return value_of(e, other);
	}
	if (scan_number(e->s, &n, NULL))
		return (double)n;
	name = scan_name(e->s);
	if (!scan_is(e->s, ":"))
		return named(e, name);
	x = term(e);
	if (e->facts)
		bench_fact(e->s->b, e->into, name, x);
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
	return add_up(&(struct sum) { .s = s, .c = c });
}

void points_sources(struct bench *b)
{
	EACH_RUN (b, run)
		if (run->c.formula)
			formula(b, &run->c, &run->c, false, NULL);
}

/* A source of @run without a value. */
static const char *missing(const struct bench *b, const struct case_run *run)
{
	for (size_t i = 0; i < run->def.n_sources; i++)
		if (!isfinite(bench_value(b, &run->def.sources[i]->c)))
			return run->def.sources[i]->c.name;
	return "a row";
}

/* Three standard errors of @x, the value of @run's formula, from those of its
 * sources: how far it is off if one of them is, each by itself. */
static double error_of(struct bench *b, const struct case_run *run, double x)
{
	double error = 0;

	for (size_t i = 0; i < run->def.n_sources; i++)
		error = hypot(error, formula(b, &run->c, &run->c, false,
					     &run->def.sources[i]->c) -
					     x);
	return error;
}

void points_derive(struct bench *b)
{
	EACH_RUN (b, run) {
		const struct bench_case *c = &run->c;
		double x;

		if (!c->formula || !bench_selected(b, c))
			continue;
		x = formula(b, c, c, false, NULL);
		if (isfinite(x)) {
			bench_derive_within(b, c, x, error_of(b, run, x));
			formula(b, c, c, true, NULL);
		} else {
			bench_derive_skip(b, c, "needs %s, which has no value",
					  missing(b, run));
		}
	}
}
