/* SPDX-License-Identifier: MIT */
#ifndef CARD_H
#define CARD_H

#include <stdio.h>

#include "figdata.h"
#include "load.h"
#include "table.h"

/*
 * The card: the core rows that have words in rows.tsv, the figures that a
 * person quotes.  Wherever it is shown, times come first, then bandwidths, each
 * in the order of their size, then what has no value, with the reason.
 * Operations of programs that are not part of the run are left out.
 */
/* Where no operation of it is part of a run. */
#define CARD_NONE "This run has no operation of the card."

struct card_entry {
	const char *words, *program, *cases;
	int level; /* of the cache whose size ends the words; 0 for none */
};

struct card {
	struct card_entry *v;
	size_t n;
};

/* card_read() - from the rows.tsv below @root; nothing, with a note, if they
 * cannot be read. */
void card_read(struct card *card, const char *root, struct notes *notes);

/* card_table() - operation, value, interval, grade; where there is no value the
 * reason stands behind the operation. */
void card_table(struct table *t, const struct card *card,
		const struct run *run);

/* card_print() - machine, table and quality for a terminal of 80 columns: three
 * lines more than it has operations, unless a CPU's number has three digits. */
void card_print(FILE *f, const struct card *card, const struct run *run);

/* card_collect() - the operations with a value as points of card.svg: a
 * category for each, by its words; x is its place; y in ns, or in B/s. */
void card_collect(struct plotdata *d, const struct card *card,
		  const struct run *run);

const char *card_machine(const struct run *run);

#endif
