/* SPDX-License-Identifier: MIT */
/*
 * The columns of a row, in the order of the contract (docs/results-format.md):
 * the one place that names the members of struct result.  The structure, JSON
 * in both directions, CSV, the records of an invocation, what aggregating
 * copies, and the cells of --wide are made of it, so a member more is a line.
 *
 * COLUMN(kind, member, merge, key, heading, shown): kind is the member's type
 * and how JSON has it; merge is what aggregating makes of those of the rows
 * (MERGE_OWN: aggregate.c knows); heading and shown are those of --wide.
 */
/* Members that are pointers have the size of one.
 * NOLINTBEGIN(bugprone-sizeof-expression) */
#define FIELD(kind, member, merge, key) \
	COLUMN(kind, member, merge, key, NULL, NOTHING)

FIELD(TEXT, benchmark, SAME, "benchmark")
/* Canonical: "axis=value,axis=value". */
COLUMN(TEXT, name, SAME, "case", "case", NAME)
FIELD(JSON, params, SAME, "params")
FIELD(STATUS, status, OWN, "status")
FIELD(TEXT, reason, OWN, "reason")
FIELD(TEXT, unit, SAME, "unit")
/* "lower" or "higher" */
FIELD(TEXT, better, SAME, "better")
COLUMN(NUMBER, value, OWN, "value", "value", VALUE)
COLUMN(PAIR, ci95, OWN, "ci95", "95 % interval", INTERVAL)
COLUMN(COUNT, n, OWN, "n", "n", COUNT)
COLUMN(COUNT, samples, SUM, "samples", "samples", SAMPLES)
FIELD(COUNT, iters, MEDIAN, "iters")
COLUMN(NUMBER, min, LEAST, "min", "min", UNIT)
COLUMN(NUMBER, mean, OWN, "mean", "mean", UNIT)
COLUMN(NUMBER, stddev, OWN, "stddev", "std dev", UNIT)
COLUMN(NUMBER, p50, MEDIAN, "p50", "p50", EVENT)
COLUMN(NUMBER, p90, MEDIAN, "p90", "p90", EVENT)
COLUMN(NUMBER, p99, MEDIAN, "p99", "p99", EVENT)
FIELD(NUMBER, p999, MEDIAN, "p999")
COLUMN(NUMBER, max, MOST, "max", "max", EVENT)
COLUMN(NUMBER, cold, MEDIAN, "cold", "cold", UNIT)
COLUMN(NUMBER, ticks, OWN, "ticks", "ticks", NUMBER)
COLUMN(NUMBER, cycles, OWN, "cycles", "cycles", NUMBER)
FIELD(TEXT, timer, SAME, "timer")
FIELD(NUMBER, tsc_hz, MEDIAN, "tsc_hz")
FIELD(NUMBER, core_hz, MEDIAN, "core_hz")
FIELD(NUMBER, core_share, MEDIAN, "core_share")
COLUMN(NUMBER, distance_ns, MEDIAN, "distance_ns", "distance", NS)
/* "core" or "detail"; NULL: by an older program */
FIELD(TEXT, tier, SAME, "tier")
FIELD(TEXT, estimator, SAME, "estimator")
/* -1: none or unknown; or RESULT_CPUS_DIFFER */
FIELD(INDEX, cpu, SAME, "cpu")
/* Of that CPU, where there are several. */
FIELD(TEXT, kind, SAME, "kind")
FIELD(TEXT, policy, SAME, "policy")
FIELD(INDEX, priority, SAME, "priority")
COLUMN(JSON, evidence, OWN, "evidence", "evidence", NOTE)
FIELD(JSON, set_aside, OWN, "set_aside")
/* Over the rounds of a run; NULL: none was found. */
FIELD(JSON, trend, OWN, "trend")
/* Two groups of rounds (grade.h); NULL: one. */
FIELD(JSON, states, OWN, "states")
FIELD(JSON, tags, OWN, "tags")
/* How far another run may lie: see grade.h. */
FIELD(NUMBER, within, OWN, "repeats_within")
/* "A" ... "D" */
COLUMN(TEXT, grade, OWN, "grade", "grade", GRADE)
FIELD(TEXT, started_at, FIRST, "started_at")
FIELD(NUMBER, duration_s, SUM, "duration_s")
/* -1: unknown */
FIELD(INDEX, round, OWN, "round")
FIELD(COUNT, seed, FIRST, "seed")
FIELD(NUMBER, estimate, OWN, "estimate")
FIELD(NUMBER, resolution, MEDIAN, "resolution")
/* The clock's step, over the operations in it. */
FIELD(NUMBER, quantum, MEDIAN, "quantum")
/* Of what was found between two tries. */
FIELD(NUMBER, at_least, MEDIAN, "at_least")
FIELD(NUMBER, at_most, MEDIAN, "at_most")
COLUMN(NUMBER, expected, MEDIAN, "expected", "true", UNIT)
FIELD(NUMBER, baseline, MEDIAN, "baseline")
FIELD(JSON, histogram, OWN, "histogram")
/* Of one operation; NULL without --counters. */
FIELD(JSON, counters, OWN, "counters")

#undef FIELD
#undef COLUMN
/* NOLINTEND(bugprone-sizeof-expression) */
