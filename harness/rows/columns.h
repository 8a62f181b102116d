/* SPDX-License-Identifier: MIT */
/*
 * The columns of a row, in the order of the contract (docs/results-format.md):
 * the one place that names the members of struct result.  The structure, JSON
 * in both directions, CSV and what aggregating copies are made of it, so a
 * member more is a line.
 *
 * COLUMN(kind, member, merge, key): kind is the member's type and how JSON has
 * it; merge is what aggregating makes of those of the rows (OWN: aggregate.c
 * knows).
 */
COLUMN(TEXT, benchmark, SAME, "benchmark")
/* Canonical: "axis=value,axis=value". */
COLUMN(TEXT, name, SAME, "case")
COLUMN(JSON, params, SAME, "params")
COLUMN(STATUS, status, OWN, "status")
COLUMN(TEXT, reason, OWN, "reason")
COLUMN(TEXT, unit, SAME, "unit")
/* "lower" or "higher" */
COLUMN(TEXT, better, SAME, "better")
COLUMN(NUMBER, value, OWN, "value")
COLUMN(PAIR, ci95, OWN, "ci95")
COLUMN(COUNT, n, OWN, "n")
COLUMN(COUNT, samples, SUM, "samples")
COLUMN(COUNT, iters, MEDIAN, "iters")
COLUMN(NUMBER, min, LEAST, "min")
COLUMN(NUMBER, mean, OWN, "mean")
COLUMN(NUMBER, stddev, OWN, "stddev")
COLUMN(NUMBER, p50, MEDIAN, "p50")
COLUMN(NUMBER, p90, MEDIAN, "p90")
COLUMN(NUMBER, p99, MEDIAN, "p99")
COLUMN(NUMBER, p999, MEDIAN, "p999")
COLUMN(NUMBER, max, MOST, "max")
COLUMN(NUMBER, cold, MEDIAN, "cold")
COLUMN(NUMBER, ticks, OWN, "ticks")
COLUMN(NUMBER, cycles, OWN, "cycles")
COLUMN(TEXT, timer, SAME, "timer")
COLUMN(NUMBER, tsc_hz, MEDIAN, "tsc_hz")
COLUMN(NUMBER, core_hz, MEDIAN, "core_hz")
COLUMN(NUMBER, core_share, MEDIAN, "core_share")
/* "core" or "detail"; NULL: by an older program */
COLUMN(TEXT, tier, SAME, "tier")
COLUMN(TEXT, estimator, SAME, "estimator")
/* -1: none or unknown; or RESULT_CPUS_DIFFER */
COLUMN(INDEX, cpu, SAME, "cpu")
/* The kind of that CPU, where there are several. */
COLUMN(TEXT, kind, SAME, "kind")
COLUMN(TEXT, policy, SAME, "policy")
COLUMN(INDEX, priority, SAME, "priority")
COLUMN(JSON, evidence, FACTS, "evidence")
COLUMN(JSON, set_aside, OWN, "set_aside")
/* Over the rounds of a run; NULL: none was found. */
COLUMN(JSON, trend, OWN, "trend")
/* Two groups of rounds (grade.h); NULL: one. */
COLUMN(JSON, states, OWN, "states")
COLUMN(JSON, tags, COUNTS, "tags")
/* How far another run may lie: see grade.h. */
COLUMN(NUMBER, within, OWN, "repeats_within")
/* "A" ... "D" */
COLUMN(TEXT, grade, OWN, "grade")
COLUMN(TEXT, started_at, FIRST, "started_at")
COLUMN(NUMBER, duration_s, SUM, "duration_s")
/* -1: unknown */
COLUMN(INDEX, round, OWN, "round")
COLUMN(COUNT, seed, FIRST, "seed")
COLUMN(NUMBER, estimate, OWN, "estimate")
COLUMN(NUMBER, resolution, MEDIAN, "resolution")
/* Over the operations: the clock's step; the timer's cost, taken off, or 0. */
COLUMN(NUMBER, quantum, MEDIAN, "quantum")
COLUMN(NUMBER, overhead, MEDIAN, "overhead")
/* Bounds of a value that was found between two tries. */
COLUMN(NUMBER, at_least, MEDIAN, "at_least")
COLUMN(NUMBER, at_most, MEDIAN, "at_most")
COLUMN(NUMBER, expected, MEDIAN, "expected")
COLUMN(NUMBER, baseline, MEDIAN, "baseline")
COLUMN(JSON, histogram, BINS, "histogram")
/* Counts of one operation; NULL without --counters. */
COLUMN(JSON, counters, OWN, "counters")

#undef COLUMN
