/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "console.h"
#include "noise.h"
#include "quiet.h"
#include "text.h"
#include "units.h"

#define MOST_CPUS 16 /* of hundreds */

static void print_one(FILE *f, char *what, char *mend)
{
	if (what) {
		char *line = text_format("%s; to mend it: %s", what, mend);

		console_text(f, line, "  ", "    ");
		free(line);
	}
	free(mend);
	free(what);
}

void quiet_print(FILE *f, const struct run *run)
{
	struct quiet q;

	quiet_sum(&q, run);
	if (q.n) {
		char *line = quiet_verdict(&q.v[0]);

		fputc('\n', f);
		console_text(f, line, "noise certificate: ", "  ");
		free(line);
	}
	for (int i = 0; q.n && i < GAP_CAUSES; i++)
		print_one(f, quiet_cause(&q.v[0], (enum gap_cause)i),
			  quiet_mend(&q.v[0], (enum gap_cause)i));
	if (q.n)
		print_one(f, quiet_shared(&q.v[0]), quiet_shared_mend(&q.v[0]));
	quiet_free(&q);
}

static char *percent(double part, double whole)
{
	char buf[UNITS_MAX];

	return whole > 0 ? text_copy(units_percent(buf, part / whole)) : NULL;
}

static void fill(struct table *t, const struct quiet *q)
{
	static const char *const heads[] = {
		"CPU",	  "grade",	 "lost",  "before",    "between rounds",
		"after",  "longest gap", "tasks", "throttled", "interrupts",
		"unseen",
	};
	char buf[UNITS_MAX];

	for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++)
		table_column(t, heads[i], i != 1);
	for (size_t i = 0; i < q->n && i < MOST_CPUS; i++) {
		const struct quiet_cpu *c = &q->v[i];
		char grade[2] = { noise_grade(quiet_share(c)), '\0' };

		table_row(t, "");
		table_cell(t, 0,
			   text_format("%d%s", c->cpu,
				       c->measuring ? " (measures)" : ""));
		table_cell(t, 1, text_copy(grade));
		table_cell(t, 2, percent(c->lost_us, c->spun_us));
		for (size_t j = 0; j < QUIET_PHASES; j++)
			table_cell(t, 3 + j,
				   percent(c->phase_lost_us[j],
					   c->phase_spun_us[j]));
		table_cell(t, 6,
			   text_copy(units_format(buf, 1e3 * c->longest_us,
						  "ns")));
		for (size_t j = 0; j < GAP_CAUSES; j++)
			table_cell(t, 7 + j,
				   percent(c->causes_us[j], c->spun_us));
	}
	t->caption = text_format("Share of each CPU's time that others took, "
				 "when, and who%s",
				 q->n > MOST_CPUS ? "; the quieter CPUs are "
						    "left out"
						  : "");
}

/* An item of the list, which the first one begins. */
static void put_one(struct doc *d, bool *any, char *what, char *mend)
{
	if (what) {
		char *line = text_format("%s. To mend it: %s.", what, mend);

		if (!*any)
			d->format->list(d, 1);
		*any = true;
		d->format->item(d, NULL, line);
		free(line);
	}
	free(mend);
	free(what);
}

static void put_causes(struct doc *d, const struct quiet_cpu *c)
{
	bool any = false;

	for (int i = 0; i < GAP_CAUSES; i++)
		put_one(d, &any, quiet_cause(c, (enum gap_cause)i),
			quiet_mend(c, (enum gap_cause)i));
	put_one(d, &any, quiet_shared(c), quiet_shared_mend(c));
	if (any)
		d->format->list(d, 0);
}

void sections_noise(struct doc *d, const struct run *run)
{
	struct table t = { 0 };
	struct quiet q;
	char *verdict, *line;

	quiet_sum(&q, run);
	d->format->heading(d, 2, "noise", "Noise certificate");
	if (!q.n) {
		d->format->para(d, "This run has none (no noise.jsonl): it was "
				   "not made by run-all, or by an older one. "
				   "The grades of the rows stand on their "
				   "own.");
		return;
	}
	verdict = quiet_verdict(&q.v[0]);
	line = text_format("The certificate says %s.", verdict);
	d->format->para(d, line);
	free(line);
	free(verdict);
	put_causes(d, &q.v[0]);
	fill(&t, &q);
	d->format->table(d, &t);
	table_free(&t);
	d->format->para(
		d, "Before the first round, between rounds and after the last "
		   "one a program read the clock without pause on each CPU, "
		   "first on the measuring one, then on all others at once. "
		   "Every gap of more than 1 µs was somebody else: tasks if "
		   "the kernel had switched to another one, interrupts if "
		   "there were as many as gaps, and unseen where the kernel "
		   "knows of nothing: the hypervisor or the firmware. How the "
		   "last two share the time is an estimate. What one task ran "
		   "is the kernel's count of it, also before and after the "
		   "clock was read, so it may be more than all tasks took; "
		   "what the hypervisor took of a gap in which a task ran "
		   "counts as the task's. Grades: A under "
		   "0.1 %, B under 1 %, C under 5 %, D more. Each row has its "
		   "own grade too, from its own process.");
	quiet_free(&q);
}
