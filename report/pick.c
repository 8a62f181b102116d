/* SPDX-License-Identifier: MIT */
#include "load.h"

#include <string.h>

#include "text.h"

static const struct row *match(const struct run *run, const struct section *s,
			       const char *glob, bool with_result)
{
	for (size_t i = 0; i < s->n; i++) {
		const struct row *row = &run->rows[s->rows[i]];
		bool result = row->all.status == RESULT_OK ||
			      row->all.status == RESULT_BELOW_RESOLUTION;

		if ((result || !with_result) && text_glob(glob, row->all.name))
			return row;
	}
	return NULL;
}

const struct row *run_pick(const struct run *run, const char *program,
			   const char *globs)
{
	const struct section *s = run_section(run, program);
	const struct row *row = NULL;

	for (int with_result = 1; s && !row && with_result >= 0;
	     with_result--) {
		const char *rest = globs, *glob;

		while (!row && (glob = text_split(&rest, ' ')))
			row = match(run, s, glob, with_result);
	}
	return row;
}
