/* SPDX-License-Identifier: MIT */
#include "chase.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "arch.h"
#include "random.h"

#define LINES_OF_PAGE (CHASE_PAGE / CHASE_LINE)
#define FETCH_AHEAD   16 /* stores to other lines under way at a time */

/* Places, in the order in which a chain will visit them. */
struct list {
	char **at;
	size_t n;
	uint64_t random;
};

/* Those from the one @from on in random order. */
static void shuffle(struct list *l, size_t from)
{
	for (size_t i = l->n; i > from + 1; i--) {
		const size_t k =
			from + random_below(&l->random, (uint32_t)(i - from));
		char *const at = l->at[i - 1];

		l->at[i - 1] = l->at[k];
		l->at[k] = at;
	}
}

/* A list of @n places @step bytes apart from @base on, with room for @more.
 * Return: 0 or -ENOMEM. */
static int begin(struct list *l, char *base, size_t n, size_t step, size_t more,
		 uint64_t seed)
{
	*l = (struct list) { .at = malloc((n + more) * sizeof(*l->at)),
			     .n = n,
			     .random = seed | 1 };
	for (size_t i = 0; l->at && i < n; i++)
		l->at[i] = base + i * step;
	return l->at ? 0 : -ENOMEM;
}

/* Makes a cycle of the list, which none is without a place, and frees @memory,
 * which it lies in. */
static int end(struct chase *c, const struct list *l, char **memory)
{
	for (size_t i = 0; i < l->n; i++) {
		if (i + FETCH_AHEAD < l->n)
			ARCH_PREFETCH(l->at[i + FETCH_AHEAD]);
		*(void **)l->at[i] = l->at[i + 1 < l->n ? i + 1 : 0];
	}
	for (size_t k = 0; k < CHASE_ENTRIES; k++)
		c->entry[k] = l->at[k * l->n / CHASE_ENTRIES];
	c->lines = l->n;
	c->at = c->entry[0];
	free(memory);
	return 0;
}

/* Adds the lines of the page @at that are below @end, from the one @first on
 * each @step-th. */
static void add_lines(struct list *l, char *at, const char *end, size_t first,
		      size_t step)
{
	for (size_t k = first; k < LINES_OF_PAGE; k += step)
		if (at + k * CHASE_LINE < end)
			l->at[l->n++] = at + k * CHASE_LINE;
}

/* All lines, by windows of so many pages, in so many passes. */
static int link_windows(struct chase *c, char *base, size_t bytes,
			uint64_t seed, size_t window, size_t passes)
{
	const size_t pages = (bytes + CHASE_PAGE - 1) / CHASE_PAGE;
	struct list page, line;

	if (begin(&page, base, pages, CHASE_PAGE, bytes / CHASE_LINE, seed))
		return -ENOMEM;
	shuffle(&page, 0);
	line = (struct list) { page.at + pages, 0, page.random };
	for (size_t pass = 0; pass < passes; pass++)
		for (size_t i = 0; i < pages; i += window) {
			const size_t from = line.n;

			for (size_t k = i; k < pages && k < i + window; k++)
				add_lines(&line, page.at[k], base + bytes, pass,
					  passes);
			shuffle(&line, from);
		}
	return end(c, &line, page.at);
}

int chase_link_window(struct chase *c, char *base, size_t bytes, size_t step,
		      uint64_t seed)
{
	return link_windows(c, base, bytes, seed, CHASE_WINDOW, 2);
}

int chase_link_pages(struct chase *c, char *base, size_t bytes, size_t step,
		     uint64_t seed)
{
	return link_windows(c, base, bytes, seed, 1, 1);
}

int chase_link_random(struct chase *c, char *base, size_t bytes, size_t step,
		      uint64_t seed)
{
	return link_windows(c, base, bytes, seed, bytes / CHASE_PAGE + 1, 1);
}

int chase_link_stride(struct chase *c, char *base, size_t bytes, size_t stride,
		      uint64_t seed)
{
	struct list line;

	return begin(&line, base, bytes / stride, stride, 0, seed)
		       ? -ENOMEM
		       : end(c, &line, line.at);
}

