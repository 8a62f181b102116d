/* SPDX-License-Identifier: MIT */
/* A profile: sums by class, as JSON. */
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "profile.h"

/* The numbers of a run and their keys; under a tracer only the first four. */
#define RUN_NUMBERS(X) X(wall_ns) X(minor_faults) X(major_faults) X(status)
#define TIME_NUMBERS(X) \
	X(user_us) X(system_us) X(own_switches) X(other_switches)

#define FAULTS_AGREE 20 /* faults, and one in ... that may differ */
#define FAULTS_SHARE 50

void profile_class(struct profile *p, int class,
		   const uint64_t feature[FEATURES])
{
	struct class_sum *c = &p->class[class];

	for (int i = 0; i < FEATURES_MAX; i++) {
		const uint64_t n = feature[operations[class].feature[i]];
		struct feature_sum *s = &c->feature[i];

		if (!operations[class].feature[i])
			break;
		s->sum += n;
		if (!c->count || n < s->min)
			s->min = n;
		if (n > s->max)
			s->max = n;
	}
	c->count++;
}

void profile_name(struct names *names, const char *name, uint64_t n)
{
	for (size_t i = 0; i < names->n; i++)
		if (!strcmp(names->at[i].name, name)) {
			names->at[i].count += n;
			return;
		}
	names->at = text_grow(names->at, names->n, sizeof(*names->at));
	names->at[names->n++] = (struct named) { text_copy(name), n };
}

static char *disagreement(const struct profile *p, int nth)
{
	const struct run *a = &p->traced, *b = &p->untraced;
	const uint64_t x = a->minor_faults + a->major_faults;
	const uint64_t y = b->minor_faults + b->major_faults;
	const uint64_t apart = x > y ? x - y : y - x;

	if (p->no_untraced)
		return NULL;
	if (apart > FAULTS_AGREE && apart > y / FAULTS_SHARE && !nth--)
		return text_format("page faults: %" PRIu64 " traced, %" PRIu64
				   " untraced",
				   x, y);
	if (a->status != b->status && !nth--)
		return text_format("exit status: %" PRIu64 " traced, %" PRIu64
				   " untraced",
				   a->status, b->status);
	return NULL;
}

/* ---- JSON -------------------------------------------------------------- */

static json_t *number(uint64_t n)
{
	return json_integer((json_int_t)n);
}

static json_t *class_json(const struct class_sum *c, int class)
{
	json_t *o = json_object(), *features = json_object();

	json_object_set_new(o, "id", json_string(operations[class].id));
	json_object_set_new(o, "name", json_string(operations[class].name));
	json_object_set_new(o, "count", number(c->count));
	for (int i = 0; i < FEATURES_MAX && operations[class].feature[i]; i++) {
		const struct feature_sum *s = &c->feature[i];

		json_object_set_new(
			features, feature_names[operations[class].feature[i]],
			json_pack("{s:o,s:o,s:o}", "sum", number(s->sum), "min",
				  number(s->min), "max", number(s->max)));
	}
	json_object_set_new(o, "features", features);
	return o;
}

static json_t *names_json(const struct names *names)
{
	json_t *o = json_object();

	for (size_t i = 0; i < names->n; i++)
		json_object_set_new(o, names->at[i].name,
				    number(names->at[i].count));
	return o;
}

static json_t *run_json(const struct run *r, bool traced)
{
	json_t *o = json_object();

#define RUN_SET(key) json_object_set_new(o, #key, number(r->key));
	RUN_NUMBERS(RUN_SET)
	if (!traced) {
		TIME_NUMBERS(RUN_SET)
	}
	return o;
}

int profile_write(const struct profile *p, FILE *f)
{
	json_t *o = json_object(), *classes = json_array();
	json_t *disagree = json_array();
	char *text;
	int err;

	for (int i = 0; i < OPERATIONS_N; i++)
		if (p->class[i].count)
			json_array_append_new(classes,
					      class_json(&p->class[i], i));
	for (int i = 0; (text = disagreement(p, i)); i++) {
		json_array_append_new(disagree, json_string(text));
		free(text);
	}
	json_object_set_new(o, "format", json_string(PROFILE_FORMAT));
	json_object_set_new(o, "processes", number(p->processes));
	json_object_set_new(o, "threads", number(p->threads));
	json_object_set_new(o, "classes", classes);
	json_object_set_new(o, "unpriced", names_json(&p->unpriced));
	json_object_set_new(o, "calls", names_json(&p->calls));
	json_object_set_new(o, "fault_kinds", json_string(p->faults));
	json_object_set_new(o, "unknown_faults", number(p->unknown_faults));
	json_object_set_new(o, "traced", run_json(&p->traced, true));
	json_object_set_new(o, "untraced",
			    p->no_untraced ? json_null()
					   : run_json(&p->untraced, false));
	if (p->no_untraced)
		json_object_set_new(o, "no_untraced",
				    json_string(p->no_untraced));
	json_object_set_new(o, "disagree", disagree);
	errno = 0;
	err = json_dumpf(o, f, JSON_INDENT(1)) || putc('\n', f) == EOF ||
			      fflush(f)
		      ? -(errno ? errno : ENOMEM)
		      : 0;
	json_decref(o);
	return err;
}

static void names_free(struct names *names)
{
	for (size_t i = 0; i < names->n; i++)
		free(names->at[i].name);
	free(names->at);
}

void profile_free(struct profile *p)
{
	names_free(&p->calls);
	names_free(&p->unpriced);
	free(p->faults);
	free(p->no_untraced);
}
