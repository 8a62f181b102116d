/* SPDX-License-Identifier: MIT */
/*
 * The texts of cases (docs/cases.md): words and terms, formulas, points and the
 * rules that they follow.  A text that cannot be read is a mistake of the
 * programmer: the program fails, and the rest of the text is passed over.
 */
#include "program.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "alloc.h"
#include "err.h"
#include "units.h"

#define WORD 64 /* bytes of a word, with its end */

struct scan {
	struct bench *b;
	const char *at;
	char word[WORD]; /* the last that was read */
};

/* Points, conditions and changes have one form: "^size={8,4K..1M*4,?8..4M}",
 * "by!={pipe,unix}", "size>8", "!size". */
struct term {
	char axis[WORD];
	char mark;  /* '^' or '!' before the axis, or 0 */
	char op;    /* '=', '>', '!' for "!=", or 0: no values follow */
	bool sizes; /* one of its numbers has a suffix */
	bool condition;
	const struct bench_param *of; /* the value that it is compared with */
	bool found;		      /* one that is as the condition has it */
	struct bench_param *value;    /* of points and changes */
	size_t n;
	struct range {
		int64_t least, most, step;
		bool times; /* each @step times the one before */
	} open;		    /* what may be asked for; no step: nothing */
};

/* The values of "$name" that a program has set. */
struct points_set {
	const char *name;
	struct bench_param *value;
	size_t n;
	const char *lacks; /* bench_need(): why it is not to be had */
	struct points_set *next;
};

/*
 * Words and terms.
 */

static void skip_blanks(struct scan *s)
{
	s->at += strspn(s->at, " \t\n");
}

/* Whether @token comes next, behind blanks: it is passed over. */
static bool scan_is(struct scan *s, const char *token)
{
	const size_t len = strlen(token);

	skip_blanks(s);
	if (strncmp(s->at, token, len) != 0)
		return false;
	/* "if" is no beginning of "iffy". */
	if (isalnum((unsigned char)*token) &&
	    (isalnum((unsigned char)s->at[len]) || s->at[len] == '_'))
		return false;
	s->at += len;
	return true;
}

/* Whether something else than the end of a statement, of changes or an "if"
 * follows. */
static bool scan_more(const struct scan *s)
{
	struct scan ahead = { .at = s->at };

	skip_blanks(&ahead);
	return *ahead.at && !strchr(";]", *ahead.at) && !scan_is(&ahead, "if");
}

static void scan_wrong(struct scan *s)
{
	skip_blanks(s);
	bench_fail(s->b, 0, "cases(): a text cannot be read at: %s", s->at);
	s->at += strlen(s->at);
}

static void scan_need(struct scan *s, const char *token)
{
	if (!scan_is(s, token))
		scan_wrong(s);
}

/* The next character if it is one of @marks, else 0. */
static char take_mark(struct scan *s, const char *marks)
{
	char mark = '\0';

	skip_blanks(s);
	if (*s->at && strchr(marks, *s->at))
		mark = *s->at++;
	return mark;
}

/* The next @len bytes as a string, up to the next word. */
static const char *take(struct scan *s, size_t len)
{
	if (len >= WORD)
		scan_wrong(s);
	len = strnlen(s->at, len);
	memcpy(s->word, s->at, len);
	s->word[len] = '\0';
	s->at += len;
	return s->word;
}

/* Letters, digits and @marks, but no two dots. */
static const char *take_word(struct scan *s, const char *marks)
{
	size_t n = 0;

	skip_blanks(s);
	while (isalnum((unsigned char)s->at[n]) ||
	       (s->at[n] && strchr(marks, s->at[n]) &&
		strncmp(s->at + n, "..", 2) != 0))
		n++;
	return take(s, n);
}

/* Letters, digits and _, or "". */
static const char *scan_name(struct scan *s)
{
	return take_word(s, "_");
}

/* A name, also with - and single dots, or anything between single quotes; it
 * must be there. */
