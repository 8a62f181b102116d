/* SPDX-License-Identifier: MIT */
/*
 * Core cycles of one operation of x86-64 of which 1, 8 or 12 chains run side by
 * side, from loops in assembler that share nothing with the suite: 240
 * operations in a pass, 2000 passes less 1000, by the same of a chain of adds,
 * whose cost is a cycle; medians of 41.  Usage: arith
 */
#include <stdio.h>
#include <stdlib.h>

#include "plain.h"

#define G1  "r8"
#define G8  G1 ",r9,r10,r11,r12,r13,r14,rax"
#define G12 G8 ",rbx,rcx,rdx,rsi"
#define V1  "xmm1"
#define V8  V1 ",xmm2,xmm3,xmm4,xmm5,xmm6,xmm7,xmm8"
#define V12 V8 ",xmm9,xmm10,xmm11,xmm12"

#define LOOP(name, operation, registers, times)                             \
	__attribute__((noinline)) static void name(unsigned long passes)    \
	{                                                                   \
		__asm__ volatile("mov $0x3ff0000000000000, %%r15\n\t"       \
				 "movq %%r15, %%xmm0\n\t"                   \
				 ".irp r," V12                              \
				 "\n\tmovaps %%xmm0, %%\\r\n\t.endr\n\t"    \
				 ".p2align 6\n1:\n\t.rept " times           \
				 "\n\t.irp r," registers "\n\t" operation   \
				 "\n\t.endr\n\t.endr\n\tdec %0\n\tjnz 1b"   \
				 : "+D"(passes)                             \
				 :                                          \
				 : "rax", "rbx", "rcx", "rdx", "rsi", "r8", \
				   "r9", "r10", "r11", "r12", "r13", "r14", \
				   "r15", "cc");                            \
	}
#define LOOPS(name, operation, kind)              \
	LOOP(name##_1, operation, kind##1, "240") \
	LOOP(name##_8, operation, kind##8, "30")  \
	LOOP(name##_12, operation, kind##12, "20")

LOOPS(add, "add %%r15, %%\\r", G)
LOOPS(imul, "imul %%r15, %%\\r", G)
LOOPS(addsd, "addsd %%xmm0, %%\\r", V)
LOOPS(mulsd, "mulsd %%xmm0, %%\\r", V)
LOOPS(divsd, "divsd %%xmm0, %%\\r", V)
LOOPS(sqrtsd, "sqrtsd %%\\r, %%\\r", V)
LOOPS(fmadd, "vfmadd132sd %%xmm0, %%xmm0, %%\\r", V)

static const struct {
	const char *name;
	void (*chains[3])(unsigned long passes);
} operations[] = {
#define ROW(name)                                     \
	{                                             \
#name,                                \
		{                                     \
			name##_1, name##_8, name##_12 \
		}                                     \
	}
	ROW(add),   ROW(imul),	 ROW(addsd), ROW(mulsd),
	ROW(divsd), ROW(sqrtsd), ROW(fmadd),
};

static double ns(void (*loop)(unsigned long passes))
{
	double begin, middle;

	loop(1000);
	begin = now();
	loop(1000);
	middle = now();
	loop(2000);
	return (now() - 2 * middle + begin) / 240e3;
}

static double cycles(void (*loop)(unsigned long passes))
{
	double x[41];

	for (int i = 0; i < 41; i++)
		x[i] = ns(loop) / ns(add_1);
	qsort(x, 41, sizeof(*x), ascending);
	return x[20];
}

int main(void)
{
	printf("%-8s %8s %8s %8s\n", "", "1 chain", "8", "12");
	for (size_t i = 0; i < sizeof(operations) / sizeof(*operations); i++) {
		printf("%-8s", operations[i].name);
		for (int k = 0; k < 3; k++)
			printf(" %8.3f", cycles(operations[i].chains[k]));
		printf("\n");
	}
	return 0;
}
