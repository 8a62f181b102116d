/* SPDX-License-Identifier: MIT */
/* Many chases at once, each pointer in a register of its own: a compiler keeps
 * them in memory. */
#include "chase.h"

typedef void many_fn(void **at, uint64_t rounds);

/* clang-format off */
#define REGS_1	"a2"
#define REGS_2	REGS_1 ",a3"
#define REGS_3	REGS_2 ",a4"
#define REGS_4	REGS_3 ",a5"
#define REGS_5	REGS_4 ",a6"
#define REGS_6	REGS_5 ",a7"
#define REGS_7	REGS_6 ",t0"
#define REGS_8	REGS_7 ",t1"
#define REGS_9	REGS_8 ",t2"
#define REGS_10	REGS_9 ",t3"
#define REGS_11	REGS_10 ",t4"
#define REGS_12	REGS_11 ",t5"
#define REGS_13	REGS_12 ",t6"
#define REGS_14	REGS_13 ",s2"
#define REGS_15	REGS_14 ",s3"
#define REGS_16	REGS_15 ",s4"

/* @insn for each register \r of @regs; its pointer is .Lat bytes from the
 * first. */
#define EACH(regs, insn) \
	".set .Lat, 0\n\t" \
	".irp r," regs "\n\t" \
	insn "\n\t" \
	".set .Lat, .Lat + 8\n\t" \
	".endr\n\t"

#define MANY(k) \
	static __attribute__((noinline)) void \
	many_##k(void **at, uint64_t rounds) \
	{ \
		register void **from __asm__("a0") = at; \
		register uint64_t left __asm__("a1") = rounds; \
		__asm__ volatile( \
			EACH(REGS_##k, "ld \\r, .Lat(a0)") \
			"1:\n\t" \
			EACH(REGS_##k, "ld \\r, 0(\\r)") \
			"addi a1, a1, -1\n\t" \
			"bnez a1, 1b\n\t" \
			EACH(REGS_##k, "sd \\r, .Lat(a0)") \
			: "+r"(from), "+r"(left) \
			: \
			: "a2", "a3", "a4", "a5", "a6", "a7", "t0", "t1", \
			  "t2", "t3", "t4", "t5", "t6", "s2", "s3", "s4", "memory"); \
	}

MANY(1) MANY(2) MANY(3) MANY(4) MANY(5) MANY(6) MANY(7) MANY(8) MANY(9)
MANY(10) MANY(11) MANY(12) MANY(13) MANY(14) MANY(15) MANY(16)
	/* clang-format on */

	void chase_run_many(void **at, unsigned int k, uint64_t loads)
{
	static many_fn *const many[CHASE_ENTRIES + 1] = {
		[1] = many_1,	[2] = many_2,	[3] = many_3,	[4] = many_4,
		[5] = many_5,	[6] = many_6,	[7] = many_7,	[8] = many_8,
		[9] = many_9,	[10] = many_10, [11] = many_11, [12] = many_12,
		[13] = many_13, [14] = many_14, [15] = many_15, [16] = many_16,
	};

	if (loads && k && k <= CHASE_ENTRIES)
		many[k](at, loads);
}
