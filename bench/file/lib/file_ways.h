/* SPDX-License-Identifier: MIT */
#ifndef FILE_WAYS_H
#define FILE_WAYS_H

#include "file_reading.h"

/* read (after lseek() where the file is elsewhere), readv (into four parts of
 * the buffer), mmap (copied from a mapping), io_uring (one request at a time),
 * mapped (all words summed up in the mapping), open_read (from open() to
 * close(): read() to the end), open_mmap (the same, mapped, all words summed up
 * and unmapped).  The last has no name. */
extern const struct file_way file_ways[];

/* file_place_judge() - what kind of device it is as measured, from the time
 * of 4 KiB read with O_DIRECT in sequence and at random (NAN: unknown): one
 * sentence on what the figures can and cannot mean. */
void file_place_judge(const struct file_place *p, double sequential_ns,
		      double random_ns, char *text, size_t size);

#endif
