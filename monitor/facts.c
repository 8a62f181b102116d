// SPDX-License-Identifier: MIT
#include "facts.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

#include "err.h"

#define LINE_MAX_BYTES 512

/* Why @event is not there; NULL if it is. */
static const char *why_unknown(const struct facts *facts,
			       enum counters_event event)
{
	if (facts->set->replay)
		return NULL;
	if (!facts->target->asked)
		return facts->target->why   ? facts->target->why
		       : facts->set->cgroup ? "no mounted hierarchy with "
					      "perf_event has this "
					      "cgroup"
					    : "no counters could be opened";
	return counters_why(facts->target->asked, event);
}

/* What is unknown for one reason, in one line. */
static void put_unknown(const struct facts *facts, FILE *f)
{
	bool said[COUNTERS_EVENTS] = { false };

	said[COUNTERS_TASK_CLOCK] = true;
	for (int e = 0; e < COUNTERS_EVENTS; e++) {
		const char *why = why_unknown(facts, (enum counters_event)e);

		if (said[e] || !why)
			continue;
		for (int other = e; other < COUNTERS_EVENTS; other++) {
			const char *same =
				why_unknown(facts, (enum counters_event)other);

			if (said[other] || !same || strcmp(same, why) != 0)
				continue;
			said[other] = true;
			fprintf(f, "%s%s", other == e ? "" : ", ",
				counters_name((enum counters_event)other));
		}
		fprintf(f, ": unknown: %s\n", why);
	}
}

static void put_widths(const struct facts *facts, FILE *f)
{
	const struct counters *asked = facts->target->asked;
	const unsigned int n = asked ? counters_pmus(asked) : 0;
	char text[LINE_MAX_BYTES];

	for (unsigned int i = 0; i < (n ? n : 1); i++) {
		const char *pmu = n ? counters_pmu_name(asked, i) : "cpu";

		cpu_model_say_width(facts->model, pmu, text, sizeof(text));
		fprintf(f, "most instructions per cycle%s%s: %s\n",
			n > 1 ? " of " : "", n > 1 ? pmu : "", text);
	}
}

/* All of it, a line each. */
static void put_facts(const struct facts *facts, FILE *f)
{
	char text[LINE_MAX_BYTES];

	if (facts->set->replay) {
		fprintf(f, "a recording: %s\n", facts->set->replay);
		return;
	}
	cpu_model_say_counters(facts->model, text, sizeof(text));
	fprintf(f, "%s\n", text);
	put_widths(facts, f);
	put_unknown(facts, f);
	if (facts->target->asked && counters_user_only(facts->target->asked))
		fputs("the kernel's instructions are left out: not permitted\n",
		      f);
}

char *facts_head(const struct facts *facts)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		return NULL;
	put_facts(facts, f);
	return fclose(f) ? NULL : text;
}

void facts_say(const struct facts *facts)
{
	char *text = facts_head(facts);
	char *rest = text, *line;

	while ((line = strsep(&rest, "\n")))
		if (*line)
			warn("%s", line);
	free(text);
}

static json_t *unknown_json(const struct facts *facts)
{
	json_t *unknown = json_object();

	for (int e = 0; e < COUNTERS_EVENTS; e++) {
		const char *why = why_unknown(facts, (enum counters_event)e);

		if (why && e != COUNTERS_TASK_CLOCK)
			json_object_set_new(unknown,
					    counters_name(
						    (enum counters_event)e),
					    json_string(why));
	}
	return unknown;
}

/* An object of what @make says of each kind of core; of one alone, that. */
static json_t *by_pmu(const struct facts *facts,
		      json_t *(*make)(const struct facts *, unsigned int,
				      const char *))
{
	const struct counters *asked = facts->target->asked;
	const unsigned int n = asked ? counters_pmus(asked) : 0;
	json_t *all;

	if (n <= 1)
		return make(facts, 0, n ? counters_pmu_name(asked, 0) : "cpu");
	all = json_object();
	for (unsigned int i = 0; i < n; i++) {
		const char *pmu = counters_pmu_name(asked, i);

		json_object_set_new(all, pmu, make(facts, i, pmu));
	}
	return all;
}

static json_t *width_json(const struct facts *facts, unsigned int nth,
			  const char *pmu)
{
	double width[COUNTERS_PMUS];

	cpu_model_widths(facts->model, facts->target->asked, width);
	return isfinite(width[nth]) ? json_real(width[nth]) : json_null();
}

static json_t *source_json(const struct facts *facts, unsigned int nth,
			   const char *pmu)
{
	char text[LINE_MAX_BYTES];

	/* Which processor a recording is of, it does not say. */
	if (facts->set->replay && !(facts->model->forced > 0))
		return json_null();
	cpu_model_say_width(facts->model, pmu, text, sizeof(text));
	return json_string(text);
}

/* What this processor says of its counters. */
static json_t *processor_json(const struct facts *facts)
{
	const struct counters_arch *arch = &facts->model->arch;
	char text[LINE_MAX_BYTES];

	if (facts->set->replay)
		return json_pack("{s:n, s:n, s:n, s:n}",
				 "architectural_version", "counters",
				 "fixed_counters", "counters_text");
	cpu_model_say_counters(facts->model, text, sizeof(text));
	return json_pack("{s:i, s:i, s:i, s:s}", "architectural_version",
			 (int)arch->version, "counters", (int)arch->counters,
			 "fixed_counters", (int)arch->fixed, "counters_text",
			 text);
}

void facts_json(FILE *f, const struct facts *facts, const struct stamp *at)
{
	const struct settings *set = facts->set;
	json_t *begin, *processor = processor_json(facts);

	begin = json_pack("{s:s, s:i, s:s, s:f, s:f, s:s, s:s?, s:o, s:o, s:o}",
			  "type", "begin", "schema", 1, "program",
			  "cpu_load (oscost " OSCOST_VERSION ")", "realtime_s",
			  (double)at->real_ns / 1e9, "interval_s",
			  (double)set->interval_ns / 1e9, "source",
			  set->pid	? "process clock"
			  : set->cgroup ? "cgroup"
					: set->source,
			  "cgroup", set->cgroup, "pid",
			  set->pid ? json_integer((json_int_t)set->pid)
				   : json_null(),
			  "width", by_pmu(facts, width_json), "width_source",
			  by_pmu(facts, source_json));
	if (begin && processor && !json_object_update(begin, processor) &&
	    !json_object_set_new(begin, "unknown", unknown_json(facts))) {
		json_dumpf(begin, f, JSON_COMPACT | JSON_PRESERVE_ORDER);
		fputc('\n', f);
	}
	json_decref(processor);
	json_decref(begin);
}
