/* SPDX-License-Identifier: MIT */
#include "compare.h"

#include <math.h>
#include <string.h>

#include "doc.h"
#include "load.h"
#include "sections.h"
#include "stats.h"
#include "text.h"

#define BATCH_RATIO 1.5

static const char *number(size_t n)
{
	return text_format("%zu", n);
}

/* Which runs were very noisy, or NULL. */
static const char *noisy(const struct comparison *c)
{
	const struct side *sides[] = { c->a, c->b };
	const char *text = NULL;

	for (size_t i = 0; i < 2; i++)
		for (size_t j = 0; j < sides[i]->n; j++) {
			const struct run *run = &sides[i]->runs[j];
			const char *word, *noise = noise_of_run(run, &word);

			if (noise && !strcmp(word, "very noisy"))
				text = text_format("%s%s%s (%s)",
						   text ? text : "",
						   text ? ", " : "", run->dir,
						   noise);
		}
	return text;
}

static void put_frequency(struct doc *d, const struct comparison *c)
{
	double *clock = text_alloc(c->n + 1, sizeof(*clock)), change;
	size_t n = 0, explained = 0, cycles = 0;

	for (size_t i = 0; i < c->n; i++) {
		if (isfinite(c->v[i].clock))
			clock[n++] = c->v[i].clock;
		explained += c->v[i].by_frequency;
		cycles += c->v[i].in_cycles;
	}
	stats_sort(clock, n);
	change = n ? clock[n / 2] : 0;
	if (explained)
		d->format->para(d,
				prose("compare-explained", "by",
				      text_percent(fabs(expm1(change))), "how",
				      change > 0 ? "faster" : "slower", "rows",
				      text_plural(explained, "row"), NULL));
	if (cycles)
		d->format->para(d, prose("compare-cycles", "n", number(cycles),
					 NULL));
}

/* How many rows have each verdict. */
static void count_verdicts(size_t *n, const struct comparison *c)
{
	for (size_t i = 0; i < c->n; i++)
		n[c->v[i].verdict]++;
}

/* "B is slower: 7 of 60 rows differ by more than 2 %." */
static const char *verdict_line(const struct comparison *c, const char *b)
{
	size_t n[VERDICT_NOT_COMPARABLE + 1] = { 0 };
	const char *rows = text_plural(c->tested, "row");
	const char *floor = text_percent(c->floor);
	bool slower;

	count_verdicts(n, c);
	slower = n[VERDICT_SLOWER];
	if (!c->tested)
		return text_format("%s: no row can be compared.", b);
	if (slower && n[VERDICT_FASTER])
		return text_format("%s is slower in %zu and faster in %zu of "
				   "%s, by more than %s.",
				   b, n[VERDICT_SLOWER], n[VERDICT_FASTER],
				   rows, floor);
	if (slower || n[VERDICT_FASTER])
		return text_format("%s is %s: %zu of %s %s by more than %s.", b,
				   slower ? "slower" : "faster",
				   n[VERDICT_SLOWER] + n[VERDICT_FASTER], rows,
				   n[VERDICT_SLOWER] + n[VERDICT_FASTER] == 1
					   ? "differs"
					   : "differ",
				   floor);
	if (n[VERDICT_SMALL])
		return text_format("%s: no difference is large enough to "
				   "matter (more than %s) in %s.",
				   b, floor, rows);
	return text_format("%s: no clear difference in %s.", b, rows);
}

static const char *rest_line(const struct comparison *c, bool all)
{
	size_t n[VERDICT_NOT_COMPARABLE + 1] = { 0 };

	count_verdicts(n, c);
	return text_format("The rows that do not differ: no clear difference "
			   "%zu, too small to matter %zu, not comparable "
			   "%zu%s%s.",
			   n[VERDICT_SAME], n[VERDICT_SMALL],
			   n[VERDICT_NOT_COMPARABLE],
			   c->only_b ? text_format(", only in B %zu", c->only_b)
				     : "",
			   all ? "" : " (--all prints them)");
}

static void put_states(struct doc *d, const struct comparison *c)
{
	size_t differ = 0;

	for (size_t i = 0; i < c->n; i++)
		differ += c->v[i].first && c->v[i].shares_differ;
	if (c->states)
		d->format->para(d, prose("compare-states", "rows",
					 text_plural(c->states, "row"),
					 "differ", number(differ), NULL));
}

/* The pilot chooses the length of a batch anew in each invocation. */
static void put_batches(struct doc *d, const struct comparison *c)
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
	if (n)
		d->format->para(d,
				prose("compare-batches", "n", number(n), NULL));
}

/* Simulated: docs/compare.md.  Whole runs are units whatever number of
 * rounds they had. */
static bool stopped(const struct side *s)
{
	return s->n == 1 && isfinite(rounds_goal(s->runs));
}

