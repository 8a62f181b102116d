/* SPDX-License-Identifier: MIT */
/* Code that is copied: by bench/cpu/placement.c, with the number of iterations
 * in the first argument, those done as the result. */
#define ARCH_CODE_STEP 4 /* bytes of an instruction, of those used here */

#define ARCH_CODE_LOOP           \
	".option push\n\t"       \
	".option norvc\n\t"      \
	"li a1, 0\n"             \
	"1:\taddi a1, a1, 1\n\t" \
	"addi a0, a0, -1\n\t"    \
	"bnez a0, 1b\n\t"        \
	"mv a0, a1\n\t"          \
	"ret\n\t"                \
	".option pop\n"
#define ARCH_CODE_CALL           \
	".option push\n\t"       \
	".option norvc\n\t"      \
	"mv t1, ra\n\t"          \
	"li a1, 0\n"             \
	"1:\tjal 2f\n\t"         \
	"addi a0, a0, -1\n\t"    \
	"bnez a0, 1b\n\t"        \
	"mv a0, a1\n\t"          \
	"jr t1\n"                \
	"2:\taddi a1, a1, 1\n\t" \
	"ret\n\t"                \
	".option pop\n"
#define ARCH_CODE_BRANCHES       \
	".option push\n\t"       \
	".option norvc\n\t"      \
	"li a1, 0\n"             \
	"1:\taddi a1, a1, 1\n\t" \
	".rept 8\n\t"            \
	"bltz a0, 2f\n\t"        \
	".endr\n\t"              \
	"addi a0, a0, -1\n\t"    \
	"bnez a0, 1b\n"          \
	"2:\tmv a0, a1\n\t"      \
	"ret\n\t"                \
	".option pop\n"

/* A loop_fn of bench/task/sync.c. */
#define ARCH_CODE_LOCK         \
	".option push\n\t"     \
	".option norvc\n\t"    \
	"addi sp, sp, -64\n\t" \
	"sd ra, 56(sp)\n\t"    \
	"sd s0, 48(sp)\n\t"    \
	"sd s1, 40(sp)\n\t"    \
	"sd s2, 32(sp)\n\t"    \
	"sd s3, 24(sp)\n\t"    \
	"sd s4, 16(sp)\n\t"    \
	"sd s5, 8(sp)\n\t"     \
	"mv s0, a0\n\t"        \
	"mv s1, a1\n\t"        \
	"mv s2, a2\n\t"        \
	"mv s3, a3\n\t"        \
	"mv s4, a4\n\t"        \
	"li s5, 0\n"           \
	"1:\tmv a0, s3\n\t"    \
	"jalr s1\n\t"          \
	"snez a0, a0\n\t"      \
	"add s5, s5, a0\n\t"   \
	"ld t0, 0(s4)\n\t"     \
	"addi t0, t0, 1\n\t"   \
	"sd t0, 0(s4)\n\t"     \
	"mv a0, s3\n\t"        \
	"jalr s2\n\t"          \
	"snez a0, a0\n\t"      \
	"add s5, s5, a0\n\t"   \
	"addi s0, s0, -1\n\t"  \
	"bnez s0, 1b\n\t"      \
	"mv a0, s5\n\t"        \
	"ld s5, 8(sp)\n\t"     \
	"ld s4, 16(sp)\n\t"    \
	"ld s3, 24(sp)\n\t"    \
	"ld s2, 32(sp)\n\t"    \
	"ld s1, 40(sp)\n\t"    \
	"ld s0, 48(sp)\n\t"    \
	"ld ra, 56(sp)\n\t"    \
	"addi sp, sp, 64\n\t"  \
	"ret\n\t"              \
	".option pop\n"

#define ARCH_START            \
	"li a7, 94\n\t"       \
	"ld a0, 0(sp)\n\t"    \
	"addi a0, a0, -1\n\t" \
	"ecall\n\t"           \
	"ebreak\n"
