/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "limiters.h"
#include "predictions.h"

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

	fputs("# What do you expect each operation to cost, before you measure "
	      "it?\n"
	      "# Fill in what you can, with units; what is left empty the "
	      "report estimates by a rule.\n"
	      "#   base       what the hardware alone needs\n"
	      "#   software   what the operating system adds\n"
	      "#   predicted  the whole; base + software if left empty\n"
	      "#   why        the reasoning; longer texts go on in the next "
	      "line, indented\n"
	      "#   limiter    what limits it, in your opinion\n"
	      "# Then measure: make run-all keeps this file with the results. "
	      "The report says\n"
	      "# whether it is older than the run.  To check it: report "
	      "predictions FILE\n"
	      "#\n",
	      f);
	for (size_t i = 0; i < ops->n; i++) {
		if (strcmp(section, ops->v[i].section) != 0)
			fprintf(f, "\n# ---- %s ----\n", ops->v[i].section);
		section = ops->v[i].section;
		put_operation(f, &ops->v[i]);
	}
}
