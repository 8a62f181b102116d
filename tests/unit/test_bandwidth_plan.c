/* SPDX-License-Identifier: MIT */
/* Where mem_bandwidth's arrays are: apart, at different places in a page; and
 * how many bytes are counted. */
#include "../../bench/memory/lib/bandwidth_plan.h"
#include "tap.h"

#define PAGE 4096
static const size_t parts[] = { 2048, 8192, 12288, 524288, 1 << 20 };

/* Each begins where the one before has ended, and all end within the room. */
static bool is_apart(const struct bandwidth_spec *spec)
{
	size_t end = 0;

	for (unsigned int k = 0; k < mem_ops[spec->op].arrays; k++) {
		if (bandwidth_place(spec, k) < end)
			return false;
		end = bandwidth_place(spec, k) + spec->part;
	}
	return end == bandwidth_room(spec);
}

static bool is_skewed(const struct bandwidth_spec *spec)
{
	const unsigned int arrays = mem_ops[spec->op].arrays;
	const size_t b = bandwidth_place(spec, 1) % PAGE;
	const size_t c = bandwidth_place(spec, 2) % PAGE;

	return (arrays < 2 || b) && (arrays < 3 || (c && b != c));
}

/* Two threads, each over 1000 bytes of every array 5 times, in 10 us. */
static double rate_of(enum mem_op op)
{
	return bandwidth_rate(&(struct bandwidth_spec) { .op = op,
							 .threads = 2,
							 .part = 4000,
							 .chunk = 1000 },
			      5000, 10000);
}

static void bytes(void)
{
	OK_NEAR(rate_of(MEM_READ), 1e9, 1, "a byte read counts once");
	OK_NEAR(rate_of(MEM_WRITE), 1e9, 1, "so does one written");
	OK_NEAR(rate_of(MEM_COPY), 2e9, 1, "one copied is read and written");
	OK_NEAR(rate_of(MEM_SCALE), 2e9, 1, "one scaled, too");
	OK_NEAR(rate_of(MEM_ADD), 3e9, 1, "a sum has two sources");
	OK_NEAR(rate_of(MEM_TRIAD), 3e9, 1, "and so has a triad");
}

int main(void)
{
	bytes();
	bool apart = true, skewed = true;

	for (int op = 0; op < MEM_OPS; op++) {
		for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
			const struct bandwidth_spec spec = { .op = op,
							     .threads = 1,
							     .part = parts[i] };

			apart &= is_apart(&spec);
			skewed &= is_skewed(&spec);
		}
	}
	OK(apart, "no array reaches into another");
	OK(skewed, "arrays of a thread begin at different places in a page");
	return tap_done();
}
