/* SPDX-License-Identifier: MIT */
#include "file_small.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/fs.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#define SMALL "small-%016" PRIx64

void file_small_end(int dir, const char *parent, uint64_t number)
{
	char path[PATH_MAX];

	close(dir);
	snprintf(path, sizeof(path), "%s/" SMALL, parent, number);
	rmdir(path);
}

int file_small_dir(const char *parent, uint64_t number)
{
	const int top = open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	char name[32];
	int flags = 0, dir;

	if (top < 0)
		return -errno;
	snprintf(name, sizeof(name), SMALL, number);
	/* What is made in a directory with this flag is spread over the disk.
	 * Other file systems do not know it, and do not need it. */
	if (!ioctl(top, FS_IOC_GETFLAGS, &flags)) {
		flags |= FS_TOPDIR_FL;
		(void)ioctl(top, FS_IOC_SETFLAGS, &flags);
	}
	dir = mkdirat(top, name, 0700)
		      ? -1
		      : openat(top, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0)
		dir = -errno;
	close(top);
	return dir;
}

bool file_small_make(int dir, const char *name, const char *data, size_t size)
{
	const int fd = openat(dir, name, O_CREAT | O_EXCL | O_WRONLY, 0600);
	bool good = true;

	if (fd < 0)
		return false;
	if (size)
		good = write(fd, data, size) == (ssize_t)size;
	return close(fd) == 0 && good;
}

bool file_small_is(int dir, const char *name, off_t size)
{
	struct stat st;

	return !fstatat(dir, name, &st, 0) && S_ISREG(st.st_mode) &&
	       st.st_size == size;
}

bool file_small_gone(int dir, const char *name)
{
	struct stat st;

	return fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) && errno == ENOENT;
}

/* jbd2 has a directory for each file system that uses it, named after the
 * device as the kernel calls it: "dm-0" where it is mounted from
 * /dev/mapper/root. */
const char *file_small_journal(const struct file_place *p, const char *proc)
{
	const size_t n = strlen(p->device);
	const struct dirent *e;
	DIR *d;

	if (strcmp(p->fs, "ext4") != 0 || !n)
		return NULL;
	d = opendir(proc);
	if (!d)
		return NULL;
	do
		e = readdir(d);
	while (e &&
	       (strncmp(e->d_name, p->device, n) != 0 || e->d_name[n] != '-'));
	closedir(d);
	return e ? "jbd2" : "none";
}
