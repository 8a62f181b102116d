/* SPDX-License-Identifier: MIT */
#ifndef BOX_H
#define BOX_H

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "guard.h"

/* A directory with made-up files, which goes when the test program ends. */
static char box[40];

static void box_leave(void)
{
	guard_remove_tree(box);
}

/* In /tmp if @tmp, which may be memory, else in the current directory. */
static inline void box_open(bool tmp)
{
	snprintf(box, sizeof(box), "%s/.oscost-test-XXXXXX",
		 tmp ? "/tmp" : ".");
	if (!mkdtemp(box))
		exit(1);
	atexit(box_leave);
}

/* The path of @name in the box, until the fourth call after this one. */
static inline const char *in_box(const char *name)
{
	static char path[4][400];
	static int turn;
	char *p = path[turn++ % 4];

	snprintf(p, sizeof(path[0]), "%s/%s", box, name);
	return p;
}

/* @n bytes of @text in the file @name; the directories above it are made. */
static inline void box_bytes(const char *name, const char *text, size_t n)
{
	char path[400];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", box, name);
	for (char *p = path + 2; (p = strchr(p, '/')); *p++ = '/') {
		*p = '\0';
		mkdir(path, 0700);
	}
	f = fopen(path, "we");
	if (!f || fwrite(text, 1, n, f) != n || fclose(f))
		exit(1);
}

static inline void box_put(const char *name, const char *text)
{
	box_bytes(name, text, strlen(text));
}

#endif
