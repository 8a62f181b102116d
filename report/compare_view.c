/* SPDX-License-Identifier: MIT */
/*
 * The result of a comparison, in words: one table of rows, with a column for
 * each further side, for a terminal and for pages; and the same rows as JSON.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compare.h"
#include "doc.h"
#include "sections.h"
#include "stats.h"
#include "text.h"
#include "units.h"

#define COMPARE_SCHEMA 1
#define BATCH_RATIO    1.5

/* Settings that must be the same, or are compared. */
static const struct {
	const char *name;
	bool in_run; /* run.json, else machine.json */
	const char *path;
} settings[] = {
	{ "host", false, "hostname" },
	{ "processor", false, "cpu.model" },
	{ "microcode", false, "cpu.microcode" },
	{ "SMT", false, "cpu.smt" },
	{ "memory", false, "memory_bytes" },
	{ "hypervisor", false, "hypervisor" },
	{ "operating system", false, "os" },
	{ "kernel", false, "kernel.release" },
	{ "kernel build", false, "kernel.version" },
	{ "kernel command line", false, "kernel.command_line" },
	{ "mitigations", false, "mitigations" },
	{ "governor", false, "governor" },
	{ "turbo", false, "turbo" },
	{ "transparent huge pages", false, "thp" },
	{ "ASLR", false, "aslr" },
	{ "clock source", false, "clocksource" },
	{ "compiler", false, "compiler" },
	{ "compiler flags", false, "flags" },
	{ "C library", false, "libc" },
	{ "timing method", false, "timer.method" },
	{ "measuring CPU", false, "measuring_cpu" },
	{ "version of oscost", true, "suite_version" },
	{ "commit of oscost", true, "git_id" },
	{ "programs of", true, "programs_of" },
	{ "command", true, "command" },
	{ "setting", true, "setting" },
	{ "rounds", true, "rounds" },
	{ "precision asked for, %", true, "precision_pct" },
	{ "effort", true, "effort" },
};

#define SETTINGS (sizeof(settings) / sizeof(settings[0]))

const char *compare_setting_name(size_t i)
{
	return i < SETTINGS ? settings[i].name : NULL;
}

const char *compare_setting(const struct run *run, size_t i)
{
	return run_shown(settings[i].in_run ? run->meta : run->machine,
			 settings[i].path);
}

/* "1.051": four digits are 0.1 %. */
static const char *ratio(double log_ratio)
{
	return isfinite(log_ratio) ? text_format("%.4g", exp(log_ratio)) : NULL;
}

/* "1.051 [1.043, 1.06]" */
static const char *ratios(const struct rank_shift *cost)
{
	const char *text = ratio(cost->shift);

	return text && isfinite(cost->lo) && isfinite(cost->hi)
		       ? text_format("%s [%s, %s]", text, ratio(cost->lo),
				     ratio(cost->hi))
		       : text;
}

static const char *signed_number(double x)
{
	return text_format("%s%s", x < 0 ? "-" : "+", text_number(fabs(x)));
}

/* "+410 ns [+350, +470]", or NULL. */
static const char *added(const struct pair *p)
{
	const struct rank_shift *s = &p->added;
	const bool both = isfinite(s->lo) && isfinite(s->hi);
	const char *shown, *text;
	const double scale =
		units_scale(both ? fmax(fabs(s->lo), fabs(s->hi)) : s->shift,
			    p->unit, &shown);

	if (!isfinite(s->shift))
		return NULL;
	text = text_format("%s %s", signed_number(s->shift / scale), shown);
	return both ? text_format("%s [%s, %s]", text,
				  signed_number(s->lo / scale),
				  signed_number(s->hi / scale))
		    : text;
}

/* Whole from a hundred on; less has up to three decimals. */
static const char *count(double x, const char *sign)
{
	return text_format(fabs(x) < 100 ? "%s%.5g" : "%s%.0f",
			   x < 0 ? "" : sign,
			   fabs(x) < 100 ? round(x * 1e3) / 1e3 + 0.0 : x);
}

/* "317", or "9023 to 10147"; @sign stands before what is not negative. */
static const char *ledger_counts(double lo, double hi, const char *sign)
{
	const char *a = count(lo, sign), *b = count(hi, sign);

	return !strcmp(a, b) ? a : text_format("%s to %s", a, b);
}

/* "program: case", and the level, if it is one of two. */
static const char *row_label(const struct pair *p)
{
	const struct result *r = &p->a->all;

	return p->level ? text_format("%s: %s [%s level]", r->benchmark,
				      r->name, p->level)
			: text_format("%s: %s", r->benchmark, r->name);
}

