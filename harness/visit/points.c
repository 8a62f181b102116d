/* SPDX-License-Identifier: MIT */
/* Cases from a text: its points, and the rules that they follow. */

#include "program.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "alloc.h"
#include "err.h"
#include "scan.h"

#define CACHE_LINE 64

struct rule {
	enum { NOT, IS, NEEDS, FORMULA } what;
	const char *says;   /* behind the word that says what it is */
	struct terms where; /* all hold for those that it is for */
	const char *value;  /* of points with a formula */
};

/* Points, and the rules behind them. */
struct group {
	struct terms *points;
	struct rule *rules;
	size_t n, n_rules;
};

/* @t gets the number at @text if it is open to it. */
static void ask(struct term *t, const char *text)
{
	struct scan s = { .at = text };
	struct bench_param *value = NULL;
	bool size = false;
	int64_t x;

	if (!scan_number(&s, &x, &size) || (*s.at && *s.at != ',') ||
	    (size && !t->sizes) || x < t->open.least || x > t->open.most ||
	    x % t->open.step)
		return;
	for (size_t i = 0; i < t->n; i++)
		if (t->value[i].number == x)
			value = &t->value[i];
	if (!value) {
		terms_push(t, (struct bench_param) {
				      .kind = t->sizes ? BENCH_SIZE : BENCH_INT,
				      .number = x });
		value = &t->value[t->n - 1];
	}
	value->asked = true;
}

/* The numbers that --case asks for, as "size=2048", come last; a pattern with
 * wildcards asks for none. */
static void read_asked(const struct bench *b, struct term *t)
{
	const struct opt_list *globs = &b->plan.globs;
	const size_t len = strlen(t->axis);

	for (size_t i = 0; t->open.step && i < globs->n; i++)
		for (const char *at = globs->item[i]; at && !strpbrk(at, "*?[");
		     at = strchr(at, ',')) {
			at += *at == ',';
			if (!strncmp(at, t->axis, len) && at[len] == '=')
				ask(t, at + len + 1);
		}
}

static void read_points(struct scan *s, struct group *g)
{
	struct terms *t;

	g->points = text_grow(g->points, g->n, sizeof(*t));
	t = &g->points[g->n++];
	terms_read(s, t, true);
	for (size_t i = 0; i < t->n; i++)
		read_asked(s->b, &t->of[i]);
}

/* To behind the "if" of this statement.  Return: whether it has one. */
static bool find_if(struct scan *s)
{
	for (; *s->at && *s->at != ';'; s->at++)
		if (*s->at == ' ' && scan_is(s, "if"))
			return true;
	return false;
}

/* Return: whether a rule came next. */
static bool read_rule(struct scan *s, struct group *g)
{
	static const char *const keys[] = { "not", "is", "needs" };
	struct scan from = *s;
	struct rule r = { .what = NOT };

	while (r.what < FORMULA && !scan_is(s, keys[r.what]))
		r.what++;
	if (r.what == FORMULA) {
		r.value = scan_name(s);
		if (!scan_is(s, ":=")) {
			*s = from;
			return false;
		}
	}
	if (!g->n)
		scan_wrong(&from);
	r.says = s->at;
	if (r.what == NOT || find_if(s)) {
		terms_read(s, &r.where, false);
		if (!r.where.n)
			scan_wrong(s);
	}
	g->rules = text_grow(g->rules, g->n_rules, sizeof(r));
	g->rules[g->n_rules++] = r;
	return true;
}

/* Points up to the last of the rules behind them. */
static void read_group(struct scan *s, struct group *g)
{
	*g = (struct group) { 0 };
	while (scan_more(s)) {
		if (!read_rule(s, g)) {
			if (g->n_rules)
				return;
			read_points(s, g);
		}
		if (*s->at && !scan_is(s, ";"))
			scan_wrong(s);
	}
	if (*s->at)
		scan_wrong(s);
}

static void free_group(struct group *g)
{
	for (size_t i = 0; i < g->n; i++)
		terms_free(&g->points[i]);
	for (size_t i = 0; i < g->n_rules; i++)
		terms_free(&g->rules[i].where);
	free(g->points);
	free(g->rules);
}

