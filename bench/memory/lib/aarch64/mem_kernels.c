/* SPDX-License-Identifier: MIT */
#include "../mem_kernels.h"

#include <stdint.h>

/*
 * The texts of the loops are put together from lines: what one kind of
 * registers does with one cache line.  Addresses are a pointer and a constant,
 * so the pointers move, 512 bytes at a time.
 */
/* clang-format off */
#define AT(o, p)	"[%[" p "], #" o "]"
#define EIGHT(X)	X("0") X("64") X("128") X("192") X("256") X("320") \
			X("384") X("448")

/* A line as pairs of 8 or of 16 bytes. */
#define PAIRS_SCALAR(op, o, p) \
	op " x8, x9, " AT(o, p) "\n\t" op " x10, x11, " AT(o "+16", p) "\n\t" \
	op " x12, x13, " AT(o "+32", p) "\n\t" \
	op " x14, x15, " AT(o "+48", p) "\n\t"
#define PAIRS_NEON(op, o, p) \
	op " q0, q1, " AT(o, p) "\n\t" op " q2, q3, " AT(o "+32", p) "\n\t"

#define FIRST_SCALAR \
	"mov x8, %[value]\n\t" "add x9, x8, #1\n\t" "add x10, x8, #2\n\t" \
	"add x11, x8, #3\n\t" "add x12, x8, #4\n\t" "add x13, x8, #5\n\t" \
	"add x14, x8, #6\n\t" "add x15, x8, #7\n\t"
#define FIRST_NEON \
	"dup v15.2d, %[step]\n\t" "dup v0.2d, %[value]\n\t" \
	"mov v1.16b, v0.16b\n\t" "mov v2.16b, v0.16b\n\t" \
	"mov v3.16b, v0.16b\n\t"
/* After a line was stored: other values for the next. */
#define NEXT_SCALAR \
	"add x8, x8, %[step]\n\t" "add x10, x10, %[step]\n\t" \
	"add x12, x12, %[step]\n\t" "add x14, x14, %[step]\n\t"
#define NEXT_NEON "add v0.2d, v0.2d, v15.2d\n\t" "add v2.2d, v2.2d, v15.2d\n\t"
#define FACTOR	  "dup v14.2d, %[value]\n\t"

/* One that computes half a line (neon) or two words of it, then stores. */
#define SUM_SCALAR(op, o, how) \
	"ldp d2, d3, " AT(o, "b") "\n\t" how(o, "ldp d0, d1, ", "d0", "d1", \
	"d2", "d3", "d14") op " d0, d1, " AT(o, "a") "\n\t"
#define SUM_NEON(op, o, how) \
	"ldp q2, q3, " AT(o, "b") "\n\t" how(o, "ldp q0, q1, ", "v0.2d", \
	"v1.2d", "v2.2d", "v3.2d", "v14.2d") op " q0, q1, " AT(o, "a") "\n\t"
#define TRIAD(o, load, r0, r1, b0, b1, f) \
	load AT(o, "c") "\n\t" \
	"fmul " r0 ", " r0 ", " f "\n\t" "fmul " r1 ", " r1 ", " f "\n\t" \
	"fadd " r0 ", " r0 ", " b0 "\n\t" "fadd " r1 ", " r1 ", " b1 "\n\t"
#define SCALE(o, load, r0, r1, b0, b1, f) \
	"fmul " r0 ", " b0 ", " f "\n\t" "fmul " r1 ", " b1 ", " f "\n\t"
#define ADD(o, load, r0, r1, b0, b1, f) \
	load AT(o, "c") "\n\t" \
	"fadd " r0 ", " r0 ", " b0 "\n\t" "fadd " r1 ", " r1 ", " b1 "\n\t"
#define ALL_SCALAR(op, o, how) \
	SUM_SCALAR(op, o, how) SUM_SCALAR(op, o "+16", how) \
	SUM_SCALAR(op, o "+32", how) SUM_SCALAR(op, o "+48", how)
#define ALL_NEON(op, o, how) \
	SUM_NEON(op, o, how) SUM_NEON(op, o "+32", how)

/* Lines that come soon are asked for, in a state to be written if they will
 * be.  Beyond an array's end this does nothing that can be seen. */
#define AHEAD "2048"
#define FETCH(o, p)	"prfm pldl1keep, " AT(AHEAD "+" o, p) "\n\t"
#define FETCH_OWN(o, p) "prfm pstl1keep, " AT(AHEAD "+" o, p) "\n\t"

