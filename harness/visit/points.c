/* SPDX-License-Identifier: MIT */
/* Cases from a text: its points, and the rules that they follow. */

#include "program.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "alloc.h"
#include "err.h"
#include "scan.h"

#define CACHE_LINE 64

struct axis {
	const char *name;
	bool sizes; /* its numbers have a suffix where it is exact */
	struct bench_param *value;
	size_t n;
	bool open; /* to numbers in this range that are asked for */
	struct range {
		int64_t least, most, step;
		bool times; /* each @step times the one before */
	} range;
};

/* Points, and the rules behind them. */
struct group {
	struct axis axis[BENCH_MAX_PARAMS + 1];
	size_t n;
	size_t order[BENCH_MAX_PARAMS]; /* of the axes, slowest first */
	struct scan rules;
};

static void push(struct axis *a, struct bench_param p)
{
	p.axis = a->name;
	a->value = text_grow(a->value, a->n, sizeof(p));
	a->value[a->n++] = p;
}

/* "8", "8..64", "0..50/10", "4K..1M*4".  Return: whether it is a number. */
static bool read_range(struct scan *s, struct axis *a, struct range *r)
{
	bool size, step;

	if (!scan_number(s, &r->least, &size))
		return false;
	a->sizes |= size;
	r->most = r->least;
	r->step = 1;
	if (scan_is(s, "..") && !scan_number(s, &r->most, &size))
		scan_wrong(s);
	a->sizes |= size;
	r->times = scan_is(s, "*");
	/* That would never come to its end. */
	if ((r->times || scan_is(s, "/")) &&
	    (!scan_number(s, &r->step, &step) || r->step < 1 + r->times ||
	     r->least < r->times)) {
		scan_wrong(s);
		r->most = r->least - 1;
	}
	return true;
}

static void read_item(struct scan *s, struct axis *a)
{
	const struct points_set *set;
	struct range r;

	if (scan_is(s, "?")) {
		a->open = read_range(s, a, &a->range);
		if (!a->open)
			scan_wrong(s);
	} else if (scan_is(s, "$")) {
		set = points_find(s);
		for (size_t i = 0; set && i < set->n; i++) {
			push(a, set->value[i]);
			a->sizes |= set->value[i].kind == BENCH_SIZE;
		}
	} else if (read_range(s, a, &r)) {
		for (int64_t n = r.least; n <= r.most;
		     n = r.times ? n * r.step : n + r.step)
			push(a, (struct bench_param) { .number = n });
	} else {
		push(a,
		     (struct bench_param) { .kind = BENCH_STR,
					    .text = word_keep(scan_word(s)) });
	}
}

/* @a gets the number at @text if it is open to it. */
static void ask(struct axis *a, const char *text)
{
	struct bench_param *value = NULL;
	bool size;
	int64_t x;

	if (!word_number((struct word) { text, strcspn(text, ",") }, &x,
			 &size) ||
	    (size && !a->sizes) || x < a->range.least || x > a->range.most ||
	    x % a->range.step)
		return;
	for (size_t i = 0; i < a->n; i++)
		if (a->value[i].number == x)
			value = &a->value[i];
	if (value)
		value->asked = true;
	else
		push(a, (struct bench_param) { .number = x, .asked = true });
}

/* The numbers that --case asks for, as "size=2048", come last; a pattern with
 * wildcards asks for none. */
static void read_asked(struct scan *s, struct axis *a)
{
	const struct opt_list *globs = s->b->plan.globs;
	const size_t len = strlen(a->name);

	for (size_t i = 0; globs && i < globs->n; i++)
		for (const char *at = globs->item[i]; at && !strpbrk(at, "*?[");
		     at = strchr(at, ',')) {
			at += *at == ',';
			if (!strncmp(at, a->name, len) && at[len] == '=')
				ask(a, at + len + 1);
		}
}

