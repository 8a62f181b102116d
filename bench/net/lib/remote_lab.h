/* SPDX-License-Identifier: MIT */
#ifndef REMOTE_LAB_H
#define REMOTE_LAB_H

#include <sys/types.h>

#include "bench.h"

/* The server that scripts/nfslab has started. */
struct remote_lab {
	pid_t pid;
	char dir[4096]; /* what it exports */
};

/* remote_lab_find() - Return: 0, or bench_skip(): there is none. */
int remote_lab_find(struct remote_lab *lab, struct bench *b);

/* remote_lab_place() - put all threads of the server on the nearest CPU that
 * does not measure, as if it were another machine.  Return: that CPU, or -1:
 * it runs where it likes. */
int remote_lab_place(const struct remote_lab *lab, const struct bench *b);

#endif
