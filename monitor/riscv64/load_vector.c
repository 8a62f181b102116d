/* SPDX-License-Identifier: MIT */
#include "../load_vector.h"

/* Vectors would need an assembler that knows them. */
bool load_vector_usable(void)
{
	return false;
}

void load_vector_lanes(uint64_t rounds, double lanes[8][ARCH_VECTOR_LANES])
{
}
