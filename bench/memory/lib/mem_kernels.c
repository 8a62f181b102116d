/* SPDX-License-Identifier: MIT */
/* What all architectures share; their loops are in ARCH/. */
#include "mem_kernels.h"

#include <string.h>

const struct mem_op_info mem_ops[MEM_OPS] = {
	[MEM_READ] = { "read", 1, MEM_READ, 0, 0 },
	[MEM_READ4] = { "read4", 1, MEM_READ, 0, 0 },
	[MEM_WRITE] = { "write", 1, MEM_WRITE, 0, 0 },
	[MEM_WRITE_PF] = { "write_pf", 1, MEM_WRITE, 0, 0 },
	[MEM_WRITE_NT] = { "write_nt", 1, MEM_WRITE_NT, 0, 0 },
	[MEM_CLEAR] = { "clear", 1, MEM_CLEAR, 0, 0 },
	[MEM_COPY] = { "copy", 2, MEM_COPY, 1, 0 },
	[MEM_COPY_PF] = { "copy_pf", 2, MEM_COPY, 1, 0 },
	[MEM_COPY_NT] = { "copy_nt", 2, MEM_COPY_NT, 1, 0 },
	[MEM_COPY_NT_PF] = { "copy_nt_pf", 2, MEM_COPY_NT, 1, 0 },
	[MEM_TRIAD] = { "triad", 3, MEM_TRIAD, 1, 3 },
	[MEM_TRIAD_PF] = { "triad_pf", 3, MEM_TRIAD, 1, 3 },
	[MEM_TRIAD_NT] = { "triad_nt", 3, MEM_TRIAD_NT, 1, 3 },
	[MEM_TRIAD_NT_PF] = { "triad_nt_pf", 3, MEM_TRIAD_NT, 1, 3 },
	[MEM_SCALE] = { "scale", 2, MEM_SCALE, 3, 0 },
	[MEM_SCALE_NT] = { "scale_nt", 2, MEM_SCALE_NT, 3, 0 },
	[MEM_ADD] = { "add", 3, MEM_ADD, 1, 1 },
	[MEM_ADD_NT] = { "add_nt", 3, MEM_ADD_NT, 1, 1 },
};

const char *const mem_isa_names[MEM_ISAS] = {
	[MEM_SCALAR] = "scalar", [MEM_SSE2] = "sse2", [MEM_AVX2] = "avx2",
	[MEM_AVX512] = "avx512", [MEM_NEON] = "neon", [MEM_SVE] = "sve",
	[MEM_RVV] = "rvv",	 [MEM_REP] = "rep",   [MEM_ZVA] = "dczva",
	[MEM_LIBC] = "libc",
};

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
