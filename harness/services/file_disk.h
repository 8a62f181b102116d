/* SPDX-License-Identifier: MIT */
#ifndef FILE_DISK_H
#define FILE_DISK_H

#include <stdbool.h>
#include <stdio.h>

#include "file_place.h"

/* The parts of file_place_find(), for it and for tests. */

/* file_disk_find() - what @sys ("/sys") tells of the block device @major:@minor
 * to @p: device, disk, about, rotational, with @counters stat, and the kind if
 * it keeps its blocks in memory.  An unknown device changes nothing. */
void file_disk_find(struct file_place *p, const char *sys, unsigned int major,
		    unsigned int minor, bool counters);

/* A line of mountinfo. */
struct file_mount {
	unsigned int major, minor;
	size_t point_length; /* of the path where it is mounted; / has 0 */
	char *upper; /* overlay: the directory below that; NULL; free() it */
};

/* file_place_mount() - fs and source of mount @id, and the rest to @m, from
 * @mountinfo, text of /proc/self/mountinfo, which it changes.  Return: 0 or
 * -ENOENT. */
int file_place_mount(struct file_place *p, char *mountinfo, int id,
		     struct file_mount *m);

/* file_place_look() - file_place_find() through @levels of overlays upon each
 * other; 0: nothing is made. */
int file_place_look(struct file_place *p, int fd, int levels);

/* file_place_say() - all in words. */
void file_place_say(const struct file_place *p, char *text, size_t size);

#endif
