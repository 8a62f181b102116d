/* SPDX-License-Identifier: MIT */
/* What all architectures share; their loops are in ARCH/. */
#include "mem_kernels.h"

#include <string.h>

/* What an operation does to its arrays, by name. */
static const struct {
	const char *name;
	unsigned int arrays;
	enum mem_op family;
} ops[MEM_OPS] = {
	[MEM_READ] = { "read", 1, MEM_READ },
	[MEM_READ4] = { "read4", 1, MEM_READ },
	[MEM_WRITE] = { "write", 1, MEM_WRITE },
	[MEM_WRITE_PF] = { "write_pf", 1, MEM_WRITE },
	[MEM_WRITE_NT] = { "write_nt", 1, MEM_WRITE_NT },
	[MEM_CLEAR] = { "clear", 1, MEM_CLEAR },
	[MEM_COPY] = { "copy", 2, MEM_COPY },
	[MEM_COPY_PF] = { "copy_pf", 2, MEM_COPY },
	[MEM_COPY_NT] = { "copy_nt", 2, MEM_COPY_NT },
	[MEM_COPY_NT_PF] = { "copy_nt_pf", 2, MEM_COPY_NT },
	[MEM_TRIAD] = { "triad", 3, MEM_TRIAD },
	[MEM_TRIAD_PF] = { "triad_pf", 3, MEM_TRIAD },
	[MEM_TRIAD_NT] = { "triad_nt", 3, MEM_TRIAD_NT },
	[MEM_TRIAD_NT_PF] = { "triad_nt_pf", 3, MEM_TRIAD_NT },
	[MEM_SCALE] = { "scale", 2, MEM_SCALE },
	[MEM_SCALE_NT] = { "scale_nt", 2, MEM_SCALE_NT },
	[MEM_ADD] = { "add", 3, MEM_ADD },
	[MEM_ADD_NT] = { "add_nt", 3, MEM_ADD_NT },
};

const char *mem_op_name(enum mem_op op)
{
	return ops[op].name;
}

enum mem_op mem_op_family(enum mem_op op)
{
	return ops[op].family;
}

unsigned int mem_op_arrays(enum mem_op op)
{
	return ops[op].arrays;
}

const char *mem_isa_name(enum mem_isa isa)
{
	static const char *const names[MEM_ISAS] = {
		[MEM_SCALAR] = "scalar", [MEM_SSE2] = "sse2",
		[MEM_AVX2] = "avx2",	 [MEM_AVX512] = "avx512",
		[MEM_NEON] = "neon",	 [MEM_SVE] = "sve",
		[MEM_RVV] = "rvv",	 [MEM_REP] = "rep",
		[MEM_ZVA] = "dczva",	 [MEM_LIBC] = "libc",
	};

	return names[isa];
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
