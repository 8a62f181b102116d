/* SPDX-License-Identifier: MIT */
#include "kernel_tells.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "partner.h"

/* Faults and switches of this thread so far. */
static struct rusage usage(void)
{
	struct rusage u = { 0 };

	syscall(SYS_getrusage, RUSAGE_THREAD, &u);
	return u;
}

/* A page that nobody has touched yet. */
static bool with_fresh_page(bool (*tells)(char *page, size_t bytes))
{
	const size_t bytes = (size_t)sysconf(_SC_PAGESIZE);
	char *page = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	bool does;

	if (page == MAP_FAILED)
		return true;
	does = tells(page, bytes);
	munmap(page, bytes);
	return does;
}

static bool counts_fault(char *page, size_t bytes)
{
	const long before = usage().ru_minflt;

	*(volatile char *)page = 1;
	return usage().ru_minflt > before;
}

static bool knows_untouched(char *page, size_t bytes)
{
	unsigned char in = 0;

	return !syscall(SYS_mincore, page, bytes, &in) && !(in & 1);
}

static bool counts_switch(void)
{
	const struct timespec ms = { .tv_nsec = 1000000 };
	const long before = usage().ru_nvcsw;

	nanosleep(&ms, NULL);
	return usage().ru_nvcsw > before;
}

static bool does(enum kernel_tells what)
{
	switch (what) {
	case KERNEL_FAULTS:
		return with_fresh_page(counts_fault);
	case KERNEL_SWITCHES:
		return counts_switch();
	default:
		return with_fresh_page(knows_untouched);
	}
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

	if (what > KERNEL_RESIDENT)
		return NULL; /* nothing else is needed */
	if (known[what] == UNKNOWN)
		known[what] = does(what) ? TELLS : LACKS;
	return known[what] == LACKS ? why[what] : NULL;
}

int kernel_needs(struct bench *b, enum kernel_tells what)
{
	const char *why = kernel_lacks(what);

	return why ? bench_skip(b, "%s", why) : 0;
}

int kernel_ready(struct bench *b, const struct bench_case *c)
{
	char why[160];
	int err = 0;

	for (int k = 0; !err && c->kernel >> k; k++)
		if (c->kernel & 1u << k)
			err = kernel_needs(b, (enum kernel_tells)k);
	if (!err && c->processes &&
	    partner_room(why, sizeof(why)) < (int)c->processes)
		err = bench_skip(b, "no room for %u more processes: %s",
				 c->processes, why);
	return err;
}
