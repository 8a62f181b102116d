/* SPDX-License-Identifier: MIT */
/* What the kernel says of a block device, and what it seems to be. */
#include "file_place.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sysfile.h"

/* Random reads of a disk that seeks take tens of times as long as sequential
 * ones; read-ahead in the device or its host makes up for factors below this
 * without any seek. */
#define SEEKS 20.0

static bool begins(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

/* Makers' names that hypervisors and clouds give to their disks. */
static bool invented(const char *vendor, const char *model)
{
	static const char *const names[] = {
		"QEMU",	  "VMware",  "Virtual",	      "VBOX",
		"Google", "Msft",    "Amazon",	      "Xen",
		"MSFT",	  "nutanix", "PersistentDisk"
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strstr(vendor, names[i]) || strstr(model, names[i]))
			return true;
	return false;
}

static void about_mapper(const char *dir, char *text, size_t size)
{
	char uuid[160];

	sysfile_line(uuid, sizeof(uuid), "%s/dm/uuid", dir);
	if (begins(uuid, "LVM-"))
		snprintf(text, size, "a logical volume (LVM)");
	else if (begins(uuid, "CRYPT-"))
		snprintf(text, size, "an encrypted device (dm-crypt)");
	else if (begins(uuid, "mpath-"))
		snprintf(text, size, "a multipath device");
	else
		snprintf(text, size, "a device-mapper device");
}

static void about_hardware(const char *dir, const char *name, char *text,
			   size_t size)
{
	char vendor[32], model[48];

	sysfile_line(vendor, sizeof(vendor), "%s/device/vendor", dir);
	sysfile_line(model, sizeof(model), "%s/device/model", dir);
	if (invented(vendor, model))
		snprintf(text, size, "a hypervisor's disk (%s)", model);
	else if (begins(name, "nvme"))
		snprintf(text, size, "an NVMe disk (%s)", model);
	else if (begins(name, "mmcblk"))
		snprintf(text, size, "a memory card");
	else
		snprintf(text, size, "a disk%s%s%s", model[0] ? " (" : "",
			 model, model[0] ? ")" : "");
}

static void about_disk(const char *dir, const char *name, char *text,
		       size_t size)
{
	char level[32];

	if (begins(name, "vd"))
		snprintf(text, size, "a hypervisor's disk (virtio)");
	else if (begins(name, "xvd"))
		snprintf(text, size, "a hypervisor's disk (Xen)");
	else if (begins(name, "loop"))
		snprintf(text, size, "a loop device, a file elsewhere");
	else if (begins(name, "ram") || begins(name, "zram"))
		snprintf(text, size, "a disk in memory");
	else if (begins(name, "nbd") || begins(name, "rbd"))
		snprintf(text, size, "a disk over the network");
	else if (begins(name, "dm-"))
		about_mapper(dir, text, size);
	else if (begins(name, "md")) {
		sysfile_line(level, sizeof(level), "%s/md/level", dir);
		snprintf(text, size, "a software RAID (%s)",
			 level[0] ? level : "level unknown");
	} else
		about_hardware(dir, name, text, size);
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

static const char *claim_of(const struct file_place *p)
{
	return p->rotational < 0 ? "the kernel does not say whether it rotates"
	       : p->rotational	 ? "the kernel says that it rotates"
				 : "the kernel says that it does not rotate";
}

void file_place_judge(const struct file_place *p, double sequential_ns,
		      double random_ns, char *text, size_t size)
{
	const double ratio = random_ns / sequential_ns;

	if (p->kind == FILE_PLACE_MEMORY)
		snprintf(text, size,
			 "%s: the figures are those of memory, not of a disk",
			 p->where);
	else if (!isfinite(ratio) || ratio <= 0)
		snprintf(text, size, "%s: whether it seeks was not measured",
			 p->where);
	else
		snprintf(text, size, "%s; %s; %s%s", p->where, claim_of(p),
			 ratio >= SEEKS
				 ? "random reads are so much slower than "
				   "sequential ones that it seems to seek"
				 : "random reads show no seeks",
			 strstr(p->about, "hypervisor")
				 ? "; its host may cache what it holds"
				 : "");
}
