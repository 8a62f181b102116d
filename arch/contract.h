/* SPDX-License-Identifier: MIT */
#ifndef ARCH_CONTRACT_H
#define ARCH_CONTRACT_H

#include "arch.h"
#include "arch_ask.h"
#include "placement.h"

/*
 * The definitions that an architecture's folder must have.  clock/timer.c
 * includes this, so nothing is built until all is there; types are checked,
 * too.
 *
 * Text of instructions, operands as "%0", each with its "\n\t": ARCH_ADD(to,
 * by) and ARCH_MUL(to, by) of 64 bits, ARCH_LOAD(to, at), ARCH_LOAD_AT(to, at,
 * i) at their sum, ARCH_AGAIN(n, to): count n down and jump while it is not 0.
 * ARCH_CHAIN_*: the links of truth's chains, x being %0 and y %2.  ARCH_CODE_*,
 * ARCH_START (_start of a program: exit_group(argc - 1)): functions in
 * assembler.
 *
 * Statements: ARCH_FENCE() lets nothing behind it start early, where that can
 * be had; ARCH_PAUSE() in a loop that waits; ARCH_STREAM(at, v) a store past
 * the caches, or a plain one, ARCH_STREAMED() behind the last;
 * ARCH_PREFETCH(at); ARCH_FLUSH(at), ARCH_FLUSHED(): throw a line out of the
 * caches, ARCH_NO_FLUSH: NULL or why that cannot be done.
 *
 * Loops: arch_loop_memory(), arch_loop_register(): for (i = 0; i <= last; i++);
 * as gcc -O0 has it: the body comes first, the test is jumped to; the body is
 * aligned so that it lies in one line of the decoder's cache wherever the
 * linker puts the function.  arch_add_words(): four words from @at on, one to
 * each sum.  arch_store_marked(): the address behind the store is taken beside
 * it, so that the handler need not know how long the instruction is.
 *
 * Names in the kernel: ARCH_CLOCKSOURCE of its clock where it counts by this
 * counter, ARCH_KERNEL_CALL() of the function of a system call.
 */
#define ARCH_IS(type, function)                                            \
	_Static_assert(__builtin_types_compatible_p(type,                  \
						    __typeof__(function)), \
		       #function)

#if !defined(ARCH_NAME) || !defined(ARCH_METHODS) || !defined(ARCH_READS) || \
	!defined(ARCH_CERTIFIED) || !defined(ARCH_SHARED_ENDS) ||            \
	!defined(ARCH_TRAP) || !defined(ARCH_TRAP_LOSS) ||                   \
	!defined(ARCH_CLOCKSOURCE) || !defined(TIMER_FENCED) ||              \
	!defined(TIMER_SERIAL)
#error "clock: the methods of reading the counter, timer_asm.h and arch.h"
#endif
#if !defined(ARCH_ADD) || !defined(ARCH_MUL) || !defined(ARCH_LOAD) || \
	!defined(ARCH_LOAD_AT) || !defined(ARCH_AGAIN) ||              \
	!defined(ARCH_FENCE) || !defined(ARCH_PAUSE) ||                \
	!defined(ARCH_STREAM) || !defined(ARCH_STREAMED) ||            \
	!defined(ARCH_PREFETCH) || !defined(ARCH_FLUSH) ||             \
	!defined(ARCH_FLUSHED) || !defined(ARCH_NO_FLUSH) ||           \
	!defined(ARCH_ATOMIC_ADD)
#error "instructions: arch.h"
#endif
#if !defined(ARCH_CHAIN_X) || !defined(ARCH_CHAIN_Y) ||            \
	!defined(ARCH_CHAIN_ADD) || !defined(ARCH_CHAIN_SECOND) || \
	!defined(ARCH_CHAIN_SECOND_NAME) ||                        \
	!defined(ARCH_CHAIN_SECOND_LEFT) || !defined(ARCH_CHAIN_MUL)
#error "chains of known length: arch.h"
#endif
#if !defined(ARCH_IN_VECTOR) || !defined(ARCH_IN_FLOAT) ||       \
	!defined(ARCH_WITH_FMA) || !defined(ARCH_VECTOR_BITS) || \
	!defined(ARCH_HAS_FMA) || !defined(ARCH_HAS_256) ||      \
	!defined(ARCH_ARGUMENTS) || !defined(ARCH_CHAINS)
#error "registers: arch.h"
#endif
#if !defined(ARCH_AUDIT) || !defined(ARCH_VDSO) || !defined(ARCH_INT80) || \
	!defined(ARCH_MAP_LOW) || !defined(ARCH_SET_PC) ||                 \
	!defined(ARCH_KERNEL_CALL)
#error "the way into the kernel: arch.h"
#endif
#if !defined(ARCH_CODE_STEP) || !defined(ARCH_CODE_LOOP) ||         \
	!defined(ARCH_CODE_CALL) || !defined(ARCH_CODE_BRANCHES) || \
	!defined(ARCH_CODE_LOCK) || !defined(ARCH_START)
#error "code as bytes: placement.h"
#endif

ARCH_IS(uint64_t(void), timer_fenced_begin);
ARCH_IS(uint64_t(void), timer_fenced_end);
ARCH_IS(uint64_t(void), timer_none_begin);
ARCH_IS(uint64_t(void), timer_none_end);
/* ensemble_body.h has included ensemble_asm.h. */
ARCH_IS(void(uint32_t, volatile int *), ensemble_stores);
ARCH_IS(uint32_t(uint32_t), ensemble_chain);
ARCH_IS(int(int), arch_loop_memory);
ARCH_IS(int(int), arch_loop_register);
ARCH_IS(void(uint64_t *, uint64_t *, uint64_t *, uint64_t *, const char *),
	arch_add_words);
ARCH_IS(void(_Atomic uint64_t *, uint64_t), arch_atomic_adds);
ARCH_IS(long(long, long, long, long), raw_syscall);
ARCH_IS(long(long, long, long, long, long), raw_syscall4);
ARCH_IS(int(int, unsigned int, unsigned int, unsigned int, unsigned int),
	raw_int80);
ARCH_IS(void(volatile void *, volatile uintptr_t *), arch_store_marked);

#endif
