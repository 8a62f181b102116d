/* SPDX-License-Identifier: MIT */
/* A profile: sums by class, as JSON. */
#include <errno.h>

#include "trace.h"

void profile_class(struct profile *p, int class,
		   const uint64_t feature[FEATURES])
{
	struct class_sum *c = &p->class[class];

	for (int i = 0; p->processes && i < FEATURES_MAX; i++) {
		const uint64_t n = feature[operations[class].feature[i]];
		uint64_t *s = c->feature[i];

		s[SUM] += n;
		if (!c->count || n < s[MIN])
			s[MIN] = n;
		if (n > s[MAX])
			s[MAX] = n;
	}
	c->count += p->processes > 0;
}

void profile_unclassed(struct profile *p, long nr, const char *outcome,
		       const char *kind)
{
	const char *name = call_name(nr);
	char number[32], text[96];
	json_int_t n;

	snprintf(number, sizeof(number), "call %ld", nr);
	snprintf(text, sizeof(text), "%s%s%s%s%s", name ? name : number,
		 *outcome ? " " : "", outcome, *kind ? " " : "", kind);
	n = json_integer_value(json_object_get(p->unclassed, text));
	if (p->processes)
		json_object_set_new(p->unclassed, text, json_integer(n + 1));
}

static json_t *numbers(const char *const *names, const uint64_t *n, int len)
{
	json_t *o = json_object();

	for (int i = 0; i < len; i++)
		json_object_set_new(o, names[i],
				    json_integer((json_int_t)n[i]));
	return o;
}

static json_t *classes(const struct profile *p)
{
	static const char *const names[] = { "sum", "min", "max" };
	json_t *all = json_array();

	for (int i = 0; i < OPERATIONS_N; i++) {
		const struct operation *o = &operations[i];
		const struct class_sum *c = &p->class[i];
		json_t *features = json_object();

		for (int j = 0; j < FEATURES_MAX && o->feature[j]; j++)
			json_object_set_new(features,
					    feature_names[o->feature[j]],
					    numbers(names, c->feature[j], 3));
		if (c->count)
			json_array_append_new(
				all, json_pack("{s:s,s:s,s:I,s:o}", "id", o->id,
					       "name", o->name, "count",
					       c->count, "features", features));
	}
	return all;
}

static json_t *calls(const struct profile *p)
{
	json_t *o = json_object();

	for (long nr = 0; nr <= CALL_NUMBERS; nr++)
		if (p->calls[nr])
			json_object_update_new(o,
					       json_pack("{s:I}",
							 call_name(nr)
								 ?: "unknown",
							 p->calls[nr]));
	return o;
}

int profile_write(const struct profile *p, FILE *f)
{
	static const char *const names[] = {
		"wall_ns",	"minor_faults",	  "major_faults",
		"status",	"user_us",	  "system_us",
		"own_switches", "other_switches", "exact_times",
	};
	uint64_t unknown = p->traced[MINOR_FAULTS] + p->traced[MAJOR_FAULTS];
	json_t *o;

	unknown -= p->exec_faults < unknown ? p->exec_faults : unknown;
	for (int i = OP_FAULT_FILE; i <= OP_FAULT_ZERO; i++)
		unknown -= p->class[i].count < unknown ? p->class[i].count
						       : unknown;
	o = json_pack("{s:s,s:I,s:I,s:o,s:O,s:o,s:s,s:I,s:o,s:o,s:s*}",
		      "format", PROFILE_FORMAT, "processes", p->processes,
		      "threads", p->threads, "classes", classes(p), "unclassed",
		      p->unclassed, "calls", calls(p), "fault_kinds", p->faults,
		      "unknown_faults", unknown, "traced",
		      numbers(names, p->traced, TRACED), "untraced",
		      p->no_untraced ? json_null()
				     : numbers(names, p->untraced, RUN),
		      "no_untraced", p->no_untraced);
	errno = ENOMEM;
	return !o || json_dumpf(o, f, JSON_INDENT(1)) || putc('\n', f) == EOF ||
			       fflush(f)
		       ? -errno
		       : 0;
}