static const char *verdict(const struct pair *p)
{
	static const char *const words[] = {
		[VERDICT_SMALL] = "too small to matter",
		[VERDICT_FASTER] = "faster",
		[VERDICT_SLOWER] = "slower",
	};
	const double far = fmax(fabs(p->cost.lo), fabs(p->cost.hi));

	if (p->verdict == VERDICT_NOT_COMPARABLE)
		return text_format("not comparable: %s", p->why);
	if (p->verdict != VERDICT_SAME)
		return words[p->verdict];
	return p->by_frequency ? "differs in time, not in cycles: the core's "
				 "frequency"
			       : text_format("no clear difference (within "
					     "±%s)",
					     text_percent(expm1(far)));
}

static bool differs(const struct pair *p)
{
	return p->verdict == VERDICT_SLOWER || p->verdict == VERDICT_FASTER;
}

static bool same_counts(const struct pair *p)
{
	return p->range_a[0] == p->range_b[0] && p->range_a[1] == p->range_b[1];
}

/* "+10.1 ns [+9.7, +10.6] (cost +10 %)"; of counts "+2 (+0.63 %)". */
static const char *change(const struct comparison *c, const struct pair *p)
{
	const double *a = p->range_a, *b = p->range_b;

	if (!p->tested)
		return p->why;
	if (!differs(p))
		return c->counted && same_counts(p) ? "=" : "~";
	return text_format("%s (%s%s%s)",
			   c->counted
				   ? ledger_counts(exp(b[0]) - exp(a[1]),
						   exp(b[1]) - exp(a[0]), "+")
				   : added(p),
			   c->counted ? "" : "cost ",
			   p->cost.shift > 0 ? "+" : "",
			   text_percent(expm1(p->cost.shift)));
}

static const char *path_of(const struct compare_view *v, size_t k)
{
	return k ? v->c[k - 1].b->name : v->c->a->name;
}

