/* SPDX-License-Identifier: MIT */
#include "../mem_kernels.h"

/*
 * The texts of the loops are put together from lines: what one ISA does with
 * one cache line.  %[i] runs from -bytes to 0, pointers are to the ends.
 */
/* clang-format off */
#define AT(o, p)	o "(%[" p "],%[i])"
#define EIGHT(X, p)	X("0", p) X("64", p) X("128", p) X("192", p) \
			X("256", p) X("320", p) X("384", p) X("448", p)

/* Four pieces of 16 bytes, two of 32, one of 64, eight of 8. */
#define LOAD_SCALAR(o, p) \
	"mov " AT(o, p) ", %%r8\n\t"	 "mov " AT(o "+8", p) ", %%r9\n\t" \
	"mov " AT(o "+16", p) ", %%r10\n\t" "mov " AT(o "+24", p) ", %%r11\n\t" \
	"mov " AT(o "+32", p) ", %%r12\n\t" "mov " AT(o "+40", p) ", %%r13\n\t" \
	"mov " AT(o "+48", p) ", %%r14\n\t" "mov " AT(o "+56", p) ", %%r15\n\t"
#define STORE_SCALAR_(op, o, p) \
	op " %%r8, " AT(o, p) "\n\t"	 op " %%r9, " AT(o "+8", p) "\n\t" \
	op " %%r10, " AT(o "+16", p) "\n\t" op " %%r11, " AT(o "+24", p) "\n\t" \
	op " %%r12, " AT(o "+32", p) "\n\t" op " %%r13, " AT(o "+40", p) "\n\t" \
	op " %%r14, " AT(o "+48", p) "\n\t" op " %%r15, " AT(o "+56", p) "\n\t"
#define STORE_SCALAR(o, p)    STORE_SCALAR_("mov", o, p)
#define STORE_NT_SCALAR(o, p) STORE_SCALAR_("movnti", o, p)

#define LOAD_SSE2_(r0, r1, r2, r3, o, p) \
	"movaps " AT(o, p) ", %%" r0 "\n\t" \
	"movaps " AT(o "+16", p) ", %%" r1 "\n\t" \
	"movaps " AT(o "+32", p) ", %%" r2 "\n\t" \
	"movaps " AT(o "+48", p) ", %%" r3 "\n\t"
#define STORE_SSE2_(op, r0, r1, r2, r3, o, p) \
	op " %%" r0 ", " AT(o, p) "\n\t" \
	op " %%" r1 ", " AT(o "+16", p) "\n\t" \
	op " %%" r2 ", " AT(o "+32", p) "\n\t" \
	op " %%" r3 ", " AT(o "+48", p) "\n\t"
#define LOAD_SSE2(o, p) LOAD_SSE2_("xmm0", "xmm1", "xmm2", "xmm3", o, p)
#define STORE_SSE2(o, p) \
	STORE_SSE2_("movaps", "xmm0", "xmm1", "xmm2", "xmm3", o, p)
#define STORE_NT_SSE2(o, p) \
	STORE_SSE2_("movntps", "xmm0", "xmm1", "xmm2", "xmm3", o, p)

#define LOAD_AVX2(o, p) \
	"vmovaps " AT(o, p) ", %%ymm0\n\t" \
	"vmovaps " AT(o "+32", p) ", %%ymm1\n\t"
#define STORE_AVX2_(op, o, p) \
	op " %%ymm0, " AT(o, p) "\n\t" \
	op " %%ymm1, " AT(o "+32", p) "\n\t"
#define STORE_AVX2(o, p)    STORE_AVX2_("vmovaps", o, p)
#define STORE_NT_AVX2(o, p) STORE_AVX2_("vmovntps", o, p)

#define LOAD_AVX512(o, p)     "vmovaps " AT(o, p) ", %%zmm0\n\t"
#define STORE_AVX512(o, p)    "vmovaps %%zmm0, " AT(o, p) "\n\t"
#define STORE_NT_AVX512(o, p) "vmovntps %%zmm0, " AT(o, p) "\n\t"

/* After a line was stored: other values for the next. */
#define NEXT_SCALAR "add %[step], %%r8\n\t"  "add %[step], %%r10\n\t" \
		    "add %[step], %%r12\n\t" "add %[step], %%r14\n\t"
