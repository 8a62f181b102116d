/* SPDX-License-Identifier: MIT */
#include "load_work.h"

/* Vectors would need an assembler that knows them. */
bool load_vector_usable(void)
{
	return false;
}

double load_vector(uint64_t rounds)
{
	return 0;
}