static void read_values(struct scan *s, struct axis *a)
{
	if (!scan_is(s, "{")) {
		read_item(s, a);
	} else {
		do
			read_item(s, a);
		while (scan_is(s, ","));
		scan_need(s, "}");
	}
	if (a->open)
		read_asked(s, a);
	for (size_t i = 0; i < a->n; i++)
		if (a->value[i].kind == BENCH_INT && a->sizes)
			a->value[i].kind = BENCH_SIZE;
}

/* Whether a rule comes next. */
static bool is_rule(struct scan s)
{
	static const char *const keys[] = { "not", "is", "needs" };
	struct scan ahead = s;

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (scan_is(&s, keys[i]))
			return !scan_is(&s, "=");
	return scan_name(&ahead).len && scan_is(&ahead, ":=");
}

/* To behind the end of this statement; false: there is none. */
static bool next_statement(struct scan *s)
{
	bool quoted = false;

	if (!*s->at)
		return false;
	for (; *s->at && (*s->at != ';' || quoted); s->at++)
		quoted ^= *s->at == '\'';
	s->at += *s->at == ';';
	return true;
}

static void read_group(struct scan *s, struct group *g)
{
	bool slow[BENCH_MAX_PARAMS + 1] = { false };
	size_t n = 0;

	g->n = 0;
	while (*s->at && !scan_is(s, ";")) {
		struct axis *a = &g->axis[g->n];
		struct word name;

		slow[g->n] = scan_is(s, "^");
		name = scan_name(s);
		if (!name.len || g->n == BENCH_MAX_PARAMS || !scan_is(s, "="))
			scan_wrong(s);
		*a = (struct axis) { .name = word_keep(name) };
		g->n++;
		read_values(s, a);
	}
	for (int pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < g->n && i < BENCH_MAX_PARAMS; i++)
			if (slow[i] == !pass)
				g->order[n++] = i;
}

/* "... if WHERE" of the statement at @s: behind the "if"; false: it has none.
 */
static bool find_if(struct scan s, struct scan *where)
{
	const char *end;
	struct scan to = s;

	next_statement(&to);
	for (end = to.at; s.at < end; s.at++)
		if (s.at[0] == ' ' && scan_is(&s, "if") && s.at < end) {
			*where = s;
			return true;
		}
	return false;
}

/* What "is" sets. */
static const struct setting {
	const char *name;
	size_t at; /* in struct bench_case */
	enum { FLAG, ENUM, UINT, BYTES, REAL } kind;
	int value; /* ENUM */
} settings[] = {
#define AT(member) offsetof(struct bench_case, member)
	{ "derived", AT(derived), FLAG, 1 },
	{ "exclusive", AT(exclusive), FLAG, 1 },
	{ "switches", AT(switches), FLAG, 1 },
	{ "threads", AT(threads), FLAG, 1 },
	{ "waits", AT(waits), FLAG, 1 },
	{ "higher", AT(better), ENUM, BENCH_HIGHER },
	{ "mean", AT(estimator), ENUM, BENCH_EST_MEAN },
	{ "median", AT(estimator), ENUM, BENCH_EST_MEDIAN },
	{ "min", AT(estimator), ENUM, BENCH_EST_MIN },
	{ "max", AT(estimator), ENUM, BENCH_EST_MAX },
	{ "log", AT(histogram), ENUM, BENCH_HIST_LOG },
	{ "cycles", AT(histogram), ENUM, BENCH_HIST_CYCLES },
	{ "ops", AT(ops), UINT, 0 },
	{ "most", AT(most), UINT, 0 },
	{ "bytes", AT(bytes), BYTES, 0 },
	{ "step", AT(step), REAL, 0 },
	{ 0 },
};

static const char *const places[] = {
	[BENCH_SAME_CPU] = "same_cpu",
	[BENCH_SAME_CORE] = "same_core",
	[BENCH_SAME_PACKAGE] = "same_package",
	[BENCH_OTHER_PACKAGE] = "other_package",
	[BENCH_ANY_OTHER] = "other_cpu",
};

