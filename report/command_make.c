/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"
#include "err.h"
#include "input.h"
#include "load.h"
#include "rowtable.h"
#include "sections.h"
#include "text.h"

/* DIR/report.@suffix, written beside and then moved into its place. */
struct output {
	FILE *f;
	const char *path, *draft;
};

static int output_open(struct output *o, const char *dir, const char *suffix)
{
	o->path = text_format("%s/report.%s", dir, suffix);
	o->draft = text_format("%s/.report.%s.new", dir, suffix);
	o->f = text_create(o->draft);
	if (!o->f) {
		warn("%s: %s", o->path, strerror(errno));
		return -EIO;
	}
	return 0;
}

static int output_close(struct output *o)
{
	int bad = ferror(o->f);

	bad |= fclose(o->f);
	if (bad || rename(o->draft, o->path)) {
		warn("%s: %s", o->path, strerror(errno));
		unlink(o->draft);
		bad = 1;
	}
	return bad ? -EIO : 0;
}

static int write_doc(const struct doc_format *format, const struct run *run,
		     const struct report_parts *parts)
{
	struct output o;
	struct doc d = { .dir = run->dir, .format = format };

	if (output_open(&o, run->dir, format->suffix))
		return -EIO;
	d.f = o.f;
	report_write(&d, run, parts);
	return output_close(&o);
}

static int write_data(const struct run *run)
{
	struct output o;
	int err;

	if (output_open(&o, run->dir, "csv"))
		return -EIO;
	err = export_csv(o.f, run);
	err |= output_close(&o);
	if (output_open(&o, run->dir, "json"))
		return -EIO;
	err |= export_json(o.f, run);
	return output_close(&o) || err ? -EIO : 0;
}

static int write_pages(const struct run *run, const struct report_parts *parts)
{
	int err = write_doc(&doc_md, run, parts);

	err |= write_doc(&doc_html, run, parts);
	return write_data(run) || err ? -EIO : 0;
}

static int write_all(struct run *run, const struct card *card, const char *root,
		     bool no_plots)
{
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
	return write_pages(run,
			   &(struct report_parts) { &figs, card, &course });
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
