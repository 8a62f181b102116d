/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "doc.h"
#include "sections.h"
#include "stats.h"
#include "text.h"

#define VALUE_WIDTH 40 /* a kernel's command line is long */

/* A part of machine.json. */
struct place {
	const struct run *run;
	const json_t *one; /* of its arrays, or all of it */
};

static const char *ticks_ns(const struct run *run, const char *path)
{
	double ticks = run_number(run->machine, path);
	double hz = run_number(run->machine, "tsc.hz");

	if (!isfinite(ticks))
		return "unknown";
	if (!(hz > 0))
		return text_format("%s ticks", text_number(ticks));
	return text_format("%s ticks = %s", text_number(ticks),
			   text_units(ticks * 1e9 / hz, "ns"));
}

static const char *hz_at(const struct run *run, const char *path)
{
	double hz = run_number(run->machine, path);

	return hz > 0 ? text_format("%.3f MHz", hz / 1e6) : "unknown";
}

/* The kernel's number in words. */
static const char *aslr(const json_t *v)
{
	static const char *const words[] = { "off (0)", "partial (1)",
					     "full (2)" };
	json_int_t n = json_integer_value(v);

	return json_is_integer(v) && n >= 0 && n <= 2 ? words[n]
						      : run_shown(v, "");
}

/* "cpu.model", or a path and how it is said: "size_bytes:B"; ">" and "<" are
 * words before and behind a text that may not be there. */
static const char *fact_at(const char *path, const void *arg)
{
	const struct place *p = arg;
	const char *name = text_split(&path, ':');
	const double x = run_number(p->one, name);
	const char *text = run_text(p->one, name);

	if (!path)
		return run_shown(p->one, name);
	if (!strcmp(path, "B"))
		return isfinite(x) ? text_units(x, "B") : "unknown";
	if (!strcmp(path, "Mbit/s"))
		return x > 0 ? text_format("%.0f Mbit/s", x) : "speed unknown";
	if (!strcmp(path, "MHz"))
		return hz_at(p->run, name);
	if (!strcmp(path, "ticks"))
		return ticks_ns(p->run, name);
	if (!strcmp(path, "words"))
		return aslr(run_at(p->one, name));
	if (!text)
		return "";
	return *path == '>' ? text_format("%s%s", path + 1, text)
			    : text_format("%s%s", text, path + 1);
}

static void add_mitigations(struct table *t, const struct run *run)
{
	json_t *all = json_object_get(run->machine, "mitigations");
	const char *name;
	json_t *v;

	json_object_foreach(all, name, v)
	{
		if (!json_is_string(v) ||
		    !strcmp(json_string_value(v), "Not affected"))
			continue;
		table_line(t, "", text_format("mitigation: %s", name),
			   run_shown(v, ""));
	}
	if (!all || json_is_null(all))
		table_line(t, "", "mitigations", "unknown");
}

/* Differences of the counter's rate from clocks that do not count by it. */
static void add_rate(struct table *t, const struct run *run)
{
	const json_t *c;
	size_t i;

	json_array_foreach(run_at(run->machine, "tsc.rate.checks"), i, c)
	{
		const double by = run_number(c, "long_ppm");

		table_line(
			t, "",
			text_format("its rate, checked by %s",
				    run_known(c, "clock", "unknown")),
			isfinite(by)
				? text_format("times are %.3g %% too %s (±%.2g "
					      "%%): %s",
					      fabs(by) / 1e4,
					      by > 0 ? "long" : "short",
					      run_number(c, "error_ppm") / 1e4,
					      json_is_true(run_at(c, "agrees"))
						      ? "agrees"
						      : "disagrees")
				: "it could not be read, or stood still");
	}
}

/* The lines of section @id: "label|text", with {facts}; "@array" before them
 * makes a row for each of its elements, "!" calls a function. */
static void describe(struct table *t, const struct run *run, const char *id)
{
	static const struct {
		const char *name;
		void (*add)(struct table *t, const struct run *run);
	} more[] = { { "!mitigations", add_mitigations },
		     { "!rate", add_rate } };
	const char *rest = prose_section(id), *line;

	table_begin(t, "property|value");
	while ((line = text_split(&rest, '\n'))) {
		struct place p = { run, run->machine };
		const char *label = text_split(&line, '|');
		const json_t *each =
			*label == '@' ? run_at(run->machine, label + 1) : NULL;
		size_t i;

		for (i = 0; i < sizeof(more) / sizeof(*more); i++)
			if (!strcmp(label, more[i].name))
				more[i].add(t, run);
		if (*label != '@' && line)
			table_line(t, "", label, text_fill(line, fact_at, &p));
		if (*label == '@')
			label = text_split(&line, '|');
		json_array_foreach(each, i, p.one)
			table_line(t, "", text_fill(label, fact_at, &p),
				   text_fill(line, fact_at, &p));
	}
}

