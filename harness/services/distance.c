/* SPDX-License-Identifier: MIT */
#include "distance.h"

#define MOST_LOADS ((uint64_t)1 << 35) /* within an answer: many seconds */

uint64_t distance_answer(_Atomic uint64_t *line)
{
	uint64_t n = 0, seen;

	for (;;) {
		do
			seen = atomic_load_explicit(line, memory_order_acquire);
		while (!(seen & 1));
		if (seen == DISTANCE_LAST)
			return n;
		atomic_store_explicit(line, seen + 1, memory_order_release);
		n++;
	}
}

bool distance_trips(_Atomic uint64_t *line, uint64_t n)
{
	uint64_t turn = atomic_load_explicit(line, memory_order_relaxed);

	for (uint64_t i = 0; i < n; i++) {
		uint64_t left = MOST_LOADS;

		atomic_store_explicit(line, turn + 1, memory_order_release);
		turn += 2;
		while (atomic_load_explicit(line, memory_order_acquire) != turn)
			if (!--left)
				return false;
	}
	return true;
}
