// SPDX-License-Identifier: MIT
#include "cpus.h"

#include <jansson.h>
#include <math.h>

#define LINE_MAX_BYTES 512

/* {"counters", "unknown": {event: why}, "width": {kind of core: number},
 * "width_source": {kind of core: text}}; of one kind, which is called "cpu",
 * where nothing is known. */
static json_t *describe(const struct facts *facts)
{
	const struct counters *c = cpus_counters(facts->cpus);
	const unsigned int pmus = c ? counters_pmus(c) : 0;
	json_t *unknown = json_object();
	json_t *width = json_object(), *source = json_object();
	char text[LINE_MAX_BYTES];

	for (int e = 0; e < COUNTERS_EVENTS; e++) {
		const enum counters_event event = (enum counters_event)e;
		const char *why = c ? counters_why(c, event)
				    : "no counters could be opened";

		if (why && row_has_event(e))
			json_object_set_new(unknown, counters_name(event),
					    json_string(why));
	}
	for (unsigned int i = 0; i < (pmus ? pmus : 1); i++) {
		const char *pmu = pmus ? counters_pmu_name(c, i) : "cpu";
		const double x =
			cpu_model_width(&facts->model, pmu, text, sizeof(text));

		json_object_set_new(width, pmu,
				    isfinite(x) ? json_real(x) : json_null());
		json_object_set_new(source, pmu, json_string(text));
	}
	cpu_model_say_counters(&facts->model, text, sizeof(text));
	return json_pack("{s:s, s:o, s:o, s:o}", "counters", text, "unknown",
			 unknown, "width", width, "width_source", source);
}

/* The events that are unknown for one reason, in one line. */
static void put_unknown(FILE *f, json_t *unknown)
{
	json_t *events = json_object(), *value; /* of a reason: their names */
	const char *event, *why;

	json_object_foreach(unknown, event, value)
	{
		json_t *before;

		why = json_string_value(value);
		before = json_object_get(events, why);
		json_object_set_new(
			events, why,
			json_sprintf("%s%s%s",
				     before ? json_string_value(before) : "",
				     before ? ", " : "", event));
	}
	json_object_foreach(events, why, value)
		fprintf(f, "%s: unknown: %s\n", json_string_value(value), why);
	json_decref(events);
}

static void put_facts(FILE *f, json_t *known, bool user_only)
{
	json_t *source = json_object_get(known, "width_source"), *value;
	const bool hybrid = json_object_size(source) > 1;
	const char *pmu;

	fprintf(f, "%s\n",
		json_string_value(json_object_get(known, "counters")));
	json_object_foreach(source, pmu, value)
		fprintf(f, "most instructions per cycle%s%s: %s\n",
			hybrid ? " of " : "", hybrid ? pmu : "",
			json_string_value(value));
	put_unknown(f, json_object_get(known, "unknown"));
	if (user_only)
		fputs("the kernel's instructions are left out: not permitted\n",
		      f);
}

char *facts_text(const struct facts *facts)
{
	const struct counters *c = cpus_counters(facts->cpus);
	json_t *known = describe(facts);
	char *text = NULL;
	size_t size;
	FILE *f = known ? open_memstream(&text, &size) : NULL;

	if (f)
		put_facts(f, known, c && counters_user_only(c));
	json_decref(known);
	return f && !fclose(f) ? text : NULL;
}

void facts_json(FILE *f, const struct facts *facts, const struct stamp *at)
{
	json_t *known = describe(facts);
	json_t *begin =
		json_pack("{s:s, s:i, s:s, s:f, s:f}", "type", "begin",
			  "schema", 2, "program",
			  "cpu_load (oscost " OSCOST_VERSION ")", "realtime_s",
			  (double)at->real_ns / 1e9, "interval_s",
			  (double)facts->interval_ns / 1e9);

	json_object_update(begin, known);
	json_dumpf(begin, f, JSON_COMPACT | JSON_PRESERVE_ORDER);
	fputc('\n', f);
	json_decref(known);
	json_decref(begin);
}
