/* SPDX-License-Identifier: MIT */
/*
 * The least program that can be executed: it ends, with the number of its
 * arguments, and does nothing else.
 * Freestanding, so that what `process` times is the kernel's exec and not a
 * dynamic linker's or a libc's start.  With SEGMENTS it has data, too, as the
 * programs have that a compiler makes: mk/linked.ld.
 */
#include "placement.h"

__asm__(".globl _start\n"
	".type _start, %function\n"
	"_start:\n\t" ARCH_START ".size _start, . - _start\n"
#ifdef SEGMENTS
	".section .rodata\n\t.quad 0\n\t"
	".data\n\t.quad 0\n\t"
	".bss\n\t.zero 64\n"
#endif
	".section .note.GNU-stack, \"\", %progbits\n");