#define NEXT_SSE2   "paddq %%xmm15, %%xmm0\n\t" "paddq %%xmm15, %%xmm2\n\t"
#define NEXT_AVX2   "vpaddq %%ymm15, %%ymm0, %%ymm0\n\t"
#define NEXT_AVX512 "vpaddq %%zmm15, %%zmm0, %%zmm0\n\t"

#define FIRST_SCALAR \
	"mov %[value], %%r8\n\t" "lea 1(%%r8), %%r9\n\t" \
	"lea 2(%%r8), %%r10\n\t" "lea 3(%%r8), %%r11\n\t" \
	"lea 4(%%r8), %%r12\n\t" "lea 5(%%r8), %%r13\n\t" \
	"lea 6(%%r8), %%r14\n\t" "lea 7(%%r8), %%r15\n\t"
#define FIRST_SSE2 \
	"movq %[step], %%xmm15\n\t" "punpcklqdq %%xmm15, %%xmm15\n\t" \
	"movq %[value], %%xmm0\n\t" "punpcklqdq %%xmm0, %%xmm0\n\t" \
	"movaps %%xmm0, %%xmm1\n\t" "movaps %%xmm0, %%xmm2\n\t" \
	"movaps %%xmm0, %%xmm3\n\t"
#define FIRST_AVX2 \
	"vmovq %[step], %%xmm15\n\t" "vpbroadcastq %%xmm15, %%ymm15\n\t" \
	"vmovq %[value], %%xmm0\n\t" "vpbroadcastq %%xmm0, %%ymm0\n\t" \
	"vmovaps %%ymm0, %%ymm1\n\t"
#define FIRST_AVX512 \
	"vpbroadcastq %[step], %%zmm15\n\t" \
	"vpbroadcastq %[value], %%zmm0\n\t"

#define LINE_WRITE_SCALAR(o, p)	    STORE_SCALAR(o, p) NEXT_SCALAR
#define LINE_WRITE_SSE2(o, p)	    STORE_SSE2(o, p) NEXT_SSE2
#define LINE_WRITE_AVX2(o, p)	    STORE_AVX2(o, p) NEXT_AVX2
#define LINE_WRITE_AVX512(o, p)	    STORE_AVX512(o, p) NEXT_AVX512
#define LINE_WRITE_NT_SCALAR(o, p)  STORE_NT_SCALAR(o, p) NEXT_SCALAR
#define LINE_WRITE_NT_SSE2(o, p)    STORE_NT_SSE2(o, p) NEXT_SSE2
#define LINE_WRITE_NT_AVX2(o, p)    STORE_NT_AVX2(o, p) NEXT_AVX2
#define LINE_WRITE_NT_AVX512(o, p)  STORE_NT_AVX512(o, p) NEXT_AVX512
#define LINE_COPY_SCALAR(o, p)	    LOAD_SCALAR(o, "b") STORE_SCALAR(o, "a")
#define LINE_COPY_SSE2(o, p)	    LOAD_SSE2(o, "b") STORE_SSE2(o, "a")
#define LINE_COPY_AVX2(o, p)	    LOAD_AVX2(o, "b") STORE_AVX2(o, "a")
#define LINE_COPY_AVX512(o, p)	    LOAD_AVX512(o, "b") STORE_AVX512(o, "a")
#define LINE_COPY_NT_SCALAR(o, p)   LOAD_SCALAR(o, "b") STORE_NT_SCALAR(o, "a")
#define LINE_COPY_NT_SSE2(o, p)	    LOAD_SSE2(o, "b") STORE_NT_SSE2(o, "a")
#define LINE_COPY_NT_AVX2(o, p)	    LOAD_AVX2(o, "b") STORE_NT_AVX2(o, "a")
#define LINE_COPY_NT_AVX512(o, p)   LOAD_AVX512(o, "b") STORE_NT_AVX512(o, "a")

#define TRIAD_PIECE_SCALAR(o) \
	"movsd " AT(o, "c") ", %%xmm0\n\t" "mulsd %%xmm14, %%xmm0\n\t" \
	"addsd " AT(o, "b") ", %%xmm0\n\t"
#define TRIAD_SCALAR(o) \
	TRIAD_PIECE_SCALAR(o) "movsd %%xmm0, " AT(o, "a") "\n\t"
#define TRIAD_NT_SCALAR(o) \
	TRIAD_PIECE_SCALAR(o) "movq %%xmm0, %%r8\n\t" \
	"movnti %%r8, " AT(o, "a") "\n\t"
