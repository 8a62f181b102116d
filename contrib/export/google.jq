# SPDX-License-Identifier: MIT
# JSON of google-benchmark, schema 1: a repetition for each invocation.  Rows
# that are neither times nor rates are left out.  No processor time is measured,
# and readers want one.
include "rows";

# A number in what may be no object; 0: there is none.
def number_of($key): (objects | .[$key] | numbers) // 0;

{
	context: {
		date: (.run | (objects | .started_at | strings) // ""),
		host_name: (.machine | (objects | .hostname | strings) // ""),
		executable: "oscost",
		num_cpus: (.machine | objects // {} | .cpu | number_of("pus") | floor),
		mhz_per_cpu: (.machine | objects // {} | .timer | number_of("core_hz") / 1e6 | floor),
		cpu_scaling_enabled: (.machine | (objects | .governor | strings) // "performance" | . != "performance"),
		caches: [],
		load_avg: [],
		library_build_type: "release",
		json_schema_version: 1
	},
	benchmarks: [
		[.rows[] | select(.status == "ok" and (.unit | IN("ns", "B/s")))] | to_entries[] |
		.key as $family | .value | (.unit == "B/s") as $rate | . as $row |
		.values | to_entries[] | select(.value != null and (.value > 0 or ($rate | not))) |
		(if $rate then 1e9 / .value else .value end) as $ns |
		{
			name: "\($row.benchmark)/\($row.case)",
			family_index: $family,
			per_family_instance_index: 0,
			run_name: "\($row.benchmark)/\($row.case)",
			run_type: "iteration",
			repetitions: ($row.values | length),
			repetition_index: .key,
			threads: 1,
			iterations: ([$row.iters, 1] | max),
			real_time: $ns,
			cpu_time: $ns,
			time_unit: "ns"
		} + if $rate then {bytes_per_second: .value} else {} end
	]
}
