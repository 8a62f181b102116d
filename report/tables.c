/* SPDX-License-Identifier: MIT */
#include "sections.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grade.h"
#include "load.h"
#include "out.h"
#include "text.h"
#include "units.h"

/* The columns of a section's table, in order: first those of a narrow one. */
enum {
	COL_CASE,
	COL_VALUE,
	COL_UNIT,
	COL_INTERVAL,
	COL_TRUE,
	COL_ERROR,
	COL_GRADE,
	COL_REASON,
	COL_N,
	COL_MIN,
	COL_MEAN,
	COL_STDDEV,
	COL_P50,
	COL_P90,
	COL_P99,
	COL_MAX,
	COL_COLD,
	COL_TICKS,
	COL_CYCLES,
	COL_TIMER,
	COL_ESTIMATOR,
	COL_EVIDENCE,
};

static const struct {
	const char *head;
	bool number;
} columns[] = {
	[COL_CASE] = { "case", false },
	[COL_VALUE] = { "value", true },
	[COL_UNIT] = { "unit", false },
	[COL_INTERVAL] = { "95 % interval", true },
	[COL_TRUE] = { "true value", true },
	[COL_ERROR] = { "error", true },
	[COL_GRADE] = { "grade", false },
	[COL_REASON] = { "remark", false },
	[COL_N] = { "n", true },
	[COL_MIN] = { "min", true },
	[COL_MEAN] = { "mean", true },
	[COL_STDDEV] = { "std. dev.", true },
	[COL_P50] = { "p50", true },
	[COL_P90] = { "p90", true },
	[COL_P99] = { "p99", true },
	[COL_MAX] = { "max", true },
	[COL_COLD] = { "cold", true },
	[COL_TICKS] = { "ticks", true },
	[COL_CYCLES] = { "cycles", true },
	[COL_TIMER] = { "timer", false },
	[COL_ESTIMATOR] = { "estimator", false },
	[COL_EVIDENCE] = { "evidence", false },
};

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

