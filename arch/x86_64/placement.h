/* SPDX-License-Identifier: MIT */
/* Code that bench/cpu/placement.c copies: the number of iterations in the first
 * argument, those done as the result. */
#define ARCH_CODE_STEP 1 /* bytes: an instruction may begin at any of them */

#define ARCH_CODE_LOOP     \
	"xor %eax, %eax\n" \
	"1:\tinc %rax\n\t" \
	"dec %rdi\n\t"     \
	"jnz 1b\n\t"       \
	"ret\n"
#define ARCH_CODE_CALL     \
	"xor %eax, %eax\n" \
	"1:\tcall 2f\n\t"  \
	"dec %rdi\n\t"     \
	"jnz 1b\n\t"       \
	"ret\n"            \
	"2:\tinc %rax\n\t" \
	"ret\n"
#define ARCH_CODE_BRANCHES    \
	"xor %eax, %eax\n"    \
	"1:\tinc %rax\n\t"    \
	".rept 8\n\t"         \
	"test %rdi, %rdi\n\t" \
	"js 2f\n\t"           \
	".endr\n\t"           \
	"dec %rdi\n\t"        \
	"jnz 1b\n"            \
	"2:\tret\n"
