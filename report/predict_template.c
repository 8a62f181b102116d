/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "course.h"
#include "embed.h"

static void put_operation(FILE *f, const struct operation *op)
{
	fprintf(f, "\n# %s (%s)\n", op->label,
		!strcmp(op->unit, "ns")	    ? "ns, us, ms, s, cycles"
		: !strcmp(op->unit, "B")    ? "KiB, MiB, GiB, MB, GB"
		: !strcmp(op->unit, "ns/B") ? "ns/B, us/B"
					    : "MB/s, GB/s, Mbit/s, Gbit/s");
	limiters_list(f, op);
	fprintf(f, "[%s]\nbase =\nsoftware =\npredicted =\nwhy =\nlimiter =\n",
		op->id);
}

void predictions_template(FILE *f, const struct operations *ops)
{
	const char *section = "";

	fputs(predictions_ini, f);
	for (size_t i = 0; i < ops->n; i++) {
		if (strcmp(section, ops->v[i].section) != 0)
			fprintf(f, "\n# ---- %s ----\n", ops->v[i].section);
		section = ops->v[i].section;
		put_operation(f, &ops->v[i]);
	}
}
