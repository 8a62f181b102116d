/* SPDX-License-Identifier: MIT */
#include "result.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const char *const status_names[] = {
	[RESULT_OK] = "ok",
	[RESULT_BELOW_RESOLUTION] = "below_resolution",
	[RESULT_SKIPPED] = "skipped",
	[RESULT_FAILED] = "failed",
};

const char *result_status_name(enum result_status status)
{
	return status_names[status];
}

/* The keys whose value is one C field, in the order of the contract. */
enum field_kind { F_STRING, F_NUMBER, F_COUNT, F_INDEX, F_JSON };

struct field {
	const char *key;
	enum field_kind kind;
	size_t offset;
};

#define FIELD(kind, key, member)                               \
	{                                                      \
		key, F_##kind, offsetof(struct result, member) \
	}
#define SAME(kind, member) FIELD(kind, #member, member)

/* F_INDEX is an integer of which -1 is unknown. */
static const struct field fields[] = {
	SAME(STRING, benchmark),
	FIELD(STRING, "case", name),
	SAME(JSON, params),
	/* status is set apart */
	SAME(STRING, reason),
	SAME(STRING, unit),
	SAME(STRING, better),
	SAME(NUMBER, value),
	/* ci95 is set apart */
	SAME(COUNT, n),
	SAME(COUNT, samples),
	SAME(COUNT, iters),
	SAME(NUMBER, min),
	SAME(NUMBER, mean),
	SAME(NUMBER, stddev),
	SAME(NUMBER, p50),
	SAME(NUMBER, p90),
	SAME(NUMBER, p99),
	SAME(NUMBER, p999),
	SAME(NUMBER, max),
	SAME(NUMBER, cold),
	SAME(NUMBER, ticks),
	SAME(NUMBER, cycles),
	SAME(STRING, timer),
	SAME(NUMBER, tsc_hz),
	SAME(NUMBER, core_hz),
	SAME(NUMBER, core_share),
	SAME(NUMBER, distance_ns),
	SAME(STRING, tier),
	SAME(STRING, estimator),
	SAME(INDEX, cpu),
	SAME(STRING, kind),
	SAME(STRING, policy),
	SAME(INDEX, priority),
	SAME(JSON, evidence),
	SAME(JSON, set_aside),
	SAME(JSON, trend),
	SAME(JSON, states),
	SAME(JSON, tags),
	FIELD(NUMBER, "repeats_within", within),
	SAME(STRING, grade),
	SAME(STRING, started_at),
	SAME(NUMBER, duration_s),
	SAME(INDEX, round),
	SAME(COUNT, seed),
	SAME(NUMBER, estimate),
	SAME(NUMBER, resolution),
	SAME(NUMBER, quantum),
	SAME(NUMBER, at_least),
	SAME(NUMBER, at_most),
	SAME(NUMBER, expected),
	SAME(NUMBER, baseline),
	SAME(JSON, histogram),
	SAME(JSON, counters),
};

#define FIELDS (sizeof(fields) / sizeof(fields[0]))

static void *slot_of(struct result *r, const struct field *f)
{
	return (char *)r + f->offset;
}

static const void *const_slot_of(const struct result *r, const struct field *f)
{
	return (const char *)r + f->offset;
}

void result_init(struct result *r)
{
	memset(r, 0, sizeof(*r));
	for (size_t i = 0; i < FIELDS; i++) {
		if (fields[i].kind == F_NUMBER)
			*(double *)slot_of(r, &fields[i]) = NAN;
		else if (fields[i].kind == F_INDEX)
			*(int64_t *)slot_of(r, &fields[i]) = -1;
	}
	r->ci95[0] = r->ci95[1] = NAN;
}

void result_free(struct result *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < FIELDS; i++) {
		if (fields[i].kind == F_STRING)
			free(*(char **)slot_of(r, &fields[i]));
		else if (fields[i].kind == F_JSON)
			json_decref(*(json_t **)slot_of(r, &fields[i]));
	}
	result_init(r);
}

int result_set(char **slot, const char *text)
{
	char *copy = NULL;

	if (text) {
		copy = strdup(text);
		if (!copy)
			return -ENOMEM;
	}
	free(*slot);
	*slot = copy;
	return 0;
}