static const char *last(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* A name of side @k (0: A): the last part of its path, or the one before where
 * all have the same last one. */
static const char *label(const struct compare_view *v, size_t k)
{
	const char *path = path_of(v, k), *end = last(path);
	bool same = end > path;

	for (size_t i = 0; i <= v->n; i++)
		same = same && !strcmp(last(path_of(v, i)), end);
	return same ? last(text_format("%.*s", (int)(end - path) - 1, path))
		    : end;
}

/* "98.2 ns", or of a level "98.2 ns (80 %)" */
static const char *side_value(const struct pair *p, size_t side)
{
	const struct row *row = side ? p->b : p->a;

	if (!p->level || !row)
		return row ? tables_value(&row->all) : NULL;
	return text_format("%s (%.0f %%)",
			   text_units(p->at[side], p->a->all.unit),
			   100 * p->share[side]);
}

static void put_pair(struct table *t, const struct pair *p)
{
	const char *const p_value =
		text_format(p->adjusted < 1e-4 ? "%.0e" : "%.4f", p->adjusted);

	table_line(t,
		   p->verdict == VERDICT_NOT_COMPARABLE ? "skipped"
		   : p->verdict == VERDICT_SLOWER	? "failed"
							: "",
		   row_label(p), side_value(p, 0), side_value(p, 1),
		   p->tested ? added(p) : NULL,
		   p->tested ? ratios(&p->cost) : NULL,
		   isfinite(p->adjusted) ? p_value : NULL, verdict(p),
		   p->tested && p->floor > 0 ? text_percent(p->floor) : NULL);
}

/* The cell of a further side; a row with states has each level in it. */
static const char *side_cell(const struct compare_view *v, size_t k,
			     const struct pair *p)
{
	const struct comparison *c = &v->c[k];
	const struct pair *end = c->v + c->n;
	const char *text = NULL, *cell;

	do {
		cell = change(c, p);
		if (p->level)
			cell = text_format("%s level %s", p->level, cell);
		text = text_join(text, "; ", cell);
	} while (++p < end && !p->first);
	return text;
}

/* A row with all sides. */
static void put_sides(struct table *t, const struct compare_view *v, size_t i)
{
	const struct pair *const first = &v->c->v[i], *p;

	table_line(t, "",
		   text_format("%s: %s", first->a->all.benchmark,
			       first->a->all.name),
		   v->c->counted ? NULL : tables_value(&first->a->all));
	for (size_t k = 0; k < v->n; k++) {
		p = compare_row(&v->c[k], first);
		if (v->c->counted && p->tested)
			table_cell(t, 1,
				   ledger_counts(exp(p->range_a[0]),
						 exp(p->range_a[1]), ""));
		table_cell(t, 2 + k, side_cell(v, k, p));
	}
}

/* The greatest effect on any side in the row of a pair: -1 where none differs.
 */
static double greatest(const struct compare_view *v, size_t i)
{
	double most = -1;

	for (size_t k = 0; k < v->n; k++) {
		const struct comparison *c = &v->c[k];
		const struct pair *p = compare_row(c, &v->c->v[i]);

		do
			if (differs(p))
				most = fmax(most, fabs(p->cost.shift));
		while (++p < c->v + c->n && !p->first);
	}
	return most;
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

/* All rows, or those in which a side differs; of ledgers by the size of the
 * effect. */
static void put_rows(struct doc *d, const struct compare_view *v)
{
	struct order *rows = text_alloc(v->c->n + 1, sizeof(*rows));
	/* A column for each, or one pair with all that is known of it. */
	const bool sides = v->n > 1 || v->in_time || v->c->counted;
	struct table t;
	size_t n = 0;

	table_begin(&t, sides ? "operation"
			      : "operation|A>|B>|B - A [95 %]>|cost B / A [95 "
				"%]>|corrected p>|verdict|A/A floor>");
	for (size_t k = 0; k <= v->n && sides; k++)
		table_column(&t, label(v, k), true);
	for (size_t i = 0; i < v->c->n; i++) {
		const struct pair *p = &v->c->v[i];
		const double most = !sides     ? differs(p) - 1
				    : p->first ? greatest(v, i)
					       : NAN;

		if (most >= 0 || (v->all && !isnan(most)))
			rows[n++] =
				(struct order) { i, v->c->counted ? most : 0 };
	}
	qsort(rows, n, sizeof(*rows), by_effect);
	for (size_t i = 0; i < n; i++)
		if (sides)
			put_sides(&t, v, rows[i].row);
		else
			put_pair(&t, &v->c->v[rows[i].row]);
	if (sides)
		t.caption =
			prose(v->c->counted ? "ledger" : "compare-sides", NULL);
	table_prune(&t);
	doc_table(d, &t, NULL);
}

static const char *ledger_words(const struct comparison *c, const char *b)
{
	size_t same = 0;

	for (size_t i = 0; i < c->n; i++)
		same += c->v[i].verdict == VERDICT_SAME &&
			same_counts(&c->v[i]);
	return text_format(
		"Of %zu rows that both have, %s takes more instructions in "
		"%zu; fewer in %zu; the same in %zu. In %zu the sides are no "
		"further apart than the samples of one of them.",
		c->tested, b, c->verdicts[VERDICT_SLOWER],
		c->verdicts[VERDICT_FASTER], same,
		c->verdicts[VERDICT_SAME] - same);
}

/* "B is slower: 7 of 60 rows differ by more than 2 %." */
static const char *verdict_line(const struct comparison *c, const char *b)
{
	const size_t slower = c->verdicts[VERDICT_SLOWER],
		     faster = c->verdicts[VERDICT_FASTER];
	const char *rows = text_plural(c->tested, "row");
	const char *floor = text_percent(c->floor);

	if (c->counted)
		return ledger_words(c, b);
	if (!c->tested)
		return text_format("%s: no row can be compared: %s.", b,
				   c->n && c->v->why
					   ? c->v->why
					   : "they have no row in common");
	if (slower && faster)
		return text_format("%s is slower in %zu and faster in %zu of "
				   "%s, by more than %s.",
				   b, slower, faster, rows, floor);
	if (slower || faster)
		return text_format("%s is %s: %zu of %s %s by more than %s.", b,
				   slower ? "slower" : "faster",
				   slower + faster, rows,
				   slower + faster == 1 ? "differs" : "differ",
				   floor);
	if (c->verdicts[VERDICT_SMALL])
		return text_format("%s: no difference is large enough to "
				   "matter (more than %s) in %s.",
				   b, floor, rows);
	return text_format("%s: no clear difference in %s.", b, rows);
}

/* The verdict, and which runs were so noisy that none can be built on them. */
static void put_verdict(struct doc *d, const struct compare_view *v, size_t i)
{
	const struct comparison *c = &v->c[i];
	const struct side *sides[] = { c->a, c->b };
	const char *runs = NULL;

	for (size_t k = 0; k < 2 && !c->counted; k++)
		for (size_t j = 0; j < sides[k]->n; j++) {
			const struct run *run = &sides[k]->runs[j];
			const char *word, *noise = noise_of_run(run, &word);

			if (noise && !strcmp(word, "very noisy"))
				runs = text_join(runs, ", ",
						 text_format("%s (%s)",
							     run->dir, noise));
		}
	doc_paragraph(d,
		      verdict_line(c, v->n > 1 || v->in_time ? label(v, i + 1)
							     : "B"));
	if (runs)
		doc_para(d, "Warning: %s",
			 prose("compare-forbidden", "runs", runs, NULL));
}

static void put_rest(struct doc *d, const struct compare_view *v,
		     const struct comparison *c)
{
	doc_para(d,
		 "The rows that do not differ: no clear difference %zu, too "
		 "small to matter %zu, not comparable %zu%s%s.",
		 c->verdicts[VERDICT_SAME], c->verdicts[VERDICT_SMALL],
		 c->verdicts[VERDICT_NOT_COMPARABLE],
		 c->only_b ? text_format(", only in B %zu", c->only_b) : "",
		 v->all ? "" : " (--all prints them)");
}

/* Simulated: docs/compare.md.  Whole runs are units whatever number of
 * rounds they had. */
static bool stopped(const struct side *s)
{
	return s->n == 1 && isfinite(rounds_goal(s->runs));
}

/* Remarks on the verdicts: frequency, states, batches, stopping. */
static void put_words(struct doc *d, const struct comparison *c)
{
	double *clock = text_alloc(c->n + 1, sizeof(*clock)), a, b;
	size_t n = 0, explained = 0, cycles = 0, batches = 0;

	for (size_t i = 0; i < c->n; i++) {
		const struct pair *p = &c->v[i];

		if (isfinite(p->clock))
			clock[n++] = p->clock;
		explained += p->by_frequency;
		cycles += p->in_cycles;
		/* The pilot chooses the length of a batch anew in each
		 * invocation. */
		a = p->tested ? (double)p->a->all.iters : 0;
		b = p->tested ? (double)p->b->all.iters : 0;
		batches += a > BATCH_RATIO * b || b > BATCH_RATIO * a;
	}
	doc_prose(d, c->interleaved ? "compare-in-turn" : "compare-drift");
	stats_sort(clock, n);
	a = n ? expm1(clock[n / 2]) : 0;
	if (explained)
		doc_prose(d, "compare-explained", "by", text_percent(fabs(a)),
			  "how", a > 0 ? "faster" : "slower", "rows",
			  text_plural(explained, "row"));
	if (cycles)
		doc_prose(d, "compare-cycles", "n", text_count(cycles));
	if (c->states)
		doc_prose(d, "compare-states", "rows",
			  text_plural(c->states, "row"));
	if (batches)
		doc_prose(d, "compare-batches", "n", text_count(batches));
	if (stopped(c->a) || stopped(c->b))
		doc_prose(d, "compare-stopping");
}

/* A setting of all runs of a side; "varies" where they do not agree. */
static const char *shown(const struct side *s, size_t i)
{
	const char *first = compare_setting(&s->runs[0], i);

	for (size_t j = 1; j < s->n; j++)
		if (strcmp(first, compare_setting(&s->runs[j], i)) != 0)
			return "varies";
	return first;
}

static void put_settings(struct doc *d, const struct comparison *c)
{
	const char *word[2];
	const char *noise[] = { noise_of_run(c->a->runs, &word[0]),
				noise_of_run(c->b->runs, &word[1]) };
	struct table t;

	table_begin(&t, "what differs|A|B");
	for (size_t i = 0; i < SETTINGS; i++) {
		const char *a = shown(c->a, i), *b = shown(c->b, i);

		if (strcmp(a, b) != 0 || !strcmp(a, "varies"))
			table_line(&t, "", settings[i].name, a, b);
	}
	if (noise[0] && noise[1] && strcmp(word[0], word[1]) != 0)
		table_line(&t, "", "noise certificate", noise[0], noise[1]);
	doc_table(d, &t, "Nothing else that is known differs between the two.");
}

/* Two sides beside their rows: remarks and settings. */
static void put_one(struct doc *d, const struct compare_view *v, size_t i)
{
	const struct comparison *c = &v->c[i];

	if (d->dir || v->n > 1)
		doc_heading(d, text_format("compare-%zu", i + 1),
			    text_format("%s against %s", c->b->name,
					c->a->name));
	if (!c->counted) {
		put_rest(d, v, c);
		put_words(d, c);
	}
	put_settings(d, c);
}

/* The sides in their order: when, on which kernel, of which commit, and how
 * many rows differ from the first. */
static void put_runs(struct doc *d, const struct compare_view *v)
{
	struct table t;

	table_begin(&t, "run>|began|kernel|commit|rounds>|faster>|slower>|"
			"directory");
	for (size_t i = 0; i <= v->n; i++) {
		const struct comparison *c = i ? &v->c[i - 1] : NULL;
		const struct side *s = c ? c->b : v->c->a;
		const struct run *r = s->runs;

		table_line(&t, "", text_count(i + 1),
			   run_text(r->meta, "started_at"),
			   run_text(r->machine, "kernel.release"),
			   run_text(r->meta, "git_id"), rounds_text(r),
			   c ? text_count(c->verdicts[VERDICT_FASTER]) : NULL,
			   c ? text_count(c->verdicts[VERDICT_SLOWER]) : NULL,
			   s->name);
	}
	table_prune(&t);
	doc_table(d, &t, NULL);
}

static void put_notes(struct doc *d, const struct notes *notes)
{
	for (size_t i = 0; i < notes->n; i++)
		doc_para(d, "Warning: %s", notes_text(&notes->v[i]));
}

void compare_write(struct doc *d, const void *what)
{
	const struct compare_view *v = what;

	doc_begin(d, "oscost: comparison");
	/* A history ends with the run that is asked about. */
	for (size_t i = v->in_time ? v->n - 1 : 0; i < v->n; i++)
		put_verdict(d, v, i);
	if (v->in_time)
		put_runs(d, v);
	put_rows(d, v);
	for (size_t i = 0; i < v->n && (d->dir || !v->in_time); i++)
		put_one(d, v, i);
	if (d->dir) {
		put_notes(d, &v->c->a->notes);
		for (size_t i = 0; i < v->n; i++)
			put_notes(d, &v->c[i].b->notes);
		doc_prose(d, v->c->counted ? "compare-counting"
					   : "compare-method");
	}
	doc_end(d);
}

static json_t *known(double x)
{
	return isfinite(x) ? json_real(x) : json_null();
}

static json_t *side_json(const struct row *row)
{
	return row ? json_pack("{s:o, s:[o, o]}", "value",
			       known(row->all.value), "ci95",
			       known(row->all.ci95[0]), known(row->all.ci95[1]))
		   : json_null();
}

static json_t *row_json(const struct pair *p, const char *b, double threshold)
{
	const struct result *r = &p->a->all;

	return json_pack(
		"{s:s, s:s, s:s, s:s, s:s?, s:o, s:o, s:o, s:[o, o], s:s?, "
		"s:b, s:o, s:[o, o], s:o, s:o, s:s, s:b, s:s?, s:[o, o], "
		"s:[o, o]}",
		"benchmark", r->benchmark, "case", r->name, "side", b, "tier",
		compare_is_detail(r) ? "detail" : "core", "unit", r->unit, "a",
		side_json(p->a), "b", side_json(p->b), "difference",
		known(p->added.shift), "difference_ci95", known(p->added.lo),
		known(p->added.hi), "difference_unit", p->unit,
		"compared_in_cycles", p->in_cycles, "ratio",
		known(exp(p->cost.shift)), "ratio_ci95", known(exp(p->cost.lo)),
		known(exp(p->cost.hi)), "p", known(p->p), "p_corrected",
		known(p->adjusted), "verdict", verdict(p), "breaks_threshold",
		compare_breaks(p, threshold), "level", p->level, "level_values",
		known(p->at[0]), known(p->at[1]), "level_shares",
		known(p->share[0]), known(p->share[1]));
}

int compare_json(FILE *f, const struct compare_view *v)
{
	json_t *sides = json_array(), *broke = json_array(),
	       *rows = json_array(), *all, *row;
	int err = json_array_append_new(sides, json_string(v->c->a->name));

	for (size_t i = 0; i < v->n; i++) {
		const struct comparison *c = &v->c[i];

		err |= json_array_append_new(sides, json_string(c->b->name));
		for (const struct pair *p = c->v; p < c->v + c->n; p++) {
			row = row_json(p, c->b->name, v->threshold);
			if (compare_breaks(p, v->threshold))
				err |= json_array_append(broke, row);
			err |= json_array_append_new(rows, row);
		}
	}
	all = json_pack("{s:i, s:o, s:o, s:f, s:b, s:o, s:o}", "schema",
			COMPARE_SCHEMA, "sides", sides, "threshold",
			v->threshold < 0 ? json_null()
					 : json_real(v->threshold),
			"floor", v->c->floor, "interleaved", v->c->interleaved,
			"broke", broke, "rows", rows);
	err |= !all ||
	       json_dumpf(all, f, JSON_INDENT(1) | JSON_REAL_PRECISION(15));
	fputc('\n', f);
	return err ? -ENOMEM : 0;
}
