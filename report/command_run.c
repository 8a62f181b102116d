/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "course.h"
#include "doc.h"
#include "err.h"
#include "input.h"
#include "load.h"
#include "rowtable.h"
#include "sections.h"
#include "text.h"

static int check(struct operations *ops, const char *file)
{
	struct notes notes = { 0 };
	size_t said = 0;
	/* Any rate will do: only the lines are looked at. */
	int bad = predictions_read(ops, file, 1e9, &notes);

	notes_warn(&notes);
	for (size_t i = 0; bad >= 0 && i < ops->n; i++)
		said += ops->v[i].said[PREDICTED] >= 0;
	if (bad < 0)
		warn("%s: %s", file, input_error(-bad));
	else
		printf("%s: %zu of %zu operations are predicted, %d line%s "
		       "cannot be used\n",
		       file, said, ops->n, bad, bad == 1 ? "" : "s");
	return bad ? EXIT_FAIL : EXIT_OK;
}

int command_predictions(const struct settings *set, char **names)
{
	struct operations ops;
	struct rowtable table;
	struct notes notes = { 0 };

	rowtable_read(&table, set->root, &notes);
	operations_read(&ops, &table);
	if (notes.n) {
		warn("%s; %s", notes.v->text, notes.v->remedy);
		return EXIT_FAIL;
	}
	if (names[0])
		return check(&ops, names[0]);
	operations_template(stdout, &ops, &table);
	return EXIT_OK;
}

int command_with_run(const struct settings *set, const char *dir, bool core,
		     command_run_fn *use)
{
	struct notes notes = { 0 };
	struct run run;
	const char *why = run_load(&run, dir, core, &notes);

	if (why) {
		warn("%s", why);
		return EXIT_FAIL;
	}
	return use(set, &run) ? EXIT_FAIL : EXIT_OK;
}

int run_make(const struct settings *set, struct run *run)
{
	struct course course;
	int err;

	grades_earlier(run);
	warnings_add(run);
	course_read(&course, run, set->root);
	figures_read(run);
	figures_make(&course, set->root, set->no_plots);
	err = doc_pages(run->dir, "report", report_write, &course);
	err |= doc_file(run->dir, "report", "csv", export_csv, run);
	err |= doc_file(run->dir, "report", "json", export_json, run);
	card_print(stdout, run);
	if (!err)
		printf("report: %s/report.html, .md, .csv, .json: %s\n",
		       run->dir, text_plural(run->notes->n, "warning"));
	return err;
}

static int print_coursework(const struct settings *set, struct run *run)
{
	struct doc d = { .f = stdout, .format = &doc_console };
	struct course c;

	grades_earlier(run);
	course_read(&c, run, set->root);
	course_write(&d, &c);
	notes_warn(run->notes);
	return 0;
}

static int print_skeleton(const struct settings *set, struct run *run)
{
	struct doc d = {
		.f = stdout, .dir = run->dir, .format = &doc_tex, .paper = true
	};
	struct course c;

	grades_earlier(run);
	course_read(&c, run, set->root);
	figures_read(run);
	course_skeleton(&d, &c);
	notes_warn(run->notes);
	return 0;
}

int command_coursework(const struct settings *set, char **names)
{
	if (!set->template)
		return command_with_run(set, names[0], false, print_coursework);
	if (!strcmp(set->template, "latex"))
		return command_with_run(set, names[0], false, print_skeleton);
	warn("--template %s: expected latex", set->template);
	return EXIT_USAGE;
}

static void print_warnings(const struct run *run)
{
	for (size_t i = 0; i < run->notes->n; i++) {
		putchar('\n');
		console_text(stdout, notes_text(&run->notes->v[i]),
			     "warning: ", "  ");
	}
}

int run_card(const struct settings *set, struct run *run)
{
	grades_earlier(run);
	rowtable_read(&run->suite, set->root, run->notes);
	card_print(stdout, run);
	return 0;
}

int run_show(const struct settings *set, struct run *run)
{
	run_card(set, run);
	warnings_add(run);
	noise_certificate_print(stdout, run);
	print_warnings(run);
	return 0;
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

/* "program<TAB>case<TAB>reason"; no case of a program that gave nothing. */
int run_failed(const struct settings *set, struct run *run)
{
	int code = EXIT_OK;

	notes_warn(run->notes);
	for (size_t i = 0; i < run->nsections; i++) {
		const struct section *s = &run->sections[i];

		for (size_t j = 0; j < s->n; j++) {
			const struct result *r = &s->rows[j]->all;

			if (r->status != RESULT_FAILED)
				continue;
			put_failed(s->program, r->name, r->reason);
			code = EXIT_FAIL;
		}
		if (rounds_gave_up(run, s)) {
			put_failed(s->program, "",
				   run_trouble(run, s->program)->reason);
			code = EXIT_FAIL;
		}
	}
	return code;
}
