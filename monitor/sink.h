/* SPDX-License-Identifier: MIT */
#ifndef SINK_H
#define SINK_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

/*
 * Where rows go.  What belongs to one sample is written with one call, so that
 * a reader sees whole samples and a full disk leaves none that is cut short.
 */
struct sink {
	const char *name;
	int fd;
	bool regular; /* a file whose end can be cut off */
	bool failed;  /* nothing is written any more */
	FILE *stream; /* fill this, then sink_flush() */
	char *text;
	size_t size;
};

/* sink_open() - @path: NULL for standard output.  Return: 0 or -errno. */
int sink_open(struct sink *sink, const char *path);

/* sink_flush() - write what the stream holds.  Return: 0, or -errno the first
 * time that it fails; -EPIPE is a reader that has seen enough. */
int sink_flush(struct sink *sink);

/* sink_close() - Return: 0 or -errno. */
int sink_close(struct sink *sink);

#endif
