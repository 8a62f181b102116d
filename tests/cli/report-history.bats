#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The history of many runs, from made-up results.

setup() {
	load ../helpers
	report_setup
}

# history FIRST LAST: made-up runs of two rows.  One is always the same but
# for noise, the other is 10 % slower from the seventh run on.
history() {
	local i value

	for ((i = $1; i <= $2; i++)); do
		printf -v dir 'run%02d' "$i"
		mkdir "$dir"
		value=$((1000 + i * 7 % 5))
		((i < 7)) || value=$((value + 100))
		for case in "changes=1|$value" "stays=1|$((500 + i * 3 % 4))"; do
			printf '{"schema": 1, "benchmark": "work", "case": "%s", "status": "ok", "unit": "ns", "better": "lower", "value": %d, "n": 1, "samples": 9, "iters": 1}\n' \
				"${case%|*}" "${case#*|}" >>"$dir/invocations.jsonl"
		done
		printf '{"schema": 1, "started_at": "2026-01-%02dT00:00:00Z"}\n' "$i" >"$dir/run.json"
		printf '{"schema": 1, "cpu": {"model": "Example"}}\n' >"$dir/machine.json"
		printf '[]\n' >"$dir/about.json"
	done
}

@test "a change is found at its place, with its size" {
	history 1 14
	# In whatever order they are named.
	run -0 --separate-stderr "$report" history run14 run0{9..1} run1{0..3}
	grep -Eq '^work: changes=1 .* from run 7 on \+(9|10)\.[0-9] %$' <<<"$output"
	[[ $output == *"14 runs, 2 rows, of which 1 changed"* ]]
	run ! grep 'stays=1' <<<"$output"
	run -0 --separate-stderr "$report" history --all run*
	grep -q '^work: stays=1 .*▁.*█' <<<"$output"
}

@test "what moves from run to run stands beside a run's interval" {
	local i

	history 1 4
	# Each second run takes 10 % more, in ten rounds that have no trend, from
	# -0.9 to +0.9 %; of one row in cycles, too.
	for i in 1 2 3 4; do
		jq -c --argjson odd $((i % 2)) '.value = (if $odd == 1 then 100 else 110 end) |
			.core_hz = (if .case == "changes=1" or $odd == 1 then 3.3e9 else 3e9 end) |
			range(10) as $k | .round = $k + 1 |
			.value *= 0.991 + $k * 7 % 10 * 0.002' \
			"run0$i/invocations.jsonl" >rows
		mv rows "run0$i/invocations.jsonl"
	done
	run -0 --separate-stderr "$report" history --all run*
	grep -Eq '^work: changes=1 .* 0\.70 % +10 % ' <<<"$output"
	grep -Eq '^work: stays=1 .* 0\.70 % +0\.00 % ' <<<"$output"
}

@test "what the core's frequency explains is no change" {
	local i

	history 1 14
	# From the seventh run on 10 % slower; the row that changed does as before.
	for i in run*; do
		jq -c --arg run "$i" '.core_hz = (if $run >= "run07" then 2.7e9 else 3e9 end) |
			if .case == "stays=1" then .value *= 3e9 / .core_hz else . end' \
			"$i/invocations.jsonl" >rows
		# A rate falls with the frequency, as 1 / time does.
		jq -c 'select(.case == "stays=1") | .case = "rate=1" | .unit = "B/s" |
			.better = "higher" | .value = 1e12 / .value' rows >rate
		cat rows rate >"$i/invocations.jsonl"
	done
	run -0 --separate-stderr "$report" history run*
	[[ $output == *"of which 0 changed"*"explain those of 3 more."* ]]
	run ! grep 'from run' <<<"$output"
	for i in run*; do
		jq -c 'if .case == "changes=1" then .value *= 1.1 else . end' \
			"$i/invocations.jsonl" >rows
		[[ $i < run07 ]] || mv rows "$i/invocations.jsonl"
	done
	run -0 --separate-stderr "$report" history run*
	grep -Eq '^work: changes=1 .* from run 7 on \+(8|9)\.[0-9] %$' <<<"$output"
}

@test "too few runs: shown, but nothing is called a change" {
	history 4 9
	run -0 --separate-stderr "$report" history run*
	[[ $output == *"at least 10 runs are needed"* && $output == *"work: changes=1"* ]]
	[[ $output != *"from run"* ]]
}

@test "how many runs are needed depends on the rows" {
	local i

	history 1 14
	for i in run*; do
		# 400 rows: 0.05 / 400 is less than random orders can tell.
		jq -c '. as $row | range(200) | $row + {case: "\($row.case),i=\(.)"}' \
			"$i/invocations.jsonl" >rows
		mv rows "$i/invocations.jsonl"
	done
	run -0 --separate-stderr "$report" history run*
	[[ $output == *"14 runs, 400 rows. With so many rows at least 18 runs are needed"* ]]
	run -0 --separate-stderr "$report" history run01
	[[ $output == *$'\n'"1 run, 400 rows. With"* ]]
}

@test "pages with small plots" {
	history 1 14
	run -0 --separate-stderr "$report" history --out pages run*
	grep -q 'from run 7 on' pages/history.md
	[[ $(grep -c '<img ' pages/history.html) -eq 1 ]]
	[[ $(grep -c 'stroke-dasharray' pages/history.svg) -eq 1 ]]
	run ! grep -E '<script|https?://|src="[^d]' pages/history.html
}

@test "directories that are none, hostile ones, another machine" {
	history 1 9
	cp -r "$ROOT/tests/fixtures/results/hostile" .
	sed -i 's/Example/Other/' run09/machine.json
	run -0 --separate-stderr "$report" history --out pages nowhere hostile run*
	[[ $stderr == *"nowhere/invocations.jsonl: No such file"* ]]
	[[ $stderr == *"another processor"* ]]
	run ! grep -iE '<(script|img|svg|foreignobject|iframe)[ >]' <(without_images pages/history.html)
	run ! grep -P '\x1b' <<<"$output"
	run -1 --separate-stderr "$report" history nowhere
	run -2 --separate-stderr "$report" history
}
