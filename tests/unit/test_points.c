/* SPDX-License-Identifier: MIT */
/* Cases from a text: points, rules, what they need, numbers asked for, and
 * formulas; the answers are worked out by hand. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "program.h"
#include "tests.h"

/* The kernel of this test. */
const char *kernel_lacks(enum kernel_tells what)
{
	return what == KERNEL_FAULTS ? "no faults" : NULL;
}

static const struct bench_desc plain;

static void open_bench(struct bench *b)
{
	static int state;

	*b = (struct bench) { .desc = &plain, .state = &state };
}

/* The names of all cases of @text, each behind a blank. */
static const char *names_of(const char *text, struct bench *b)
{
	static char names[1024];
	size_t len = 0;

	names[0] = '\0';
	bench_points(b, text);
	for (size_t i = 0; i < b->n_runs && len < sizeof(names); i++)
		len += (size_t)snprintf(names + len, sizeof(names) - len, " %s",
					b->runs[i]->c.name);
	return b->verdict.why[0] ? b->verdict.why : names;
}

static void test_points(const char *text, const char *names)
{
	const int64_t two[] = { 1024, 5 };
	static const char *const words[] = { "p", "q" };
	struct bench b;

	open_bench(&b);
	bench_set_numbers(&b, "two", BENCH_SIZE, two, 2);
	BENCH_SET_NAMES(&b, "words", words);
	OK_STR(names_of(text, &b), names, text);
	cases_free(&b);
}

TEST(test_grammar)
{
	test_points("a=1 b=x", " a=1,b=x");
	test_points("a={1,2} b={x,y}", " a=1,b=x a=1,b=y a=2,b=x a=2,b=y");
	test_points("a=x; b=y", " a=x b=y");
	test_points("a=0..20/10", " a=0 a=10 a=20");
	test_points("a={7,1..8*2}", " a=7 a=1 a=2 a=4 a=8");
	test_points("a={4096,1K}", " a=4K a=1K");
	test_points("a={x,y} b={-,1} c=z; not b a=y",
		    " a=x,c=z a=x,b=1,c=z a=y,c=z");
	test_points("a=512..2K*2", " a=512 a=1K a=2K");
	test_points("a=4096", " a=4096");
	test_points("a='64K'", " a=64K");
	test_points("a=x-y.z", " a=x-y.z");
	test_points("a=$two b=$words", " a=1K,b=p a=1K,b=q a=5,b=p a=5,b=q");
	test_points("a=1..4; not a=2; not a>3", " a=1 a=3");
	test_points("a={x,y} b={1,2}; not a=x b!=2",
		    " a=x,b=2 a=y,b=1 a=y,b=2");
	test_points("a={1,2} ^b={x,y}", " a=1,b=x a=2,b=x a=1,b=y a=2,b=y");
	test_points("a=1..3; b=1..3; not a=2; not b=3", " a=1 a=3 b=1 b=2");
	test_points("not a=1", "cases(): a text cannot be read at: not a=1");
	test_points("a={x,y}; not b=1; not b", " a=x a=y");
	test_points("a=x; not a={x,y}; b=x", " b=x");
	test_points("a=1..3; not a!=$two; not a>1", "");
	test_points("a={1,?2..9}", " a=1");
	test_points("a=x b=?2..9; b=1", " b=1");
	/* Mistakes. */
	test_points("a", "cases(): a text cannot be read at: ");
	test_points("a={1,2", "cases(): a text cannot be read at: ");
	test_points("a=$none", "cases(): a text cannot be read at: ");
	test_points("a=1..8/0", "cases(): a text cannot be read at: ");
	test_points("a=0..8*2", "cases(): a text cannot be read at: ");
	test_points("a=1; b=2; is ops=b if b", " a=1 b=2");
	test_points("a=1; nor a=1", "cases(): a text cannot be read at: a=1");
	test_points("a=1; is fast", "cases(): a text cannot be read at: ");
	test_points("a=1; needs luck=1",
		    "cases(): a text cannot be read at: =1");
	test_points("a=1; is ops=b", "cases(): a text cannot be read at: ");
	test_points("a=1 a=2; a=1 a=2", "cases(): twice the same case a=1,a=2");
}

