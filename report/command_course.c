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

static int flushed(void)
{
	return fflush(stdout) || ferror(stdout) ? EXIT_FAIL : EXIT_OK;
}

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
	return bad ? EXIT_FAIL : flushed();
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
	return flushed();
}

/* Read @dir and print something of it. */
static int print_run(const struct settings *set, char **names,
		     void (*print)(const char *root, struct run *run))
{
	struct notes notes = { 0 };
	struct run run;
	const char *why;
	int err = run_load(&run, names[0], &notes, &why);

	if (err)
		warn("%s", why);
	else
		grades_earlier(&run);
	if (!err)
		print(set->root, &run);
	return err ? EXIT_FAIL : flushed();
}

static void print_coursework(const char *root, struct run *run)
{
	struct doc d = { .f = stdout, .format = &doc_console };
	struct course c;

	course_read(&c, run, root);
	course_write(&d, &c, run);
	notes_warn(run->notes);
}

static void print_skeleton(const char *root, struct run *run)
{
	struct doc d = {
		.f = stdout, .dir = run->dir, .format = &doc_tex, .paper = true
	};
	struct figures figs;
	struct course c;

	course_read(&c, run, root);
	figures_read(&figs, &c.table, run->notes);
	course_skeleton(&d, &c, run, &figs);
	notes_warn(run->notes);
}

int command_coursework(const struct settings *set, char **names)
{
	if (!set->template)
		return print_run(set, names, print_coursework);
	if (!strcmp(set->template, "latex"))
		return print_run(set, names, print_skeleton);
	warn("--template %s: expected latex", set->template);
	return EXIT_USAGE;
}

static void print_warnings(const struct run *run)
{
	for (size_t i = 0; i < run->notes->n; i++) {
		const struct note *note = &run->notes->v[i];
		const char *text =
			text_format("%s%s%s", note->text,
				    note->remedy ? ": " : "",
				    note->remedy ? note->remedy : "");

		putchar('\n');
		console_text(stdout, text, "warning: ", "  ");
	}
}

static void print_card(const char *root, struct run *run)
{
	struct rowtable table;

	rowtable_read(&table, root, run->notes);
	card_print(stdout, &table, run);
}

int command_card(const struct settings *set, char **names)
{
	return print_run(set, names, print_card);
}

static void print_summary(const char *root, struct run *run)
{
	print_card(root, run);
	warnings_add(run);
	noise_certificate_print(stdout, run);
	print_warnings(run);
}

int command_show(const struct settings *set, char **names)
{
	return print_run(set, names, print_summary);
}
