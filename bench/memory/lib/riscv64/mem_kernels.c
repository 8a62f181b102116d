/* SPDX-License-Identifier: MIT */
#include "../mem_kernels.h"

#include <stdint.h>

/*
 * The texts of the loops are put together from lines.  Addresses are a pointer
 * and a constant, so the pointers move, 512 bytes at a time.
 */
/* clang-format off */
#define AT(o, p)	o "(%[" p "])"
#define EIGHT(X)	X("0") X("64") X("128") X("192") X("256") X("320") \
			X("384") X("448")
#define WORDS(op, o, p) \
	op " a2, " AT(o, p) "\n\t" op " a3, " AT(o "+8", p) "\n\t" \
	op " a4, " AT(o "+16", p) "\n\t" op " a5, " AT(o "+24", p) "\n\t" \
	op " a6, " AT(o "+32", p) "\n\t" op " a7, " AT(o "+40", p) "\n\t" \
	op " t0, " AT(o "+48", p) "\n\t" op " t1, " AT(o "+56", p) "\n\t"
#define FIRST_WORDS \
	"mv a2, %[value]\n\t" "addi a3, a2, 1\n\t" "addi a4, a2, 2\n\t" \
	"addi a5, a2, 3\n\t" "addi a6, a2, 4\n\t" "addi a7, a2, 5\n\t" \
	"addi t0, a2, 6\n\t" "addi t1, a2, 7\n\t"
/* After a line was stored: other values for the next. */
#define NEXT_WORDS \
	"add a2, a2, %[step]\n\t" "add a4, a4, %[step]\n\t" \
	"add a6, a6, %[step]\n\t" "add t0, t0, %[step]\n\t"
#define FACTOR "fmv.d.x ft2, %[value]\n\t"

/* Eight sums of a line: what computes ft0, then the store. */
#define LINE_OF(how, o) how(o) how(o "+8") how(o "+16") how(o "+24") \
			how(o "+32") how(o "+40") how(o "+48") how(o "+56")
#define TRIAD(o) \
	"fld ft0, " AT(o, "c") "\n\t" "fld ft1, " AT(o, "b") "\n\t" \
	"fmul.d ft0, ft0, ft2\n\t" "fadd.d ft0, ft0, ft1\n\t" \
	"fsd ft0, " AT(o, "a") "\n\t"
#define SCALE(o) \
	"fld ft0, " AT(o, "b") "\n\t" "fmul.d ft0, ft0, ft2\n\t" \
	"fsd ft0, " AT(o, "a") "\n\t"
#define ADD(o) \
	"fld ft0, " AT(o, "c") "\n\t" "fld ft1, " AT(o, "b") "\n\t" \
	"fadd.d ft0, ft0, ft1\n\t" "fsd ft0, " AT(o, "a") "\n\t"

#define READ_LINE(o)  WORDS("ld", o, "a")
#define WRITE_LINE(o) WORDS("sd", o, "a") NEXT_WORDS
#define COPY_LINE(o)  WORDS("ld", o, "b") WORDS("sd", o, "a")
#define TRIAD_LINE(o) LINE_OF(TRIAD, o)
#define SCALE_LINE(o) LINE_OF(SCALE, o)
#define ADD_LINE(o)   LINE_OF(ADD, o)

#define CLOBBERS "memory", "a2", "a3", "a4", "a5", "a6", "a7", "t0", "t1", \
	"ft0", "ft1", "ft2"
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
					 line) "addi %[a], %[a], 512\n\t"      \
					       "addi %[b], %[b], 512\n\t"      \
					       "addi %[c], %[c], 512\n\t"      \
					       "addi %[left], %[left], -1\n\t" \
					       "bnez %[left], 1b"              \
				 : [a] "+r"(a), [b] "+r"(b), [c] "+r"(c),      \
				   [left] "+r"(left)                           \
				 : [step] "r"((uint64_t)MEM_STEP),             \
				   [value] "r"((uint64_t)(number))             \
				 : CLOBBERS);                                  \
	}

