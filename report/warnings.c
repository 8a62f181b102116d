/* SPDX-License-Identifier: MIT */
#include "warnings.h"

#include <math.h>
#include <string.h>

#include "again.h"
#include "contradictions.h"
#include "distances.h"
#include "grade.h"
#include "ledger.h"
#include "noise_certificate.h"
#include "rounds.h"
#include "tables.h"
#include "text.h"
#include "trend.h"

/* Share of the measuring CPU's time that other work should not take. */
#define NOISY 0.01
/* Largest error that `truth` may show, from this many cycles up. */
#define TRUTH_ERROR  0.01
#define TRUTH_CYCLES 8

/* What the certificate found most of on the measuring CPU. */
static void warn_noise(struct run *run)
{
	struct noise_certificate q;

	noise_certificate_sum(&q, run);
	if (q.n && noise_cpu_share(&q.v[0]) >= NOISY) {
		const enum noise_cause cause = noise_cpu_main_cause(&q.v[0]);
		const char *what = noise_cpu_cause(&q.v[0], cause);

		notes_add(run->notes,
			  text_format("%s%s%s", noise_cpu_verdict(&q.v[0]),
				      what ? ", mostly " : "",
				      what ? what : ""),
			  noise_cpu_mend(&q.v[0], cause));
	}
}

static json_int_t frequency_tags(const struct result *row)
{
	return json_integer_value(json_object_get(row->tags, "frequency"));
}

/* Values that rounds which agree do not make right.  Of earlier runs the rows
 * tell. */
static void warn_doubt(struct run *run)
{
	const struct result *first = NULL;
	size_t n = 0;
	const char *why;

	for (size_t i = run->nrows; i-- > 0;) {
		why = grade_doubt(&run->rows[i].all);
		if (why && strncmp(why, "earlier", 7) != 0) {
			first = &run->rows[i].all;
			n++;
		}
	}
	if (!first)
		return;
	why = grade_doubt(first);
	notes_add(run->notes,
		  text_format("%zu row%s a lower grade than by the interval "
			      "(first: %s %s: %s)",
			      n, n == 1 ? " has" : "s have", first->benchmark,
			      first->name, why),
		  "stop other work, or give the programs a real-time priority: "
		  "make run-all PRIO=50");
}

static void warn_frequency(struct run *run)
{
	size_t rows = 0;

	for (size_t i = 0; i < run->nrows; i++)
		rows += frequency_tags(&run->rows[i].all) > 0;
	if (rows)
		notes_add(run->notes,
			  text_format("the core's frequency moved by more than "
				      "2 %% while %zu of %zu rows were taken",
				      rows, run->nrows),
			  "set a fixed frequency (cpupower frequency-set -g "
			  "performance) where the machine allows it");
}

/* "mem_latency 4 of 73, tlb 2 of 75": the programs with wide rows, a new
 * string, NULL if there are none. */
static const char *wide_programs(const struct run *run, double within,
				 size_t *wide, size_t *rows)
{
	const char *text = NULL;

	*wide = *rows = 0;
	for (size_t i = 0; i < run->nsections; i++) {
		const struct section *s = &run->sections[i];
		size_t of, n = rounds_wide(run, s, within, &of);
		const char *longer;

		*wide += n;
		*rows += of;
		if (!n)
			continue;
		longer = text_format("%s%s%s %zu of %zu", text ? text : "",
				     text ? ", " : "", s->program, n, of);
		text = longer;
	}
	return text;
}

/* The precision that was asked for could not be had. */
static void warn_precision(struct run *run)
{
	double within = rounds_precision(run);
	size_t wide, rows;
	const char *rounds, *names;

	if (isnan(within) || run->rounds < 6)
		return;
	names = wide_programs(run, within, &wide, &rows);
	if (!names)
		return;
	rounds = rounds_text(run);
	notes_add(run->notes,
		  text_format("%zu of %zu rows are not within the ±%.8g %% "
			      "that were asked for, after %s rounds (%s)",
			      wide, rows, 100 * within, rounds, names),
		  "the noise certificate says what disturbed; a quieter "
		  "machine narrows them more than rounds");
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
		notes_add(run->notes,
			  text_format("%u round%s: no intervals and no grades",
				      run->rounds, run->rounds == 1 ? "" : "s"),
			  json_is_true(run_at(run->meta, "interrupted"))
				  ? NULL /* said with the interruption */
				  : "6 rounds or more are needed: make run-all "
				    "PROFILE=quick");
	else if (bad && isnan(rounds_precision(run)))
		notes_add(run->notes,
			  text_format("%zu of %zu rows have grade C or D: "
				      "another run may lie more than 5 %% away",
				      bad, graded),
			  "more rounds narrow most intervals: make run-all "
			  "PROFILE=publish, or PRECISION=5, which adds rounds "
			  "only for programs with wide intervals");
}

