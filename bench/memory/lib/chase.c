/* SPDX-License-Identifier: MIT */
#include "chase.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "arch.h"
#include "random.h"

#define LINES_OF_PAGE (CHASE_PAGE / CHASE_LINE)

/* A path of lines while it is being made. */
struct path {
	char *first, *last;
	size_t done, expected;
	void **entry; /* gets @entries starting points, evenly spread */
	size_t entries, entered;
};

struct linker {
	char *base;
	size_t step; /* from place to place, or between the two of a pair */
	uint64_t random;
};

static void shuffle(struct linker *l, uint32_t *x, size_t n)
{
	for (size_t i = n; i > 1; i--) {
		const uint32_t j = random_below(&l->random, (uint32_t)i);
		const uint32_t t = x[i - 1];

		x[i - 1] = x[j];
		x[j] = t;
	}
}

static struct path path_begin(void **entry, size_t entries, size_t expected)
{
	return (struct path) { .entry = entry,
			       .entries = entries,
			       .expected = expected };
}

static void path_add(struct path *p, char *at)
{
	if (p->last)
		*(void **)p->last = at;
	else
		p->first = at;
	p->last = at;
	/* The k-th entry is the first line past k shares of the path. */
	if (p->entered < p->entries &&
	    p->done * p->entries >= p->entered * p->expected)
		p->entry[p->entered++] = at;
	p->done++;
}

/* Makes a cycle of two paths, of which the second may be empty. */
static void path_close(struct chase *c, const struct path *p,
		       const struct path *q)
{
	/* No chain is without lines: its callers see to that. */
	if (!p->last)
		return;
	*(void **)p->last = q->first ? q->first : p->first;
	if (q->last)
		*(void **)q->last = p->first;
	c->lines = p->done + q->done;
	c->at = c->entry[0];
	/* Too short for so many entries: begin at the first again. */
	for (size_t k = 0; k < CHASE_ENTRIES; k++)
		if (!c->entry[k])
			c->entry[k] = c->entry[0];
}

/* The numbers below @n in random order.  The caller frees it. */
static uint32_t *random_order(struct linker *l, size_t n)
{
	uint32_t *order = malloc(n * sizeof(*order));

	if (!order)
		return NULL;
	for (size_t i = 0; i < n; i++)
		order[i] = (uint32_t)i;
	shuffle(l, order, n);
	return order;
}

/* Adds the lines @first, @first + @step ... of @n pages in random order. */
static void add_pages(struct linker *l, struct path *p, const uint32_t *pages,
		      size_t n, uint32_t first, uint32_t step, size_t lines)
{
	uint32_t order[CHASE_WINDOW * LINES_OF_PAGE];
	size_t count = 0;

	for (size_t i = 0; i < n; i++)
		for (uint32_t k = first; k < LINES_OF_PAGE; k += step) {
			const uint32_t line = pages[i] * LINES_OF_PAGE + k;

			if (line < lines)
				order[count++] = line;
		}
	shuffle(l, order, count);
	for (size_t i = 0; i < count; i++)
		path_add(p, l->base + (size_t)order[i] * CHASE_LINE);
}

/* Linking would wait for each line in turn.  In assembler: gcc takes a
 * function that only prefetches for one without effect. */
static void fetch_pages(const char *base, const uint32_t *pages, size_t n,
			size_t lines)
{
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < LINES_OF_PAGE; k++) {
			const size_t line =
				(size_t)pages[i] * LINES_OF_PAGE + k;

			if (line < lines)
				ARCH_PREFETCH(base + line * CHASE_LINE);
		}
}

/* With two passes there are two paths, of even and of odd lines, made window
 * by window at the same time because the window is in the cache. */
static int link_windows(struct chase *c, void *base, size_t bytes,
			uint64_t seed, size_t window, uint32_t passes)
{
	const size_t lines = bytes / CHASE_LINE;
	const size_t pages = (bytes + CHASE_PAGE - 1) / CHASE_PAGE;
	const size_t share = CHASE_ENTRIES / passes;
	struct linker l = { .base = base, .random = seed | 1 };
	struct path path[2];
	uint32_t *order;

	memset(c, 0, sizeof(*c));
	path[0] = path_begin(c->entry, share, lines / passes);
	path[1] = path_begin(c->entry + share, share, lines / passes);
	order = random_order(&l, pages);
	if (!order)
		return -ENOMEM;
	for (size_t i = 0; i < pages; i += window) {
		const size_t n = pages - i < window ? pages - i : window;

		fetch_pages(base, order + i, n, lines);
		for (uint32_t pass = 0; pass < passes; pass++)
			add_pages(&l, &path[pass], order + i, n, pass, passes,
				  lines);
	}
	path_close(c, &path[0], &path[1]);
	free(order);
	return 0;
}

int chase_link_window(struct chase *c, void *base, size_t bytes, size_t step,
		      uint64_t seed)
{
	return link_windows(c, base, bytes, seed, CHASE_WINDOW, 2);
}

int chase_link_pages(struct chase *c, void *base, size_t bytes, size_t step,
		     uint64_t seed)
{
	return link_windows(c, base, bytes, seed, 1, 1);
}

/* Adds the @i-th place. */
typedef void add_fn(struct linker *l, struct path *p, size_t i);

