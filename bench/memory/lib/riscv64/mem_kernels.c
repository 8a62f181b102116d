/* SPDX-License-Identifier: MIT */
#include "../mem_kernels.h"

#include <sys/syscall.h>
#include <unistd.h>

/* riscv_hwprobe() of Linux 6.5: AT_HWCAP's V may be version 0.7.1, where
 * kernels of vendors set it. */
#define SYS_HWPROBE	  258
#define HWPROBE_IMA_EXT_0 4
#define HWPROBE_V_BIT	  2

/* Addresses are a pointer and a constant, so the pointers move.  There are no
 * stores past the caches, and no prefetches that all have. */
/* clang-format off */
#define AT(o, p) o "(%[" p "])\n\t"

#define LINE_SCALAR(op, p, o) \
	op "a2, " AT(o, p) op "a3, " AT(o "+8", p) op "a4, " AT(o "+16", p) \
	op "a5, " AT(o "+24", p) op "a6, " AT(o "+32", p) \
	op "a7, " AT(o "+40", p) op "t0, " AT(o "+48", p) \
	op "t1, " AT(o "+56", p)
#define LOAD_SCALAR(p, o)  LINE_SCALAR("ld ", p, o)
#define STORE_SCALAR(p, o) LINE_SCALAR("sd ", p, o)
#define LOAD_RVV(p, o)	   "vle64.v v8, (%[" p "])\n\t"
#define STORE_RVV(p, o)	   "vse64.v v8, (%[" p "])\n\t"
#define LOAD(I, p, o)	   LOAD_##I(p, o)
#define STORE(I, p, o)	   STORE_##I(p, o)

#define FIRST_SCALAR \
	"mv a2, %[value]\n\t" "addi a3, a2, 1\n\t" "addi a4, a2, 2\n\t" \
	"addi a5, a2, 3\n\t" "addi a6, a2, 4\n\t" "addi a7, a2, 5\n\t" \
	"addi t0, a2, 6\n\t" "addi t1, a2, 7\n\t"
#define FIRST_RVV "vmv.v.x v8, %[value]\n\t"
#define NEXT_SCALAR \
	"add a2, a2, %[step]\n\t" "add a4, a4, %[step]\n\t" \
	"add a6, a6, %[step]\n\t" "add t0, t0, %[step]\n\t"
#define NEXT_RVV "vadd.vx v8, v8, %[step]\n\t"

/* A word in ft0, then stored. */
#define TRIAD(o) \
	"fld ft0, " AT(o, "c") "fld ft1, " AT(o, "b") \
	"fmul.d ft0, ft0, ft2\n\t" "fadd.d ft0, ft0, ft1\n\t" \
	"fsd ft0, " AT(o, "a")
#define SCALE(o) \
	"fld ft0, " AT(o, "b") "fmul.d ft0, ft0, ft2\n\t" "fsd ft0, " AT(o, "a")
#define ADD(o) \
	"fld ft0, " AT(o, "c") "fld ft1, " AT(o, "b") \
	"fadd.d ft0, ft0, ft1\n\t" "fsd ft0, " AT(o, "a")
#define SUM_SCALAR(HOW, put, o) \
	HOW(o) HOW(o "+8") HOW(o "+16") HOW(o "+24") \
	HOW(o "+32") HOW(o "+40") HOW(o "+48") HOW(o "+56")
#define SUM_RVV(HOW, put, o) \
	LOAD_RVV("c", o) "vle64.v v16, (%[b])\n\t" "vfmul.vf v8, v8, ft2\n\t" \
	"vfadd.vv v8, v8, v16\n\t" STORE_RVV("a", o)
#define FACTOR_SCALAR "fmv.d.x ft2, %[value]\n\t"
#define FACTOR_RVV    FACTOR_SCALAR

#define READ_INT(o)  "lw t0, " o "(%0)\n\t"
#define WRITE_INT(o) "sw %0, " o "(%0)\n\t"
#define NEXT_INTS    "addi %0, %0, 1024\n\tbltu %0, %1, 1b"

#define BEGIN(p, n) ((const char *)(p))
#define LEFT(n, block) ((n) / (block))
#define BY(p, n) "addi %[" p "], %[" p "], " n "\n\t"
#define AGAIN(n) "addi %[left], %[left], -1\n\tbnez %[left], 1b\n\t"
#define CLOBBERS "memory", "a2", "a3", "a4", "a5", "a6", "a7", "t0", "t1", \
	"ft0", "ft1", "ft2"

#ifdef __riscv_v /* else the compiler knows no such registers */
#define LOST_VECTORS "v8", "v16",
#else
#define LOST_VECTORS
#endif

/* Eight registers make a vector; how long it is this time is in t0. */
#define VECTORS(I, name, first, LINE, end, number) \
	MEM_FUNCTION(name) \
	{ \
		size_t left = bytes / sizeof(uint64_t); \
\
		__asm__ volatile( \
			".option push\n\t" \
			".option arch, +v\n\t" \
			"vsetvli t0, zero, e64, m8, ta, ma\n\t" first \
			".p2align 5\n\t" \
			"1:\n\t" \
			"vsetvli t0, %[left], e64, m8, ta, ma\n\t" LINE(I, "0") \
			"slli t1, t0, 3\n\t" \
			"add %[a], %[a], t1\n\t" \
			"add %[b], %[b], t1\n\t" \
			"add %[c], %[c], t1\n\t" \
			"sub %[left], %[left], t0\n\t" \
			"bnez %[left], 1b\n\t" \
			".option pop" \
			: [a] "+r"(a), [b] "+r"(b), [c] "+r"(c), \
			  [left] "+r"(left) \
			: [value] "r"((uint64_t)(number)), \
			  [step] "r"((uint64_t)MEM_STEP) \
			: "memory", LOST_VECTORS "t0", "t1", "ft2"); \
	}
#define LOOPS(K) \
	MEM_BASIC(K, LOOP, SCALAR, scalar) MEM_PLACES(K, SCALAR, scalar) \
	MEM_SUMS(K, SCALAR, scalar) MEM_BASIC(K, VECTORS, RVV, rvv)
#define OTHERS
/* clang-format on */

#include "../mem_loops.h"

int mem_isa_usable(enum mem_isa isa)
{
	struct {
		int64_t key;
		uint64_t value;
	} ask = { .key = HWPROBE_IMA_EXT_0 };

	return isa != MEM_RVV || (!syscall(SYS_HWPROBE, &ask, 1, 0, NULL, 0) &&
				  ask.value >> HWPROBE_V_BIT & 1);
}
