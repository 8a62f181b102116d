/* SPDX-License-Identifier: MIT */
/* Cases as the program adds them, and what it says of them. */
#include "program.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "err.h"
#include "units.h"

struct case_run *bench_case_of(const struct bench *b,
			       const struct bench_case *c)
{
	return c && c->id < b->n_runs ? b->runs[c->id] : NULL;
}

/* "axis=value,axis=value".  Return: NULL: it is none, or too long. */
static char *name_of(const struct bench_param *p)
{
	char name[CASE_NAME] = "", number[UNITS_MAX];
	size_t len = 0;

	for (; p->axis && len < sizeof(name); p++) {
		if (p->kind == BENCH_SIZE)
			units_size(number, (uint64_t)p->number);
		else
			snprintf(number, sizeof(number), "%" PRId64, p->number);
		len += (size_t)snprintf(name + len, sizeof(name) - len,
					"%s%s=%s", len ? "," : "", p->axis,
					p->kind == BENCH_STR ? p->text
							     : number);
	}
	return len && len < sizeof(name) ? text_format("%s", name) : NULL;
}

/* Values of the axis "place", and why a case with a partner there cannot be
 * measured. */
static const struct {
	const char *name, *lacks;
} places[] = {
	[BENCH_SAME_CPU] = { "same_cpu", NULL },
	[BENCH_SAME_CORE] = { "same_core",
			      "no second hardware thread of this core to use" },
	[BENCH_SAME_PACKAGE] = { "same_package",
				 "no other core of this package to use" },
	[BENCH_OTHER_PACKAGE] = { "other_package",
				  "no CPU of another package to use" },
	[BENCH_ANY_OTHER] = { "other_cpu", "needs a second CPU" },
};

void case_complete(struct bench_case *c, const struct bench_desc *d)
{
	if (c->bytes) {
		c->unit = "B/s";
		c->better = BENCH_HIGHER;
	}
	c->unit = c->unit ? c->unit : "ns";
	c->ops = c->ops ? c->ops : 1;
	c->least = c->least ? c->least : BENCH_LEAST_EVENTS;
	if (c->run)
		c->sample = NULL;
	else if (!c->sample)
		c->sample = d->sample;
	if (!c->sample && !c->run)
		c->run = d->run;
}

const struct bench_case *case_add(struct bench *b, const struct bench_case *c)
{
	struct case_run *run = text_alloc(1, sizeof(*run));
	const char *skip = c->skip;

	run->c = *c;
	case_complete(&run->c, b->desc);
	run->c.id = b->n_runs;
	for (int i = 0; i <= BENCH_ANY_OTHER; i++)
		if (case_is(c, "place", places[i].name))
			run->c.place = (enum bench_place)i;
	if (!skip && run->c.place != BENCH_SAME_CPU &&
	    bench_partner(b, run->c.place) < 0)
		skip = places[run->c.place].lacks;
	run->got.cold = run->def.derived = run->def.expected = NAN;
	run->def.derived_resolution = run->def.derived_low =
		run->def.derived_high = NAN;
	run->def.facts = json_object();
	run->c.name = name_of(c->params);
	if (!run->c.name) {
		bench_fail(b, 0, "cases(): a case that cannot be named");
		run->c.name = text_format("?");
	}
	if (bench_find(b, "%s", run->c.name))
		bench_fail(b, 0, "cases(): twice the same case %s",
			   run->c.name);
	b->runs = text_grow(b->runs, b->n_runs, sizeof(struct case_run *));
	b->runs[b->n_runs++] = run;
	if (skip)
		verdict_skip(run, "%s", skip);
	bench_derived_from(b, &run->c, c->of);
	return &run->c;
}

void bench_derived_from(struct bench *b, const struct bench_case *c,
			const struct bench_case *source)
{
	struct case_run *run = bench_case_of(b, c);
	struct case_run *from = bench_case_of(b, source);
	struct case_definition *def = run && from ? &run->def : NULL;

	for (size_t i = 0; def && i < def->n_sources; i++)
		if (def->sources[i] == from)
			return;
	if (!def)
		return;
	def->sources = text_grow(def->sources, def->n_sources,
				 sizeof(struct case_run *));
	def->sources[def->n_sources++] = from;
}

const struct bench_param *case_param(const struct bench_case *c,
				     const char *axis)
{
	for (const struct bench_param *p = c->params; p->axis; p++)
		if (!strcmp(p->axis, axis))
			return p;
	return NULL;
}

static const struct bench_param *need(const struct bench_case *c,
				      const char *axis)
{
	const struct bench_param *p = case_param(c, axis);

	if (!p)
		die(EXIT_FAIL, "case %s has no %s", c->name, axis);
	return p;
}

int64_t case_int(const struct bench_case *c, const char *axis)
{
	return need(c, axis)->number;
}

const char *case_str(const struct bench_case *c, const char *axis)
{
	const struct bench_param *p = case_param(c, axis);

	return p ? p->text : NULL;
}

bool case_has(const struct bench_case *c, const char *axis)
{
	return case_param(c, axis);
}

bool case_is(const struct bench_case *c, const char *axis, const char *value)
{
	const struct bench_param *p = case_param(c, axis);
	uint64_t n;

	if (!p || p->kind == BENCH_STR)
		return p && !strcmp(p->text, value);
	return !parse_size(value, &n) && (int64_t)n == p->number;
}

