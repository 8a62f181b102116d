/* SPDX-License-Identifier: MIT */
/* What a riscv64 processor says of itself, and how its clock is to be read. */
#include "plain_counter.h"

bool timer_usable(enum timer_method method, const struct timer_features *f,
		  const char **why)
{
	if (method != TIMER_CLOCK && !f->counter) {
		*why = "the counter `time` cannot be read here";
		return false;
	}
	return true;
}

enum timer_method timer_choose(const struct timer_features *f, const char **why)
{
	static const char *const reasons[] = {
		"FENCE does not hold RDTIME back here, so the kernel's clock",
		"FENCE holds a long chain back",
		"FENCE holds a long chain back; RDTIME traps to the firmware"
	};

	return choose_plain(f, reasons, why);
}

const char *counters_no_llc(const char *vendor)
{
	return NULL;
}
