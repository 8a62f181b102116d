/* SPDX-License-Identifier: MIT */
#include "kernel_tells.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Faults and switches of this thread so far. */
static struct rusage usage(void)
{
	struct rusage u = { 0 };

	syscall(SYS_getrusage, RUSAGE_THREAD, &u);
	return u;
}

/* A page that nobody has touched yet; NULL: there is none. */
static char *fresh_page(size_t bytes)
{
	char *page = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return page == MAP_FAILED ? NULL : page;
}

static bool counts_fault(size_t bytes)
{
	char *page = fresh_page(bytes);
	const long before = usage().ru_minflt;

	if (!page)
		return true;
	*(volatile char *)page = 1;
	munmap(page, bytes);
	return usage().ru_minflt > before;
}

static bool knows_untouched(size_t bytes)
{
	char *page = fresh_page(bytes);
	unsigned char in = 0;
	const bool knows =
		!page || (!syscall(SYS_mincore, page, bytes, &in) && !(in & 1));

	if (page)
		munmap(page, bytes);
	return knows;
}

static bool counts_switch(size_t bytes)
{
	const struct timespec ms = { .tv_nsec = 1000000 };
	const long before = usage().ru_nvcsw;

	nanosleep(&ms, NULL);
	return usage().ru_nvcsw > before;
}

const char *kernel_lacks(enum kernel_tells what)
{
	static const struct {
		bool (*does)(size_t page_bytes);
		const char *why_not;
	} tells[] = {
		[KERNEL_FAULTS] = { counts_fault,
				    "this kernel counts no page faults: "
				    "getrusage() said 0 after one" },
		[KERNEL_SWITCHES] = { counts_switch,
				      "this kernel counts no context switches: "
				      "getrusage() said 0 after a sleep" },
		[KERNEL_RESIDENT] = { knows_untouched,
				      "this kernel does not tell which pages "
				      "are in memory: mincore() takes an "
				      "untouched one to be there" },
	};
	static enum { UNKNOWN, TELLS, LACKS } known[3];

	if (what > KERNEL_RESIDENT)
		return NULL; /* nothing else is needed */
	if (known[what] == UNKNOWN)
		known[what] = tells[what].does((size_t)sysconf(_SC_PAGESIZE))
				      ? TELLS
				      : LACKS;
	return known[what] == LACKS ? tells[what].why_not : NULL;
}

int kernel_needs(struct bench *b, enum kernel_tells what)
{
	const char *why = kernel_lacks(what);

	return why ? bench_skip(b, "%s", why) : 0;
}

int kernel_ready(struct bench *b, const struct bench_case *c)
{
	int err = 0;

	for (int k = 0; !err && c->kernel >> k; k++)
		if (c->kernel & 1u << k)
			err = kernel_needs(b, (enum kernel_tells)k);
	return err;
}
