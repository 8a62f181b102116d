/* SPDX-License-Identifier: MIT */
/* The table of operations, and which row a call belongs to. */
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>

#include "call_names.h"
#include "operations.h"

#define OPERATION(id, name, calls, outcome, kinds, traits, ...) \
	{ #id, name, calls, outcome, kinds, traits, { __VA_ARGS__ } },
const struct operation operations[] = {
#include "operations.def"
};

#define FEATURE(id, name) name,
#define TRAIT(id)
const char *const feature_names[] = {
	"",
#include "features.def"
};

#define KIND(id, name, pattern) { name, pattern },
static const struct {
	const char *name, *pattern;
} kinds[] = {
#include "kinds.def"
};

#define CALL_ENTRY(name) [SYS_##name] = #name,
static const char *const names[CALL_NUMBERS] = { CALL_NAMES(CALL_ENTRY) };

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

/* The rows that have call @nr, and a 0 behind them; numbers begin with 1. */
static const uint8_t *rows_of(long nr)
{
	static uint8_t rows[CALL_NUMBERS + 1][48];
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

int operation_of(const struct call *c)
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

unsigned int kind_like(const char *description)
{
	size_t i = 0;

	while (i < KINDS - 1 &&
	       fnmatch(kinds[i].pattern, description, FNM_EXTMATCH) != 0)
		i++;
	return 1U << i;
}

const char *kind_name(unsigned int kind)
{
	return kinds[__builtin_ctz(kind)].name;
}
