/* SPDX-License-Identifier: MIT */
#include "../mem_kernels.h"

/* %[left] runs from -bytes to 0, pointers are to the ends. */
/* clang-format off */
#define BEGIN(p, n)	((const char *)(p) + (n))
#define LEFT(n, block)	(-(n))
#define BY(p, n)	""
#define AGAIN(n)	"add $" n ", %[left]\n\tjnz 1b\n\t"
#define AT(o, p)	o "(%[" p "],%[left])"

/* X for each register of a line: eight pieces of 8 bytes, four of 16, two of
 * 32, one of 64. */
#define PIECES_SCALAR(X, op, p, o) \
	X(op, p, "r8", o) X(op, p, "r9", o "+8") X(op, p, "r10", o "+16") \
	X(op, p, "r11", o "+24") X(op, p, "r12", o "+32") \
	X(op, p, "r13", o "+40") X(op, p, "r14", o "+48") X(op, p, "r15", o "+56")
#define PIECES_SSE2(X, op, p, o) \
	X(op, p, "xmm0", o) X(op, p, "xmm1", o "+16") \
	X(op, p, "xmm2", o "+32") X(op, p, "xmm3", o "+48")
#define PIECES_AVX2(X, op, p, o)   X(op, p, "ymm0", o) X(op, p, "ymm1", o "+32")
#define PIECES_AVX512(X, op, p, o) X(op, p, "zmm0", o)

#define FROM(op, p, r, o) op " " AT(o, p) ", %%" r "\n\t"
#define TO(op, p, r, o)	  op " %%" r ", " AT(o, p) "\n\t"
#define MOVE_SCALAR	  "mov"
#define MOVE_SSE2	  "movaps"
#define MOVE_AVX2	  "vmovaps"
#define MOVE_AVX512	  "vmovaps"
#define NT_SCALAR	  "movnti"
#define NT_SSE2		  "movntps"
#define NT_AVX2		  "vmovntps"
#define NT_AVX512	  "vmovntps"
#define LOAD(I, p, o)	  PIECES_##I(FROM, MOVE_##I, p, o)
#define LOAD_NT		  LOAD
#define STORE(I, p, o)	  PIECES_##I(TO, MOVE_##I, p, o)
#define STREAM(I, p, o)	  PIECES_##I(TO, NT_##I, p, o)
#define FENCE		  "sfence\n\t"

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
#define NEXT_SCALAR "add %[step], %%r8\n\t"  "add %[step], %%r10\n\t" \
		    "add %[step], %%r12\n\t" "add %[step], %%r14\n\t"
#define NEXT_SSE2   "paddq %%xmm15, %%xmm0\n\t" "paddq %%xmm15, %%xmm2\n\t"
#define NEXT_AVX2   "vpaddq %%ymm15, %%ymm0, %%ymm0\n\t"
#define NEXT_AVX512 "vpaddq %%zmm15, %%zmm0, %%zmm0\n\t"

/* A piece of a in register 0 (of those named v0, v1 ...), then stored. */
#define TRIAD_SD(put, v, r, o) \
	FROM("movsd", "c", "xmm0", o) "mulsd %%xmm14, %%xmm0\n\t" \
	FROM("addsd", "b", "xmm0", o) put AT(o, "a") "\n\t"
#define TRIAD_PD(put, v, r, o) \
	FROM("movaps", "c", "xmm0", o) "mulpd %%xmm14, %%xmm0\n\t" \
	FROM("addpd", "b", "xmm0", o) put AT(o, "a") "\n\t"
#define SCALE_PD(put, v, r, o) \
	FROM("movaps", "b", "xmm0", o) "mulpd %%xmm14, %%xmm0\n\t" \
	put AT(o, "a") "\n\t"
#define ADD_PD(put, v, r, o) \
	FROM("movaps", "c", "xmm0", o) FROM("addpd", "b", "xmm0", o) \
	put AT(o, "a") "\n\t"
#define TRIAD_AVX(put, v, r, o) \
	FROM("vmulpd", "c", v "14, %%" v "0", o) \
	FROM("vaddpd", "b", v "0, %%" v "0", o) put AT(o, "a") "\n\t"
