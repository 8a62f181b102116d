/* SPDX-License-Identifier: MIT */
/* The parts that all architectures share; their loops are in ARCH/. */
#include "mem_kernels.h"

#include <string.h>

#include "arch.h"

#define OP(OP, name, arrays, FAMILY, b, c) { name, arrays, MEM_##FAMILY, b, c },
const struct mem_op_info mem_ops[MEM_OPS] = { MEM_EACH_OP(OP) };

#define NAME(ISA, name) name,
const char *const mem_isa_names[MEM_ISAS] = { MEM_EACH_ISA(NAME) };

enum mem_isa mem_isa_widest(void)
{
	int isa = MEM_REP - 1; /* the last registers */

	/* Not all that have the basic loops have this one. */
	while (!mem_kernel(MEM_SCALE, (enum mem_isa)isa) ||
	       !mem_isa_usable((enum mem_isa)isa))
		isa--;
	return (enum mem_isa)isa;
}

/* By pointers that the compiler knows nothing of: a call, never its own
 * expansion. */
static void *(*volatile libc_memset)(void *, int, size_t) = memset;
static void *(*volatile libc_memcpy)(void *, const void *, size_t) = memcpy;

void mem_write_libc(void *a, const void *b, const void *c, size_t bytes)
{
	libc_memset(a, MEM_SET_BYTE, bytes);
}

void mem_clear_libc(void *a, const void *b, const void *c, size_t bytes)
{
	libc_memset(a, 0, bytes);
}

void mem_copy_libc(void *a, const void *b, const void *c, size_t bytes)
{
	libc_memcpy(a, b, bytes);
}

void mem_fill(void *base, size_t bytes, uint64_t seed)
{
	long long *word = base;
	uint64_t x = seed | 1;

	/* A Weyl sequence: no two words alike.  As doubles they are in [1, 2),
	 * so that arithmetic on them never meets the slow cases (not a number,
	 * denormal).  Past the caches: half a second of a run is spent here. */
	for (size_t i = 0; i < bytes / sizeof(*word); i++) {
		x += 0x9e3779b97f4a7c15;
		ARCH_STREAM(&word[i],
			    (long long)((uint64_t)0x3ff << 52 | x >> 12));
	}
	ARCH_STREAMED();
}
