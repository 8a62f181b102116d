/* SPDX-License-Identifier: MIT */
#include "../load_vector.h"

bool load_vector_usable(void)
{
	__builtin_cpu_init();
	return __builtin_cpu_supports("avx");
}

/* The compiler is not asked for AVX: the program must run without. */
void load_vector_lanes(uint64_t rounds, double lanes[8][ARCH_VECTOR_LANES])
{
	static const double one = 1;

	__asm__ volatile("vbroadcastsd %[one], %%ymm8\n\t"
			 ".irp r, 0,1,2,3,4,5,6,7\n\t"
			 "vxorpd %%ymm\\r, %%ymm\\r, %%ymm\\r\n\t"
			 ".endr\n"
			 "1:\n\t"
			 ".rept 8\n\t"
			 ".irp r, 0,1,2,3,4,5,6,7\n\t"
			 "vaddpd %%ymm8, %%ymm\\r, %%ymm\\r\n\t"
			 ".endr\n\t"
			 ".endr\n\t"
			 "dec %[rounds]\n\t"
			 "jnz 1b\n\t"
			 ".irp r, 0,1,2,3,4,5,6,7\n\t"
			 "vmovupd %%ymm\\r, 32*\\r(%[lanes])\n\t"
			 ".endr\n\t"
			 "vzeroupper"
			 : [rounds] "+r"(rounds)
			 : [one] "m"(one), [lanes] "r"(lanes)
			 : "cc", "memory", "xmm0", "xmm1", "xmm2", "xmm3",
			   "xmm4", "xmm5", "xmm6", "xmm7", "xmm8");
}
