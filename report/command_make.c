/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdio.h>

#include "commands.h"
#include "err.h"
#include "input.h"
#include "load.h"
#include "rowtable.h"
#include "sections.h"
#include "text.h"

static int write_all(struct run *run, const struct card *card, const char *root,
		     bool no_plots)
{
	struct report_parts parts;
	struct figures figs;
	struct course course;
	int err = figures_read(&figs, root, run->notes);

	moves_find(run, root);
	if (err)
		notes_add(run->notes,
			  text_format(
				  "%s/bench/*/rows.tsv: %s: there are no plots",
				  root, input_error(-err)),
			  ROWTABLE_REMEDY);
	course_read(&course, run, root);
	figures_add_card(&figs, card);
	figures_make(&figs, run, &course, root, no_plots);
	if (figs.trouble && figs.remedy)
		warn("%s: %s", figs.trouble, figs.remedy);
	parts = (struct report_parts) { run, &figs, card, &course };
	err = doc_pages(run->dir, "report", report_write, &parts);
	err |= doc_file(run->dir, "report", "csv", export_csv, run);
	return doc_file(run->dir, "report", "json", export_json, run) | err;
}

int command_make(const struct settings *set, char **names)
{
	const char *dir = names[0];
	struct notes notes = { 0 };
	struct card card;
	struct run run;
	const char *why;
	int err = run_load(&run, dir, &notes, &why);

	card_read(&card, set->root, &notes);
	if (err) {
		warn("%s", why);
	} else {
		grades_earlier(&run);
		warnings_add(&run);
		err = write_all(&run, &card, set->root, set->no_plots);
		card_print(stdout, &card, &run);
		if (!err)
			printf("report: %s/report.html, .md, .csv, "
			       ".json: %zu warning%s\n",
			       dir, notes.n, notes.n == 1 ? "" : "s");
	}
	if (fflush(stdout) || ferror(stdout))
		err = -EIO;
	return err ? EXIT_FAIL : EXIT_OK;
}