#define TRIAD_SSE2(op, o) \
	"movaps " AT(o, "c") ", %%xmm0\n\t" "mulpd %%xmm14, %%xmm0\n\t" \
	"addpd " AT(o, "b") ", %%xmm0\n\t" op " %%xmm0, " AT(o, "a") "\n\t"
#define TRIAD_AVX(op, o, v) \
	"vmulpd " AT(o, "c") ", %%" v "14, %%" v "0\n\t" \
	"vaddpd " AT(o, "b") ", %%" v "0, %%" v "0\n\t" \
	op " %%" v "0, " AT(o, "a") "\n\t"
#define EIGHT_WORDS(X, o) X(o) X(o "+8") X(o "+16") X(o "+24") \
			  X(o "+32") X(o "+40") X(o "+48") X(o "+56")
/* Lines that come soon are asked for, in a state to be written if they will
 * be: in memory the stores' own fetches begin too late otherwise.  Beyond an
 * array's end this does nothing that can be seen. */
#define AHEAD "2048"
#define FETCH(o, p)	"prefetcht0 " AT(AHEAD "+" o, p) "\n\t"
#define FETCH_OWN(o, p) "prefetchw " AT(AHEAD "+" o, p) "\n\t"
#define LINE_TRIAD_SCALAR(o, p)	   EIGHT_WORDS(TRIAD_SCALAR, o)
#define LINE_TRIAD_NT_SCALAR(o, p) EIGHT_WORDS(TRIAD_NT_SCALAR, o)
#define LINE_TRIAD_SSE2_(op, o) \
	TRIAD_SSE2(op, o) TRIAD_SSE2(op, o "+16") \
	TRIAD_SSE2(op, o "+32") TRIAD_SSE2(op, o "+48")
#define LINE_TRIAD_SSE2(o, p)	 LINE_TRIAD_SSE2_("movaps", o)
#define LINE_TRIAD_NT_SSE2(o, p) LINE_TRIAD_SSE2_("movntps", o)
#define LINE_TRIAD_AVX2(o, p) \
	TRIAD_AVX("vmovapd", o, "ymm") TRIAD_AVX("vmovapd", o "+32", "ymm")
#define LINE_TRIAD_NT_AVX2(o, p) \
	TRIAD_AVX("vmovntpd", o, "ymm") TRIAD_AVX("vmovntpd", o "+32", "ymm")
#define LINE_TRIAD_AVX512(o, p)	   TRIAD_AVX("vmovapd", o, "zmm")
#define LINE_TRIAD_NT_AVX512(o, p) TRIAD_AVX("vmovntpd", o, "zmm")

/* One that computes a piece of "a" in the first register, then stores it. */
#define SUM_SSE2(WAY, op, o) WAY##_SSE2(o) op " %%xmm0, " AT(o, "a") "\n\t"
#define SUM_AVX(WAY, op, o, v) \
	WAY##_AVX(o, v) op " %%" v "0, " AT(o, "a") "\n\t"
#define SCALE_SSE2(o) \
	"movaps " AT(o, "b") ", %%xmm0\n\t" "mulpd %%xmm14, %%xmm0\n\t"
#define SCALE_AVX(o, v) "vmulpd " AT(o, "b") ", %%" v "14, %%" v "0\n\t"
#define ADD_SSE2(o) \
	"movaps " AT(o, "c") ", %%xmm0\n\t" "addpd " AT(o, "b") ", %%xmm0\n\t"
#define ADD_AVX(o, v) \
	"vmovapd " AT(o, "c") ", %%" v "0\n\t" \
	"vaddpd " AT(o, "b") ", %%" v "0, %%" v "0\n\t"
#define LINE_SUM_SSE2(WAY, op, o) \
	SUM_SSE2(WAY, op, o) SUM_SSE2(WAY, op, o "+16") \
	SUM_SSE2(WAY, op, o "+32") SUM_SSE2(WAY, op, o "+48")
#define LINE_SUM_AVX2(WAY, op, o) \
	SUM_AVX(WAY, op, o, "ymm") SUM_AVX(WAY, op, o "+32", "ymm")
