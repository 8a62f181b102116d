/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "alloc.h"
#include "box.h"
#include "deadline.h"
#include "io.h"
#include "random.h"
#include "sysfile.h"
#include "tests.h"

static void put(const char *text, size_t n)
{
	box_bytes("file", text, n);
}

static int64_t number(const char *text, const char *key)
{
	box_put("file", text);
	return sysfile_number(-77, key, "%s/file", box);
}

TEST(numbers)
{
	static const struct {
		const char *text;
		int64_t want;
	} t[] = {
		{ "42\n", 42 },
		{ "  42", 42 },
		{ "-1\n", -1 },
		/* No limit, as version 1 of control groups has it. */
		{ "9223372036854771712\n", 9223372036854771712 },
		{ "9223372036854775808", -77 },
		{ "-99999999999999999999", -77 },
		{ "18446744073709551615", -77 },
		{ "max\n", -77 },
		{ "4K", -77 },
		{ "0.5", -77 },
		{ "0x1f", -77 },
		{ "+4", -77 },
		{ "--4", -77 },
		{ "-", -77 },
		{ "", -77 },
		{ "\n", -77 },
		{ "\n42\n", -77 },
	};

	box_open(true);
	for (size_t i = 0; i < sizeof(t) / sizeof(*t); i++)
		OK(number(t[i].text, NULL) == t[i].want, t[i].text);
	OK(sysfile_number(-77, NULL, "%s/none", box) == -77 && errno == ENOENT,
	   "no file");
	OK(sysfile_number(-77, NULL, "%s", box) == -77 && errno == EINVAL,
	   "a directory");
}

TEST(keys)
{
	static const char text[] = "MemTotal:       16 kB\nMem: 5\n"
				   "nr_throttled 7\n CAL:  8 9\nlast\t-3";
	static const struct {
		const char *key;
		int64_t want;
	} t[] = { { "MemTotal", 16 }, { "Mem", 5 },	  { "nr_throttled", 7 },
		  { "CAL", 8 },	      { "last", -3 },	  { "Total", -77 },
		  { "kB", -77 },      { "MemFree", -77 }, { "", -77 } };

	for (size_t i = 0; i < sizeof(t) / sizeof(*t); i++)
		OK(number(text, t[i].key) == t[i].want, t[i].key);
	OK(number("Threads:\n5\n", "Threads") == -77, "the next line's");
	OK(!field_behind(NULL, "x") && field_number(NULL, 3) == 3 &&
		   !field_nth(NULL, 0) && !field_of_stat(NULL, 3),
	   "nothing of nothing");
}

TEST(words)
{
	OK(field_has_word("rw,cpuacct,cpu", "cpu") &&
		   field_has_word("fpu vme\n", "vme") &&
		   !field_has_word("cpuset xcpu", "cpu") &&
		   !field_has_word("rw", "") && !field_has_word(NULL, "x"),
	   "a word of a list, and no part of one");
}

TEST(fields)
{
	static const char stat[] = "7 (a) b) 9\n(c) S 1 22 -3 4";
	char text[64];

	OK(field_number(field_nth(" 1  2\t3\n4", 2), -1) == 3, "the third");
	OK(!field_nth("1 2 3\n4", 3) && !field_nth("", 0),
	   "not that of the next line");
	OK(*field_of_stat(stat, 3) == 'S' &&
		   field_number(field_of_stat(stat, 4), -1) == 1 &&
		   field_number(field_of_stat(stat, 6), -1) == -3,
	   "behind a name that has parentheses");
	put(stat, strlen(stat));
	sysfile_stat(text, sizeof(text), "%s/file", box);
	OK(field_number(field_of_stat(text, 4), -1) == 1,
	   "or lines, which are read, too");
	OK(!field_of_stat(stat, 8) && !field_of_stat("7 (sh", 3), "no such");
	OK(field_list_has("0,2-4\n", 3) && field_list_has("0,2-4", 0) &&
		   !field_list_has("0,2-4", 1) && !field_list_has("\n", 0) &&
		   !field_list_has("2-", 2) && !field_list_has("a,3", 3),
	   "lists of CPUs");
}

