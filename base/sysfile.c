/* SPDX-License-Identifier: MIT */
#include "sysfile.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "err.h"
#include "io.h"

#define FIRST_ROOM 16384
#define BLANKS	   " \t"

/* Return: descriptor or -errno. */
static int __attribute__((format(printf, 2, 0)))
open_path(int flags, const char *fmt, va_list ap)
{
	char path[PATH_MAX];
	struct stat st;
	int fd;

	if ((size_t)vsnprintf(path, sizeof(path), fmt, ap) >= sizeof(path))
		return -ENAMETOOLONG;
	fd = open(path, flags | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return -errno;
	if (flags != O_RDONLY || (!fstat(fd, &st) && S_ISREG(st.st_mode)))
		return fd;
	close(fd);
	return -EINVAL;
}

static char *__attribute__((format(printf, 1, 0)))
new_text(const char *fmt, va_list ap)
{
	const int fd = open_path(O_RDONLY, fmt, ap);
	size_t room = FIRST_ROOM, have = 0;
	char *text = fd < 0 ? NULL : malloc(room);
	ssize_t n = fd < 0 ? fd : text ? 1 : -ENOMEM;

	while (n > 0) {
		n = io_read(fd, text + have, room - have - 1, -1);
		have += n > 0 ? (size_t)n : 0;
		if (have > SYSFILE_MAX) {
			n = -EFBIG;
		} else if (n > 0) {
			char *more = realloc(text, room *= 2);

			n = more ? n : -ENOMEM;
			text = more ? more : text;
		}
	}
	if (fd >= 0)
		close(fd);
	errno = n < 0 ? (int)-n : ENODATA; /* if its text is not used */
	if (!n && have) {
		text[have] = '\0';
		return text;
	}
	free(text);
	return NULL;
}

char *sysfile_text(const char *fmt, ...)
{
	char *text;

	WITH_ARGS(text = new_text(fmt, ap));
	return text;
}

/* Its first line; /proc pads some with blanks. */
static void cut_line(char *text)
{
	size_t n = strcspn(text, "\n");

	while (n && strchr(BLANKS, text[n - 1]))
		n--;
	text[n] = '\0';
}

char *sysfile_first(const char *fmt, ...)
{
	char *text;

	WITH_ARGS(text = new_text(fmt, ap));
	if (text)
		cut_line(text);
	return text;
}

/* @n bytes were read, or -errno.  Where the room is used up the last word may
 * go on. */
static long end_text(char *text, size_t size, long n)
{
	if (n == (long)size - 1)
		while (n && !isspace((unsigned char)text[n - 1]))
			n--;
	text[n > 0 ? n : 0] = '\0';
	return n;
}

static long __attribute__((format(printf, 3, 0)))
begin(char *text, size_t size, const char *fmt, va_list ap)
{
	const int fd = open_path(O_RDONLY, fmt, ap);
	const long n = end_text(text, size,
				fd < 0 ? fd : io_read(fd, text, size - 1, -1));

	if (fd >= 0)
		close(fd);
	return n;
}

void sysfile_stat(char *text, size_t size, const char *fmt, ...)
{
	WITH_ARGS(begin(text, size, fmt, ap));
}

long sysfile_line(char *text, size_t size, const char *fmt, ...)
{
	long n;

	WITH_ARGS(n = begin(text, size, fmt, ap));
	cut_line(text);
	return n < 0 ? n : (long)strlen(text);
}

char *sysfile_again(int fd, char *text, size_t size)
{
	end_text(text, size, fd < 0 ? -EBADF : pread(fd, text, size - 1, 0));
	return text;
}

int64_t sysfile_number(int64_t unknown, const char *key, const char *fmt, ...)
{
	int64_t n;
	char *text;

	WITH_ARGS(text = new_text(fmt, ap));
	n = field_number(key ? field_behind(text, key) : text, unknown);
	free(text);
	return n;
}

int sysfile_write(const char *text, const char *fmt, ...)
{
	const size_t len = strlen(text);
	int fd, err;

	WITH_ARGS(fd = open_path(O_WRONLY, fmt, ap));
	if (fd < 0)
		return fd;
	errno = EIO;
	err = write(fd, text, len) == (ssize_t)len ? 0 : -errno;
	close(fd);
	return err;
}

const char *field_behind(const char *text, const char *key)
{
	const size_t n = strlen(key);

	for (const char *at = text; at && *at; at = strchr(at, '\n')) {
		at += strspn(at, "\n" BLANKS);
		if (!strncmp(at, key, n) && strspn(at + n, BLANKS ":"))
			return at + n + strspn(at + n, BLANKS ":");
	}
	return NULL;
}

const char *field_nth(const char *line, unsigned int n)
{
	for (; line; n--) {
		line += strspn(line, BLANKS);
		if (!*line || *line == '\n')
			break;
		if (!n)
			return line;
		line += strcspn(line, BLANKS "\n");
	}
	return NULL;
}

const char *field_of_stat(const char *stat, unsigned int n)
{
	const char *name_end = stat ? strrchr(stat, ')') : NULL;

	return name_end ? field_nth(name_end + 1, n - 3) : NULL;
}

int64_t field_number(const char *at, int64_t unknown)
{
	char *end;
	long long n;

	if (!at)
		return unknown;
	at += strspn(at, BLANKS);
	if (!isdigit((unsigned char)at[*at == '-']))
		return unknown;
	n = strtoll(at, &end, 10);
	return n == LLONG_MAX || n == LLONG_MIN ||
			       isalnum((unsigned char)*end) || *end == '.'
		       ? unknown
		       : n;
}

bool field_range(const char **list, int64_t *first, int64_t *last)
{
	const char *at = *list;
	char *end;

	if (!isdigit((unsigned char)*at))
		return false;
	*first = *last = strtoll(at, &end, 10);
	if (*end == '-')
		*last = isdigit((unsigned char)end[1])
				? strtoll(end + 1, &end, 10)
				: -1;
	if (*last < *first)
		return false;
	*list = *end == ',' && isdigit((unsigned char)end[1]) ? end + 1 : end;
	return true;
}

bool field_list_has(const char *list, int cpu)
{
	int64_t first, last;

	while (field_range(&list, &first, &last))
		if (first <= cpu && cpu <= last)
			return true;
	return false;
}

bool field_has_word(const char *list, const char *word)
{
	for (size_t n; list && *list; list += n + !!list[n]) {
		n = strcspn(list, BLANKS ",\n");
		if (n == strlen(word) && !strncmp(list, word, n))
			return true;
	}
	return false;
}
