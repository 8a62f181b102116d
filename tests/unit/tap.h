/* SPDX-License-Identifier: MIT */
#ifndef TAP_H
#define TAP_H

#include <math.h>
#include <stdio.h>
#include <string.h>

/*
 * TAP in a few lines instead of a dependency.  A test program is a list of
 * OK*() lines that ends with `return tap_done()`.  The plan comes last: a
 * program that stops early has printed none, and prove says so.
 */
static int tap_run, tap_failed;

static inline int tap_ok(int ok, const char *what, const char *file, int line)
{
	printf("%sok %d - %s\n", ok ? "" : "not ", ++tap_run, what);
	if (!ok) {
		tap_failed++;
		printf("# at %s:%d\n", file, line);
	}
	fflush(stdout);
	return ok;
}

static inline void tap_near(double got, double want, double tol,
			    const char *what, const char *file, int line)
{
	if (!tap_ok(fabs(got - want) <= tol, what, file, line))
		printf("# got %.17g, want %.17g\n", got, want);
}

static inline void tap_str(const char *got, const char *want, const char *what,
			   const char *file, int line)
{
	int same = got && want ? !strcmp(got, want) : got == want;

	if (!tap_ok(same, what, file, line))
		printf("# got '%s', want '%s'\n", got ? got : "NULL",
		       want ? want : "NULL");
}

static inline int tap_done(void)
{
	printf("1..%d\n", tap_run);
	return tap_failed || !tap_run;
}

#define OK(cond, what) tap_ok(!!(cond), what, __FILE__, __LINE__)
#define OK_NEAR(got, want, tol, what) \
	tap_near(got, want, tol, what, __FILE__, __LINE__)
#define OK_STR(got, want, what) tap_str(got, want, what, __FILE__, __LINE__)

#endif
