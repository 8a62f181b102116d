/* SPDX-License-Identifier: MIT */
/* A row as a line and back; what is cut short or spoilt is no row. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "result.h"
#include "tests.h"

static char bytes[65536];
static size_t length;

static struct result made_up(void)
{
	struct result r;

	result_init(&r);
	result_set(&r.benchmark, "fork");
	result_set(&r.name, "size=4K");
	result_set(&r.unit, "");
	r.status = RESULT_BELOW_RESOLUTION;
	r.value = 0.1 + 0.2;
	r.ci95[0] = -0.0;
	r.ci95[1] = 1e-300;
	r.max = INFINITY;
	r.cpu = 7;
	r.seed = INT64_MAX;
	r.evidence = json_pack("{s:{s:f,s:I},s:[f,n],s:s,s:n}", "faults",
			       "expected", 1e300, "seen", (json_int_t)-1,
			       "bins", 0.5, "kind", "", "none");
	return r;
}

/* Write @r @times into bytes. */
static void written(const struct result *r, int times)
{
	for (length = 0; times--;) {
		char *line = result_line(r, 17);

		length += (size_t)snprintf(bytes + length,
					   sizeof(bytes) - length, "%s", line);
		free(line);
	}
}

TEST(there_and_back)
{
	struct result r = made_up(), got;
	const char *at = bytes;
	int differ = 0;
	json_t *a, *b;

	written(&r, 2);
	OK(!result_take(&got, &at, bytes + length) && at < bytes + length,
	   "the first of two");
	OK(isnan(got.max), "what is not finite is unknown");
	r.max = NAN;
	a = result_to_json(&r);
	b = result_to_json(&got);
	OK(json_equal(a, b), "all keys are the same");
	for (const struct result_column *c = result_columns; c->key; c++)
		if (c->kind == COLUMN_NUMBER || c->kind == COLUMN_PAIR)
			differ += memcmp((char *)&r + c->offset,
					 (char *)&got + c->offset,
					 c->kind == COLUMN_PAIR
						 ? sizeof(r.ci95)
						 : sizeof(double)) != 0;
	OK(!differ && signbit(got.ci95[0]) && isnan(got.min),
	   "numbers to the last bit: -0 and NaN, too");
	OK(!strcmp(got.name, r.name) && !got.reason && !*got.unit &&
		   !got.histogram && json_equal(got.evidence, r.evidence),
	   "an empty text is one, and what is unknown is unknown");
	json_decref(a);
	json_decref(b);
	result_free(&got);
	OK(!result_take(&got, &at, bytes + length) && at == bytes + length,
	   "the second");
	result_free(&got);
	OK(result_take(&got, &at, bytes + length) == -EBADMSG, "no third");
	result_free(&r);
}

/* Also for the sanitizers: nothing that is read is outside. */
TEST(cut_short)
{
	struct result r = made_up(), got;
	size_t taken = 0;

	written(&r, 1);
	for (size_t n = 0; n < length; n++) {
		char *part = malloc(n + 1);
		const char *at = part;

		memcpy(part, bytes, n);
		taken += !result_take(&got, &at, part + n);
		at = bytes; /* and the rest of it is of no use */
		taken += !result_take(&got, &at, bytes + n);
		free(part);
	}
	OK(!taken, "a line counts only when it is complete");
	result_free(&r);
}

TEST(spoilt)
{
	struct result r = made_up(), got;
	int wrong = 0;

	written(&r, 1);
	for (size_t n = 0; n < length; n++)
		for (int bit = 0; bit < 8; bit++) {
			const char *at = bytes;

			bytes[n] = (char)(bytes[n] ^ 1 << bit);
			if (!result_take(&got, &at, bytes + length)) {
				wrong += at > bytes + length || !got.name;
				result_free(&got);
			}
			bytes[n] = (char)(bytes[n] ^ 1 << bit);
		}
	OK(!wrong, "a bit that is another one leads nowhere else");
	memmove(bytes + 6, bytes, length);
	for (int i = 0; i < 6; i++)
		bytes[i] = "hello\n"[i];
	OK(result_take(&got, &(const char *) { bytes }, bytes + length + 6) ==
		   -EBADMSG,
	   "what a library prints is no row");
	result_free(&r);
}
