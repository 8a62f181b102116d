/* SPDX-License-Identifier: MIT */
#ifndef MEM_LOOPS_H
#define MEM_LOOPS_H

#include "mem_kernels.h"

/* clang-format off */
/*
 * The loops of one architecture, for its mem_kernels.c alone, which says before
 * that, as texts of instructions, I being a kind of registers (SCALAR ...) and
 * o an offset, by which the pointers a, b, c and d (of LOOP4) are not yet
 * moved:
 *
 * BEGIN(p, n)        the pointer for the n bytes from p on
 * LEFT(n, block)     what counts them down by blocks
 * BY(p, n), AGAIN(n) n bytes are over: move p on; back to 1 until %[left] is
 *                    used up
 * DONE(I)            what must be done after all, if anything
 *
 * LOAD(I, p, o)      a line (or vector) from pointer p into the data registers
 * STORE(I, p, o)     from these to p
 * LOAD_NT, STREAM    the same past the caches
 * FIRST_I, NEXT_I    what is written first, and the change from line to line
 * FACTOR_I           the number 3.0 into its register
 * SUM_I(HOW, put, o) a line of a = HOW (TRIAD, SCALE, ADD) of b and c, stored
 *                    with put, which is PUT_I or PUT_NT_I
 * FETCH(p, o), FETCH_OWN(p, o)  ask for the line MEM_AHEAD behind that, to be
 *                    read or written: in memory the stores' own fetches begin
 *                    too late otherwise.  Beyond an array this does nothing.
 * FENCE              non-temporal stores are done when it is over
 * LOOPS(K)           which there are: the lists below, with K
 *
 * CLOBBERS           what all of these may change
 * READ_INT(o), WRITE_INT(o), NEXT_INTS  of read_ints(): at address %0 + o;
 *                    back to 1 after 1 KiB until %1
 * OTHERS             MEM_IS() of what is no loop
 */
#define MEM_AHEAD "2048"

#define READ_LINE(I, o)	    LOAD(I, "a", o)
#define READ4_LINE(I, o)    LOAD(I, "a", o) LOAD(I, "b", o) LOAD(I, "c", o) \
			    LOAD(I, "d", o)
#define WRITE_LINE(I, o)    STORE(I, "a", o) NEXT_##I
#define WRITE_NT_LINE(I, o) STREAM(I, "a", o) NEXT_##I
#define COPY_LINE(I, o)	    LOAD(I, "b", o) STORE(I, "a", o)
#define COPY_NT_LINE(I, o)  LOAD_NT(I, "b", o) STREAM(I, "a", o)
#define TRIAD_LINE(I, o)    SUM_##I(TRIAD, PUT_##I, o)
#define TRIAD_NT_LINE(I, o) SUM_##I(TRIAD, PUT_NT_##I, o)
#define SCALE_LINE(I, o)    SUM_##I(SCALE, PUT_##I, o)
#define SCALE_NT_LINE(I, o) SUM_##I(SCALE, PUT_NT_##I, o)
#define ADD_LINE(I, o)	    SUM_##I(ADD, PUT_##I, o)
#define ADD_NT_LINE(I, o)   SUM_##I(ADD, PUT_NT_##I, o)
#define WRITE_PF_LINE(I, o) FETCH_OWN("a", o) WRITE_LINE(I, o)
#define COPY_PF_LINE(I, o)  FETCH("b", o) FETCH_OWN("a", o) COPY_LINE(I, o)
#define COPY_NT_PF_LINE(I, o) FETCH("b", o) COPY_NT_LINE(I, o)
#define TRIAD_PF_LINE(I, o) \
	FETCH("b", o) FETCH("c", o) FETCH_OWN("a", o) TRIAD_LINE(I, o)
#define TRIAD_NT_PF_LINE(I, o) \
	FETCH("b", o) FETCH("c", o) TRIAD_NT_LINE(I, o)

/* Lists of loops of a kind of registers I, in names i: what vectors of any
 * length have, by a loop L of their own; the same with stores past the caches;
 * and what others have. */