struct own {
	char filled;
};

static bool fill(struct bench *b, void *state, struct bench_case *c)
{
	struct own *own = c->data;

	own->filled++;
	return !case_is(c, "a", "2");
}

/* Each case has a zeroed cache line of its own. */
TEST(test_state)
{
	const struct bench_desc desc = { .case_state_size = sizeof(struct own),
					 .point = fill };
	struct bench b = { .desc = &desc };
	bool apart = true;

	bench_points(&b, "a=1..3");
	for (size_t i = 0; i < b.n_runs; i++) {
		const struct own *own = b.runs[i]->c.data;

		apart &= (uintptr_t)own % 64 == 0 && own->filled == 1;
	}
	OK(apart && b.n_runs == 2, "states are apart, and point() may refuse");
	cases_free(&b);
}

TEST(test_rules)
{
	struct bench b;
	const struct bench_case *c;

	open_bench(&b);
	bench_need(&b, "luck", "no luck");
	bench_need(&b, "time", NULL);
	bench_points(&b, "a={4K,64} stat={one,two};"
			 "is log ops=2*a+(8-2)/3 unit=pages if a=4K;"
			 "is derived of=[stat=one] higher if stat=two;"
			 "needs $luck $time if a=64 stat=one;"
			 "needs faults if a=4K; needs resident");
	c = &b.runs[0]->c;
	OK(c->ops == 8194 && c->histogram == BENCH_HIST_LOG &&
		   !strcmp(c->unit, "pages") && !c->derived,
	   "is");
	OK_STR(b.runs[0]->verdict.why, "no faults", "a need of the kernel");
	OK(b.runs[1]->c.derived && b.runs[1]->c.of == c &&
		   b.runs[1]->c.better == BENCH_HIGHER,
	   "of another case");
	OK(b.runs[2]->verdict.state == CASE_SKIPPED && b.runs[2]->c.ops == 1 &&
		   !strcmp(b.runs[2]->verdict.why, "no luck"),
	   "a need that is not met, and rules of others");
	OK(b.runs[3]->verdict.state == CASE_ASKED, "none that it has");
	OK(case_int(c, "a") == 4096 && !strcmp(case_str(c, "stat"), "one") &&
		   !case_str(c, "b") && case_has(c, "a") && !case_has(c, "b"),
	   "values by name");
	OK(case_is(c, "a", "4K") && case_is(c, "a", "4096") &&
		   !case_is(c, "a", "4") && !case_is(c, "b", "4"),
	   "whether it has a value");
	OK(bench_next(&b, NULL, "stat=two") == &b.runs[1]->c &&
		   bench_next(&b, &b.runs[1]->c, "stat=two") == &b.runs[3]->c &&
		   !bench_next(&b, &b.runs[3]->c, "stat=two"),
	   "the cases of a condition, in turn");
	OK(bench_next(&b, NULL, "a=64 !b") == &b.runs[2]->c &&
		   bench_next(&b, NULL, "stat !a") == NULL &&
		   bench_next(&b, NULL, "a !stat=one") == &b.runs[1]->c &&
		   !b.verdict.why[0],
	   "an axis that they have, and one that they have not");
	OK(bench_beside(&b, c, "a=64 stat=two") == &b.runs[3]->c &&
		   !bench_beside(&b, c, "a=65"),
	   "the case beside it");
	OK(!bench_beside(&b, c, "b=1"), "which must have no more axes");
	bench_points(&b, "b=1 stat=one");
	OK(bench_beside(&b, c, "b=1 !a") == &b.runs[4]->c,
	   "unless they are left out");
	OK(bench_next(&b, NULL, "stat !a") == &b.runs[4]->c &&
		   bench_next(&b, NULL, "stat!=two !b") == &b.runs[0]->c,
	   "a term without a value, and one that must not be there");
	cases_free(&b);
}