static void warn_failures(struct run *run)
{
	size_t failed = 0;
	const struct row *first = NULL;

	for (size_t i = 0; i < run->nrows; i++) {
		const struct row *row = &run->rows[i];

		if (row->all.status != RESULT_FAILED)
			continue;
		failed++;
		first = first ? first : row;
	}
	if (first)
		notes_add(run->notes,
			  text_format("%zu row%s failed (first: %s %s: %s)",
				      failed, failed == 1 ? "" : "s",
				      first->all.benchmark, first->all.name,
				      first->all.reason ? first->all.reason
							: "no reason"),
			  "see \"Not measured, and why\" in the report, and "
			  "log.txt");
}

static json_int_t aside(const struct row *row, const char *key)
{
	return json_integer_value(json_object_get(row->all.set_aside, key));
}

static void warn_trends(struct run *run)
{
	const struct result *first = NULL;
	size_t n = 0;

	for (size_t i = 0; i < run->nrows; i++) {
		const struct result *r = &run->rows[i].all;

		n += r->trend != NULL;
		first = first || !r->trend ? first : r;
	}
	if (!first)
		return;
	notes_add(run->notes,
		  text_format("%zu row%s changed from round to round (first: "
			      "%s %s: %s): an interval around the median would "
			      "hide that, so there is none",
			      n, n == 1 ? "" : "s", first->benchmark,
			      first->name, trend_text(first)),
		  "look for what the run itself changes: files, memory, heat");
}

static void warn_states(struct run *run)
{
	const struct result *first = NULL, *near = NULL;
	size_t n = 0, follow = 0;
	char text[STATES_MAX];
	const char *distances = NULL;

	for (size_t i = run->nrows; i-- > 0;) {
		const struct result *r = &run->rows[i].all;
		const char *why = r->states ? distances_text(r) : NULL;

		n += r->states != NULL;
		first = r->states ? r : first;
		if (!why)
			continue;
		follow++;
		near = r;
		distances = why;
	}
	if (first)
		notes_add(run->notes,
			  text_format("the rounds of %zu row%s fall in two "
				      "groups (first: %s %s: %s): both levels "
				      "are shown instead of their median",
				      n, n == 1 ? "" : "s", first->benchmark,
				      first->name, states_text(text, first)),
			  "look for what differs between rounds: where the "
			  "host runs the CPUs, whether huge pages can be had");
	if (near)
		notes_add(run->notes,
			  text_format(
				  "the levels of %zu of these rows go with the "
				  "distance of the two CPUs (first: %s %s: %s)",
				  follow, near->benchmark, near->name,
				  distances),
			  "the host moves the CPUs: ask it to keep them on "
			  "cores of one cache");
}

/* The cpuset or the affinity was changed in mid-run. */
static void warn_cpus(struct run *run)
{
	const struct result *first = NULL;
	size_t n = 0;

	for (size_t i = run->nrows; i-- > 0;)
		if (run->rows[i].all.cpu == RESULT_CPUS_DIFFER) {
			first = &run->rows[i].all;
			n++;
		}
	if (first)
		notes_add(run->notes,
			  text_format("the rounds of %zu row%s were measured "
				      "on different CPUs (first: %s %s), which "
				      "need not be alike",
				      n, n == 1 ? "" : "s", first->benchmark,
				      first->name),
			  "leave the cpuset as it is during a run, or name a "
			  "CPU: make run-all CPU=1");
}

/* What is in no value, in one line: the rows say why. */
static void warn_set_aside(struct run *run)
{
	json_int_t visits = 0, invocations = 0;
	size_t rows = 0, lost = 0;

	for (size_t i = 0; i < run->nrows; i++) {
		const struct row *row = &run->rows[i];

		rows += row->all.set_aside && row->all.status != RESULT_FAILED;
		visits += aside(row, "visits");
		invocations += aside(row, "invocations");
		lost += aside(row, "visits") && !isfinite(row->all.value);
	}
	if (rows)
		notes_add(
			run->notes,
			text_format(
				"%" JSON_INTEGER_FORMAT
				" visits and %" JSON_INTEGER_FORMAT
				" invocations of %zu row%s were set aside, as "
				"each row says; the values come from the rest",
				visits, invocations, rows,
				rows == 1 ? "" : "s"),
			lost ? text_format(
				       "%zu row%s no value for that reason: "
				       "see \"Not measured, and why\"",
				       lost, lost == 1 ? " has" : "s have")
			     : NULL);
}