static const char *scan_word(struct scan *s)
{
	const bool quoted = scan_is(s, "'");
	const char *word =
		quoted ? take(s, strcspn(s->at, "'")) : take_word(s, "_-.");

	if (quoted ? !scan_is(s, "'") : !*word)
		scan_wrong(s);
	return word;
}

/* Digits, maybe with K, M or G: then *@size, unless NULL, is set. */
static bool scan_number(struct scan *s, int64_t *n, bool *size)
{
	const char *const from = s->at, *text = scan_name(s);
	uint64_t value;

	if (parse_size(text, &value)) {
		s->at = from;
		return false;
	}
	*n = (int64_t)value;
	if (size)
		*size |= !isdigit((unsigned char)text[strlen(text) - 1]);
	return true;
}

/* @word as a string that lives as long as the cases. */
static const char *keep(struct bench *b, const char *word)
{
	for (size_t i = 0; i < b->n_words; i++)
		if (!strcmp(b->words[i], word))
			return b->words[i];
	b->words = text_grow(b->words, b->n_words, sizeof(*b->words));
	return b->words[b->n_words++] = text_copy(word);
}

static struct points_set *new_set(struct bench *b, const char *name)
{
	struct points_set *set = text_alloc(1, sizeof(*set));

	set->name = name;
	set->next = b->sets;
	b->sets = set;
	return set;
}

static void set_value(struct points_set *set, struct bench_param value)
{
	set->value = text_grow(set->value, set->n, sizeof(value));
	set->value[set->n++] = value;
}

void bench_set_numbers(struct bench *b, const char *name, int kind,
		       const int64_t *value, size_t n)
{
	struct points_set *set = new_set(b, name);

	for (size_t i = 0; i < n; i++)
		set_value(set, (struct bench_param) { .kind = kind,
						      .number = value[i] });
}

void bench_set_names(struct bench *b, const char *name, const void *names,
		     size_t stride, size_t n)
{
	struct points_set *set = new_set(b, name);

	for (const char *at = names; n--; at += stride)
		set_value(set,
			  (struct bench_param) {
				  .kind = BENCH_STR,
				  .text = *(const char *const *)(const void *)
						  at });
}

void bench_need(struct bench *b, const char *name, const char *why)
{
	new_set(b, name)->lacks = why;
}

/* The set of the name that comes next; no values after scan_wrong(). */
static const struct points_set *points_find(struct scan *s)
{
	static const struct points_set none;
	const char *name = scan_name(s);
	struct points_set *set = s->b->sets;

	while (set && strcmp(set->name, name) != 0)
		set = set->next;
	if (!set)
		scan_wrong(s);
	return set ? set : &none;
}

static bool is_same(const struct bench_param *p, const struct bench_param *want)
{
	char number[UNITS_MAX];

	if (p->kind != BENCH_STR)
		return want->kind != BENCH_STR && p->number == want->number;
	return !strcmp(p->text,
		       want->kind == BENCH_STR
			       ? want->text
			       : units_size(number, (uint64_t)want->number));
}

/* One of the values of @t: it is compared, or kept. */
static void take_value(struct bench *b, struct term *t, struct bench_param v)
{
	const struct bench_param *p = t->of;

	if (!t->condition) {
		v.axis = keep(b, t->axis);
		v.text = v.text ? keep(b, v.text) : NULL;
		t->value = text_grow(t->value, t->n, sizeof(v));
		t->value[t->n++] = v;
	} else if (p && (t->op == '=' || t->op == '!')) {
		t->found |= is_same(p, &v);
	} else if (p && p->kind != BENCH_STR && v.kind != BENCH_STR) {
		t->found |= p->number > v.number;
	}
}

/* "8", "8..64", "0..50/10", "4K..1M*4".  Return: whether it is a number. */
static bool read_range(struct scan *s, struct range *r, bool *sizes)
{
	if (!scan_number(s, &r->least, sizes))
		return false;
	r->most = r->least;
	r->step = 1;
	if (scan_is(s, "..") && !scan_number(s, &r->most, sizes))
		scan_wrong(s);
	r->times = scan_is(s, "*");
	/* That would never come to its end. */
	if ((r->times || scan_is(s, "/")) &&
	    (!scan_number(s, &r->step, NULL) || r->step < 1 + r->times ||
	     r->least < r->times)) {
		scan_wrong(s);
		r->most = r->least - 1;
	}
	return true;
}

