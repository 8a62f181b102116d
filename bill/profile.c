/* SPDX-License-Identifier: MIT */
/* The table of operations, which row a call belongs to, and the sums by row. */
#include <fnmatch.h>
#include <sys/syscall.h>

#include "bill.h"
#include "call_names.h"

#define PROFILE_FORMAT "oscost-bill-profile 1"
#define CALL_ROWS      48 /* more than any call has */

#define CALL_ENTRY(name) [SYS_##name] = #name,
static const char *const names[CALL_NUMBERS] = { CALL_NAMES(CALL_ENTRY) };

#define KIND(id, name, pattern) { name, pattern },
static const struct {
	const char *name, *pattern;
} kinds[] = {
#include "kinds.def"
};

#define FEATURE(id, name) name,
#define TRAIT(id)
static const char *const feature_names[] = {
	"",
#include "features.def"
};

#define OPERATION(id, name, calls, outcome, kinds, traits, ...) \
	{ #id, name, calls, outcome, kinds, traits, { __VA_ARGS__ } },
const struct operation operations[] = {
#include "operations.def"
};

const char *call_name(long nr)
{
	return nr >= 0 && nr < CALL_NUMBERS ? names[nr] : NULL;
}

long call_number(const char *name)
{
	for (long nr = 0; nr < CALL_NUMBERS; nr++)
		if (names[nr] && !strcmp(names[nr], name))
			return nr;
	return -1;
}

unsigned int kind_like(const char *description)
{
	size_t i = 0;

	while (i < KINDS - 1 &&
	       fnmatch(kinds[i].pattern, description, FNM_EXTMATCH) != 0)
		i++;
	return 1U << i;
}

/* The rows that have call @nr, and a 0 behind them; numbers begin with 1. */
static const uint8_t *rows_of(long nr)
{
	static uint8_t rows[CALL_NUMBERS + 1][CALL_ROWS];
	static bool known;
	char word[32];

	for (int i = 0, n; !known && i < OPERATIONS_N; i++)
		for (const char *at = operations[i].calls;
		     sscanf(at, "%31s%n", word, &n) == 1; at += n) {
			const long call = call_number(word);

			if (call >= 0)
				rows[call][strlen((char *)rows[call])] =
					(uint8_t)(i + 1);
		}
	known = true;
	return rows[call_name(nr) ? nr : CALL_NUMBERS];
}

int call_class(const struct call *c)
{
	const int64_t outcome = c->ret < 0 ? -c->ret : OK;

	for (const uint8_t *row = rows_of(c->nr); *row; row++) {
		const struct operation *op = &operations[*row - 1];

		if (op->outcome == outcome && !(c->traits & ODD) &&
		    (op->kinds == ANY || op->kinds & c->kind) &&
		    (op->traits & c->traits) == op->traits)
			return *row - 1;
	}
	return -1;
}

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

static void count(json_t *counts, const char *key)
{
	const json_t *n = json_object_get(counts, key);

	json_object_set_new(counts, key,
			    json_integer(json_integer_value(n) + 1));
}

void profile_made(struct profile *p, const struct call *c)
{
	count(p->calls, call_name(c->made) ?: "unknown");
}

void profile_call(struct profile *p, const struct call *c, const char *outcome)
{
	const int class = outcome ? -1 : call_class(c);
	/* A path or a file is no kind. */
	const char *kind = c->kind & (KIND_BAD | KIND_FILE)
				   ? ""
				   : kinds[__builtin_ctz(c->kind)].name;
	char number[32], text[96];

	if (class >= 0) {
		profile_event(p, class, c->feature);
		return;
	}
	if (!outcome)
		outcome = c->ret < 0 ? strerrorname_np((int)-c->ret) ?: "" : "";
	snprintf(number, sizeof(number), "call %ld", c->made);
	snprintf(text, sizeof(text), "%s%s%s%s%s", call_name(c->made) ?: number,
		 *outcome ? " " : "", outcome, *kind ? " " : "", kind);
	count(p->unclassed, text);
}

void profile_classes(void)
{
	for (const struct operation *o = operations;
	     o < operations + OPERATIONS_N; o++) {
		printf("%s\t%s\t%s", o->id, o->name, o->calls);
		for (int j = 0; j < FEATURES_MAX && o->feature[j]; j++)
			printf("%s%s", j ? ", " : "\t",
			       feature_names[o->feature[j]]);
		putchar('\n');
	}
}

static json_t *classes(const struct profile *p)
{
	json_t *all = json_array();

	for (int i = 0; i < OPERATIONS_N; i++) {
		const struct operation *o = &operations[i];
		const struct class_sum *c = &p->class[i];
		json_t *features = json_object();

		for (int j = 0; j < FEATURES_MAX && o->feature[j]; j++)
			json_object_set_new(features,
					    feature_names[o->feature[j]],
					    json_pack("{s:I,s:I,s:I}", "sum",
						      c->feature[j].sum, "min",
						      c->feature[j].min, "max",
						      c->feature[j].max));
		if (c->count)
			json_array_append_new(
				all, json_pack("{s:s,s:s,s:I,s:o}", "id", o->id,
					       "name", o->name, "count",
					       c->count, "features", features));
	}
	return all;
}

static json_t *of_run(const struct run *r)
{
	return json_pack("{s:I,s:I,s:I,s:i}", "wall_ns", r->wall_ns,
			 "minor_faults", (json_int_t)r->usage.ru_minflt,
			 "major_faults", (json_int_t)r->usage.ru_majflt,
			 "status", r->status);
}

static json_int_t microseconds(struct timeval t)
{
	return (json_int_t)t.tv_sec * 1000000 + t.tv_usec;
}

static json_t *untraced(const struct profile *p)
{
	const struct rusage *u = &p->untraced.usage;
	json_t *o = of_run(&p->untraced);

	if (p->no_untraced)
		return json_null();
	json_object_update_new(
		o,
		json_pack("{s:I,s:I,s:I,s:I,s:i}", "user_us",
			  microseconds(u->ru_utime), "system_us",
			  microseconds(u->ru_stime), "own_switches",
			  (json_int_t)u->ru_nvcsw, "other_switches",
			  (json_int_t)u->ru_nivcsw, "exact_times", p->exact));
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
	o = json_pack("{s:s,s:I,s:I,s:o,s:O,s:O,s:s,s:I,s:o,s:o,s:s*}",
		      "format", PROFILE_FORMAT, "processes", p->processes,
		      "threads", p->threads, "classes", classes(p), "unclassed",
		      p->unclassed, "calls", p->calls, "fault_kinds", p->faults,
		      "unknown_faults", unknown > 0 ? unknown : 0, "traced",
		      of_run(&p->traced), "untraced", untraced(p),
		      "no_untraced", p->no_untraced);
	errno = ENOMEM;
	return !o || json_dumpf(o, f, JSON_INDENT(1)) || putc('\n', f) == EOF ||
			       fflush(f)
		       ? -errno
		       : 0;
}
