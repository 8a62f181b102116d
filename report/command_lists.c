/* SPDX-License-Identifier: MIT */
/* What run-all asks of a run: lists, separated by tabs. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "err.h"
#include "rounds.h"
#include "text.h"

int command_of_run(const char *dir, const void *arg,
		   int (*list)(const struct run *run, const void *arg))
{
	struct notes notes = { 0 };
	struct run run;
	char *why;
	int err = run_load(&run, dir, &notes, &why), code = EXIT_FAIL;

	if (err)
		warn("%s", why);
	else
		code = list(&run, arg);
	for (size_t i = 0; i < notes.n; i++)
		warn("%s", notes.v[i].text);
	free(why);
	run_free(&run);
	notes_free(&notes);
	if (fflush(stdout) || ferror(stdout)) {
		warn("standard output: %s", strerror(errno));
		return EXIT_FAIL;
	}
	return code;
}

/* "program<TAB>wide rows<TAB>rows" */
static int list_wide(const struct run *run, const void *arg)
{
	const double within = *(const double *)arg;

	for (size_t i = 0; i < run->nsections; i++) {
		const struct section *s = &run->sections[i];
		size_t rows, wide = rounds_wide(run, s, within, &rows);

		if (!wide)
			continue;
		text_plain(stdout, s->program);
		printf("\t%zu\t%zu\n", wide, rows);
	}
	return EXIT_OK;
}

int command_wide(const char *within, const char *dir)
{
	double share = command_share(within, -1);

	if (share < 0) {
		warn("--within: a number of percent, 0 or more");
		return EXIT_USAGE;
	}
	return command_of_run(dir, &share, list_wide);
}

static void put_failed(const char *program, const char *name,
		       const char *reason)
{
	text_plain(stdout, program);
	putchar('\t');
	text_plain(stdout, name);
	putchar('\t');
	text_plain(stdout, reason ? reason : "no reason was given");
	putchar('\n');
}

/* Why the program of @s gave nothing. */
static const char *trouble_of(const struct run *run, const struct section *s)
{
	for (size_t i = 0; i < run->ntroubles; i++)
		if (!strcmp(run->troubles[i].program, s->program))
			return run->troubles[i].reason;
	return NULL;
}

/* "program<TAB>case<TAB>reason"; no case of a program that gave nothing. */
static int list_failed(const struct run *run, const void *arg)
{
	int code = EXIT_OK;

	for (size_t i = 0; i < run->nsections; i++) {
		const struct section *s = &run->sections[i];

		for (size_t j = 0; j < s->n; j++) {
			const struct result *r = &run->rows[s->rows[j]].all;

			if (r->status != RESULT_FAILED)
				continue;
			put_failed(s->program, r->name, r->reason);
			code = EXIT_FAIL;
		}
		if (rounds_gave_up(run, s)) {
			put_failed(s->program, "", trouble_of(run, s));
			code = EXIT_FAIL;
		}
	}
	return code;
}

int command_failed(const char *dir)
{
	return command_of_run(dir, NULL, list_failed);
}
