/* SPDX-License-Identifier: MIT */
#include "bench.h"

#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Usage of this thread so far. */
static struct rusage usage(void)
{
	struct rusage u = { 0 };

	syscall(SYS_getrusage, RUSAGE_THREAD, &u);
	return u;
}

static bool counts_switch(void)
{
	const struct timespec ms = { .tv_nsec = 1000000 };
	const long before = usage().ru_nvcsw;

	nanosleep(&ms, NULL);
	return usage().ru_nvcsw > before;
}

/* By a page that nobody has touched; where there is none the kernel is taken
 * to do what it should. */
static bool knows_page(bool faults)
{
	const size_t bytes = (size_t)sysconf(_SC_PAGESIZE);
	char *page = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	const long before = usage().ru_minflt;
	unsigned char in = 0;
	bool knows;

	if (page == MAP_FAILED)
		return true;
	knows = !syscall(SYS_mincore, page, bytes, &in) && !(in & 1);
	*(volatile char *)page = 1;
	munmap(page, bytes);
	return faults ? usage().ru_minflt > before : knows;
}

const char *kernel_lacks(enum kernel_tells what)
{
	static const char *const why[] = {
		[KERNEL_FAULTS] = "this kernel counts no page faults: "
				  "getrusage() said 0 after one",
		[KERNEL_SWITCHES] = "this kernel counts no context switches: "
				    "getrusage() said 0 after a sleep",
		[KERNEL_RESIDENT] = "this kernel does not tell which pages are "
				    "in memory: mincore() takes an untouched "
				    "one to be there",
	};
	static enum { UNKNOWN, TELLS, LACKS } known[3];

	if (known[what] == UNKNOWN)
		known[what] = (what == KERNEL_SWITCHES
				       ? counts_switch()
				       : knows_page(what == KERNEL_FAULTS))
				      ? TELLS
				      : LACKS;
	return known[what] == LACKS ? why[what] : NULL;
}
