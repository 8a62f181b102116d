/* SPDX-License-Identifier: MIT */
#include "grade.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "alloc.h"
#include "stats.h"
#include "units.h"

#define WHY_MAX 96

static const double bounds[] = { ['A' - 'A'] = 0.02,
				 ['B' - 'A'] = 0.05,
				 ['C' - 'A'] = 0.10,
				 ['D' - 'A'] = INFINITY };

double grade_bound(char letter)
{
	return bounds[letter - 'A'];
}

/* 0 of what is not known. */
static char letter_of(double within)
{
	char letter = 'A';

	if (isnan(within))
		return 0;
	while (within > grade_bound(letter))
		letter++;
	return letter;
}

double grade_halfwidth(const struct result *r)
{
	if (r->status != RESULT_OK || r->states || !isfinite(r->ci95[0]) ||
	    !isfinite(r->ci95[1]) || r->value == 0)
		return NAN;
	return (r->ci95[1] - r->ci95[0]) / 2 / fabs(r->value);
}

bool grade_applies(const struct result *r)
{
	return r->status == RESULT_OK && isfinite(r->value) &&
	       !result_is_level(r) && !isfinite(r->at_least);
}

static double tag(const struct result *r, const char *name)
{
	return (double)json_integer_value(json_object_get(r->tags, name));
}

/* Limits the grade to C if it was so in half of the samples. */
static const struct {
	const char *tag, *what;
} halves[] = {
	{ "frequency", "the core's frequency moved by more than 2 %" },
	{ "shared", "another hardware thread worked on the core" },
	{ "throttled", "a CPU quota held the program back" },
	{ "stolen", "the host took time of the CPU" },
};

/* The best grade that the samples permit, however well the rounds agree, and
 * in @why the reason. */
static char best_of(const struct result *r, char why[WHY_MAX])
{
	const double samples = (double)r->samples, waited = tag(r, "waited");
	const double hit = tag(r, "involuntary") + tag(r, "migrated") + waited;
	const double all = samples + waited, share = all > 0 ? hit / all : 0;
	char pct[UNITS_MAX];

	if (json_object_size(r->tags) && r->cpu == -1) {
		snprintf(why, WHY_MAX, "the program was bound to no CPU");
		return 'D';
	}
	snprintf(why, WHY_MAX, "other work had the CPU in %s of the samples",
		 units_percent(pct, share));
	if (share > 0.05)
		return share > 0.2 ? 'D' : 'C';
	for (size_t i = 0; i < sizeof(halves) / sizeof(*halves); i++)
		if (samples > 0 && 2 * tag(r, halves[i].tag) >= samples) {
			snprintf(why, WHY_MAX, "in half of the samples %s",
				 halves[i].what);
			return 'C';
		}
	return 'A';
}

void grade_set(struct result *r, double between)
{
	const double half = grade_halfwidth(r);
	char grade[2] = "", best, why[WHY_MAX];

	r->within = NAN;
	result_set(&r->grade, NULL);
	if (!grade_applies(r))
		return;
	if (isfinite(half))
		r->within = fmax(M_SQRT2 * half, between);
	grade[0] = letter_of(r->within);
	if (r->states || r->trend)
		grade[0] = GRADE_WORST;
	best = best_of(r, why);
	if (best > grade[0] && (grade[0] || best == GRADE_WORST))
		grade[0] = best;
	result_set(&r->grade, *grade ? grade : NULL);
}

char *grade_doubt(const struct result *r)
{
	const char near = letter_of(M_SQRT2 * grade_halfwidth(r));
	char pct[UNITS_MAX], why[WHY_MAX];

	if (!r->grade || r->states || r->trend || *r->grade == near)
		return NULL;
	if (*r->grade == letter_of(r->within))
		snprintf(why, sizeof(why),
			 "earlier runs of this machine lay up to %s away",
			 units_percent(pct, r->within));
	else
		best_of(r, why);
	return strdup(why);
}

const char *noise_word(double lost)
{
	return lost < 0.001  ? "quiet"
	       : lost < 0.01 ? "nearly quiet"
	       : lost < 0.05 ? "noisy"
			     : "very noisy";
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

char *states_text(const struct result *r)
{
	char low[UNITS_MAX], high[UNITS_MAX];
	struct states s;
	double share;

	if (!states_of(&s, r))
		return NULL;
	share = 100 * (double)s.n_low / (double)(s.n_low + s.n_high);
	return text_format("%s (%.0f %%) or %s (%.0f %%)",
			   units_format(low, s.low, r->unit), share,
			   units_format(high, s.high, r->unit), 100 - share);
}
