/* SPDX-License-Identifier: MIT */
#ifndef ARCH_H
#define ARCH_H

#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>

/*
 * aarch64, all of it that the programs ask for beside the counter
 * (timer_asm.h). Each is explained in arch/contract.h.
 */
#define ARCH_NAME   "aarch64"
#define ARCH_INLINE static inline __attribute__((always_inline))

/* ---- Instructions, as text ---------------------------------------------- */

#define ARCH_ADD(to, by)	"add " to ", " to ", " by "\n\t"
#define ARCH_MUL(to, by)	"mul " to ", " to ", " by "\n\t"
#define ARCH_LOAD(to, at)	"ldr " to ", [" at "]\n\t"
#define ARCH_LOAD_AT(to, at, i) "ldr " to ", [" at ", " i "]\n\t"
#define ARCH_AGAIN(n, to)	"subs " n ", " n ", #1\n\tb.ne " to "\n\t"
#define ARCH_FENCE()		__asm__ volatile("isb" : : : "memory")
#define ARCH_PAUSE()		__asm__ volatile("isb" : : : "memory")
/* Two in a pair are the only ones with the hint; one is a plain store. */
#define ARCH_STREAM(at, v) (*(volatile long long *)(at) = (v))
#define ARCH_STREAMED()	   __asm__ volatile("dmb ish" : : : "memory")
#define ARCH_PREFETCH(at)  __asm__ volatile("prfm pldl1keep, [%0]" : : "r"(at))
#define ARCH_FLUSH(at)	   __asm__ volatile("dc civac, %0" : : "r"(at) : "memory")
#define ARCH_FLUSHED()	   __asm__ volatile("dsb ish" : : : "memory")
#define ARCH_NO_FLUSH	   NULL

/* Chains of truth. */
#define ARCH_CHAIN_X		       "+r"
#define ARCH_CHAIN_Y		       "r"
#define ARCH_CHAIN_ADD		       "add %0, %0, %2\n\t"
#define ARCH_CHAIN_SECOND	       "sub %0, %0, %2\n\t"
#define ARCH_CHAIN_SECOND_NAME	       "subtract"
#define ARCH_CHAIN_SECOND_LEFT(x, sum) ((x) - (sum))
#define ARCH_CHAIN_MUL		       "mul %w0, %w0, %w2\n\t"

/* Types of arith that stand in vector registers, and what not all have. */
#define ARCH_IN_VECTOR "+w"
#define ARCH_IN_FLOAT  "+w"
#define ARCH_WITH_FMA
#define ARCH_VECTOR_BITS 128 /* at most, that arith knows */
#define ARCH_CHAINS	 24  /* and two constants and two more in registers */
#define ARCH_HAS_FMA()	 true
#define ARCH_HAS_256()	 false

#define ARCH_ARGUMENTS 8 /* in registers: AAPCS64, 6.8.2 */

/* ---- Loops --------------------------------------------------------------- */

ARCH_INLINE int arch_loop_memory(int n)
{
	const int last = n - 1;
	int i;

	__asm__ volatile("str wzr, %0\n\t"
			 "b 2f\n\t"
			 ".p2align 5\n"
			 "1:\n\t"
			 "ldr w9, %0\n\t"
			 "add w9, w9, #1\n\t"
			 "str w9, %0\n"
			 "2:\n\t"
			 "ldr w9, %0\n\t"
			 "ldr w10, %1\n\t"
			 "cmp w9, w10\n\t"
			 "b.le 1b"
			 : "=m"(i)
			 : "m"(last)
			 : "x9", "x10", "cc", "memory");
	return i;
}

ARCH_INLINE int arch_loop_register(int n)
{
	const int last = n - 1;
	int i;

	__asm__ volatile("mov %w0, #0\n\t"
			 "b 2f\n\t"
			 ".p2align 5\n"
			 "1:\n\t"
			 "add %w0, %w0, #1\n"
			 "2:\n\t"
			 "cmp %w0, %w1\n\t"
			 "b.le 1b"
			 : "=&r"(i)
			 : "r"(last)
			 : "cc", "memory");
	return i;
}

ARCH_INLINE void arch_add_words(uint64_t *a, uint64_t *b, uint64_t *c,
				uint64_t *d, const char *at)
{
	uint64_t p, q, r, s;

	__asm__("ldp %4, %5, [%8]\n\t"
		"ldp %6, %7, [%8, #16]\n\t"
		"add %0, %0, %4\n\t"
		"add %1, %1, %5\n\t"
		"add %2, %2, %6\n\t"
		"add %3, %3, %7"
		: "+r"(*a), "+r"(*b), "+r"(*c), "+r"(*d), "=&r"(p), "=&r"(q),
		  "=&r"(r), "=&r"(s)
		: "r"(at), "m"(*(const char(*)[32])at));
}

