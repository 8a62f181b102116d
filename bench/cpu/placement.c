/* SPDX-License-Identifier: MIT */
/*
 * placement - how far does a result move when the same code stands elsewhere?
 *
 * The article Testing Times found that a function's cost changed when two
 * functions stood in the program in another order.  Here the same instructions
 * are copied to many places of an executable buffer and timed at each: at the
 * 64 offsets within a cache line (where=offset), at the same offset of 32
 * pages (where=page), and packed one behind the other in all six orders of
 * the three pieces of code (where=order).  where=same times one copy again and
 * again: what moves there is noise, and what moves elsewhere beyond that is
 * placement.
 *
 * code=loop is an empty counted loop, code=call calls and returns, and
 * code=branches has eight branches that are never taken.  stat=min and
 * stat=max are the best and the worst place, stat=range is their
 * difference in percent of the best.  A difference between two programs that
 * is smaller than this can be luck of the linker.  All places of all cases are
 * visited in turn, in random order, and what counts of a place is its least
 * batch of n and of 2n iterations: so a disturbance must hit a place in all of
 * its measurements to look like one.
 *
 * Measures: ns for one iteration; percent.
 * Includes: the loop's own counter.
 * After:    R. Vaughan, Testing Times, 2004; Mytkowicz et al., ASPLOS 2009.
 * Needs:    memory that may be made executable.
 */
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include "bench.h"
#include "deadline.h"
#include "placement.h"

#define LINE   64u /* offsets within a cache line */
#define PAGES  32u
#define ORDERS 6u
#define PLACES 64u   /* of one group, at most */
#define GROUPS 12u   /* codes by wheres */
#define SLOT   1024u /* room for one copy, or for three in a row */
#define VISITS 2     /* of each place, at least */
#define AGAIN  8     /* visits more where all of a place were disturbed */
/* A shorter batch than the harness's own 20 us, for there are 500 places; the
 * least of many is good to a few steps of the clock, 0.1 % of this. */
#define BATCH_NS   4000
#define FIRST_STEP 500

enum code { LOOP, CALL, BRANCHES, CODES };

/*
 * The measured code: position-independent, the number of iterations in the
 * first argument, the iterations done as the result, which is the evidence.
 */
__asm__(".pushsection .rodata\n"
	".p2align 2\n"
	"placement_loop:\n\t" ARCH_CODE_LOOP "placement_loop_end:\n"
	"placement_call:\n\t" ARCH_CODE_CALL "placement_call_end:\n"
	"placement_branches:\n\t" ARCH_CODE_BRANCHES "placement_branches_end:\n"
	".popsection\n");

extern const unsigned char placement_loop[], placement_loop_end[],
	placement_call[], placement_call_end[], placement_branches[],
	placement_branches_end[];

static const struct {
	const char *name;
	const unsigned char *begin, *end;
} codes[CODES] = {
	{ "loop", placement_loop, placement_loop_end },
	{ "call", placement_call, placement_call_end },
	{ "branches", placement_branches, placement_branches_end },
};

typedef uint64_t code_fn(uint64_t iters);

/* The places of the same code and kind of place: the state of stat=min. */
struct group {
	enum code code;
	unsigned int places;
	uint64_t asked, done; /* iterations */
};

struct place {
	struct group *of;
	code_fn *code;
	uint64_t least[2]; /* ticks of n and of 2n; UINT64_MAX: not visited */
};

struct placement_state {
	unsigned char *buffer;
	size_t n;
	uint64_t iters[CODES]; /* of a batch */
	struct place places[GROUPS * PLACES];
};

/* Copy @code to @offset of the buffer, and make @times places of it.  Return:
 * the offset behind it. */
static size_t copy_code(const struct bench *b, struct placement_state *s,
			enum code code, const char *where, size_t offset,
			unsigned int times)
{
	const size_t bytes = (size_t)(codes[code].end - codes[code].begin);
	const unsigned char *at = s->buffer + offset;
	struct place place = {
		.of = bench_find(b, "code=%s,where=%s,stat=min",
				 codes[code].name, where)
			      ->data,
		.least = { UINT64_MAX, UINT64_MAX },
	};

	memcpy(s->buffer + offset, codes[code].begin, bytes);
	/* C has no cast from data to code; the bits are the same. */
	memcpy(&place.code, &at, sizeof(at));
	place.of->code = code;
	for (; times; times--, place.of->places++)
		s->places[s->n++] = place;
	return offset + bytes;
}

static void fill_buffer(const struct bench *b, struct placement_state *s)
{
	static const enum code orders[ORDERS][CODES] = {
		{ LOOP, CALL, BRANCHES }, { LOOP, BRANCHES, CALL },
		{ CALL, LOOP, BRANCHES }, { CALL, BRANCHES, LOOP },
		{ BRANCHES, LOOP, CALL }, { BRANCHES, CALL, LOOP },
	};
	const size_t page = bench_page_bytes();
	size_t at = 0;

	for (enum code code = 0; code < CODES; code++) {
		for (size_t i = 0; i < LINE; i += ARCH_CODE_STEP, at += SLOT)
			copy_code(b, s, code, "offset", at + i, 1);
		for (size_t i = 0; i < PAGES; i++, at += page)
			copy_code(b, s, code, "page", at, 1);
		/* One place, as often as others have places. */
		copy_code(b, s, code, "same", at, PLACES);
		at += page;
	}
	for (size_t i = 0; i < ORDERS; i++, at += SLOT) {
		size_t piece = at;

		/* Functions begin at multiples of 16, as compilers do it. */
		for (size_t k = 0; k < CODES; k++)
			piece = (copy_code(b, s, orders[i][k], "order", piece,
					   1) +
				 15) &
				~(size_t)15;
	}
}

