/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdio.h>

#include "commands.h"
#include "err.h"
#include "load.h"
#include "rowtable.h"
#include "sections.h"
#include "text.h"

/* Write all of @run.  Return: 0 or less. */
static int write_all(struct run *run, const char *root, bool no_plots)
{
	struct report_parts parts;
	struct figures figs;
	struct course course;
	int err;

	course_read(&course, run, root);
	figures_read(&figs, &course.table, run->notes);
	moves_find(run, &course.table);
	figures_make(&figs, run, &course, root, no_plots);
	if (figs.trouble && figs.remedy)
		warn("%s: %s", figs.trouble, figs.remedy);
	parts = (struct report_parts) { run, &figs, &course };
	err = doc_pages(run->dir, "report", report_write, &parts);
	err |= doc_file(run->dir, "report", "csv", export_csv, run);
	err |= doc_file(run->dir, "report", "json", export_json, run);
	card_print(stdout, &course.table, run);
	return err;
}

int command_make(const struct settings *set, char **names)
{
	const char *dir = names[0];
	struct notes notes = { 0 };
	struct run run;
	const char *why;
	int err = run_load(&run, dir, &notes, &why);

	if (err) {
		warn("%s", why);
	} else {
		grades_earlier(&run);
		warnings_add(&run);
		err = write_all(&run, set->root, set->no_plots);
		if (!err)
			printf("report: %s/report.html, .md, .csv, "
			       ".json: %zu warning%s\n",
			       dir, notes.n, notes.n == 1 ? "" : "s");
	}
	if (fflush(stdout) || ferror(stdout))
		err = -EIO;
	return err ? EXIT_FAIL : EXIT_OK;
}
