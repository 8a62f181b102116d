// SPDX-License-Identifier: MIT
#include "cpus.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

#define LINE_MAX_BYTES 512

/* Why @event is not there; NULL if it is. */
static const char *why_unknown(const struct facts *facts, int event)
{
	const struct counters *c = cpus_counters(facts->cpus);

	return c ? counters_why(c, (enum counters_event)event)
		 : "no counters could be opened";
}

/* The events that are unknown for one reason, in one line. */
static void put_unknown(const struct facts *facts, FILE *f)
{
	bool said[COUNTERS_EVENTS] = { [COUNTERS_TASK_CLOCK] = true };

	for (int e = 0; e < COUNTERS_EVENTS; e++) {
		const char *why = why_unknown(facts, e);

		if (said[e] || !why)
			continue;
		for (int other = e; other < COUNTERS_EVENTS; other++) {
			const char *same = why_unknown(facts, other);

			if (said[other] || !same || strcmp(same, why) != 0)
				continue;
			said[other] = true;
			fprintf(f, "%s%s", other == e ? "" : ", ",
				counters_name((enum counters_event)other));
		}
		fprintf(f, ": unknown: %s\n", why);
	}
}

/* The kinds of core; one that is called "cpu", where nothing is known. */
static unsigned int count_pmus(const struct facts *facts)
{
	const struct counters *c = cpus_counters(facts->cpus);
	const unsigned int n = c ? counters_pmus(c) : 0;

	return n ? n : 1;
}

static const char *pmu_name(const struct facts *facts, unsigned int nth)
{
	const struct counters *c = cpus_counters(facts->cpus);

	return c && counters_pmus(c) ? counters_pmu_name(c, nth) : "cpu";
}

static void put_facts(const struct facts *facts, FILE *f)
{
	const struct counters *c = cpus_counters(facts->cpus);
	const unsigned int n = count_pmus(facts);
	char text[LINE_MAX_BYTES];

	cpu_model_say_counters(&facts->model, text, sizeof(text));
	fprintf(f, "%s\n", text);
	for (unsigned int i = 0; i < n; i++) {
		const char *pmu = pmu_name(facts, i);

		cpu_model_width(&facts->model, pmu, text, sizeof(text));
		fprintf(f, "most instructions per cycle%s%s: %s\n",
			n > 1 ? " of " : "", n > 1 ? pmu : "", text);
	}
	put_unknown(facts, f);
	if (c && counters_user_only(c))
		fputs("the kernel's instructions are left out: not permitted\n",
		      f);
}

char *facts_text(const struct facts *facts)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		return NULL;
	put_facts(facts, f);
	return fclose(f) ? NULL : text;
}

void facts_json(FILE *f, const struct facts *facts, const struct stamp *at)
{
	json_t *unknown = json_object(), *begin;
	json_t *width = json_object(), *source = json_object();
	char text[LINE_MAX_BYTES];

	for (int e = 0; e < COUNTERS_EVENTS; e++)
		if (why_unknown(facts, e) && row_has_event(e))
			json_object_set_new(unknown,
					    counters_name(
						    (enum counters_event)e),
					    json_string(why_unknown(facts, e)));
	for (unsigned int i = 0; i < count_pmus(facts); i++) {
		const char *pmu = pmu_name(facts, i);
		const double x =
			cpu_model_width(&facts->model, pmu, text, sizeof(text));

		json_object_set_new(width, pmu,
				    isfinite(x) ? json_real(x) : json_null());
		json_object_set_new(source, pmu, json_string(text));
	}
	cpu_model_say_counters(&facts->model, text, sizeof(text));
	begin = json_pack("{s:s, s:i, s:s, s:f, s:f, s:s, s:o, s:o, s:o}",
			  "type", "begin", "schema", 2, "program",
			  "cpu_load (oscost " OSCOST_VERSION ")", "realtime_s",
			  (double)at->real_ns / 1e9, "interval_s",
			  (double)facts->interval_ns / 1e9, "counters", text,
			  "unknown", unknown, "width", width, "width_source",
			  source);
	json_dumpf(begin, f, JSON_COMPACT | JSON_PRESERVE_ORDER);
	fputc('\n', f);
	json_decref(begin);
}
