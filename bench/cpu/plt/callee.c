// SPDX-License-Identifier: MIT
/*
 * The procedures of bench/cpu/lib/callee.h in a shared object, so that a call
 * goes through the procedure linkage table.
 */
#include "../lib/callee.h"

#define DEFINE(n) CALLEE_DEFINE(callee_plt, n)

CALLEE_FOR_EACH(DEFINE)
