/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "alloc.h"
#include "deadline.h"
#include "io.h"
#include "random.h"
#include "sysfile.h"
#include "tap.h"

static char root[] = "/tmp/test-sysfile-XXXXXX";

/* @text, of @n bytes, in the file. */
static void put(const char *text, size_t n)
{
	char *path = text_format("%s/file", root);
	const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	OK(fd >= 0 && !io_write(fd, text, n, -1), "a file to read");
	close(fd);
	free(path);
}

static int64_t number(const char *text, const char *key)
{
	put(text, strlen(text));
	return sysfile_number(-77, key, "%s/file", root);
}

static void numbers(void)
{
	OK(number("42\n", NULL) == 42, "a number");
	OK(number("  42", NULL) == 42, "blanks before, no end of the line");
	OK(number("-1\n", NULL) == -1, "a negative one");
	OK(number("9223372036854771712\n", NULL) == 9223372036854771712,
	   "no limit, as version 1 of control groups has it");
	OK(number("9223372036854775808", NULL) == -77, "too large by one");
	OK(number("-99999999999999999999", NULL) == -77, "too small");
	OK(number("18446744073709551615", NULL) == -77, "as -1 of 64 bits");
	OK(number("max\n", NULL) == -77, "a word");
	OK(number("4K", NULL) == -77 && number("0.5", NULL) == -77 &&
		   number("0x1f", NULL) == -77 && number("+4", NULL) == -77 &&
		   number("--4", NULL) == -77 && number("-", NULL) == -77,
	   "what only begins like one");
	OK(number("", NULL) == -77 && number("\n", NULL) == -77 &&
		   number("\n42\n", NULL) == -77,
	   "an empty file or line");
	OK(sysfile_number(-77, NULL, "%s/none", root) == -77 && errno == ENOENT,
	   "no file");
	OK(sysfile_number(-77, NULL, "%s", root) == -77 && errno == EINVAL,
	   "a directory");
}

static void keys(void)
{
	static const char text[] = "MemTotal:       16 kB\nMem: 5\n"
				   "nr_throttled 7\n CAL:  8 9\nlast\t-3";

	OK(number(text, "MemTotal") == 16 && number(text, "Mem") == 5,
	   "keys that begin alike");
	OK(number(text, "nr_throttled") == 7 && number(text, "CAL") == 8 &&
		   number(text, "last") == -3,
	   "behind a blank, a tab, and blanks before");
	OK(number(text, "Total") == -77 && number(text, "kB") == -77 &&
		   number(text, "MemFree") == -77 && number(text, "") == -77,
	   "no key");
	OK(number("Threads:\n5\n", "Threads") == -77, "the next line's");
	OK(!field_behind(NULL, "x") && field_number(NULL, 3) == 3 &&
		   !field_nth(NULL, 0) && !field_of_stat(NULL, 3),
	   "nothing of nothing");
}

static void fields(void)
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
	sysfile_stat(text, sizeof(text), "%s/file", root);
	OK(field_number(field_of_stat(text, 4), -1) == 1,
	   "or lines, which are read, too");
	OK(!field_of_stat(stat, 8) && !field_of_stat("7 (sh", 3), "no such");
	OK(field_list_has("0,2-4\n", 3) && field_list_has("0,2-4", 0) &&
		   !field_list_has("0,2-4", 1) && !field_list_has("\n", 0) &&
		   !field_list_has("2-", 2) && !field_list_has("a,3", 3),
	   "lists of CPUs");
}

/* A buffer of 8 bytes: what may be cut off is not read. */
static void beginnings(void)
{
	char text[8];

	put("1234 567890", 11);
	OK(sysfile_line(text, sizeof(text), "%s/file", root) == 4, "cut");
	OK_STR(text, "1234", "no half number");
	put("123456789\n", 10);
	OK(!sysfile_line(text, sizeof(text), "%s/file", root) && !*text,
	   "a number longer than the room is unknown");
	put("12 \nx", 5);
	OK(sysfile_line(text, sizeof(text), "%s/file", root) == 2, "a line");
	OK_STR(text, "12", "without blanks at its end");
	OK(sysfile_line(text, sizeof(text), "%s/none", root) == -ENOENT &&
		   !*text,
	   "no file");
	OK(sysfile_line(text, sizeof(text), "%s", root) == -EINVAL && !*text,
	   "a directory");
	OK(!*sysfile_again(-1, text, sizeof(text)), "none that is open");
}

