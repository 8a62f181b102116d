/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "tap.h"
#include "units.h"

/* @text in lines of @width, joined by a stroke. */
static const char *folded(const char *text, size_t width)
{
	static char all[256];
	struct wrap w = { .rest = text };
	size_t n = 0;

	all[0] = '\0';
	while (wrap_line(&w, width) && n + w.len + 2 < sizeof(all)) {
		if (n)
			all[n++] = '|';
		memcpy(all + n, w.line, w.len);
		n += w.len;
		all[n] = '\0';
	}
	return all;
}

static int folds(const char *text, size_t width, const char *want)
{
	return !strcmp(folded(text, width), want);
}

int main(void)
{
	OK(folds("", 9, "") && folds("   ", 9, ""), "no line of nothing");
	OK(folds("one two three", 13, "one two three"), "a line that is full");
	OK(folds("one two three", 12, "one two|three"), "parted at a blank");
	OK(folds("one  two ", 4, "one|two"), "the blanks fall away");
	OK(folds("a=1,b=2,c=3", 8, "a=1,b=2,|c=3"), "a long word at a comma");
	OK(folds("xx a=1,b=2", 8, "xx|a=1,b=2"), "but rather at a blank");
	OK(folds("x a=1,b=2,c=3", 8, "x a=1,|b=2,c=3"),
	   "but a word that is too long begins at once");
	OK(folds("abcdefg", 3, "abc|def|g"), "else where the line ends");
	OK(folds("µµµµ", 3, "µµµ|µ"), "never inside a character");
	return tap_done();
}
