/* SPDX-License-Identifier: MIT */
#ifndef PROCESS_PAGES_H
#define PROCESS_PAGES_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * process_pages() - what process @pid (0: this one) has mapped, by
 * /proc/PID/smaps.  Pages that a fork has made two processes share are no
 * longer those of one.  Return: whether it could be read; else all is 0.
 */
struct process_pages {
	double resident;  /* pages */
	double anonymous; /* of them: of no file, or changed since they were
			     read */
	double own;	  /* of these: no other process has them, too */
	double common; /* of files, unchanged, that other processes map, too */
	double huge;   /* of the anonymous ones: parts of huge pages */
	double mappings;
};
bool process_pages(pid_t pid, struct process_pages *p);

#endif
