/* SPDX-License-Identifier: MIT */
/* Directories for small files: each its own name, nothing left. */
#include <dirent.h>
#include <stdlib.h>
#include <unistd.h>

#include "../../bench/file/lib/file_small.h"
#include "tap.h"

static size_t entries(const char *path)
{
	DIR *dir = opendir(path);
	size_t n = 0;

	while (dir && readdir(dir))
		n++;
	if (dir)
		closedir(dir);
	return n - 2; /* itself and its parent */
}

int main(void)
{
	char parent[] = "/tmp/oscost-small-XXXXXX";
	int one, two;

	OK(mkdtemp(parent), "a place to try it");
	one = file_small_dir(parent, 1);
	two = file_small_dir(parent, 2);
	/* The name chooses the place on the disk: one name, one place. */
	OK(one >= 0 && two >= 0 && entries(parent) == 2,
	   "two numbers are two directories");
	OK(file_small_dir(parent, 1) < 0, "one number is one of them");
	OK(file_small_make(one, "x", "abc", 3) && file_small_is(one, "x", 3) &&
		   file_small_gone(two, "x"),
	   "each has its own files");
	unlinkat(one, "x", 0);
	file_small_end(one, parent, 1);
	file_small_end(two, parent, 2);
	OK(!entries(parent), "nothing is left");
	OK(!rmdir(parent), "not even the place");
	OK(file_small_dir(parent, 1) < 0, "where there is none, none is made");
	return tap_done();
}
