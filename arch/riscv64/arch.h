/* SPDX-License-Identifier: MIT */
#ifndef ARCH_H
#define ARCH_H

#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>

/*
 * riscv64, all of it that the programs ask for beside the counter
 * (timer_asm.h). Each is explained in arch/contract.h.
 */
#define ARCH_NAME   "riscv64"
#define ARCH_INLINE static inline __attribute__((always_inline))

/* ---- Instructions, as text ---------------------------------------------- */

#define ARCH_ADD(to, by)  "add " to ", " to ", " by "\n\t"
#define ARCH_MUL(to, by)  "mul " to ", " to ", " by "\n\t"
#define ARCH_LOAD(to, at) "ld " to ", 0(" at ")\n\t"
#define ARCH_LOAD_AT(to, at, i) \
	"add " to ", " at ", " i "\n\tld " to ", 0(" to ")\n\t"
#define ARCH_AGAIN(n, to) "addi " n ", " n ", -1\n\tbnez " n ", " to "\n\t"
#define ARCH_FENCE()	  __asm__ volatile("fence iorw, iorw" : : : "memory")
/* PAUSE is a FENCE that orders nothing: old processors do nothing either. */
#define ARCH_PAUSE()	   __asm__ volatile(".word 0x0100000f" : : : "memory")
#define ARCH_STREAM(at, v) (*(volatile long long *)(at) = (v))
#define ARCH_STREAMED()	   __asm__ volatile("fence w, w" : : : "memory")
#define ARCH_PREFETCH(at)  __builtin_prefetch(at)
#define ARCH_FLUSH(at)	   ((void)(at))
#define ARCH_FLUSHED()	   ((void)0)
#define ARCH_NO_FLUSH \
	"nothing that programs may use throws a line out of the caches here"

/* Chains of truth. */
#define ARCH_CHAIN_X		       "+r"
#define ARCH_CHAIN_Y		       "r"
#define ARCH_CHAIN_ADD		       "add %0, %0, %2\n\t"
#define ARCH_CHAIN_SECOND	       "sub %0, %0, %2\n\t"
#define ARCH_CHAIN_SECOND_NAME	       "subtract"
#define ARCH_CHAIN_SECOND_LEFT(x, sum) ((x) - (sum))
#define ARCH_CHAIN_MUL		       "mulw %0, %0, %2\n\t"

/* Types of arith that stand in floating-point registers, and what not all
 * have. */
#define ARCH_IN_VECTOR "+f"
#define ARCH_IN_FLOAT  "+f"
#define ARCH_WITH_FMA
#define ARCH_VECTOR_BITS 0  /* at most, that arith knows */
#define ARCH_CHAINS	 24 /* and two constants and two more in registers */
#define ARCH_HAS_FMA()	 true
#define ARCH_HAS_256()	 false

#define ARCH_ARGUMENTS 8 /* in registers: RISC-V ELF psABI, 2.1 */

/* ---- Loops --------------------------------------------------------------- */

ARCH_INLINE int arch_loop_memory(int n)
{
	const int last = n - 1;
	int i;

	__asm__ volatile("sw zero, %0\n\t"
			 "j 2f\n\t"
			 ".p2align 5\n"
			 "1:\n\t"
			 "lw t0, %0\n\t"
			 "addiw t0, t0, 1\n\t"
			 "sw t0, %0\n"
			 "2:\n\t"
			 "lw t0, %0\n\t"
			 "lw t1, %1\n\t"
			 "ble t0, t1, 1b"
			 : "=m"(i)
			 : "m"(last)
			 : "t0", "t1", "memory");
	return i;
}

ARCH_INLINE int arch_loop_register(int n)
{
	const int last = n - 1;
	int i;

	__asm__ volatile("li %0, 0\n\t"
			 "j 2f\n\t"
			 ".p2align 5\n"
			 "1:\n\t"
			 "addiw %0, %0, 1\n"
			 "2:\n\t"
			 "ble %0, %1, 1b"
			 : "=&r"(i)
			 : "r"(last)
			 : "memory");
	return i;
}

