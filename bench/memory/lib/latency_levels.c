/* SPDX-License-Identifier: MIT */
#include "latency_levels.h"

#include <math.h>
#include <stdlib.h>

#include "levels.h"
#include "mem_buffer.h"
#include "stats.h"

static const char of_curve[] = "pattern=window pages=$page";
static const char *const names[] = { "memory", "1", "2", "3" };

bool latency_is_curve(const struct bench_case *c)
{
	return case_is(c, "pattern", "window") &&
	       case_is(c, "pages", bench_page_name());
}

/* Of its size a level is made from all of the curve, else from the sizes that
 * it holds and, to know it from memory, the one beyond the caches. */
void latency_levels_add(struct bench *b, const double *cache_bytes)
{
	BENCH_EACH (b, row, "level") {
		const size_t level = CASE_NTH(row, "level", names);

		BENCH_EACH (b, c, of_curve) {
			const struct latency_spec *spec = c->data;

			if (case_is(row, "figure", "size") ||
			    spec->bytes == mem_beyond_caches(b) ||
			    (level && levels_is_of(cache_bytes + 1, level - 1,
						   (double)spec->bytes)))
				bench_derived_from(b, row, c);
		}
	}
}

/* What the levels are made from: what a load takes from where the lines were
 * put by warming up.  A row may be slower: its chain goes round on until it has
 * no more than the others that share the last cache leave it. */
struct curve {
	double size[LEVELS_CURVE], latency[LEVELS_CURVE];
	const struct latency_spec *spec[LEVELS_CURVE];
	size_t n;
};

static void curve_get(const struct bench *b, struct curve *all)
{
	all->n = 0;
	BENCH_EACH (b, c, of_curve) {
		const struct latency_spec *spec = c->data;
		const double ns = bench_value(b, c);

		if (!isfinite(ns) || all->n == LEVELS_CURVE)
			continue;
		all->size[all->n] = (double)spec->bytes;
		all->latency[all->n] =
			spec->held_ns > 0 ? fmin(ns, spec->held_ns) : ns;
		all->spec[all->n++] = spec;
	}
}

struct taken {
	double cycles, share;
};

static int most_share_first(const void *a, const void *b)
{
	const struct taken *x = a, *y = b;

	return (x->share < y->share) - (x->share > y->share);
}

/* What was taken at the points of a plateau. */
static size_t gather(const struct curve *curve, const struct level *l,
		     struct taken *all)
{
	size_t n = 0;

	for (size_t i = l->first; i <= l->last; i++) {
		const struct latency_spec *spec = curve->spec[i];
		const double unit = spec->bytes <= LATENCY_SMALL
					    ? 1
					    : curve->latency[i] * 1e-9;

		for (size_t k = 0; k < spec->n_pairs; k++)
			all[n++] = (struct taken) { spec->pair[k] * unit,
						    spec->share[k] };
	}
	return n;
}

/* Core cycles of a load in a level: the median over the quarter of all that was
 * taken at the points of its plateau in which we had most of the core, for
 * another hardware thread of it takes turns at the load ports (seen: 5.1 cycles
 * instead of 5.0); NAN if nothing was. */
static double level_cycles(const struct curve *curve, const struct level *l)
{
	/* More than ulimit -s may allow. */
	static struct taken all[LEVELS_CURVE * LATENCY_PAIRS];
	static double cycles[LEVELS_CURVE * LATENCY_PAIRS];
	const size_t n = gather(curve, l, all), most = (n + 3) / 4;

	qsort(all, n, sizeof(*all), most_share_first);
	for (size_t i = 0; i < most; i++)
		cycles[i] = all[i].cycles;
	return most ? stats_median(cycles, most) : NAN;
}

static const char used_up_text[] =
	"others use this cache up (in a virtual machine it is the host's, for "
	"all its guests), or the machine is too busy";

/* Steps of the ladder of sizes between what was found and what hwloc says. */
static double steps_off(const struct curve *curve, double found, double told)
{
	double steps = 0;

	for (size_t i = 0; i < curve->n; i++)
		steps += (curve->size[i] > found) != (curve->size[i] > told);
	return steps;
}

/* Whether a size was measured that fills at least half of a cache. */
static bool is_filled(const struct curve *curve, double cache_bytes)
{
	for (size_t i = 0; i < curve->n; i++)
		if (curve->size[i] >= cache_bytes / 2 &&
		    curve->size[i] <= cache_bytes)
			return true;
	return false;
}

