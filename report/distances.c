/* SPDX-License-Identifier: MIT */
#include "load.h"

#include <math.h>
#include <string.h>

#include "grade.h"
#include "rank.h"
#include "stats.h"
#include "text.h"

#define FALSE_SHARE 0.05 /* of the rows that are called */

/* Distances in the rounds of the lower and of the upper level. */
struct sides {
	double ns[2][RANK_MAX];
	size_t n[2];
};

/* Return: whether there are any of both. */
static bool divide(struct sides *s, const struct row *row)
{
	struct states states;
	double *sorted;
	size_t n = 0;

	s->n[0] = s->n[1] = 0;
	if (!states_of(&states, &row->all))
		return false;
	sorted = text_alloc(row->n, sizeof(*sorted));
	for (size_t i = 0; i < row->n; i++)
		if (isfinite(row->values[i]))
			sorted[n++] = row->values[i];
	stats_sort(sorted, n);
	for (size_t i = 0; i < row->n && states.n_low <= n; i++) {
		const int side = row->values[i] > sorted[states.n_low - 1];

		if (isfinite(row->values[i]) && isfinite(row->distance_ns[i]) &&
		    s->n[side] < RANK_MAX)
			s->ns[side][s->n[side]++] = row->distance_ns[i];
	}
	return s->n[0] && s->n[1];
}

void distances_mark(struct run *run)
{
	double *p = text_alloc(run->nrows, sizeof(*p));
	double *adjusted = text_alloc(run->nrows, sizeof(*adjusted));
	size_t *at = text_alloc(run->nrows, sizeof(*at)), n = 0;
	struct sides *s = text_alloc(1, sizeof(*s));

	for (size_t i = 0; i < run->nrows; i++)
		if (divide(s, &run->rows[i])) {
			p[n] = rank_test(s->ns[0], s->n[0], s->ns[1], s->n[1]);
			at[n++] = i;
		}
	rank_false_discovery(adjusted, p, n);
	for (size_t i = 0; i < n; i++) {
		const struct row *row = &run->rows[at[i]];

		if (!(adjusted[i] <= FALSE_SHARE) || !divide(s, row))
			continue;
		for (int k = 0; k < 2; k++)
			json_object_set_new(row->all.states,
					    k ? "high_distance_ns"
					      : "low_distance_ns",
					    json_real(stats_median(s->ns[k],
								   s->n[k])));
	}
}

const char *distances_text(const struct result *r)
{
	const double low = run_number(r->states, "low_distance_ns");
	const double high = run_number(r->states, "high_distance_ns");

	if (!isfinite(low) || !isfinite(high))
		return NULL;
	return text_format("a cache line took %s there and back in the rounds "
			   "of the lower level, %s in those of the upper one",
			   text_units(low, "ns"), text_units(high, "ns"));
}