size_t case_nth(const struct bench_case *c, const char *axis, const void *names,
		size_t stride, size_t n)
{
	const char *text = need(c, axis)->text;

	for (size_t i = 0; i < n; i++) {
		const char *const *name =
			(const void *)((const char *)names + i * stride);

		if (text && *name && !strcmp(*name, text))
			return i;
	}
	die(EXIT_FAIL, "case %s: no such %s", c->name, axis);
}

/* Whether @c has @term of a pattern: "by=*", "size=2048" for "size=2K". */
static bool has_term(const struct bench_case *c, char *term)
{
	char names[CASE_NAME], *rest = names, *name, *value;

	snprintf(names, sizeof(names), "%s", c->name);
	while ((name = strsep(&rest, ",")))
		if (!fnmatch(term, name, 0))
			return true;
	value = strchr(term, '=');
	if (!value)
		return false;
	*value = '\0';
	return case_is(c, term, value + 1);
}

bool case_matches(const struct bench_case *c, const char *glob, bool *whole)
{
	char copy[CASE_NAME], *rest = copy, *term;
	const struct bench_param *p = c->params;
	bool all =
		(size_t)snprintf(copy, sizeof(copy), "%s", glob) < sizeof(copy);

	while (all && (term = strsep(&rest, ","))) {
		all = has_term(c, term);
		p += p->axis != NULL;
	}
	*whole = all && !p->axis && !strpbrk(glob, "*?[");
	return all || !fnmatch(glob, c->name, 0);
}

static void derive(struct bench *b, const struct bench_case *c, double value,
		   double resolution, double low, double high)
{
	struct case_run *run = bench_case_of(b, c);

	if (!run)
		return;
	run->def.derived = value;
	run->def.derived_resolution = resolution;
	run->def.derived_low = low;
	run->def.derived_high = high;
}

void bench_derive(struct bench *b, const struct bench_case *c, double value)
{
	derive(b, c, value, NAN, NAN, NAN);
}

void bench_derive_within(struct bench *b, const struct bench_case *c,
			 double value, double resolution)
{
	derive(b, c, value, resolution, NAN, NAN);
}

void bench_derive_between(struct bench *b, const struct bench_case *c,
			  double value, double low, double high)
{
	derive(b, c, value, NAN, low, high);
}

const struct bench_case *bench_find(const struct bench *b, const char *fmt, ...)
{
	char text[256];

	WITH_ARGS(vsnprintf(text, sizeof(text), fmt, ap));
	EACH_RUN (b, run)
		if (!strcmp(run->c.name, text))
			return &run->c;
	return NULL;
}

bool bench_selected(const struct bench *b, const struct bench_case *c)
{
	const struct case_run *run = bench_case_of(b, c);

	/* Run cases that --case left out and a selected derived case may
	 * need; no case needs a derived case that was left out. */
	return run && run->verdict.state == CASE_ASKED &&
	       !(run->choice.hidden && run->c.derived);
}

void bench_derive_skip(struct bench *b, const struct bench_case *c,
		       const char *fmt, ...)
{
	struct case_run *run = bench_case_of(b, c);
	char why[sizeof(run->verdict.why)];

	if (!run || run->verdict.state != CASE_ASKED)
		return;
	WITH_ARGS(vsnprintf(why, sizeof(why), fmt, ap));
	verdict_skip(run, "%s", why);
}

void bench_expect(struct bench *b, const struct bench_case *c, double value)
{
	struct case_run *run = bench_case_of(b, c);

	if (run)
		run->def.expected = value;
}

void bench_fact(struct bench *b, const struct bench_case *c, const char *what,
		double value)
{
	struct case_run *run = bench_case_of(b, c);
	json_t *facts = run ? run->def.facts : NULL;

	/* One that is there takes no memory anew, of which the next event might
	 * see something. */
	if (json_real_set(json_object_get(facts, what), value))
		json_object_set_new(facts, what,
				    isfinite(value) ? json_real(value)
						    : json_null());
}

void bench_fact_text(struct bench *b, const struct bench_case *c,
		     const char *what, const char *text)
{
	struct case_run *run = bench_case_of(b, c);

	json_object_set_new(run ? run->def.facts : NULL, what,
			    text ? json_string(text) : json_null());
}

void case_give_back(struct case_run *run, const struct case_samples *to)
{
	struct case_samples *got = &run->got;

	sample_cut(&got->series, to->series.diff.n);
	sample_cut(&got->base, to->base.diff.n);
	op_counts_cut(&got->counts, &to->counts);
	op_counts_cut(&got->base_counts, &to->base_counts);
	got->events.n = to->events.n;
	got->involuntary = to->involuntary;
	got->migrated = to->migrated;
	got->cold = to->cold;
	run->def.derived = NAN;
}

static void free_run(struct case_run *run)
{
	sample_series_free(&run->got.series);
	sample_series_free(&run->got.base);
	sample_free(&run->got.events);
	sample_free(&run->got.core_hz);
	sample_free(&run->got.core_share);
	op_counts_free(&run->got.counts);
	op_counts_free(&run->got.base_counts);
	free(run->verdict.evidence);
	json_decref(run->def.facts);
	free(run->def.sources);
	free(run->c.data);
	free((char *)run->c.name);
	free(run);
}

void cases_free(struct bench *b)
{
	EACH_RUN (b, run)
		free_run(run);
	free(b->runs);
	b->runs = NULL;
	b->n_runs = 0;
	points_close(b);
}
