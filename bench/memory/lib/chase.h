/* SPDX-License-Identifier: MIT */
#ifndef CHASE_H
#define CHASE_H

#include <stddef.h>
#include <stdint.h>

/*
 * Pointer chases: a cycle of pointers through a buffer, one in each line
 * visited, so that no load can begin before the one before it has ended.
 *
 * Source of the idea: lmbench lat_mem_rd (McVoy and Staelin, USENIX 1996);
 * of doing it page by page in random order: multichase.  The window of many
 * pages and the two passes are ours; docs/benchmarks/memory.md has the
 * measurements behind them.
 */
#define CHASE_LINE    64   /* bytes between neighbours: a line of x86-64 */
#define CHASE_PAGE    4096 /* bytes: the smallest base page there is */
#define CHASE_UNROLL  32   /* loads in one round of chase_run() */
#define CHASE_ENTRIES 16   /* starting points, spread evenly over the cycle */

/* Pages that are visited together.  More than the pages that a prefetcher
 * keeps track of (32 on Intel), so that random order within a page is not
 * taken for a stream; no more than the first TLB of a Golden Cove holds.  Where
 * it holds less (64 from Skylake to Ice Lake and on Zen 2 and 3, 72 on Zen 4)
 * the second one's few cycles are in some loads. */
#define CHASE_WINDOW 96

struct chase {
	void *entry[CHASE_ENTRIES];
	size_t lines; /* in the cycle */
	void *at;     /* how far it was followed: at first at entry[0] */
};

/*
 * Orders: a cycle through [@base, @base + @bytes), of @bytes a multiple of 64,
 * at least 128, less than 2^38.  Return: 0 or -ENOMEM (of 8 bytes for each page
 * and line while it is being made).
 *
 * chase_link_window() - the default: all lines, in windows of CHASE_WINDOW
 * random pages, in random order in each window; first all even lines of the
 * buffer, then all odd ones, because fetching one line of a pair may fetch the
 * other.  Translations are reused, so this is the latency of caches and memory.
 * chase_link_pages() - as above with windows of one page and one pass: what
 * "page-local random order" is elsewhere, for comparison.
 * chase_link_random() - all lines in fully random order: translation is in it.
 * chase_link_stride() - one pointer each @step bytes, ascending.
 * chase_link_page() - one line of each @step bytes (4096 or a multiple), pages
 * in random order; the line's place in the page differs, so that the sets of a
 * cache are used evenly, and in a large page the place of its 4 KiB, so that
 * those of a TLB are.
 * chase_link_chunk() - where a walk of the CSE 221 report's list ends: one
 * random pointer in each chunk of @step bytes, chunks ascending.
 * chase_link_pairs() - a pair in each page, in random order: a pointer leads to
 * @step bytes behind it (or, in every second pair at random, from there to
 * here), that one to the next page.  @base: so many bytes behind the start of a
 * page as the first is to be behind a multiple of 128; with @step, a multiple
 * of 8, less than CHASE_PAIR_BYTES.
 */
#define CHASE_PAIR_BYTES 512
typedef int chase_link_fn(struct chase *c, char *base, size_t bytes,
			  size_t step, uint64_t seed);
chase_link_fn chase_link_window, chase_link_pages, chase_link_random,
	chase_link_stride, chase_link_page, chase_link_chunk, chase_link_pairs;

/**
 * chase_run() - @rounds times CHASE_UNROLL dependent loads, beginning with
 * the pointer at @from.  Assembler: nothing but the loads and a countdown.
 *
 * Return: where it ended, to go on from there.
 */
void *chase_run(void *from, uint64_t rounds);

/**
 * chase_run_many() - @loads loads in each of @k <= CHASE_ENTRIES chases at
 * once; @at is updated.  Assembler for up to 14 chases, which all are in
 * registers, and for CHASE_ENTRIES, of which two wait in vector registers: a
 * move there and one back in every second round.  15 are as the compiler does
 * it, in memory: good for anything but measuring.
 */
void chase_run_many(void **at, unsigned int k, uint64_t loads);

/**
 * chase_verify() - walk from all entries at once, each to the next one.
 *
 * Return: the lines of the cycle, or 0 if a walk did not end where the next
 * began: the buffer does not hold the cycle that was linked.
 */
size_t chase_verify(const struct chase *c);

#endif
