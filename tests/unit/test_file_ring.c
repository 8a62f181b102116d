/* SPDX-License-Identifier: MIT */
/* Reads through io_uring: what is asked for comes, also after an error. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../bench/file/lib/file_ring.h"
#include "file_data.h"
#include "tap.h"

#define BYTES ((uint64_t)1 << 20)
#define DEPTH 8
#define ASKED 32

static char dir[] = "./.test-file-ring-XXXXXX";

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

static int load(struct file_ring *ring, const struct file_data *f,
		struct file_ring_load *l)
{
	static _Alignas(FILE_DATA_ALIGN) char buffers[DEPTH * FILE_DATA_BLOCK];
	static uint64_t ticks[ASKED + 3 * DEPTH];
	struct file_walk walk;

	memset(buffers, 0, sizeof(buffers));
	file_walk_start(&walk, BYTES / FILE_DATA_BLOCK, true, 12345);
	*l = (struct file_ring_load) {
		.fd = f->fd,
		.buffers = buffers,
		.block = FILE_DATA_BLOCK,
		.depth = DEPTH,
		.method = TIMER_CLOCK,
		.walk = &walk,
		.wanted = ASKED,
		.ticks = ticks,
	};
	return file_ring_load(ring, l);
}

static void check_error(struct file_ring *ring, const struct file_data *f)
{
	const int fd = ring_fd(), other = open("/dev/null", O_RDONLY);
	char block[FILE_DATA_BLOCK];
	struct file_ring_load l;
	const char *why;

	OK(fd >= 0 && dup2(other, fd) == fd && load(ring, f, &l) < 0,
	   "what is no ring any more gives an error");
	close(other);
	file_ring_close(ring);
	ring = file_ring_open(DEPTH, &why);
	OK(ring && !load(ring, f, &l) && l.done >= ASKED && !l.wrong,
	   "after which all is asked for anew");
	OK(ring &&
		   file_ring_read(ring, f->fd, block, sizeof(block),
				  sizeof(block)) == sizeof(block) &&
		   file_data_matches(block, sizeof(block), sizeof(block)),
	   "and nothing else comes");
	file_ring_close(ring);
}

int main(void)
{
	struct file_ring *ring;
	struct file_ring_load l;
	struct file_data f;
	const char *why;

	if (!mkdtemp(dir))
		return 1;
	ring = file_ring_open(DEPTH, &why);
	if (!ring) {
		OK(why != NULL, "no io_uring here, and it says why");
	} else {
		OK(!file_data_open(NULL, &f, dir, "data", BYTES), "a file");
		OK(!load(ring, &f, &l) && l.counted >= ASKED &&
			   l.done >= ASKED && !l.wrong,
		   "many reads at a time");
		check_error(ring, &f);
		file_data_remove(&f);
	}
	OK(!rmdir(dir), "nothing is left");
	return tap_done();
}