ARCH_INLINE void arch_add_words(uint64_t *a, uint64_t *b, uint64_t *c,
				uint64_t *d, const char *at)
{
	uint64_t p, q, r, s;

	__asm__("ld %4, 0(%8)\n\t"
		"ld %5, 8(%8)\n\t"
		"ld %6, 16(%8)\n\t"
		"ld %7, 24(%8)\n\t"
		"add %0, %0, %4\n\t"
		"add %1, %1, %5\n\t"
		"add %2, %2, %6\n\t"
		"add %3, %3, %7"
		: "+r"(*a), "+r"(*b), "+r"(*c), "+r"(*d), "=&r"(p), "=&r"(q),
		  "=&r"(r), "=&r"(s)
		: "r"(at), "m"(*(const char(*)[32])at));
}

ARCH_INLINE void arch_atomic_adds(_Atomic uint64_t *to, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++) {
		uint64_t old;

		__asm__ volatile("amoadd.d.aqrl %0, %2, %1"
				 : "=r"(old), "+A"(*to)
				 : "r"((uint64_t)1)
				 : "memory");
	}
}

#define ARCH_ATOMIC_ADD() "amoadd.d.aqrl"

/* ---- Into the kernel ----------------------------------------------------- */

#define ARCH_CLOCKSOURCE     "riscv_clocksource"
#define ARCH_AUDIT	     AUDIT_ARCH_RISCV64
#define ARCH_VDSO(fn)	     "__vdso_" fn
#define ARCH_KERNEL_CALL(fn) "__riscv_sys_" fn

ARCH_INLINE long arch_syscall(long number, long a, long b, long c, long d)
{
	register long a7 __asm__("a7") = number;
	register long a0 __asm__("a0") = a;
	register long a1 __asm__("a1") = b;
	register long a2 __asm__("a2") = c;
	register long a3 __asm__("a3") = d;

	__asm__ volatile("ecall"
			 : "+r"(a0)
			 : "r"(a7), "r"(a1), "r"(a2), "r"(a3)
			 : "memory");
	return a0;
}

#include "plain_calls.h"

ARCH_INLINE void arch_store_marked(volatile void *to,
				   volatile uintptr_t *resume)
{
	uintptr_t behind;

	__asm__ volatile("lla %0, 1f\n\t"
			 "sd %0, %1\n\t"
			 "sb zero, 0(%2)\n\t"
			 "1:"
			 : "=&r"(behind), "=m"(*resume)
			 : "r"(to)
			 : "memory");
}

#define ARCH_SET_PC(uc, to) ((uc)->uc_mcontext.__gregs[REG_PC] = (to))

/* ---- The reads that bench/cpu/timer.c shows ------------------------------ */

#define ARCH_READS(X)                                                 \
	X(rdtime, "rdtime", TIMER_NONE, timer_none_begin)             \
	X(fence_rdtime, "fence+rdtime", TIMER_NONE, arch_read_behind) \
	X(fence_rdtime_fence, "fence+rdtime+fence", TIMER_NONE,       \
	  timer_fence_begin)

/* Without what timer_asm.h has after it. */
ARCH_INLINE uint64_t arch_read_behind(void)
{
	uint64_t now;

	__asm__ volatile("fence iorw, iorw\n\trdtime %0"
			 : "=r"(now)
			 :
			 : "memory");
	return now;
}

/* ---- The acceptance test ------------------------------------------------- */

#define ARCH_CERTIFIED TIMER_NONE, TIMER_FENCE
/* No method shares what ends one interval with the next. */
#define ARCH_SHARED_ENDS(count, ticks, ...)

/* RDTIME may be done by the firmware instead. */
#define ARCH_TRAP "trap"
#define ARCH_TRAP_LOSS                                                 \
	"RDTIME traps to the firmware: single events are known to no " \
	"better than that"

#endif
