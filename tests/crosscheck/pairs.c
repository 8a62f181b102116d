// SPDX-License-Identifier: MIT
/*
 * The cost of an operation of pairs.tsv, as a textbook would measure it: ns,
 * the mean of the middle tenth.  On purpose it shares nothing with the suite.
 * usage: pairs OPERATION, in a directory for its files.
 */
#include <fcntl.h>
#include <linux/membarrier.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "plain.h"

enum { SAMPLES = 2000, LOOP = 200, PAGE = 4096, GROUP = 16 };
#define MIB ((size_t)1 << 20)

static double sample[SAMPLES];
static char buffer[PAGE];
static unsigned char seen[4 * MIB / PAGE];

static double middle(void)
{
	double sum = 0;

	qsort(sample, SAMPLES, sizeof(*sample), ascending);
	for (int i = SAMPLES * 9 / 20; i < SAMPLES * 11 / 20; i++)
		sum += sample[i];
	return sum * 10 / SAMPLES;
}

static void *map(size_t bytes, int access)
{
	return mmap(NULL, bytes, access, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

/* A page that is written to next, a mapping of its own in the middle of 4 MiB
 * without access.  Where a huge page could be one day, madvise() costs 6 %
 * more.
 */
static char *page(char *around)
{
	char *p = around + 2 * MIB - (size_t)around % (2 * MIB);

	mprotect(p, PAGE, PROT_READ | PROT_WRITE);
	madvise(p, PAGE, MADV_NOHUGEPAGE);
	return p;
}

static void make_file(const char *name, size_t bytes)
{
	const int fd = open(name, O_WRONLY | O_CREAT, 0600);

	memset(buffer, 'x', sizeof(buffer));
	for (size_t i = 0; i < bytes; i += PAGE)
		if (write(fd, buffer, PAGE) != PAGE)
			exit(1);
	close(fd);
}

/* The @i-th file, of which so many are made at once, the first one first: its
 * name is the first one that is found in the directory. */
static void file_of_group(int i, char *name)
{
	for (int k = i % GROUP ? GROUP : 0; k < GROUP; k++) {
		sprintf(name, "new-%d", k);
		close(open(name, O_WRONLY | O_CREAT, 0600));
	}
	sprintf(name, "new-%d", i % GROUP);
}

/* EVENT() - SAMPLES times: prepare, the timed call, and put back. */
#define EVENT(name, before, call, after)            \
	if (!strcmp(what, name)) {                  \
		for (int i = 0; i < SAMPLES; i++) { \
			before;                     \
			t = now();                  \
			call;                       \
			sample[i] = now() - t;      \
			after;                      \
		}                                   \
		return middle() - empty;            \
	}
#define LOOPED(name, call)                              \
	if (!strcmp(what, name)) {                      \
		for (int i = 0; i < SAMPLES; i++) {     \
			t = now();                      \
			for (int k = 0; k < LOOP; k++)  \
				call;                   \
			sample[i] = (now() - t) / LOOP; \
		}                                       \
		return middle();                        \
	}
#define ON_PAGE(name, call)                                   \
	EVENT(name, m = map(4 * MIB, PROT_NONE); p = page(m); \
	      *p = 1, call, munmap(m, 4 * MIB))

static double cost(const char *what)
{
	double t, empty = 0;
	char *m, *p, *from, *to, name[16];
	struct timespec ts;
	struct stat st;
	off_t at = 0;
	int fd;

	for (int i = 0; i < SAMPLES; i++) {
		t = now();
		sample[i] = now() - t;
	}
	empty = middle();
	ON_PAGE("munmap", munmap(p, PAGE))
	ON_PAGE("mprotect", mprotect(p, PAGE, PROT_READ))
	ON_PAGE("madvise", madvise(p, PAGE, MADV_DONTNEED))
	EVENT("mremap", m = map(4 * MIB, PROT_NONE); p = page(m); *p = 1;
	      from = map(4 * MIB, PROT_NONE);
	      to = page(from),
	      mremap(p, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, to),
	      munmap(m, 4 * MIB);
	      munmap(from, 4 * MIB))
	/* With a look at the result, or the next call finds the caches warmer
	 * than between other work: 6 % less. */
	EVENT("mmap", , m = map(4 * MIB, PROT_READ | PROT_WRITE),
	      mincore(m, 4 * MIB, seen);
	      munmap(m, 4 * MIB))
	syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0,
		0);
	EVENT("membarrier", ,
	      syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0), )
	LOOPED("getppid", getppid())
	LOOPED("clock", clock_gettime(CLOCK_MONOTONIC, &ts))
	make_file("file", PAGE);
	LOOPED("stat", stat("file", &st))
	LOOPED("open", close(open("file", O_RDONLY)))
	EVENT("delete", file_of_group(i, name), unlink(name), )
	if (strncmp(what, "read_", 5) != 0)
		return -1;
	fd = open("file", O_RDONLY);
	LOOPED("read_same", at += pread(fd, buffer, PAGE, 0))
	make_file("large", 64 * MIB);
	fd = open("large", O_RDONLY);
	/* In the cache as reading brings it there, not as writing left it. */
	fsync(fd);
	posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	while (pread(fd, buffer, PAGE, at) == PAGE)
		at += PAGE;
	at = 0;
	LOOPED("read_next",
	       at = (at + pread(fd, buffer, PAGE, at)) % (long)(64 * MIB))
	return -1;
}

int main(int argc, char **argv)
{
	const double ns = argc == 2 ? cost(argv[1]) : -1;

	printf("%.2f\n", ns);
	return ns < 0;
}