#define LINE_SCALE_SSE2(o, p)	   LINE_SUM_SSE2(SCALE, "movaps", o)
#define LINE_SCALE_NT_SSE2(o, p)   LINE_SUM_SSE2(SCALE, "movntps", o)
#define LINE_ADD_SSE2(o, p)	   LINE_SUM_SSE2(ADD, "movaps", o)
#define LINE_ADD_NT_SSE2(o, p)	   LINE_SUM_SSE2(ADD, "movntps", o)
#define LINE_SCALE_AVX2(o, p)	   LINE_SUM_AVX2(SCALE, "vmovapd", o)
#define LINE_SCALE_NT_AVX2(o, p)   LINE_SUM_AVX2(SCALE, "vmovntpd", o)
#define LINE_ADD_AVX2(o, p)	   LINE_SUM_AVX2(ADD, "vmovapd", o)
#define LINE_ADD_NT_AVX2(o, p)	   LINE_SUM_AVX2(ADD, "vmovntpd", o)
#define LINE_SCALE_AVX512(o, p)	   SUM_AVX(SCALE, "vmovapd", o, "zmm")
#define LINE_SCALE_NT_AVX512(o, p) SUM_AVX(SCALE, "vmovntpd", o, "zmm")
#define LINE_ADD_AVX512(o, p)	   SUM_AVX(ADD, "vmovapd", o, "zmm")
#define LINE_ADD_NT_AVX512(o, p)   SUM_AVX(ADD, "vmovntpd", o, "zmm")

/* The same for each ISA, with the lines ahead. */
#define PF_WRITE(LINE, o, p)	FETCH_OWN(o, "a") LINE(o, p)
#define PF_COPY(LINE, o, p)	FETCH(o, "b") FETCH_OWN(o, "a") LINE(o, p)
#define PF_COPY_NT(LINE, o, p)	FETCH(o, "b") LINE(o, p)
#define PF_TRIAD(LINE, o, p) \
	FETCH(o, "b") FETCH(o, "c") FETCH_OWN(o, "a") LINE(o, p)
#define PF_TRIAD_NT(LINE, o, p) FETCH(o, "b") FETCH(o, "c") LINE(o, p)
#define LINE_WRITE_PF_SSE2(o, p)      PF_WRITE(LINE_WRITE_SSE2, o, p)
#define LINE_WRITE_PF_AVX2(o, p)      PF_WRITE(LINE_WRITE_AVX2, o, p)
#define LINE_WRITE_PF_AVX512(o, p)    PF_WRITE(LINE_WRITE_AVX512, o, p)
#define LINE_COPY_PF_SSE2(o, p)	      PF_COPY(LINE_COPY_SSE2, o, p)
#define LINE_COPY_PF_AVX2(o, p)	      PF_COPY(LINE_COPY_AVX2, o, p)
#define LINE_COPY_PF_AVX512(o, p)     PF_COPY(LINE_COPY_AVX512, o, p)
#define LINE_COPY_NT_PF_SSE2(o, p)    PF_COPY_NT(LINE_COPY_NT_SSE2, o, p)
#define LINE_COPY_NT_PF_AVX2(o, p)    PF_COPY_NT(LINE_COPY_NT_AVX2, o, p)
#define LINE_COPY_NT_PF_AVX512(o, p)  PF_COPY_NT(LINE_COPY_NT_AVX512, o, p)
#define LINE_TRIAD_PF_SSE2(o, p)      PF_TRIAD(LINE_TRIAD_SSE2, o, p)
#define LINE_TRIAD_PF_AVX2(o, p)      PF_TRIAD(LINE_TRIAD_AVX2, o, p)
#define LINE_TRIAD_PF_AVX512(o, p)    PF_TRIAD(LINE_TRIAD_AVX512, o, p)
#define LINE_TRIAD_NT_PF_SSE2(o, p)   PF_TRIAD_NT(LINE_TRIAD_NT_SSE2, o, p)
#define LINE_TRIAD_NT_PF_AVX2(o, p)   PF_TRIAD_NT(LINE_TRIAD_NT_AVX2, o, p)
#define LINE_TRIAD_NT_PF_AVX512(o, p) PF_TRIAD_NT(LINE_TRIAD_NT_AVX512, o, p)

#define FACTOR_SCALAR "movq %[value], %%xmm14\n\t"
#define FACTOR_SSE2   "movq %[value], %%xmm14\n\t" \
		      "punpcklqdq %%xmm14, %%xmm14\n\t"
