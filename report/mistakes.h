/* SPDX-License-Identifier: MIT */
#ifndef MISTAKES_H
#define MISTAKES_H

#include "doc.h"
#include "load.h"
#include "rowtable.h"

/* The program of the lab of wrong numbers: rows mistake=ID,figure=naive */
#define MISTAKES_PROGRAM "mistakes"

/**
 * mistakes_write() - the page of the lab of wrong numbers: what each naive
 * program printed in this run, what the row that measures it properly did, the
 * factor, if it is as claimed, and why; nothing if @rows has no such lines.
 */
void mistakes_write(struct doc *d, const struct rowtable *rows,
		    const struct run *run);

#endif