#define MEM_BASIC(K, L, I, i) \
	K(L, I, i, read, READ, "", "", 0) \
	K(L, I, i, write, WRITE, FIRST_##I, "", MEM_FIRST) \
	K(L, I, i, copy, COPY, "", "", 0) \
	K(L, I, i, triad, TRIAD, FACTOR_##I, "", MEM_THREE)
#define MEM_BASIC_NT(K, L, I, i) \
	K(L, I, i, write_nt, WRITE_NT, FIRST_##I, FENCE, MEM_FIRST) \
	K(L, I, i, copy_nt, COPY_NT, "", FENCE, 0) \
	K(L, I, i, triad_nt, TRIAD_NT, FACTOR_##I, FENCE, MEM_THREE)
#define MEM_PLACES(K, I, i) \
	K(LOOP4, I, i, read4, READ4, "", "", 0)
#define MEM_SUMS(K, I, i) \
	K(LOOP, I, i, scale, SCALE, FACTOR_##I, "", MEM_THREE) \
	K(LOOP, I, i, add, ADD, "", "", 0)
#define MEM_SUMS_NT(K, I, i) \
	K(LOOP, I, i, scale_nt, SCALE_NT, FACTOR_##I, FENCE, MEM_THREE) \
	K(LOOP, I, i, add_nt, ADD_NT, "", FENCE, 0)
#define MEM_FETCHED(K, I, i) \
	K(LOOP, I, i, write_pf, WRITE_PF, FIRST_##I, "", MEM_FIRST) \
	K(LOOP, I, i, copy_pf, COPY_PF, "", "", 0) \
	K(LOOP, I, i, copy_nt_pf, COPY_NT_PF, "", FENCE, 0) \
	K(LOOP, I, i, triad_pf, TRIAD_PF, FACTOR_##I, "", MEM_THREE) \
	K(LOOP, I, i, triad_nt_pf, TRIAD_NT_PF, FACTOR_##I, FENCE, MEM_THREE)
#define MEM_USUAL(K, I, i) \
	MEM_BASIC(K, LOOP, I, i) MEM_BASIC_NT(K, LOOP, I, i) MEM_PLACES(K, I, i)
#define MEM_EVERY(K, I, i) \
	MEM_USUAL(K, I, i) MEM_SUMS(K, I, i) MEM_SUMS_NT(K, I, i) \
	MEM_FETCHED(K, I, i)

/* Their functions, and where mem_kernel() finds them. */
#define MEM_IS(I, OP, fn) case MEM_##I * MEM_OPS + MEM_##OP: return fn;
#define MEM_CASE_(L, I, i, op, OP, first, end, number) \
	MEM_IS(I, OP, op##_##i)
#define MEM_LOOP_(L, I, i, op, OP, first, end, number) \
	L(I, op##_##i, first, OP##_LINE, end, number)

#define MEM_EIGHT(LINE, I) \
	LINE(I, "0") LINE(I, "64") LINE(I, "128") LINE(I, "192") \
	LINE(I, "256") LINE(I, "320") LINE(I, "384") LINE(I, "448")

#define MEM_FUNCTION(name) \
	__attribute__((noinline)) static void name(void *a, const void *b, \
						   const void *c, size_t bytes)

#ifndef DONE
#define DONE(I) ""
#endif

/* The function: first, with number in a register; LINE(I, o) for each line of a
 * block, over and over; end. */
#define LOOP(I, name, first, LINE, end, number) \
	MEM_FUNCTION(name) \
	{ \
		const char *p = BEGIN(a, bytes), *q = BEGIN(b, bytes); \
		const char *r = BEGIN(c, bytes); \
		size_t left = LEFT(bytes, MEM_BLOCK); \
\
		__asm__ volatile(first \
				 ".p2align 5\n\t" \
				 "1:\n\t" MEM_EIGHT(LINE, I) \
				 BY("a", "512") BY("b", "512") BY("c", "512") \
				 AGAIN("512") end DONE(I) \
				 : [a] "+r"(p), [b] "+r"(q), [c] "+r"(r), \
				   [left] "+r"(left) \
				 : [step] "r"((uint64_t)MEM_STEP), \
				   [value] "r"((uint64_t)(number)) \
				 : CLOBBERS); \
	}
/* The same for four pointers, a quarter of the bytes apart. */
#define LOOP4(I, name, first, LINE, end, number) \
	MEM_FUNCTION(name) \
	{ \
		const size_t quarter = bytes / 4; \
		const char *p = BEGIN(a, quarter), *q = p + quarter; \
		const char *r = q + quarter, *s = r + quarter; \
		size_t left = LEFT(quarter, 128); \
\
		__asm__ volatile(".p2align 5\n\t" \
				 "1:\n\t" LINE(I, "0") LINE(I, "64") \
				 BY("a", "128") BY("b", "128") BY("c", "128") \
				 BY("d", "128") AGAIN("128") DONE(I) \
				 : [a] "+r"(p), [b] "+r"(q), [c] "+r"(r), \
				   [d] "+r"(s), [left] "+r"(left) \
				 : \
				 : CLOBBERS); \
	}

LOOPS(MEM_LOOP_)

MEM_FUNCTION(read_ints)
{
	const char *at = a, *end = at + bytes;

	__asm__ volatile("1:\n\t" READ_INT("0") READ_INT("256") READ_INT("512")
			 READ_INT("768") NEXT_INTS
			 : "+r"(at)
			 : "r"(end)
			 : CLOBBERS);
}

/* Write the low half of the address: neither zero nor constant. */
MEM_FUNCTION(write_ints)
{
	char *at = a, *end = at + bytes;

	__asm__ volatile("1:\n\t" WRITE_INT("0") WRITE_INT("256")
			 WRITE_INT("512") WRITE_INT("768") NEXT_INTS
			 : "+r"(at)
			 : "r"(end)
			 : CLOBBERS);
}

mem_kernel_fn *mem_kernel(enum mem_op op, enum mem_isa isa)
{
	switch ((int)isa * MEM_OPS + (int)op) {
	LOOPS(MEM_CASE_)
	MEM_IS(SCALAR, READ_INTS, read_ints)
	MEM_IS(SCALAR, WRITE_INTS, write_ints)
	MEM_IS(LIBC, WRITE, mem_write_libc)
	MEM_IS(LIBC, CLEAR, mem_clear_libc)
	MEM_IS(LIBC, COPY, mem_copy_libc)
	OTHERS
	default:
		return NULL;
	}
}
/* clang-format on */

#endif
