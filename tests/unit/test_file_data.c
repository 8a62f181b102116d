/* SPDX-License-Identifier: MIT */
/* Test files: short files and full disks are seen, and what is there is used
 * again. */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "box.h"
#include "file_data.h"
#include "tests.h"

#define BYTES ((uint64_t)4 << 20)
#define BLOCK FILE_DATA_BLOCK

TEST(check_words)
{
	static char buffer[16 * BLOCK];
	unsigned int ones = 0;

	file_data_fill(buffer, sizeof(buffer), (uint64_t)7 * BLOCK);
	OK(file_data_matches(buffer, sizeof(buffer), (uint64_t)7 * BLOCK) &&
		   file_data_sample(buffer, sizeof(buffer),
				    (uint64_t)7 * BLOCK),
	   "what was filled in is recognised");
	OK(!file_data_matches(buffer, sizeof(buffer), (uint64_t)8 * BLOCK) &&
		   !file_data_sample(buffer, sizeof(buffer),
				     (uint64_t)8 * BLOCK),
	   "the same of another place is not");
	OK(file_data_matches(buffer + BLOCK, BLOCK, (uint64_t)8 * BLOCK),
	   "any block can be checked by itself");
	for (size_t i = 0; i < sizeof(buffer); i++)
		ones += (unsigned int)__builtin_popcount(
			(unsigned char)buffer[i]);
	OK(ones > sizeof(buffer) * 4 * 99 / 100 &&
		   ones < sizeof(buffer) * 4 * 101 / 100,
	   "as many ones as zeros: it cannot be compressed by much");
	buffer[5 * BLOCK + 8] ^= 1;
	OK(!file_data_matches(buffer, sizeof(buffer), (uint64_t)7 * BLOCK),
	   "one wrong bit is seen");
}

TEST(check_again)
{
	struct file_data f;
	struct stat first = { 0 }, second = { 0 };
	int64_t cached;

	box_open(false);
	OK(!file_data_open(NULL, &f, box, "again", BYTES) &&
		   !fstat(f.fd, &first),
	   "a file is made");
	OK((uint64_t)first.st_size == BYTES && first.st_blocks &&
		   file_cache_fill(f.fd, 0, 0, BLOCK) == (int64_t)BYTES,
	   "it has its size and blocks");
	close(f.fd);
	OK(!file_data_open(NULL, &f, box, "again", BYTES) &&
		   !fstat(f.fd, &second) && first.st_ino == second.st_ino,
	   "and is used again");
	cached = file_cache_bytes(f.fd, 0, 0);
	OK(cached == file_cache_drop(f.fd, 0, 0),
	   "with nothing of it cached that can be dropped");
	close(f.fd);
	OK(!file_data_open(NULL, &f, box, "again", 2 * BYTES) &&
		   !fstat(f.fd, &second) &&
		   (uint64_t)second.st_size == 2 * BYTES,
	   "one of another size is made afresh");
	file_data_remove(&f);
	OK(access(f.path, F_OK), "and removed");
}

TEST(check_refused)
{
	struct file_data f;
	const int64_t room = file_place_room(box);
	struct stat st;
	char path[64];

	OK(room > 0, "there is room");
	OK(file_data_open(NULL, &f, box, "huge",
			  ((uint64_t)room + (64u << 20)) / BLOCK * BLOCK +
				  ((uint64_t)room << 1)) == -ENOSPC &&
		   strstr(f.why, "MiB"),
	   "more than half of what is free is refused, with figures");
	OK(access(f.path, F_OK), "and nothing is left");
	OK(file_data_open(NULL, &f, "/nowhere/at/all", "x", BYTES) == -ENOENT,
	   "a directory that is not there");
	snprintf(path, sizeof(path), "%s/link", box);
	OK(!symlink("/dev/null", path) &&
		   !file_data_open(NULL, &f, box, "link", BYTES) &&
		   !lstat(path, &st) && S_ISREG(st.st_mode),
	   "a link in its place is not followed");
	file_data_remove(&f);
}

/* Pages that a child has mapped for 0.4 s stay for so long: what is being read
 * from a slow disk stays for as long as that takes. */
TEST(check_patience)
{
	struct file_data f;
	int64_t left = -1;
	int ready[2];
	char byte;
	pid_t pid;

	OK(!file_data_open(NULL, &f, box, "patience", BYTES), "a file");
	OK(!pipe(ready), "a pipe");
	pid = fork();
	if (pid == 0) {
		volatile char *p =
			mmap(NULL, BLOCK, PROT_READ, MAP_SHARED, f.fd, 0);

		byte = *p;
		(void)!write(ready[1], &byte, 1);
		usleep(400000);
		_exit(0);
	}
	if (pid > 0 && read(ready[0], &byte, 1) == 1)
		left = file_cache_drop(f.fd, 0, 0);
	OK(left == 0 || left == (int64_t)BYTES,
	   "dropped when nobody has it any more, or in memory only");
	OK(pid > 0 && waitpid(pid, NULL, 0) == pid, "the child has ended");
	close(ready[0]);
	close(ready[1]);
	file_data_remove(&f);
}

TEST(check_cache)
{
	struct file_data f;
	int64_t left;

	OK(!file_data_open(NULL, &f, box, "cache", BYTES), "a file");
	OK(file_cache_fill(f.fd, 0, 0, BLOCK) == (int64_t)BYTES,
	   "all of it cached");
	OK(file_cache_bytes(f.fd, BLOCK, (uint64_t)2 * BLOCK) ==
		   (int64_t)2 * BLOCK,
	   "a part of it asked for");
	left = file_cache_drop(f.fd, 0, 0);
	/* On a tmpfs nothing can be dropped. */
	OK(left == 0 || left == (int64_t)BYTES, "dropped, or in memory only");
	OK(file_cache_fill(f.fd, 0, 0, 1) == (int64_t)BYTES,
	   "cached again by a byte of each page");
	OK(!file_cache_drop(f.fd, BYTES / 2 + BLOCK, BLOCK) || left,
	   "also a part of what lies in larger pages");
	file_data_remove(&f);
}
