/* SPDX-License-Identifier: MIT */
#include "course.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "load.h"
#include "text.h"

/* The row that @glob picks, "this" being @row; NULL if it has no value. */
static const struct row *figure(const struct operation *op,
				const struct run *run, const struct row *row,
				const char *glob)
{
	if (strcmp(glob, "this") != 0)
		row = run_pick(run, op->benchmark, glob);
	return row && row->all.status == RESULT_OK ? row : NULL;
}

/* Whether "A > x", "A / B > x" or the same with < holds of the whole 95 %
 * interval; *@x is what was compared. */
static bool holds(const struct operation *op, const struct run *run,
		  const struct row *row, const char *test, double *x)
{
	const struct row *a = figure(op, run, row, text_split(&test, ' '));
	struct ratio r = { NAN, NAN, NAN };
	const char *sign = text_split(&test, ' ');
	double bound;

	if (a)
		r = (struct ratio) { a->all.value, a->all.ci95[0],
				     a->all.ci95[1] };
	if (test && *sign == '/') {
		r = comparisons_ratio(a, figure(op, run, row,
						text_split(&test, ' ')));
		sign = text_split(&test, ' ');
	}
	bound = test ? strtod(test, NULL) : NAN;
	*x = r.value;
	/* No comparison with NAN is true. */
	if (sign && *sign == '<')
		bound -= r.high;
	else
		bound = r.low - bound;
	return bound > 0;
}

const char *limiters_say(const struct operation *op, const struct run *run,
			 const struct row *row)
{
	if (!row || (row->all.status != RESULT_OK &&
		     row->all.status != RESULT_BELOW_RESOLUTION))
		return NULL;
	for (size_t i = 0; i < op->nlimiters; i++) {
		const struct limiter *l = &op->limiters[i];
		double x = NAN;

		if (l->cases && !text_glob(l->cases, row->all.name))
			continue;
		if (!l->test)
			return l->text;
		if (holds(op, run, row, l->test, &x))
			return text_format("%s (%.*f %s)", l->text,
					   x < 10 ? 1 + (x < 1) : 0, x,
					   l->figure);
	}
	return NULL;
}

void limiters_list(FILE *f, const struct operation *op)
{
	for (size_t i = 0; i < op->nlimiters; i++) {
		const struct limiter *l = &op->limiters[i];

		if (!l->test)
			fprintf(f, "# usually limited by: %s%s%s%s\n", l->text,
				l->cases ? " (" : "", l->cases ? l->cases : "",
				l->cases ? ")" : "");
	}
}
