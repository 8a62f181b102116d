/* SPDX-License-Identifier: MIT */
#include "sections.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "grade.h"
#include "load.h"
#include "out.h"
#include "text.h"
#include "units.h"

/* The columns of a section's table, in order: first those of a narrow one. */
#define COLUMNS                                                               \
	"case|value>|95 % interval>|true value>|error>|grade|remark|n>|min>|" \
	"mean>|std. dev.>|p50>|p90>|p99>|max>|cold>|ticks>|cycles>|timer|"    \
	"estimator|self-check"

enum { COL_REMARK = 6, COL_TIMER = 18, COL_ESTIMATOR };

/* Four digits, one more than units_number(): an interval of a few per mille
 * must not read as a point. */
static const char *number(double x)
{
	double size = fabs(x);
	int decimals = 0;

	if (!isfinite(x))
		return NULL;
	if (size != 0 && (size < 1e-4 || size >= 1e9))
		return text_format("%.3e", x);
	if (size > 0 && size < 1000)
		decimals = 3 - (int)floor(log10(size));
	return text_format("%.*f", decimals, x);
}

static double typical(const struct result *r)
{
	if (isfinite(r->value))
		return r->value;
	if (isfinite(r->p50))
		return r->p50;
	return isfinite(r->resolution) ? r->resolution : 0;
}

static double scale_of(const struct result *r, const char **shown)
{
	return units_scale(typical(r), r->unit ? r->unit : "", shown);
}

/* Three digits; as many as the interval has where they would lie out of it. */
static const char *measured(const struct result *r)
{
	const char *shown;
	char buf[UNITS_MAX];
	double scale = scale_of(r, &shown), said;

	units_format(buf, r->value, r->unit);
	said = strtod(buf, NULL) * scale;
	if (!(said < r->ci95[0]) && !(said > r->ci95[1]))
		return text_copy(buf);
	return text_format("%s%s", number(r->value / scale),
			   buf + strcspn(buf, " "));
}

const char *tables_value(const struct result *r)
{
	return r->status == RESULT_OK && !r->states ? measured(r)
						    : out_value(r);
}

const char *tables_range(const struct result *r, double least, double most)
{
	const char *shown;
	const double scale = scale_of(r, &shown);
	const char *lo = number(least / scale), *hi = number(most / scale);
	const bool bare = !strcmp(shown, "1");

	return text_format("%s%s%s%s%s", lo, least < most ? " – " : "",
			   least < most ? hi : "", bare ? "" : " ",
			   bare ? "" : shown);
}

const char *tables_interval(const struct result *r)
{
	const double half = grade_halfwidth(r);
	const char *range;

	if (r->trend)
		return text_format("trend: %s", trend_text(r));
	if (!isfinite(half))
		return NULL;
	range = tables_range(r, r->ci95[0], r->ci95[1]);
	return half > 0 ? text_format("%s (±%s)", range, text_percent(half))
			: text_format("%s in all", range);
}

const char *tables_both(const struct result *r)
{
	const char *value = tables_value(r), *interval = tables_interval(r);

	return interval ? text_format("%s (%s)", value, interval) : value;
}

const char *tables_exit(json_int_t status)
{
	switch (status) {
	case 1:
		return "failed";
	case 2:
		return "refused its options";
	case 77:
		return "skipped";
	case 124:
		return "took longer than its limit";
	default:
		if (status > 128 && status < 128 + SIGRTMAX)
			return text_format("killed by signal %d",
					   (int)status - 128);
		return text_format("exit status %" JSON_INTEGER_FORMAT, status);
	}
}

const char *tables_mark(const struct result *r)
{
	return r->status == RESULT_OK ? "" : result_status_name(r->status);
}

static const char *remark(const struct row *row)
{
	const struct result *r = &row->all;
	size_t without = 0;

	for (size_t i = 0; i < row->n; i++)
		without += !isfinite(row->values[i]);
	if (r->status == RESULT_OK && without && row->missing)
		return text_format("no value in %zu of %zu rounds: %s", without,
				   row->n, row->missing);
	if (r->status == RESULT_BELOW_RESOLUTION)
		return text_copy(out_reason(r));
	if (r->status != RESULT_OK && row->failures && row->failures < row->n)
		return text_format("%s (%u of %zu rounds failed)",
				   r->reason ? r->reason : "", row->failures,
				   row->n);
	if (r->states)
		return grade_doubt(r)
			       ? text_format("two states; %s", grade_doubt(r))
			       : "two states";
	return r->reason ? r->reason : grade_doubt(r);
}

static const char *error_pct(const struct result *r)
{
	if (!isfinite(r->expected) || !isfinite(r->value) || r->expected == 0)
		return NULL;
	return text_error(r->value / r->expected - 1);
}

/* The counts of a row, and the measurements that are in none of its figures. */
static const char *self_check(const struct result *r)
{
	const char *counted = out_evidence(r), *excluded = out_excluded(r);

	return excluded ? text_join(counted, "; ", excluded) : counted;
}

/* In the unit that suits it; NULL if it is not known. */
static const char *amount(double x, const struct result *r)
{
	return isfinite(x) ? text_units(x, r->unit ? r->unit : "") : NULL;
}

