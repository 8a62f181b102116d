/* SPDX-License-Identifier: MIT */
#include "rounds.h"

#include <math.h>
#include <string.h>

#include "err.h"
#include "text.h"

#define ROUNDS_MAX 1000 /* more than run-all takes */

/* A round in which the program failed left no row, only a line in run.json. */
static void count_line(struct run *run, const json_t *line)
{
	const char *id = run_text(line, "id");
	const char *program = id ? run_planned(run, id) : "";
	double round = run_number(line, "round");

	if (!(round >= 1 && round <= ROUNDS_MAX))
		return;
	for (size_t i = 0; i < run->nsections; i++) {
		struct section *s = &run->sections[i];

		if (!strcmp(s->program, program) && s->rounds < round)
			s->rounds = (unsigned int)round;
	}
}

void rounds_count(struct run *run)
{
	const json_t *line;
	size_t i;

	for (i = 0; i < run->nsections; i++) {
		struct section *s = &run->sections[i];

		for (size_t j = 0; j < s->n; j++)
			if (s->rounds < run->rows[s->rows[j]].n)
				s->rounds =
					(unsigned int)run->rows[s->rows[j]].n;
	}
	json_array_foreach(run_at(run->meta, "programs"), i, line)
		count_line(run, line);
}

bool rounds_ends(const struct run *run, unsigned int *least, unsigned int *most)
{
	*least = *most = 0;
	for (size_t i = 0; i < run->nsections; i++) {
		const struct section *s = &run->sections[i];

		if (!s->n)
			continue;
		if (!*least || s->rounds < *least)
			*least = s->rounds;
		if (s->rounds > *most)
			*most = s->rounds;
	}
	return *least != *most;
}

char *rounds_text(const struct run *run)
{
	unsigned int least, most;

	return rounds_ends(run, &least, &most)
		       ? text_format("%u to %u", least, most)
		       : text_format("%u", most);
}

double rounds_precision(const struct run *run)
{
	double pct = run_number(run->meta, "precision_pct");

	return pct > 0 ? pct / 100 : NAN;
}

static bool is_wide(const struct result *r, double within)
{
	/* As wide as the step between two sizes: rounds do not mend that. */
	if (isfinite(r->at_least))
		return false;
	/* No interval, as of a row with a trend, is NAN: it is wide. */
	return !((r->ci95[1] - r->ci95[0]) / 2 <= within * fabs(r->value));
}

size_t rounds_wide(const struct run *run, const struct section *s,
		   double within, size_t *rows)
{
	size_t wide = 0;

	*rows = 0;
	for (size_t i = 0; i < s->n; i++) {
		const struct result *r = &run->rows[s->rows[i]].all;

		if (r->status != RESULT_OK || !isfinite(r->value) ||
		    (r->unit && !strcmp(r->unit, "level")))
			continue;
		++*rows;
		wide += is_wide(r, within);
	}
	return wide;
}

bool rounds_gave_up(const struct run *run, const struct section *s)
{
	unsigned int lost = 0;

	for (size_t i = 0; i < run->ntroubles; i++)
		if (!strcmp(run->troubles[i].program, s->program) &&
		    run->troubles[i].exit_status != EXIT_SKIP)
			lost += run->troubles[i].rounds;
	return lost && (!s->n || (lost >= 2 && 2 * lost >= s->rounds));
}
