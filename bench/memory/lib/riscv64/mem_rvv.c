/* SPDX-License-Identifier: MIT */
/* Memory loops with RVV.  In a file of its own: the processor may have none. */
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../mem_kernels.h"

/* riscv_hwprobe() of Linux 6.5: AT_HWCAP's V may be version 0.7.1, where
 * kernels of vendors set it. */
#define SYS_HWPROBE	  258
#define HWPROBE_IMA_EXT_0 4
#define HWPROBE_V_BIT	  2

/* Eight registers make a vector; how long it is this time is in t0.  There are
 * no stores past the caches. */
/* clang-format off */
#define VLA_LOAD(v, o, p)  "vle64.v v" v ", (%[" p "])\n\t"
#define VLA_STORE(v, o, p) "vse64.v v" v ", (%[" p "])\n\t"
#define VLA_NEXT(v)	   "vadd.vx v" v ", v" v ", %[step]\n\t"
#define VLA_TRIAD(v, w) \
	"vfmul.vf v" v ", v" v ", ft2\n\t" "vfadd.vv v" v ", v" v ", v" w "\n\t"
/* clang-format on */

#ifdef __riscv_v /* else the compiler knows no such registers */
#define VECTORS "v0", "v8", "v16",
#else
#define VECTORS
#endif

#define VLA_KERNEL(name, body)                                             \
	__attribute__((noinline)) static void name(void *a, const void *b, \
						   const void *c,          \
						   size_t bytes)           \
	{                                                                  \
		size_t left = bytes / sizeof(uint64_t);                    \
                                                                           \
		__asm__ volatile(                                          \
			".option push\n\t"                                 \
			".option arch, +v\n\t"                             \
			"fmv.d.x ft2, %[three]\n\t"                        \
			"vsetvli t0, zero, e64, m8, ta, ma\n\t"            \
			"vmv.v.x v0, %[first]\n\t"                         \
			".p2align 5\n\t"                                   \
			"1:\n\t"                                           \
			"vsetvli t0, %[left], e64, m8, ta, ma\n\t" body(   \
				"0") "slli t1, t0, 3\n\t"                  \
				     "add %[a], %[a], t1\n\t"              \
				     "add %[b], %[b], t1\n\t"              \
				     "add %[c], %[c], t1\n\t"              \
				     "sub %[left], %[left], t0\n\t"        \
				     "bnez %[left], 1b\n\t"                \
				     ".option pop"                         \
			: [a] "+r"(a), [b] "+r"(b), [c] "+r"(c),           \
			  [left] "+r"(left)                                \
			: [first] "r"((uint64_t)MEM_FIRST),                \
			  [three] "r"((uint64_t)MEM_THREE),                \
			  [step] "r"((uint64_t)MEM_STEP)                   \
			: "memory", VECTORS "t0", "t1", "ft2");            \
	}

#include "../mem_vla.h"

int mem_vla_usable(void)
{
	struct {
		int64_t key;
		uint64_t value;
	} ask = { .key = HWPROBE_IMA_EXT_0 };

	return !syscall(SYS_HWPROBE, &ask, 1, 0, NULL, 0) &&
	       ask.value >> HWPROBE_V_BIT & 1;
}
