/* SPDX-License-Identifier: MIT */
#include "compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "doc.h"
#include "text.h"

bool ledger_is(const struct run *run)
{
	const char *clock = run_text(run->meta, "clock");

	return clock && !strcmp(clock, "icount");
}

void ledger_pair(struct pair *p, const double *x, size_t n, const double *y,
		 size_t m)
{
	const double *a = p->range_a, *b = p->range_b;
	const double width = fmax(a[1] - a[0], b[1] - b[0]);

	rank_shift(&p->cost, x, n, y, m, 0);
	p->cost.lo = b[0] - a[1];
	p->cost.hi = b[1] - a[0];
	p->unit = p->a->all.unit;
	p->added = (struct rank_shift) {
		p->a->all.value * expm1(p->cost.shift),
		p->a->all.value * expm1(p->cost.lo),
		p->a->all.value * expm1(p->cost.hi),
	};
	p->p = fmax(p->cost.lo, -p->cost.hi) > width ? 0 : 1;
	p->tested = true;
	p->verdict = VERDICT_SAME;
}

static bool differs(const struct pair *p)
{
	return p->verdict == VERDICT_SLOWER || p->verdict == VERDICT_FASTER;
}

static double effect(const struct pair *p)
{
	return differs(p) ? fabs(p->cost.shift) : -1;
}

/* Whole from a hundred on; less has up to three decimals. */
static const char *count(double x, const char *sign)
{
	char *text = text_format("%s%.*f", sign, fabs(x) < 100 ? 3 : 0, x);
	size_t len = strlen(text);

	if (strchr(text, '.')) {
		while (text[len - 1] == '0')
			len--;
		text[text[len - 1] == '.' ? len - 1 : len] = '\0';
	}
	return text;
}

const char *ledger_counts(double lo, double hi, const char *sign)
{
	const char *a = count(lo, lo < 0 ? "" : sign),
		   *b = count(hi, hi < 0 ? "" : sign);

	return (!strcmp(a, b) ? a : text_format("%s to %s", a, b));
}

static const char *difference(const struct pair *p)
{
	if (!p->tested)
		return p->why;
	if (!differs(p))
		return p->range_a[0] == p->range_b[0] &&
				       p->range_a[1] == p->range_b[1]
			       ? "="
			       : "~";
	return text_format(
		"%s (%s%s)",
		ledger_counts(exp(p->range_b[0]) - exp(p->range_a[1]),
			      exp(p->range_b[1]) - exp(p->range_a[0]), "+"),
		p->cost.shift > 0 ? "+" : "",
		text_percent(expm1(p->cost.shift)));
}

/* The row with the greatest effect in this direction, as ", most of all ..." */
static const char *most(const struct comparison *c, enum verdict verdict)
{
	const struct pair *best = NULL;

	for (size_t i = 0; i < c->n; i++)
		if (c->v[i].verdict == verdict &&
		    (!best || effect(&c->v[i]) > effect(best)))
			best = &c->v[i];
	if (!best)
		return "";
	return text_format(", most of all %s %s: %s of %s",
			   best->a->all.benchmark, best->a->all.name,
			   difference(best),
			   ledger_counts(exp(best->range_a[0]),
					 exp(best->range_a[1]), ""));
}

const char *ledger_words(const struct comparison *c)
{
	size_t n[VERDICT_NOT_COMPARABLE + 1] = { 0 }, same = 0;
	const char *more = most(c, VERDICT_SLOWER),
		   *less = most(c, VERDICT_FASTER);

	for (size_t i = 0; i < c->n; i++) {
		const struct pair *p = &c->v[i];

		n[p->verdict]++;
		same += p->verdict == VERDICT_SAME &&
			p->range_a[0] == p->range_b[0] &&
			p->range_a[1] == p->range_b[1];
	}
	return text_format(
		"Of %zu rows that both have, B takes more instructions in "
		"%zu%s; fewer in %zu%s; the same in %zu. In %zu the sides are "
		"no further apart than the samples of one of them.",
		c->tested, n[VERDICT_SLOWER], more, n[VERDICT_FASTER], less,
		same, n[VERDICT_SAME] - same);
}

/* How long the directories are that all names begin with, or end with. */
static size_t shared(const struct comparison *c, size_t n, bool end)
{
	const char *a = c->a->name;
	size_t len = strlen(a), most = len;

	for (size_t k = 0; k < n; k++) {
		const char *b = c[k].b->name;
		size_t i = 0, m = strlen(b);

		while (i < most && i < m &&
		       (end ? a[len - 1 - i] == b[m - 1 - i] : a[i] == b[i]))
			i++;
		most = i;
	}
	while (most && a[end ? len - most : most - 1] != '/')
		most--;
	return most;
}

/* Of a path, the part in which the sides differ. */
static const char *label(const struct comparison *c, size_t n, const char *name)
{
	size_t head = shared(c, n, false), tail = shared(c, n, true);
	size_t len = strlen(name);

	if (head + tail >= len)
		return name;
	return text_format("%.*s", (int)(len - head - tail), name + head);
}

struct order {
	size_t row;
	double effect;
};

static int by_effect(const void *a, const void *b)
{
	const struct order *x = a, *y = b;

	if (x->effect != y->effect)
		return x->effect < y->effect ? 1 : -1;
	return x->row < y->row ? -1 : x->row > y->row;
}

/* Rows by their greatest effect on any side; return how many. */
static size_t order_rows(struct order *rows, const struct comparison *c,
			 size_t n, bool all)
{
	size_t m = 0;

	for (size_t i = 0; i < c->n; i++) {
		double most = -1;

		for (size_t k = 0; k < n; k++)
			most = fmax(most, effect(&c[k].v[i]));
		if (all || most >= 0)
			rows[m++] = (struct order) { i, most };
	}
	qsort(rows, m, sizeof(*rows), by_effect);
	return m;
}

/* What @r costs on the side that all are compared with. */
static const char *cost_of_a(const struct comparison *c, size_t n, size_t row)
{
	for (size_t k = 0; k < n; k++) {
		const struct pair *p = &c[k].v[row];

		if (p->tested)
			return ledger_counts(exp(p->range_a[0]),
					     exp(p->range_a[1]), "");
	}
	return NULL;
}

void ledger_rows(struct table *t, const struct comparison *c, size_t n,
		 bool all)
{
	struct order *rows = text_alloc(c->n + 1, sizeof(*rows));
	size_t m = order_rows(rows, c, n, all);

	*t = (struct table) { 0 };
	t->caption = prose("ledger", NULL);
	table_column(t, "operation", false);
	for (size_t k = 0; k <= n; k++)
		table_column(t, label(c, n, k ? c[k - 1].b->name : c->a->name),
			     true);
	for (size_t i = 0; i < m; i++) {
		const struct result *r = &c->v[rows[i].row].a->all;

		table_line(t, "", text_format("%s: %s", r->benchmark, r->name),
			   cost_of_a(c, n, rows[i].row));
		for (size_t k = 0; k < n; k++)
			table_cell(t, k + 2, difference(&c[k].v[rows[i].row]));
	}
}