static double read_sum(struct scan *s, const struct bench_case *c)
{
	scan_need(s, "=");
	return scan_sum(s, c);
}

static const char *read_text(struct scan *s)
{
	scan_need(s, "=");
	return scan_word(s);
}

static const struct bench_case *read_of(struct scan *s,
					const struct bench_case *c)
{
	const struct bench_case *of;

	scan_need(s, "=");
	scan_need(s, "[");
	of = scan_beside(s, c);
	scan_need(s, "]");
	return of;
}

static enum bench_place place_of(const struct bench_case *c)
{
	static const char *const names[] = {
		[BENCH_SAME_CPU] = "same_cpu",
		[BENCH_SAME_CORE] = "same_core",
		[BENCH_SAME_PACKAGE] = "same_package",
		[BENCH_OTHER_PACKAGE] = "other_package",
		[BENCH_ANY_OTHER] = "other_cpu",
	};

	for (int i = 0; i <= BENCH_ANY_OTHER; i++)
		if (case_is(c, "place", names[i]))
			return (enum bench_place)i;
	return c->place;
}

/* What the word @w of "is" sets. */
static void settle(struct scan *s, struct bench_case *c, const char *w)
{
#define SETS(name, member, x)                           \
	if (!strcmp(w, name)) {                         \
		c->member = (__typeof__(c->member))(x); \
		return;                                 \
	}
	SETS("derived", derived, true)
	SETS("exclusive", exclusive, true)
	SETS("switches", switches, true)
	SETS("threads", threads, true)
	SETS("waits", waits, true)
	SETS("higher", better, BENCH_HIGHER)
	SETS("mean", estimator, BENCH_EST_MEAN)
	SETS("median", estimator, BENCH_EST_MEDIAN)
	SETS("min", estimator, BENCH_EST_MIN)
	SETS("max", estimator, BENCH_EST_MAX)
	SETS("log", histogram, BENCH_HIST_LOG)
	SETS("cycles", histogram, BENCH_HIST_CYCLES)
	SETS("placed", place, place_of(c))
	SETS("unit", unit, read_text(s))
	SETS("of", of, read_of(s, c))
	SETS("ops", ops, read_sum(s, c))
	SETS("most", most, read_sum(s, c))
	SETS("bytes", bytes, read_sum(s, c))
	SETS("step", step, read_sum(s, c))
	scan_wrong(s);
}

static double most_files(void)
{
	struct rlimit limit = { 0 };

	getrlimit(RLIMIT_NOFILE, &limit);
	return (double)limit.rlim_max;
}

/* Why the need @w of @c is not met; NULL: it is, or kernel_ready() looks. */
static const char *lacks(struct scan *s, struct bench_case *c, const char *w)
{
#define NEEDS(name, is_met, otherwise) \
	if (!strcmp(w, name))          \
		return (is_met) ? NULL : (otherwise);
	NEEDS("faults", c->kernel |= 1u << KERNEL_FAULTS, "")
	NEEDS("switches", c->kernel |= 1u << KERNEL_SWITCHES, "")
	NEEDS("resident", c->kernel |= 1u << KERNEL_RESIDENT, "")
	NEEDS("cpus", read_sum(s, c) <= bench_cpus(s->b), "needs a second CPU")
	NEEDS("files", read_sum(s, c) <= most_files(),
	      "more descriptors than the hard limit allows (ulimit -Hn)")
	NEEDS("memory",
	      read_sum(s, c) <=
		      (double)bench_spare_bytes(s->b) * (c->asked ? 3 : 1),
	      "needs more than a quarter (if asked for, three) of the memory "
	      "that is free or that the memory cgroup leaves")
	NEEDS("program", !access(read_text(s), X_OK),
	      "a program that it executes is not there")
	scan_need(s, "$");
	return points_find(s)->lacks;
}

/* A formula is for the points that have a value of its name. */
static void take_formula(const struct rule *r, struct bench_case *c)
{
	for (const struct bench_param *p = c->params; p->axis; p++)
		if (p->kind == BENCH_STR && !strcmp(r->value, p->text)) {
			c->formula = r->says;
			c->formula_axis = p->axis;
			c->derived = true;
		}
}

