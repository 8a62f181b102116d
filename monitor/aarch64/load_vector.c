/* SPDX-License-Identifier: MIT */
#include "../load_vector.h"

bool load_vector_usable(void)
{
	return true;
}

void load_vector_lanes(uint64_t rounds, double lanes[8][ARCH_VECTOR_LANES])
{
	__asm__ volatile(
		"fmov v8.2d, #1.0\n\t"
		".irp r, 0,1,2,3,4,5,6,7\n\t"
		"movi v\\r\\().2d, #0\n\t"
		".endr\n"
		"1:\n\t"
		".rept 8\n\t"
		".irp r, 0,1,2,3,4,5,6,7\n\t"
		"fadd v\\r\\().2d, v\\r\\().2d, v8.2d\n\t"
		".endr\n\t"
		".endr\n\t" ARCH_AGAIN("%[rounds]",
				       "1b") "stp q0, q1, [%[lanes]]\n\t"
					     "stp q2, q3, [%[lanes], #32]\n\t"
					     "stp q4, q5, [%[lanes], #64]\n\t"
					     "stp q6, q7, [%[lanes], #96]"
		: [rounds] "+r"(rounds)
		: [lanes] "r"(lanes)
		: "cc", "memory", "v0", "v1", "v2", "v3", "v4", "v5", "v6",
		  "v7", "v8");
}