/* "exclusive", "ops=8*size". */
static void set(struct scan *s, struct bench_case *c,
		const struct setting *setting)
{
	void *at = (char *)c + setting->at;
	double x = 0;

	if (setting->kind > ENUM) {
		scan_need(s, "=");
		x = scan_sum(s, c);
	}
	if (setting->kind == FLAG)
		*(bool *)at = true;
	else if (setting->kind == ENUM)
		*(int *)at = setting->value;
	else if (setting->kind == UINT)
		*(unsigned int *)at = (unsigned int)x;
	else if (setting->kind == BYTES)
		*(uint64_t *)at = (uint64_t)x;
	else
		*(double *)at = x;
}

static void settle(struct scan *s, struct bench_case *c)
{
	while (*s->at && !scan_is(s, ";") && !scan_is(s, "if")) {
		const struct word w = scan_name(s);
		const struct setting *one = settings;

		while (one->name && !word_is(w, one->name))
			one++;
		if (one->name) {
			set(s, c, one);
		} else if (word_is(w, "placed")) {
			for (int i = 0; i <= BENCH_ANY_OTHER; i++)
				if (case_is(c, "place", places[i]))
					c->place = (enum bench_place)i;
		} else if (word_is(w, "unit")) {
			scan_need(s, "=");
			c->unit = word_keep(scan_word(s));
		} else if (word_is(w, "of")) {
			scan_need(s, "=");
			scan_need(s, "[");
			c->of = scan_beside(s, c);
			scan_need(s, "]");
		} else {
			scan_wrong(s);
		}
	}
}

static const char too_big[] =
	"needs more than a quarter (if asked for, three) of the memory that is "
	"free or that the memory cgroup leaves";

static bool files_allowed(double n)
{
	struct rlimit limit = { 0 };

	getrlimit(RLIMIT_NOFILE, &limit);
	return (double)limit.rlim_max >= n;
}

/* Why the need @w of @c is not met; NULL: it is, or it is looked at in
 * kernel_ready(). */
static const char *lacks(struct scan *s, struct bench_case *c, struct word w)
{
	static const char *const tells[] = { [KERNEL_FAULTS] = "faults",
					     [KERNEL_SWITCHES] = "switches",
					     [KERNEL_RESIDENT] = "resident" };
	const struct points_set *named;
	struct scan from;
	double x;

	for (size_t i = 0; i < sizeof(tells) / sizeof(*tells); i++)
		if (word_is(w, tells[i])) {
			c->kernel |= 1u << i;
			return NULL;
		}
	if (!w.len && scan_is(s, "$")) {
		named = points_find(s);
		return named ? named->lacks : NULL;
	}
	scan_need(s, "=");
	if (word_is(w, "program"))
		return access(word_keep(scan_word(s)), X_OK)
			       ? "a program that it executes is not there"
			       : NULL;
	from = *s;
	x = scan_sum(s, c);
	if (word_is(w, "memory"))
		return x > (double)bench_spare_bytes(s->b) * (c->asked ? 3 : 1)
			       ? too_big
			       : NULL;
	if (word_is(w, "cpus"))
		return x > bench_cpus(s->b) ? "needs a second CPU" : NULL;
	if (word_is(w, "files"))
		return files_allowed(x) ? NULL
					: "more descriptors than the hard "
					  "limit allows (ulimit -Hn)";
	scan_wrong(&from);
	return NULL;
}

static void check_needs(struct scan *s, struct bench_case *c)
{
	while (*s->at && !scan_is(s, ";") && !scan_is(s, "if")) {
		const char *why = lacks(s, c, scan_name(s));

		c->skip = c->skip ? c->skip : why;
	}
}

/* "switch := ..." is for the points that have such a value. */
static void take_formula(struct scan *s, struct bench_case *c)
{
	const struct word w = scan_name(s);

	scan_need(s, ":=");
	for (const struct bench_param *p = c->params; p->axis; p++)
		if (p->kind == BENCH_STR && word_is(w, p->text)) {
			c->formula = s->at;
			c->formula_axis = p->axis;
			c->derived = true;
		}
}

