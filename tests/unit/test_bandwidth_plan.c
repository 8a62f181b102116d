/* SPDX-License-Identifier: MIT */
/* Where mem_bandwidth's arrays are: threads far enough apart, arrays of one
 * thread at different places in a page; and how many bytes are counted. */
#include "../../bench/memory/lib/bandwidth_plan.h"
#include "tap.h"

#define PAGE	4096
#define AHEAD	((size_t)8 * MEM_BLOCK) /* what a core was seen to fetch */
#define THREADS 3

static const size_t parts[] = { 2048, 8192, 12288, 524288, 1 << 20 };

static size_t begin_of(const struct bandwidth_place *p, unsigned int array)
{
	return array == 0 ? p->a : array == 1 ? p->b : p->c;
}

/* Of all arrays of all threads: each begins where the one before has ended, and
 * far behind it if that is another thread's. */
static bool is_apart(const struct bandwidth_spec *spec)
{
	const unsigned int arrays = mem_ops[spec->op].arrays;
	size_t end = 0;

	for (unsigned int i = 0; i < spec->threads; i++) {
		const struct bandwidth_place p = bandwidth_place(spec, i);

		for (unsigned int k = 0; k < arrays; k++) {
			const size_t begin = begin_of(&p, k);

			if (begin < end + (i && !k ? 2 * AHEAD : 0))
				return false;
			end = begin + spec->part;
		}
	}
	return end <= spec->threads * (arrays * spec->part + BANDWIDTH_APART);
}

static bool is_skewed(const struct bandwidth_spec *spec)
{
	const struct bandwidth_place p = bandwidth_place(spec, 0);
	const unsigned int arrays = mem_ops[spec->op].arrays;

	return (arrays < 2 || p.a % PAGE != p.b % PAGE) &&
	       (arrays < 3 ||
		(p.a % PAGE != p.c % PAGE && p.b % PAGE != p.c % PAGE));
}

/* Of two threads, each over 1000 bytes of every array 5 times, in 10 us. */
static double rate_of(enum mem_op op)
{
	return bandwidth_rate(&(struct bandwidth_spec) { .op = op,
							 .threads = 2,
							 .part = 4000,
							 .chunk = 1000 },
			      5, 10000);
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
							     .threads = THREADS,
							     .part = parts[i] };

			apart &= is_apart(&spec);
			skewed &= is_skewed(&spec);
		}
	}
	OK(apart, "what one thread reads ahead is not written by the next");
	OK(skewed, "arrays of a thread begin at different places in a page");
	return tap_done();
}
