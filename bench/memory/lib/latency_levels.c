/* SPDX-License-Identifier: MIT */
#include "latency_levels.h"

#include <math.h>
#include <stdlib.h>

#include "levels.h"
#include "stats.h"

/* Whether a figure of @level is made from @spec: of its size from all of the
 * curve, else from the sizes that it holds and, to know it from memory, the
 * one beyond the caches. */
static bool is_source(const struct bench *b, const struct latency_plan *p,
		      const struct latency_spec *spec, int level, int figure)
{
	return figure == FIG_SIZE || spec->bytes == mem_beyond_caches(b) ||
	       (level && levels_is_of(p->cache_bytes + 1, (size_t)level - 1,
				      (double)spec->bytes));
}

void latency_levels_add(struct bench *b, struct latency_levels *l,
			const struct latency_plan *p)
{
	static const char *const figures[] = { "size", "latency", "cycles" };
	static const char *const levels[] = { "memory", "1", "2", "3" };

	BENCH_EACH (b, row, "level") {
		const int level = (int)CASE_NTH(row, "level", levels);
		const int fig = (int)CASE_NTH(row, "figure", figures);

		l->row[level][fig] = row;
		BENCH_EACH (b, c, "pattern=window pages=$page")
			if (is_source(b, p, c->data, level, fig))
				bench_derived_from(b, row, c);
	}
}

/* What the levels are made from: what a load takes from where the lines were
 * put by warming up.  A row may be slower: its chain goes round on until it has
 * no more than the others that share the last cache leave it. */
struct curve {
	double size[LATENCY_MAX], latency[LATENCY_MAX];
	const struct latency_spec *spec[LATENCY_MAX];
	size_t n;
};