/* The rules of @g for @c.  Return: false if there is no such case. */
static bool obey(const struct group *g, struct bench_case *c)
{
	struct scan s = g->rules, where;
	bool there = true;

	for (; is_rule(s); next_statement(&s)) {
		struct scan at = s;

		if (find_if(s, &where) && !scan_where(&where, c))
			continue;
		if (scan_is(&at, "not"))
			there &= !scan_where(&at, c);
		else if (scan_is(&at, "is"))
			settle(&at, c);
		else if (scan_is(&at, "needs"))
			check_needs(&at, c);
		else
			take_formula(&at, c);
	}
	return there;
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

static void add(struct scan *s, const struct group *g, struct bench_case c)
{
	struct bench *b = s->b;
	bench_point_fn *const point = b->desc->point;

	if (!obey(g, &c))
		return;
	c.data = new_data(b);
	if (!point || point(b, b->state, &c))
		case_add(b, &c);
	else
		free(c.data);
}

/* All combinations of the values. */
static void expand(struct scan *s, const struct group *g)
{
	size_t at[BENCH_MAX_PARAMS] = { 0 }, i;

	for (i = 0; i < g->n; i++)
		if (!g->axis[i].n)
			return;
	do {
		struct bench_case c = { 0 };

		for (size_t to = i = 0; i < g->n; i++) {
			const struct bench_param *p = &g->axis[i].value[at[i]];

			if (p->kind == BENCH_STR && !strcmp(p->text, "-"))
				continue;
			c.params[to++] = *p;
			c.asked |= p->asked;
		}
		add(s, g, c);
		for (i = g->n; i; i--) {
			const size_t k = g->order[i - 1];

			if (++at[k] < g->axis[k].n)
				break;
			at[k] = 0;
		}
	} while (i);
}

void bench_points(struct bench *b, const char *text)
{
	struct scan s = { b, text };
	struct group g;

	while (*s.at && !b->verdict.usage_error) {
		g.rules = s;
		while (!is_rule(g.rules) && next_statement(&g.rules))
			continue;
		if (s.at == g.rules.at)
			scan_wrong(&s);
		while (s.at < g.rules.at && !b->verdict.usage_error) {
			read_group(&s, &g);
			if (!b->verdict.usage_error)
				expand(&s, &g);
			for (size_t i = 0; i < g.n; i++)
				free(g.axis[i].value);
		}
		while (is_rule(s) && next_statement(&s))
			continue;
	}
}

/* The axis of the values that @at is in. */
static const char *axis_at(const char *text, const char *at)
{
	struct word w = { 0 };

	while (*at != '=')
		at--;
	for (w.text = at; w.text > text && !strchr(" ;^", w.text[-1]); w.len++)
		w.text--;
	return word_keep(w);
}

void points_open(const char *text, char *list, size_t size)
{
	size_t len = 0;

	list[0] = '\0';
	for (const char *at = text ? strchr(text, '?') : NULL; at;
	     at = strchr(at + 1, '?')) {
		struct scan s = { NULL, at + 1 };
		const struct word least = scan_name(&s);
		const bool to = scan_is(&s, "..");
		const struct word most = scan_name(&s);
		const bool steps = to && scan_is(&s, "/");
		const struct word step = scan_name(&s);
		char *axis = text_format("; %s from ", axis_at(text, at));

		if (!strstr(list, axis) && len < size)
			len += (size_t)snprintf(list + len, size - len,
						"%s%.*s to %.*s%s%.*s", axis,
						(int)least.len, least.text,
						(int)most.len, most.text,
						steps ? " in steps of " : "",
						steps ? (int)step.len : 0,
						step.text);
		free(axis);
	}
}

int cases_make(struct bench *b)
{
	const struct bench_desc *d = b->desc;
	int err;

	err = d->cases ? d->cases(b, b->state) : 0;
	if (!err) {
		bench_points(b, d->points ? d->points : "");
		points_sources(b);
	}
	if (b->verdict.usage_error)
		return EXIT_FAIL;
	if (err)
		return b->verdict.skip_all
			       ? EXIT_SKIP
			       : verdict_give_up(b, EXIT_FAIL, "cases(): %s",
						 strerror(-err));
	return EXIT_OK;
}
