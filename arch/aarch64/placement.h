/* SPDX-License-Identifier: MIT */
/* Code that bench/cpu/placement.c copies: the number of iterations in the first
 * argument, those done as the result. */
#define ARCH_CODE_STEP 4 /* bytes of an instruction */

#define ARCH_CODE_LOOP           \
	"mov x1, #0\n"           \
	"1:\tadd x1, x1, #1\n\t" \
	"subs x0, x0, #1\n\t"    \
	"b.ne 1b\n\t"            \
	"mov x0, x1\n\t"         \
	"ret\n"
#define ARCH_CODE_CALL           \
	"mov x9, x30\n\t"        \
	"mov x1, #0\n"           \
	"1:\tbl 2f\n\t"          \
	"subs x0, x0, #1\n\t"    \
	"b.ne 1b\n\t"            \
	"mov x0, x1\n\t"         \
	"ret x9\n"               \
	"2:\tadd x1, x1, #1\n\t" \
	"ret\n"
#define ARCH_CODE_BRANCHES       \
	"mov x1, #0\n"           \
	"1:\tadd x1, x1, #1\n\t" \
	".rept 8\n\t"            \
	"tbnz x0, #63, 2f\n\t"   \
	".endr\n\t"              \
	"subs x0, x0, #1\n\t"    \
	"b.ne 1b\n"              \
	"2:\tmov x0, x1\n\t"     \
	"ret\n"