static void read_value(struct scan *s, struct term *t)
{
	struct range r;

	if (scan_is(s, "?")) {
		if (!read_range(s, &t->open, &t->sizes))
			scan_wrong(s);
	} else if (scan_is(s, "$")) {
		const struct points_set *set = points_find(s);

		for (size_t i = 0; i < set->n; i++) {
			take_value(s->b, t, set->value[i]);
			t->sizes |= set->value[i].kind == BENCH_SIZE;
		}
	} else if (read_range(s, &r, &t->sizes)) {
		for (int64_t n = r.least; n <= r.most;
		     n = r.times ? n * r.step : n + r.step)
			take_value(s->b, t,
				   (struct bench_param) { .number = n });
	} else {
		take_value(s->b, t,
			   (struct bench_param) { .kind = BENCH_STR,
						  .text = scan_word(s) });
	}
}

static void read_values(struct scan *s, struct term *t)
{
	const bool several = scan_is(s, "{");

	do
		read_value(s, t);
	while (several && scan_is(s, ","));
	if (several)
		scan_need(s, "}");
	for (size_t i = 0; i < t->n; i++)
		if (t->value[i].kind == BENCH_INT && t->sizes)
			t->value[i].kind = BENCH_SIZE;
}

/* The next term, of points or changes, or (@c is not NULL) of a condition for
 * it.  Return: false: none comes, up to where scan_more() ends. */
static bool next_term(struct scan *s, struct term *t,
		      const struct bench_case *c)
{
	if (!scan_more(s))
		return false;
	*t = (struct term) { .mark = take_mark(s, "^!"), .condition = c };
	memcpy(t->axis, scan_name(s), WORD);
	t->of = c ? case_param(c, t->axis) : NULL;
	/* A '!' alone is the next term's mark. */
	t->op = take_mark(s, "=>");
	if (!t->op && scan_is(s, "!="))
		t->op = '!';
	if (!*t->axis)
		scan_wrong(s);
	else if (t->op)
		read_values(s, t);
	return true;
}

/* Whether all terms up to the end of the text or statement hold for @c. */
static bool scan_holds(struct scan *s, const struct bench_case *c)
{
	bool all = true;
	struct term t;

	while (next_term(s, &t, c)) {
		if (!t.op)
			t.found =
				t.of || (c->asked && !strcmp(t.axis, "asked"));
		all &= t.found != (t.mark == '!' || t.op == '!');
	}
	if (*s->at && *s->at != ';')
		scan_wrong(s);
	return all;
}

/* Whether both have the same values, in whatever order. */
static bool are_same(const struct bench_param *a, const struct bench_case *c)
{
	const struct bench_param *p = c->params, *other;

	for (; a->axis && p->axis; a++, p++) {
		other = case_param(c, a->axis);
		if (!other || !is_same(other, a))
			return false;
	}
	return !a->axis && !p->axis;
}

/* The case that differs from @c in the changes that come next, up to @end. */
static const struct bench_case *
scan_beside(struct scan *s, const struct bench_case *c, const char *end)
{
	struct bench_param to[2 * (BENCH_MAX_PARAMS + 1)] = { 0 };
	struct term t;

	memcpy(to, c->params, sizeof(c->params));
	for (int room = BENCH_MAX_PARAMS; room-- && next_term(s, &t, NULL);) {
		struct bench_param *p = to;

		while (p->axis && strcmp(p->axis, t.axis) != 0)
			p++;
		if (t.n)
			*p = t.value[0];
		else
			for (; p->axis; p++)
				*p = p[1];
		free(t.value);
	}
	scan_need(s, end);
	if (!s->b->verdict.why[0])
		EACH_RUN (s->b, run)
			if (are_same(to, &run->c))
				return &run->c;
	return NULL;
}

