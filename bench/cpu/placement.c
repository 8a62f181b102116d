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
 * code=branches has eight branches that are never taken.  figure=min and
 * figure=max are the best and the worst place, figure=range is their
 * difference in percent of the best.  A difference between two programs that
 * is smaller than this can be luck of the linker.  All places of all cases are
 * visited in turn, in random order, and what counts of a place is its least
 * batch of n and of 2n iterations: so a disturbance must hit a place in all of
 * its visits to look like one.
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
#define PLACES 64u   /* of one case, at most */
#define SLOT   1024u /* room for one copy, or for three in a row */
#define VISITS 2     /* of each place, at least */
#define AGAIN  8     /* visits more where all were disturbed */
/* A shorter batch than the harness's own 20 us, for there are 500 places; the
 * least of many is good to a few steps of the clock, 0.1 % of this. */
#define BATCH_NS   4000
#define FIRST_STEP 500

enum code { LOOP, CALL, BRANCHES, CODES };
enum where { OFFSET, PAGE_NUMBER, ORDER, SAME, WHERES };

static const char *const code_names[CODES] = { "loop", "call", "branches" };
static const char *const where_names[WHERES] = { "offset", "page", "order",
						 "same" };

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

typedef uint64_t code_fn(uint64_t iters);

struct place {
	code_fn *code;
	uint64_t iters;
	uint64_t least_n, least_2n; /* ticks; UINT64_MAX: not visited */
};

/* The places of one case. */
struct places {
	unsigned int n;
	uint64_t asked, done; /* iterations */
	struct place at[PLACES];
};

enum figure { MIN, MAX, RANGE, FIGURES };

static const char *const figure_names[FIGURES] = { "min", "max", "range" };

#define ALL_PLACES ((size_t)CODES * WHERES * PLACES)

/* A turn in the order of visits. */
struct turn {
	struct places *of;
	struct place *place;
};

struct placement_state {
	unsigned char *buffer;
	size_t size, used;
	struct places places[CODES][WHERES];
	struct turn turns[ALL_PLACES]; /* all of them, to be shuffled */
	size_t n_turns;
};

static size_t code_bytes(enum code code, const unsigned char **bytes)
{
	const unsigned char *const begin[CODES] = { placement_loop,
						    placement_call,
						    placement_branches };
	const unsigned char *const end[CODES] = { placement_loop_end,
						  placement_call_end,
						  placement_branches_end };

	*bytes = begin[code];
	return (size_t)(end[code] - begin[code]);
}

/* Copy @code to @offset of the buffer.  Return: the offset behind it. */
static size_t copy_code(struct placement_state *s, enum code code,
			enum where where, size_t offset)
{
	struct places *p = &s->places[code][where];
	const unsigned char *bytes, *at = s->buffer + offset;
	const size_t n = code_bytes(code, &bytes);

	memcpy(s->buffer + offset, bytes, n);
	/* C has no cast from data to code; the bits are the same. */
	memcpy(&p->at[p->n++].code, &at, sizeof(at));
	return offset + n;
}

static size_t take_room(struct placement_state *s, size_t bytes)
{
	const size_t offset = s->used;

	s->used += bytes;
	return offset;
}

static void fill_buffer(struct placement_state *s)
{
	static const enum code orders[ORDERS][CODES] = {
		{ LOOP, CALL, BRANCHES }, { LOOP, BRANCHES, CALL },
		{ CALL, LOOP, BRANCHES }, { CALL, BRANCHES, LOOP },
		{ BRANCHES, LOOP, CALL }, { BRANCHES, CALL, LOOP },
	};

	const size_t page = bench_page_bytes();

	for (enum code code = 0; code < CODES; code++) {
		for (size_t i = 0; i < LINE; i += ARCH_CODE_STEP)
			copy_code(s, code, OFFSET, take_room(s, SLOT) + i);
		for (size_t i = 0; i < PAGES; i++)
			copy_code(s, code, PAGE_NUMBER, take_room(s, page));
		copy_code(s, code, SAME, take_room(s, page));
	}
	for (size_t i = 0; i < ORDERS; i++) {
		size_t at = take_room(s, SLOT);

		/* Functions begin at multiples of 16, as compilers do it. */
		for (size_t k = 0; k < CODES; k++)
			at = (copy_code(s, orders[i][k], ORDER, at) + 15) &
			     ~(size_t)15;
	}
}

