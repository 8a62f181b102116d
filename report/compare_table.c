/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "compare.h"
#include "doc.h"
#include "grade.h"
#include "result.h"
#include "sections.h"
#include "text.h"
#include "units.h"

/* What must be the same, or is what one wants to compare. */
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

static const json_t *setting(const struct run *run, size_t i)
{
	return run_at(settings[i].in_run ? run->meta : run->machine,
		      settings[i].path);
}

const char *compare_setting_name(size_t i)
{
	return i < sizeof(settings) / sizeof(settings[0]) ? settings[i].name
							  : NULL;
}

const char *compare_setting(const struct run *run, size_t i)
{
	const json_t *v = setting(run, i);
	const char *text;

	if (!v || json_is_null(v))
		return "unknown";
	if (json_is_string(v))
		return json_string_value(v);
	text = json_dumps(v, JSON_COMPACT | JSON_ENCODE_ANY | JSON_SORT_KEYS |
				     JSON_REAL_PRECISION(9));
	return text ? text : "unknown";
}

/* As compare_setting(), or "varies" where the runs of a side do not agree. */
static const char *shown(const struct side *s, size_t i)
{
	const json_t *first = setting(&s->runs[0], i);

	for (size_t j = 1; j < s->n; j++) {
		const json_t *v = setting(&s->runs[j], i);

		if ((first || v) && !(first && v && json_equal(first, v)))
			return "varies";
	}
	return compare_setting(&s->runs[0], i);
}

static void add_noise(struct table *t, const struct comparison *c)
{
	const char *word[2];
	const char *a = noise_of_run(c->a->runs, &word[0]);
	const char *b = noise_of_run(c->b->runs, &word[1]);

	if (a && b && strcmp(word[0], word[1]) != 0) {
		table_line(t, "", "noise certificate", a, b);
	}
}

void compare_settings(struct table *t, const struct comparison *c)
{
	table_begin(t, "what differs|A|B");
	for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++) {
		const char *a = shown(c->a, i), *b = shown(c->b, i);

		if (!strcmp(a, b) && strcmp(a, "varies") != 0) {
			continue;
		}
		table_line(t, "", settings[i].name, a, b);
	}
	add_noise(t, c);
}

/* "1.051": four digits are 0.1 %. */
static const char *ratio(double log_ratio)
{
	return isfinite(log_ratio) ? text_format("%.4g", exp(log_ratio)) : NULL;
}

const char *compare_ratios(const struct rank_shift *cost)
{
	const char *text = ratio(cost->shift);

	if (text && isfinite(cost->lo) && isfinite(cost->hi))
		text = text_format("%.4g [%.4g, %.4g]", exp(cost->shift),
				   exp(cost->lo), exp(cost->hi));
	return text;
}

static const char *signed_number(double x)
{
	return text_format("%s%s", x < 0 ? "-" : "+", text_number(fabs(x)));
}

const char *compare_added(const struct pair *p)
{
	const struct rank_shift *s = &p->added;
	const bool both = isfinite(s->lo) && isfinite(s->hi);
	const char *shown;
	const double scale =
		units_scale(both ? fmax(fabs(s->lo), fabs(s->hi)) : s->shift,
			    p->unit, &shown);
	const char *text;

	if (!isfinite(s->shift))
		return NULL;
	text = text_format("%s %s", signed_number(s->shift / scale), shown);
	return both ? text_format("%s [%s, %s]", text,
				  signed_number(s->lo / scale),
				  signed_number(s->hi / scale))
		    : text;
}

static const char *p_value(double p)
{
	if (!isfinite(p))
		return NULL;
	return p < 1e-4 ? text_format("%.0e", p) : text_format("%.4f", p);
}

static void one_mean(struct table *t, const struct comparison *c,
		     const char *program)
{
	size_t rows = 0, count[VERDICT_NOT_COMPARABLE + 1] = { 0 };
	double sum = 0;

	for (size_t i = 0; i < c->n; i++) {
		const struct pair *p = &c->v[i];

		if (strcmp(p->a->all.benchmark, program) != 0)
			continue;
		count[p->verdict]++;
		if (!p->tested)
			continue;
		rows++;
		sum += p->cost.shift;
	}
	table_line(t, "", program, text_format("%zu", rows));
	if (rows)
		table_cell(t, 2, ratio(sum / (double)rows));
	table_cell(t, 3, text_format("%zu", count[VERDICT_FASTER]));
	table_cell(t, 4, text_format("%zu", count[VERDICT_SLOWER]));
	table_cell(t, 5, text_format("%zu", count[VERDICT_SMALL]));
	table_cell(t, 6, text_format("%zu", count[VERDICT_SAME]));
	table_cell(t, 7, text_format("%zu", count[VERDICT_NOT_COMPARABLE]));
}

