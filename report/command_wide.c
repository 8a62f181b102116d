/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "err.h"
#include "rounds.h"
#include "text.h"

/* "program<TAB>wide rows<TAB>rows", which run-all reads. */
static void print(const struct run *run, double within)
{
	for (size_t i = 0; i < run->nsections; i++) {
		const struct section *s = &run->sections[i];
		size_t rows, wide = rounds_wide(run, s, within, &rows);

		if (!wide)
			continue;
		text_plain(stdout, s->program);
		printf("\t%zu\t%zu\n", wide, rows);
	}
}

int command_wide(const char *within, const char *dir)
{
	double share = command_share(within, -1);
	struct notes notes = { 0 };
	struct run run;
	char *why;
	int err;

	if (share < 0) {
		warn("--within: a number of percent, 0 or more");
		return EXIT_USAGE;
	}
	err = run_load(&run, dir, &notes, &why);
	if (err)
		warn("%s", why);
	else
		print(&run, share);
	for (size_t i = 0; i < notes.n; i++)
		warn("%s", notes.v[i].text);
	free(why);
	run_free(&run);
	notes_free(&notes);
	if (fflush(stdout) || ferror(stdout)) {
		warn("standard output: %s", strerror(errno));
		err = -EIO;
	}
	return err ? EXIT_FAIL : EXIT_OK;
}
