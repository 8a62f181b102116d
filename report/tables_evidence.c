/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>

#include "tables.h"
#include "text.h"

/* 26378240 as 26.4M; short numbers in full. */
static const char *compact(double x)
{
	static const char suffixes[] = "kMGTP";
	size_t i = 0;

	if (fabs(x) < 100)
		return text_format("%.3g", x);
	if (fabs(x) < 1e5)
		return text_format("%.0f", x); /* a mean may be no whole */
	for (x /= 1000; fabs(x) >= 999.5 && suffixes[i + 1]; i++)
		x /= 1000;
	return text_format("%.3g%c", x, suffixes[i]);
}

/* "children 200/200".  Counts that differ stand in full. */
static void put_seen(FILE *f, const char *key, double seen, double expected)
{
	if (seen < expected || seen > expected) {
		fprintf(f, "%s %.10g/%.10g", key, seen, expected);
		return;
	}
	fprintf(f, "%s %s/%s", key, compact(seen), compact(expected));
}

/* One entry of "evidence": an object with expected and seen, or a fact. */
static void put_evidence(FILE *f, const char *key, const json_t *v,
			 double invocations)
{
	const json_t *expected = json_object_get(v, "expected");
	const json_t *seen = json_object_get(v, "seen");
	const char *dump;

	if (json_is_number(expected) && json_is_number(seen)) {
		put_seen(f, key, json_number_value(seen) / invocations,
			 json_number_value(expected) / invocations);
	} else if (json_is_string(v)) {
		fprintf(f, "%s %s", key, json_string_value(v));
	} else if (json_is_number(v)) {
		fprintf(f, "%s %.6g", key, json_number_value(v));
	} else if (json_array_size(v) == 2 &&
		   json_is_number(json_array_get(v, 0)) &&
		   json_is_number(json_array_get(v, 1))) {
		fprintf(f, "%s %.6g…%.6g", key,
			json_number_value(json_array_get(v, 0)),
			json_number_value(json_array_get(v, 1)));
	} else {
		dump = json_dumps(v, JSON_COMPACT | JSON_ENCODE_ANY);
		fprintf(f, "%s %s", key, dump ? dump : "?");
	}
}

static void put_object(FILE *f, const json_t *object, const char **sep,
		       double invocations)
{
	const char *key;
	json_t *v;

	/* json_object_foreach() takes no const object; it changes nothing. */
	json_object_foreach((json_t *)object, key, v)
	{
		if (json_is_integer(v) && !json_integer_value(v))
			continue;
		fputs(*sep, f);
		put_evidence(f, key, v, invocations);
		*sep = "; ";
	}
}

const char *tables_evidence(const struct result *r)
{
	const char *sep = "";
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);
	/* The sums over all of them would be read as what one batch moves. */
	double invocations = r->status <= RESULT_BELOW_RESOLUTION && r->n > 1
				     ? (double)r->n
				     : 1;

	if (!f)
		return NULL;
	put_object(f, r->evidence, &sep, invocations);
	if (r->tags && json_object_size(r->tags)) {
		sep = *sep ? "; disturbed: " : "disturbed: ";
		put_object(f, r->tags, &sep, 1);
	}
	fclose(f);
	return text;
}
