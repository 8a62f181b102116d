/* SPDX-License-Identifier: MIT */
/* The processor's string instructions. */
#include "../mem_kernels.h"

static void rep_set(void *a, size_t bytes, int byte)
{
	__asm__ volatile("rep stosb"
			 : "+D"(a), "+c"(bytes)
			 : "a"(byte)
			 : "memory");
}

void mem_write_rep(void *a, const void *b, const void *c, size_t bytes)
{
	rep_set(a, bytes, MEM_SET_BYTE);
}

void mem_clear_rep(void *a, const void *b, const void *c, size_t bytes)
{
	rep_set(a, bytes, 0);
}

void mem_copy_rep(void *a, const void *b, const void *c, size_t bytes)
{
	__asm__ volatile("rep movsb"
			 : "+D"(a), "+S"(b), "+c"(bytes)
			 :
			 : "memory");
}

__attribute__((noinline)) void mem_read_ints(const void *a, size_t bytes)
{
	const char *at = a, *end = at + bytes;

	__asm__ volatile("1:\n\t"
			 "mov (%0), %%eax\n\t"
			 "mov 256(%0), %%eax\n\t"
			 "mov 512(%0), %%eax\n\t"
			 "mov 768(%0), %%eax\n\t"
			 "add $1024, %0\n\t"
			 "cmp %1, %0\n\t"
			 "jb 1b"
			 : "+r"(at)
			 : "r"(end)
			 : "rax", "memory", "cc");
}

__attribute__((noinline)) void mem_write_ints(void *a, size_t bytes)
{
	char *at = a, *end = at + bytes;

	/* The low half of the address: neither zero nor constant. */
	__asm__ volatile("1:\n\t"
			 "mov %k0, (%0)\n\t"
			 "mov %k0, 256(%0)\n\t"
			 "mov %k0, 512(%0)\n\t"
			 "mov %k0, 768(%0)\n\t"
			 "add $1024, %0\n\t"
			 "cmp %1, %0\n\t"
			 "jb 1b"
			 : "+r"(at)
			 : "r"(end)
			 : "memory", "cc");
}