/* Iterations that take about BATCH_NS. */
static uint64_t pilot(const struct bench *b, code_fn *f)
{
	const struct timer *t = bench_timer(b);
	uint64_t n = FIRST_STEP, ticks;

	for (;; n *= 2) {
		TIMER_INTERVAL(t->method, ticks, BENCH_KEEP(f(n)));
		if (timer_ns(t, (double)ticks) >= BATCH_NS || n >> 40)
			return n;
	}
}

static int placement_setup(struct bench *b, void *state)
{
	struct placement_state *s = state;
	const size_t page = bench_page_bytes();
	const size_t size =
		CODES * ((size_t)LINE * SLOT + PAGES * page + page) +
		(size_t)ORDERS * SLOT + page;

	s->buffer = mmap(NULL, size, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (s->buffer == MAP_FAILED)
		return bench_fail(b, errno, "map %zu bytes", size);
	fill_buffer(b, s);
	__builtin___clear_cache((char *)s->buffer, (char *)s->buffer + size);
	if (mprotect(s->buffer, size, PROT_READ | PROT_EXEC))
		return bench_skip(b, "memory cannot be made executable: %s",
				  strerror(errno));
	for (const struct place *p = s->places; p < s->places + s->n; p++)
		if (!s->iters[p->of->code])
			s->iters[p->of->code] = pilot(b, p->code);
	return 0;
}

static uint64_t least_batch(const struct bench *b, const struct place *p,
			    uint64_t iters, uint64_t *least)
{
	const enum timer_method method = bench_timer(b)->method;
	uint64_t ticks, done;

	TIMER_INTERVAL(method, ticks, done = p->code(iters));
	if (ticks < *least)
		*least = ticks;
	return done;
}

/* Return: whether so far something was in all batches of n or of 2n. */
static bool visit(const struct bench *b, struct place *p, uint64_t n)
{
	uint64_t warm = UINT64_MAX;

	/* The others' code has been through the predictors since. */
	least_batch(b, p, n / 8, &warm);
	p->of->done += least_batch(b, p, n, &p->least[0]);
	p->of->done += least_batch(b, p, 2 * n, &p->least[1]);
	p->of->asked += 3 * n;
	return p->least[1] <= p->least[0];
}

/* All places in random order.  Return: whether one was disturbed in all its
 * visits, as they may be at a low effort: visits are few then, and places many.
 */
static bool visit_all(struct bench *b, struct placement_state *s)
{
	bool disturbed = false;

	for (size_t i = s->n; i > 0; i--) {
		const size_t k = (size_t)(bench_random(b) % i);
		struct place place = s->places[k];

		disturbed |= visit(b, &place, s->iters[place.of->code]);
		s->places[k] = s->places[i - 1];
		s->places[i - 1] = place;
	}
	return disturbed;
}

static void derive_group(struct bench *b, const struct placement_state *s,
			 const struct bench_case *row)
{
	static const char *const figures[] = { "stat=min", "stat=max",
					       "stat=range" };
	const struct group *g = row->data;
	double value[] = { INFINITY, 0, 0 };

	for (const struct place *p = s->places; p < s->places + s->n; p++) {
		/* The difference needs no overhead: it is in both. */
		const int64_t ticks = (int64_t)(p->least[1] - p->least[0]);
		const double ns = timer_ns(bench_timer(b), (double)ticks) /
				  (double)s->iters[g->code];

		value[0] = p->of == g ? fmin(value[0], ns) : value[0];
		value[1] = p->of == g ? fmax(value[1], ns) : value[1];
	}
	value[2] = (value[1] / value[0] - 1) * 100;
	for (int i = 0; i < 3; i++) {
		const struct bench_case *c = bench_beside(b, row, figures[i]);

		bench_fact(b, c, "places",
			   case_is(c, "where", "same") ? 1 : g->places);
		bench_fact(b, c, "batch_iterations", (double)s->iters[g->code]);
		bench_proof(b, c, "iterations", (double)g->asked,
			    (double)g->done);
		if (value[0] > 0)
			bench_derive(b, c, value[i]);
		else
			bench_derive_skip(b, c,
					  "every visit of a place was "
					  "disturbed: twice the iterations "
					  "took no longer");
	}
}

/*
 * Everything is timed here and not in sample(): the places of all cases take
 * turns, which the harness does for cases but not for what is inside of them.
 */
static void placement_derive(struct bench *b, void *state)
{
	struct placement_state *s = state;
	const int64_t end = deadline_in((int64_t)(bench_time_ns(b) / 1e6));
	unsigned int visits = 0;
	bool disturbed;

	do
		disturbed = visit_all(b, s);
	while (++visits < VISITS || !deadline_passed(end) ||
	       (disturbed && visits < VISITS + AGAIN));
	BENCH_EACH (b, row, "stat=min")
		derive_group(b, s, row);
}

const struct bench_desc bench_desc = {
	.state_size = sizeof(struct placement_state),
	.case_state_size = sizeof(struct group),
	.points = "code={loop,call,branches} where={offset,page,order,same}"
		  " stat={min,max,range};"
		  "is derived unit=ns; is unit='%' if stat=range",
	.setup = placement_setup,
	.derive = placement_derive,
};