/* A buffer of 8 bytes: what may be cut off is not read. */
TEST(beginnings)
{
	static const struct {
		const char *in, *line, *again;
	} t[] = {
		{ "1234 567890", "1234", "1234 " },
		{ "123456789\n", "", "" },
		{ "12 \nx", "12", "12 \nx" },
	};
	char text[8];
	int fd;

	for (size_t i = 0; i < sizeof(t) / sizeof(*t); i++) {
		box_put("file", t[i].in);
		OK(sysfile_line(text, sizeof(text), "%s/file", box) ==
			   (int)strlen(t[i].line),
		   "a length");
		OK_STR(text, t[i].line, "the first line, no half number");
	}
	OK(sysfile_line(text, sizeof(text), "%s/none", box) == -ENOENT &&
		   !*text && !*sysfile_again(-1, text, sizeof(text)),
	   "no file");
	OK(sysfile_line(text, sizeof(text), "%s", box) == -EINVAL && !*text,
	   "a directory");
	fd = open(in_box("file"), O_RDONLY);
	for (size_t i = 0; i < sizeof(t) / sizeof(*t); i++) {
		box_put("file", t[i].in);
		OK_STR(sysfile_again(fd, text, sizeof(text)), t[i].again,
		       "an open file, read again");
	}
	close(fd);
}

/* Longer than any room that is there at first, and than what is taken. */
TEST(long_files)
{
	const size_t n = 3 << 20;
	char *all = text_alloc(SYSFILE_MAX + 1, 1), *text;

	memset(all, '7', SYSFILE_MAX + 1);
	memcpy(all + n - 6, "\nkey 5", 6);
	put(all, n);
	text = sysfile_text("%s/file", box);
	OK(text && !memcmp(text, all, n) && !text[n], "all of a long file");
	free(text);
	OK(sysfile_number(-1, "key", "%s/file", box) == 5,
	   "a key behind a line of 3 MB");
	put("x\n\n", 3);
	text = sysfile_text("%s/file", box);
	OK_STR(text, "x\n\n", "a short one after it, and no more");
	free(text);
	put(all, SYSFILE_MAX + 1);
	OK(!sysfile_text("%s/file", box) && errno == EFBIG, "too long");
	put("one  \ntwo", 9);
	text = sysfile_first("%s/file", box);
	OK_STR(text, "one", "a first line");
	free(text);
	put("", 0);
	OK(!sysfile_first("%s/file", box) && !sysfile_text("%s/file", box) &&
		   errno == ENODATA,
	   "nothing of an empty file");
	all[n] = '\0';
	OK(!sysfile_text("%s/%s", box, all), "a path that is too long");
	free(all);
}

TEST(writing)
{
	char text[8];

	box_put("file", "...");
	OK(!sysfile_write("new", "%s/file", box), "written");
	sysfile_line(text, sizeof(text), "%s/file", box);
	OK_STR(text, "new", "and there");
	OK(sysfile_write("new", "%s/none", box) == -ENOENT, "none is made");
	OK(!mkfifo(in_box("pipe"), 0600) && !sysfile_text("%s/pipe", box),
	   "a FIFO is not waited for");
}

TEST(growing)
{
	int *v = NULL;

	for (int i = 0; i < 100; i++) {
		v = text_grow(v, (size_t)i, sizeof(*v));
		v[i] = i;
	}
	OK(v[0] == 0 && v[8] == 8 && v[99] == 99, "an array that grows");
	free(v);
}

TEST(drawing)
{
	uint64_t state = 1;
	bool in = true;

	OK(random_next(&state) == 5180492295206395165u,
	   "the first of xorshift64*, as its author's");
	for (int i = 0; i < 1000; i++)
		in = in && random_below(&state, 3) < 3;
	OK(in && !random_below(&state, 1), "below");
	OK(clock_now_ns(CLOCK_MONOTONIC) > 0 &&
		   clock_now_ns((clockid_t)12345) == -1,
	   "a clock that there is none of is unknown");
}