const struct bench_case *bench_beside(const struct bench *b,
				      const struct bench_case *c,
				      const char *changes)
{
	struct scan s = { .b = (struct bench *)b, .at = changes };

	return scan_beside(&s, c, "");
}

const struct bench_case *bench_next(const struct bench *b,
				    const struct bench_case *after,
				    const char *where)
{
	for (size_t i = after ? after->id + 1 : 0; i < b->n_runs; i++) {
		struct scan s = { .b = (struct bench *)b, .at = where };

		if (scan_holds(&s, &b->runs[i]->c))
			return &b->runs[i]->c;
	}
	return NULL;
}

void points_close(struct bench *b)
{
	while (b->n_words)
		free(b->words[--b->n_words]);
	free(b->words);
	b->words = NULL;
	while (b->sets) {
		struct points_set *set = b->sets;

		b->sets = set->next;
		free(set->value);
		free(set);
	}
}

/*
 * Formulas.
 */

struct sum {
	struct scan *s;
	const struct bench_case *c;    /* whose terms these are */
	const struct bench_case *into; /* whose formula it is in the end */
	bool facts;		       /* its labelled terms are facts */
	const struct bench_case *off;  /* the source that is off by its error */
};

/* Terms with signs of @ops between them: "*" binds before "+". */
static double chain(struct sum *e, const char *ops);

/* The value of the formula of @c, as part of that of @into. */
static double formula(struct bench *b, const struct bench_case *c,
		      const struct bench_case *into, bool facts,
		      const struct bench_case *off)
{
	struct scan s = { .b = b, .at = c->formula };

	return chain(&(struct sum) { &s, c, into, facts, off }, "+-");
}

static double fact_of(const struct case_run *run, const char *what)
{
	const json_t *fact = json_object_get(run->def.facts, what);

	return json_is_number(fact) ? json_number_value(fact) : NAN;
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
	char change[2 * WORD];

	if (p && p->kind != BENCH_STR)
		return (double)p->number;
	if (!e->into)
		return value_of(e, NULL);
	snprintf(change, sizeof(change), "%s=%s", e->c->formula_axis, name);
	return value_of(e, bench_beside(e->s->b, e->c, change));
}

static double term(struct sum *e)
{
	const struct points_set *set;
	char name[WORD];
	int64_t n;
	double x;

	if (scan_is(e->s, "(")) {
		x = chain(e, "+-");
		scan_need(e->s, ")");
		return x;
	}
	if (scan_is(e->s, "$")) {
		set = points_find(e->s);
		return set->n ? (double)set->value[0].number : NAN;
	}
	if (scan_is(e->s, "["))
		return value_of(e, scan_beside(e->s, e->c, "]"));
	if (scan_number(e->s, &n, NULL))
		return (double)n;
	memcpy(name, scan_name(e->s), WORD);
	if (!scan_is(e->s, ":"))
		return named(e, name);
	x = term(e);
	if (e->facts)
		bench_fact(e->s->b, e->into, name, x);
	return x;
}

