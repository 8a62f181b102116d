/* SPDX-License-Identifier: MIT */
#include "compare.h"

#include <errno.h>
#include <math.h>

#include "text.h"

#define COMPARE_SCHEMA 1

bool compare_breaks(const struct pair *p, double threshold)
{
	return threshold >= 0 && p->verdict == VERDICT_SLOWER &&
	       expm1(p->cost.shift) > threshold;
}

static json_t *number(double x)
{
	return isfinite(x) ? json_real(x) : json_null();
}

static json_t *one_side(const struct row *row)
{
	const struct result *r = row ? &row->all : NULL;

	if (!r)
		return json_null();
	return json_pack("{s:o, s:[o, o]}", "value", number(r->value), "ci95",
			 number(r->ci95[0]), number(r->ci95[1]));
}

static json_t *one_row(const struct pair *p, const char *b, double threshold)
{
	const struct result *r = &p->a->all;
	const char *verdict = compare_verdict(p);
	json_t *o =
		json_pack("{s:s, s:s, s:s, s:s, s:s?, s:o, s:o, s:o, s:[o, o], "
			  "s:s?, s:b, s:o, s:[o, o], s:o, s:o, s:s, s:b, s:s?, "
			  "s:[o, o], s:[o, o], s:o}",
			  "benchmark", r->benchmark, "case", r->name, "side", b,
			  "tier", compare_is_detail(r) ? "detail" : "core",
			  "unit", r->unit, "a", one_side(p->a), "b",
			  one_side(p->b), "difference", number(p->added.shift),
			  "difference_ci95", number(p->added.lo),
			  number(p->added.hi), "difference_unit", p->unit,
			  "compared_in_cycles", p->in_cycles, "ratio",
			  number(exp(p->cost.shift)), "ratio_ci95",
			  number(exp(p->cost.lo)), number(exp(p->cost.hi)), "p",
			  number(p->p), "p_corrected", number(p->adjusted),
			  "verdict", verdict, "breaks_threshold",
			  compare_breaks(p, threshold), "level", p->level,
			  "level_values", number(p->at[0]), number(p->at[1]),
			  "level_shares", number(p->share[0]),
			  number(p->share[1]), "p_shares", number(p->p_shares));

	return o;
}

int compare_json(FILE *f, const struct comparison *c, size_t n,
		 double threshold)
{
	json_t *sides = json_array(), *broke = json_array(),
	       *rows = json_array(), *all;
	int err = json_array_append_new(sides, json_string(c->a->name));

	for (size_t i = 0; i < n; i++) {
		err |= json_array_append_new(sides, json_string(c[i].b->name));
		for (size_t j = 0; j < c[i].n; j++) {
			const struct pair *p = &c[i].v[j];
			json_t *row = one_row(p, c[i].b->name, threshold);

			if (compare_breaks(p, threshold))
				err |= json_array_append(broke, row);
			err |= json_array_append_new(rows, row);
		}
	}
	all = json_pack("{s:i, s:o, s:o, s:f, s:b, s:o, s:o}", "schema",
			COMPARE_SCHEMA, "sides", sides, "threshold",
			threshold < 0 ? json_null() : json_real(threshold),
			"floor", c->floor, "interleaved", c->interleaved,
			"broke", broke, "rows", rows);
	if (!all ||
	    (!err &&
	     json_dumpf(all, f, JSON_INDENT(1) | JSON_REAL_PRECISION(15))))
		err = -1;
	fputc('\n', f);
	return err ? -ENOMEM : 0;
}
