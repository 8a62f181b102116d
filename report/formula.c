/* SPDX-License-Identifier: MIT */
#include "course.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "load.h"
#include "text.h"

#define DEPTH	   32 /* brackets within each other */
#define TERM_DEPTH 8  /* what a term within a formula counts for */

struct parse {
	const struct formula_world *w;
	const char *text, *at;
	const char *missing; /* the first thing */
	unsigned int depth;
};

static double comparison(struct parse *p);
static double value_at(const char *text, const struct formula_world *w,
		       const char **missing, unsigned int depth);

/* The formula has no value: the rest of it is not read. */
static double lacks(struct parse *p, const char *what)
{
	p->at += strlen(p->at);
	if (!p->missing)
		p->missing = what;
	return NAN;
}

static double wrong(struct parse *p)
{
	return lacks(
		p,
		text_format(
			"a formula that can be read: '%s' is wrong before '%s'",
			p->text, p->at));
}

/* Whether @c comes next; it is passed over. */
static bool next_is(struct parse *p, char c)
{
	p->at += strspn(p->at, " ");
	if (*p->at != c)
		return false;
	p->at++;
	return true;
}

static double row_value(struct parse *p, const struct row *row,
			const char *name)
{
	const double x =
		row && row->all.status == RESULT_OK ? row->all.value : NAN;

	if (!isfinite(x))
		lacks(p, text_format("a value of %s in this run", name));
	return x;
}

/* "[PROGRAM CASES]", behind its bracket. */
static double row_at(struct parse *p)
{
	const size_t len = strcspn(p->at, "]");
	const char *cases = text_format("%.*s", (int)len, p->at);
	const char *program = text_split(&cases, ' ');
	double x = NAN;

	if (!p->at[len] || !cases) {
		wrong(p);
	} else {
		/* Before what ends the parse where there is no value. */
		p->at += len + 1;
		x = row_value(p, run_pick(p->w->run, program, cases),
			      text_format("%s %s", program, cases));
	}
	return x;
}

/* The letters, digits and dots that come next; they are passed over. */
static const char *word(struct parse *p)
{
	const size_t len =
		strspn(p->at, "abcdefghijklmnopqrstuvwxyz_.0123456789");

	p->at += len;
	return text_format("%.*s", (int)len, p->at - len);
}

/* "$cpu.cores", behind its sign. */
static double fact(struct parse *p)
{
	const char *path = word(p);
	const double x = run_number(p->w->run->machine, path);

	if (!isfinite(x))
		lacks(p, text_format("%s in machine.json", path));
	return x;
}

/* The `term` lines of @name; *@x only if there are any. */
static bool term(struct parse *p, const char *name, double *x)
{
	const struct rowtable_line *line = NULL;
	const char *missing = NULL;
	bool found = false;

	while ((line = rowtable_of(&p->w->run->suite, "term", name, line))) {
		*x = value_at(line->field[1], p->w, &missing,
			      p->depth + TERM_DEPTH);
		found = true;
		if (isfinite(*x))
			break;
	}
	if (missing)
		lacks(p, missing);
	return found;
}

static double operation_value(struct parse *p, const struct operation *op,
			      const char *what)
{
	const double *predicted = p->w->predicted;
	double x;

	if (!what)
		return row_value(p, operations_row(op, p->w->run),
				 text_format("\"%s\"", op->label));
	if (strcmp(what, "predicted") != 0 || !predicted)
		return wrong(p);
	x = predicted[op - p->w->ops->v];
	return isfinite(x) ? x
			   : lacks(p, text_format("an estimate of \"%s\"",
						  op->label));
}

static double named(struct parse *p, const char *name)
{
	const struct formula_name *more = p->w->more;
	const struct operation *op;
	const char *what = name, *id = text_split(&what, '.');
	double x = NAN;

	for (; more && more->name; more++)
		if (!strcmp(more->name, name) && !what)
			return more->value;
	if (!strcmp(name, "cycle")) {
		x = 1e9 / run_number(p->w->run->machine, "timer.core_hz");
		return isfinite(x)
			       ? x
			       : lacks(p,
				       "the core's frequency in machine.json");
	}
	if (!what && term(p, name, &x))
		return x;
	op = operations_find(p->w->ops, id);
	return op ? operation_value(p, op, what) : wrong(p);
}

static double pair_of(struct parse *p, bool least)
{
	const double a = comparison(p);
	const double b = next_is(p, ',') ? comparison(p) : wrong(p);

	if (!next_is(p, ')'))
		return wrong(p);
	if (isnan(a) || isnan(b))
		return NAN;
	return least ? fmin(a, b) : fmax(a, b);
}

static double name_at(struct parse *p)
{
	const char *name = word(p);
	const bool least = !strcmp(name, "min");

	if ((least || !strcmp(name, "max")) && next_is(p, '('))
		return pair_of(p, least);
	return *name ? named(p, name) : wrong(p);
}

static double atom(struct parse *p)
{
	char *end;
	double x;

	if (next_is(p, '(')) {
		x = comparison(p);
		return next_is(p, ')') ? x : wrong(p);
	}
	if (next_is(p, '['))
		return row_at(p);
	if (next_is(p, '$'))
		return fact(p);
	if (!isdigit((unsigned char)*p->at))
		return name_at(p);
	x = strtod(p->at, &end);
	p->at = end;
	return x;
}

static double product(struct parse *p)
{
	double x = atom(p);

	for (;;) {
		if (next_is(p, '*'))
			x *= atom(p);
		else if (next_is(p, '/'))
			x /= atom(p);
		else
			return x;
	}
}

static double sum(struct parse *p)
{
	double x = product(p);

	for (;;) {
		if (next_is(p, '+'))
			x += product(p);
		else if (next_is(p, '-'))
			x -= product(p);
		else
			return x;
	}
}

static double comparison(struct parse *p)
{
	double x = NAN, y;
	bool less;

	if (p->depth >= DEPTH)
		return wrong(p);
	p->depth++;
	x = sum(p);
	less = next_is(p, '<');
	if (less || next_is(p, '>')) {
		y = sum(p);
		if (isnan(x) || isnan(y))
			x = NAN;
		else
			x = less ? x < y : x > y;
	}
	p->depth--;
	return x;
}

static double value_at(const char *text, const struct formula_world *w,
		       const char **missing, unsigned int depth)
{
	struct parse p = { w, text, text, NULL, depth };
	double x = comparison(&p);

	p.at += strspn(p.at, " ");
	if (*p.at)
		x = wrong(&p);
	if (!isfinite(x) && !p.missing)
		lacks(&p, text_format("a finite value of '%s'", text));
	*missing = p.missing;
	return p.missing ? NAN : x;
}

double formula_value(const char *text, const struct formula_world *w,
		     const char **missing)
{
	return value_at(text, w, missing, 0);
}

/* "UNIT FORMULA" as words; "text PATH" is one of machine.json. */
static const char *figure(const char *text, const void *arg)
{
	const struct formula_world *w = arg;
	const char *unit = text_split(&text, ' '), *missing;
	double x;

	text = text ? text : "";
	if (!strcmp(unit, "text"))
		return run_known(w->run->machine, text, "unknown");
	x = formula_value(text, w, &missing);
	return !isfinite(x)	    ? "unknown"
	       : !strcmp(unit, "%") ? text_percent(x)
				    : text_units(x, unit);
}

const char *formula_text(const char *text, const struct formula_world *w)
{
	return text_fill(text, figure, w);
}
