/* SPDX-License-Identifier: MIT */
/* A profile: sums by class, as JSON and as a table. */
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "profile.h"
#include "units.h"

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

static uint64_t names_sum(const struct names *names)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < names->n; i++)
		sum += names->at[i].count;
	return sum;
}

uint64_t profile_calls(const struct profile *p)
{
	return names_sum(&p->calls);
}

uint64_t profile_unpriced(const struct profile *p)
{
	return names_sum(&p->unpriced);
}

char *profile_disagreement(const struct profile *p, int nth)
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
	for (int i = 0; (text = profile_disagreement(p, i)); i++) {
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

static bool read_number(const json_t *o, const char *key, uint64_t *n)
{
	const json_t *value = json_object_get(o, key);

	if (!json_is_integer(value) || json_integer_value(value) < 0)
		return false;
	*n = (uint64_t)json_integer_value(value);
	return true;
}

/* A class that this version does not have is one without a class. */
static bool read_class(struct profile *p, const json_t *o)
{
	const json_t *features = json_object_get(o, "features");
	const char *name = json_string_value(json_object_get(o, "name"));
	const int class = name ? operation_named(name) : -1;
	uint64_t count;

	if (!name || !read_number(o, "count", &count))
		return false;
	if (class < 0) {
		profile_name(&p->unpriced, name, count);
		return true;
	}
	p->class[class].count = count;
	for (int i = 0; i < FEATURES_MAX && operations[class].feature[i]; i++) {
		struct feature_sum *s = &p->class[class].feature[i];
		const json_t *sum = json_object_get(
			features, feature_names[operations[class].feature[i]]);

		if (!read_number(sum, "sum", &s->sum) ||
		    !read_number(sum, "min", &s->min) ||
		    !read_number(sum, "max", &s->max))
			return false;
	}
	return true;
}

static bool read_names(struct names *names, json_t *o)
{
	const char *key;
	json_t *value;

	json_object_foreach(o, key, value)
	{
		uint64_t n;

		if (!read_number(o, key, &n))
			return false;
		profile_name(names, key, n);
	}
	return json_is_object(o);
}

static bool read_run(struct run *r, const json_t *o, bool traced)
{
	bool good = true;

#define RUN_GET(key) good = read_number(o, #key, &r->key) && good;
	RUN_NUMBERS(RUN_GET)
	if (!traced) {
		TIME_NUMBERS(RUN_GET)
	}
	return good;
}

static bool read_profile(struct profile *p, json_t *o)
{
	const char *how = json_string_value(json_object_get(o, "fault_kinds"));
	const char *no = json_string_value(json_object_get(o, "no_untraced"));
	const json_t *class;
	size_t i;

	p->faults = text_copy(how);
	p->no_untraced = text_copy(no);
	json_array_foreach(json_object_get(o, "classes"), i,
			   class) if (!read_class(p, class)) return false;
	return how && read_number(o, "processes", &p->processes) &&
	       read_number(o, "threads", &p->threads) &&
	       read_number(o, "unknown_faults", &p->unknown_faults) &&
	       read_names(&p->unpriced, json_object_get(o, "unpriced")) &&
	       read_names(&p->calls, json_object_get(o, "calls")) &&
	       read_run(&p->traced, json_object_get(o, "traced"), true) &&
	       (no ||
		read_run(&p->untraced, json_object_get(o, "untraced"), false));
}

int profile_read(struct profile *p, const char *path, char **why)
{
	json_error_t error;
	json_t *o = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
	const char *format = json_string_value(json_object_get(o, "format"));
	bool good = false;

	*p = (struct profile) { 0 };
	if (!o)
		*why = text_format("%s: %s", path, error.text);
	else if (!format || strcmp(format, PROFILE_FORMAT) != 0)
		*why = text_format("%s: not a profile (format %s)", path,
				   PROFILE_FORMAT);
	else if (!(good = read_profile(p, o)))
		*why = text_format("%s: a key is missing, or is no number",
				   path);
	json_decref(o);
	return good ? 0 : -1;
}

/* ---- The table --------------------------------------------------------- */

#define FEATURES_WIDTH 44

static void print_class(FILE *f, const struct class_sum *c, int class)
{
	char text[256] = "";
	struct wrap w = { .rest = text };
	size_t at = 0;

	for (int i = 0; i < FEATURES_MAX && operations[class].feature[i]; i++) {
		const struct feature_sum *s = &c->feature[i];

		at += (size_t)snprintf(
			text + at, sizeof(text) - at,
			s->min == s->max ? "%s%s %.4g"
					 : "%s%s %.4g (%" PRIu64 "-%" PRIu64
					   ")",
			i ? ", " : "",
			feature_names[operations[class].feature[i]],
			(double)s->sum / (double)c->count, s->min, s->max);
	}
	wrap_line(&w, FEATURES_WIDTH);
	fprintf(f, "%-24s %9" PRIu64 "  %.*s\n", operations[class].name,
		c->count, (int)w.len, w.line ? w.line : "");
	while (wrap_line(&w, FEATURES_WIDTH))
		fprintf(f, "%36s%.*s\n", "", (int)w.len, w.line);
}

static int by_count(const void *a, const void *b)
{
	const struct named *x = a, *y = b;

	return x->count < y->count ? 1 : x->count > y->count ? -1 : 0;
}

static void print_run(FILE *f, const char *name, const struct run *r,
		      bool traced)
{
	char wall[UNITS_MAX], user[UNITS_MAX], kernel[UNITS_MAX];

	fprintf(f, "%-9s %s wall, %" PRIu64 " faults", name,
		units_format(wall, (double)r->wall_ns, "ns"),
		r->minor_faults + r->major_faults);
	if (!traced)
		fprintf(f, ", %s user, %s kernel, %" PRIu64 " switches",
			units_format(user, 1e3 * (double)r->user_us, "ns"),
			units_format(kernel, 1e3 * (double)r->system_us, "ns"),
			r->own_switches + r->other_switches);
	fputc('\n', f);
}

void profile_print_end(const struct profile *p, FILE *f)
{
	const uint64_t calls = profile_calls(p), rest = profile_unpriced(p);
	char *text;

	fprintf(f,
		"%" PRIu64 " calls of %" PRIu64 " processes and %" PRIu64
		" more threads, %.1f %% of them with a class\n",
		calls, p->processes, p->threads,
		calls ? 100 * (double)(calls - rest) / (double)calls : 100);
	fprintf(f, "kinds of faults: %s\n", p->faults);
	if (p->unknown_faults)
		fprintf(f, "faults of no known kind: %" PRIu64 "\n",
			p->unknown_faults);
	print_run(f, "traced", &p->traced, true);
	if (p->no_untraced)
		fprintf(f, "untraced  not run: %s\n", p->no_untraced);
	else
		print_run(f, "untraced", &p->untraced, false);
	if (!p->no_untraced && p->untraced.wall_ns)
		fprintf(f, "slow-down %.1f (wall time traced / untraced)\n",
			(double)p->traced.wall_ns /
				(double)p->untraced.wall_ns);
	for (int i = 0; (text = profile_disagreement(p, i)); i++) {
		fprintf(f, "disagree: %s\n", text);
		free(text);
	}
}

void profile_print(const struct profile *p, FILE *f)
{
	fprintf(f, "%-24s %9s  %s\n", "operation", "count",
		"features: mean (smallest-largest)");
	for (int i = 0; i < OPERATIONS_N; i++)
		if (p->class[i].count)
			print_class(f, &p->class[i], i);
	if (p->unpriced.n)
		qsort(p->unpriced.at, p->unpriced.n, sizeof(*p->unpriced.at),
		      by_count);
	for (size_t i = 0; i < p->unpriced.n; i++)
		fprintf(f, "%-24s %9" PRIu64 "  no class\n",
			p->unpriced.at[i].name, p->unpriced.at[i].count);
	fputc('\n', f);
	profile_print_end(p, f);
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
