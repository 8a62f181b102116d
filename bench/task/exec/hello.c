/* SPDX-License-Identifier: MIT */
/*
 * The least program that a dynamic linker starts, with libc, as most programs
 * are: it ends, and says whether it was one (AT_BASE: where the linker lies).
 */
#include <sys/auxv.h>

#include "../lib/proc_spawn.h"

int main(void)
{
	return getauxval(AT_BASE) ? PROC_LINKED : 0;
}
