/* SPDX-License-Identifier: MIT */
/* A riscv64 processor's description of itself, and how its clock is to be
 * read. */
#include "arch_ask.h"

#define PLAIN_COUNTER "the counter `time`"
#define PLAIN_FENCE   "FENCE"
#define PLAIN_TRAP    "RDTIME traps to the firmware"

static const char *missing(enum timer_method method)
{
	return NULL;
}

#include "plain_counter.h"

const char *arch_no_llc(const char *vendor)
{
	return NULL;
}
