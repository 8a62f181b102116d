/* SPDX-License-Identifier: MIT */
#ifndef GUARD_H
#define GUARD_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/*
 * Things that must not outlive a program, however it ends.  The measuring
 * process writes a line for each into a file, the record, that its supervisor
 * holds too; when the measuring process is gone, the supervisor removes what is
 * left.  If both are killed the next program of this user does: the record of
 * dead processes is one that nobody has locked.  scripts/lib/records.bash and
 * scripts/netlab keep records, too.  OSCOST_RECORDS in the environment is
 * another directory for them, so that tests do not meet.
 */
#define GUARD_RECORDS	 "/run/oscost"	      /* root's */
#define GUARD_RECORDS_OF "/dev/shm/oscost-%u" /* another user's */

/* guard_open() - guard_clean_up(), and a new record, inherited over exec;
 * nameless where no directory for it can be had: fd or -errno. */
int guard_open(void);

/* guard_close() - the record goes; what it names stays. */
void guard_close(int fd);

/* guard_clean_up() - remove what dead processes left; a line on stderr for
 * each of them.  Return: how many left what could not be removed. */
unsigned int guard_clean_up(void);

/* guard_add() - note a thing: kinds as of bench_guard(), and "dir" (removed
 * with all that is in it).  Return: 0 or -errno. */
int guard_add(int fd, const char *kind, const char *what);

/* guard_sweep() - remove what is still there of all that was noted; the file
 * is empty afterwards.  @stuck, of @size, gets the kind and name of the first
 * that could not be removed, else "".  Return: how many were still there. */
unsigned int guard_sweep(int fd, char *stuck, size_t size);

/* guard_remove_tree() - remove @path and all in it, not crossing into other
 * file systems.  Return: 0 or -errno (ENOENT counts as 0). */
int guard_remove_tree(const char *path);

/**
 * guard_remove_cgroup() - kill (SIGKILL) what is in control group @path, v1 or
 * v2, and remove it.  Only one whose name begins with GUARD_CGROUP.  Return:
 * 0 (also if there is none), -EBUSY if its processes do not end, or -errno.
 */
#define GUARD_CGROUP "oscost-"
int guard_remove_cgroup(const char *path);

/* guard_scratch() - make a new directory for program @name below @dir; if @dir
 * is NULL below the current directory, $TMPDIR or /tmp, the first that works.
 * Return: 0, or -errno of the first that was tried. */
int guard_scratch(const char *dir, const char *name, char *path, size_t size);

/* guard_marked() - whether @dir is ours, nobody else may write in it, and
 * @mark in it is a regular file of ours and no link. */
bool guard_marked(const char *dir, const char *mark);

/* guard_sees_processes() - whether the numbers in /proc are those of this PID
 * namespace: a new one may still have the /proc of the old. */
bool guard_sees_processes(void);

/* guard_reap() - kill (SIGKILL) and wait for every child of this process and,
 * if it is a subreaper, what they leave.  Return: how many were killed. */
unsigned int guard_reap(void);

#endif
