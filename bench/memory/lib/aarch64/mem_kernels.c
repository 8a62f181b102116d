/* SPDX-License-Identifier: MIT */
#include "../mem_kernels.h"

#include <sys/auxv.h>

#define HWCAP_SVE_BIT 22

/* Addresses are a pointer and a constant, so the pointers move. */
/* clang-format off */
#define AT(o, p) "[%[" p "], #" o "]\n\t"
/* By vectors whose length only the processor knows, -8 to 7 of them. */
#define VL(o, p) "[%[" p "], #" o ", mul vl]\n\t"

/* A line as pairs of 8 or of 16 bytes; of SVE one vector. */
#define PIECES_SCALAR(op, p, o) \
	op "x8, x9, " AT(o, p) op "x10, x11, " AT(o "+16", p) \
	op "x12, x13, " AT(o "+32", p) op "x14, x15, " AT(o "+48", p)
#define PIECES_NEON(op, p, o) \
	op "q0, q1, " AT(o, p) op "q2, q3, " AT(o "+32", p)
#define LOAD_SCALAR(p, o)    PIECES_SCALAR("ldp ", p, o)
#define LOAD_NEON(p, o)	     PIECES_NEON("ldp ", p, o)
#define LOAD_SVE(p, o)	     "ldr z8, " VL(o, p)
#define LOAD_NT_SCALAR(p, o) PIECES_SCALAR("ldnp ", p, o)
#define LOAD_NT_NEON(p, o)   PIECES_NEON("ldnp ", p, o)
#define LOAD_NT_SVE	     LOAD_SVE
#define STORE_SCALAR(p, o)   PIECES_SCALAR("stp ", p, o)
#define STORE_NEON(p, o)     PIECES_NEON("stp ", p, o)
#define STORE_SVE(p, o)	     PUT_SVE VL(o, p)
#define STREAM_SCALAR(p, o)  PIECES_SCALAR("stnp ", p, o)
#define STREAM_NEON(p, o)    PIECES_NEON("stnp ", p, o)
#define STREAM_SVE(p, o)     PUT_NT_SVE VL(o, p)
#define LOAD(I, p, o)	     LOAD_##I(p, o)
#define LOAD_NT(I, p, o)     LOAD_NT_##I(p, o)
#define STORE(I, p, o)	     STORE_##I(p, o)
#define STREAM(I, p, o)	     STREAM_##I(p, o)
#define FENCE		     ""

#define FIRST_SCALAR \
	"mov x8, %[value]\n\t" "add x9, x8, #1\n\t" "add x10, x8, #2\n\t" \
	"add x11, x8, #3\n\t" "add x12, x8, #4\n\t" "add x13, x8, #5\n\t" \
	"add x14, x8, #6\n\t" "add x15, x8, #7\n\t"
#define FIRST_NEON \
	"dup v15.2d, %[step]\n\t" "dup v0.2d, %[value]\n\t" \
	"mov v1.16b, v0.16b\n\t" "mov v2.16b, v0.16b\n\t" \
	"mov v3.16b, v0.16b\n\t"
#define FIRST_SVE "dup z7.d, %[step]\n\t" "dup z8.d, %[value]\n\t"
#define NEXT_SCALAR \
	"add x8, x8, %[step]\n\t" "add x10, x10, %[step]\n\t" \
	"add x12, x12, %[step]\n\t" "add x14, x14, %[step]\n\t"
#define NEXT_NEON "add v0.2d, v0.2d, v15.2d\n\t" "add v2.2d, v2.2d, v15.2d\n\t"
#define NEXT_SVE  "add z8.d, z8.d, z7.d\n\t"

/* Half a line (neon) or two words of it, in registers 0 and 1. */
#define LDP(q, x, y, p, o) "ldp " q x ", " q y ", " AT(o, p)
#define FMUL(R, to, x)	   "fmul " R(to) ", " R(x) ", " R("14") "\n\t"
#define FADD(R, to, x)	   "fadd " R(to) ", " R(to) ", " R(x) "\n\t"
#define TRIAD(q, R, put, o) \
	LDP(q, "2", "3", "b", o) LDP(q, "0", "1", "c", o) \
	FMUL(R, "0", "0") FMUL(R, "1", "1") \
	FADD(R, "0", "2") FADD(R, "1", "3") put AT(o, "a")
#define SCALE(q, R, put, o) \
	LDP(q, "2", "3", "b", o) FMUL(R, "0", "2") FMUL(R, "1", "3") \
	put AT(o, "a")
#define ADD(q, R, put, o) \
	LDP(q, "2", "3", "b", o) LDP(q, "0", "1", "c", o) \
	FADD(R, "0", "2") FADD(R, "1", "3") put AT(o, "a")
#define WORD(n) "d" n
#define PAIR(n) "v" n ".2d"
#define SUM_SCALAR(HOW, put, o) \
	HOW("d", WORD, put, o) HOW("d", WORD, put, o "+16") \
	HOW("d", WORD, put, o "+32") HOW("d", WORD, put, o "+48")
#define SUM_NEON(HOW, put, o) \
	HOW("q", PAIR, put, o) HOW("q", PAIR, put, o "+32")
