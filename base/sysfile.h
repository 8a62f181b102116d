/* SPDX-License-Identifier: MIT */
#ifndef SYSFILE_H
#define SYSFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Small files that others write: those of the kernel in /proc and /sys, and
 * recordings of them.  A value that cannot be read is unknown, never a number:
 * no file, no such key, a word that is cut off, a number that goes on ("4K") or
 * is too large.  A file that is no regular file is refused (-EINVAL), so a FIFO
 * is not waited for.
 *
 * @fmt: the path, as for printf().
 */
#define SYSFILE(fmt) __attribute__((format(printf, fmt, (fmt) + 1)))

#define SYSFILE_MAX (16 << 20) /* bytes; what is longer is refused (-EFBIG) */

/* sysfile_text() - all of a file, sysfile_first() - its first line without the
 * blanks at its end: a new string, or NULL with
 * errno, also of an empty file (ENODATA). */
char *sysfile_text(const char *fmt, ...) SYSFILE(1);
char *sysfile_first(const char *fmt, ...) SYSFILE(1);

/* sysfile_line() - the first line of a file to @text, without the blanks at its
 * end: where that is too small, what fits of its whole words.  No memory is
 * allocated.  Return: bytes, or -errno; then @text is "".
 * sysfile_stat() - the same of all lines, for /proc/PID/stat: the name of a
 * process may have some. */
long sysfile_line(char *text, size_t size, const char *fmt, ...) SYSFILE(3);
void sysfile_stat(char *text, size_t size, const char *fmt, ...) SYSFILE(3);

/* sysfile_again() - what fits of the whole words of a file of the kernel's that
 * stays open and is read by one call, for what is read between samples.  @fd:
 * -1 is a file that cannot be read.  Return: @text. */
char *sysfile_again(int fd, char *text, size_t size);

/* sysfile_number() - the number that a file begins with, or that is behind
 * @key in it; @unknown, with errno, if there is none. */
int64_t sysfile_number(int64_t unknown, const char *key, const char *fmt, ...)
	SYSFILE(3);

/* sysfile_write() - @text to a file that is there, in one piece.  Return: 0 or
 * -errno. */
int sysfile_write(const char *text, const char *fmt, ...) SYSFILE(2);

/*
 * In a text or a line of it; each takes NULL and passes it on.
 * field_behind() - what follows @key and ":" or blanks at the begin of a line.
 * field_nth() - word @n of the line, 0 is the first.
 * field_of_stat() - field @n of /proc/PID/stat as proc(5) counts, 3 the state
 * or later: the name before it may hold anything.
 */
const char *field_behind(const char *text, const char *key);
const char *field_nth(const char *line, unsigned int n);
const char *field_of_stat(const char *stat, unsigned int n);

/* field_number() - the whole number that @at begins with, behind blanks;
 * @unknown if there is none. */
int64_t field_number(const char *at, int64_t unknown);

/* field_range() - the next range of a list such as "0-3,7": false at its end
 * (@list is then there) and at what is none.  field_list_has() - whether @cpu
 * is in such a list. */
bool field_range(const char **list, int64_t *first, int64_t *last);
bool field_list_has(const char *list, int cpu);

/* field_has_word() - whether a list of words, parted by blanks or commas, has
 * @word; NULL has none. */
bool field_has_word(const char *list, const char *word);

#endif
