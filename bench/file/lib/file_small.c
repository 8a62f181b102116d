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

#include "guard.h"

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

int64_t file_many_count(const char *path)
{
	const struct dirent *e;
	DIR *d = opendir(path);
	int64_t seen = 0;

	if (!d)
		return -errno;
	errno = 0;
	/* Not all file systems give "." and "..". */
	while ((e = readdir(d)))
		seen += e->d_name[0] != '.';
	if (errno)
		seen = -errno;
	closedir(d);
	return seen;
}

#define ENTRY "entry-%06u"

/* A second name for a file is an entry like any other to who lists them on a
 * disk, and made without looking for a free inode, which can take longer than
 * all else.  Some file systems have no second names, or not so many. */
static int fill(const char *path, unsigned int count, bool links)
{
	const int dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int err = dir < 0 ? -errno : 0;
	char first[32] = "";

	for (unsigned int i = 0; !err && i < count; i++) {
		char name[32];

		snprintf(name, sizeof(name), ENTRY, i);
		if (links && first[0] && !linkat(dir, first, dir, name, 0))
			continue;
		err = file_small_make(dir, name, NULL, 0) ? 0 : -errno;
		memcpy(first, name, sizeof(first));
	}
	if (dir >= 0)
		close(dir);
	return err;
}

int64_t file_many_links(const char *path)
{
	char first[PATH_MAX];
	struct stat st;

	if ((size_t)snprintf(first, sizeof(first), "%s/" ENTRY, path, 0u) >=
	    sizeof(first))
		return -ENAMETOOLONG;
	return stat(first, &st) ? -errno : (int64_t)st.st_nlink;
}

int file_many_get(const char *path, unsigned int count, bool links)
{
	char part[PATH_MAX];
	int err;

	if (file_many_count(path) == (int64_t)count)
		return 0;
	if ((size_t)snprintf(part, sizeof(part), "%s.part-%d", path,
			     (int)getpid()) >= sizeof(part))
		return -ENAMETOOLONG;
	err = guard_remove_tree(path);
	if (!err)
		err = guard_remove_tree(part);
	if (!err && mkdir(part, 0700))
		err = -errno;
	if (err)
		return err;
	/* What has the name is whole. */
	err = fill(part, count, links);
	if (!err && rename(part, path))
		err = -errno;
	if (err)
		guard_remove_tree(part);
	return err;
}
