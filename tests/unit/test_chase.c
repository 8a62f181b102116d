/* SPDX-License-Identifier: MIT */
/* Chains: one cycle of all lines, in an order that is no pattern, and a check
 * that notices a broken one; and many of them followed at once. */
#include "../../bench/memory/lib/chase.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tests.h"

#define LINES ((size_t)4096)
#define BYTES (LINES * CHASE_LINE)

_Alignas(CHASE_PAGE) static char base[BYTES];

static size_t line_of(const void *at)
{
	return (size_t)((const char *)at - base) / CHASE_LINE;
}

/* How many different lines a walk of @lines loads comes by, if it then is back
 * where it began; else 0. */
static size_t walk(const struct chase *c, size_t lines)
{
	bool seen[LINES] = { false };
	void *at = c->entry[0];
	size_t different = 0;

	for (size_t i = 0; i < lines; i++) {
		different += !seen[line_of(at)];
		seen[line_of(at)] = true;
		at = *(void **)at;
	}
	return at == c->entry[0] ? different : 0;
}

/* How many different distances lie between a line and the next one; of a random
 * order about 63 % as many as lines. */
static size_t jumps(const struct chase *c, size_t lines)
{
	bool seen[LINES] = { false };
	void *at = c->entry[0];
	size_t different = 0;

	for (size_t i = 0; i < lines; i++) {
		void *next = *(void **)at;
		const size_t jump =
			(line_of(next) + lines - line_of(at)) % lines;

		different += !seen[jump];
		seen[jump] = true;
		at = next;
	}
	return different;
}

TEST(cycles)
{
	static chase_link_fn *const links[] = { chase_link_window,
						chase_link_pages,
						chase_link_random };
	static const size_t sizes[] = { BYTES, BYTES - (size_t)37 * CHASE_LINE,
					(size_t)4 * CHASE_PAGE };

	for (size_t k = 0; k < 3; k++)
		for (size_t i = 0; i < 3; i++) {
			const size_t lines = sizes[i] / CHASE_LINE;
			struct chase c;

			OK(!links[k](&c, base, sizes[i], 0, 77 + i) &&
				   c.lines == lines && walk(&c, lines) == lines,
			   "one cycle of all lines");
			OK(chase_verify(&c) == lines, "which is verified");
			*(void **)c.entry[5] = c.entry[5];
			OK(chase_verify(&c) == 0, "and not if it is broken");
		}
}

/* With n lines every distance comes up as often as any other. */
TEST(uniform)
{
	unsigned int count[8] = { 0 };
	struct chase c;

	OK(!chase_link_random(&c, base, BYTES, 0, 4242) &&
		   jumps(&c, LINES) > LINES * 58 / 100 &&
		   jumps(&c, LINES) < LINES * 68 / 100,
	   "as many distances as chance gives");
	for (uint64_t seed = 0; seed < 7000; seed++) {
		chase_link_random(&c, base, (size_t)8 * CHASE_LINE, 0,
				  seed * 0x9e3779b97f4a7c15);
		count[line_of(*(void **)base)]++;
	}
	for (int i = 1; i < 8; i++)
		OK(count[i] > 850 && count[i] < 1150, "each line as often");
	OK(!count[0], "and none leads to itself");
}

/* Each pair in a page of its own, its two places apart, from either end. */
TEST(pairs)
{
	enum { PAGES = BYTES / CHASE_PAGE };
	bool seen[PAGES] = { false }, at_place[CHASE_PAGE / 128] = { false };
	unsigned int back = 0, places = 0, pages = 0;
	bool good = true;
	struct chase c;
	char *p;

	OK(!chase_link_pairs(&c, base + 64, BYTES, 192, 7) &&
		   chase_verify(&c) == (size_t)2 * PAGES,
	   "one cycle through both ends of each pair");
	p = c.entry[0];
	for (unsigned int i = 0; i < PAGES; i++) {
		char *q = *(char **)p, *low = p < q ? p : q;
		const size_t page = (size_t)(low - base) / CHASE_PAGE;
		const size_t in = (size_t)(low - base) % CHASE_PAGE;

		good &= labs(q - p) == 192 && in % 128 == 64 &&
			in + 192 + sizeof(void *) <= CHASE_PAGE && !seen[page];
		pages += !seen[page];
		seen[page] = true;
		places += !at_place[in / 128];
		at_place[in / 128] = true;
		back += q < p;
		p = *(char **)q;
	}
	OK(good && pages == PAGES, "a pair in each page, and all of it");
	OK(places > 1, "in several places of the pages");
	OK(back > 0 && back < pages, "entered at either end");
}

/* Each chase is where it is when followed alone. */
TEST(many)
{
	static const uint64_t loads[] = { 0, 1, 2, 3, 64, 1001 };
	struct chase c;
	bool same = !chase_link_random(&c, base, BYTES, 0, 99);

	for (unsigned int k = 1; k <= CHASE_ENTRIES; k++)
		for (size_t i = 0; i < sizeof(loads) / sizeof(*loads); i++) {
			void *at[CHASE_ENTRIES + 1];

			memcpy(at, c.entry, sizeof(c.entry));
			at[k] = base;
			chase_run_many(at, k, loads[i]);
			same &= at[k] == base;
			for (unsigned int n = 0; n < k; n++) {
				void *alone = c.entry[n];

				for (uint64_t l = 0; l < loads[i]; l++)
					alone = *(void **)alone;
				same &= at[n] == alone;
			}
		}
	OK(same, "every number of chases, each followed to its place");
}

/* One line of each large page, in each of its small pages as often. */
TEST(large_pages)
{
	const size_t page = (size_t)4 * CHASE_PAGE, pages = BYTES / page;
	size_t used[4] = { 0 };
	struct chase c;
	void *at;

	OK(!chase_link_page(&c, base, BYTES, page, 3) &&
		   chase_verify(&c) == pages,
	   "one line of each large page");
	at = c.entry[0];
	for (size_t i = 0; i < pages; i++) {
		used[line_of(at) * CHASE_LINE / CHASE_PAGE % 4]++;
		at = *(void **)at;
	}
	OK(used[0] == pages / 4 && used[1] == pages / 4 &&
		   used[2] == pages / 4 && used[3] == pages / 4,
	   "in each of the small pages as often");
}

/* A stride is counted along the chain and not as it was linked. */
TEST(strides)
{
	for (size_t stride = 64; stride <= 1024; stride *= 4) {
		const size_t n = BYTES / stride;
		struct chase c;
		size_t good = 0;
		void *at;

		chase_link_stride(&c, base, BYTES, stride, 0);
		at = c.entry[0];
		for (size_t i = 0; i < n; i++) {
			void *next = *(void **)at;

			good += next == (char *)at + stride ||
				(next == base && i == n - 1);
			at = next;
		}
		OK(good == n && at == c.entry[0],
		   "each load lies one stride behind the last");
	}
}