/* @next_ns: what the next cache takes, or memory.  @told: what hwloc says. */
static void derive_size(struct bench *b, const struct bench_case *row,
			const struct curve *curve, const struct level *l,
			double next_ns, double told, bool last)
{
	const int end = levels_end(curve->size, curve->latency, curve->n,
				   l->latency_ns, next_ns);
	const double found = end < 0 ? 0 : curve->size[end];
	const double off = steps_off(curve, found, told);

	if (end < 0) {
		bench_derive_skip(b, row, "nothing slower was measured");
	} else if (!last || found >= told / 2) {
		bench_derive_between(b, row, found, found,
				     levels_above(curve->size, curve->n,
						  found));
		bench_fact(b, row, "hwloc_bytes", told);
		bench_fact(b, row, "steps_off", off);
		/* What makes a cache look smaller or larger than it is. */
		if (off > 1)
			bench_fact_text(
				b, row, "why",
				found < told
					? "others use a part of it, or pages "
					  "of 4 KiB fill its sets unevenly, or "
					  "the machine is too busy"
					: "the step is hidden by the next "
					  "cache, or the machine is too busy");
	} else if (is_filled(curve, told)) {
		/* Where others use the half of the last cache or more, the end
		 * that is seen is theirs to set: no size of the cache. */
		bench_derive_skip(b, row,
				  "seen up to %.4g of the %.4g MiB that hwloc "
				  "states: %s",
				  found / 1048576, told / 1048576,
				  used_up_text);
	} else {
		bench_derive_skip(
			b, row,
			"no size was measured that fills half of the "
			"%.4g MiB that hwloc states: %.4g MiB still fit",
			told / 1048576, found / 1048576);
	}
}

static void derive_cycles(struct bench *b, const struct bench_case *row,
			  double cycles)
{
	if (isfinite(cycles))
		bench_derive(b, row, cycles);
	else
		bench_derive_skip(b, row, "a core's cycle could not be told");
}

static void skip(struct bench *b, const struct bench_case *row, size_t level,
		 double cache_bytes)
{
	if (level && cache_bytes > 0)
		bench_derive_skip(b, row,
				  "no size that would fit the %.0f KiB that "
				  "hwloc states is clearly faster than memory: "
				  "%s",
				  cache_bytes / 1024, used_up_text);
	else
		bench_derive_skip(b, row,
				  level ? "hwloc knows no such cache"
					: "the size beyond the caches could "
					  "not be measured");
}

/* Into @l[0] the least size beyond all caches (larger ones take as long, and
 * touching them more than all measuring), into the others the caches; a latency
 * of 0 or NAN: not found. */
static void find_levels(const struct bench *b, const struct curve *curve,
			const double *cache_bytes, struct level *l)
{
	l[0].latency_ns = NAN;
	for (size_t i = 0; i < curve->n; i++)
		if (curve->spec[i]->bytes == mem_beyond_caches(b))
			l[0] = (struct level) { .first = i,
						.last = i,
						.latency_ns =
							curve->latency[i] };
	for (size_t level = 1; level <= LATENCY_LEVELS; level++)
		if (levels_known(curve->size, curve->latency, curve->n,
				 cache_bytes + 1, LATENCY_LEVELS, level - 1,
				 l[0].latency_ns, &l[level]))
			l[level].latency_ns = 0;
}

void latency_levels_derive(struct bench *b, const double *cache_bytes)
{
	struct level found[LATENCY_LEVELS + 1] = { 0 };
	struct curve curve;

	curve_get(b, &curve);
	find_levels(b, &curve, cache_bytes, found);
	BENCH_EACH (b, row, "level") {
		const size_t level = CASE_NTH(row, "level", names);
		const struct level *l = &found[level];
		size_t next = (level + 1) % (LATENCY_LEVELS + 1);

		while (next && !(found[next].latency_ns > 0))
			next = (next + 1) % (LATENCY_LEVELS + 1);
		if (!(l->latency_ns > 0)) {
			skip(b, row, level, cache_bytes[level]);
		} else if (case_is(row, "figure", "cycles")) {
			derive_cycles(b, row, level_cycles(&curve, l));
		} else if (case_is(row, "figure", "latency")) {
			bench_derive(b, row, l->latency_ns);
			bench_fact(b, row, "from_bytes", curve.size[l->first]);
			bench_fact(b, row, "to_bytes", curve.size[l->last]);
		} else {
			derive_size(b, row, &curve, l, found[next].latency_ns,
				    cache_bytes[level],
				    level == LATENCY_LEVELS ||
					    !(cache_bytes[level + 1] > 0));
		}
	}
}
