/* SPDX-License-Identifier: MIT */
#define MANY_REGISTERS "a2,a3,a4,a5,a6,a7,t0,t1,t2,t3,t4,t5,t6,s2,s3,s4"
#define MANY_LOST                                                         \
	"a2", "a3", "a4", "a5", "a6", "a7", "t0", "t1", "t2", "t3", "t4", \
		"t5", "t6", "s2", "s3", "s4"
#define MANY_LOAD  "ld \\r, .Lat(%0)"
#define MANY_STORE "sd \\r, .Lat(%0)"

#include "../chase_many.h"

MANY_ALL()