/* Of programs that were skipped, or of those that failed. */
static void warn_troubles(struct run *run, bool skipped)
{
	for (size_t i = 0; i < run->ntroubles; i++) {
		const struct trouble *t = &run->troubles[i];
		const char *what, *program;

		if ((t->exit_status == 77) != skipped)
			continue;
		what = tables_exit(t->exit_status);
		program = again_program(t->program);
		notes_add(run->notes,
			  text_format("%s: %s in %u round%s: %s", t->program,
				      what, t->rounds,
				      t->rounds == 1 ? "" : "s", t->reason),
			  t->exit_status == 77 || !program
				  ? NULL
				  : text_format("%s alone tells more",
						program));
	}
}

/* nop must show nothing, and truth the truth: else the rest is in doubt. */
static void warn_truth(struct run *run)
{
	for (size_t i = 0; i < run->nrows; i++) {
		const struct result *r = &run->rows[i].all;
		double error = (r->value - r->expected) / r->expected;

		if (!strcmp(r->benchmark, "nop") && r->status == RESULT_OK)
			notes_add(run->notes,
				  text_format("nop, an empty operation, shows "
					      "a cost of %.3g %s: costs near "
					      "it are in doubt",
					      r->value, r->unit ? r->unit : ""),
				  "measure again on a quieter machine");
		if (fabs(error) > TRUTH_ERROR && r->cycles >= TRUTH_CYCLES)
			notes_add(run->notes,
				  text_format("%s %s is off the known truth by "
					      "%+.1f %%",
					      r->benchmark, r->name,
					      100 * error),
				  "measure again on a quieter machine, or with "
				  "another --timer");
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

		if (!isfinite(by) || !json_is_false(run_at(c, "agrees")))
			continue;
		notes_add(
			run->notes,
			text_format(
				"by %s all times are %.3g %% too %s (±%.2g %%)",
				clock ? clock : "another clock", fabs(by) / 1e4,
				by > 0 ? "long" : "short",
				run_number(c, "error_ppm") / 1e4),
			"if that clock is right, the firmware states a wrong "
			"rate of the counter: docs/porting.md");
	}
}

/* The run's own certificate of the method that it used. */
static void warn_certificate(struct run *run)
{
	for (size_t i = 0; i < run->nrows; i++) {
		const struct result *r = &run->rows[i].all;
		const char *verdict = json_string_value(
			json_object_get(r->evidence, "verdict"));
		const char *name =
			text_format("method=%s,body=all,figure=verdict",
				    r->timer ? r->timer : "");

		if (!strcmp(r->benchmark, "certify") && verdict &&
		    strstr(verdict, "rejected") && !strcmp(r->name, name))
			notes_add(run->notes,
				  text_format("certify rejected %s, the timing "
					      "method of this run, in at least "
					      "one round: single events have "
					      "no sure offset to subtract; "
					      "batches do not need one",
					      r->timer),
				  "measure again on a quieter machine, or with "
				  "another --timer");
	}
}

static void warn_run(struct run *run)
{
	const json_t *governor = run_at(run->machine, "governor");
	const char *clock = run_text(run->machine, "timer.method");
	const char *dir = again_word(run->dir);

	if (json_is_true(run_at(run->meta, "interrupted")))
		notes_add(run->notes,
			  "the run was interrupted: not all rounds are there",
			  text_format("scripts/run-all --resume %s",
				      dir ? dir : "DIR"));
	if (json_is_string(governor) &&
	    strcmp(json_string_value(governor), "performance") != 0)
		notes_add(run->notes,
			  text_format("the frequency governor is %s",
				      json_string_value(governor)),
			  "cpupower frequency-set -g performance");
	if (clock && !strcmp(clock, "clock") && !ledger_is(run))
		notes_add(run->notes,
			  "the time stamp counter cannot be trusted here: the "
			  "system's clock was used, which is coarser",
			  NULL);
}

void warnings_add(struct run *run)
{
	warn_run(run);
	warn_troubles(run, false);
	warn_failures(run);
	warn_set_aside(run);
	warn_trends(run);
	warn_states(run);
	warn_cpus(run);
	warn_truth(run);
	warn_rate(run);
	warn_certificate(run);
	contradictions_add(run);
	/* Counts have no noise. */
	if (!ledger_is(run)) {
		warn_noise(run);
		warn_doubt(run);
		warn_frequency(run);
		warn_width(run);
		warn_precision(run);
	}
	warn_troubles(run, true);
}