#define READ_S(o)     PAIRS_SCALAR("ldp", o, "a")
#define READ_N(o)     PAIRS_NEON("ldp", o, "a")
#define WRITE_S(o)    PAIRS_SCALAR("stp", o, "a") NEXT_SCALAR
#define WRITE_N(o)    PAIRS_NEON("stp", o, "a") NEXT_NEON
#define WRITE_NT_S(o) PAIRS_SCALAR("stnp", o, "a") NEXT_SCALAR
#define WRITE_NT_N(o) PAIRS_NEON("stnp", o, "a") NEXT_NEON
#define COPY_S(o)     PAIRS_SCALAR("ldp", o, "b") PAIRS_SCALAR("stp", o, "a")
#define COPY_N(o)     PAIRS_NEON("ldp", o, "b") PAIRS_NEON("stp", o, "a")
#define COPY_NT_S(o)  PAIRS_SCALAR("ldnp", o, "b") PAIRS_SCALAR("stnp", o, "a")
#define COPY_NT_N(o)  PAIRS_NEON("ldnp", o, "b") PAIRS_NEON("stnp", o, "a")
#define TRIAD_S(o)    ALL_SCALAR("stp", o, TRIAD)
#define TRIAD_N(o)    ALL_NEON("stp", o, TRIAD)
#define TRIAD_NT_S(o) ALL_SCALAR("stnp", o, TRIAD)
#define TRIAD_NT_N(o) ALL_NEON("stnp", o, TRIAD)
#define SCALE_N(o)    ALL_NEON("stp", o, SCALE)
#define SCALE_NT_N(o) ALL_NEON("stnp", o, SCALE)
#define ADD_N(o)      ALL_NEON("stp", o, ADD)
#define ADD_NT_N(o)   ALL_NEON("stnp", o, ADD)
#define WRITE_PF(o)   FETCH_OWN(o, "a") WRITE_N(o)
#define COPY_PF(o)    FETCH(o, "b") FETCH_OWN(o, "a") COPY_N(o)
#define COPY_NT_PF(o) FETCH(o, "b") COPY_NT_N(o)
#define TRIAD_PF(o) \
	FETCH(o, "b") FETCH(o, "c") FETCH_OWN(o, "a") TRIAD_N(o)
#define TRIAD_NT_PF(o) FETCH(o, "b") FETCH(o, "c") TRIAD_NT_N(o)

#define CLOBBERS "memory", "cc", "x8", "x9", "x10", "x11", "x12", "x13", \
	"x14", "x15", "v0", "v1", "v2", "v3", "v14", "v15"
/* clang-format on */

/* One loop over 512 bytes of each array, a line at a time. */
#define KERNEL(name, first, line, number)                                      \
	__attribute__((noinline)) static void name(void *a, const void *b,     \
						   const void *c,              \
						   size_t bytes)               \
	{                                                                      \
		size_t left = bytes / MEM_BLOCK;                               \
                                                                               \
		__asm__ volatile(first                                         \
				 ".p2align 5\n\t"                              \
				 "1:\n\t" EIGHT(                               \
					 line) "add %[a], %[a], #512\n\t"      \
					       "add %[b], %[b], #512\n\t"      \
					       "add %[c], %[c], #512\n\t"      \
					       "subs %[left], %[left], #1\n\t" \
					       "b.ne 1b"                       \
				 : [a] "+r"(a), [b] "+r"(b), [c] "+r"(c),      \
				   [left] "+r"(left)                           \
				 : [step] "r"((uint64_t)MEM_STEP),             \
				   [value] "r"((uint64_t)(number))             \
				 : CLOBBERS);                                  \
	}

/* Reads at four places, two lines at each in turn. */
#define KERNEL4(name, pairs)                                                  \
	__attribute__((noinline)) static void name(void *a, const void *b,    \
						   const void *c,             \
						   size_t bytes)              \
	{                                                                     \
		const size_t quarter = bytes / 4;                             \
		char *p = a, *q = p + quarter, *r = q + quarter;              \
		char *s = r + quarter;                                        \
		size_t left = quarter / 128;                                  \
                                                                              \
		__asm__ volatile(                                             \
			".p2align 5\n\t"                                      \
			"1:\n\t" pairs("ldp", "0", "p") pairs(                \
				"ldp", "0", "q") pairs("ldp", "0",            \
						       "r") pairs("ldp", "0", \
								  "s")        \
				pairs("ldp", "64",                            \
				      "p") pairs("ldp", "64",                 \
						 "q") pairs("ldp", "64", "r") \
					pairs("ldp", "64",                    \
					      "s") "add %[p], %[p], #128\n\t" \
						   "add %[q], %[q], #128\n\t" \
						   "add %[r], %[r], #128\n\t" \
						   "add %[s], %[s], #128\n\t" \
						   "subs %[left], %[left], "  \
						   "#1\n\t"                   \
						   "b.ne 1b"                  \
			: [p] "+r"(p), [q] "+r"(q), [r] "+r"(r), [s] "+r"(s), \
			  [left] "+r"(left)                                   \
			:                                                     \
			: CLOBBERS);                                          \
	}

