/* SPDX-License-Identifier: MIT */
#include "sections.h"

#include <math.h>
#include <string.h>

#include "compare.h"
#include "doc.h"
#include "grade.h"
#include "load.h"
#include "text.h"

/* Share of the measuring CPU's time that other work should not take. */
#define NOISY 0.01
/* Largest error that `truth` may show, from this many cycles up. */
#define TRUTH_ERROR  0.01
#define TRUTH_CYCLES 8

/* A note of @run by the text of that id, with names and values in turn. */
#define say(run, ...) notes_say((run)->notes, prose(__VA_ARGS__, NULL))

/* The problem of a row: NULL for none. */
typedef const char *why_fn(const struct row *row);

/* One line of all rows with which something is the matter. */
static void warn_rows(struct run *run, const char *id, why_fn *why)
{
	const char *first = NULL;
	size_t n = 0;

	for (size_t i = 0; i < run->nrows; i++) {
		const struct result *r = &run->rows[i].all;
		const char *text = why(&run->rows[i]);

		if (text && !n++)
			first = text_format("%s %s%s%s", r->benchmark, r->name,
					    *text ? ": " : "", text);
	}
	if (n)
		say(run, id, "rows", text_plural(n, "row"), "n", text_count(n),
		    "have", n == 1 ? "has" : "have", "first", first);
}

static const char *failed(const struct row *row)
{
	return row->all.status != RESULT_FAILED ? NULL
	       : row->all.reason		? row->all.reason
						: "no reason";
}

static const char *trend(const struct row *row)
{
	return trend_text(&row->all);
}

static const char *states(const struct row *row)
{
	return row->all.states ? states_text(&row->all) : NULL;
}

/* The cpuset or the affinity was changed in mid-run. */
static const char *cpus(const struct row *row)
{
	return row->all.cpu == RESULT_CPUS_DIFFER ? "" : NULL;
}

/* Doubts about values that agreeing rounds do not remove.  Doubts from earlier
 * runs stand in the rows. */
static const char *doubt(const struct row *row)
{
	const char *why = grade_doubt(&row->all);

	return why && strncmp(why, "earlier", 7) != 0 ? why : NULL;
}

/* nop must show nothing, and truth the truth: else the rest is in doubt. */
static const char *nop(const struct row *row)
{
	const struct result *r = &row->all;

	return !strcmp(r->benchmark, "nop") && r->status == RESULT_OK
		       ? text_format("%.3g %s", r->value,
				     r->unit ? r->unit : "")
		       : NULL;
}

static const char *truth(const struct row *row)
{
	const struct result *r = &row->all;
	const double error = (r->value - r->expected) / r->expected;

	return fabs(error) > TRUTH_ERROR && r->cycles >= TRUTH_CYCLES
		       ? text_format("%+.1f %%", 100 * error)
		       : NULL;
}

/* The run's own certificate of the method that it used. */
static const char *certify(const struct row *row)
{
	const struct result *r = &row->all;
	const char *verdict = run_text(r->evidence, "verdict");
	const char *used = text_format("method=%s,body=all,stat=verdict",
				       r->timer ? r->timer : "");

	return !strcmp(r->benchmark, "certify") && verdict &&
			       strstr(verdict, "rejected") &&
			       !strcmp(r->name, used)
		       ? ""
		       : NULL;
}

static const char *frequency(const struct row *row)
{
	return run_number(row->all.tags, "frequency") > 0 ? "" : NULL;
}

/* The main cause of lost time on the measuring CPU, by the certificate. */
static void warn_noise(struct run *run)
{
	struct noise_certificate q;
	const char *what;

	noise_certificate_sum(&q, run);
	if (!q.n || noise_cpu_share(&q.v[0]) < NOISY)
		return;
	what = noise_cpu_cause(&q.v[0], noise_cpu_main_cause(&q.v[0]));
	notes_say(run->notes,
		  text_format("%s%s%s", noise_cpu_verdict(&q.v[0]),
			      what ? ", mostly " : "", what ? what : ""));
}

/* The precision that was asked for could not be had. */
static void warn_precision(struct run *run)
{
	const double within = rounds_precision(run);
	size_t wide = 0, rows = 0;
	const char *names = NULL;

	for (size_t i = 0; i < run->nsections; i++) {
		const struct section *s = &run->sections[i];
		size_t of, n = rounds_wide(s, within, &of);

		wide += n;
		rows += of;
		if (n)
			names = text_join(names, ", ",
					  text_format("%s %zu of %zu",
						      s->program, n, of));
	}
	if (names && !isnan(within) && run->rounds >= 6)
		say(run, "warn-precision", "n", text_count(wide), "of",
		    text_count(rows), "within",
		    text_format("%.8g", 100 * within), "rounds",
		    rounds_words(run), "names", names);
}

