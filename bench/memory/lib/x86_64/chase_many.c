/* SPDX-License-Identifier: MIT */
/* Not in %rsp, because a signal may come; %rcx counts, and %rdi says where they
 * come from, so it is the last. */
#define MANY_REGISTERS "rax,rbx,rdx,rsi,r8,r9,r10,r11,r12,r13,r14,r15,rbp,rdi"

#include "../chase_many.h"

/* clang-format off */
/* %rbp may hold the frame: it is kept and given back, for no compiler lets it
 * be named as lost. */
#define FETCH(k) \
	"movq %%rbp, %%xmm0\n\t" \
	"movq %%rdi, %%xmm1\n\t" \
	MANY_EACH(k, "mov .Lat(%%rdi), %%\\r")
#define STORE(k) \
	"movq %%xmm1, %%rcx\n\t" \
	MANY_EACH(k, "mov %%\\r, .Lat(%%rcx)") \
	"movq %%xmm0, %%rbp\n\t"
#define LOAD(k) \
	MANY_EACH(k, "mov (%%\\r), %%\\r")
#define LOAD_RCX_TWICE \
	"mov (%%rcx), %%rcx\n\t" \
	"mov (%%rcx), %%rcx\n\t"

#define LOST \
	"rax", "rbx", "rdx", "rsi", "r8", "r9", "r10", "r11", "r12", "r13", \
	"r14", "r15", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "memory", "cc"

#define FEW(k) \
	static __attribute__((noinline)) void \
	many_##k(void **at, uint64_t rounds) \
	{ \
		__asm__ volatile( \
			FETCH(k) \
			"1:\n\t" \
			LOAD(k) \
			"dec %%rcx\n\t" \
			"jnz 1b\n\t" \
			STORE(k) \
			: "+D"(at), "+c"(rounds) \
			: \
			: LOST); \
	}

MANY_TO_14(FEW)

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
		FETCH(14)
		"1:\n\t"
		"movq %%xmm2, %%rcx\n\t"
		LOAD(14) LOAD_RCX_TWICE
		"movq %%rcx, %%xmm2\n\t"
		"movq %%xmm3, %%rcx\n\t"
		LOAD(14) LOAD_RCX_TWICE
		"movq %%rcx, %%xmm3\n\t"
		"movq %%xmm4, %%rcx\n\t"
		"dec %%rcx\n\t"
		"movq %%rcx, %%xmm4\n\t"
		"jnz 1b\n\t"
		STORE(14)
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
	static many_fn *const many[CHASE_ENTRIES + 1] = { MANY_TO_14(
		MANY_ENTRY) MANY_ENTRY(16) };
	many_fn *const run = k <= CHASE_ENTRIES ? many[k] : NULL;
	const uint64_t step = k == CHASE_ENTRIES ? 2 : 1;
	const uint64_t rounds = run ? loads / step : 0;

	if (rounds)
		run(at, rounds);
	follow(at, k, loads - rounds * step);
}