/* The text that was asked for, @said, and the points that come of it. */
static void test_asked(const char *said, const char *glob, size_t points,
		       size_t asked)
{
	const struct bench_desc desc = {
		.points = "op={a,b} size={1K,4K,12,?512..8K/256} n={0,1};"
			  "other=x m={3,?0..9}; not m=3"
	};
	struct bench b = { .desc = &desc,
			   .plan.globs = { { glob, "size=4K" }, 2 } };
	size_t flagged = 0, named = 0;
	bool whole;

	bench_points(&b, desc.points);
	for (size_t i = 0; i < b.n_runs; i++)
		flagged += b.runs[i]->c.asked;
	for (size_t i = 0; i < b.n_runs; i++)
		named += case_matches(&b.runs[i]->c, glob, &whole) && whole;
	/* And the points of size=4K, which the table has. */
	OK(!b.verdict.why[0] && b.n_runs == points && flagged == asked + 4,
	   said);
	OK(named == (asked || !strcmp(glob, "op=a,size=4096,n=0")),
	   "what was asked for is the name of a case");
	cases_free(&b);
}

TEST(test_matches)
{
	struct bench b;
	const struct bench_case *c;
	bool whole;

	open_bench(&b);
	bench_points(&b, "a=x size={4K,1024} n=1024");
	c = &b.runs[0]->c;
	OK(case_matches(c, "size=4096", &whole) && !whole, "by its number");
	OK(case_matches(c, "n=1024,size=4k,a=x", &whole) && whole,
	   "as a whole");
	OK(case_matches(c, "a=?,size=4K,n=*", &whole) && !whole, "wildcards");
	OK(case_matches(c, "a=x*1024", &whole), "across terms");
	OK(!case_matches(c, "a=x,size=1024", &whole) &&
		   !case_matches(c, "sizes=4096", &whole) &&
		   !case_matches(c, "x", &whole) &&
		   !case_matches(c, "", &whole),
	   "another case");
	cases_free(&b);
}

TEST(test_open)
{
	static const char text[] =
		"size={8,?512..8K/256};x=1 ^n=?0..9; size=?512..8K/256";
	char list[300];

	points_open(text, list, sizeof(list));
	OK_STR(list, "; size from 512 to 8K in steps of 256; n from 0 to 9",
	       "the open axes with their ranges, each once");
	points_open("a=?1..2 b=?1..2 c=?1..2 d=?1..2 e=?1..2 f=?1..2 g=?1..2;"
		    "ha=?1..2 i=?1..2; a=?1..3",
		    list, sizeof(list));
	OK_STR(list,
	       "; a from 1 to 2; b from 1 to 2; c from 1 to 2; d from 1 to 2"
	       "; e from 1 to 2; f from 1 to 2; g from 1 to 2; ha from 1 to 2"
	       "; i from 1 to 2",
	       "however many there are");
	points_open("a=1", list, sizeof(list));
	OK_STR(list, "", "or none");
	points_open(NULL, list, sizeof(list));
	OK_STR(list, "", "in no text either");
	test_asked("one size more", "op=a,size=2048,n=0", 16, 4);
	test_asked("with a suffix", "op=b,size=2k,n=1", 16, 4);
	test_asked("one of the table", "op=a,size=4096,n=0", 12, 0);
	test_asked("a wildcard asks for nothing", "op=*,size=2048", 12, 0);
	test_asked("too small", "size=256", 12, 0);
	test_asked("too large", "size=16K", 12, 0);
	test_asked("no multiple", "size=1000", 12, 0);
	test_asked("no number", "size=many", 12, 0);
	test_asked("nothing at all", "size=", 12, 0);
	test_asked("beyond 64 bits", "size=99999999999999999999", 12, 0);
	test_asked("a sign", "size=-2048", 12, 0);
	test_asked("another axis", "op=2048", 12, 0);
	test_asked("a suffix where none is due", "other=x,m=1k", 12, 0);
	test_asked("a group of its own", "other=x,m=5", 13, 1);
}

