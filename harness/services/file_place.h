/* SPDX-License-Identifier: MIT */
#ifndef FILE_PLACE_H
#define FILE_PLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

/*
 * Where a file lies: the file system, the block device below it, and the
 * counters that tell whether I/O reached it.
 */
enum file_place_kind {
	FILE_PLACE_DISK,    /* a block device that we know */
	FILE_PLACE_MEMORY,  /* what is written goes nowhere else */
	FILE_PLACE_NETWORK, /* nfs, smb, 9p, ceph, ... */
	FILE_PLACE_STACKED, /* overlay, fuse, and what is below is not known */
	FILE_PLACE_OTHER,   /* a file system with devices of its own (zfs) */
};

struct file_place {
	enum file_place_kind kind;
	char fs[32];	  /* "ext4", "tmpfs", "nfs4", from mountinfo */
	char source[256]; /* "/dev/vda1", "host:/export" */
	char disk[32];	  /* name in /sys/block: "vda", "md0"; "" unknown */
	char stat[128];	  /* path of the device's counters; "" unknown */
	bool io_untold;	  /* /proc/self/io does not count what is read */
	char where[384];  /* all in words: "ext4 on vda, ..." */
};

/* file_place_find() - where what is written to the open file or directory @fd
 * goes; FILE_PLACE_OTHER where nothing is known.  In an overlay a file is made
 * beside it for a moment, to see whether that is memory. */
struct file_place file_place_find(int fd);

/* file_place_apart() - make a directory in @top, named after @number, which is
 * random.  ext4 without a journal looks at each inode that was deleted in the
 * last minutes before it takes one for a new file; so this directory gets the
 * flag that makes it spread over the disk by name.  Other file systems do not
 * know it, and do not need it.  Return: its fd, or -errno. */
int file_place_apart(int top, char name[32], uint64_t number);

/* file_place_room() - bytes that test files may take now in @dir: half of what
 * is free to this user; or -errno. */
int64_t file_place_room(const char *dir);

/* Bytes since boot (device) and since the process began. */
struct file_counts {
	int64_t process_read; /* /proc/self/io read_bytes; -1 unknown */
	int64_t process_written;
	int64_t device_read; /* the device's sectors; -1 unknown */
	int64_t device_written;
	int64_t device_flushes; /* how many, not bytes */
};

/* file_counts() - now; what cannot be read is -1.  file_counts_since() - what
 * was added since @before; -1 what is unknown in one of them. */
struct file_counts file_counts(const struct file_place *p);
struct file_counts file_counts_since(const struct file_place *p,
				     const struct file_counts *before);

/* The parts of file_place_find(), for it and for tests. */

/* file_disk_find() - what @sys ("/sys") tells of the block device @major:@minor
 * to @p: disk, with @counters stat, and the kind if
 * it keeps its blocks in memory.  An unknown device changes nothing. */
void file_disk_find(struct file_place *p, const char *sys, unsigned int major,
		    unsigned int minor, bool counters);

/* file_place_say() - all in words. */
void file_place_say(const struct file_place *p, char *text, size_t size);

#endif