/* One instruction where the processor has it (FEAT_LSE), else a loop of
 * exclusives; both acquire and release. */
static inline bool arch_has_lse(void)
{
	return getauxval(AT_HWCAP) >> 8 & 1; /* HWCAP_ATOMICS */
}

/* Which of them is asked before the loop, not in it. */
ARCH_INLINE void arch_atomic_adds(_Atomic uint64_t *to, uint64_t n)
{
	uint64_t old, sum;
	uint32_t busy;

	if (arch_has_lse()) {
		for (uint64_t i = 0; i < n; i++)
			__asm__ volatile(".arch_extension lse\n\t"
					 "ldaddal %2, %0, %1"
					 : "=r"(old), "+Q"(*to)
					 : "r"((uint64_t)1)
					 : "memory");
		return;
	}
	for (uint64_t i = 0; i < n; i++)
		__asm__ volatile("1:\n\t"
				 "ldaxr %0, %3\n\t"
				 "add %1, %0, #1\n\t"
				 "stlxr %w2, %1, %3\n\t"
				 "cbnz %w2, 1b"
				 : "=&r"(old), "=&r"(sum), "=&r"(busy),
				   "+Q"(*to)
				 :
				 : "memory");
}

#define ARCH_ATOMIC_ADD() (arch_has_lse() ? "ldaddal" : "ldaxr, stlxr")

/* ---- Into the kernel ----------------------------------------------------- */

#define ARCH_CLOCKSOURCE     "arch_sys_counter"
#define ARCH_AUDIT	     AUDIT_ARCH_AARCH64
#define ARCH_VDSO(fn)	     "__kernel_" fn
#define ARCH_KERNEL_CALL(fn) "__arm64_sys_" fn

ARCH_INLINE long arch_syscall(long number, long a, long b, long c, long d)
{
	register long x8 __asm__("x8") = number;
	register long x0 __asm__("x0") = a;
	register long x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = c;
	register long x3 __asm__("x3") = d;

	__asm__ volatile("svc #0"
			 : "+r"(x0)
			 : "r"(x8), "r"(x1), "r"(x2), "r"(x3)
			 : "memory", "cc");
	return x0;
}

#include "plain_calls.h"

ARCH_INLINE void arch_store_marked(volatile void *to,
				   volatile uintptr_t *resume)
{
	uintptr_t behind;

	__asm__ volatile("adr %0, 1f\n\t"
			 "str %0, %1\n\t"
			 "strb wzr, [%2]\n\t"
			 "1:"
			 : "=&r"(behind), "=m"(*resume)
			 : "r"(to)
			 : "memory");
}

#define ARCH_SET_PC(uc, to) ((uc)->uc_mcontext.pc = (to))

/* ---- The reads that bench/cpu/timer.c shows ------------------------------ */

#define ARCH_READS(X)                                               \
	X(cntvct, "cntvct", TIMER_NONE, timer_none_begin)           \
	X(cntvctss, "cntvctss", TIMER_CNTVCTSS, arch_read_cntvctss) \
	X(isb_cntvct, "isb+cntvct", TIMER_NONE, arch_read_behind)   \
	X(isb_cntvct_isb, "isb+cntvct+isb", TIMER_NONE, timer_isb_begin)

/* Without what timer_asm.h has after them. */
ARCH_INLINE uint64_t arch_read_behind(void)
{
	uint64_t now;

	__asm__ volatile("isb\n\tmrs %0, cntvct_el0" : "=r"(now) : : "memory");
	return now;
}

ARCH_INLINE uint64_t arch_read_cntvctss(void)
{
	uint64_t now;

	__asm__ volatile("mrs %0, s3_3_c14_c0_6" : "=r"(now) : : "memory");
	return now;
}

/* ---- The acceptance test ------------------------------------------------- */

#define ARCH_CERTIFIED TIMER_NONE, TIMER_ISB, TIMER_CNTVCTSS
/* No method shares what ends one interval with the next. */
#define ARCH_SHARED_ENDS(count, ticks, ...)

/* The counter itself may be read by the hypervisor or the kernel instead. */
#define ARCH_TRAP "trap"
#define ARCH_TRAP_LOSS                                                \
	"a read of the counter traps: single events are known to no " \
	"better than that"

#endif
