/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "card.h"
#include "commands.h"
#include "comparisons.h"
#include "console.h"
#include "course.h"
#include "err.h"
#include "grades.h"
#include "input.h"
#include "lmbench.h"
#include "noise_certificate.h"
#include "rowtable.h"
#include "text.h"
#include "warnings.h"

static int read_operations(struct operations *ops, const char *root)
{
	int err = operations_read(ops, root);

	if (err)
		warn("%s/bench/*/rows.tsv: %s; " ROWTABLE_REMEDY, root,
		     input_error(-err));
	return err;
}

static int flushed(void)
{
	return fflush(stdout) || ferror(stdout) ? EXIT_FAIL : EXIT_OK;
}

static int check(const struct operations *ops, const char *file)
{
	struct predictions p;
	struct notes notes = { 0 };
	size_t said = 0;
	/* Any rate will do: only the lines are looked at. */
	int bad = predictions_read(&p, ops, file, 1e9, &notes);

	for (size_t i = 0; i < notes.n; i++)
		warn("%s", notes.v[i].text);
	for (size_t i = 0; bad >= 0 && i < p.n; i++)
		said += p.v[i].predicted >= 0;
	if (bad < 0)
		warn("%s: %s", file, input_error(-bad));
	else
		printf("%s: %zu of %zu operations are predicted, %d line%s "
		       "cannot be used\n",
		       file, said, p.n, bad, bad == 1 ? "" : "s");
	return bad ? EXIT_FAIL : flushed();
}

int command_predictions(const char *root, const char *file)
{
	struct operations ops;
	int status;

	if (read_operations(&ops, root))
		return EXIT_FAIL;
	if (file) {
		status = check(&ops, file);
	} else {
		predictions_template(stdout, &ops);
		status = flushed();
	}
	return status;
}

/* Read @dir and print something of it. */
static int print_run(const char *root, const char *dir,
		     void (*print)(const char *root, struct run *run))
{
	struct notes notes = { 0 };
	struct run run;
	const char *why;
	int err = run_load(&run, dir, &notes, &why);

	if (err)
		warn("%s", why);
	else
		grades_earlier(&run);
	if (!err)
		print(root, &run);
	return err ? EXIT_FAIL : flushed();
}

static void say_notes(const struct run *run)
{
	for (size_t i = 0; i < run->notes->n; i++)
		warn("%s", run->notes->v[i].text);
}

static void print_comparisons(const struct course *c, const struct run *run)
{
	const struct rowtable_line *line = NULL;
	struct table t;

	comparisons_table(&t, &c->table, run, NULL);
	putchar('\n');
	console_table(stdout, &t);
	while ((line = rowtable_next(&c->table, "comparison", line))) {
		const char *why =
			comparisons_reason(line, &c->table, &c->ops, run);

		if (why) {
			putchar('\n');
			console_text(stdout, why, "", "  ");
		}
	}
}

static void print_coursework(const char *root, struct run *run)
{
	struct course c;
	struct table t;

	course_read(&c, run, root);
	course_table(&t, &c, run, NULL, NULL);
	console_table(stdout, &t);
	if (course_missing(run)) {
		putchar('\n');
		console_text(stdout, course_missing(run), "", "");
	}
	course_reasons(&t, &c, NULL);
	putchar('\n');
	console_table(stdout, &t);
	course_2017(&t, &c, run);
	printf("\n%s\n", t.caption);
	console_table(stdout, &t);
	print_comparisons(&c, run);
	say_notes(run);
}

static void print_skeleton(const char *root, struct run *run,
			   const struct doc_format *format)
{
	struct doc d = { .f = stdout, .dir = run->dir, .format = format };
	struct figures figs;
	struct course c;

	course_read(&c, run, root);
	figures_read(&figs, root, run->notes);
	course_skeleton(&d, &c, run, &figs);
	say_notes(run);
}

static void print_latex(const char *root, struct run *run)
{
	print_skeleton(root, run, &doc_tex);
}

static void print_markdown(const char *root, struct run *run)
{
	print_skeleton(root, run, &doc_md);
}

int command_coursework(const char *root, const char *template, const char *dir)
{
	if (!template)
		return print_run(root, dir, print_coursework);
	if (!strcmp(template, "latex"))
		return print_run(root, dir, print_latex);
	if (!strcmp(template, "markdown"))
		return print_run(root, dir, print_markdown);
	warn("--template %s: expected latex or markdown", template);
	return EXIT_USAGE;
}

static void print_lmbench(const char *root, struct run *run)
{
	struct lmbench l;

	lmbench_read(&l, root);
	lmbench_print(stdout, &l, run);
	noise_certificate_print(stdout, run);
	say_notes(run);
}

int command_lmbench(const char *root, const char *dir)
{
	return print_run(root, dir, print_lmbench);
}

static void say_warnings(const struct run *run)
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
	struct card card;

	card_read(&card, root, run->notes);
	card_print(stdout, &card, run);
}

int command_card(const char *root, const char *dir)
{
	return print_run(root, dir, print_card);
}

static void print_summary(const char *root, struct run *run)
{
	print_card(root, run);
	warnings_add(run);
	noise_certificate_print(stdout, run);
	say_warnings(run);
}

int command_summary(const char *root, const char *dir)
{
	return print_run(root, dir, print_summary);
}