/* From one huge page to the next the line moves by so many of the small pages
 * in it.  In the same one of each the lines' addresses differ by multiples of
 * 2 MiB only, and a TLB that keeps pieces of 4 KiB has one set for all of them
 * (seen on Zen 3 in a virtual machine: 51 cycles instead of 11).  Odd, so that
 * all are used in turn. */
#define SMALL_STEP ((size_t)37)

int chase_link_page(struct chase *c, char *base, size_t bytes, size_t page,
		    uint64_t seed)
{
	struct list place;

	if (begin(&place, base, bytes / page, page, 0, seed))
		return -ENOMEM;
	for (size_t i = 0; i < place.n; i++)
		place.at[i] += (i * SMALL_STEP + i / LINES_OF_PAGE) %
				       (page / CHASE_PAGE) * CHASE_PAGE +
			       i % LINES_OF_PAGE * CHASE_LINE;
	shuffle(&place, 0);
	return end(c, &place, place.at);
}

/* Places of a pair in its page: even lines, the last with room behind it. */
#define PAIR_PLACES ((CHASE_PAGE - CHASE_PAIR_BYTES) / (2 * CHASE_LINE) + 1)

int chase_link_pairs(struct chase *c, char *base, size_t bytes, size_t distance,
		     uint64_t seed)
{
	const size_t pairs = bytes / CHASE_PAGE;
	struct list place;

	if (begin(&place, base, pairs, CHASE_PAGE, pairs, seed))
		return -ENOMEM;
	/* Many places in turn, or all would compete for few sets. */
	for (size_t i = 0; i < pairs; i++)
		place.at[i] += i % PAIR_PLACES * 2 * CHASE_LINE;
	shuffle(&place, 0);
	/* A pair is entered at either end: a prefetcher that learns which line
	 * follows a miss would fetch the other one. */
	for (size_t i = pairs; i-- > 0;) {
		char *const at = place.at[i];
		const size_t back = random_below(&place.random, 2);

		place.at[2 * i] = at + back * distance;
		place.at[2 * i + 1] = at + !back * distance;
	}
	place.n = 2 * pairs;
	return end(c, &place, place.at);
}

int chase_link_chunk(struct chase *c, char *base, size_t bytes, size_t stride,
		     uint64_t seed)
{
	struct list place;

	if (begin(&place, base, bytes / stride, stride, 0, seed))
		return -ENOMEM;
	for (size_t i = 0; i < place.n; i++)
		place.at[i] +=
			random_below(&place.random,
				     (uint32_t)(stride / sizeof(void *))) *
			sizeof(void *);
	return end(c, &place, place.at);
}

__attribute__((noinline)) void *chase_run(void *from, uint64_t rounds)
{
	if (!rounds)
		return from;
	__asm__ volatile("1:\n\t"
			 ".rept 32\n\t" ARCH_LOAD(
				 "%0", "%0") ".endr\n\t" ARCH_AGAIN("%1", "1b")
			 : "+r"(from), "+r"(rounds)
			 :
			 : "memory", "cc");
	return from;
}

/* Loads until the walk from @from is back there, at most @limit. */
static size_t chase_length(void *from, size_t limit)
{
	void *at = *(void **)from;
	size_t n = 1;

	while (at != from && n < limit) {
		at = *(void **)at;
		n++;
	}
	return n;
}

size_t chase_verify(const struct chase *c)
{
	void *at[CHASE_ENTRIES];

	if (c->entry[1] == c->entry[0])
		return chase_length(c->entry[0], c->lines + 1);
	memcpy(at, c->entry, sizeof(at));
	chase_run_many(at, CHASE_ENTRIES, c->lines / CHASE_ENTRIES);
	/* Entries are lines/16 apart, rounded up or down. */
	for (unsigned int k = 0; k < CHASE_ENTRIES; k++) {
		void *next = c->entry[(k + 1) % CHASE_ENTRIES];

		if (at[k] != next && *(void **)at[k] != next)
			return 0;
	}
	return c->lines;
}
