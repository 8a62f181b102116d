/* SPDX-License-Identifier: MIT */
/* Where mem_bandwidth's arrays are: apart, at different places in a page; and
 * how many bytes are counted. */
/* NOLINTNEXTLINE(bugprone-suspicious-include) */
#include "../../bench/memory/mem_bandwidth.c"
#include "tests.h"

#define PAGE 4096
static const size_t parts[] = { 2048, 8192, 12288, 524288, 1 << 20 };

/* Each begins where the one before has ended, and all end within the room. */
static bool is_apart(const struct spec *spec)
{
	size_t end = 0;

	for (unsigned int k = 0; k < mem_ops[spec->op].arrays; k++) {
		if (place_of(spec, k) < end)
			return false;
		end = place_of(spec, k) + spec->part;
	}
	return end == room_of(spec);
}

static bool is_skewed(const struct spec *spec)
{
	const unsigned int arrays = mem_ops[spec->op].arrays;
	const size_t b = place_of(spec, 1) % PAGE;
	const size_t c = place_of(spec, 2) % PAGE;

	return (arrays < 2 || b) && (arrays < 3 || (c && b != c));
}

/* Two threads, each over 1000 bytes of every array 5 times, in 10 us. */
static double rate_by(enum mem_op op)
{
	return rate_of(&(struct spec) { .op = op,
					.threads = 2,
					.part = 4000,
					.chunk = 1000 },
		       5000, 10000);
}

TEST(bytes)
{
	OK_NEAR(rate_by(MEM_READ), 1e9, 1, "a byte read counts once");
	OK_NEAR(rate_by(MEM_WRITE), 1e9, 1, "so does one written");
	OK_NEAR(rate_by(MEM_COPY), 2e9, 1, "one copied is read and written");
	OK_NEAR(rate_by(MEM_SCALE), 2e9, 1, "one scaled, too");
	OK_NEAR(rate_by(MEM_ADD), 3e9, 1, "a sum has two sources");
	OK_NEAR(rate_by(MEM_TRIAD), 3e9, 1, "and so has a triad");
}

TEST(places)
{
	bool apart = true, skewed = true;

	for (int op = 0; op < MEM_OPS; op++) {
		for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
			const struct spec spec = { .op = op,
						   .threads = 1,
						   .part = parts[i] };

			apart &= is_apart(&spec);
			skewed &= is_skewed(&spec);
		}
	}
	OK(apart, "no array reaches into another");
	OK(skewed, "arrays of a thread begin at different places in a page");
}
