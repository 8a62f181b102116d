/* SPDX-License-Identifier: MIT */
/* The grade of a made-up run. */
#include <stdlib.h>

#include "leaks.h"
#include "load.h"
#include "tap.h"

#define ROWS 20

/* The grade of a run whose rows have @grades, a letter each (-: none; l: a
 * level), of which the first @core are core rows. */
static const char *graded(const char *grades, size_t core, char *letter)
{
	struct row rows[ROWS] = { 0 };
	struct run run = { .rows = rows };
	const char *text;

	for (; grades[run.nrows]; run.nrows++) {
		const char text_of[] = { grades[run.nrows], '\0' };
		struct result *r = &rows[run.nrows].all;

		result_init(r);
		r->value = 1;
		result_set(&r->tier, run.nrows < core ? "core" : "detail");
		if (*text_of == 'l')
			result_set(&r->unit, "level");
		else if (*text_of != '-')
			result_set(&r->grade, text_of);
	}
	*letter = grades_of_run(&run, &text);
	for (size_t i = 0; i < run.nrows; i++)
		result_free(&rows[i].all);
	return text;
}

static void is(const char *grades, size_t core, char letter, const char *words)
{
	char got;
	const char *text = graded(grades, core, &got);

	OK_STR(text, words, grades);
	OK(got == letter, "and its letter");
}

int main(void)
{
	is("AAAAAAAAAD", 10, 'A',
	   "grade A: 9 of 10 core rows would be within 2 % in another run like "
	   "this");
	is("AAAAABBBCD", 10, 'C',
	   "grade C: 9 of 10 core rows would be within 10 % in another run "
	   "like this");
	is("AAAAABBBDD", 10, 'D',
	   "grade D: only 8 of 10 core rows would be within 10 % in another "
	   "run "
	   "like this");
	is("ABlABDDDD", 5, 'B',
	   "grade B: 4 of 4 core rows would be within 5 % in another run like "
	   "this");
	is("AB", 0, 'B',
	   "grade B: 2 of 2 rows would be within 5 % in another run like this");
	is("AAAAAAAA--", 10, 0,
	   "no grade: 2 of 10 core rows have a value in fewer than 6 rounds");
	is("", 0, 0,
	   "no grade: 0 of 0 rows have a value in fewer than 6 rounds");
	return tap_done();
}
