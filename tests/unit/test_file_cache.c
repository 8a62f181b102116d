/* SPDX-License-Identifier: MIT */
/* The size from which on a file does not fit is found where there is one, and
 * only there, with few sizes too. */
/* NOLINTNEXTLINE(bugprone-suspicious-include) */
#include "../../bench/file/file_cache.c"
#include "tests.h"

struct truth {
	double knee_bytes;
	unsigned int asked;
};

static int measure(void *arg, uint64_t bytes, struct file_size *size)
{
	struct truth *t = arg;

	t->asked++;
	size->stored = (double)bytes >= t->knee_bytes;
	size->ns = 500 + 37500 * size->stored;
	return bytes == 77 * MIB ? -EIO : 0;
}

TEST(sweeps)
{
	static const uint64_t sizes[] = { 256 * MIB, 512 * MIB, 768 * MIB,
					  1024 * MIB, 1152 * MIB };
	static const uint64_t bad[] = { 10 * MIB, 77 * MIB };
	struct truth t = { 901.5 * (double)MIB, 0 };
	struct file_knee k;
	int ascending = 1;

	OK(!knee_sweep(&k, sizes, 5, 5, MIB, measure, &t) &&
		   k.fits <= t.knee_bytes && k.fails > t.knee_bytes &&
		   k.fails - k.fits == (double)(8 * MIB),
	   "five halvings of 256 MiB find it to 8 MiB");
	OK(t.asked == 10 && k.n == 10, "with ten sizes");
	for (size_t i = 1; i < k.n; i++)
		ascending &= k.size[i].bytes > k.size[i - 1].bytes;
	OK(ascending, "in ascending order");
	t.asked = 0;
	OK(!knee_sweep(&k, sizes, 5, 30, MIB, measure, &t) &&
		   k.fails - k.fits == (double)MIB && t.asked == 13,
	   "it stops where there is no step between");
	t.asked = 0;
	OK(!knee_sweep(&k, sizes, 5, 0, MIB, measure, &t) &&
		   k.fails - k.fits == (double)(256 * MIB) && t.asked == 5,
	   "without halvings it is between the first sizes");
	t = (struct truth) { 1e15, 0 };
	OK(knee_sweep(&k, sizes, 5, 5, MIB, measure, &t) == -ENOENT &&
		   t.asked == 5,
	   "without a jump in the first sizes there is nothing to halve");
	OK(knee_sweep(&k, bad, 2, 5, MIB, measure, &t) == -EIO,
	   "an error ends it");
}

static void add(struct file_knee *k, double bytes, double ns, double stored)
{
	knee_add(k, (struct file_size) { bytes, ns, stored });
}

/* A pause so long that a cached size looked like the disk: half of the memory
 * took 6 us for a block, for the hypervisor had given the CPU to others. */
TEST(counted)
{
	struct file_knee k = { .n = 0 };

	OK(knee_find(&k) == -ENOENT, "no size has no knee");
	add(&k, 18, 3000, 0);
	add(&k, 6, 800, 0);
	add(&k, 12, 6000, 0);
	OK(knee_find(&k) == -ENOENT, "a pause makes none");
	add(&k, 24, 6000, 1);
	OK(!knee_find(&k) && k.fits == 18 && k.fails == 24 && k.bytes == 21 &&
		   k.cached_ns == 3000 && k.uncached_ns == 6000,
	   "it is where the counters have it");
	k.size[2].stored = 0.06;
	OK(!knee_find(&k) && k.fits == 18,
	   "a little may be missing of what fits");
	k.size[2].stored = 0.07;
	k.size[1].ns = k.size[2].ns = 900;
	OK(!knee_find(&k) && k.fits == 12,
	   "what came in part from storage does not fit, however fast");
	k.size[1].stored = 0.5;
	k.size[2].stored = 0;
	OK(knee_find(&k) == -EUCLEAN, "what is larger cannot fit better");
	k.size[1].stored = 0;
	k.size[3].ns = 1000;
	OK(knee_find(&k) == -ENOENT,
	   "storage as fast as the cache makes no knee");
	k.size[0].stored = k.size[1].stored = k.size[2].stored = 1;
	OK(knee_find(&k) == -ENOENT, "nor has one what never fits");
}