static double chain(struct sum *e, const char *ops)
{
	const bool sum = *ops == '+';
	double x = sum ? chain(e, "*/") : term(e);
	char op;

	while ((op = take_mark(e->s, ops))) {
		const double y = sum ? chain(e, "*/") : term(e);

		x = op == '+'	? x + y
		    : op == '-' ? x - y
		    : op == '*' ? x * y
				: x / y;
	}
	return x;
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

/*
 * Points and their rules.
 */

/* The points of one statement. */
struct points {
	struct term of[BENCH_MAX_PARAMS];
	size_t n;
	const char *rules; /* behind it, in the text */
};

/* @t gets the number at @text if it is open to it. */
static void ask(struct bench *b, struct term *t, const char *text)
{
	struct scan s = { .at = text };
	bool size = false;
	size_t i = 0;
	int64_t x;

	if (!scan_number(&s, &x, &size) || (*s.at && *s.at != ',') ||
	    (size && !t->sizes) || x < t->open.least || x > t->open.most ||
	    x % t->open.step)
		return;
	while (i < t->n && t->value[i].number != x)
		i++;
	if (i == t->n)
		take_value(b, t,
			   (struct bench_param) { .kind = t->sizes ? BENCH_SIZE
								   : BENCH_INT,
						  .number = x });
	t->value[i].asked = true;
}

/* The numbers that --case asks for, as "size=2048", come last; a pattern with
 * wildcards asks for none. */
static void read_asked(struct bench *b, struct term *t)
{
	const struct opt_list *globs = &b->plan.globs;
	const size_t len = strlen(t->axis);

	for (size_t i = 0; t->open.step && i < globs->n; i++)
		for (const char *at = globs->item[i]; at && !strpbrk(at, "*?[");
		     at = strchr(at, ',')) {
			at += *at == ',';
			if (!strncmp(at, t->axis, len) && at[len] == '=')
				ask(b, t, at + len + 1);
		}
}

static void read_points(struct scan *s, struct points *p)
{
	struct term *t = p->of;

	for (p->n = 0; p->n < BENCH_MAX_PARAMS && next_term(s, t, NULL);
	     p->n++, t++) {
		if (t->op != '=' || t->mark == '!')
			scan_wrong(s);
		read_asked(s->b, t);
	}
}

/* To behind the "if" of this statement.  Return: whether it has one. */
static bool find_if(struct scan *s)
{
	for (; *s->at && *s->at != ';'; s->at++)
		if (*s->at == ' ' && scan_is(s, "if"))
			return true;
	return false;
}

static void skip_statement(struct scan *s)
{
	s->at += strcspn(s->at, ";");
	s->at += *s->at == ';';
}

static bool is_rule(struct scan s)
{
	return scan_is(&s, "not") || scan_is(&s, "is") ||
	       scan_is(&s, "needs") || (*scan_name(&s) && scan_is(&s, ":="));
}

static double read_sum(struct scan *s, const struct bench_case *c)
{
	return chain(&(struct sum) { .s = s, .c = c }, "+-");
}

static const struct bench_case *read_of(struct scan *s,
					const struct bench_case *c)
{
	scan_need(s, "[");
	return scan_beside(s, c, "]");
}

/* Set the member of @c that the word @w of "is" names. */
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
	scan_need(s, "=");
	SETS("unit", unit, keep(s->b, scan_word(s)))
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

/* Why the need @w of @c is not met; NULL: it is. */
static const char *lacks(struct scan *s, struct bench_case *c, const char *w)
{
	const struct scan from = *s;

#define NEEDS(name, is_met, otherwise) \
	if (!strcmp(w, name))          \
		return (is_met) ? NULL : (otherwise);
	NEEDS("faults", false, kernel_lacks(KERNEL_FAULTS))
	NEEDS("switches", false, kernel_lacks(KERNEL_SWITCHES))
	NEEDS("resident", false, kernel_lacks(KERNEL_RESIDENT))
	if (scan_is(s, "$"))
		return points_find(s)->lacks;
	scan_need(s, "=");
	NEEDS("cpus", read_sum(s, c) <= bench_cpus(s->b), "needs a second CPU")
	NEEDS("files", read_sum(s, c) <= most_files(),
	      "more descriptors than the hard limit allows (ulimit -Hn)")
	NEEDS("memory",
	      read_sum(s, c) <=
		      (double)bench_spare_bytes(s->b) * (c->asked ? 3 : 1),
	      "needs more than a quarter (if asked for, three) of the memory "
	      "that is free or that the memory cgroup leaves")
	NEEDS("program", !access(scan_word(s), X_OK),
	      "a program that it executes is not there")
	*s = from;
	scan_wrong(s);
	return NULL;
}

/* A formula, behind its name, is for the points that have a value of that. */
static void take_formula(struct scan *s, struct bench_case *c, const char *name)
{
	for (const struct bench_param *p = c->params; p->axis; p++)
		if (p->kind == BENCH_STR && !strcmp(name, p->text)) {
			c->formula_axis = p->axis;
			c->derived = true;
			c->formula = s->at;
		}
}

/* Apply the rule that comes next, which is for @c. */
static void obey(struct scan *s, struct bench_case *c)
{
	if (scan_is(s, "is")) {
		while (scan_more(s))
			settle(s, c, scan_name(s));
	} else if (scan_is(s, "needs")) {
		while (scan_more(s)) {
			const char *why = lacks(s, c, scan_name(s));

			c->skip = c->skip ? c->skip : why;
		}
	} else {
		const char *name = scan_name(s);

		scan_need(s, ":=");
		take_formula(s, c, name);
	}
}

/* Apply the rules at @rules to @c.  Return: false: there is no such point. */
static bool obey_all(struct bench *b, const char *rules, struct bench_case *c)
{
	for (struct scan s = { .b = b, .at = rules }; is_rule(s);
	     skip_statement(&s)) {
		struct scan where = s;

		if (scan_is(&s, "not")) {
			if (!scan_more(&s))
				scan_wrong(&s);
			if (scan_holds(&s, c))
				return false;
		} else if (!find_if(&where) || scan_holds(&where, c)) {
			obey(&s, c);
		}
	}
	return true;
}

/* The point that has the values @at, unless a rule says that there is none. */
static void add(struct bench *b, const struct points *points,
		const struct bench_param *const *at)
{
	bench_point_fn *const point = b->desc->point;
	struct bench_case c = { 0 };
	struct bench_param *to = c.params;

	for (size_t i = 0; i < points->n; i++) {
		if (at[i]->kind == BENCH_STR && !strcmp(at[i]->text, "-"))
			continue;
		*to++ = *at[i];
		c.asked |= at[i]->asked;
	}
	if (b->verdict.why[0] || !obey_all(b, points->rules, &c))
		return;
	if (b->desc->case_state_size)
		c.data = text_apart(b->desc->case_state_size);
	if (!point || point(b, b->state, &c))
		case_add(b, &c);
	else
		free(c.data);
}

/* All combinations of the values of @p: @at gets one of each axis, first of
 * those that are marked "^", which change slower than the others. */
static void expand(struct bench *b, const struct points *p,
		   const struct bench_param **at, size_t depth)
{
	const struct term *axis = &p->of[p->n ? depth % p->n : 0];

	if (depth / 2 == p->n)
		add(b, p, at);
	else if ((axis->mark == '^') != (depth < p->n))
		expand(b, p, at, depth + 1);
	else
		for (size_t i = 0; i < axis->n; i++) {
			at[depth % p->n] = &axis->value[i];
			expand(b, p, at, depth + 1);
		}
}

void bench_points(struct bench *b, const char *text)
{
	const struct bench_param *at[BENCH_MAX_PARAMS];
	struct scan s = { .b = b, .at = text }, rules;
	struct points p;

	while (scan_more(&s)) {
		/* The rules behind these points, and those behind them. */
		for (rules = s; scan_more(&rules) && !is_rule(rules);)
			skip_statement(&rules);
		if (rules.at == s.at)
			scan_wrong(&s);
		while (s.at < rules.at) {
			read_points(&s, &p);
			p.rules = rules.at;
			if (*s.at && !scan_is(&s, ";"))
				scan_wrong(&s);
			expand(b, &p, at, 0);
			while (p.n)
				free(p.of[--p.n].value);
		}
		while (is_rule(s))
			skip_statement(&s);
	}
	if (*s.at)
		scan_wrong(&s);
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

	set_value(new_set(b, "page"),
		  (struct bench_param) { .kind = BENCH_STR,
					 .text = bench_page_name(),
					 .number =
						 (int64_t)bench_page_bytes() });
	if (d->cases)
		d->cases(b, b->state);
	if (!b->verdict.why[0])
		bench_points(b, d->points ? d->points : "");
	/* A first look at the formulas notes what they are made from. */
	EACH_RUN (b, run)
		if (run->c.formula && !b->verdict.why[0])
			formula(b, &run->c, &run->c, false, NULL);
	return b->verdict.skip_all ? EXIT_SKIP
	       : b->verdict.why[0] ? EXIT_FAIL
				   : EXIT_OK;
}