static void open_files(void)
{
	char *path = text_format("%s/file", root);
	const int fd = open(path, O_RDONLY);
	char text[8];

	put("1 2", 3);
	OK_STR(sysfile_again(fd, text, sizeof(text)), "1 2", "read");
	put("3", 1);
	OK_STR(sysfile_again(fd, text, sizeof(text)), "3", "and read again");
	put("1234 567890", 11);
	OK_STR(sysfile_again(fd, text, sizeof(text)), "1234 ", "cut");
	close(fd);
	free(path);
}

/* Longer than any room that is there at first, and than what is taken. */
static void long_files(void)
{
	const size_t n = 3 << 20;
	char *all = text_alloc(SYSFILE_MAX + 1, 1), *text;

	memset(all, '7', SYSFILE_MAX + 1);
	memcpy(all + n - 6, "\nkey 5", 6);
	put(all, n);
	text = sysfile_text("%s/file", root);
	OK(text && !memcmp(text, all, n) && !text[n], "all of a long file");
	free(text);
	OK(sysfile_number(-1, "key", "%s/file", root) == 5,
	   "a key behind a line of 3 MB");
	put("x\n\n", 3);
	text = sysfile_text("%s/file", root);
	OK_STR(text, "x\n\n", "a short one after it, and no more");
	free(text);
	put(all, SYSFILE_MAX + 1);
	OK(!sysfile_text("%s/file", root) && errno == EFBIG, "too long");
	put("one  \ntwo", 9);
	text = sysfile_first("%s/file", root);
	OK_STR(text, "one", "a first line");
	free(text);
	put("", 0);
	OK(!sysfile_first("%s/file", root) && !sysfile_text("%s/file", root) &&
		   errno == ENODATA,
	   "nothing of an empty file");
	all[n] = '\0';
	OK(!sysfile_text("%s/%s", root, all), "a path that is too long");
	free(all);
}

static void writing(void)
{
	char text[8], *pipe = text_format("%s/pipe", root);

	put("...", 3);
	OK(!sysfile_write("new", "%s/file", root), "written");
	sysfile_line(text, sizeof(text), "%s/file", root);
	OK_STR(text, "new", "and there");
	OK(sysfile_write("new", "%s/none", root) == -ENOENT, "none is made");
	OK(!mkfifo(pipe, 0600) && !sysfile_text("%s", pipe),
	   "a FIFO is not waited for");
	unlink(pipe);
	free(pipe);
}

static void directories(void)
{
	static const char *const names[] = { "7", "12", "7x", "-3", "0", "x" };
	char *path;
	pid_t *pids;
	size_t n;

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		path = text_format("%s/%s", root, names[i]);
		mkdir(path, 0700);
		free(path);
	}
	pids = sysfile_pids(&n, "%s", root);
	OK(n == 2 && pids[0] + pids[1] == 19, "the entries that are numbers");
	free(pids);
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		path = text_format("%s/%s", root, names[i]);
		rmdir(path);
		free(path);
	}
	OK(!sysfile_pids(&n, "%s/none", root) && !n, "no directory");
}

static void growing(void)
{
	int *v = NULL;

	for (int i = 0; i < 100; i++) {
		v = text_grow(v, (size_t)i, sizeof(*v));
		v[i] = i;
	}
	OK(v[0] == 0 && v[8] == 8 && v[99] == 99, "an array that grows");
	free(v);
}

static void drawing(void)
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

int main(void)
{
	char *path;

	if (!mkdtemp(root))
		return 1;
	path = text_format("%s/file", root);
	numbers();
	keys();
	fields();
	beginnings();
	open_files();
	long_files();
	writing();
	directories();
	growing();
	drawing();
	unlink(path);
	rmdir(root);
	free(path);
	return tap_done();
}
