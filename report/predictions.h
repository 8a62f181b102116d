/* SPDX-License-Identifier: MIT */
#ifndef PREDICTIONS_H
#define PREDICTIONS_H

#include <stdbool.h>
#include <stdio.h>

#include "notes.h"
#include "operations.h"

/* What somebody expected of one operation, in its unit; NAN if not said. */
struct prediction {
	double base, software, predicted;
	const char *why, *limiter;
};

struct predictions {
	struct prediction *v; /* one for each operation, in their order */
	size_t n;
	double clock_hz; /* [machine] clock */
	double core_hz;	 /* of this run; NAN: unknown */
	bool found;
	const char *path;
};

/**
 * predictions_read() - read an INI file with a section for each operation:
 * base, software, predicted, why and limiter; and [machine] clock.
 * @core_hz: turns cycles into time where the file says no clock.
 *
 * Where predicted is not given it is base + software.  Each line that cannot
 * be used is a note with the file, the line and what was expected there.
 *
 * Return: how many such lines, or -errno if the file cannot be read.
 */
int predictions_read(struct predictions *p, const struct operations *ops,
		     const char *path, double core_hz, struct notes *notes);

/* predictions_whole() - of two parts, NAN being none: time adds up; of a
 * bandwidth or a size it is the first. */
double predictions_whole(double base, double software, const char *unit);

/* predictions_find() - the predictions of a run: DIR/predictions.ini, which
 * run-all copies when it begins, else those in @root, else none. */
void predictions_find(struct predictions *p, const struct operations *ops,
		      const struct run *run, const char *root);

/* predictions_template() - a commented file to fill in, behind what
 * scripts/lib/describe.awk says of the machine. */
void predictions_template(FILE *f, const struct operations *ops);

#endif