void compare_means(struct table *t, const struct comparison *c)
{
	const struct run *run = c->a->runs;

	table_begin(t, "program|rows>|cost B / A>|faster>|slower>|too "
		       "small>|unclear>|no test>");
	for (size_t i = 0; i < run->nsections; i++)
		if (run->sections[i].n)
			one_mean(t, c, run->sections[i].program);
}

/* "98.2 ns", or of a level "98.2 ns (80 %)" */
static const char *side_value(const struct pair *p, size_t side)
{
	const struct row *row = side ? p->b : p->a;

	if (!p->level)
		return tables_value(&row->all);
	return text_format("%s (%.0f %%)",
			   text_units(p->at[side], p->a->all.unit),
			   100 * p->share[side]);
}

static void add_row(struct table *t, const struct pair *p)
{
	table_line(t,
		   p->verdict == VERDICT_NOT_COMPARABLE ? "skipped"
		   : p->verdict == VERDICT_SLOWER	? "failed"
							: "",
		   compare_label(p), side_value(p, 0));
	if (p->b)
		table_cell(t, 2, side_value(p, 1));
	table_cell(t, 6, compare_verdict(p));
	if (!p->tested)
		return;
	table_cell(t, 3, compare_added(p));
	table_cell(t, 4, compare_ratios(&p->cost));
	table_cell(t, 5, p_value(p->adjusted));
	if (p->floor > 0)
		table_cell(t, 7, text_percent(p->floor));
}

void compare_rows(struct table *t, const struct comparison *c, bool details,
		  bool all)
{
	table_begin(t, "core row|A>|B>|B - A [95 %]>|cost B / A [95 "
		       "%]>|corrected p>|verdict");
	if (details)
		t->columns[0].head = "detail row";
	if (c->rows_with_floor)
		table_column(t, "A/A floor", true);
	for (size_t i = 0; i < c->n; i++)
		if (compare_is_detail(&c->v[i].a->all) == details &&
		    (all || c->v[i].verdict == VERDICT_SLOWER ||
		     c->v[i].verdict == VERDICT_FASTER))
			add_row(t, &c->v[i]);
}

const char *compare_name(const struct side *s)
{
	const char *slash = strrchr(s->name, '/');

	return slash ? slash + 1 : s->name;
}

/* Instructions are not time. */
static const char *counted_verdict(const struct pair *p)
{
	switch (p->verdict) {
	case VERDICT_SLOWER:
		return "more";
	case VERDICT_FASTER:
		return "fewer";
	case VERDICT_SAME:
		return "no further apart than the past moves it";
	default:
		return compare_verdict(p);
	}
}

static void across_row(struct table *t, const struct comparison *c,
		       const struct pair *p)
{
	table_line(t, "", compare_label(p),
		   text_format("%s%s", compare_name(c->b),
			       c->counted ? " (instructions)" : ""),
		   side_value(p, 0));
	table_cell(t, 5, c->counted ? counted_verdict(p) : compare_verdict(p));
	if (!p->tested)
		return;
	table_cell(t, 3, compare_added(p));
	table_cell(t, 4, compare_ratios(&p->cost));
}

/* The first pair of row @i of @c in @other, which may be one of ledgers. */
static const struct pair *same_row(const struct comparison *c, size_t i,
				   const struct comparison *other)
{
	const struct row *row = c->v[i].a;

	if (other->a == c->a)
		return &other->v[other->first[row - c->a->runs->rows]];
	for (size_t k = 0; k < other->n; k++)
		if (!strcmp(other->v[k].a->all.benchmark, row->all.benchmark) &&
		    !strcmp(other->v[k].a->all.name, row->all.name))
			return &other->v[k];
	return NULL;
}

/* Whether any side differs in row @i of the first comparison. */
static bool any_differs(const struct comparison *c, size_t n, size_t i)
{
	for (size_t k = 0; k < n; k++) {
		const struct pair *p = same_row(c, i, &c[k]);

		if (p && (p->verdict == VERDICT_FASTER ||
			  p->verdict == VERDICT_SLOWER))
			return true;
	}
	return false;
}

void compare_across(struct table *t, const struct comparison *c, size_t n,
		    bool all)
{
	table_begin(t, "operation|with|A>|adds [95 %]>|cost [95 %]>|verdict");
	t->columns[2].head = compare_name(c->a);
	for (size_t i = 0; i < c->n; i++)
		for (size_t k = 0;
		     c->v[i].first && k < n && (all || any_differs(c, n, i));
		     k++) {
			const struct pair *p = same_row(c, i, &c[k]);
			const struct pair *end = c[k].v + c[k].n;

			if (p)
				do
					across_row(t, &c[k], p);
				while (++p < end && !p->first);
		}
}
