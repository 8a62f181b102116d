/* SPDX-License-Identifier: MIT */
#ifndef CHASE_MANY_H
#define CHASE_MANY_H

#include "arch.h"
#include "chase.h"

/*
 * Many chases at once, each pointer in a register of its own, in assembler: a
 * compiler keeps them in memory (gcc 12 all of them from four chases on), and
 * each load then waits for a store and a load of its address as well.
 *
 * MANY_REGISTERS: the registers by name, the first chase's first.
 */
typedef void many_fn(void **at, uint64_t rounds);

/* @insn for each register \r of the first @k; its pointer is .Lat bytes from
 * the first. */
#define MANY_EACH(k, insn)                      \
	".set .Lat, 0\n\t"                      \
	".irp r," MANY_REGISTERS "\n\t"         \
	".if .Lat < 8 * " #k "\n\t" insn "\n\t" \
	".endif\n\t"                            \
	".set .Lat, .Lat + 8\n\t"               \
	".endr\n\t"

#define MANY_TO_14(X) \
	X(1)          \
	X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14)

/*
 * Where there is a register for each: many_K() by MANY(K), of MANY_LOAD and
 * MANY_STORE, which move \r from and to the place at %0, and MANY_LOST, the
 * registers once more.
 */
/* clang-format off */
#define MANY(k) \
	static __attribute__((noinline)) void \
	many_##k(void **at, uint64_t rounds) \
	{ \
		__asm__ volatile( \
			MANY_EACH(k, MANY_LOAD) \
			"1:\n\t" \
			MANY_EACH(k, ARCH_LOAD("\\r", "\\r")) \
			ARCH_AGAIN("%1", "1b") \
			MANY_EACH(k, MANY_STORE) \
			: "+r"(at), "+r"(rounds) \
			: \
			: MANY_LOST, "memory", "cc"); \
	}
/* clang-format on */
#define MANY_ENTRY(k) [k] = many_##k,
#define MANY_ALL()                                                            \
	MANY_TO_14(MANY)                                                      \
	MANY(15)                                                              \
	MANY(16)                                                              \
	void chase_run_many(void **at, unsigned int k, uint64_t loads)        \
	{                                                                     \
		static many_fn *const many[CHASE_ENTRIES + 1] = { MANY_TO_14( \
			MANY_ENTRY) MANY_ENTRY(15) MANY_ENTRY(16) };          \
                                                                              \
		if (loads && k && k <= CHASE_ENTRIES)                         \
			many[k](at, loads);                                   \
	}

#endif