#define SUM_SVE(HOW, put, o) \
	LOAD_SVE("c", o) "ldr z16, " VL(o, "b") "fmul z8.d, z8.d, z6.d\n\t" \
	"fadd z8.d, z8.d, z16.d\n\t" put VL(o, "a")
#define PUT_SCALAR    "stp d0, d1, "
#define PUT_NT_SCALAR "stnp d0, d1, "
#define PUT_NEON      "stp q0, q1, "
#define PUT_NT_NEON   "stnp q0, q1, "
#define PUT_SVE	      "str z8, "
#define PUT_NT_SVE    "stnt1d {z8.d}, p0, "
#define FACTOR_SCALAR "dup v14.2d, %[value]\n\t"
#define FACTOR_NEON   FACTOR_SCALAR
#define FACTOR_SVE    "dup z6.d, %[value]\n\t"

#define FETCH(p, o)	"prfm pldl1keep, " AT(MEM_AHEAD "+" o, p)
#define FETCH_OWN(p, o) "prfm pstl1keep, " AT(MEM_AHEAD "+" o, p)

#define READ_INT(o)  "ldr w9, [%0, #" o "]\n\t"
#define WRITE_INT(o) "str %w0, [%0, #" o "]\n\t"
#define NEXT_INTS    "add %0, %0, #1024\n\tcmp %0, %1\n\tb.lo 1b"

#define BEGIN(p, n) ((const char *)(p))
#define LEFT(n, block) ((n) / (block))
#define BY(p, n) "add %[" p "], %[" p "], #" n "\n\t"
#define AGAIN(n) "subs %[left], %[left], #1\n\tb.ne 1b\n\t"
#define CLOBBERS "memory", "cc", "x8", "x9", "x10", "x11", "x12", "x13", \
	"x14", "x15", "v0", "v1", "v2", "v3", "v14", "v15"

/* Eight vectors in a pass; where those are more than MEM_BLOCK the last ones
 * by themselves. */
#define VECTORS_BY(n) \
	"addvl %[a], %[a], #" n "\n\taddvl %[b], %[b], #" n "\n\t" \
	"addvl %[c], %[c], #" n "\n\t"
#define VECTORS(I, name, first, LINE, end, number) \
	MEM_FUNCTION(name) \
	{ \
		size_t left = bytes, vector, pass; \
\
		__asm__ volatile( \
			".arch_extension sve\n\t" \
			"ptrue p0.b\n\t" first \
			"cntb %[vector]\n\t" \
			"lsl %[pass], %[vector], #3\n\t" \
			"cmp %[left], %[pass]\n\t" \
			"b.lo 2f\n\t" \
			".p2align 5\n\t" \
			"1:\n\t" LINE(I, "0") LINE(I, "1") LINE(I, "2") \
			LINE(I, "3") LINE(I, "4") LINE(I, "5") LINE(I, "6") \
			LINE(I, "7") VECTORS_BY("8") \
			"sub %[left], %[left], %[pass]\n\t" \
			"cmp %[left], %[pass]\n\t" \
			"b.hs 1b\n\t" \
			"2:\n\t" \
			"cbz %[left], 4f\n\t" \
			"3:\n\t" LINE(I, "0") VECTORS_BY("1") \
			"subs %[left], %[left], %[vector]\n\t" \
			"b.ne 3b\n\t" \
			"4:" \
			: [a] "+r"(a), [b] "+r"(b), [c] "+r"(c), \
			  [left] "+r"(left), [vector] "=&r"(vector), \
			  [pass] "=&r"(pass) \
			: [value] "r"((uint64_t)(number)), \
			  [step] "r"((uint64_t)MEM_STEP) \
			: "memory", "cc", "v0", "v6", "v7", "v8", "v16"); \
	}
#define LOOPS(K) \
	MEM_USUAL(K, SCALAR, scalar) MEM_EVERY(K, NEON, neon) \
	MEM_BASIC(K, VECTORS, SVE, sve) MEM_BASIC_NT(K, VECTORS, SVE, sve)
#define OTHERS MEM_IS(ZVA, CLEAR, clear_zva)
/* clang-format on */

/* DCZID_EL0: bit 4 says that DC ZVA is not allowed, bits 3:0 the logarithm of
 * its words of 4 bytes. */
static uint64_t zva_id(void)
{
	uint64_t id;

	__asm__("mrs %0, dczid_el0" : "=r"(id));
	return id;
}

static void clear_zva(void *a, const void *b, const void *c, size_t bytes)
{
	const size_t block = (size_t)4 << (zva_id() & 15);

	for (char *at = a; at < (char *)a + bytes; at += block)
		__asm__ volatile("dc zva, %0" : : "r"(at) : "memory");
}

#include "../mem_loops.h"

static size_t vector_bytes(void)
{
	size_t bytes;

	/* volatile: not before it is known that there is SVE */
	__asm__ volatile(".arch_extension sve\n\t"
			 "cntb %0"
			 : "=r"(bytes));
	return bytes;
}

int mem_isa_usable(enum mem_isa isa)
{
	/* Vectors that do not divide a block exist on paper. */
	return isa == MEM_SVE ? getauxval(AT_HWCAP) >> HWCAP_SVE_BIT & 1 &&
					MEM_BLOCK % vector_bytes() == 0
	       : isa == MEM_ZVA ? !(zva_id() >> 4 & 1)
				: 1;
}
