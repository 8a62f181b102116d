/* SPDX-License-Identifier: MIT */
/* Many chases at once.  In assembler, because a compiler keeps pointers in
 * memory: gcc 12 all of them from four chases on.  Each load then waits for a
 * store and a load of its address as well. */
#include "chase.h"

typedef void many_fn(void **at, uint64_t rounds);

/* clang-format off */
/* Where the pointers are.  Not in %rsp, because a signal may come; %rcx counts,
 * and %rdi says where they come from, so it is the last. */
#define REGS_1	"rax"
#define REGS_2	REGS_1 ",rbx"
#define REGS_3	REGS_2 ",rdx"
#define REGS_4	REGS_3 ",rsi"
#define REGS_5	REGS_4 ",r8"
#define REGS_6	REGS_5 ",r9"
#define REGS_7	REGS_6 ",r10"
#define REGS_8	REGS_7 ",r11"
#define REGS_9	REGS_8 ",r12"
#define REGS_10 REGS_9 ",r13"
#define REGS_11 REGS_10 ",r14"
#define REGS_12 REGS_11 ",r15"
#define REGS_13 REGS_12 ",rbp"
#define REGS_14 REGS_13 ",rdi"

/* @insn for each register \r of @regs; its pointer is .Lat bytes from the
 * first. */
#define EACH(regs, insn) \
	".set .Lat, 0\n\t" \
	".irp r," regs "\n\t" \
	insn "\n\t" \
	".set .Lat, .Lat + 8\n\t" \
	".endr\n\t"

/* %rbp may hold the frame: it is kept and given back, for no compiler lets it
 * be named as lost. */
#define FETCH(regs) \
	"movq %%rbp, %%xmm0\n\t" \
	"movq %%rdi, %%xmm1\n\t" \
	EACH(regs, "mov .Lat(%%rdi), %%\\r")
#define STORE(regs) \
	"movq %%xmm1, %%rcx\n\t" \
	EACH(regs, "mov %%\\r, .Lat(%%rcx)") \
	"movq %%xmm0, %%rbp\n\t"
#define LOAD(regs) \
	EACH(regs, "mov (%%\\r), %%\\r")

#define LOST \
	"rax", "rbx", "rdx", "rsi", "r8", "r9", "r10", "r11", "r12", "r13", \
	"r14", "r15", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "memory", "cc"

#define MANY(k) \
	static __attribute__((noinline)) void \
	many_##k(void **at, uint64_t rounds) \
	{ \
		__asm__ volatile( \
			FETCH(REGS_##k) \
			"1:\n\t" \
			LOAD(REGS_##k) \
			"dec %%rcx\n\t" \
			"jnz 1b\n\t" \
			STORE(REGS_##k) \
			: "+D"(at), "+c"(rounds) \
			: \
			: LOST); \
	}

MANY(1) MANY(2) MANY(3) MANY(4) MANY(5) MANY(6) MANY(7) MANY(8) MANY(9)
MANY(10) MANY(11) MANY(12) MANY(13) MANY(14)

/* Two rounds for each of @pairs.  The last two chases and the counter have %rcx
 * in turn and wait in vector registers meanwhile.  A chase that has %rcx goes on
 * by both rounds' loads: the moves are before one load of two then, and no chase
 * is ahead of another by more than one. */
static __attribute__((noinline)) void many_16(void **at, uint64_t pairs)
{
	__asm__ volatile(
		"movq 112(%%rdi), %%xmm2\n\t"
		"movq 120(%%rdi), %%xmm3\n\t"
		"movq %%rcx, %%xmm4\n\t"
		FETCH(REGS_14)
		"1:\n\t"
		"movq %%xmm2, %%rcx\n\t"
		LOAD(REGS_14 ",rcx,rcx")
		"movq %%rcx, %%xmm2\n\t"
		"movq %%xmm3, %%rcx\n\t"
		LOAD(REGS_14 ",rcx,rcx")
		"movq %%rcx, %%xmm3\n\t"
		"movq %%xmm4, %%rcx\n\t"
		"dec %%rcx\n\t"
		"movq %%rcx, %%xmm4\n\t"
		"jnz 1b\n\t"
		STORE(REGS_14)
		"movq %%xmm2, 112(%%rcx)\n\t"
		"movq %%xmm3, 120(%%rcx)"
		: "+D"(at), "+c"(pairs)
		:
		: LOST);
}
/* clang-format on */

/* As compiled: what is left over, and numbers that have no assembler. */
static void follow(void **at, unsigned int k, uint64_t loads)
{
	while (loads--)
		for (unsigned int i = 0; i < k; i++)
			at[i] = *(void *volatile *)at[i];
}

void chase_run_many(void **at, unsigned int k, uint64_t loads)
{
	static many_fn *const many[CHASE_ENTRIES + 1] = {
		[1] = many_1,	[2] = many_2,	[3] = many_3,	[4] = many_4,
		[5] = many_5,	[6] = many_6,	[7] = many_7,	[8] = many_8,
		[9] = many_9,	[10] = many_10, [11] = many_11, [12] = many_12,
		[13] = many_13, [14] = many_14, [16] = many_16,
	};
	many_fn *const run = k <= CHASE_ENTRIES ? many[k] : NULL;
	const uint64_t step = k == CHASE_ENTRIES ? 2 : 1;
	const uint64_t rounds = run ? loads / step : 0;

	if (rounds)
		run(at, rounds);
	follow(at, k, loads - rounds * step);
}
