/* SPDX-License-Identifier: MIT */
#ifndef PROCESS_PAGES_H
#define PROCESS_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/*
 * process_pages() - what process @pid (0: this one) has mapped, by
 * /proc/PID/smaps.  Pages that a fork has made two processes share are no
 * longer those of one.  Return: whether it could be read; else all is 0.
 * process_pages_at() - what this one has in mappings that hold any of the
 * @bytes from @base on.  Return: 0 or -errno.
 */
struct process_pages {
	double resident;  /* pages */
	double anonymous; /* of them: of no file, or changed since they were
			     read */
	double own;	  /* of these: no other process has them, too */
	double common; /* of files, unchanged, that other processes map, too */
	double huge;   /* of the anonymous ones: parts of huge pages */
	double pool;   /* mapped from the pool of huge pages */
	double mappings;
};
bool process_pages(pid_t pid, struct process_pages *p);
int process_pages_at(const void *base, size_t bytes, struct process_pages *p);

#endif