/* json_real() refuses what JSON cannot say, which is null to us. */
static json_t *number_or_null(double x)
{
	return isfinite(x) ? json_real(x) : json_null();
}

static json_t *field_to_json(const struct result *r, const struct field *f)
{
	const void *slot = const_slot_of(r, f);
	const char *text;
	int64_t index;

	switch (f->kind) {
	case F_STRING:
		text = *(char *const *)slot;
		return text ? json_string(text) : json_null();
	case F_NUMBER:
		return number_or_null(*(const double *)slot);
	case F_COUNT:
		return json_integer((json_int_t) * (const uint64_t *)slot);
	case F_INDEX:
		index = *(const int64_t *)slot;
		return index < 0 ? json_null() : json_integer(index);
	case F_JSON:
		if (*(json_t *const *)slot)
			return json_incref(*(json_t *const *)slot);
		break;
	}
	return json_null();
}

json_t *result_to_json(const struct result *r)
{
	json_t *o = json_object();
	json_t *ci = isfinite(r->ci95[0]) && isfinite(r->ci95[1])
			     ? json_pack("[ff]", r->ci95[0], r->ci95[1])
			     : json_null();
	int bad = !o;

	bad |= json_object_set_new(o, "schema", json_integer(RESULT_SCHEMA));
	for (size_t i = 0; i < FIELDS; i++) {
		if (!strcmp(fields[i].key, "reason"))
			bad |= json_object_set_new(
				o, "status",
				json_string(status_names[r->status]));
		if (!strcmp(fields[i].key, "n"))
			bad |= json_object_set_new(o, "ci95", ci);
		bad |= json_object_set_new(o, fields[i].key,
					   field_to_json(r, &fields[i]));
	}
	if (bad) {
		json_decref(o);
		return NULL;
	}
	return o;
}

static int field_from_json(struct result *r, const struct field *f,
			   const json_t *v, const char **why)
{
	void *slot = slot_of(r, f);

	if (!v || json_is_null(v))
		return 0;
	switch (f->kind) {
	case F_STRING:
		if (!json_is_string(v))
			break;
		return result_set(slot, json_string_value(v));
	case F_NUMBER:
		if (!json_is_number(v))
			break;
		*(double *)slot = json_number_value(v);
		return 0;
	case F_COUNT:
		if (!json_is_integer(v))
			break;
		*(uint64_t *)slot = (uint64_t)json_integer_value(v);
		return 0;
	case F_INDEX:
		if (!json_is_integer(v))
			break;
		*(int64_t *)slot = json_integer_value(v);
		return 0;
	case F_JSON:
		if (!json_is_object(v))
			break;
		json_decref(*(json_t **)slot);
		*(json_t **)slot = json_deep_copy(v);
		return *(json_t **)slot ? 0 : -ENOMEM;
	}
	*why = f->key;
	return -EINVAL;
}

static int find_status(const char *name)
{
	for (int i = 0; name && i <= RESULT_FAILED; i++)
		if (!strcmp(status_names[i], name))
			return i;
	return -EINVAL;
}

int result_from_json(struct result *r, const json_t *object, const char **why)
{
	const json_t *ci = json_object_get(object, "ci95");
	int status, err;

	result_init(r);
	*why = "not an object";
	if (!json_is_object(object))
		return -EINVAL;
	*why = "another schema than 1 or 2";
	status = (int)json_integer_value(json_object_get(object, "schema"));
	if (status < 1 || status > RESULT_SCHEMA)
		return -EPROTO;
	*why = "status";
	status = find_status(
		json_string_value(json_object_get(object, "status")));
	if (status < 0)
		return -EINVAL;
	r->status = (enum result_status)status;
	for (size_t i = 0; i < FIELDS; i++) {
		err = field_from_json(r, &fields[i],
				      json_object_get(object, fields[i].key),
				      why);
		if (err)
			goto fail;
	}
	if (json_array_size(ci) == 2 && json_is_number(json_array_get(ci, 0)) &&
	    json_is_number(json_array_get(ci, 1))) {
		r->ci95[0] = json_number_value(json_array_get(ci, 0));
		r->ci95[1] = json_number_value(json_array_get(ci, 1));
	}
	*why = "benchmark or case is missing";
	err = r->benchmark && r->name ? 0 : -EINVAL;
	if (!err)
		return 0;
fail:
	result_free(r);
	return err;
}
