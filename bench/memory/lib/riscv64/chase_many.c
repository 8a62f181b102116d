/* SPDX-License-Identifier: MIT */
#define MANY_REGISTERS "a2,a3,a4,a5,a6,a7,t0,t1,t2,t3,t4,t5,t6,s2,s3,s4"

#include "../chase_many.h"

/* clang-format off */
#define MANY(k) \
	static __attribute__((noinline)) void \
	many_##k(void **at, uint64_t rounds) \
	{ \
		register void **from __asm__("a0") = at; \
		register uint64_t left __asm__("a1") = rounds; \
		__asm__ volatile( \
			MANY_EACH(k, "ld \\r, .Lat(a0)") \
			"1:\n\t" \
			MANY_EACH(k, "ld \\r, 0(\\r)") \
			"addi a1, a1, -1\n\t" \
			"bnez a1, 1b\n\t" \
			MANY_EACH(k, "sd \\r, .Lat(a0)") \
			: "+r"(from), "+r"(left) \
			: \
			: "a2", "a3", "a4", "a5", "a6", "a7", "t0", "t1", \
			  "t2", "t3", "t4", "t5", "t6", "s2", "s3", "s4", \
			  "memory"); \
	}
/* clang-format on */

MANY_ALL()
