/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "quiet.h"
#include "stats.h"
#include "text.h"
#include "units.h"

#define LOOKS  8    /* fewer say nothing */
#define ALONE  0.8  /* of the best rate: below, somebody shares the core */
#define SHARED 0.02 /* of the looks: fewer may have been interrupts */

/* The looks of @c in order, and how many of them were beside somebody. */
static double *in_order(const struct quiet_cpu *c, size_t *shared)
{
	double *x = text_alloc(c->n_adds, sizeof(*x));

	for (size_t i = 0; i < c->n_adds; i++)
		x[i] = c->adds[i];
	stats_sort(x, c->n_adds);
	*shared = 0;
	while (x[*shared] < ALONE * x[c->n_adds - 1])
		++*shared;
	return x;
}

char *quiet_shared(const struct quiet_cpu *c)
{
	char pct[UNITS_MAX], *text = NULL;
	size_t shared;
	double *x;

	if (c->n_adds < LOOKS)
		return NULL;
	x = in_order(c, &shared);
	if ((double)shared >= SHARED * (double)c->n_adds)
		text = text_format(
			"in %s of %zu looks something else worked on CPU %d's "
			"core, on its other hardware thread%s: the core then "
			"did %.1f additions a cycle, against %.1f at best; "
			"what fills a core (system calls, network) takes up to "
			"%.1f times as long then, and no gap shows it",
			units_percent(pct, (double)shared / (double)c->n_adds),
			c->n_adds, c->cpu,
			c->hypervisor ? " (of another guest, maybe)" : "",
			stats_quantile(x, shared, 0.5), x[c->n_adds - 1],
			x[c->n_adds - 1] / stats_quantile(x, shared, 0.5));
	free(x);
	return text;
}

char *quiet_shared_mend(const struct quiet_cpu *c)
{
	return text_copy(c->hypervisor
				 ? "if this machine's own CPUs share no core, "
				   "nothing inside helps: ask for whole cores, "
				   "or compare runs in turn (scripts/ab)"
				 : "keep the other thread of the core idle, or "
				   "echo off | sudo tee "
				   "/sys/devices/system/cpu/smt/control");
}
