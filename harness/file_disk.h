/* SPDX-License-Identifier: MIT */
#ifndef FILE_DISK_H
#define FILE_DISK_H

#include <stdbool.h>
#include <stdio.h>

#include "file_place.h"

/* The parts of file_place_find(), for it and for tests. */

/* file_disk_find() - what @sys ("/sys") tells of the block device @major:@minor
 * to @p: device, disk, about, rotational, and with @counters stat.  An unknown
 * device changes nothing. */
void file_disk_find(struct file_place *p, const char *sys, unsigned int major,
		    unsigned int minor, bool counters);

/* file_place_mount() - fs and source of mount @id, from @mountinfo in the
 * format of /proc/self/mountinfo.  Return: 0 or -ENOENT. */
int file_place_mount(struct file_place *p, FILE *mountinfo, int id,
		     unsigned int *major, unsigned int *minor);

#endif