/* A cycle through @n places of @of_each lines in random order. */
static int link_places(struct chase *c, void *base, size_t n, size_t of_each,
		       size_t step, uint64_t seed, add_fn *add)
{
	struct linker l = { .base = base, .step = step, .random = seed | 1 };
	struct path p = path_begin(c->entry, CHASE_ENTRIES, n * of_each);
	uint32_t *order = random_order(&l, n);

	if (!order)
		return -ENOMEM;
	memset(c, 0, sizeof(*c));
	for (size_t i = 0; i < n; i++)
		add(&l, &p, order[i]);
	path_close(c, &p, &(struct path) { 0 });
	free(order);
	return 0;
}

static void add_line(struct linker *l, struct path *p, size_t i)
{
	path_add(p, l->base + i * l->step);
}

int chase_link_random(struct chase *c, void *base, size_t bytes, size_t step,
		      uint64_t seed)
{
	return link_places(c, base, bytes / CHASE_LINE, 1, CHASE_LINE, seed,
			   add_line);
}

int chase_link_stride(struct chase *c, void *base, size_t bytes, size_t stride,
		      uint64_t seed)
{
	struct path p = path_begin(c->entry, CHASE_ENTRIES, bytes / stride);

	memset(c, 0, sizeof(*c));
	for (size_t at = 0; at + stride <= bytes; at += stride)
		path_add(&p, (char *)base + at);
	path_close(c, &p, &(struct path) { 0 });
	return 0;
}

/* From one huge page to the next the line moves by so many of the small pages
 * in it.  In the same one of each the lines' addresses differ by multiples of
 * 2 MiB only, and a TLB that keeps pieces of 4 KiB has one set for all of them
 * (seen on Zen 3 in a virtual machine: 51 cycles instead of 11).  Odd, so that
 * all are used in turn. */
#define SMALL_STEP ((size_t)37)

static void add_page(struct linker *l, struct path *p, size_t i)
{
	const size_t small =
		(i * SMALL_STEP + i / LINES_OF_PAGE) % (l->step / CHASE_PAGE);

	path_add(p, l->base + i * l->step + small * CHASE_PAGE +
			    i % LINES_OF_PAGE * CHASE_LINE);
}

int chase_link_page(struct chase *c, void *base, size_t bytes, size_t page,
		    uint64_t seed)
{
	return link_places(c, base, bytes / page, 1, page, seed, add_page);
}

/* Places of a pair in its page: even lines, the last with room behind it. */
#define PAIR_PLACES ((CHASE_PAGE - CHASE_PAIR_BYTES) / (2 * CHASE_LINE) + 1)

static void add_pair(struct linker *l, struct path *p, size_t i)
{
	/* Many places in turn, or all would compete for few sets. */
	char *first =
		l->base + i * CHASE_PAGE + i % PAIR_PLACES * 2 * CHASE_LINE;
	/* A pair is entered at either end: a prefetcher that learns which line
	 * follows a miss would fetch the other one. */
	const bool back = random_below(&l->random, 2);

	path_add(p, back ? first + l->step : first);
	path_add(p, back ? first : first + l->step);
}

int chase_link_pairs(struct chase *c, void *base, size_t count, size_t at,
		     size_t distance, uint64_t seed)
{
	return link_places(c, (char *)base + at, count, 2, distance, seed,
			   add_pair);
}

int chase_link_chunk(struct chase *c, void *base, size_t bytes, size_t stride,
		     uint64_t seed)
{
	const size_t words = stride / sizeof(void *);
	const size_t chunks = bytes / stride;
	struct linker l = { .base = base, .random = seed | 1 };
	char *at;

	for (size_t i = 0; i < chunks; i++) {
		void **from = (void **)(l.base + i * stride);
		void **to = (void **)(l.base + (i + 1) % chunks * stride);

		for (size_t k = 0; k < words; k++)
			from[k] = to + random_below(&l.random, (uint32_t)words);
	}
	/* Random maps soon agree: go round until the walk is on its cycle. */
	at = l.base;
	for (size_t i = 0; i < chunks * words; i++) {
		char *const start = at;

		for (size_t k = 0; k < chunks; k++)
			at = *(void **)at;
		if (at == start)
			break;
	}
	c->at = at;
	for (size_t k = 0; k < CHASE_ENTRIES; k++)
		c->entry[k] = at;
	c->lines = chase_length(at, chunks * words);
	return 0;
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

size_t chase_verify(const struct chase *c)
{
	void *at[CHASE_ENTRIES];

	if (c->entry[1] == c->entry[0] || c->lines < CHASE_ENTRIES)
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

void chase_list(const struct chase *c, void **line)
{
	void *at = c->entry[0];

	for (size_t i = 0; i < c->lines; i++) {
		line[i] = at;
		at = *(void **)at;
	}
}

void chase_flush(void *const *line, size_t lines)
{
	for (size_t i = 0; i < lines; i++)
		ARCH_FLUSH(line[i]);
	ARCH_FLUSHED();
}

size_t chase_length(void *from, size_t limit)
{
	void *at = *(void **)from;
	size_t n = 1;

	while (at != from && n < limit) {
		at = *(void **)at;
		n++;
	}
	return n;
}
