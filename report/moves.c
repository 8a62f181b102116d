/* SPDX-License-Identifier: MIT */
#include "load.h"

#include "rowtable.h"
#include "text.h"

enum { PROGRAM, CASES, BY_PROGRAM, BY_CASES, FIELDS };

static void carry(struct run *run, const struct rowtable_line *l, double pct)
{
	const struct section *s = run_section(run, l->field[PROGRAM]);

	for (size_t i = 0; s && i < s->n; i++) {
		struct row *row = &run->rows[s->rows[i]];

		if (text_glob(l->field[CASES], row->all.name))
			row->moves = pct;
	}
}

void moves_find(struct run *run, const char *root)
{
	const struct rowtable_line *l = NULL;
	struct rowtable table;

	rowtable_read(&table, root);
	while ((l = rowtable_next(&table, "moves", l))) {
		const struct row *by =
			l->n == FIELDS ? run_pick(run, l->field[BY_PROGRAM],
						  l->field[BY_CASES])
				       : NULL;

		if (by && by->all.status == RESULT_OK)
			carry(run, l, by->all.value);
	}
}
