# SPDX-License-Identifier: MIT
# Rows of a machine whose clock counts instructions, for scripts/ledger.

def over: if . == null or . == 0 then null else 1e9 / . end;

# A nanosecond was an instruction.  Rates are turned round, for a price per
# byte or per operation adds up; their spread cannot be.
def in_instructions:
	if .unit == "ns" or .unit == "ns/B" then
		.unit |= sub("ns"; "instructions")
	elif .unit == "B/s" or .unit == "1/s" then
		.min as $min
		| .unit = if .unit == "B/s" then "instructions/B" else "instructions" end
		| .better = "lower" | .min = (.max | over) | .max = ($min | over)
		| (.value, .estimate, .p50, .cold) |= over
		| (.mean, .stddev, .p90, .p99, .p999, .resolution, .quantum, .baseline,
			.at_least, .at_most, .histogram) = null
	else . end
	| .timer = "icount" | (.ticks, .cycles, .core_hz, .grade) = null
	| if .histogram.unit == "ns" then .histogram.unit = "instructions" else . end;

# The rows of one boot, from the lines of its console.
def rows($round): inputs | fromjson? | select(.benchmark) | .round = $round | in_instructions;

# Summary of a ledger, from all its rows: a row is exact if all samples
# of all boots of one past are the same number, as far as a batch resolves it.  One that is not may still give
# the same value in each boot; one that has no samples is made of others.
def number: if . == floor then . else . * 1000 | round / 1000 end;
def range: "\(min | number) to \(max | number)";
def same(f): all(group_by(.seed)[] | map(f) | unique; length == 1);
def summary($name):
	[group_by([.benchmark, .case])[] | map(select(.status == "ok")) | select(. != [])
		| {name: "\(.[0].benchmark) \(.[0].case)", values: map(.value), repeats: same(.value),
		   exact: (same(.value) and all(.min != null and .max - .min <= (.resolution // 0))),
		   nearly: (same(.p50) and all(.min != null and .p90 != null and .p90 - .min <= (.resolution // 0))),
		   moved: (map(.value) | unique | length > 1)}] as $rows
	| ($rows | map(select(.exact))) as $exact
	| "\($name): \($rows | length) rows, \($exact | length) exact"
		+ if map(.seed) | unique | length == 1 then "" else
			"; \([$exact[] | select(.moved | not)] | length)"
			+ " of them cost the same whatever ran before" end
		+ "; in \([$rows[] | select(.repeats and (.exact | not))] | length) other"
		+ " ones each boot has the same value, and its samples differ"
		+ ([$rows[] | select(.nearly and (.exact | not))] | length
			| if . == 0 then "" else "; \(.) are exact but for one sample in ten, as a tick makes them" end),
	  ($rows[] | select(.repeats | not)
		| "not repeated: \(.name): \(.values | range) instructions");
