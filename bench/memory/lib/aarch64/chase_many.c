/* SPDX-License-Identifier: MIT */
#define MANY_REGISTERS "2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17"

#include "../chase_many.h"

/* clang-format off */
#define MANY(k) \
	static __attribute__((noinline)) void \
	many_##k(void **at, uint64_t rounds) \
	{ \
		register void **from __asm__("x0") = at; \
		register uint64_t left __asm__("x1") = rounds; \
		__asm__ volatile( \
			MANY_EACH(k, "ldr x\\r, [x0, #.Lat]") \
			"1:\n\t" \
			MANY_EACH(k, "ldr x\\r, [x\\r]") \
			"subs x1, x1, #1\n\t" \
			"b.ne 1b\n\t" \
			MANY_EACH(k, "str x\\r, [x0, #.Lat]") \
			: "+r"(from), "+r"(left) \
			: \
			: "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", \
			  "x10", "x11", "x12", "x13", "x14", "x15", "x16", \
			  "x17", "memory", "cc"); \
	}
/* clang-format on */

MANY_ALL()
