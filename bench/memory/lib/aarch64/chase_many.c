/* SPDX-License-Identifier: MIT */
#define MANY_REGISTERS "x2,x3,x4,x5,x6,x7,x8,x9,x10,x11,x12,x13,x14,x15,x16,x17"
#define MANY_LOST                                                            \
	"x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", \
		"x13", "x14", "x15", "x16", "x17"
#define MANY_LOAD  "ldr \\r, [%0, #.Lat]"
#define MANY_STORE "str \\r, [%0, #.Lat]"

#include "../chase_many.h"

MANY_ALL()
