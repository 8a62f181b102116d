/* SPDX-License-Identifier: MIT */
#ifndef CALLS_H
#define CALLS_H

#include <limits.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <time.h>

#include "bench.h"

/* The loops of the benchmark `syscall`, one for each call and way in. */

enum call {
	CALL_GETPID,
	CALL_GETPPID,
	CALL_GETCWD,
	CALL_READ,
	CALL_WRITE,
	CALL_STAT,
	CALL_FSTAT,
	CALL_OPEN_CLOSE,
	CALL_CLOCK_GETTIME,
	CALL_INVALID,
	CALLS /* how many there are */
};

/* No kernel has had a number near this one, in either table. */
#define CALLS_INVALID_NUMBER 1000000

/* struct stat64 of the 32-bit table. */
struct calls_stat64 {
	uint64_t dev;
	uint32_t pad0, low_ino, mode, nlink, uid, gid;
	uint64_t rdev;
	uint32_t pad1;
	int64_t size;
	uint32_t blksize;
	uint64_t blocks;
	uint32_t times[6];
	uint64_t ino;
} __attribute__((packed));

/* What the calls write to and read from.  It lies below 4 GiB, where 32-bit
 * pointers reach, and all ways in use the same. */
struct calls_memory {
	char name[8];	       /* of the file to stat and to open */
	char buffer[PATH_MAX]; /* byte to read or write, or the directory */
	struct stat st;
	struct calls_stat64 st64;
	struct timespec now; /* 64-bit in the 32-bit call, too */
};

typedef int calls_gettime_fn(clockid_t id, struct timespec *now);

struct calls_state {
	struct calls_memory *m;
	calls_gettime_fn *vdso_gettime;
	pid_t pid, ppid;
	int zero, null;	  /* descriptors: /dev/zero, /dev/null */
	int dir, file;	  /* a file and its directory; -1: not made */
	size_t cwd_bytes; /* with the closing 0; 0: getcwd(2) failed */
	char cwd[PATH_MAX];
	struct stat expected; /* of the file */
	uint64_t started_ns;  /* CLOCK_MONOTONIC before the batch */
	uint64_t asked, good; /* calls, since the last check */
};

/* A call and a way into the kernel. */
struct calls_entry {
	enum call call;
	const char *name, *via;
	bench_run_fn *run;
};

extern const struct calls_entry calls_table[];
extern const size_t calls_count;

#endif
