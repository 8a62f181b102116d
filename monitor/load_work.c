/* SPDX-License-Identifier: MIT */
#include "load_work.h"

/* By a register, not a constant: cores since 2021 add a small constant while
 * renaming, and the adders would have nothing to do. */
uint64_t load_add(uint64_t rounds)
{
	uint64_t a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0;
	const uint64_t one = 1;

	if (!rounds)
		return 0;
	__asm__ volatile(
		"1:\n\t"
		".rept 16\n\t" ARCH_ADD("%[a]", "%[one]") ARCH_ADD(
			"%[b]", "%[one]") ARCH_ADD("%[c]", "%[one]")
			ARCH_ADD("%[d]", "%[one]") ARCH_ADD("%[e]", "%[one]")
				ARCH_ADD("%[f]", "%[one]") ARCH_ADD("%[g]",
								    "%[one]")
					ARCH_ADD("%[h]",
						 "%[one]") ".endr\n"
							   "\t" ARCH_AGAIN(
								   "%[rounds]",
								   "1b")
		: [a] "+r"(a), [b] "+r"(b), [c] "+r"(c), [d] "+r"(d),
		  [e] "+r"(e), [f] "+r"(f), [g] "+r"(g), [h] "+r"(h),
		  [rounds] "+r"(rounds)
		: [one] "r"(one)
		: "cc");
	return a + b + c + d + e + f + g + h;
}

double load_vector(uint64_t rounds)
{
	double lanes[8][ARCH_VECTOR_LANES], sum = 0;

	if (!rounds)
		return 0;
	load_vector_lanes(rounds, lanes);
	for (int r = 0; r < 8; r++)
		for (int l = 0; l < ARCH_VECTOR_LANES; l++)
			sum += lanes[r][l];
	return sum;
}
