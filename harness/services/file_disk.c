/* SPDX-License-Identifier: MIT */
/* What the kernel says of a block device, and what it seems to be. */
#include "file_place.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sysfile.h"

static bool begins(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

/* What devices are whose name begins so, or their identifier of the device
 * mapper, and which file says more.  The last of each kind is any other. */
struct about {
	const char *prefix, *text, *more;
};

static const struct about by_name[] = {
	{ "vd", "a hypervisor's disk (virtio)", NULL },
	{ "xvd", "a hypervisor's disk (Xen)", NULL },
	{ "loop", "a loop device, a file elsewhere", NULL },
	{ "ram", "a disk in memory", NULL },
	{ "zram", "a disk in memory", NULL },
	{ "nbd", "a disk over the network", NULL },
	{ "rbd", "a disk over the network", NULL },
	{ "md", "a software RAID", "md/level" },
	{ "nvme", "an NVMe disk", "device/model" },
	{ "mmcblk", "a memory card", NULL },
	{ "", "a disk", "device/model" },
}, by_mapper[] = {
	{ "LVM-", "a logical volume (LVM)", NULL },
	{ "CRYPT-", "an encrypted device (dm-crypt)", NULL },
	{ "mpath-", "a multipath device", NULL },
	{ "", "a device-mapper device", NULL },
};

static const struct about *find_about(const struct about *table,
				      const char *name)
{
	while (!begins(name, table->prefix))
		table++;
	return table;
}

/* Makers' names that hypervisors and clouds give to their disks. */
static bool invented(const char *maker)
{
	static const char *const names[] = {
		"QEMU",	  "VMware",  "Virtual",	      "VBOX",
		"Google", "Msft",    "Amazon",	      "Xen",
		"MSFT",	  "nutanix", "PersistentDisk"
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strstr(maker, names[i]))
			return true;
	return false;
}

static void about_disk(const char *dir, const char *name, char *text,
		       size_t size)
{
	char id[160], vendor[32], more[48] = "";
	const struct about *about = find_about(by_name, name);
	const char *what = about->text;

	sysfile_line(id, sizeof(id), "%s/dm/uuid", dir);
	if (begins(name, "dm-"))
		what = find_about(by_mapper, id)->text;
	else if (about->more)
		sysfile_line(more, sizeof(more), "%s/%s", dir, about->more);
	sysfile_line(vendor, sizeof(vendor), "%s/device/vendor", dir);
	if (about->more && (invented(vendor) || invented(more)))
		what = "a hypervisor's disk";
	snprintf(text, size, more[0] ? "%s (%s)" : "%s", what, more);
}

static bool file_in_memory(const char *path)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct file_place p;
	const bool yes = fd >= 0 && !file_place_look(&p, fd, 0) &&
			 p.kind == FILE_PLACE_MEMORY;

	if (fd >= 0)
		close(fd);
	return yes;
}

/* Whether the device of directory @dir keeps its blocks in memory: itself, in
 * a file, or in devices that all do. */
static bool in_memory(const char *dir, const char *name)
{
	char path[512];
	const struct dirent *e;
	bool all = false, one = true;
	DIR *slaves;

	if (begins(name, "ram") || begins(name, "zram"))
		return true;
	sysfile_line(path, sizeof(path), "%s/loop/backing_file", dir);
	if (path[0])
		return file_in_memory(path);
	snprintf(path, sizeof(path), "%s/slaves", dir);
	slaves = opendir(path);
	while (slaves && one && (e = readdir(slaves)))
		if (e->d_name[0] != '.') {
			snprintf(path, sizeof(path), "%s/slaves/%s", dir,
				 e->d_name);
			all = one = in_memory(path, e->d_name);
		}
	if (slaves)
		closedir(slaves);
	return all;
}

void file_disk_find(struct file_place *p, const char *sys, unsigned int major,
		    unsigned int minor, bool counters)
{
	char link[PATH_MAX], dir[PATH_MAX], path[PATH_MAX + 16];
	int64_t kib;
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
	snprintf(p->device, sizeof(p->device), "%.31s", name + 1);
	if (!access(path, F_OK)) {
		/* A partition: its disk is the directory above. */
		*name = '\0';
		name = strrchr(dir, '/');
	}
	snprintf(p->disk, sizeof(p->disk), "%.31s", name + 1);
	if (in_memory(dir, p->disk))
		p->kind = FILE_PLACE_MEMORY;
	about_disk(dir, p->disk, p->about, sizeof(p->about));
	sysfile_line(p->write_cache, sizeof(p->write_cache),
		     "%s/queue/write_cache", dir);
	kib = sysfile_number(-1, NULL, "%s/queue/read_ahead_kb", dir);
	p->read_ahead = kib < 0 ? -1 : kib * 1024;
	p->rotational =
		(int)sysfile_number(-1, NULL, "%s/queue/rotational", dir);
}

void file_place_say(const struct file_place *p, char *text, size_t size)
{
	const char *tail[] = {
		[FILE_PLACE_DISK] = p->about,
		[FILE_PLACE_MEMORY] = "which is memory",
		[FILE_PLACE_NETWORK] = "over the network",
		[FILE_PLACE_STACKED] = "device below not known",
		[FILE_PLACE_OTHER] = "device not known",
	};
	const char *on =
		p->kind == FILE_PLACE_NETWORK ? p->source
		: p->kind == FILE_PLACE_DISK || p->kind == FILE_PLACE_MEMORY
			? p->disk
			: "";

	snprintf(text, size, "%s%s%s%s, %s%s", p->above, p->fs,
		 p->kind == FILE_PLACE_NETWORK ? " from "
		 : *on			       ? " on "
					       : "",
		 on, tail[p->kind],
		 p->kind == FILE_PLACE_MEMORY && !*on ? p->about : "");
}
