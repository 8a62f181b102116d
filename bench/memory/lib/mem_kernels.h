/* SPDX-License-Identifier: MIT */
#ifndef MEM_KERNELS_H
#define MEM_KERNELS_H

#include <stddef.h>
#include <stdint.h>

/*
 * Loops that move memory, in assembler, so that no compiler flag decides what
 * is measured.  All are in every binary; the processor reports which may run.
 * The stored value changes from block to block and is never zero (METHOD 9),
 * but for the libc and rep kernels, which store one byte all over.
 */
#define MEM_BLOCK    512 /* bytes: all lengths are multiples of it */
#define MEM_SET_BYTE 0x5a

/* The first value that the vector loops store, and its step from line to line
 * (or vector to vector): as doubles these stay between 1 and 2, so that the
 * triad may read them later. */
#define MEM_FIRST 0x3ff0123456789abcu /* read as a double: about 1.004 */
#define MEM_STEP  0x1e3779b1u	      /* 2^20 times and more */
#define MEM_THREE 0x4008000000000000u /* 3.0 */

/* The kinds of loops, by what they move memory with; an architecture has loops
 * of some.  scalar: registers that every processor has; rep: rep stosb, rep
 * movsb; dczva: dc zva; libc: memset(), memcpy(). */
#define MEM_EACH_ISA(X)     \
	X(SCALAR, "scalar") \
	X(SSE2, "sse2")     \
	X(AVX2, "avx2")     \
	X(AVX512, "avx512") \
	X(NEON, "neon")     \
	X(SVE, "sve")       \
	X(RVV, "rvv")       \
	X(REP, "rep")       \
	X(ZVA, "dczva")     \
	X(LIBC, "libc")
#define MEM_ISA_(ISA, name) MEM_##ISA,
enum mem_isa { MEM_EACH_ISA(MEM_ISA_) MEM_ISAS };

/* The operations: number of arrays, each counted once in its bytes; the
 * operation of which it is a variant, or itself; for copies and sums the
 * factors of b and c in a[i].  read4: as read, but at four places at once, a
 * quarter apart: more misses under way than one prefetched stream keeps.
 * clear: writes zeros.  triad: a[i] = b[i] + 3 * c[i], doubles.  _pf: prefetch
 * instructions ask for the line 2 KiB ahead.  scale and add are the other two
 * of STREAM: in memory, with the widest registers.  _ints: the report's access,
 * one 4-byte integer in each 256 bytes, whose value is not used. */
#define MEM_EACH_OP(X)                                   \
	X(READ, "read", 1, READ, 0, 0)                   \
	X(READ4, "read4", 1, READ, 0, 0)                 \
	X(WRITE, "write", 1, WRITE, 0, 0)                \
	X(WRITE_NT, "write_nt", 1, WRITE_NT, 0, 0)       \
	X(CLEAR, "clear", 1, CLEAR, 0, 0)                \
	X(COPY, "copy", 2, COPY, 1, 0)                   \
	X(COPY_NT, "copy_nt", 2, COPY_NT, 1, 0)          \
	X(TRIAD, "triad", 3, TRIAD, 1, 3)                \
	X(TRIAD_NT, "triad_nt", 3, TRIAD_NT, 1, 3)       \
	X(WRITE_PF, "write_pf", 1, WRITE, 0, 0)          \
	X(COPY_PF, "copy_pf", 2, COPY, 1, 0)             \
	X(COPY_NT_PF, "copy_nt_pf", 2, COPY_NT, 1, 0)    \
	X(TRIAD_PF, "triad_pf", 3, TRIAD, 1, 3)          \
	X(TRIAD_NT_PF, "triad_nt_pf", 3, TRIAD_NT, 1, 3) \
	X(SCALE, "scale", 2, SCALE, 3, 0)                \
	X(SCALE_NT, "scale_nt", 2, SCALE_NT, 3, 0)       \
	X(ADD, "add", 3, ADD, 1, 1)                      \
	X(ADD_NT, "add_nt", 3, ADD_NT, 1, 1)             \
	X(READ_INTS, "read_ints", 1, READ, 0, 0)         \
	X(WRITE_INTS, "write_ints", 1, READ, 0, 0)
#define MEM_OP_(OP, ...) MEM_##OP,
enum mem_op { MEM_EACH_OP(MEM_OP_) MEM_OPS };

/* @a is written (or read, by the reading kernels), @b and @c are read; each
 * 64-byte aligned and @bytes long, more than 0. */
typedef void mem_kernel_fn(void *a, const void *b, const void *c, size_t bytes);

extern const struct mem_op_info {
	const char *name;
	unsigned int arrays;
	enum mem_op family;
	double b, c;
} mem_ops[MEM_OPS];

extern const char *const mem_isa_names[MEM_ISAS];

/* In ARCH/: mem_isa_usable() - whether this processor and its kernel can run
 * it.  mem_kernel() - the loop, or NULL if there is none for this pair. */
int mem_isa_usable(enum mem_isa isa);
mem_kernel_fn *mem_kernel(enum mem_op op, enum mem_isa isa);

/* mem_isa_widest() - the widest usable registers that have all loops. */
enum mem_isa mem_isa_widest(void);

/* Libc's functions. */
mem_kernel_fn mem_write_libc, mem_clear_libc, mem_copy_libc;

/* mem_fill() - write numbers that are neither zero nor constant to all of
 * [@base, @base + @bytes), a multiple of 8: some machines treat zeros apart
 *.  Touches every page. */
void mem_fill(void *base, size_t bytes, uint64_t seed);

#endif
