/* SPDX-License-Identifier: MIT */
#ifndef FAULT_USER_H
#define FAULT_USER_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "bench.h"
#include "partner.h"

/* Page faults that another thread of this process resolves: userfaultfd(2). */
struct fault_user {
	int uffd, stop_fd; /* -1: not open */
	struct partner thread;
	_Atomic uint64_t resolved;
	char page[65536]; /* what it puts there, as much as a page is */
};

void fault_user_init(struct fault_user *u);

/**
 * fault_user_begin() - from now on faults in [@base, @base + @bytes) go to a
 * thread on the CPU nearest to the measuring one.
 *
 * Return: 0, bench_skip() or bench_fail(); fault_user_end() in any case.
 */
int fault_user_begin(struct fault_user *u, struct bench *b, void *base,
		     size_t bytes);

/* fault_user_end() - stop that; an initialised one is fine.  Return: faults
 * resolved since the beginning; 0 if it had not begun. */
uint64_t fault_user_end(struct fault_user *u);

#endif