static int by_size(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

/* One for all rows of the program of @r with its unit, that of the middle one:
 * figures below each other are read as if they had the same unit. */
static double scale_among(const struct run *run, const struct result *r,
			  const char **shown)
{
	const struct section *s = run_section(run, r->benchmark);
	const char *unit = r->unit ? r->unit : "";
	double *v = text_alloc(run->nrows, sizeof(*v)), middle;
	size_t n = 0;

	for (size_t i = 0; s && i < s->n; i++) {
		const struct result *x = &run->rows[s->rows[i]].all;

		if (x->unit && !strcmp(x->unit, unit) && typical(x) > 0)
			v[n++] = typical(x);
	}
	qsort(v, n, sizeof(*v), by_size);
	middle = n ? v[n / 2] : 0;
	free(v); /* for each row, as long as all of them */
	return units_scale(middle, unit, shown);
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

/* With @shown behind it, unless that is NULL. */
static const char *interval(const struct result *r, double scale,
			    const char *shown)
{
	const bool bare = !shown || !strcmp(shown, "1");
	double half = grade_halfwidth(r);
	const char *lo;

	if (r->trend)
		return text_format("trend: %s", trend_text(r));
	if (!isfinite(half))
		return NULL;
	lo = number(r->ci95[0] / scale);
	return half > 0 ? text_format("%s – %s%s%s (±%s)", lo,
				      number(r->ci95[1] / scale),
				      bare ? "" : " ", bare ? "" : shown,
				      text_percent(half))
			: text_format("%s%s%s in all", lo, bare ? "" : " ",
				      bare ? "" : shown);
}

const char *tables_interval(const struct result *r)
{
	const char *shown;
	const double scale = scale_of(r, &shown);

	return interval(r, scale, shown);
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
	if (r->status == RESULT_OK && row->moves > 0)
		return text_format(
			"moves by up to %.3g %% with the place of the code",
			row->moves);
	return r->reason ? r->reason : grade_doubt(r);
}

static const char *error_pct(const struct result *r)
{
	if (!isfinite(r->expected) || !isfinite(r->value) || r->expected == 0)
		return NULL;
	return text_error(r->value / r->expected - 1);
}

static void fill_spread(struct table *t, const struct result *r, double scale)
{
	table_cell(t, COL_MIN, number(r->min / scale));
	table_cell(t, COL_MEAN, number(r->mean / scale));
	table_cell(t, COL_STDDEV, number(r->stddev / scale));
	/* Percentiles of batches would describe batches, not operations. */
	if (r->iters > 1)
		return;
	table_cell(t, COL_P50, number(r->p50 / scale));
	table_cell(t, COL_P90, number(r->p90 / scale));
	table_cell(t, COL_P99, number(r->p99 / scale));
	table_cell(t, COL_MAX, number(r->max / scale));
	table_cell(t, COL_COLD, number(r->cold / scale));
}

/* Both levels with their shares, without the unit. */
static const char *levels(const struct states *s, double scale)
{
	char a[UNITS_MAX], b[UNITS_MAX];

	return text_format("%s (%s) or %s (%s)", number(s->low / scale),
			   states_share(a, s, s->n_low),
			   number(s->high / scale),
			   states_share(b, s, s->n_high));
}

/* Value, unit and interval; what has no value says so in its place. */
static void fill_value(struct table *t, const struct result *r, size_t at,
		       double scale, const char *shown)
{
	struct states s;

	if (states_of(&s, r)) {
		table_cell(t, at, levels(&s, scale));
	} else if (r->status == RESULT_OK) {
		table_cell(t, at, number(r->value / scale));
	} else if (r->status == RESULT_BELOW_RESOLUTION &&
		   isfinite(r->resolution)) {
		table_cell(t, at,
			   text_format("< %s", number(r->resolution / scale)));
	} else {
		table_cell(t, at, tables_value(r));
	}
	if (strcmp(shown, "1") != 0)
		table_cell(t, at + 1, shown);
	table_cell(t, at + 2, interval(r, scale, NULL));
}

static void fill_row(struct table *t, const struct run *run,
		     const struct row *row)
{
	const struct result *r = &row->all;
	const char *shown;
	double scale = scale_among(run, r, &shown);

	table_row(t, tables_mark(r));
	table_cell(t, COL_CASE, *r->name ? r->name : "–");
	fill_value(t, r, COL_VALUE, scale, shown);
	table_cell(t, COL_TRUE, number(r->expected / scale));
	table_cell(t, COL_ERROR, error_pct(r));
	table_cell(t, COL_N, text_format("%llu", (unsigned long long)r->n));
	fill_spread(t, r, scale);
	table_cell(t, COL_TICKS, number(r->ticks));
	table_cell(t, COL_CYCLES, number(r->cycles));
	table_cell(t, COL_TIMER, r->timer);
	table_cell(t, COL_ESTIMATOR, r->estimator);
	table_cell(t, COL_GRADE, r->grade);
	table_cell(t, COL_EVIDENCE, out_evidence(r));
	table_cell(t, COL_REASON, remark(row));
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
	const struct result *r = &run->rows[s->rows[0]].all;
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

/* What is the same in all rows stands in the caption, once. */
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
	*t = (struct table) { 0 };
	for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++)
		table_column(t, columns[i].head, columns[i].number);
	for (size_t i = 0; i < section->n; i++)
		fill_row(t, run, &run->rows[section->rows[i]]);
	t->program = section->program;
	t->shown = COL_REASON + 1;
	t->caption = caption(run, section);
	hoist(t, COL_TIMER, "timer");
	hoist(t, COL_ESTIMATOR, "estimator");
	table_prune(t);
}

bool tables_is_core(const struct row *row)
{
	return row->all.tier && !strcmp(row->all.tier, "core");
}

void tables_core(struct table *t, const struct run *run,
		 const struct section *core)
{
	static const char *const heads[] = { "program",	      "case",
					     "value",	      "unit",
					     "95 % interval", "grade",
					     "remark" };

	*t = (struct table) { .core = true };
	for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++)
		table_column(t, heads[i], i == 2 || i == 4);
	for (size_t i = 0; i < core->n; i++) {
		const struct row *row = &run->rows[core->rows[i]];
		const struct result *r = &row->all;
		const char *shown;
		double scale = scale_among(run, r, &shown);

		table_line(t, tables_mark(r), r->benchmark, r->name);
		fill_value(t, r, 2, scale, shown);
		table_cell(t, 5, r->grade);
		table_cell(t, 6, remark(row));
	}
	table_prune(t);
}

void tables_missing(struct table *t, const struct run *run)
{
	table_begin(t, "program|case|what|why");
	for (size_t i = 0; i < run->ntroubles; i++) {
		const struct trouble *x = &run->troubles[i];

		table_line(t, x->exit_status == 77 ? "skipped" : "failed",
			   x->program,
			   text_format("(program, %u round%s)", x->rounds,
				       x->rounds == 1 ? "" : "s"),
			   tables_exit(x->exit_status), x->reason);
	}
	for (size_t i = 0; i < run->nsections; i++) {
		const struct section *s = &run->sections[i];

		for (size_t j = 0; j < s->n; j++) {
			const struct row *row = &run->rows[s->rows[j]];

			if (row->all.status == RESULT_OK)
				continue;
			table_line(t, tables_mark(&row->all), s->program,
				   row->all.name, tables_value(&row->all),
				   remark(row));
		}
	}
}
