/* SPDX-License-Identifier: MIT */
#include "fault_file.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "file_data.h"
#include "mem_buffer.h"

void fault_file_init(struct fault_file *f)
{
	f->fd = -1;
}

int fault_file_fill(int fd, size_t bytes)
{
	static char block[65536];

	mem_fill(block, sizeof(block), bytes);
	for (size_t done = 0; done < bytes;) {
		const size_t left = bytes - done;
		const ssize_t n =
			write(fd, block,
			      left < sizeof(block) ? left : sizeof(block));

		if (n < 0)
			return -1;
		done += (size_t)n;
	}
	return 0;
}

int fault_file_open(struct fault_file *f, const char *dir, size_t bytes,
		    const char **why)
{
	char path[4096];
	struct statfs fs;

	if (statfs(dir, &fs))
		return -errno;
	if (fs.f_type == TMPFS_MAGIC || fs.f_type == RAMFS_MAGIC) {
		*why = "the scratch directory is in memory, not on a disk";
		return 0;
	}
	if (snprintf(path, sizeof(path), "%s/faults", dir) >= (int)sizeof(path))
		return -ENAMETOOLONG;
	f->fd = open(path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
	if (f->fd < 0)
		return -errno;
	unlink(path);
	if (fault_file_fill(f->fd, bytes) || fsync(f->fd))
		return -errno;
	return 0;
}

int64_t fault_file_drop(struct fault_file *f, size_t bytes)
{
	struct mem_buffer m = { .bytes = bytes };
	int64_t cached = file_cache_drop(f->fd, 0, bytes);

	/* Where files lie on other files it may be blind: look ourselves. */
	if (cached)
		return cached;
	m.base = mmap(NULL, bytes, PROT_READ, MAP_SHARED, f->fd, 0);
	if (m.base == MAP_FAILED)
		return -errno;
	cached = mem_resident(&m);
	munmap(m.base, bytes);
	return cached;
}

void fault_file_close(struct fault_file *f)
{
	if (f->fd >= 0)
		close(f->fd);
	f->fd = -1;
}
