/* SPDX-License-Identifier: MIT */
#ifndef MOUNT_H
#define MOUNT_H

#include <stdbool.h>

/* A line of /proc/self/mountinfo; the texts lie in it. */
struct mount {
	int id;
	unsigned int major, minor;
	char *root, *point, *type, *source, *options; /* of the super block */
};

/* mount_next() - the next line of text @rest that is one; it changes the text.
 * Return: false at its end. */
bool mount_next(char **rest, struct mount *m);

/* mount_unescape() - what the kernel writes as \040 and the like.  Options are
 * left as they are: a comma may be meant so. */
void mount_unescape(char *text);

#endif
