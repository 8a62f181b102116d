/* SPDX-License-Identifier: MIT */
/* Code that is copied: by bench/cpu/placement.c, with the number of iterations
 * in the first argument, those done as the result. */
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

/* A loop_fn of bench/task/sync.c. */
#define ARCH_CODE_LOCK                  \
	"stp x29, x30, [sp, #-64]!\n\t" \
	"stp x19, x20, [sp, #16]\n\t"   \
	"stp x21, x22, [sp, #32]\n\t"   \
	"stp x23, x24, [sp, #48]\n\t"   \
	"mov x19, x0\n\t"               \
	"mov x20, x1\n\t"               \
	"mov x21, x2\n\t"               \
	"mov x22, x3\n\t"               \
	"mov x23, x4\n\t"               \
	"mov x24, #0\n"                 \
	"1:\tmov x0, x22\n\t"           \
	"blr x20\n\t"                   \
	"cmp w0, #0\n\t"                \
	"cinc x24, x24, ne\n\t"         \
	"ldr x9, [x23]\n\t"             \
	"add x9, x9, #1\n\t"            \
	"str x9, [x23]\n\t"             \
	"mov x0, x22\n\t"               \
	"blr x21\n\t"                   \
	"cmp w0, #0\n\t"                \
	"cinc x24, x24, ne\n\t"         \
	"subs x19, x19, #1\n\t"         \
	"b.ne 1b\n\t"                   \
	"mov x0, x24\n\t"               \
	"ldp x23, x24, [sp, #48]\n\t"   \
	"ldp x21, x22, [sp, #32]\n\t"   \
	"ldp x19, x20, [sp, #16]\n\t"   \
	"ldp x29, x30, [sp], #64\n\t"   \
	"ret\n"

#define ARCH_START           \
	"mov x8, #94\n\t"    \
	"ldr x0, [sp]\n\t"   \
	"sub x0, x0, #1\n\t" \
	"svc #0\n\t"         \
	"brk #0\n"
