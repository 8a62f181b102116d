/* SPDX-License-Identifier: MIT */
#include "file_place.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "file_disk.h"

#define SECTOR	    512 /* what the block layer's counters count in */
#define TMPFS_ID    0x01021994
#define RAMFS_ID    0x858458f6
#define MOUNTS_LINE 8192

static const char *const memory_kinds[] = { "tmpfs", "ramfs", "devtmpfs",
					    "hugetlbfs", NULL };
static const char *const network_kinds[] = {
	"nfs", "nfs4", "cifs",	 "smb3", "smbfs",  "9p",       "ceph",
	"afs", "coda", "lustre", "gpfs", "beegfs", "orangefs", NULL
};
static const char *const stacked_kinds[] = { "overlay", "aufs", "ecryptfs",
					     "virtiofs", NULL };

static bool among(const char *const *names, const char *name)
{
	for (; *names; names++)
		if (!strcmp(*names, name))
			return true;
	return false;
}

static enum file_place_kind kind_of(const struct file_place *p)
{
	if (among(memory_kinds, p->fs))
		return FILE_PLACE_MEMORY;
	if (among(network_kinds, p->fs) || !strcmp(p->fs, "fuse.sshfs") ||
	    !strcmp(p->fs, "fuse.glusterfs") || !strcmp(p->fs, "fuse.s3fs"))
		return FILE_PLACE_NETWORK;
	if (among(stacked_kinds, p->fs) || !strncmp(p->fs, "fuse", 4))
		return FILE_PLACE_STACKED;
	return p->disk[0] ? FILE_PLACE_DISK : FILE_PLACE_OTHER;
}

/* The number of the mount that @fd was opened in, or -1. */
static int mount_id(int fd)
{
	char path[64], line[128];
	int id = -1;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	f = fopen(path, "re");
	if (!f)
		return -1;
	while (id < 0 && fgets(line, sizeof(line), f))
		if (!strncmp(line, "mnt_id:", 7))
			id = (int)strtol(line + 7, NULL, 10);
	fclose(f);
	return id;
}

int file_place_mount(struct file_place *p, FILE *mountinfo, int id,
		     unsigned int *major, unsigned int *minor)
{
	char *line = malloc(MOUNTS_LINE);
	int err = line ? -ENOENT : -ENOMEM;

	while (err == -ENOENT && fgets(line, MOUNTS_LINE, mountinfo)) {
		/* Optional fields end with a dash that stands alone. */
		const char *rest = strstr(line, " - ");
		int number;

		if (!rest ||
		    sscanf(line, "%d %*d %u:%u", &number, major, minor) != 3 ||
		    number != id)
			continue;
		if (sscanf(rest, " - %31s %255s", p->fs, p->source) == 2)
			err = 0;
	}
	free(line);
	return err;
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

int file_place_find(struct file_place *p, int fd)
{
	unsigned int major = 0, minor = 0;
	FILE *f = fopen("/proc/self/mountinfo", "re");
	struct stat st;
	int err;

	memset(p, 0, sizeof(*p));
	p->rotational = -1;
	p->read_ahead = -1;
	err = f ? file_place_mount(p, f, mount_id(fd), &major, &minor) : -errno;
	if (f)
		fclose(f);
	if (err) {
		/* No /proc, or the mount is hidden from us (a container). */
		snprintf(p->fs, sizeof(p->fs), "a file system");
		if (fstat(fd, &st))
			return -errno;
		major = major(st.st_dev);
		minor = minor(st.st_dev);
	}
	find_disk(p, major, minor);
	p->kind = kind_of(p);
	return 0;
}

static int64_t io_field(const char *text, const char *name)
{
	const char *at = strstr(text, name);
	int64_t n;

	return at && sscanf(at + strlen(name), " %" SCNd64, &n) == 1 ? n : -1;
}

static bool slurp(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, size - 1);

	if (fd >= 0)
		close(fd);
	text[n > 0 ? n : 0] = '\0';
	return n > 0;
}

void file_counts_read(const struct file_place *p, struct file_counts *c)
{
	char text[512];
	int64_t read, written, flushes;
	int n = 0;

	*c = (struct file_counts) { -1, -1, -1, -1, -1 };
	if (slurp("/proc/self/io", text, sizeof(text))) {
		c->process_read = io_field(text, "\nread_bytes:");
		c->process_written = io_field(text, "\nwrite_bytes:");
	}
	if (p->stat[0] && slurp(p->stat, text, sizeof(text)))
		n = sscanf(text,
			   "%*d %*d %" SCNd64 " %*d %*d %*d %" SCNd64
			   " %*d %*d %*d %*d %*d %*d %*d %*d %" SCNd64,
			   &read, &written, &flushes);
	if (n >= 2) {
		c->device_read = read * SECTOR;
		c->device_written = written * SECTOR;
	}
	/* Older kernels do not count them, nor do partitions. */
	if (n == 3)
		c->device_flushes = flushes;
}

static int64_t since(int64_t now, int64_t before)
{
	return now < 0 || before < 0 ? -1 : now - before;
}

void file_counts_since(struct file_counts *c, const struct file_counts *before)
{
	c->process_read = since(c->process_read, before->process_read);
	c->process_written = since(c->process_written, before->process_written);
	c->device_read = since(c->device_read, before->device_read);
	c->device_written = since(c->device_written, before->device_written);
	c->device_flushes = since(c->device_flushes, before->device_flushes);
}

int file_direct_open(const char *path, int flags, const char **why)
{
	int fd = open(path, flags | O_DIRECT | O_CLOEXEC, 0600);
	struct statfs fs;
	int err;

	*why = NULL;
	if (fd < 0) {
		err = -errno;
		if (err == -EINVAL)
			*why = "the file system refuses O_DIRECT";
		return err;
	}
	if (!fstatfs(fd, &fs) &&
	    (fs.f_type == TMPFS_ID || fs.f_type == RAMFS_ID)) {
		*why = "the file lies in memory (tmpfs or ramfs), where "
		       "O_DIRECT reads the cache";
		close(fd);
		return -EINVAL;
	}
	return fd;
}
