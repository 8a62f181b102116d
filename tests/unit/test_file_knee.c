/* SPDX-License-Identifier: MIT */
/* The size at which a curve jumps is found where there is one, and only
 * there, with few points too. */
#include <errno.h>
#include <math.h>
#include <stdint.h>

#include "../../bench/file/lib/file_knee.h"
#include "tap.h"

#define MIB ((uint64_t)1 << 20)
#define N   12

struct truth {
	double knee_bytes, cached_ns, uncached_ns, noise;
	int ramp; /* behind the knee the time grows towards the last */
	uint64_t seed;
	unsigned int asked;
};

static double uniform(uint64_t *x)
{
	*x ^= *x >> 12;
	*x ^= *x << 25;
	*x ^= *x >> 27;
	return (double)(*x * 0x2545F4914F6CDD1Du >> 11) / 0x1p53;
}

static double time_at(struct truth *t, double size)
{
	const double share = t->ramp ? 1 - t->knee_bytes / size / 1.2 : 1;
	const double ns = size < t->knee_bytes
				  ? t->cached_ns
				  : t->cached_ns + share * (t->uncached_ns -
							    t->cached_ns);

	return ns * exp(t->noise * (2 * uniform(&t->seed) - 1));
}

static int find(struct truth *t, struct file_knee *k)
{
	double size[N], ns[N];

	for (int i = 0; i < N; i++) {
		size[i] = (double)(MIB * (uint64_t)(10 + 4 * i));
		ns[i] = time_at(t, size[i]);
	}
	return file_knee_find(k, size, ns, N);
}

static void jumps(void)
{
	struct truth t = { 32e6, 1000, 4000, 0, 0, 1, 0 };
	struct file_knee k;

	OK(!find(&t, &k) && k.fits_bytes == (double)(30 * MIB) &&
		   k.fails_bytes == (double)(34 * MIB) &&
		   k.size_bytes == (double)(32 * MIB),
	   "a jump is between the last size that fits and the next");
	OK(fabs(k.cached_ns - 1000) < 1 && fabs(k.uncached_ns - 4000) < 1,
	   "the times of both sides");
	t.uncached_ns = 100000;
	t.ramp = 1;
	OK(!find(&t, &k) && k.fits_bytes == (double)(30 * MIB),
	   "also where only a part is read anew at first");
	t = (struct truth) { 12e6, 1000, 3000, 0, 0, 1, 0 };
	OK(!find(&t, &k) && k.fits_bytes == (double)(10 * MIB),
	   "one point before the jump is enough");
	t.knee_bytes = 54e6;
	OK(!find(&t, &k) && k.fails_bytes == (double)(54 * MIB),
	   "and one behind it");
}

static void none(void)
{
	struct truth t = { 1e12, 1000, 4000, 0, 0, 1, 0 };
	double size[] = { 1, 2, 3 }, ns[] = { 1, 2, NAN };
	struct file_knee k;
	int found = 0;

	OK(find(&t, &k) == -ENOENT, "a flat curve has none");
	t.noise = 0.15;
	for (int i = 0; i < 1000; i++) {
		t.seed = (uint64_t)i + 1;
		found += !find(&t, &k);
	}
	OK(!found, "nor has noise of 15 % one, 1000 times");
	t = (struct truth) { 32e6, 4000, 1000, 0, 0, 1, 0 };
	OK(find(&t, &k) == -ENOENT, "a fall is no jump");
	OK(file_knee_find(&k, size, ns, 3) == -EINVAL &&
		   file_knee_find(&k, size, ns, 0) == -ENOENT &&
		   file_knee_find(&k, size, ns, KNEE_POINTS + 1) == -EINVAL,
	   "what is no curve is refused");
}

static void noisy(void)
{
	struct truth t = { 32e6, 1000, 3500, 0.3, 0, 1, 0 };
	struct file_knee k;
	int right = 0;

	for (int i = 0; i < 1000; i++) {
		t.seed = (uint64_t)i + 1;
		right += !find(&t, &k) && k.fits_bytes == (double)(30 * MIB);
	}
	OK(right >= 990, "noise of 30 % does not hide it");
}

static int measure(void *arg, uint64_t size_bytes, double *ns, double *stored)
{
	struct truth *t = arg;

	t->asked++;
	*ns = time_at(t, (double)size_bytes);
	*stored = (double)size_bytes >= t->knee_bytes;
	return size_bytes == 77 * MIB ? -EIO : 0;
}

