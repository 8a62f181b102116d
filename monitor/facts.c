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
		return facts->set->cgroup ? "no mounted hierarchy with "
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

static json_t *width_json(const struct facts *facts)
{
	double width[COUNTERS_PMUS];

	cpu_model_widths(facts->model, facts->target->asked, width);
	return isfinite(width[0]) ? json_real(width[0]) : json_null();
}

void facts_json(FILE *f, const struct facts *facts, const struct stamp *at)
{
	const struct settings *set = facts->set;
	const struct counters_arch *arch = &facts->model->arch;
	char counters[LINE_MAX_BYTES], width[LINE_MAX_BYTES];
	json_t *begin;

	cpu_model_say_counters(facts->model, counters, sizeof(counters));
	cpu_model_say_width(facts->model, "cpu", width, sizeof(width));
	begin = json_pack(
		"{s:s, s:i, s:s, s:f, s:f, s:s, s:s?, s:o, s:o, s:s, s:i, s:i, "
		"s:i, s:s, s:o}",
		"type", "begin", "schema", 1, "program",
		"cpu_load (oscost " OSCOST_VERSION ")", "realtime_s",
		(double)at->real_ns / 1e9, "interval_s",
		(double)set->interval_ns / 1e9, "source",
		set->pid      ? "process clock"
		: set->cgroup ? "cgroup"
			      : set->source,
		"cgroup", set->cgroup, "pid",
		set->pid ? json_integer((json_int_t)set->pid) : json_null(),
		"width", width_json(facts), "width_source", width,
		"architectural_version", (int)arch->version, "counters",
		(int)arch->counters, "fixed_counters", (int)arch->fixed,
		"counters_text", counters, "unknown", unknown_json(facts));
	if (!begin)
		return;
	json_dumpf(begin, f, JSON_COMPACT | JSON_PRESERVE_ORDER);
	fputc('\n', f);
	json_decref(begin);
}
