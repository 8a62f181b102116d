/* SPDX-License-Identifier: MIT */
#include "file_place.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "groups.h"
#include "sysfile.h"

#define SECTOR 512 /* what the block layer's counters count in */

/*
 * The kernel's description of a block device.
 */

/* Whether the device of directory @dir keeps its blocks in memory: itself, or
 * in a file. */
static bool in_memory(const char *dir, const char *name)
{
	char path[512];
	struct statfs fs;

	if (!strncmp(name, "ram", 3) || !strncmp(name, "zram", 4))
		return true;
	sysfile_line(path, sizeof(path), "%s/loop/backing_file", dir);
	return path[0] && !statfs(path, &fs) &&
	       (fs.f_type == TMPFS_MAGIC || fs.f_type == RAMFS_MAGIC);
}

void file_disk_find(struct file_place *p, const char *sys, unsigned int major,
		    unsigned int minor, bool counters)
{
	char link[PATH_MAX], dir[PATH_MAX], path[PATH_MAX + 16];
	char *name;

	if ((size_t)snprintf(link, sizeof(link), "%s/dev/block/%u:%u", sys,
			     major, minor) >= sizeof(link) ||
	    !realpath(link, dir))
		return;
	if (counters && (size_t)snprintf(p->stat, sizeof(p->stat), "%s/stat",
					 link) >= sizeof(p->stat))
		p->stat[0] = '\0';
	snprintf(path, sizeof(path), "%s/partition", dir);
	name = strrchr(dir, '/');
	if (!access(path, F_OK)) {
		/* A partition: its disk is the directory above. */
		*name = '\0';
		name = strrchr(dir, '/');
	}
	snprintf(p->disk, sizeof(p->disk), "%.31s", name + 1);
	if (in_memory(dir, p->disk))
		p->kind = FILE_PLACE_MEMORY;
}

/*
 * Mounts.
 */

/* By what the kernel calls the file system, else by the device. */
static enum file_place_kind kind_of(const struct file_place *p)
{
	if (field_has_word("tmpfs ramfs devtmpfs hugetlbfs", p->fs))
		return FILE_PLACE_MEMORY;
	if (field_has_word(
		    "nfs nfs4 cifs smb3 smbfs 9p ceph afs coda lustre gpfs "
		    "beegfs orangefs fuse.sshfs fuse.glusterfs fuse.s3fs",
		    p->fs))
		return FILE_PLACE_NETWORK;
	if (field_has_word("overlay aufs ecryptfs virtiofs", p->fs) ||
	    !strncmp(p->fs, "fuse", 4))
		return FILE_PLACE_STACKED;
	return p->disk[0] ? p->kind : FILE_PLACE_OTHER;
}

/* The number of the mount that @fd was opened in, or -1. */
static int mount_id(int fd)
{
	return (int)sysfile_number(-1, "mnt_id", "/proc/self/fdinfo/%d", fd);
}

/* fs, source and the device's numbers of mount @id.  Return: whether it is
 * there. */
static bool find_mount(struct file_place *p, int id, unsigned int *major,
		       unsigned int *minor)
{
	char *text = sysfile_text("/proc/self/mountinfo"), *rest = text;
	bool found = false;
	struct mount at;

	while (!found && mount_next(&rest, &at))
		found = at.id == id;
	if (found) {
		snprintf(p->fs, sizeof(p->fs), "%s", at.type);
		snprintf(p->source, sizeof(p->source), "%s", at.source);
		*major = at.major;
		*minor = at.minor;
	}
	free(text);
	return found;
}

/* Some file systems have device numbers of their own; the name of the device
 * may be known all the same (btrfs). */
static void find_disk(struct file_place *p, unsigned int major,
		      unsigned int minor)
{
	struct stat st;

	if (major)
		file_disk_find(p, "/sys", major, minor, true);
	else if (!strncmp(p->source, "/dev/", 5) && !stat(p->source, &st) &&
		 S_ISBLK(st.st_mode))
		/* It may be one of several, so its counters tell nothing. */
		file_disk_find(p, "/sys", major(st.st_rdev), minor(st.st_rdev),
			       false);
}

/* No /proc, or the mount is hidden from us (a container): less is known. */
static void find_otherwise(struct file_place *p, int fd, unsigned int *major,
			   unsigned int *minor)
{
	struct statfs fs = { 0 };
	struct stat st = { 0 };

	fstatfs(fd, &fs);
	fstat(fd, &st);
	snprintf(p->fs, sizeof(p->fs), "%s",
		 fs.f_type == TMPFS_MAGIC	      ? "tmpfs"
		 : fs.f_type == RAMFS_MAGIC	      ? "ramfs"
		 : fs.f_type == OVERLAYFS_SUPER_MAGIC ? "overlay"
						      : "a file system");
	*major = major(st.st_dev);
	*minor = minor(st.st_dev);
}

