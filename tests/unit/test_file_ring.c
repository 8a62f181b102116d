/* SPDX-License-Identifier: MIT */
/* Reads through io_uring: what is asked for comes, also after an error. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* NOLINTNEXTLINE(bugprone-suspicious-include) */
#include "../../bench/file/file_read.c"
#include "box.h"
#include "file_data.h"
#include "program.h"
#include "tests.h"

#define BYTES ((uint64_t)1 << 20)
#define DEPTH 8
#define ASKED 32

/* The number of the ring's own file, or -1. */
static int ring_fd(void)
{
	DIR *d = opendir("/proc/self/fd");
	struct dirent *e;
	int found = -1;

	while (d && (e = readdir(d))) {
		char target[64] = "";

		if (readlinkat(dirfd(d), e->d_name, target,
			       sizeof(target) - 1) > 0 &&
		    strstr(target, "io_uring"))
			found = (int)strtol(e->d_name, NULL, 10);
	}
	if (d)
		closedir(d);
	return found;
}

static struct bench b;
static struct file_reading s; /* of which a ring needs some */

/* Return: whether as many as were asked for came, and were right. */
static bool load(const struct file_data *f)
{
	static _Alignas(FILE_DATA_ALIGN) char buffers[DEPTH * FILE_DATA_BLOCK];
	static const struct file_point point = { .block = FILE_DATA_BLOCK,
						 .depth = DEPTH };
	uint64_t ticks[ASKED + DEPTH], all;
	int n;

	memset(buffers, 0, sizeof(buffers));
	file_walk_start(&s.walk, BYTES / FILE_DATA_BLOCK, true, 12345);
	s.fd = f->fd;
	s.buffers = buffers;
	s.point = &point;
	s.blocks = s.right = 0;
	n = ring_load(&s, TIMER_CLOCK, ASKED, ticks, &all);
	return n >= ASKED && s.right == s.blocks &&
	       s.blocks >= ASKED + 2 * DEPTH;
}

static void check_error(const struct file_data *f)
{
	const int fd = ring_fd(), other = open("/dev/null", O_RDONLY);

	OK(fd >= 0 && dup2(other, fd) == fd && !load(f),
	   "what is no ring any more gives an error");
	close(other);
	ring_close(s.ring);
	s.ring = ring_open(&b);
	OK(s.ring && load(f), "after which all is asked for anew");
	OK(s.ring && by_ring(&s, FILE_DATA_BLOCK) == FILE_DATA_BLOCK &&
		   file_data_matches(s.buffers, FILE_DATA_BLOCK,
				     FILE_DATA_BLOCK),
	   "and nothing else comes");
	ring_close(s.ring);
}

TEST(reads)
{
	struct file_data f;

	box_open(false);
	s.ring = ring_open(&b);
	if (!s.ring) {
		OK(b.verdict.why[0], "no io_uring here, and it says why");
	} else {
		OK(!file_data_open(NULL, &f, box, "data", BYTES), "a file");
		OK(load(&f), "many reads at a time");
		check_error(&f);
		file_data_remove(&f);
	}
}
