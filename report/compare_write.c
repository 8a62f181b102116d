/* SPDX-License-Identifier: MIT */
#include "compare_write.h"

#include <math.h>
#include <stdlib.h>

#include "console.h"
#include "ledger.h"
#include "prose.h"
#include "rounds.h"
#include "text.h"

#define BATCH_RATIO 1.5

const char *compare_drift(const struct comparison *c)
{
	if (c->interleaved)
		return prose("compare-in-turn", NULL);
	return prose("compare-drift", NULL);
}

static int by_size(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

const char *compare_frequency(const struct comparison *c)
{
	double *clock = text_alloc(c->n + 1, sizeof(*clock)), change;
	size_t n = 0, explained = 0, cycles = 0;
	const char *text = NULL;

	for (size_t i = 0; i < c->n; i++) {
		if (isfinite(c->v[i].clock))
			clock[n++] = c->v[i].clock;
		explained += c->v[i].by_frequency;
		cycles += c->v[i].in_cycles;
	}
	qsort(clock, n, sizeof(*clock), by_size);
	change = n ? clock[n / 2] : 0;
	if (explained)
		text = text_format(
			"The core ran %s %s in B: that explains %zu row%s, "
			"whose times differ and whose cycles do not.",
			text_percent(fabs(expm1(change))),
			change > 0 ? "faster" : "slower", explained,
			explained == 1 ? "" : "s");
	if (cycles)
		text = text_format(
			"%s%sCompared in cycles, as B - A shows: %zu rows, "
			"whose cycles differ less than their times while the "
			"core's frequency moved by more than the floor.",
			text ? text : "", text ? " " : "", cycles);
	return text;
}

const char *compare_count(const struct comparison *c, bool details)
{
	size_t n = 0, tested = 0, raw = 0, resolved = 0, faster = 0, slower = 0;

	for (size_t i = 0; i < c->n; i++) {
		const struct pair *p = &c->v[i];

		if (compare_is_detail(&p->a->all) != details)
			continue;
		n++;
		tested += p->tested;
		raw += p->p < 0.05;
		resolved += p->adjusted < 0.05;
		faster += p->verdict == VERDICT_FASTER;
		slower += p->verdict == VERDICT_SLOWER;
	}
	if (!n)
		return NULL;
	return text_format(
		"%s rows: %zu of %zu can be compared. p is under 5 %% in %zu "
		"of them (%.1f are expected where nothing differs), in %zu "
		"after the correction; of these B is faster in %zu and slower "
		"in %zu by more than %s%s.",
		details ? "Detail" : "Core", tested, n, raw,
		0.05 * (double)tested, resolved, faster, slower,
		text_percent(c->floor),
		c->rows_with_floor ? " and more than the row showed against "
				     "itself (A/A floor)"
				   : "");
}

const char *compare_states(const struct comparison *c)
{
	size_t differ = 0;

	for (size_t i = 0; i < c->n; i++)
		differ += c->v[i].first && c->v[i].shares_differ;
	return c->states
		       ? text_format("In %zu row%s the rounds of a side fall "
				     "in two groups (the machine had two "
				     "states): the low level is compared with "
				     "the low one, the high with the high one, "
				     "behind each the share of its rounds. In "
				     "%zu the shares differ (Fisher's exact "
				     "test, corrected), which is no verdict.",
				     c->states, c->states == 1 ? "" : "s",
				     differ)
		       : NULL;
}

static const char *only_b(const struct comparison *c)
{
	return c->only_b ? text_format("Rows that only B has: %zu.", c->only_b)
			 : NULL;
}

/* The pilot chooses the length of a batch anew in each invocation. */
const char *compare_batches(const struct comparison *c)
{
	size_t n = 0;

	for (size_t i = 0; i < c->n; i++) {
		const struct pair *p = &c->v[i];
		double a, b;

		if (!p->tested)
			continue;
		a = (double)p->a->all.iters;
		b = (double)p->b->all.iters;
		n += a > BATCH_RATIO * b || b > BATCH_RATIO * a;
	}
	return n ? text_format("In %zu rows the batches of one side are more "
			       "than 1.5 times as long as those of the other, "
			       "which may bias the ratio.",
			       n)
		 : NULL;
}

/* Simulated: docs/report.md, two runs. */
const char *compare_stopping(const struct comparison *c)
{
	const struct side *sides[] = { c->a, c->b };
	bool stopped = false;

	/* Whole runs are units whatever number of rounds they had. */
	for (size_t i = 0; i < 2; i++)
		stopped |= sides[i]->n == 1 &&
			   isfinite(rounds_goal(sides[i]->runs));
	return stopped ? prose("compare-stopping", NULL) : NULL;
}

static void para(struct doc *d, const char *text)
{
	if (text)
		d->format->para(d, text);
}

static void put_table(struct doc *d, struct table *t)
{
	table_prune(t);
	d->format->table(d, t);
}

static void put_words(struct doc *d, const struct comparison *c)
{
	const char *forbidden = compare_forbidden(c);

	if (forbidden)
		d->format->warning(d, forbidden, NULL);
	para(d, compare_drift(c));
	para(d, compare_frequency(c));
	para(d, compare_states(c));
	para(d, compare_count(c, false));
	para(d, compare_count(c, true));
	para(d, only_b(c));
	para(d, compare_batches(c));
	para(d, compare_stopping(c));
}

static void put_sides(struct doc *d, const struct comparison *c)
{
	struct table t;

	if (c->counted)
		para(d, ledger_words(c));
	else
		put_words(d, c);
	compare_settings(&t, c);
	if (!t.nrows)
		d->format->para(
			d,
			"Nothing else that is known differs between the two.");
	put_table(d, &t);
}

static void put_rows(struct doc *d, const struct comparison *c,
		     const char *name)
{
	struct table t;

	if (c->tested)
		d->format->picture(d, name, prose("compare-plot", NULL));
	for (int details = 0; details < 2; details++) {
		compare_rows(&t, c, details, true);
		put_table(d, &t);
	}
	compare_means(&t, c);
	put_table(d, &t);
}

static void put_one(struct doc *d, const struct comparison *c, size_t i)
{
	const char *name = text_format("compare-%zu", i + 1);

	d->format->heading(d, 2, name,
			   text_format("%s against %s", c->b->name,
				       c->a->name));
	put_sides(d, c);
	if (!c->counted)
		put_rows(d, c, name);
}

void compare_write(struct doc *d, const struct comparison *c, size_t n)
{
	const size_t timed = compare_timed(c, n);
	struct table t;

	d->format->begin(d, "oscost: comparison");
	for (size_t i = 0; i < c->a->notes.n; i++)
		d->format->warning(d, c->a->notes.v[i].text,
				   c->a->notes.v[i].remedy);
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < c[i].b->notes.n; j++)
			d->format->warning(d, c[i].b->notes.v[j].text,
					   c[i].b->notes.v[j].remedy);
	d->format->para(d, prose(c->counted ? "compare-counting"
					    : "compare-method",
				 NULL));
	if (!c->counted && c[n - 1].counted)
		d->format->para(d, prose("compare-counting", NULL));
	for (size_t i = 0; i < n; i++)
		put_one(d, &c[i], i);
	if (c->counted) {
		d->format->heading(d, 2, "rows", "Operations");
		ledger_rows(&t, c, n, true);
		put_table(d, &t);
	} else if (n > 1) {
		d->format->heading(d, 2, "rows", "Operations");
		para(d, odd_words(c, timed));
		odd_table(&t, c, timed);
		put_table(d, &t);
		compare_across(&t, c, n, true);
		put_table(d, &t);
	}
	d->format->end(d);
}

