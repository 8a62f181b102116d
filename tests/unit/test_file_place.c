/* SPDX-License-Identifier: MIT */
/* Descriptions of devices that were made up, and of where files lie. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../bench/file/lib/file_walk.h"
#include "box.h"
#include "file_place.h"
#include "groups.h"
#include "tests.h"

static void number(const char *numbers, const char *where)
{
	char link[64], target[64];

	box_put("dev/block/.made", "");
	snprintf(link, sizeof(link), "dev/block/%s", numbers);
	snprintf(target, sizeof(target), "../../%s", where);
	OK(!symlink(target, in_box(link)), "a device");
}

static struct file_place found(unsigned int major, unsigned int minor)
{
	struct file_place p;

	memset(&p, 0, sizeof(p));
	file_disk_find(&p, box, major, minor, true);
	return p;
}

TEST(check_disks)
{
	struct file_place p;

	box_open(false);
	box_put("devices/vda/vda1/partition", "1\n");
	number("254:1", "devices/vda/vda1");
	p = found(254, 1);
	OK_STR(p.disk, "vda", "a partition's disk");
	OK(strstr(p.stat, "254:1/stat"), "and the partition's own counters");

	box_put("devices/dm-0/size", "8\n");
	number("253:0", "devices/dm-0");
	p = found(253, 0);
	OK_STR(p.disk, "dm-0", "a logical volume by the kernel's name");
	OK(!found(1, 1).disk[0], "an unknown device changes nothing");

	number("1:0", "devices/ram0");
	box_put("devices/ram0/size", "8\n");
	OK(found(1, 0).kind == FILE_PLACE_MEMORY, "a device that is memory");
	box_put("devices/loop0/loop/backing_file", "/none\n");
	number("7:0", "devices/loop0");
	OK(found(7, 0).kind == FILE_PLACE_DISK,
	   "a file that is not seen from here");
	box_put("devices/loop1/loop/backing_file", "/dev/shm\n");
	number("7:1", "devices/loop1");
	OK(found(7, 1).kind == FILE_PLACE_MEMORY || access("/dev/shm", R_OK),
	   "a file in memory");
}

TEST(check_mounts)
{
	char text[] = "30 22 0:25 / /n rw shared:1 master:2 - nfs4 host:/x rw\n"
		      "31 22 0:26 / /broken\n"
		      "33 22 0:27 /in /a\\0402 rw - overlay overlay rw\n";
	char *rest = text;
	struct mount m;

	OK(mount_next(&rest, &m) && m.id == 30 && m.minor == 25,
	   "a mount is found");
	OK_STR(m.type, "nfs4", "its type, behind the optional fields");
	OK_STR(m.source, "host:/x", "its source");
	OK(mount_next(&rest, &m) && m.id == 33, "half a line is none");
	OK_STR(m.point, "/a 2", "a path with a space and a digit");
	OK(!mount_next(&rest, &m), "there are no more");
}

TEST(check_words)
{
	struct file_place p = { .kind = FILE_PLACE_DISK,
				.fs = "ext4",
				.disk = "sda" };

	file_place_say(&p, p.where, sizeof(p.where));
	OK_STR(p.where, "ext4 on sda", "a disk in words");
	p.kind = FILE_PLACE_MEMORY;
	file_place_say(&p, p.where, sizeof(p.where));
	OK_STR(p.where, "ext4 on sda, which is memory", "a device in memory");
}

TEST(check_here)
{
	struct file_counts before, after;
	struct file_place p;
	int fd = open(".", O_RDONLY | O_DIRECTORY);

	p = file_place_find(fd);
	OK(p.fs[0], "this directory lies somewhere");
	before = file_counts(&p);
	after = file_counts_since(&p, &before);
	OK(before.process_read < 0 || after.process_read >= 0,
	   "this process's counter is there and does not go back");
	OK(before.device_read < 0 || after.device_read >= 0,
	   "nor does the device's");
	before.process_read = before.device_read = -1;
	after = file_counts_since(&p, &before);
	OK(after.process_read == -1 && after.device_read == -1,
	   "what was unknown stays unknown");
	close(fd);
}

static void walk(uint64_t blocks, bool random)
{
	unsigned char *seen = calloc(blocks, 1);
	uint64_t once = 0, in_turn = 0, last = 0;
	struct file_walk w;

	file_walk_start(&w, blocks, random, 0x123456789abcdef);
	for (uint64_t i = 0; i < blocks; i++) {
		const uint64_t x = file_walk_next(&w);

		if (x < blocks && !seen[x]++)
			once++;
		in_turn += x == (last + 1) % blocks;
		last = x;
	}
	OK(once == blocks, "each block once");
	OK(random ? in_turn < blocks / 4 + 2 : in_turn >= blocks - 1,
	   "in the order asked for");
	free(seen);
}

TEST(check_walk)
{
	for (uint64_t blocks = 16; blocks <= 1 << 18; blocks *= 4)
		for (int random = 0; random < 2; random++)
			walk(blocks, random);
	walk(1600, false);
	walk(3, false);
}