#define SCALE_AVX(put, v, r, o) \
	FROM("vmulpd", "b", v "14, %%" v "0", o) put AT(o, "a") "\n\t"
#define ADD_AVX(put, v, r, o) \
	FROM("vmovapd", "c", v "0", o) FROM("vaddpd", "b", v "0, %%" v "0", o) \
	put AT(o, "a") "\n\t"
#define SUM_SCALAR(HOW, put, o) PIECES_SCALAR(HOW##_SD, put, "xmm", o)
#define SUM_SSE2(HOW, put, o)	PIECES_SSE2(HOW##_PD, put, "xmm", o)
#define SUM_AVX2(HOW, put, o)	PIECES_AVX2(HOW##_AVX, put, "ymm", o)
#define SUM_AVX512(HOW, put, o)	PIECES_AVX512(HOW##_AVX, put, "zmm", o)
#define PUT_SCALAR    "movsd %%xmm0, "
#define PUT_NT_SCALAR "movq %%xmm0, %%r8\n\tmovnti %%r8, "
#define PUT_SSE2      "movaps %%xmm0, "
#define PUT_NT_SSE2   "movntps %%xmm0, "
#define PUT_AVX2      "vmovapd %%ymm0, "
#define PUT_NT_AVX2   "vmovntpd %%ymm0, "
#define PUT_AVX512    "vmovapd %%zmm0, "
#define PUT_NT_AVX512 "vmovntpd %%zmm0, "
#define FACTOR_SCALAR "movq %[value], %%xmm14\n\t"
#define FACTOR_SSE2   "movq %[value], %%xmm14\n\t" \
		      "punpcklqdq %%xmm14, %%xmm14\n\t"
#define FACTOR_AVX2   "vmovq %[value], %%xmm14\n\t" \
		      "vpbroadcastq %%xmm14, %%ymm14\n\t"
#define FACTOR_AVX512 "vpbroadcastq %[value], %%zmm14\n\t"

#define FETCH(p, o)	"prefetcht0 " AT(MEM_AHEAD "+" o, p) "\n\t"
#define FETCH_OWN(p, o) "prefetchw " AT(MEM_AHEAD "+" o, p) "\n\t"

#define READ_INT(o)  "mov " o "(%0), %%r8d\n\t"
#define WRITE_INT(o) "mov %k0, " o "(%0)\n\t"
#define NEXT_INTS    "add $1024, %0\n\tcmp %1, %0\n\tjb 1b"

/* Upper halves left dirty would slow down SSE code that comes later. */
#define DONE(I)	    DONE_##I
#define DONE_SCALAR ""
#define DONE_SSE2   ""
#define DONE_AVX2   "vzeroupper\n\t"
#define DONE_AVX512 "vzeroupper\n\t"

#define CLOBBERS "memory", "cc", "r8", "r9", "r10", "r11", "r12", "r13", \
	"r14", "r15", "xmm0", "xmm1", "xmm2", "xmm3", "xmm14", "xmm15"

#define LOOPS(K) \
	MEM_USUAL(K, SCALAR, scalar) MEM_EVERY(K, SSE2, sse2) \
	MEM_EVERY(K, AVX2, avx2) MEM_EVERY(K, AVX512, avx512)
#define OTHERS \
	MEM_IS(REP, WRITE, write_rep) MEM_IS(REP, CLEAR, clear_rep) \
	MEM_IS(REP, COPY, copy_rep)
/* clang-format on */

static void rep_set(void *a, size_t bytes, int byte)
{
	__asm__ volatile("rep stosb"
			 : "+D"(a), "+c"(bytes)
			 : "a"(byte)
			 : "memory");
}

static void write_rep(void *a, const void *b, const void *c, size_t bytes)
{
	rep_set(a, bytes, MEM_SET_BYTE);
}

static void clear_rep(void *a, const void *b, const void *c, size_t bytes)
{
	rep_set(a, bytes, 0);
}

static void copy_rep(void *a, const void *b, const void *c, size_t bytes)
{
	__asm__ volatile("rep movsb"
			 : "+D"(a), "+S"(b), "+c"(bytes)
			 :
			 : "memory");
}

#include "../mem_loops.h"

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
