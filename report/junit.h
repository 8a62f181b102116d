/* SPDX-License-Identifier: MIT */
#ifndef JUNIT_H
#define JUNIT_H

#include <stdio.h>

#include "result.h"

/*
 * JUnit XML, as CI systems read it: one test suite, rows as its tests.
 * Source: the schema of Jenkins' xUnit plugin (junit-10.xsd).
 */

enum junit_verdict {
	JUNIT_PASSED,
	JUNIT_FAILED,
	JUNIT_SKIPPED,
};

/* junit_begin() - open the document. */
void junit_begin(FILE *f);

/* junit_suite() - open a suite; @count: its tests of each verdict. */
void junit_suite(FILE *f, const char *name, const size_t count[3]);

/* junit_case() - one row; @why: of what did not pass (or NULL), @output: one
 * line about its value (or NULL). */
void junit_case(FILE *f, const struct result *r, enum junit_verdict verdict,
		const char *why, const char *output);

void junit_suite_end(FILE *f);
void junit_end(FILE *f);

#endif