KERNEL(read_scalar, "", READ_LINE, 0)
KERNEL(write_scalar, FIRST_WORDS, WRITE_LINE, MEM_FIRST)
KERNEL(copy_scalar, "", COPY_LINE, 0)
KERNEL(triad_scalar, FACTOR, TRIAD_LINE, MEM_THREE)
KERNEL(scale_scalar, FACTOR, SCALE_LINE, MEM_THREE)
KERNEL(add_scalar, "", ADD_LINE, 0)

/* Reads at four places, a line at each in turn. */
__attribute__((noinline)) static void read4_scalar(void *a, const void *b,
						   const void *c, size_t bytes)
{
	const size_t quarter = bytes / 4;
	char *p = a, *q = p + quarter, *r = q + quarter, *s = r + quarter;
	size_t left = quarter / 64;

	__asm__ volatile(".p2align 5\n\t"
			 "1:\n\t" WORDS("ld", "0",
					"p") WORDS("ld", "0",
						   "q") WORDS("ld", "0", "r")
				 WORDS("ld", "0",
				       "s") "addi %[p], %[p], 64\n\t"
					    "addi %[q], %[q], 64\n\t"
					    "addi %[r], %[r], 64\n\t"
					    "addi %[s], %[s], 64\n\t"
					    "addi %[left], %[left], -1\n\t"
					    "bnez %[left], 1b"
			 : [p] "+r"(p), [q] "+r"(q), [r] "+r"(r), [s] "+r"(s),
			   [left] "+r"(left)
			 :
			 : CLOBBERS);
}

/* There are no stores past the caches, and no prefetches that all have. */
static mem_kernel_fn *const kernels[MEM_OPS][MEM_ISAS] = {
	[MEM_READ] = { [MEM_SCALAR] = read_scalar },
	[MEM_READ4] = { [MEM_SCALAR] = read4_scalar },
	[MEM_WRITE] = { [MEM_SCALAR] = write_scalar,
			[MEM_LIBC] = mem_write_libc },
	[MEM_CLEAR] = { [MEM_LIBC] = mem_clear_libc },
	[MEM_COPY] = { [MEM_SCALAR] = copy_scalar, [MEM_LIBC] = mem_copy_libc },
	[MEM_TRIAD] = { [MEM_SCALAR] = triad_scalar },
	[MEM_SCALE] = { [MEM_SCALAR] = scale_scalar },
	[MEM_ADD] = { [MEM_SCALAR] = add_scalar },
};

int mem_isa_usable(enum mem_isa isa)
{
	return isa != MEM_RVV || mem_vla_usable();
}

/* Of those that have all the loops. */
enum mem_isa mem_isa_widest(void)
{
	return MEM_SCALAR;
}

mem_kernel_fn *mem_kernel(enum mem_op op, enum mem_isa isa)
{
	return isa == MEM_RVV ? mem_vla_kernel(op) : kernels[op][isa];
}

__attribute__((noinline)) void mem_read_ints(const void *a, size_t bytes)
{
	const char *at = a, *end = at + bytes;

	__asm__ volatile("1:\n\t"
			 "lw t0, 0(%0)\n\t"
			 "lw t0, 256(%0)\n\t"
			 "lw t0, 512(%0)\n\t"
			 "lw t0, 768(%0)\n\t"
			 "addi %0, %0, 1024\n\t"
			 "bltu %0, %1, 1b"
			 : "+r"(at)
			 : "r"(end)
			 : "t0", "memory");
}

__attribute__((noinline)) void mem_write_ints(void *a, size_t bytes)
{
	char *at = a, *end = at + bytes;

	/* The low half of the address: neither zero nor constant. */
	__asm__ volatile("1:\n\t"
			 "sw %0, 0(%0)\n\t"
			 "sw %0, 256(%0)\n\t"
			 "sw %0, 512(%0)\n\t"
			 "sw %0, 768(%0)\n\t"
			 "addi %0, %0, 1024\n\t"
			 "bltu %0, %1, 1b"
			 : "+r"(at)
			 : "r"(end)
			 : "memory");
}