static void warn_width(struct run *run)
{
	size_t bad = 0, graded = 0;

	for (size_t i = 0; i < run->nrows; i++) {
		const char *grade = run->rows[i].all.grade;

		graded += grade != NULL;
		bad += grade && *grade >= 'C';
	}
	if (run->nrows && run->rounds < 6)
		notes_format(run->notes,
			     json_is_true(run_at(run->meta, "interrupted"))
				     ? NULL /* said with the interruption */
				     : prose("warn-rounds", NULL),
			     "%s: no intervals and no grades",
			     text_plural(run->rounds, "round"));
	else if (bad && isnan(rounds_precision(run)))
		say(run, "warn-width", "n", text_count(bad), "of",
		    text_count(graded));
}

static json_int_t aside(const struct row *row, const char *key)
{
	return json_integer_value(json_object_get(row->all.set_aside, key));
}

/* "3 measurements and 40 of 600 values of process runs" */
static const char *excluded(json_int_t visits, json_int_t values, size_t of)
{
	const char *text = NULL;

	if (visits)
		text = text_plural((size_t)visits, "measurement");
	if (values)
		text = text_join(text, " and ",
				 text_format("%" JSON_INTEGER_FORMAT " of %zu "
					     "values of process runs",
					     values, of));
	return text;
}

/* One line for the measurements that are in no value: the rows say why. */
static void warn_set_aside(struct run *run)
{
	json_int_t visits = 0, values = 0;
	size_t rows = 0, lost = 0, of = 0;

	for (size_t i = 0; i < run->nrows; i++) {
		const struct row *row = &run->rows[i];

		of += row->rounds;
		rows += row->all.set_aside && row->all.status != RESULT_FAILED;
		visits += aside(row, "visits");
		values += aside(row, "invocations");
		lost += aside(row, "visits") && !isfinite(row->all.value);
	}
	if (rows)
		say(run, "warn-aside", "excluded", excluded(visits, values, of),
		    "rows", text_plural(rows, "row"), "lost",
		    lost ? prose("warn-aside-lost", "lost",
				 text_plural(lost, "row"), "have",
				 lost == 1 ? "has" : "have", NULL)
			 : "the values of the rows come from the rest");
}

/* Troubles of programs that were skipped, or of those that failed. */
static void warn_troubles(struct run *run, bool skipped)
{
	for (size_t i = 0; i < run->ntroubles; i++) {
		const struct trouble *t = &run->troubles[i];

		if ((t->exit_status == 77) != skipped)
			continue;
		notes_format(
			run->notes,
			skipped ? NULL
				: "the program shows more when it runs alone",
			"%s: %s in %s: %s", t->program,
			tables_exit(t->exit_status),
			text_plural(t->rounds, "round"), t->reason);
	}
}

/* A counter whose rate is not what the firmware says makes all rows wrong. */
static void warn_rate(struct run *run)
{
	const json_t *c;
	size_t i;

	json_array_foreach(run_at(run->machine, "tsc.rate.checks"), i, c)
	{
		const double by = run_number(c, "long_ppm");
		const char *clock = run_text(c, "clock");
		const double error = run_number(c, "error_ppm");

		if (isfinite(by) && json_is_false(run_at(c, "agrees")))
			say(run, "warn-rate", "clock",
			    clock ? clock : "another clock", "by",
			    text_format("%.3g", fabs(by) / 1e4), "long",
			    by > 0 ? "long" : "short", "error",
			    text_format("%.2g", error / 1e4));
	}
}

static void warn_run(struct run *run)
{
	const char *governor = run_text(run->machine, "governor");
	const char *clock = run_text(run->machine, "timer.method");
	const char *dir = again_word(run->dir);

	if (json_is_true(run_at(run->meta, "interrupted")))
		say(run, "warn-interrupted", "dir", dir ? dir : "DIR");
	if (governor && strcmp(governor, "performance") != 0)
		say(run, "warn-governor", "governor", governor);
	if (text_same(clock, "clock") && !ledger_is(run))
		say(run, "warn-clock");
}

void warnings_add(struct run *run)
{
	warn_run(run);
	warn_troubles(run, false);
	warn_rows(run, "warn-failed", failed);
	warn_set_aside(run);
	warn_rows(run, "warn-trends", trend);
	warn_rows(run, "warn-states", states);
	warn_rows(run, "warn-cpus", cpus);
	warn_rows(run, "warn-nop", nop);
	warn_rows(run, "warn-truth", truth);
	warn_rate(run);
	warn_rows(run, "warn-certify", certify);
	/* Counts have no noise. */
	if (!ledger_is(run)) {
		warn_noise(run);
		warn_rows(run, "warn-doubt", doubt);
		warn_rows(run, "warn-frequency", frequency);
		warn_width(run);
		warn_precision(run);
	}
	warn_troubles(run, true);
}