#define FACTOR_AVX2   "vmovq %[value], %%xmm14\n\t" \
		      "vpbroadcastq %%xmm14, %%ymm14\n\t"
#define FACTOR_AVX512 "vpbroadcastq %[value], %%zmm14\n\t"

/* Upper halves left dirty would slow down SSE code that comes later. */
#define END_SCALAR ""
#define END_SSE2   ""
#define END_AVX2   "vzeroupper\n\t"
#define END_AVX512 "vzeroupper\n\t"

#define CLOBBERS "memory", "cc", "r8", "r9", "r10", "r11", "r12", "r13", \
	"r14", "r15", "xmm0", "xmm1", "xmm2", "xmm3", "xmm14", "xmm15"
/* clang-format on */

/* One loop over 512 bytes of each array, a line at a time. */
#define KERNEL(name, first, line, end, number)                             \
	__attribute__((noinline)) static void name(void *a, const void *b, \
						   const void *c,          \
						   size_t bytes)           \
	{                                                                  \
		intptr_t i = -(intptr_t)bytes;                             \
                                                                           \
		__asm__ volatile(first                                     \
				 ".p2align 5\n\t"                          \
				 "1:\n\t" EIGHT(line,                      \
						"a") "add $512, %[i]\n\t"  \
						     "jnz 1b\n\t" end      \
				 : [i] "+r"(i)                             \
				 : [a] "r"((char *)a + bytes),             \
				   [b] "r"((const char *)b + bytes),       \
				   [c] "r"((const char *)c + bytes),       \
				   [step] "r"((uint64_t)MEM_STEP),         \
				   [value] "r"((uint64_t)(number))         \
				 : CLOBBERS);                              \
	}

/* Reads at four places, two lines at each in turn. */
#define KERNEL4(name, line, end)                                               \
	__attribute__((noinline)) static void name(void *a, const void *b,     \
						   const void *c,              \
						   size_t bytes)               \
	{                                                                      \
		const size_t quarter = bytes / 4;                              \
		char *const at = (char *)a + quarter;                          \
		intptr_t i = -(intptr_t)quarter;                               \
                                                                               \
		(void)b;                                                       \
		(void)c;                                                       \
		__asm__ volatile(                                              \
			".p2align 5\n\t"                                       \
			"1:\n\t" line("0", "a") line("0", "b") line("0", "c")  \
				line("0", "d") line("64", "a") line("64", "b") \
					line("64", "c")                        \
						line("64",                     \
						     "d") "add $128, %[i]\n\t" \
							  "jnz 1b\n\t" end     \
			: [i] "+r"(i)                                          \
			: [a] "r"(at), [b] "r"(at + quarter),                  \
			  [c] "r"(at + 2 * quarter), [d] "r"(at + 3 * quarter) \
			: CLOBBERS);                                           \
	}

#define FENCE "sfence\n\t" /* non-temporal stores are done when it is over */

