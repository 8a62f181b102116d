/* SPDX-License-Identifier: MIT */
#include "file_many.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "guard.h"

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

static int make_entry(int dir, const char *name)
{
	const int fd = openat(dir, name,
			      O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);

	if (fd < 0)
		return -errno;
	close(fd);
	return 0;
}

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
		err = make_entry(dir, name);
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
