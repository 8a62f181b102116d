/* SPDX-License-Identifier: MIT */
#ifndef ARCH_H
#define ARCH_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>

/*
 * x86-64, all of it that the programs ask for beside the counter (timer_asm.h).
 * Their meaning: arch/contract.h.
 */
#define ARCH_NAME   "x86_64"
#define ARCH_INLINE static inline __attribute__((always_inline))

/* ---- Instructions, as text ---------------------------------------------- */

#define ARCH_ADD(to, by)	"add " by ", " to "\n\t"
#define ARCH_MUL(to, by)	"imul " by ", " to "\n\t"
#define ARCH_LOAD(to, at)	"mov (" at "), " to "\n\t"
#define ARCH_LOAD_AT(to, at, i) "mov (" at "," i "), " to "\n\t"
#define ARCH_AGAIN(n, to)	"dec " n "\n\tjnz " to "\n\t"
#define ARCH_FENCE()		__asm__ volatile("lfence" : : : "memory")
#define ARCH_PAUSE()		__builtin_ia32_pause()
#define ARCH_STREAM(at, v)	__builtin_ia32_movnti64((long long *)(at), v)
#define ARCH_STREAMED()		__builtin_ia32_sfence()
#define ARCH_PREFETCH(at)	__asm__ volatile("prefetcht0 (%0)" : : "r"(at))
#define ARCH_FLUSH(at)		__asm__ volatile("clflush (%0)" : : "r"(at) : "memory")
#define ARCH_FLUSHED()		__asm__ volatile("mfence" : : : "memory")
#define ARCH_NO_FLUSH		NULL

/* Chains of truth.  Registers are named so that lea has no base of rbp or r13,
 * which would make it a slower form. */
#define ARCH_CHAIN_X	       "+a"
#define ARCH_CHAIN_Y	       "S"
#define ARCH_CHAIN_ADD	       "add %%rsi, %%rax\n\t"
#define ARCH_CHAIN_SECOND      "lea (%%rax,%%rsi), %%rax\n\t"
#define ARCH_CHAIN_SECOND_NAME "lea"
/* The remainder of @x after the second chain, which should have added @sum. */
#define ARCH_CHAIN_SECOND_LEFT(x, sum) ((x) + (sum))
#define ARCH_CHAIN_MUL		       "imul %%esi, %%eax\n\t"

/* Types of arith that stand in vector registers, and what not all have. */
#define ARCH_IN_VECTOR	 "+x"
#define ARCH_IN_FLOAT	 "+x"
#define ARCH_WITH_FMA	 __attribute__((target("fma")))
#define ARCH_WITH_256	 __attribute__((target("avx")))
#define ARCH_VECTOR_BITS 256 /* at most, that arith knows */
#define ARCH_CHAINS	 12  /* and two constants and two more in registers */
#define ARCH_HAS_FMA()	 __builtin_cpu_supports("fma")
#define ARCH_HAS_256()	 __builtin_cpu_supports("avx")

#define ARCH_ARGUMENTS 6 /* in registers: System V psABI, section 3.2.3 */

/* ---- Loops --------------------------------------------------------------- */

ARCH_INLINE int arch_loop_memory(int n)
{
	const int last = n - 1;
	int i;

	__asm__ volatile("movl $0, %0\n\t"
			 "jmp 2f\n\t"
			 ".p2align 5\n"
			 "1:\n\t"
			 "addl $1, %0\n"
			 "2:\n\t"
			 "movl %0, %%eax\n\t"
			 "cmpl %1, %%eax\n\t"
			 "jle 1b"
			 : "=m"(i)
			 : "m"(last)
			 : "eax", "cc", "memory");
	return i;
}

ARCH_INLINE int arch_loop_register(int n)
{
	const int last = n - 1;
	int i;

	__asm__ volatile("xorl %0, %0\n\t"
			 "jmp 2f\n\t"
			 ".p2align 5\n"
			 "1:\n\t"
			 "addl $1, %0\n"
			 "2:\n\t"
			 "cmpl %1, %0\n\t"
			 "jle 1b"
			 : "=&r"(i)
			 : "r"(last)
			 : "cc", "memory");
	return i;
}

ARCH_INLINE void arch_add_words(uint64_t *a, uint64_t *b, uint64_t *c,
				uint64_t *d, const char *at)
{
	__asm__("add (%4), %0\n\t"
		"add 8(%4), %1\n\t"
		"add 16(%4), %2\n\t"
		"add 24(%4), %3"
		: "+r"(*a), "+r"(*b), "+r"(*c), "+r"(*d)
		: "r"(at), "m"(*(const char(*)[32])at)
		: "cc");
}

/* xadd, for a compiler may turn an unused sum into `lock add`.  The lock prefix
 * is a full barrier. */
ARCH_INLINE void arch_atomic_adds(_Atomic uint64_t *to, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++) {
		uint64_t one = 1;

		__asm__ volatile("lock xadd %0, %1"
				 : "+r"(one), "+m"(*to)
				 :
				 : "memory", "cc");
	}
}

#define ARCH_ATOMIC_ADD() "lock xadd"

/* ---- Into the kernel ----------------------------------------------------- */

#define ARCH_CLOCKSOURCE     "tsc"
#define ARCH_AUDIT	     AUDIT_ARCH_X86_64
#define ARCH_VDSO(fn)	     "__vdso_" fn
#define ARCH_KERNEL_CALL(fn) "__x64_sys_" fn

/* SYSCALL destroys rcx (return address) and r11 (flags). */
ARCH_INLINE long raw_syscall(long number, long a, long b, long c)
{
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number), "D"(a), "S"(b), "d"(c)
			 : "rcx", "r11", "memory", "cc");
	return result;
}