static int make_buffer(struct bench *b, struct placement_state *s)
{
	const size_t page = bench_page_bytes();

	s->size = CODES * ((size_t)LINE * SLOT + PAGES * page + page) +
		  (size_t)ORDERS * SLOT + page;
	s->buffer = mmap(NULL, s->size, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (s->buffer == MAP_FAILED) {
		s->buffer = NULL;
		return bench_fail(b, errno, "map %zu bytes", s->size);
	}
	fill_buffer(s);
	__builtin___clear_cache((char *)s->buffer, (char *)s->buffer + s->size);
	if (mprotect(s->buffer, s->size, PROT_READ | PROT_EXEC))
		return bench_skip(b, "memory cannot be made executable: %s",
				  strerror(errno));
	return 0;
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

static const char points[] =
	"code={loop,call,branches} where={offset,page,order,same}"
	" figure={min,max,range};"
	"is derived unit=ns; is unit='%' if figure=range";

static const struct bench_case *row(const struct bench *b, enum code c,
				    enum where w, enum figure f)
{
	return bench_find(b, "code=%s,where=%s,figure=%s", code_names[c],
			  where_names[w], figure_names[f]);
}

static bool wanted(const struct bench *b, enum code c, enum where w)
{
	for (enum figure f = 0; f < FIGURES; f++)
		if (bench_selected(b, row(b, c, w, f)))
			return true;
	return false;
}

static void add_turns(struct placement_state *s, struct places *p,
		      uint64_t iters)
{
	for (unsigned int i = 0; i < p->n; i++) {
		p->at[i].iters = iters;
		p->at[i].least_n = p->at[i].least_2n = UINT64_MAX;
		s->turns[s->n_turns++] = (struct turn) { p, &p->at[i] };
	}
}

static int placement_setup(struct bench *b, void *state)
{
	struct placement_state *s = state;
	int err = make_buffer(b, s);

	if (err)
		return err;
	for (enum code c = 0; c < CODES; c++) {
		struct places *same = &s->places[c][SAME];
		const uint64_t iters = pilot(b, same->at[0].code);

		/* One place, as often as others have places. */
		for (; same->n < PLACES; same->n++)
			same->at[same->n] = same->at[0];
		for (enum where w = 0; w < WHERES; w++)
			if (wanted(b, c, w))
				add_turns(s, &s->places[c][w], iters);
	}
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

static void visit(const struct bench *b, const struct turn *turn)
{
	struct places *of = turn->of;
	struct place *p = turn->place;
	uint64_t warm = UINT64_MAX;

	/* The others' code has been through the predictors since. */
	least_batch(b, p, p->iters / 8, &warm);
	of->done += least_batch(b, p, p->iters, &p->least_n);
	of->done += least_batch(b, p, 2 * p->iters, &p->least_2n);
	of->asked += 3 * p->iters;
}

static void visit_all(struct bench *b, struct placement_state *s)
{
	for (size_t i = s->n_turns; i > 1; i--) {
		const size_t k = (size_t)(bench_random(b) % i);
		const struct turn turn = s->turns[i - 1];

		s->turns[i - 1] = s->turns[k];
		s->turns[k] = turn;
	}
	for (size_t i = 0; i < s->n_turns && !bench_stopping(b); i++)
		visit(b, &s->turns[i]);
}

static bool disturbed(const struct place *p)
{
	return p->least_2n <= p->least_n;
}

/* At a low effort visits are few and places many: all visits of one of them
 * may have been interrupted. */
static void visit_again(struct bench *b, const struct turn *turn)
{
	for (int i = 0; i < AGAIN && !bench_stopping(b); i++)
		if (disturbed(turn->place))
			visit(b, turn);
}

/* The difference needs no overhead: it is in both. */
static double place_ns(const struct bench *b, const struct place *p)
{
	const int64_t ticks = (int64_t)(p->least_2n - p->least_n);

	return timer_ns(bench_timer(b), (double)ticks) / (double)p->iters;
}

static void derive(struct bench *b, const struct places *p, enum code code,
		   enum where w)
{
	double value[FIGURES] = { [MIN] = INFINITY };

	for (unsigned int i = 0; i < p->n; i++) {
		const double ns = place_ns(b, &p->at[i]);

		value[MIN] = fmin(value[MIN], ns);
		value[MAX] = fmax(value[MAX], ns);
	}
	value[RANGE] = (value[MAX] / value[MIN] - 1) * 100;
	for (enum figure f = 0; f < FIGURES; f++) {
		const struct bench_case *c = row(b, code, w, f);

		bench_fact(b, c, "places", w == SAME ? 1 : p->n);
		bench_fact(b, c, "batch_iterations", (double)p->at[0].iters);
		bench_proof(b, c, "iterations", (double)p->asked,
			    (double)p->done);
		if (value[MIN] > 0)
			bench_derive(b, c, value[f]);
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
static int placement_derive(struct bench *b, void *state)
{
	struct placement_state *s = state;
	const int64_t end = deadline_in((int64_t)(bench_time_ns(b) / 1e6));

	for (unsigned int i = 0; !bench_stopping(b); i++) {
		if (i >= VISITS && deadline_passed(end))
			break;
		visit_all(b, s);
	}
	for (size_t i = 0; i < s->n_turns; i++)
		visit_again(b, &s->turns[i]);
	if (bench_stopping(b))
		return 0;
	for (enum code c = 0; c < CODES; c++)
		for (enum where w = 0; w < WHERES; w++)
			if (wanted(b, c, w))
				derive(b, &s->places[c][w], c, w);
	return 0;
}

static void placement_teardown(struct bench *b, void *state)
{
	struct placement_state *s = state;

	if (s->buffer)
		munmap(s->buffer, s->size);
}

const struct bench_desc bench_desc = {
	.name = "placement",
	.state_size = sizeof(struct placement_state),
	.points = points,
	.setup = placement_setup,
	.derive = placement_derive,
	.teardown = placement_teardown,
};
