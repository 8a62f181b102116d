/* SPDX-License-Identifier: MIT */
#include "junit.h"

#include <math.h>
#include <string.h>

#include "text.h"

/* XML has no U+FFFE and no U+FFFF. */
static void put_text(FILE *f, const char *s)
{
	char *text = text_copy(s);

	for (char *c = text; c && *c; c++)
		if (!strncmp(c, "\xef\xbf\xbe", 3) ||
		    !strncmp(c, "\xef\xbf\xbf", 3))
			memset(c, '?', 3);
	text_html(f, text);
}

static void put_attribute(FILE *f, const char *name, const char *value)
{
	fprintf(f, " %s=\"", name);
	put_text(f, value);
	fputc('"', f);
}

void junit_begin(FILE *f)
{
	fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n", f);
}

void junit_suite(FILE *f, const char *name, const size_t count[3])
{
	fputs("<testsuite", f);
	put_attribute(f, "name", name);
	fprintf(f,
		" tests=\"%zu\" failures=\"%zu\" skipped=\"%zu\" "
		"errors=\"0\">\n",
		count[JUNIT_PASSED] + count[JUNIT_FAILED] +
			count[JUNIT_SKIPPED],
		count[JUNIT_FAILED], count[JUNIT_SKIPPED]);
}

void junit_case(FILE *f, const struct result *r, enum junit_verdict verdict,
		const char *why, const char *output)
{
	fputs("<testcase", f);
	put_attribute(f, "classname", r->benchmark);
	put_attribute(f, "name", *r->name ? r->name : r->benchmark);
	if (isfinite(r->duration_s) && r->duration_s >= 0)
		fprintf(f, " time=\"%.6f\"", r->duration_s);
	fputc('>', f);
	if (verdict != JUNIT_PASSED) {
		fputs(verdict == JUNIT_FAILED ? "<failure" : "<skipped", f);
		put_attribute(f, "message", why ? why : "no reason was given");
		fputs("/>", f);
	}
	if (output) {
		fputs("<system-out>", f);
		put_text(f, output);
		fputs("</system-out>", f);
	}
	fputs("</testcase>\n", f);
}

void junit_suite_end(FILE *f)
{
	fputs("</testsuite>\n", f);
}

void junit_end(FILE *f)
{
	fputs("</testsuites>\n", f);
}
