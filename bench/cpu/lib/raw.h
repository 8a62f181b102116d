/* SPDX-License-Identifier: MIT */
#ifndef RAW_H
#define RAW_H

/*
 * System calls without libc: the bare instruction, for what libc would hide
 * (its wrapper, errno, the vDSO).  Unused arguments are 0.
 */
#define RAW_INLINE static inline __attribute__((always_inline))

/* The result is the kernel's: -errno on failure.  SYSCALL destroys rcx (return
 * address) and r11 (flags). */
RAW_INLINE long raw_syscall(long number, long a, long b, long c)
{
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number), "D"(a), "S"(b), "d"(c)
			 : "rcx", "r11", "memory", "cc");
	return result;
}

/*
 * The 32-bit gate: 32-bit call numbers, structures and pointers (below 4 GiB),
 * and a 32-bit result.  Kernels before 4.17 zero r8 to r11.  A kernel without
 * IA-32 emulation answers with SIGSEGV: see probe_int80().
 */
RAW_INLINE int raw_int80(int number, unsigned int a, unsigned int b,
			 unsigned int c)
{
	int result;

	__asm__ volatile("int $0x80"
			 : "=a"(result)
			 : "a"(number), "b"(a), "c"(b), "d"(c)
			 : "r8", "r9", "r10", "r11", "memory", "cc");
	return result;
}

/* Numbers of the 32-bit table (arch/x86/entry/syscalls/syscall_32.tbl). */
#define INT80_READ	      3
#define INT80_WRITE	      4
#define INT80_OPEN	      5
#define INT80_CLOSE	      6
#define INT80_GETPID	      20
#define INT80_GETPPID	      64
#define INT80_GETCWD	      183
#define INT80_STAT64	      195
#define INT80_FSTAT64	      197
#define INT80_CLOCK_GETTIME64 403

#endif
