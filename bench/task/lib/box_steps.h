/* SPDX-License-Identifier: MIT */
#ifndef BOX_STEPS_H
#define BOX_STEPS_H

#include "box.h"

/* One step of making a container. */
struct box_step_row {
	const char *name;
	int (*run)(struct box *x);   /* 0 or -errno */
	bool (*seen)(struct box *x); /* that it came about; or NULL */
};

extern const struct box_step_row box_steps[BOX_STEPS];

/* box_inside() - what the first process does; it ends with what this returns,
 * 0 or -errno. */
int box_inside(struct box *x);

#endif
