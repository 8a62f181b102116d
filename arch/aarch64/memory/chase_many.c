/* SPDX-License-Identifier: MIT */
/* Many chases at once, each pointer in a register of its own: a compiler keeps
 * them in memory. */
#include "chase.h"

typedef void many_fn(void **at, uint64_t rounds);

/* clang-format off */
#define REGS_1	"2"
#define REGS_2	REGS_1 ",3"
#define REGS_3	REGS_2 ",4"
#define REGS_4	REGS_3 ",5"
#define REGS_5	REGS_4 ",6"
#define REGS_6	REGS_5 ",7"
#define REGS_7	REGS_6 ",8"
#define REGS_8	REGS_7 ",9"
#define REGS_9	REGS_8 ",10"
#define REGS_10 REGS_9 ",11"
#define REGS_11 REGS_10 ",12"
#define REGS_12 REGS_11 ",13"
#define REGS_13 REGS_12 ",14"
#define REGS_14 REGS_13 ",15"
#define REGS_15 REGS_14 ",16"
#define REGS_16 REGS_15 ",17"

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
		register void **from __asm__("x0") = at; \
		register uint64_t left __asm__("x1") = rounds; \
		__asm__ volatile( \
			EACH(REGS_##k, "ldr x\\r, [x0, #.Lat]") \
			"1:\n\t" \
			EACH(REGS_##k, "ldr x\\r, [x\\r]") \
			"subs x1, x1, #1\n\t" \
			"b.ne 1b\n\t" \
			EACH(REGS_##k, "str x\\r, [x0, #.Lat]") \
			: "+r"(from), "+r"(left) \
			: \
			: "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", \
			  "x10", "x11", "x12", "x13", "x14", "x15", "x16", \
			  "x17", "memory", "cc"); \
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
