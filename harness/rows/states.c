/* SPDX-License-Identifier: MIT */
#include "states.h"

#include <stdio.h>
#include <string.h>

#include "stats.h"

bool states_apply(const char *unit)
{
	return !unit || strcmp(unit, "level") != 0;
}

bool states_find(struct states *s, double *values, size_t n)
{
	double widest = STATES_GAP;
	size_t cut = 0;

	stats_sort(values, n);
	for (size_t k = STATES_LEAST; k + STATES_LEAST <= n && values[0] > 0;
	     k++)
		if (5 * k >= n && 5 * (n - k) >= n &&
		    values[k] / values[k - 1] >= widest) {
			widest = values[k] / values[k - 1];
			cut = k;
		}
	if (!cut)
		return false;
	*s = (struct states) { stats_quantile(values, cut, 0.5),
			       stats_quantile(values + cut, n - cut, 0.5),
			       cut,
			       n - cut,
			       values[cut - 1],
			       values[cut] };
	return true;
}

json_t *states_json(const struct states *s)
{
	return json_pack("{s:f,s:I,s:f,s:I}", "low", s->low, "low_rounds",
			 (json_int_t)s->n_low, "high", s->high, "high_rounds",
			 (json_int_t)s->n_high);
}

bool states_of(struct states *s, const struct result *r)
{
	json_int_t low, high;

	if (r->status != RESULT_OK ||
	    json_unpack(r->states, "{s:F,s:I,s:F,s:I}", "low", &s->low,
			"low_rounds", &low, "high", &s->high, "high_rounds",
			&high) ||
	    low < 1 || high < 1)
		return false;
	s->n_low = (size_t)low;
	s->n_high = (size_t)high;
	return true;
}

const char *states_share(char buf[UNITS_MAX], const struct states *s, size_t n)
{
	snprintf(buf, UNITS_MAX, "%.0f %%",
		 100 * (double)n / (double)(s->n_low + s->n_high));
	return buf;
}

const char *states_text(char buf[STATES_MAX], const struct result *r)
{
	char low[UNITS_MAX], high[UNITS_MAX], a[UNITS_MAX], b[UNITS_MAX];
	struct states s;

	if (!states_of(&s, r))
		return NULL;
	snprintf(buf, STATES_MAX, "%s (%s) or %s (%s)",
		 units_format(low, s.low, r->unit),
		 states_share(a, &s, s.n_low),
		 units_format(high, s.high, r->unit),
		 states_share(b, &s, s.n_high));
	return buf;
}