/* A new file in the directory that @fd is, or lies in.  Return: its fd, or
 * -1. */
static int make_beside(int fd, char *path, size_t size)
{
	char link[64], at[PATH_MAX] = "";
	struct stat st;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	if (readlink(link, at, sizeof(at) - 1) <= 0 || fstat(fd, &st))
		return -1;
	if (!S_ISDIR(st.st_mode))
		*strrchr(at, '/') = '\0';
	snprintf(path, size, "%s/.oscost-XXXXXX", at);
	return mkostemp(path, O_CLOEXEC);
}

/* An overlay: whether a byte that is written beside @fd is counted as on its
 * way to no device. */
static bool ends_in_memory(const struct file_place *p, int fd)
{
	struct file_counts counts;
	char path[PATH_MAX + 16];
	const int made = make_beside(fd, path, sizeof(path));
	bool written;

	if (made < 0)
		return false;
	counts = file_counts(p);
	written = write(made, "", 1) == 1;
	counts = file_counts_since(p, &counts);
	unlink(path);
	close(made);
	return written && counts.process_written == 0;
}

void file_place_say(const struct file_place *p, char *text, size_t size)
{
	static const char *const tail[] = {
		[FILE_PLACE_DISK] = "",
		[FILE_PLACE_MEMORY] = ", which is memory",
		[FILE_PLACE_NETWORK] = ", over the network",
		[FILE_PLACE_STACKED] = ", device below not known",
		[FILE_PLACE_OTHER] = ", device not known",
	};
	const bool remote = p->kind == FILE_PLACE_NETWORK;
	const char *on = remote				? p->source
			 : p->kind <= FILE_PLACE_MEMORY ? p->disk
							: "";

	snprintf(text, size, "%s%s%s%s", p->fs,
		 !*on	  ? ""
		 : remote ? " from "
			  : " on ",
		 on, tail[p->kind]);
}

struct file_place file_place_find(int fd)
{
	struct file_place p = { 0 };
	unsigned int major, minor;

	if (!find_mount(&p, mount_id(fd), &major, &minor))
		find_otherwise(&p, fd, &major, &minor);
	find_disk(&p, major, minor);
	p.kind = kind_of(&p);
	if (!strcmp(p.fs, "overlay") && ends_in_memory(&p, fd))
		p.kind = FILE_PLACE_MEMORY;
	file_place_say(&p, p.where, sizeof(p.where));
	return p;
}

struct file_counts file_counts(const struct file_place *p)
{
	struct file_counts c = { -1, -1, -1, -1, -1 };
	char *io = p->io_untold ? NULL : sysfile_text("/proc/self/io");
	char text[512];
	int64_t read = -1, written = -1;

	c.process_read = field_number(field_behind(io, "read_bytes"), -1);
	c.process_written = field_number(field_behind(io, "write_bytes"), -1);
	free(io);
	if (p->stat[0]) {
		sysfile_stat(text, sizeof(text), "%s", p->stat);
		read = field_number(field_nth(text, 2), -1);
		written = field_number(field_nth(text, 6), -1);
		/* Older kernels do not count them, nor do partitions. */
		c.device_flushes = field_number(field_nth(text, 15), -1);
	}
	if (read >= 0 && written >= 0) {
		c.device_read = read * SECTOR;
		c.device_written = written * SECTOR;
	}
	return c;
}

struct file_counts file_counts_since(const struct file_place *p,
				     const struct file_counts *before)
{
	struct file_counts now = file_counts(p);
	int64_t *count = (int64_t *)&now;
	const int64_t *old = (const int64_t *)before;

	for (size_t i = 0; i < sizeof(now) / sizeof(*count); i++)
		count[i] = count[i] < 0 || old[i] < 0 ? -1 : count[i] - old[i];
	return now;
}

int64_t file_place_room(const char *dir)
{
	struct statvfs fs;

	if (statvfs(dir, &fs))
		return -errno;
	return (int64_t)(fs.f_bavail * fs.f_frsize / 2);
}

int file_place_apart(int top, char name[32], uint64_t number)
{
	int flags = 0, dir;

	if (!ioctl(top, FS_IOC_GETFLAGS, &flags)) {
		flags |= FS_TOPDIR_FL;
		(void)ioctl(top, FS_IOC_SETFLAGS, &flags);
	}
	snprintf(name, 32, "apart-%016" PRIx64, number);
	dir = mkdirat(top, name, 0700)
		      ? -1
		      : openat(top, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return dir < 0 ? -errno : dir;
}