KERNEL(read_scalar, "", READ_S, 0)
KERNEL(read_neon, "", READ_N, 0)
KERNEL4(read4_scalar, PAIRS_SCALAR)
KERNEL4(read4_neon, PAIRS_NEON)
KERNEL(write_scalar, FIRST_SCALAR, WRITE_S, MEM_FIRST)
KERNEL(write_neon, FIRST_NEON, WRITE_N, MEM_FIRST)
KERNEL(write_nt_scalar, FIRST_SCALAR, WRITE_NT_S, MEM_FIRST)
KERNEL(write_nt_neon, FIRST_NEON, WRITE_NT_N, MEM_FIRST)
KERNEL(copy_scalar, "", COPY_S, 0)
KERNEL(copy_neon, "", COPY_N, 0)
KERNEL(copy_nt_scalar, "", COPY_NT_S, 0)
KERNEL(copy_nt_neon, "", COPY_NT_N, 0)
KERNEL(triad_scalar, FACTOR, TRIAD_S, MEM_THREE)
KERNEL(triad_neon, FACTOR, TRIAD_N, MEM_THREE)
KERNEL(triad_nt_scalar, FACTOR, TRIAD_NT_S, MEM_THREE)
KERNEL(triad_nt_neon, FACTOR, TRIAD_NT_N, MEM_THREE)
KERNEL(write_pf, FIRST_NEON, WRITE_PF, MEM_FIRST)
KERNEL(copy_pf, "", COPY_PF, 0)
KERNEL(copy_nt_pf, "", COPY_NT_PF, 0)
KERNEL(triad_pf, FACTOR, TRIAD_PF, MEM_THREE)
KERNEL(triad_nt_pf, FACTOR, TRIAD_NT_PF, MEM_THREE)
KERNEL(scale_neon, FACTOR, SCALE_N, MEM_THREE)
KERNEL(scale_nt_neon, FACTOR, SCALE_NT_N, MEM_THREE)
KERNEL(add_neon, "", ADD_N, 0)
KERNEL(add_nt_neon, "", ADD_NT_N, 0)

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

#define ROW(op)                                                    \
	{                                                          \
		[MEM_SCALAR] = op##_scalar, [MEM_NEON] = op##_neon \
	}
#define ROW_LIBC(op)                                                \
	{                                                           \
		[MEM_SCALAR] = op##_scalar, [MEM_NEON] = op##_neon, \
		[MEM_LIBC] = mem_##op##_libc                        \
	}

static mem_kernel_fn *const kernels[MEM_OPS][MEM_ISAS] = {
	[MEM_READ] = ROW(read),
	[MEM_READ4] = ROW(read4),
	[MEM_WRITE] = ROW_LIBC(write),
	[MEM_WRITE_NT] = ROW(write_nt),
	[MEM_CLEAR] = { [MEM_ZVA] = clear_zva, [MEM_LIBC] = mem_clear_libc },
	[MEM_COPY] = ROW_LIBC(copy),
	[MEM_COPY_NT] = ROW(copy_nt),
	[MEM_TRIAD] = ROW(triad),
	[MEM_TRIAD_NT] = ROW(triad_nt),
	[MEM_WRITE_PF] = { [MEM_NEON] = write_pf },
	[MEM_COPY_PF] = { [MEM_NEON] = copy_pf },
	[MEM_COPY_NT_PF] = { [MEM_NEON] = copy_nt_pf },
	[MEM_TRIAD_PF] = { [MEM_NEON] = triad_pf },
	[MEM_TRIAD_NT_PF] = { [MEM_NEON] = triad_nt_pf },
	[MEM_SCALE] = { [MEM_NEON] = scale_neon },
	[MEM_SCALE_NT] = { [MEM_NEON] = scale_nt_neon },
	[MEM_ADD] = { [MEM_NEON] = add_neon },
	[MEM_ADD_NT] = { [MEM_NEON] = add_nt_neon },
};

int mem_isa_usable(enum mem_isa isa)
{
	return isa == MEM_SVE	? mem_vla_usable()
	       : isa == MEM_ZVA ? !(zva_id() >> 4 & 1)
				: 1;
}

/* Of those that have all the loops. */
enum mem_isa mem_isa_widest(void)
{
	return MEM_NEON;
}

mem_kernel_fn *mem_kernel(enum mem_op op, enum mem_isa isa)
{
	return isa == MEM_SVE ? mem_vla_kernel(op) : kernels[op][isa];
}

__attribute__((noinline)) void mem_read_ints(const void *a, size_t bytes)
{
	const char *at = a, *end = at + bytes;

	__asm__ volatile("1:\n\t"
			 "ldr w9, [%0]\n\t"
			 "ldr w9, [%0, #256]\n\t"
			 "ldr w9, [%0, #512]\n\t"
			 "ldr w9, [%0, #768]\n\t"
			 "add %0, %0, #1024\n\t"
			 "cmp %0, %1\n\t"
			 "b.lo 1b"
			 : "+r"(at)
			 : "r"(end)
			 : "x9", "memory", "cc");
}

__attribute__((noinline)) void mem_write_ints(void *a, size_t bytes)
{
	char *at = a, *end = at + bytes;

	/* The low half of the address: neither zero nor constant. */
	__asm__ volatile("1:\n\t"
			 "str %w0, [%0]\n\t"
			 "str %w0, [%0, #256]\n\t"
			 "str %w0, [%0, #512]\n\t"
			 "str %w0, [%0, #768]\n\t"
			 "add %0, %0, #1024\n\t"
			 "cmp %0, %1\n\t"
			 "b.lo 1b"
			 : "+r"(at)
			 : "r"(end)
			 : "memory", "cc");
}
