// SPDX-License-Identifier: MIT
/*
 * The function whose cost in ring 0 is measured: `make kmod-run
 * FUNCTION=mine.c` builds that file in place of this one.  It must define
 * oscost_function(), which runs with interrupts off some million times, so it
 * must neither sleep nor take long.  This one is the white paper's.
 */
#include "cert.h"

static volatile int variable;

void oscost_function(void)
{
	variable = 1;
}
