/* SPDX-License-Identifier: MIT */
/* Memory loops with SVE.  In a file of its own: the processor may have none. */
#include <sys/auxv.h>

#include "../mem_kernels.h"

#define HWCAP_SVE_BIT 22

/* clang-format off */
#define VLA_AT(o, p)	     "[%[" p "], #" o ", mul vl]\n\t"
#define VLA_LOAD(v, o, p)    "ldr z" v ", " VLA_AT(o, p)
#define VLA_STORE(v, o, p)   "str z" v ", " VLA_AT(o, p)
/* Its offsets are -8 to 7. */
#define VLA_STREAM(v, o, p)  "stnt1d {z" v ".d}, p0, " VLA_AT(o, p)
#define VLA_NEXT(v)	     "add z" v ".d, z" v ".d, z7.d\n\t"
#define VLA_TRIAD(v, w) \
	"fmul z" v ".d, z" v ".d, z6.d\n\t" \
	"fadd z" v ".d, z" v ".d, z" w ".d\n\t"
#define VLA_EIGHT(X)	     X("0") X("1") X("2") X("3") X("4") X("5") X("6") \
			     X("7")
/* clang-format on */

/* Eight vectors in a pass; where those are more than MEM_BLOCK the last ones
 * by themselves. */
#define VLA_KERNEL(name, body)                                                \
	__attribute__((noinline)) static void name(void *a, const void *b,    \
						   const void *c,             \
						   size_t bytes)              \
	{                                                                     \
		size_t left = bytes, vector, pass;                            \
                                                                              \
		__asm__ volatile(                                             \
			".arch_extension sve\n\t"                             \
			"ptrue p0.b\n\t"                                      \
			"dup z0.d, %[first]\n\t"                              \
			"dup z6.d, %[three]\n\t"                              \
			"dup z7.d, %[step]\n\t"                               \
			"cntb %[vector]\n\t"                                  \
			"lsl %[pass], %[vector], #3\n\t"                      \
			"cmp %[left], %[pass]\n\t"                            \
			"b.lo 2f\n\t"                                         \
			".p2align 5\n\t"                                      \
			"1:\n\t" VLA_EIGHT(                                   \
				body) "addvl %[a], %[a], #8\n\t"              \
				      "addvl %[b], %[b], #8\n\t"              \
				      "addvl %[c], %[c], #8\n\t"              \
				      "sub %[left], %[left], "                \
				      "%[pass]\n\t"                           \
				      "cmp %[left], %[pass]\n\t"              \
				      "b.hs 1b\n\t"                           \
				      "2:\n\t"                                \
				      "cbz %[left], 4f\n\t"                   \
				      "3:\n\t" body("0") "addvl %[a], %[a], " \
							 "#1\n\t"             \
							 "addvl %[b], %[b], " \
							 "#1\n\t"             \
							 "addvl %[c], %[c], " \
							 "#1\n\t"             \
							 "subs %[left], "     \
							 "%[left], "          \
							 "%[vector]\n\t"      \
							 "b.ne 3b\n\t"        \
							 "4:"                 \
			: [a] "+r"(a), [b] "+r"(b), [c] "+r"(c),              \
			  [left] "+r"(left), [vector] "=&r"(vector),          \
			  [pass] "=&r"(pass)                                  \
			: [first] "r"((uint64_t)MEM_FIRST),                   \
			  [three] "r"((uint64_t)MEM_THREE),                   \
			  [step] "r"((uint64_t)MEM_STEP)                      \
			: "memory", "cc", "v0", "v6", "v7", "v8", "v16");     \
	}

#include "../mem_vla.h"

static size_t vector_bytes(void)
{
	size_t bytes;

	/* volatile: not before it is known that there is SVE */
	__asm__ volatile(".arch_extension sve\n\t"
			 "cntb %0"
			 : "=r"(bytes));
	return bytes;
}

/* Lengths that do not divide a block exist on paper. */
int mem_vla_usable(void)
{
	return getauxval(AT_HWCAP) >> HWCAP_SVE_BIT & 1 &&
	       MEM_BLOCK % vector_bytes() == 0;
}
