/* SPDX-License-Identifier: MIT */
#include "history.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "rank.h"
#include "stats.h"
#include "text.h"

#define ALPHA	0.05
#define LEAST_P 1.5e-4 /* what 9999 random orders can tell */
#define FLOOR	0.02   /* METHOD: less does not matter in practice */

static int by_time(const void *a, const void *b)
{
	const struct run *p = a, *q = b;
	const char *s = run_text(p->meta, "started_at");
	const char *t = run_text(q->meta, "started_at");

	return strcmp(s ? s : "", t ? t : "");
}

static void load_runs(struct history *h, size_t n, char *const *dirs)
{
	h->runs = text_alloc(n, sizeof(*h->runs));
	for (size_t i = 0; i < n; i++) {
		struct run *run = &h->runs[h->nruns];
		const char *why;

		if (run_load(run, dirs[i], &h->notes, &why)) {
			notes_add(&h->notes, why, "left out");
			continue;
		}
		h->nruns++;
	}
	qsort(h->runs, h->nruns, sizeof(*h->runs), by_time);
}

static void check_machine(struct history *h)
{
	const char *first = run_text(h->runs[0].machine, "cpu.model");

	for (size_t i = 1; i < h->nruns; i++) {
		const char *other = run_text(h->runs[i].machine, "cpu.model");

		if (first && other && strcmp(first, other) != 0)
			notes_add(&h->notes,
				  text_format("%s is of another processor: %s, "
					      "not %s",
					      h->runs[i].dir, other, first),
				  "a history is of one machine; compare "
				  "machines with `report compare`");
	}
}

static struct series *find(struct history *h, json_t *index,
			   const struct result *r)
{
	const char *key = text_format("%zu %s%s", strlen(r->benchmark),
				      r->benchmark, r->name);
	const json_t *known = json_object_get(index, key);
	struct series *s;

	if (known) {
		s = &h->v[json_integer_value(known)];
	} else {
		json_object_set_new(index, key, json_integer((json_int_t)h->n));
		h->v = text_grow(h->v, h->n, sizeof(*h->v));
		s = &h->v[h->n++];
		*s = (struct series) { .row = r };
		s->values = text_alloc(h->nruns, sizeof(*s->values));
		s->core_hz = text_alloc(h->nruns, sizeof(*s->core_hz));
		s->widths = text_alloc(h->nruns, sizeof(*s->widths));
		for (size_t i = 0; i < h->nruns; i++)
			s->values[i] = s->core_hz[i] = s->widths[i] = NAN;
	}
	return s;
}

static void add_run(struct history *h, json_t *index, size_t i)
{
	const struct run *run = &h->runs[i];

	for (size_t j = 0; j < run->nsections; j++) {
		const struct section *section = &run->sections[j];

		for (size_t k = 0; k < section->n; k++) {
			const struct result *r =
				&run->rows[section->rows[k]].all;
			struct series *s = find(h, index, r);

			if (r->status != RESULT_OK || !isfinite(r->value))
				continue;
			s->values[i] = r->value;
			s->core_hz[i] = r->core_hz;
			s->widths[i] = (r->ci95[1] - r->ci95[0]) / 2 / r->value;
			s->n++;
		}
	}
}

/* The median of those that are numbers, or NAN. */
static double median_of(const double *v, size_t n)
{
	double *kept = text_alloc(n ? n : 1, sizeof(*kept)), median;
	size_t m = 0;

	for (size_t i = 0; i < n; i++)
		if (isfinite(v[i]))
			kept[m++] = v[i];
	median = m ? stats_median(kept, m) : NAN;
	return median;
}

/* How far values move from run to run: of steps, so a change of the level is
 * one of many.  What a moved frequency explains is left out. */
static double step(const double *logs, const double *cycles, bool clocked,
		   size_t n)
{
	double *steps = text_alloc(n ? n : 1, sizeof(*steps)), median;

	for (size_t i = 0; i + 1 < n; i++) {
		const double times = logs[i + 1] - logs[i];

		steps[i] = expm1(fabs(
			clocked ? rank_lesser(times, cycles[i + 1] - cycles[i])
				: times));
	}
	median = median_of(steps, n ? n - 1 : 0);
	return median;
}

/* Logarithms, so that a change is a ratio; runs without a value, and values
 * that have none, are jumped over. */
static void find_changes(struct series *s, size_t nruns, size_t least,
			 double alpha)
{
	const bool rate = s->row->better && !strcmp(s->row->better, "higher");
	double *logs = text_alloc(nruns, sizeof(*logs));
	double *cycles = text_alloc(nruns, sizeof(*cycles));
	bool clocked = true;
	size_t *run = text_alloc(nruns, sizeof(*run));
	struct change found[HISTORY_CHANGES];
	size_t n = 0, count, from = 0;

	for (size_t i = 0; i < nruns; i++) {
		if (!(s->values[i] > 0))
			continue;
		run[n] = i;
		logs[n] = cycles[n] = log(s->values[i]);
		clocked = clocked && s->core_hz[i] > 0;
		if (clocked)
			cycles[n] += (rate ? -1 : 1) * log(s->core_hz[i]);
		n++;
	}
	s->within = median_of(s->widths, nruns);
	s->between = step(logs, cycles, clocked, n);
	count = n < least ? 0
			  : change_find(found, HISTORY_CHANGES, logs, n, alpha);
	for (size_t i = 0; i < count; i++) {
		const double shift = found[i].shift;
		const size_t at = found[i].at;
		const size_t to = i + 1 < count ? found[i + 1].at : n;

		if (clocked)
			found[i].shift =
				rank_lesser(shift,
					    change_shift(cycles, from, at, to));
		from = at;
		if (expm1(fabs(found[i].shift)) < FLOOR) {
			s->by_frequency |= expm1(fabs(shift)) >= FLOOR;
			continue;
		}
		found[i].at = run[at];
		s->changes[s->nchanges++] = found[i];
	}
}

size_t history_load(struct history *h, size_t n, char *const *dirs)
{
	json_t *index = json_object();
	double alpha;

	*h = (struct history) { 0 };
	load_runs(h, n, dirs);
	if (h->nruns)
		check_machine(h);
	for (size_t i = 0; i < h->nruns; i++)
		add_run(h, index, i);
	/* Bonferroni over the rows, as far as random orders can tell. */
	alpha = fmax(LEAST_P, ALPHA / (h->n ? (double)h->n : 1));
	h->least = change_least(alpha);
	for (size_t i = 0; i < h->n; i++)
		find_changes(&h->v[i], h->nruns, h->least, alpha);
	if (h->nruns > CHANGE_MAX)
		notes_add(&h->notes,
			  text_format("of %zu runs only the last %d of each "
				      "row are searched for changes",
				      h->nruns, CHANGE_MAX),
			  NULL);
	return h->nruns;
}

const char *history_summary(const struct history *h)
{
	size_t changed = 0, explained = 0;
	const char *frequency;

	for (size_t i = 0; i < h->n; i++) {
		changed += h->v[i].nchanges > 0;
		explained += h->v[i].by_frequency && !h->v[i].nchanges;
	}
	if (h->nruns < h->least)
		return text_format(
			"%zu run%s, %zu rows. With so many rows at least %zu "
			"runs are needed to tell a change from chance.",
			h->nruns, h->nruns == 1 ? "" : "s", h->n, h->least);
	frequency = explained ? text_format(" Changes of the core's frequency "
					    "explain those of %zu more.",
					    explained)
			      : "";
	return text_format("%zu runs, %zu rows, of which %zu changed their "
			   "level by 2 %% or more.%s",
			   h->nruns, h->n, changed, frequency);
}
