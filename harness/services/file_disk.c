/* SPDX-License-Identifier: MIT */
/* The kernel's description of a block device. */
#include "file_place.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sysfile.h"

static bool begins(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

static bool file_in_memory(const char *path)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	const bool yes = file_place_look(fd, 0).kind == FILE_PLACE_MEMORY;

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
	if (!access(path, F_OK)) {
		/* A partition: its disk is the directory above. */
		*name = '\0';
		name = strrchr(dir, '/');
	}
	snprintf(p->disk, sizeof(p->disk), "%.31s", name + 1);
	if (in_memory(dir, p->disk))
		p->kind = FILE_PLACE_MEMORY;
	sysfile_line(p->write_cache, sizeof(p->write_cache),
		     "%s/queue/write_cache", dir);
	kib = sysfile_number(-1, NULL, "%s/queue/read_ahead_kb", dir);
	p->read_ahead = kib < 0 ? -1 : kib * 1024;
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

	snprintf(text, size, "%s%s%s%s%s", p->above, p->fs,
		 !*on	  ? ""
		 : remote ? " from "
			  : " on ",
		 on, tail[p->kind]);
}

/* Random reads of a disk that seeks take tens of times as long as sequential
 * ones; read-ahead in the device or its host makes up for factors below this
 * without any seek. */
#define SEEKS 20.0

void file_place_judge(const struct file_place *p, double ratio, char *text,
		      size_t size)
{
	snprintf(text, size, "%s%s", p->where,
		 p->kind == FILE_PLACE_MEMORY
			 ? ": the figures are those of memory, not of a disk"
		 : !isfinite(ratio) ? ": whether it seeks was not measured"
		 : ratio >= SEEKS   ? "; random reads are so much slower than "
				      "sequential ones that it seems to seek"
				    : "; random reads show no seeks; it or its "
				      "host may cache what it holds");
}