static void put_words(struct doc *d, const struct comparison *c)
{
	d->format->para(d, prose(c->interleaved ? "compare-in-turn"
						: "compare-drift",
				 NULL));
	put_frequency(d, c);
	put_states(d, c);
	put_batches(d, c);
	if (stopped(c->a) || stopped(c->b))
		d->format->para(d, prose("compare-stopping", NULL));
}

static void put_table(struct doc *d, struct table *t)
{
	table_prune(t);
	d->format->table(d, t);
}

/* On a terminal the verdicts stand before all. */
static void put_verdict(struct doc *d, const struct comparison *c,
			const char *b)
{
	const char *runs = noisy(c);

	d->format->para(d, c->counted ? ledger_words(c) : verdict_line(c, b));
	if (runs && !c->counted)
		d->format->warning(d,
				   prose("compare-forbidden", "runs", runs,
					 NULL),
				   NULL);
}

static void put_one(struct doc *d, const struct compare_view *v, size_t i)
{
	const struct comparison *c = &v->c[i];
	const char *name = text_format("compare-%zu", i + 1);
	struct table t;

	if (d->dir || v->n > 1)
		d->format->heading(d, 2, name,
				   text_format("%s against %s", c->b->name,
					       c->a->name));
	if (d->dir)
		put_verdict(d, c, "B");
	for (int details = 0; details < 2 && !c->counted; details++) {
		compare_rows(&t, c, details, v->all);
		put_table(d, &t);
	}
	if (!c->counted) {
		d->format->para(d, rest_line(c, v->all));
		put_words(d, c);
	}
	compare_settings(&t, c);
	if (!t.nrows)
		d->format->para(
			d,
			"Nothing else that is known differs between the two.");
	put_table(d, &t);
	if (c->counted || !d->dir)
		return;
	if (c->tested)
		d->format->picture(d, name, prose("compare-plot", NULL));
	compare_means(&t, c);
	put_table(d, &t);
}

/* The sides in their order: when, on which kernel, of which commit, and how
 * many rows differ from the first. */
static void put_runs(struct doc *d, const struct compare_view *v)
{
	struct table t;

	table_begin(&t, "run>|began|kernel|commit|rounds>|faster>|slower>|"
			"directory");
	for (size_t i = 0; i <= v->n; i++) {
		const struct side *s = i ? v->c[i - 1].b : v->c->a;
		const struct run *r = s->runs;
		size_t verdicts[VERDICT_NOT_COMPARABLE + 1] = { 0 };

		for (size_t j = 0; i && j < v->c[i - 1].n; j++)
			verdicts[v->c[i - 1].v[j].verdict]++;
		table_line(&t, "", number(i + 1),
			   run_text(r->meta, "started_at"),
			   run_text(r->machine, "kernel.release"),
			   run_text(r->meta, "git_id"), rounds_text(r),
			   i ? number(verdicts[VERDICT_FASTER]) : NULL,
			   i ? number(verdicts[VERDICT_SLOWER]) : NULL,
			   s->name);
	}
	put_table(d, &t);
}

/* All sides in one table. */
static void put_across(struct doc *d, const struct compare_view *v)
{
	const size_t timed = compare_timed(v->c, v->n);
	struct table t;

	d->format->heading(d, 2, "rows", "Operations");
	if (v->c->counted) {
		ledger_rows(&t, v->c, v->n, v->all);
		put_table(d, &t);
		return;
	}
	d->format->para(d, odd_words(v->c, timed));
	odd_table(&t, v->c, timed);
	put_table(d, &t);
	compare_across(&t, v->c, v->n, v->all || !v->in_time);
	put_table(d, &t);
}

static void put_notes(struct doc *d, const struct notes *notes)
{
	for (size_t i = 0; i < notes->n; i++)
		d->format->warning(d, notes->v[i].text, notes->v[i].remedy);
}

void compare_write(struct doc *d, const struct compare_view *v)
{
	d->format->begin(d, "oscost: comparison");
	if (d->dir) {
		put_notes(d, &v->c->a->notes);
		for (size_t i = 0; i < v->n; i++)
			put_notes(d, &v->c[i].b->notes);
		if (!v->c->counted)
			d->format->para(d, prose("compare-method", NULL));
		if (v->c[v->n - 1].counted)
			d->format->para(d, prose("compare-counting", NULL));
	}
	/* Of a history the last run is what one asks for. */
	for (size_t i = v->in_time ? v->n - 1 : 0; i < v->n && !d->dir; i++)
		put_verdict(d, &v->c[i],
			    v->n > 1 || v->in_time ? compare_name(v->c[i].b)
						   : "B");
	if (v->in_time)
		put_runs(d, v);
	for (size_t i = 0; i < v->n && (d->dir || !v->in_time); i++)
		put_one(d, v, i);
	if (v->c->counted || v->n > 1 || v->in_time)
		put_across(d, v);
	d->format->end(d);
}