static void print(FILE *f, const char *text)
{
	if (text) {
		console_paragraph(f, text);
		fputc('\n', f);
	}
}

static void print_table(FILE *f, struct table *t)
{
	table_prune(t);
	if (t->nrows) {
		console_table(f, t);
		fputc('\n', f);
	}
}

void compare_print(FILE *f, const struct comparison *c, bool all)
{
	const char *a = text_format("A: %s", c->a->name);
	struct table t;

	console_paragraph(f, a);
	print(f, text_format("B: %s", c->b->name));
	if (!c->counted) {
		print(f, compare_forbidden(c));
		print(f, compare_drift(c));
		print(f, compare_frequency(c));
		print(f, compare_states(c));
	}
	compare_settings(&t, c);
	print_table(f, &t);
	if (c->counted) {
		print(f, ledger_words(c));
		return;
	}
	for (int details = 0; details < 2; details++) {
		compare_rows(&t, c, details, all);
		print_table(f, &t);
		print(f, compare_count(c, details));
	}
	print(f, only_b(c));
	compare_means(&t, c);
	print_table(f, &t);
	print(f, compare_batches(c));
	print(f, compare_stopping(c));
}

void compare_print_runs(FILE *f, const struct comparison *c, size_t n)
{
	struct table t = { 0 };

	table_begin(&t, "run>|began|kernel|commit|rounds>|faster>|slower>|"
			"directory");
	for (size_t i = 0; i <= n; i++) {
		const struct side *s = i ? c[i - 1].b : c->a;
		const struct run *r = s->runs;
		size_t verdicts[VERDICT_NOT_COMPARABLE + 1] = { 0 };

		for (size_t j = 0; i && j < c[i - 1].n; j++)
			verdicts[c[i - 1].v[j].verdict]++;
		table_line(&t, "", text_format("%zu", i + 1),
			   run_text(r->meta, "started_at"),
			   run_text(r->machine, "kernel.release"),
			   run_text(r->meta, "git_id"), rounds_text(r),
			   i ? text_format("%zu", verdicts[VERDICT_FASTER])
			     : NULL,
			   i ? text_format("%zu", verdicts[VERDICT_SLOWER])
			     : NULL,
			   s->name);
	}
	print_table(f, &t);
}

void compare_print_across(FILE *f, const struct comparison *c, size_t n,
			  bool all)
{
	const size_t timed = compare_timed(c, n);
	struct table t;

	if (c->counted)
		ledger_rows(&t, c, n, all);
	else
		compare_across(&t, c, n, all);
	print_table(f, &t);
	if (c->counted)
		return;
	odd_table(&t, c, timed);
	print_table(f, &t);
	print(f, odd_words(c, timed));
}