static void curve_get(const struct bench *b, struct curve *curve)
{
	curve->n = 0;
	BENCH_EACH (b, c, "pattern=window pages=$page") {
		const struct latency_spec *spec = c->data;
		const double ns = bench_value(b, c);

		if (!isfinite(ns) || curve->n == LATENCY_MAX)
			continue;
		curve->size[curve->n] = (double)spec->bytes;
		curve->latency[curve->n] =
			spec->held_ns > 0 ? fmin(ns, spec->held_ns) : ns;
		curve->spec[curve->n++] = spec;
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
	static struct taken all[LATENCY_MAX * LATENCY_PAIRS];
	static double cycles[LATENCY_MAX * LATENCY_PAIRS];
	const size_t n = gather(curve, l, all), most = (n + 3) / 4;

	qsort(all, n, sizeof(*all), most_share_first);
	for (size_t i = 0; i < most; i++)
		cycles[i] = all[i].cycles;
	return most ? stats_median(cycles, most) : NAN;
}

static const char used_up_text[] =
	"others use this cache up (in a virtual machine it is the host's, for "
	"all its guests), or the machine is too busy";

static void skip_level(struct bench *b, const struct latency_levels *l,
		       int level, double cache_bytes)
{
	for (int fig = 0; fig < FIGURES; fig++)
		if (l->row[level][fig] && cache_bytes > 0)
			bench_derive_skip(
				b, l->row[level][fig],
				"no size that would fit the %.0f KiB that "
				"hwloc "
				"states is clearly faster than memory: %s",
				cache_bytes / 1024, used_up_text);
		else if (l->row[level][fig])
			bench_derive_skip(b, l->row[level][fig],
					  level ? "hwloc knows no such cache"
						: "the size beyond the caches "
						  "could not be measured");
}

/* Steps of the ladder of sizes between what was found and what hwloc says. */
static double steps_off(const struct curve *curve, double found, double told)
{
	double steps = 0;

	for (size_t i = 0; i < curve->n; i++)
		steps += (curve->size[i] > found) != (curve->size[i] > told);
	return steps;
}

static void derive_size(struct bench *b, const struct bench_case *row,
			double found, double told, const struct curve *curve)
{
	const double off = steps_off(curve, found, told);

	bench_derive_between(b, row, found, found,
			     levels_above(curve->size, curve->n, found));
	bench_fact(b, row, "hwloc_bytes", told);
	bench_fact(b, row, "steps_off", off);
	/* What makes a cache look smaller or larger than it is. */
	if (off > 1)
		bench_fact_text(b, row, "why",
				found < told
					? "others use a part of it, or pages "
					  "of 4 KiB fill its sets unevenly, or "
					  "the machine is too busy"
					: "the step is hidden by the next "
					  "cache, or the machine is too busy");
}

/* Where others use the half of the last cache or more, the end that is seen is
 * theirs to set: no size of the cache. */
static bool used_up(const struct latency_plan *p, int level, double found)
{
	const bool last =
		level == LATENCY_LEVELS || !(p->cache_bytes[level + 1] > 0);

	return last && found < p->cache_bytes[level] / 2;
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

static void skip_size(struct bench *b, const struct bench_case *row,
		      double found, double told, const struct curve *curve)
{
	if (is_filled(curve, told))
		bench_derive_skip(b, row,
				  "seen up to %.4g of the %.4g MiB that hwloc "
				  "states: %s",
				  found / 1048576, told / 1048576,
				  used_up_text);
	else
		bench_derive_skip(
			b, row,
			"no size was measured that fills half of the "
			"%.4g MiB that hwloc states: %.4g MiB still fit",
			told / 1048576, found / 1048576);
}

static void derive_level(struct bench *b, const struct latency_levels *rows,
			 int level, const struct level *l,
			 const struct curve *curve)
{
	const double cycles = level_cycles(curve, l);
	const struct bench_case *latency = rows->row[level][FIG_LATENCY];

	bench_derive(b, latency, l->latency_ns);
	bench_fact(b, latency, "from_bytes", curve->size[l->first]);
	bench_fact(b, latency, "to_bytes", curve->size[l->last]);
	if (isfinite(cycles))
		bench_derive(b, rows->row[level][FIG_CYCLES], cycles);
	else
		bench_derive_skip(b, rows->row[level][FIG_CYCLES],
				  "a core's cycle could not be told");
}

/* @next_ns: what the next cache takes, or memory. */
static void derive_cache(struct bench *b, const struct latency_levels *rows,
			 int level, const struct level *l, double next_ns,
			 const struct curve *curve,
			 const struct latency_plan *p)
{
	const struct bench_case *size = rows->row[level][FIG_SIZE];
	const double told = p->cache_bytes[level];
	const int end = levels_end(curve->size, curve->latency, curve->n,
				   l->latency_ns, next_ns);

	derive_level(b, rows, level, l, curve);
	if (end < 0)
		bench_derive_skip(b, size, "nothing slower was measured");
	else if (used_up(p, level, curve->size[end]))
		skip_size(b, size, curve->size[end], told, curve);
	else
		derive_size(b, size, curve->size[end], told, curve);
}

/* The least size beyond all caches, as a level; false if it has no value.
 * Larger ones take as long, and touching them more than all measuring. */
static bool beyond_caches(const struct bench *b, const struct curve *curve,
			  struct level *l)
{
	for (size_t i = 0; i < curve->n; i++)
		if (curve->spec[i]->bytes == mem_beyond_caches(b)) {
			*l = (struct level) { .first = i,
					      .last = i,
					      .latency_ns = curve->latency[i] };
			return true;
		}
	return false;
}

bool latency_levels_has_cycles(const struct bench *b,
			       const struct latency_levels *l)
{
	for (int level = 0; level <= LATENCY_LEVELS; level++)
		if (bench_selected(b, l->row[level][FIG_CYCLES]))
			return true;
	return false;
}

void latency_levels_derive(struct bench *b, const struct latency_levels *l,
			   const struct latency_plan *p)
{
	double memory_ns = NAN, next_ns;
	struct curve curve;
	struct level here;

	curve_get(b, &curve);
	if (beyond_caches(b, &curve, &here)) {
		derive_level(b, l, 0, &here, &curve);
		memory_ns = here.latency_ns;
	} else {
		skip_level(b, l, 0, 0);
	}
	next_ns = memory_ns;
	for (int level = LATENCY_LEVELS; level >= 1; level--) {
		if (levels_known(curve.size, curve.latency, curve.n,
				 p->cache_bytes + 1, LATENCY_LEVELS,
				 (size_t)level - 1, memory_ns, &here)) {
			skip_level(b, l, level, p->cache_bytes[level]);
			continue;
		}
		derive_cache(b, l, level, &here, next_ns, &curve, p);
		next_ns = here.latency_ns;
	}
}