/* A value that was measured, and three standard errors of it. */
static void measured(struct bench *b, size_t i, double x, double error)
{
	b->runs[i]->def.derived = x;
	b->runs[i]->def.derived_resolution = error;
}

static void make(struct bench *b, const char *text)
{
	static struct bench_desc desc;

	desc.points = text;
	b->desc = &desc;
	cases_make(b);
}

/* A difference of what scatters is one if it is more than that: 60 +- 5 of
 * 100 +- 3 and 40 +- 4, but not 60 +- 65. */
TEST(test_errors)
{
	struct bench b;

	open_bench(&b);
	make(&b, "by={x,y} stat={a,b,less,rate};"
		 "less := a - b; rate := 2 * less / b");
	measured(&b, 0, 100, 3);
	measured(&b, 1, 40, 4);
	measured(&b, 4, 100, 60);
	measured(&b, 5, 40, 25);
	points_derive(&b);
	OK_NEAR(b.runs[2]->def.derived_resolution, 5, 1e-12,
		"the error of a difference");
	/* 2 * 63 / 40 and 2 * 56 / 44 are off from 3 by so much. */
	OK_NEAR(b.runs[3]->def.derived_resolution,
		hypot(0.15, 3 - 2 * 56 / 44.0), 1e-12, "and of a ratio");
	OK(bench_value(&b, &b.runs[2]->c) == 60 &&
		   isnan(bench_value(&b, &b.runs[6]->c)),
	   "what is not above it is none");
	cases_free(&b);
}

TEST(test_formula)
{
	struct bench b;
	char *facts;

	open_bench(&b);
	make(&b, "by={x,y} pages=4 stat={trip,alone,switch,sum};"
		 "switch := (whole:trip - alone) / per:trip.per_turn;"
		 "sum := [stat=switch by=x] * pages + 1 if by=y;"
		 "sum := trip - 2 * trip if by=x");
	OK(!b.verdict.why[0] && b.runs[2]->def.n_sources == 2 &&
		   b.runs[2]->def.sources[0] == b.runs[0] &&
		   b.runs[2]->c.derived,
	   "what a formula is made from");
	OK(b.runs[7]->def.n_sources == 2 &&
		   b.runs[7]->def.sources[1] == b.runs[1],
	   "and one that is made from another");
	measured(&b, 0, 100, 0);
	measured(&b, 1, 40, 0);
	bench_fact(&b, &b.runs[0]->c, "per_turn", 3);
	measured(&b, 4, 50, 0);
	points_derive(&b);
	OK_NEAR(b.runs[2]->def.derived, 20, 1e-12, "its value");
	OK_NEAR(b.runs[7]->def.derived, 81, 1e-12, "and that one's");
	OK_NEAR(b.runs[3]->def.derived, -100, 1e-12, "one below resolution");
	OK(isnan(bench_value(&b, &b.runs[3]->c)), "has none");
	facts = json_dumps(b.runs[2]->def.facts, JSON_COMPACT);
	OK_STR(facts, "{\"whole\":100.0,\"per\":3.0}",
	       "labelled terms are facts");
	free(facts);
	OK_STR(b.runs[6]->verdict.why,
	       "needs by=y,pages=4,stat=alone, which has no value",
	       "what is missing is named");
	cases_free(&b);
	open_bench(&b);
	make(&b, "stat={a,b}; b := a + c");
	OK(b.verdict.why[0], "a case that is not there is a mistake");
	cases_free(&b);
}
