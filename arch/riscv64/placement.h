/* SPDX-License-Identifier: MIT */
/* Code that bench/cpu/placement.c copies: the number of iterations in the first
 * argument, those done as the result. */
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
