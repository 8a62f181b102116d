/* SPDX-License-Identifier: MIT */
#include "arch.h"
#include "load_work.h"

bool load_vector_usable(void)
{
	__builtin_cpu_init();
	return __builtin_cpu_supports("avx");
}

/* The compiler is not asked for AVX: the program must run without. */
double load_vector(uint64_t rounds)
{
	static const double one = 1;
	double lanes[8][ARCH_VECTOR_LANES] = { { 0 } }, sum = 0;

	if (!rounds)
		return 0;
	__asm__ volatile("vbroadcastsd %[one], %%ymm8\n\t"
			 "vxorpd %%ymm0, %%ymm0, %%ymm0\n\t"
			 "vxorpd %%ymm1, %%ymm1, %%ymm1\n\t"
			 "vxorpd %%ymm2, %%ymm2, %%ymm2\n\t"
			 "vxorpd %%ymm3, %%ymm3, %%ymm3\n\t"
			 "vxorpd %%ymm4, %%ymm4, %%ymm4\n\t"
			 "vxorpd %%ymm5, %%ymm5, %%ymm5\n\t"
			 "vxorpd %%ymm6, %%ymm6, %%ymm6\n\t"
			 "vxorpd %%ymm7, %%ymm7, %%ymm7\n"
			 "1:\n\t"
			 ".rept 8\n\t"
			 "vaddpd %%ymm8, %%ymm0, %%ymm0\n\t"
			 "vaddpd %%ymm8, %%ymm1, %%ymm1\n\t"
			 "vaddpd %%ymm8, %%ymm2, %%ymm2\n\t"
			 "vaddpd %%ymm8, %%ymm3, %%ymm3\n\t"
			 "vaddpd %%ymm8, %%ymm4, %%ymm4\n\t"
			 "vaddpd %%ymm8, %%ymm5, %%ymm5\n\t"
			 "vaddpd %%ymm8, %%ymm6, %%ymm6\n\t"
			 "vaddpd %%ymm8, %%ymm7, %%ymm7\n\t"
			 ".endr\n\t"
			 "dec %[rounds]\n\t"
			 "jnz 1b\n\t"
			 "vmovupd %%ymm0, 0(%[lanes])\n\t"
			 "vmovupd %%ymm1, 32(%[lanes])\n\t"
			 "vmovupd %%ymm2, 64(%[lanes])\n\t"
			 "vmovupd %%ymm3, 96(%[lanes])\n\t"
			 "vmovupd %%ymm4, 128(%[lanes])\n\t"
			 "vmovupd %%ymm5, 160(%[lanes])\n\t"
			 "vmovupd %%ymm6, 192(%[lanes])\n\t"
			 "vmovupd %%ymm7, 224(%[lanes])\n\t"
			 "vzeroupper"
			 : [rounds] "+r"(rounds)
			 : [one] "m"(one), [lanes] "r"(lanes)
			 : "cc", "memory", "xmm0", "xmm1", "xmm2", "xmm3",
			   "xmm4", "xmm5", "xmm6", "xmm7", "xmm8");
	for (int r = 0; r < 8; r++)
		for (int l = 0; l < ARCH_VECTOR_LANES; l++)
			sum += lanes[r][l];
	return sum;
}
