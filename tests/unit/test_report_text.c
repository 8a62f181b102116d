/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "leaks.h"
#include "tests.h"
#include "text.h"

typedef void writer(FILE *f, const char *s);

static void writes(writer *w, const char *in, const char *want,
		   const char *what)
{
	char *got = NULL;
	size_t len;
	FILE *f = open_memstream(&got, &len);

	w(f, in);
	fclose(f);
	OK_STR(got, want, what);
	free(got);
}

TEST(escapes)
{
	writes(text_html, "<a href=\"x\">'&",
	       "&lt;a href=&quot;x&quot;&gt;"
	       "&#39;&amp;",
	       "HTML: nothing is markup");
	writes(text_md, "a|b [x](y) `c` *d* _e_ <f> #g",
	       "a\\|b \\[x\\](y) \\`c\\` \\*d\\* \\_e\\_ &lt;f&gt; \\#g",
	       "Markdown: nothing is markup");
	writes(text_md, "a\nb\tc", "a b c", "Markdown: one line");
	writes(text_gnuplot, "it's `x` \"y\" @z \\n", "'it’s ’x’ ”y” @z /n'",
	       "gnuplot: no quote is left inside");
	writes(text_data, "a\"b", "\"a?b\"", "data: one word");
	writes(text_tex, "50% of $a_b{c}\\d & 3 µs ± 1 é",
	       "50\\% of \\$a\\_\\allowbreak{}b\\{c\\}\\textbackslash{}d "
	       "\\& 3 "
	       "\\ensuremath{\\mu}s \\ensuremath{\\pm} 1 ?",
	       "LaTeX: nothing is a command, known signs are drawn");
	writes(text_plain, "\033[31mred\302\205\177µ", "?[31mred??µ",
	       "terminal: control characters do not get through, UTF-8 does");
	writes(text_html, NULL, "", "NULL is nothing");
}

TEST(globs)
{
	OK(text_glob("args=*", "args=3,by=plt"), "a pattern matches");
	OK(text_glob("a b=?", "b=1"), "one of several");
	OK(!text_glob("a b=?", "b=12"), "none of several");
	OK(!text_glob("", "x") && !text_glob(" ", "x"), "no pattern");
	OK(text_glob("*", ""), "everything");
}

TEST(growth)
{
	int *v = NULL;
	long sum = 0;

	for (size_t i = 0; i < 1000; i++) {
		v = text_grow(v, i, sizeof(*v));
		v[i] = (int)i;
	}
	for (size_t i = 0; i < 1000; i++)
		sum += v[i];
	OK(sum == 499500, "an array grows and keeps what is in it");
}
