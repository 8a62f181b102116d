/* SPDX-License-Identifier: MIT */
/*
 * us for making an empty file after DELETED others were made and removed in the
 * same new directory, and their second is over: the median of 192, the clock
 * read around each.  It shares nothing with the suite; compare with file_ops
 * op=create,size=0 (0) and op=create,after=deletes (1024).
 * usage: create DELETED, in an empty directory (on ext4 after chattr +T .)
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { MADE = 192 };

static int compare(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double make(int number)
{
	struct timespec begin, end;
	char name[32];
	int fd;

	snprintf(name, sizeof(name), "%d", number);
	clock_gettime(CLOCK_MONOTONIC, &begin);
	fd = open(name, O_CREAT | O_EXCL | O_WRONLY, 0600);
	close(fd);
	clock_gettime(CLOCK_MONOTONIC, &end);
	if (fd < 0) {
		perror(name);
		exit(1);
	}
	return (double)(end.tv_sec - begin.tv_sec) * 1e6 +
	       (double)(end.tv_nsec - begin.tv_nsec) / 1e3;
}

static void end(int numbers)
{
	char name[32];

	for (int i = 0; i < numbers; i++) {
		snprintf(name, sizeof(name), "%d", i);
		unlink(name);
	}
}

int main(int argc, char **argv)
{
	const int deleted = argc == 2 ? atoi(argv[1]) : 0;
	double us[MADE];
	char name[32];

	snprintf(name, sizeof(name), "made-%ld", (long)time(NULL));
	if (mkdir(name, 0700) || chdir(name)) {
		perror(name);
		return 1;
	}
	for (int i = 0; i < deleted; i++)
		make(i);
	end(deleted);
	sleep(1);
	for (int i = 0; i < MADE; i++)
		us[i] = make(i);
	end(MADE);
	qsort(us, MADE, sizeof(*us), compare);
	printf("%.1f\n", us[MADE / 2]);
	return chdir("..") || rmdir(name);
}
