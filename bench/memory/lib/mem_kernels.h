/* SPDX-License-Identifier: MIT */
#ifndef MEM_KERNELS_H
#define MEM_KERNELS_H

#include <stddef.h>
#include <stdint.h>

/*
 * Loops that move memory, in assembler, so that no compiler flag decides what
 * is measured.  All are in every binary; which may run is asked of the
 * processor.  What is stored changes from block to block and is never zero
 * (METHOD 9), but for the libc and rep kernels, which store one byte all over.
 */
#define MEM_BLOCK    512 /* bytes: all lengths are multiples of it */
#define MEM_SET_BYTE 0x5a

/* What the vector loops begin with and add from line to line (or vector to
 * vector) that they store: as doubles these stay between 1 and 2, so that the
 * triad may read them later. */
#define MEM_FIRST 0x3ff0123456789abcu /* read as a double: about 1.004 */
#define MEM_STEP  0x1e3779b1u	      /* 2^20 times and more */
#define MEM_THREE 0x4008000000000000u /* 3.0 */

/* The kinds of loops, by what they move memory with; an architecture has loops
 * of some. */
enum mem_isa {
	MEM_SCALAR, /* registers that every processor has */
	MEM_SSE2,
	MEM_AVX2,
	MEM_AVX512,
	MEM_NEON,
	MEM_SVE,
	MEM_RVV,
	MEM_REP,  /* rep stosb, rep movsb */
	MEM_ZVA,  /* dc zva */
	MEM_LIBC, /* memset(), memcpy() */
	MEM_ISAS
};

/* MEM_READ4: as MEM_READ, but at four places at once, a quarter apart: more
 * misses under way than one prefetched stream keeps.  _PF: what is 2 KiB ahead
 * is asked for by prefetch instructions. */
enum mem_op {
	MEM_READ,
	MEM_READ4,
	MEM_WRITE,
	MEM_WRITE_NT,
	MEM_CLEAR, /* writes zeros */
	MEM_COPY,
	MEM_COPY_NT,
	MEM_TRIAD, /* a[i] = b[i] + 3 * c[i], doubles */
	MEM_TRIAD_NT,
	MEM_WRITE_PF,
	MEM_COPY_PF,
	MEM_COPY_NT_PF,
	MEM_TRIAD_PF,
	MEM_TRIAD_NT_PF,
	/* The other two of STREAM: in memory, with the widest registers. */
	MEM_SCALE, /* a[i] = 3 * b[i] */
	MEM_SCALE_NT,
	MEM_ADD, /* a[i] = b[i] + c[i] */
	MEM_ADD_NT,
	MEM_OPS
};

/* @a is written (or read, by the reading kernels), @b and @c are read; each
 * 64-byte aligned and @bytes long, more than 0. */
typedef void mem_kernel_fn(void *a, const void *b, const void *c, size_t bytes);

/* What an operation does to its arrays, by enum mem_op. */
extern const struct mem_op_info {
	const char *name;    /* "read", "read4", "write", "write_pf" ... */
	unsigned int arrays; /* that it uses, each counted once in its bytes */
	enum mem_op family;  /* what it is a way of, or itself */
	double b, c;	     /* copies and sums: a[i] is so many of each */
} mem_ops[MEM_OPS];

/* "scalar", "sse2" ... "rep", "libc". */
extern const char *const mem_isa_names[MEM_ISAS];

/* The rest is in ARCH/.  mem_isa_usable() - whether this processor and its
 * kernel can run it. */
int mem_isa_usable(enum mem_isa isa);

/* mem_isa_widest() - the widest vectors that are usable. */
enum mem_isa mem_isa_widest(void);

/* mem_kernel() - the loop, or NULL if there is none for this pair. */
mem_kernel_fn *mem_kernel(enum mem_op op, enum mem_isa isa);

/* Libc's functions. */
mem_kernel_fn mem_write_libc, mem_clear_libc, mem_copy_libc;

/* The report's access: one 4-byte integer in each 256 bytes. */
void mem_read_ints(const void *a, size_t bytes);
void mem_write_ints(void *a, size_t bytes);

#endif