static void sweeps(void)
{
	static const uint64_t first[] = { 256 * MIB, 512 * MIB, 768 * MIB,
					  1024 * MIB, 1152 * MIB };
	static const uint64_t bad[] = { 10 * MIB, 77 * MIB };
	struct truth t = { 901.5 * (double)MIB, 500, 38000, 0.2, 0, 1, 0 };
	struct file_sweep s;
	int ascending = 1;

	OK(!file_sweep(&s, first, 5, 5, MIB, measure, &t) &&
		   s.knee.fits_bytes <= t.knee_bytes &&
		   s.knee.fails_bytes > t.knee_bytes &&
		   s.knee.fails_bytes - s.knee.fits_bytes == (double)(8 * MIB),
	   "five halvings of 256 MiB find it to 8 MiB");
	OK(t.asked == 10 && s.n == 10, "with ten sizes");
	for (size_t i = 1; i < s.n; i++)
		ascending &= s.size_bytes[i] > s.size_bytes[i - 1];
	OK(ascending, "in ascending order");
	OK(s.knee.counted, "by the counters");
	t.asked = 0;
	OK(!file_sweep(&s, first, 5, 30, MIB, measure, &t) &&
		   s.knee.fails_bytes - s.knee.fits_bytes == (double)MIB &&
		   t.asked == 13,
	   "it stops where there is no step between");
	t.asked = 0;
	t.knee_bytes = 1e15;
	OK(file_sweep(&s, first, 5, 5, MIB, measure, &t) == -ENOENT &&
		   t.asked == 5,
	   "without a jump in the first sizes there is nothing to halve");
	OK(file_sweep(&s, bad, 2, 5, MIB, measure, &t) == -EIO,
	   "an error ends it");
}

/* @n parts of 1 MiB that took @ns for a block, @stored MiB each. */
static void parts(struct file_parts *p, int n, double ns, double stored)
{
	while (n--)
		file_parts_add(p, ns, (double)MIB, stored * (double)MIB);
}

/* Six parts are timed in a quick run: pauses must not look like a disk. */
static void pauses(void)
{
	struct file_parts p = { 0 };

	parts(&p, 4, 1000, 0);
	parts(&p, 2, 40000, 0);
	OK(file_parts_time(&p, true) == 1000 && file_parts_stored(&p) == 0,
	   "pauses in some cached parts");
	parts(&p, 2, 5000, 2);
	OK(file_parts_time(&p, true) == (4000 + 80000 + 10000) / 8.0 &&
		   file_parts_stored(&p) == 0.5,
	   "where some were read, it is the mean");
	parts(&p, FILE_PARTS, 7000, 1);
	OK(p.n == FILE_PARTS, "no more than there is room for");

	p = (struct file_parts) { 0 };
	parts(&p, 5, 1000, -1);
	parts(&p, 1, 40000, -1);
	OK(file_parts_time(&p, false) == 1000 && file_parts_stored(&p) == 0,
	   "nothing counted: a pause in one of six is left out");
	p = (struct file_parts) { 0 };
	parts(&p, 2, 500, -1);
	parts(&p, 4, 4000, -1);
	OK(file_parts_time(&p, false) == (2 * 500 + 3 * 4000) / 5.0,
	   "of which much is not cached stays slow");
	p = (struct file_parts) { 0 };
	OK(isnan(file_parts_time(&p, true)) &&
		   isnan(file_parts_time(&p, false)),
	   "nothing was read");
	parts(&p, 2, 200, -1);
	parts(&p, 1, 500, -1);
	OK(file_parts_time(&p, false) == 300, "of three all count");
}

/* A pause so long that a cached size looked like the disk: half of the memory
 * took 6 us for a block, for the hypervisor had given the CPU to others. */
static void counted(void)
{
	struct file_sweep s = { .n = 0 };
	struct file_knee k;

	file_sweep_add(&s, 18, 3000, 0);
	file_sweep_add(&s, 6, 800, 0);
	file_sweep_add(&s, 12, 6000, 0);
	OK(!file_sweep_find(&s, &k) && k.fits_bytes == 6 && !k.counted,
	   "the clock alone is deceived");
	file_sweep_add(&s, 24, 6000, 1);
	OK(!file_sweep_find(&s, &k) && k.fits_bytes == 18 &&
		   k.fails_bytes == 24 && k.size_bytes == 21 && k.counted &&
		   k.cached_ns == 3000 && k.uncached_ns == 6000,
	   "the counters are not");
	s.stored[2] = 0.06;
	OK(!file_sweep_find(&s, &k) && k.fits_bytes == 18,
	   "a little may be missing of what fits");
	s.stored[2] = 0.07;
	s.ns[1] = s.ns[2] = 900;
	OK(!file_sweep_find(&s, &k) && k.fits_bytes == 12,
	   "what came in part from storage does not fit, however fast");
	s.stored[1] = 0.5;
	s.stored[2] = 0;
	OK(file_sweep_find(&s, &k) == -EUCLEAN,
	   "what is larger cannot fit better");
	s.stored[1] = 0;
	s.ns[3] = 1000;
	OK(file_sweep_find(&s, &k) == -ENOENT,
	   "storage as fast as the cache makes no knee");
	s.stored[0] = s.stored[1] = s.stored[2] = 1;
	OK(file_sweep_find(&s, &k) == -ENOENT, "nor has one what never fits");
	s.stored[0] = s.stored[1] = s.stored[2] = s.stored[3] = 0.01;
	OK(file_sweep_find(&s, &k) == -ENOENT, "or always");
	s.n = KNEE_POINTS;
	OK(file_sweep_add(&s, 1, 1, 0) == -ERANGE,
	   "no more than there is room");
}

int main(void)
{
	pauses();
	counted();
	jumps();
	none();
	noisy();
	sweeps();
	return tap_done();
}
