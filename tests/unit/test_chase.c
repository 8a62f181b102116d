/* SPDX-License-Identifier: MIT */
/* Chains: one cycle of all lines, in an order that is no pattern, and a check
 * that notices a broken one. */
#include "../../bench/lib/chase.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "tap.h"

#define LINES ((size_t)4096)
#define BYTES (LINES * CHASE_LINE)

typedef int link_fn(struct chase *c, void *base, size_t bytes, uint64_t seed);

static size_t line_of(const char *base, const void *at)
{
	return (size_t)((const char *)at - base) / CHASE_LINE;
}

/* How many different lines a walk of @lines loads comes by, if it then is back
 * where it began; else 0. */
static size_t walk(const struct chase *c, const char *base, size_t lines)
{
	bool *seen = calloc(lines, sizeof(*seen));
	void *at = c->entry[0];
	size_t different = 0;

	for (size_t i = 0; seen && i < lines; i++) {
		different += !seen[line_of(base, at)];
		seen[line_of(base, at)] = true;
		at = *(void **)at;
	}
	free(seen);
	return at == c->entry[0] ? different : 0;
}

/* How many different distances lie between a line and the next one; of a random
 * order about 63 % as many as lines. */
static size_t jumps(const struct chase *c, const char *base, size_t lines)
{
	bool *seen = calloc(lines, sizeof(*seen));
	void *at = c->entry[0];
	size_t different = 0;

	for (size_t i = 0; seen && i < lines; i++) {
		void *next = *(void **)at;
		const size_t jump =
			(line_of(base, next) + lines - line_of(base, at)) %
			lines;

		different += !seen[jump];
		seen[jump] = true;
		at = next;
	}
	free(seen);
	return different;
}

static void cycles(char *base)
{
	static link_fn *const links[] = { chase_link_window, chase_link_pages,
					  chase_link_random };
	static const size_t sizes[] = { BYTES, BYTES - (size_t)37 * CHASE_LINE,
					(size_t)4 * CHASE_PAGE };

	for (size_t k = 0; k < 3; k++)
		for (size_t i = 0; i < 3; i++) {
			const size_t lines = sizes[i] / CHASE_LINE;
			struct chase c;

			OK(!links[k](&c, base, sizes[i], 77 + i) &&
				   c.lines == lines &&
				   walk(&c, base, lines) == lines,
			   "one cycle of all lines");
			OK(chase_verify(&c) == lines, "which is verified");
			*(void **)c.entry[5] = c.entry[5];
			OK(chase_verify(&c) == 0, "and not if it is broken");
		}
}

/* With n lines every distance comes up as often as any other. */
static void uniform(char *base)
{
	unsigned int count[8] = { 0 };
	struct chase c;

	OK(!chase_link_random(&c, base, BYTES, 4242) &&
		   jumps(&c, base, LINES) > LINES * 58 / 100 &&
		   jumps(&c, base, LINES) < LINES * 68 / 100,
	   "as many distances as chance gives");
	for (uint64_t seed = 0; seed < 7000; seed++) {
		chase_link_random(&c, base, (size_t)8 * CHASE_LINE,
				  seed * 0x9e3779b97f4a7c15);
		count[line_of(base, *(void **)base)]++;
	}
	for (int i = 1; i < 8; i++)
		OK(count[i] > 850 && count[i] < 1150, "each line as often");
	OK(!count[0], "and none leads to itself");
}

int main(void)
{
	char *base = aligned_alloc(CHASE_PAGE, BYTES);

	if (base) {
		cycles(base);
		uniform(base);
	}
	free(base);
	return tap_done();
}
