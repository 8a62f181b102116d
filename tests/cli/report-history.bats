#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The history of many runs, from made-up results: a comparison in order of time.

load ../helpers

# history FIRST LAST: made-up runs of two rows in ten rounds.  One is always the
# same but for noise, the other is 10 % slower from the third run on.
history() {
	local i round value dir

	for ((i = $1; i <= $2; i++)); do
		printf -v dir 'run%02d' "$i"
		mkdir "$dir"
		for round in {1..10}; do
			value=$((1000 + round * 7 % 5))
			((i < 3)) || value=$((value + 100))
			for case in "changes=1|$value" "stays=1|$((500 + round * 3 % 4))"; do
				printf '{"schema": 1, "benchmark": "work", "case": "%s", "status": "ok", "unit": "ns", "better": "lower", "value": %d, "n": 1, "samples": 9, "iters": 1, "round": %d, "seed": 1}\n' \
					"${case%|*}" "${case#*|}" "$round" >>"$dir/invocations.jsonl"
			done
		done
		printf '{"schema": 1, "started_at": "2026-01-%02dT00:00:00Z"}\n' "$i" >"$dir/run.json"
		printf '{"schema": 1, "cpu": {"model": "Example"}}\n' >"$dir/machine.json"
		printf '[]\n' >"$dir/about.json"
	done
}

@test "a change is found in each run that has it, in order of time" {
	history 1 4
	# In whatever order they are named.
	run -0 --separate-stderr "$report" history run04 run02 run01 run03
	[[ ${lines[0]} == 'run04 is slower: 1 of 2 rows differs by more than 2.0 %.' ]]
	[[ $(grep -Eo '^ *[1-4] .*run0[1-4]$' <<<"$output" | tr -s ' ' | sed 's/^ //') == \
		'1 2026-01-01T00:00:00Z 10 run01
2 2026-01-02T00:00:00Z 10 0 0 run02
3 2026-01-03T00:00:00Z 10 0 1 run03
4 2026-01-04T00:00:00Z 10 0 1 run04' ]]
	grep -Eq '^work: changes=1 +1\.00 µs +~ +\+100 ns .*\(cost \+1[0-9.]+ %\) +\+100 ns .*\(cost \+1[0-9.]+ %\)' <<<"$output"
	run ! grep 'stays=1' <<<"$output"
	run -0 --separate-stderr "$report" history --all run*
	grep -Eq '^work: stays=1 +50[0-9] ns +~ +~ +~ *$' <<<"$output"
}

@test "what the core's frequency explains is no change" {
	local i

	history 1 2
	# In the second run 10 % slower, by the core's frequency.
	for i in run*; do
		jq -c --arg run "$i" '.core_hz = (if $run >= "run02" then 2.7e9 else 3e9 end) |
			.value *= 3e9 / .core_hz' "$i/invocations.jsonl" >rows
		# A rate falls with the frequency, as 1 / time does.
		jq -c 'select(.case == "stays=1") | .case = "rate=1" | .unit = "B/s" |
			.better = "higher" | .value = 1e12 / .value' rows >rate
		cat rows rate >"$i/invocations.jsonl"
	done
	run -0 --separate-stderr "$report" history run*
	run ! grep -E '^work: ' <<<"$output"
	run -0 --separate-stderr "$report" compare --all run*
	[[ $(grep -c 'differs in time, not in cycles' <<<"$output") -eq 3 ]]
}

@test "pages, directories that are none, hostile ones" {
	history 1 4
	cp -r "$ROOT/tests/fixtures/results/hostile" .
	run -0 --separate-stderr "$report" history --out pages run* hostile
	grep -q 'run03 against run01' pages/compare.md
	run ! grep -iE '<(script|img|svg|foreignobject|iframe)[ >]' <(without_images pages/compare.html)
	run ! grep -P '\x1b' <<<"$output"
	answers 1 "nowhere/invocations.jsonl: No such file" "$report" history nowhere run01
	run -2 --separate-stderr "$report" history run01
}
