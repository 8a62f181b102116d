/* SPDX-License-Identifier: MIT */
/* The error of a difference of medians is that of medians: a read that was
 * held up for long does not hide the network's penalty. */
#include "../../bench/net/lib/remote_read.h"
#include "tap.h"

/* @n reads of 50 us, give or take 1; the first @late of them 10 ms. */
static double error_of(size_t n, size_t late)
{
	struct remote_read r = { .n = n };

	for (size_t i = 0; i < n; i++)
		r.kept[i % REMOTE_READ_KEPT] =
			i < late ? 1e7 : 49e3 + 2e3 * (double)(i % 11) / 10;
	return remote_read_error(&r);
}

int main(void)
{
	OK(error_of(0, 0) == 0, "of no read nothing is known");
	OK(error_of(100, 0) > 50 && error_of(100, 0) < 1000,
	   "of many that are alike it is a part of their spread");
	OK(error_of(100, 3) < 1.5 * error_of(100, 0),
	   "a few that took long change little");
	OK(error_of(20, 0) > error_of(100, 0), "of fewer it is larger");
	OK(error_of(5000, 4000) < 1000, "the last ones count");
	return tap_done();
}