static void obey(struct bench *b, const struct rule *r, struct bench_case *c)
{
	struct scan s = { b, r->says };

	if (r->what == FORMULA)
		take_formula(r, c);
	else if (r->what == IS)
		while (scan_more(&s))
			settle(&s, c, scan_name(&s));
	else
		while (scan_more(&s)) {
			const char *why = lacks(&s, c, scan_name(&s));

			c->skip = c->skip ? c->skip : why;
		}
}

/* Zeroed state of one case, on cache lines of its own; NULL if it has none. */
static void *new_data(const struct bench *b)
{
	const size_t size = (b->desc->case_state_size + CACHE_LINE - 1) /
			    CACHE_LINE * CACHE_LINE;
	void *data = size ? aligned_alloc(CACHE_LINE, size) : NULL;

	if (size && !data)
		die(EXIT_FAIL, "no memory");
	return size ? memset(data, 0, size) : NULL;
}

/* The point that has the values @at, unless a rule says that there is none. */
static void add(struct bench *b, const struct group *g,
		const struct bench_param *const *at, size_t n)
{
	bench_point_fn *const point = b->desc->point;
	struct bench_case c = { 0 };
	struct bench_param *to = c.params;

	for (size_t i = 0; i < n; i++) {
		if (at[i]->kind == BENCH_STR && !strcmp(at[i]->text, "-"))
			continue;
		*to++ = *at[i];
		c.asked |= at[i]->asked;
	}
	for (size_t i = 0; i < g->n_rules; i++) {
		if (!terms_hold(&g->rules[i].where, &c))
			continue;
		if (g->rules[i].what == NOT)
			return;
		obey(b, &g->rules[i], &c);
	}
	c.data = new_data(b);
	if (!point || point(b, b->state, &c))
		case_add(b, &c);
	else
		free(c.data);
}

/* All combinations of the values of @t: @at gets one of each axis, first of
 * those that are marked "^", which change slower than the others. */
static void expand(struct bench *b, const struct group *g,
		   const struct terms *t, const struct bench_param **at,
		   size_t depth)
{
	const struct term *axis;

	if (!t->n || depth == 2 * t->n) {
		add(b, g, at, t->n);
		return;
	}
	axis = &t->of[depth % t->n];
	if ((axis->mark == '^') != (depth < t->n))
		expand(b, g, t, at, depth + 1);
	else
		for (size_t i = 0; i < axis->n; i++) {
			at[depth % t->n] = &axis->value[i];
			expand(b, g, t, at, depth + 1);
		}
}

void bench_points(struct bench *b, const char *text)
{
	const struct bench_param *at[BENCH_MAX_PARAMS];
	struct scan s = { b, text };
	struct group g;

	while (*s.at && !b->verdict.usage_error) {
		read_group(&s, &g);
		for (size_t i = 0; i < g.n && !b->verdict.usage_error; i++)
			expand(b, &g, &g.points[i], at, 0);
		free_group(&g);
	}
}

void points_open(const char *text, char *list, size_t size)
{
	list[0] = '\0';
	for (const char *at = text ? strchr(text, '?') : NULL; at;
	     at = strchr(at + 1, '?')) {
		char least[8], most[8], step[8], axis[64];
		const int n = sscanf(at, "?%7[0-9KMG]..%7[0-9KMG]/%7[0-9KMG]",
				     least, most, step);
		const char *name = at;
		const size_t len = strlen(list);

		while (name > text && !strchr(" ;^", name[-1]))
			name--;
		snprintf(axis, sizeof(axis), "; %.*s from ",
			 (int)strcspn(name, "="), name);
		if (!strstr(list, axis))
			snprintf(list + len, size - len, "%s%s to %s%s%s", axis,
				 least, most, n > 2 ? " in steps of " : "",
				 n > 2 ? step : "");
	}
}

int cases_make(struct bench *b)
{
	const struct bench_desc *d = b->desc;
	const int err = d->cases ? d->cases(b, b->state) : 0;

	if (err && !b->verdict.usage_error)
		return b->verdict.skip_all
			       ? EXIT_SKIP
			       : verdict_give_up(b, EXIT_FAIL, "cases(): %s",
						 strerror(-err));
	bench_points(b, d->points ? d->points : "");
	points_sources(b);
	return b->verdict.usage_error ? EXIT_FAIL : EXIT_OK;
}