ARCH_INLINE long raw_syscall4(long number, long a, long b, long c, long d)
{
	register long fourth __asm__("r10") = d;
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number), "D"(a), "S"(b), "d"(c), "r"(fourth)
			 : "rcx", "r11", "memory", "cc");
	return result;
}

/*
 * The 32-bit gate: 32-bit call numbers, structures and pointers (below 4 GiB),
 * and a 32-bit result.  Kernels before 4.17 zero r8 to r11.  A kernel without
 * IA-32 emulation answers with SIGSEGV: see probe_int80().
 */
#define ARCH_INT80   1
#define ARCH_MAP_LOW MAP_32BIT
ARCH_INLINE int raw_int80(int number, unsigned int a, unsigned int b,
			  unsigned int c, unsigned int d)
{
	int result;

	__asm__ volatile("int $0x80"
			 : "=a"(result)
			 : "a"(number), "b"(a), "c"(b), "d"(c), "S"(d)
			 : "r8", "r9", "r10", "r11", "memory", "cc");
	return result;
}

/* Numbers of the 32-bit table (arch/x86/entry/syscalls/syscall_32.tbl). */
#define INT80_READ	      3
#define INT80_WRITE	      4
#define INT80_CLOSE	      6
#define INT80_GETPID	      20
#define INT80_GETPPID	      64
#define INT80_GETCWD	      183
#define INT80_FSTAT64	      197
#define INT80_OPENAT	      295
#define INT80_FSTATAT64	      300
#define INT80_CLOCK_GETTIME64 403

ARCH_INLINE void arch_store_marked(volatile void *to,
				   volatile uintptr_t *resume)
{
	uintptr_t behind;

	__asm__ volatile("lea 1f(%%rip), %0\n\t"
			 "mov %0, %1\n\t"
			 "movb $1, (%2)\n\t"
			 "1:"
			 : "=&r"(behind), "=m"(*resume)
			 : "r"(to)
			 : "memory");
}

#define ARCH_SET_PC(uc, to) ((uc)->uc_mcontext.gregs[REG_RIP] = (greg_t)(to))

/* ---- The reads that bench/cpu/timer.c shows ------------------------------ */

#define ARCH_READS(X)                                                     \
	X(rdtsc, "rdtsc", TIMER_NONE, timer_none_begin)                   \
	X(rdtscp, "rdtscp", TIMER_LFENCE, arch_read_rdtscp)               \
	X(lfence_rdtsc, "lfence+rdtsc", TIMER_NONE, arch_read_behind)     \
	X(lfence_rdtsc_lfence, "lfence+rdtsc+lfence", TIMER_NONE,         \
	  timer_lfence_begin)                                             \
	X(rdtscp_lfence, "rdtscp+lfence", TIMER_LFENCE, timer_lfence_end) \
	X(cpuid_rdtsc, "cpuid+rdtsc", TIMER_CPUID2, timer_cpuid_begin)

/* RDTSC behind a fence, and RDTSCP, without what timer_asm.h has after them. */
ARCH_INLINE uint64_t arch_read_behind(void)
{
	uint32_t lo, hi;

	ARCH_FENCE();
	__asm__ volatile("rdtsc" : "=a"(lo), "=d"(hi) : : "memory");
	return (uint64_t)hi << 32 | lo;
}

ARCH_INLINE uint64_t arch_read_rdtscp(void)
{
	uint32_t lo, hi;

	__asm__ volatile("rdtscp" : "=a"(lo), "=d"(hi) : : "ecx", "memory");
	return (uint64_t)hi << 32 | lo;
}

/* ---- The acceptance test ------------------------------------------------- */

/* The paper's order, and the methods of which one CPUID is the end of one
 * interval and the begin of the next: see bench/cpu/lib/certify_sample.h. */
#define ARCH_CERTIFIED \
	TIMER_NONE, TIMER_CPUID2, TIMER_CPUID, TIMER_LFENCE, TIMER_LFENCE2

ARCH_INLINE void arch_serialise(void)
{
	__asm__ volatile("xor %%eax, %%eax\n\t"
			 "cpuid"
			 :
			 :
			 : "eax", "ebx", "ecx", "edx", "memory", "cc");
}

/* timer_cpuid_end(), but the sample is stored before the CPUID, so that this
 * does not stand between it and the read behind it. */
ARCH_INLINE void arch_end_cpuid(uint64_t begin, uint64_t *ticks)
{
	__asm__ volatile("rdtscp\n\t"
			 "shl $32, %%rdx\n\t"
			 "or %%rdx, %%rax\n\t"
			 "sub %1, %%rax\n\t"
			 "mov %%rax, %0\n\t"
			 "xor %%eax, %%eax\n\t"
			 "cpuid"
			 : "=m"(*ticks)
			 : "r"(begin)
			 : "rax", "rbx", "rcx", "rdx", "memory", "cc");
}

#define ARCH_SHARED_ENDS(count, ticks, ...)                         \
	case TIMER_CPUID:                                           \
		arch_serialise();                                   \
		while (count--) {                                   \
			const uint64_t begin_ = timer_none_begin(); \
			__VA_ARGS__;                                \
			arch_end_cpuid(begin_, ticks++);            \
		}                                                   \
		break;                                              \
	case TIMER_CPUID2:                                          \
		arch_serialise();                                   \
		while (count--) {                                   \
			const uint64_t begin_ = timer_none_begin(); \
			__VA_ARGS__;                                \
			*ticks++ = timer_cpuid2_end() - begin_;     \
		}                                                   \
		break;

/* Where the methods differ by what a hypervisor makes of an instruction. */
#define ARCH_TRAP "cpuid"
#define ARCH_TRAP_LOSS                                                 \
	"CPUID traps: the methods cpuid and cpuid2 disturb what they " \
	"measure; lfence does not"

#endif