#define KERNELS(isa, ISA)                                                 \
	KERNEL(read_##isa, "", LOAD_##ISA, END_##ISA, 0)                  \
	KERNEL4(read4_##isa, LOAD_##ISA, END_##ISA)                       \
	KERNEL(write_##isa, FIRST_##ISA, LINE_WRITE_##ISA, END_##ISA,     \
	       MEM_FIRST)                                                 \
	KERNEL(write_nt_##isa, FIRST_##ISA, LINE_WRITE_NT_##ISA,          \
	       FENCE END_##ISA, MEM_FIRST)                                \
	KERNEL(copy_##isa, "", LINE_COPY_##ISA, END_##ISA, 0)             \
	KERNEL(copy_nt_##isa, "", LINE_COPY_NT_##ISA, FENCE END_##ISA, 0) \
	KERNEL(triad_##isa, FACTOR_##ISA, LINE_TRIAD_##ISA, END_##ISA,    \
	       MEM_THREE)                                                 \
	KERNEL(triad_nt_##isa, FACTOR_##ISA, LINE_TRIAD_NT_##ISA,         \
	       FENCE END_##ISA, MEM_THREE)

#define KERNELS_PF(isa, ISA)                                                 \
	KERNEL(write_pf_##isa, FIRST_##ISA, LINE_WRITE_PF_##ISA, END_##ISA,  \
	       MEM_FIRST)                                                    \
	KERNEL(copy_pf_##isa, "", LINE_COPY_PF_##ISA, END_##ISA, 0)          \
	KERNEL(copy_nt_pf_##isa, "", LINE_COPY_NT_PF_##ISA, FENCE END_##ISA, \
	       0)                                                            \
	KERNEL(triad_pf_##isa, FACTOR_##ISA, LINE_TRIAD_PF_##ISA, END_##ISA, \
	       MEM_THREE)                                                    \
	KERNEL(triad_nt_pf_##isa, FACTOR_##ISA, LINE_TRIAD_NT_PF_##ISA,      \
	       FENCE END_##ISA, MEM_THREE)

#define KERNELS_SUM(isa, ISA)                                          \
	KERNEL(scale_##isa, FACTOR_##ISA, LINE_SCALE_##ISA, END_##ISA, \
	       MEM_THREE)                                              \
	KERNEL(scale_nt_##isa, FACTOR_##ISA, LINE_SCALE_NT_##ISA,      \
	       FENCE END_##ISA, MEM_THREE)                             \
	KERNEL(add_##isa, "", LINE_ADD_##ISA, END_##ISA, 0)            \
	KERNEL(add_nt_##isa, "", LINE_ADD_NT_##ISA, FENCE END_##ISA, 0)

KERNELS(scalar, SCALAR)
KERNELS(sse2, SSE2)
KERNELS(avx2, AVX2)
KERNELS(avx512, AVX512)
KERNELS_PF(sse2, SSE2)
KERNELS_PF(avx2, AVX2)
KERNELS_PF(avx512, AVX512)
KERNELS_SUM(sse2, SSE2)
KERNELS_SUM(avx2, AVX2)
KERNELS_SUM(avx512, AVX512)

#define ROW(op)                                                 \
	{                                                       \
		op##_scalar, op##_sse2, op##_avx2, op##_avx512, \
	}
#define ROW_LIBC(op)                                               \
	{                                                          \
		op##_scalar, op##_sse2, op##_avx2,                 \
			op##_avx512, [MEM_REP] = mem_##op##_rep,   \
				     [MEM_LIBC] = mem_##op##_libc, \
	}

#define ROW_VECTOR(op)                                          \
	{                                                       \
		[MEM_SSE2] = op##_sse2, [MEM_AVX2] = op##_avx2, \
		[MEM_AVX512] = op##_avx512,                     \
	}

static mem_kernel_fn *const kernels[MEM_OPS][MEM_ISAS] = {
	[MEM_READ] = ROW(read),
	[MEM_READ4] = ROW(read4),
	[MEM_WRITE] = ROW_LIBC(write),
	[MEM_WRITE_NT] = ROW(write_nt),
	[MEM_CLEAR] = { [MEM_REP] = mem_clear_rep,
			[MEM_LIBC] = mem_clear_libc },
	[MEM_COPY] = ROW_LIBC(copy),
	[MEM_COPY_NT] = ROW(copy_nt),
	[MEM_TRIAD] = ROW(triad),
	[MEM_TRIAD_NT] = ROW(triad_nt),
	[MEM_WRITE_PF] = ROW_VECTOR(write_pf),
	[MEM_COPY_PF] = ROW_VECTOR(copy_pf),
	[MEM_COPY_NT_PF] = ROW_VECTOR(copy_nt_pf),
	[MEM_TRIAD_PF] = ROW_VECTOR(triad_pf),
	[MEM_TRIAD_NT_PF] = ROW_VECTOR(triad_nt_pf),
	[MEM_SCALE] = ROW_VECTOR(scale),
	[MEM_SCALE_NT] = ROW_VECTOR(scale_nt),
	[MEM_ADD] = ROW_VECTOR(add),
	[MEM_ADD_NT] = ROW_VECTOR(add_nt),
};

int mem_isa_usable(enum mem_isa isa)
{
	switch (isa) {
	case MEM_AVX2:
		return __builtin_cpu_supports("avx2");
	case MEM_AVX512:
		return __builtin_cpu_supports("avx512f");
	default:
		return 1; /* SSE2 is part of x86-64 */
	}
}

enum mem_isa mem_isa_widest(void)
{
	if (mem_isa_usable(MEM_AVX512))
		return MEM_AVX512;
	return mem_isa_usable(MEM_AVX2) ? MEM_AVX2 : MEM_SSE2;
}

mem_kernel_fn *mem_kernel(enum mem_op op, enum mem_isa isa)
{
	return kernels[op][isa];
}
