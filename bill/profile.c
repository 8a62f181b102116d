/* SPDX-License-Identifier: MIT */
/* A profile: sums by class, as JSON. */
#include <errno.h>
#include <string.h>

#include "trace.h"

void profile_event(struct profile *p, int class, const uint64_t *feature)
{
	struct class_sum *c = &p->class[class];

	for (int i = 0; feature && i < FEATURES_MAX; i++) {
		const uint64_t n = feature[operations[class].feature[i]];
		struct feature_sum *s = &c->feature[i];

		s->sum += n;
		if (!c->count || n < s->min)
			s->min = n;
		if (n > s->max)
			s->max = n;
	}
	c->count++;
}

void profile_unclassed(struct profile *p, const struct call *c,
		       const char *outcome)
{
	/* A path or a file is no kind. */
	const char *kind = c->kind & (KIND_BAD | KIND_FILE)
				   ? ""
				   : kind_name(c->kind);
	const char *name = call_name(c->made);
	char number[32], text[96];
	json_int_t n;

	snprintf(number, sizeof(number), "call %ld", c->made);
	snprintf(text, sizeof(text), "%s%s%s%s%s", name ? name : number,
		 *outcome ? " " : "", outcome, *kind ? " " : "", kind);
	n = json_integer_value(json_object_get(p->unclassed, text));
	json_object_set_new(p->unclassed, text, json_integer(n + 1));
}

void profile_call(struct profile *p, const struct call *c)
{
	const int class = operation_of(c);
	const char *error =
		c->ret < 0 ? strerrorname_np((int)-c->ret) : NULL;

	if (class >= 0)
		profile_event(p, class, c->feature);
	else
		profile_unclassed(p, c, error ? error : "");
}

static json_t *features(const struct operation *o, const struct class_sum *c)
{
	json_t *all = json_object();

	for (int i = 0; i < FEATURES_MAX && o->feature[i]; i++)
		json_object_set_new(all, feature_names[o->feature[i]],
				    json_pack("{s:I,s:I,s:I}", "sum",
					      c->feature[i].sum, "min",
					      c->feature[i].min, "max",
					      c->feature[i].max));
	return all;
}

static json_t *classes(const struct profile *p)
{
	json_t *all = json_array();

	for (int i = 0; i < OPERATIONS_N; i++) {
		const struct operation *o = &operations[i];
		const struct class_sum *c = &p->class[i];

		if (c->count)
			json_array_append_new(
				all,
				json_pack("{s:s,s:s,s:I,s:o}", "id", o->id,
					  "name", o->name, "count", c->count,
					  "features", features(o, c)));
	}
	return all;
}

static json_t *calls(const struct profile *p)
{
	json_t *o = json_object();

	for (long nr = 0; nr <= CALL_NUMBERS; nr++)
		if (p->calls[nr])
			json_object_set_new(o, call_name(nr) ?: "unknown",
					    json_integer((json_int_t)p->calls[nr]));
	return o;
}

static json_int_t microseconds(struct timeval t)
{
	return (json_int_t)t.tv_sec * 1000000 + t.tv_usec;
}

static json_t *traced(const struct run *r)
{
	return json_pack("{s:I,s:I,s:I,s:i}", "wall_ns", r->wall_ns,
			 "minor_faults", (json_int_t)r->usage.ru_minflt,
			 "major_faults", (json_int_t)r->usage.ru_majflt,
			 "status", r->status);
}

static json_t *untraced(const struct run *r, bool exact)
{
	const struct rusage *u = &r->usage;
	json_t *o = traced(r);

	json_object_update_new(
		o, json_pack("{s:I,s:I,s:I,s:I,s:i}", "user_us",
			     microseconds(u->ru_utime), "system_us",
			     microseconds(u->ru_stime), "own_switches",
			     (json_int_t)u->ru_nvcsw, "other_switches",
			     (json_int_t)u->ru_nivcsw, "exact_times", exact));
	return o;
}

int profile_write(const struct profile *p, FILE *f)
{
	const struct rusage *u = &p->traced.usage;
	json_int_t unknown =
		u->ru_minflt + u->ru_majflt - (json_int_t)p->exec_faults;
	json_t *o;

	for (int i = OP_FAULT_FILE; i <= OP_FAULT_ZERO; i++)
		unknown -= (json_int_t)p->class[i].count;
	o = json_pack("{s:s,s:I,s:I,s:o,s:O,s:o,s:s,s:I,s:o,s:o,s:s*}",
		      "format", PROFILE_FORMAT, "processes", p->processes,
		      "threads", p->threads, "classes", classes(p), "unclassed",
		      p->unclassed, "calls", calls(p), "fault_kinds", p->faults,
		      "unknown_faults", unknown > 0 ? unknown : 0, "traced",
		      traced(&p->traced), "untraced",
		      p->no_untraced ? json_null()
				     : untraced(&p->untraced, p->exact),
		      "no_untraced", p->no_untraced);
	errno = ENOMEM;
	return !o || json_dumpf(o, f, JSON_INDENT(1)) || putc('\n', f) == EOF ||
			       fflush(f)
		       ? -errno
		       : 0;
}
