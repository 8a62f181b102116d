/* SPDX-License-Identifier: MIT */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "err.h"
#include "machine.h"

__attribute__((format(printf, 1, 0))) static char *format(const char *fmt,
							  va_list ap)
{
	char *text;

	if (vasprintf(&text, fmt, ap) < 0)
		die(EXIT_FAIL, "no memory");
	return text;
}

char *machine_format(const char *fmt, ...)
{
	va_list ap;
	char *text;

	va_start(ap, fmt);
	text = format(fmt, ap);
	va_end(ap);
	return text;
}

void *machine_alloc(size_t count, size_t size)
{
	void *p = calloc(count, size);

	if (!p)
		die(EXIT_FAIL, "no memory");
	return p;
}

void *machine_grow(void *p, size_t n, size_t size)
{
	if (n & (n - 1) || (n && n < 8))
		return p; /* still room: sizes are 8, 16, 32 ... */
	p = reallocarray(p, n ? 2 * n : 8, size);
	if (!p)
		die(EXIT_FAIL, "no memory");
	return p;
}

/* Up to @end, which is left out; takes @path over. */
static char *read_until(char *path, int end)
{
	FILE *f = fopen(path, "re");
	char *text = NULL;
	size_t room = 0;
	ssize_t n;

	free(path);
	if (!f)
		return NULL;
	n = getdelim(&text, &room, end, f);
	fclose(f);
	if (n < 0) {
		free(text);
		return NULL;
	}
	if (text[n - 1] == end)
		text[--n] = '\0';
	/* /proc pads some lines */
	while (end == '\n' && n && text[n - 1] == ' ')
		text[--n] = '\0';
	return text;
}

char *machine_file(const char *fmt, ...)
{
	va_list ap;
	char *path;

	va_start(ap, fmt);
	path = format(fmt, ap);
	va_end(ap);
	return read_until(path, '\0');
}

char *machine_line(const char *fmt, ...)
{
	va_list ap;
	char *path;

	va_start(ap, fmt);
	path = format(fmt, ap);
	va_end(ap);
	return read_until(path, '\n');
}

json_t *machine_string(const char *text)
{
	json_t *s = text && *text ? json_string(text) : NULL;

	return s ? s : json_null();
}

json_t *machine_text(char *text)
{
	json_t *s = machine_string(text);

	free(text);
	return s;
}

char *machine_cpuinfo(const char *text, const char *key)
{
	size_t len = strlen(key);

	for (const char *line = text; line && *line && *line != '\n';) {
		const char *v = line + len;
		const char *next = strchr(line, '\n');

		if (!strncmp(line, key, len) && (*v == '\t' || *v == ':')) {
			v += strspn(v, "\t :");
			return machine_format("%.*s", (int)strcspn(v, "\n"), v);
		}
		line = next ? next + 1 : NULL;
	}
	return NULL;
}
