/* SPDX-License-Identifier: MIT */
/* Code that is copied: by bench/cpu/placement.c, with the number of iterations
 * in the first argument, those done as the result. */
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

/* A loop_fn of bench/task/sync.c. */
#define ARCH_CODE_LOCK           \
	"push %rbx\n\t"          \
	"push %rbp\n\t"          \
	"push %r12\n\t"          \
	"push %r13\n\t"          \
	"push %r14\n\t"          \
	"push %r15\n\t"          \
	"sub $8, %rsp\n\t"       \
	"mov %rdi, %rbx\n\t"     \
	"mov %rsi, %rbp\n\t"     \
	"mov %rdx, %r12\n\t"     \
	"mov %rcx, %r13\n\t"     \
	"mov %r8, %r14\n\t"      \
	"xor %r15d, %r15d\n"     \
	"1:\tmov %r13, %rdi\n\t" \
	"call *%rbp\n\t"         \
	"cmp $1, %eax\n\t"       \
	"sbb $-1, %r15\n\t"      \
	"incq (%r14)\n\t"        \
	"mov %r13, %rdi\n\t"     \
	"call *%r12\n\t"         \
	"cmp $1, %eax\n\t"       \
	"sbb $-1, %r15\n\t"      \
	"dec %rbx\n\t"           \
	"jnz 1b\n\t"             \
	"mov %r15, %rax\n\t"     \
	"add $8, %rsp\n\t"       \
	"pop %r15\n\t"           \
	"pop %r14\n\t"           \
	"pop %r13\n\t"           \
	"pop %r12\n\t"           \
	"pop %rbp\n\t"           \
	"pop %rbx\n\t"           \
	"ret\n"

#define ARCH_START             \
	"mov $231, %eax\n\t"   \
	"mov (%rsp), %edi\n\t" \
	"dec %edi\n\t"         \
	"syscall\n\t"          \
	"hlt\n"
