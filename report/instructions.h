/* SPDX-License-Identifier: MIT */
#ifndef INSTRUCTIONS_H
#define INSTRUCTIONS_H

#include "doc.h"
#include "load.h"

/*
 * A run on real hardware beside a ledger (docs/ledger.md) of the same kernel:
 * of each row the instructions that one counted, and the time and the core
 * cycles that the other took.
 */

/* instructions_write() - the section "Instructions and time", of the rows that
 * have a price in both @run and @ledger; nothing if @ledger is NULL. */
void instructions_write(struct doc *d, const struct run *run,
			const struct run *ledger);

#endif
