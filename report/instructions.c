/* SPDX-License-Identifier: MIT */
#include "sections.h"

#include <math.h>
#include <string.h>

#include "compare.h"
#include "doc.h"
#include "text.h"

static bool is(const char *unit, const char *one, const char *other)
{
	return !strcmp(unit, one) || !strcmp(unit, other);
}

/* Time of one operation (or one byte: *@unit), ns; a rate is inverted, as in
 * the ledger.  NAN: @r is no cost. */
static double price(const struct result *r, const char **unit)
{
	const char *u = r->unit ? r->unit : "";

	*unit = is(u, "ns/B", "B/s") ? "instructions/B" : "instructions";
	if (r->status != RESULT_OK || !(r->value > 0))
		return NAN;
	if (is(u, "ns", "ns/B"))
		return r->value;
	return is(u, "1/s", "B/s") ? 1e9 / r->value : NAN;
}

static void add_row(struct table *t, const struct row *timed,
		    const struct row *counted)
{
	const struct result *r = &timed->all;
	const char *unit;
	const double ns = price(r, &unit), cycles = ns * r->core_hz / 1e9;

	if (!counted || counted->all.status != RESULT_OK || !isfinite(ns) ||
	    !counted->all.unit || strcmp(counted->all.unit, unit) != 0)
		return;
	table_line(t, "",
		   text_format("%s: %s%s", r->benchmark, r->name,
			       strchr(unit, '/') ? ", per byte" : ""),
		   ledger_counts(counted->least, counted->most, ""),
		   text_number(ns));
	if (!(cycles > 0))
		return;
	table_cell(t, 3, text_number(cycles));
	table_cell(t, 4, text_number(counted->all.value / cycles));
}

static void fill(struct table *t, const struct run *run,
		 const struct run *ledger)
{
	json_t *index = compare_index(ledger);

	table_begin(t, "operation|instructions>|ns>|core cycles>|instructions "
		       "per cycle>");
	for (size_t i = 0; i < run->nsections; i++)
		for (size_t j = 0; j < run->sections[i].n; j++) {
			const struct row *row =
				&run->rows[run->sections[i].rows[j]];

			add_row(t, row, compare_find(ledger, index, &row->all));
		}
}

/* "6.1.0-56-amd64 with audit=1" */
static const char *kernel(const struct run *run)
{
	const char *release = run_text(run->machine, "kernel.release");
	const char *option = run_text(run->meta, "setting");
	const bool set = ledger_is(run) && option && *option;

	return text_format("%s%s%s", release ? release : "of unknown version",
			   set ? " with " : "", set ? option : "");
}

static void put_difference(struct doc *d, const struct run *run,
			   const struct run *ledger)
{
	const char *a = run_text(run->machine, "kernel.release");
	const char *b = run_text(ledger->machine, "kernel.release");

	if (a && b && !strcmp(a, b))
		return;
	d->format->warning(
		d,
		text_format(
			"These are not known to be the same kernel: the times "
			"are of Linux %s, the instructions of Linux %s.",
			a ? a : "of unknown version",
			b ? b : "of unknown version"),
		NULL);
}

void instructions_write(struct doc *d, const struct run *run,
			const struct run *ledger)
{
	struct table t = { 0 };

	if (!ledger)
		return;
	d->format->heading(d, 2, "instructions", "Instructions and time");
	put_difference(d, run, ledger);
	fill(&t, run, ledger);
	t.caption = prose("instructions", "timed", kernel(run), "ledger",
			  ledger->dir, "counted", kernel(ledger), NULL);
	if (t.nrows)
		d->format->table(d, &t);
	else
		d->format->para(d, "The run and the ledger have no row with a "
				   "price in common.");
}