/* The checks that run-all kept in machine.json; no rows if it kept none. */
static void fill_checks(struct table *t, const struct run *run)
{
	const json_t *list = run_at(run->machine, "checks"), *c;
	size_t i;

	table_begin(t, "setting|answer|value|command that fixes it|read from");
	json_array_foreach(list, i, c)
	{
		const char *answer = run_text(c, "answer");
		const char *value = run_text(c, "value");

		/* Earlier versions wrote "mend". */
		table_line(t, text_same(answer, "bad") ? "failed" : "",
			   run_text(c, "name"), answer,
			   value ? text_cut(value, VALUE_WIDTH) : NULL,
			   run_text(c, json_object_get(c, "mend") ? "mend"
								  : "fix"),
			   run_text(c, "file"));
	}
	t->caption = prose("checks", NULL);
}

void sections_machine_table(struct table *t, const json_t *machine)
{
	const struct run run = { .machine = (json_t *)machine };

	describe(t, &run, "machine");
}

/* Facts that the machine at the other end of the network sent about itself. */
static void put_peer(struct doc *d, const struct run *run)
{
	struct table t;

	if (!run->peer)
		return;
	sections_machine_table(&t, run->peer);
	t.caption = "The other machine, to which the rows with net=remote were "
		    "measured";
	doc_table(d, &t, NULL);
}

void sections_machine(struct doc *d, const struct run *run)
{
	struct table t;

	doc_fold(d, "machine", "The machine");
	if (run->machine) {
		describe(&t, run, "machine");
		doc_table(d, &t, NULL);
		fill_checks(&t, run);
		doc_table(d, &t, NULL);
	}
	put_peer(d, run);
	if (!access(figures_path(run, "topology", "svg"), R_OK))
		doc_picture(d, "topology",
			    "Packages, caches, cores and PUs, as "
			    "hwloc's lstopo draws them");
	doc_unfold(d);
}

/* The value of one statistic of @method, and the paper's in brackets. */
static const char *statistic(const struct run *run, const char *method,
			     const char *cases)
{
	const struct row *row =
		run_pick(run, "certify",
			 text_format("method=%s,%s", method, cases));
	const struct result *r = row ? &row->all : NULL;
	const double paper = r ? run_number(r->evidence, "paper") : NAN;

	if (!r || r->status != RESULT_OK)
		return NULL;
	return isfinite(paper) ? text_format("%s (%s)", text_number(r->value),
					     text_number(paper))
			       : text_number(r->value);
}

/* The verdict on each method and check, and the white paper's seven statistics
 * of the methods. */
static void put_verdicts(struct doc *d, const struct run *run,
			 const struct section *certify)
{
	static const char *const cases[] = {
		"body=empty,stat=min",
		"body=empty,stat=spurious",
		"body=empty,stat=total_variance",
		"body=empty,stat=max_deviation",
		"body=empty,stat=var_of_variances",
		"body=empty,stat=var_of_minima",
		"body=loop,stat=resolution_ticks",
	};
	const size_t n = sizeof(cases) / sizeof(*cases);
	struct table t;

	table_begin(&t, "method or check|verdict|least time>|spurious minima>|"
			"total variance>|greatest deviation>|variance of "
			"variances>|variance of minima>|resolution>|why");
	for (size_t i = 0; i < certify->n; i++) {
		const struct result *r = &certify->rows[i]->all;
		const char *method = run_text(r->params, "method");
		const char *verdict = run_text(r->evidence, "verdict");

		if (!verdict)
			continue;
		table_line(&t, "", method ? method : r->name, verdict);
		for (size_t k = 0; k < n && method; k++)
			table_cell(&t, k + 2, statistic(run, method, cases[k]));
		table_cell(&t, n + 2, run_text(r->evidence, "why"));
	}
	t.caption = "certify: the verdict on each timing method, and the white "
		    "paper's seven statistics of it, here and, in brackets, in "
		    "the paper (ring 0); in ticks";
	table_prune(&t);
	doc_table(d, &t, NULL);
}

/* The clock and its calibration, and what `certify` found out about it. */
void sections_timer(struct doc *d, const struct run *run)
{
	const struct section *certify = run_section(run, "certify");
	struct table t;

	doc_fold(d, "timer", "Timer certificate");
	if (run->machine) {
		describe(&t, run, "timer");
		doc_table(d, &t, NULL);
	}
	if (certify && certify->n) {
		doc_text(d, run_text(certify->about, "text"));
		put_verdicts(d, run, certify);
	}
	sections_figures(d, run, "certify");
	if (certify && certify->n) {
		tables_section(&t, run, certify);
		doc_table(d, &t, NULL);
	}
	doc_unfold(d);
}
