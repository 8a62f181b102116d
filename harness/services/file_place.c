/* SPDX-License-Identifier: MIT */
#include "file_place.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "file_disk.h"
#include "guard.h"

#define SECTOR 512 /* what the block layer's counters count in */
#define LEVELS 4   /* file systems upon file systems that are looked through */

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

/* By what the kernel calls the file system, else by the device. */
static enum file_place_kind kind_of(const struct file_place *p)
{
	if (among(memory_kinds, p->fs))
		return FILE_PLACE_MEMORY;
	if (among(network_kinds, p->fs) || !strcmp(p->fs, "fuse.sshfs") ||
	    !strcmp(p->fs, "fuse.glusterfs") || !strcmp(p->fs, "fuse.s3fs"))
		return FILE_PLACE_NETWORK;
	if (among(stacked_kinds, p->fs) || !strncmp(p->fs, "fuse", 4))
		return FILE_PLACE_STACKED;
	return p->disk[0] ? p->kind : FILE_PLACE_OTHER;
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

/* What the kernel writes as \040 and the like. */
static void unescape(char *text)
{
	char *to = text;
	unsigned int byte;

	for (const char *at = text; *at; at++)
		if (*at == '\\' && sscanf(at + 1, "%3o", &byte) == 1) {
			*to++ = (char)byte;
			at += strspn(at + 1, "01234567");
		} else {
			*to++ = *at;
		}
	*to = '\0';
}

/* What an overlay writes goes to another file system: the directory there for
 * the one where it is mounted. */
static void find_upper(struct file_mount *m, char *root, char *point,
		       const char *options)
{
	char *upper = strstr(options, ",upperdir=");

	if (!upper)
		return;
	upper += strlen(",upperdir=");
	upper[strcspn(upper, ",\n ")] = '\0';
	unescape(upper);
	unescape(root);
	unescape(point);
	m->point_length = strcmp(point, "/") ? strlen(point) : 0;
	if (asprintf(&m->upper, "%s%s", upper, strcmp(root, "/") ? root : "") <
	    0)
		m->upper = NULL;
}

int file_place_mount(struct file_place *p, FILE *mountinfo, int id,
		     struct file_mount *m)
{
	char *line = NULL, *root = NULL, *point = NULL;
	size_t room = 0;
	int err = -ENOENT;

	*m = (struct file_mount) { 0 };
	/* Of a hundred layers it is longer than any constant. */
	while (err && getline(&line, &room, mountinfo) > 0) {
		/* Optional fields end with a dash that stands alone. */
		char *rest = strstr(line, " - ");
		int number;

		if (!rest || sscanf(line, "%d", &number) != 1 || number != id ||
		    sscanf(line, "%*d %*d %u:%u %ms %ms", &m->major, &m->minor,
			   &root, &point) != 4)
			continue;
		if (sscanf(rest, " - %31s %255s", p->fs, p->source) == 2)
			err = 0;
		if (!strcmp(p->fs, "overlay"))
			find_upper(m, root, point, rest);
	}
	free(root);
	free(point);
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

/* No /proc, or the mount is hidden from us (a container): less is known. */
static int find_otherwise(struct file_place *p, int fd, struct file_mount *m)
{
	struct statfs fs;
	struct stat st;

	*m = (struct file_mount) { 0 };
	if (fstatfs(fd, &fs) || fstat(fd, &st))
		return -errno;
	snprintf(p->fs, sizeof(p->fs), "%s",
		 fs.f_type == TMPFS_MAGIC	      ? "tmpfs"
		 : fs.f_type == RAMFS_MAGIC	      ? "ramfs"
		 : fs.f_type == OVERLAYFS_SUPER_MAGIC ? "overlay"
						      : "a file system");
	m->major = major(st.st_dev);
	m->minor = minor(st.st_dev);
	return 0;
}

/* The directory that @fd is, or lies in. */
static bool directory_of(int fd, char *path, size_t size)
{
	char link[64];
	struct stat st;
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, path, size - 1);
	if (n <= 0 || fstat(fd, &st))
		return false;
	path[n] = '\0';
	if (!S_ISDIR(st.st_mode))
		*strrchr(path, '/') = '\0';
	return true;
}

/* Whether @other is @made, seen in another mount. */
static bool is_same(int made, int other)
{
	struct stat a, b;

	return other >= 0 && mount_id(made) != mount_id(other) &&
	       !fstat(made, &a) && !fstat(other, &b) &&
	       a.st_size == b.st_size && a.st_ctim.tv_sec == b.st_ctim.tv_sec &&
	       a.st_ctim.tv_nsec == b.st_ctim.tv_nsec;
}

/*
 * An overlay: make a file, and look where it is.  The path of its upper layer
 * may lead to nothing or to something else here (a container's leads through
 * the mounts of its host); then all that is known is whether the kernel counts
 * what is written as on its way to a device.
 */
static void look_below(struct file_place *p, int fd, const struct file_mount *m,
		       int levels)
{
	struct file_counts before, written;
	char path[PATH_MAX], *upper = NULL;
	struct file_place below;
	int made, other = -1;
	bool same;

	made = directory_of(fd, path, sizeof(path))
		       ? guard_try_file(path, sizeof(path))
		       : -ENOENT;
	if (made < 0)
		return;
	file_counts_read(p, &before);
	if (write(made, "", 1) != 1)
		before.process_written = -1;
	file_counts_read(p, &written);
	file_counts_since(&written, &before);
	if (m->upper && strlen(path) > m->point_length &&
	    asprintf(&upper, "%s%s", m->upper, path + m->point_length) > 0)
		other = open(upper, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	same = is_same(made, other);
	guard_end_file(made, path);
	if (same && !file_place_look(&below, other, levels - 1)) {
		snprintf(path, sizeof(path), "%s on %s", p->fs, below.above);
		*p = below;
		snprintf(p->above, sizeof(p->above), "%.63s", path);
	} else if (written.process_written == 0) {
		p->kind = FILE_PLACE_MEMORY;
		snprintf(p->about, sizeof(p->about),
			 " as far as the kernel counts");
	}
	if (other >= 0)
		close(other);
	free(upper);
}

int file_place_look(struct file_place *p, int fd, int levels)
{
	FILE *f = fopen("/proc/self/mountinfo", "re");
	struct file_mount m = { 0 };
	int err;

	memset(p, 0, sizeof(*p));
	p->rotational = -1;
	p->read_ahead = -1;
	err = f ? file_place_mount(p, f, mount_id(fd), &m) : -errno;
	if (f)
		fclose(f);
	if (err)
		err = find_otherwise(p, fd, &m);
	if (!err) {
		find_disk(p, m.major, m.minor);
		p->kind = kind_of(p);
		if (levels > 0 && !strcmp(p->fs, "overlay"))
			look_below(p, fd, &m, levels);
		file_place_say(p, p->where, sizeof(p->where));
	}
	free(m.upper);
	return err;
}

int file_place_find(struct file_place *p, int fd)
{
	return file_place_look(p, fd, LEVELS);
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
	struct file_place place;
	int err;

	*why = NULL;
	if (fd < 0) {
		err = -errno;
		if (err == -EINVAL)
			*why = "the file system refuses O_DIRECT";
		return err;
	}
	if (!file_place_find(&place, fd) && place.kind == FILE_PLACE_MEMORY) {
		*why = "the file lies in memory, where O_DIRECT reaches no "
		       "device";
		close(fd);
		return -EINVAL;
	}
	return fd;
}