static void fill_row(struct table *t, const struct row *row)
{
	const struct result *r = &row->all;
	/* Percentiles of batches would describe batches, not operations. */
	const double only = r->iters > 1 ? NAN : 0;

	table_line(t, tables_mark(r), *r->name ? r->name : "–", tables_value(r),
		   tables_interval(r), amount(r->expected, r), error_pct(r),
		   r->grade, remark(row),
		   text_format("%llu", (unsigned long long)r->n),
		   amount(r->min, r), amount(r->mean, r), amount(r->stddev, r),
		   amount(r->p50 + only, r), amount(r->p90 + only, r),
		   amount(r->p99 + only, r), amount(r->max + only, r),
		   amount(r->cold + only, r), number(r->ticks),
		   number(r->cycles), r->timer, r->estimator, self_check(r));
}

/* The text that all cells of a column share, or NULL.  Rows that were not
 * measured have none and do not count. */
static const char *common(const struct table *t, size_t column)
{
	const char *all = NULL;

	for (size_t i = 0; i < t->nrows; i++) {
		const char *cell = t->cells[i * t->ncolumns + column];

		if (!cell)
			continue;
		if (all && strcmp(all, cell) != 0)
			return NULL;
		all = cell;
	}
	return all;
}

static void clear_column(struct table *t, size_t column)
{
	for (size_t i = 0; i < t->nrows; i++)
		t->cells[i * t->ncolumns + column] = NULL;
}

static const char *caption(const struct run *run, const struct section *s)
{
	const struct result *r = &s->rows[0]->all;
	unsigned int least, most;
	const char *rounds = rounds_ends(run, &least, &most)
				     ? text_format(", %u rounds", s->rounds)
				     : "";

	return text_format("%s: %s, scheduling %s %lld%s", s->program,
			   r->cpu >= 0
				   ? text_format("CPU %lld", (long long)r->cpu)
				   : (r->cpu == RESULT_CPUS_DIFFER
					      ? "CPU differs"
					      : "bound to no CPU"),
			   r->policy ? r->policy : "unknown",
			   (long long)r->priority, rounds);
}

/* A text that is the same in all rows stands in the caption, once. */
static void hoist(struct table *t, size_t column, const char *what)
{
	const char *all = common(t, column);
	const char *text;

	if (!all)
		return;
	text = text_format("%s, %s %s", t->caption, what, all);
	t->caption = text;
	clear_column(t, column);
}

void tables_section(struct table *t, const struct run *run,
		    const struct section *section)
{
	table_begin(t, COLUMNS);
	for (size_t i = 0; i < section->n; i++)
		fill_row(t, section->rows[i]);
	t->program = section->program;
	t->shown = COL_REMARK + 1;
	t->caption = caption(run, section);
	hoist(t, COL_TIMER, "timer");
	hoist(t, COL_ESTIMATOR, "estimator");
	table_prune(t);
}

bool tables_is_core(const struct row *row)
{
	return text_same(row->all.tier, "core");
}

const char *tables_words(const struct run *run, const struct row *row,
			 bool more)
{
	/* Where a line of the kind has its words, program and cases. */
	static const struct {
		const char *kind;
		int words, program, cases;
	} kinds[] = { { "core", 2, 0, 1 },
		      { "course", 2, 3, 4 },
		      { "lmbench", 1, 2, 3 } };
	const size_t n = more ? sizeof(kinds) / sizeof(*kinds) : 1;

	for (size_t i = 0; i < n; i++) {
		const struct rowtable_line *l = NULL;

		while ((l = rowtable_next(&run->suite, kinds[i].kind, l)))
			if (rowtable_given(l->field[kinds[i].words]) &&
			    !strcmp(l->field[kinds[i].program],
				    row->all.benchmark) &&
			    run_pick(run, row->all.benchmark,
				     l->field[kinds[i].cases]) == row)
				return l->field[kinds[i].words];
	}
	return NULL;
}

void tables_core(struct table *t, const struct run *run,
		 const struct section *core)
{
	table_begin(t, "operation|program|case|value>|95 % interval>|grade|"
		       "remark");
	t->class = "core";
	for (size_t i = 0; i < core->n; i++) {
		const struct row *row = core->rows[i];
		const struct result *r = &row->all;

		table_line(t, tables_mark(r), tables_words(run, row, true),
			   r->benchmark, r->name, tables_value(r),
			   tables_interval(r), r->grade, remark(row));
	}
	table_prune(t);
}

void tables_missing(struct table *t, const struct run *run)
{
	table_begin(t, "reason|result|rows>|which");
	for (size_t i = 0; i < run->ntroubles; i++) {
		const struct trouble *x = &run->troubles[i];

		table_group(t, x->exit_status == 77 ? "skipped" : "failed",
			    tables_exit(x->exit_status), x->reason,
			    text_format("%s (program, %s)", x->program,
					text_plural(x->rounds, "round")));
	}
	for (size_t i = 0; i < run->nrows; i++) {
		const struct row *row = &run->rows[i];
		const struct result *r = &row->all;

		if (r->status != RESULT_OK)
			table_group(t, tables_mark(r),
				    r->status == RESULT_BELOW_RESOLUTION
					    ? "too small to measure"
					    : result_status_name(r->status),
				    remark(row),
				    text_format("%s %s", r->benchmark,
						r->name));
	}
}
