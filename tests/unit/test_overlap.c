/* SPDX-License-Identifier: MIT */
/* The costs that chains side by side can show, in cycles of known units. */
/* NOLINTNEXTLINE(bugprone-suspicious-include) */
#include "../../bench/cpu/arith.c"
#include "tap.h"

int main(void)
{
	/* 3 a cycle with a latency of 3 keep 9 chains at work. */
	OK_NEAR(overlap_least(3, 0.376, 8), 0, 0, "8 chains: always waiting");
	OK_NEAR(overlap_least(3, 0.334, 12), 0.334, 0, "12: the units");
	/* 2 a cycle with 4: 8 chains may just do, or lose some turns. */
	OK_NEAR(overlap_least(4, 0.54, 8), 0, 0, "some turns are lost");
	OK_NEAR(overlap_least(4, 0.5, 12), 0.5, 0, "none is");
	OK_NEAR(overlap_least(13, 4, 8), 4, 0, "one divider");
	OK_NEAR(overlap_least(1, 1, 1), 0, 0, "one chain shows a latency");
	return tap_done();
}
