#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The comparison of runs, from made-up results.

load ../helpers

# side DIR KERNEL SCALE [RATE]: ten rounds of three rows; the second row costs
# SCALE times 100 ns, the third moves RATE times 1 GB/s.
side() {
	mkdir -p "$1"
	jq -nc --argjson scale "$3" --argjson rate "${4:-1}" '
		range(1; 11) as $round | ($round * 7 % 10 * 0.002 + 1) as $noise |
		({schema: 1, status: "ok", n: 1, iters: 1, samples: 10,
		  estimator: "median", timer: "lfence", round: $round,
		  evidence: {}, tags: {}} + (
		{benchmark: "work", case: "kind=same", unit: "ns",
		 better: "lower", value: (50 * $noise)},
		{benchmark: "work", case: "kind=changed", unit: "ns",
		 better: "lower", value: (100 * $scale * $noise)},
		{benchmark: "move", case: "to=memory", unit: "B/s",
		 better: "higher", value: (1e9 * $rate * $noise)}))' \
		>"$1/invocations.jsonl"
	printf '{"schema": 1, "kernel": {"release": "%s"}}\n' "$2" >"$1/machine.json"
	printf '{"schema": 1, "session": "%s"}\n' "${SESSION-}" >"$1/run.json"
	printf '[]\n' >"$1/about.json"
}

@test "what is slower is named, with its size, and fails CI" {
	side a 6.1 1
	side b 6.2 1.1 0.8
	run -3 --separate-stderr "$report" compare --threshold 5 a b
	[[ ${lines[0]} == "B is slower: 2 of 3 rows differ by more than 2.0 %." ]]
	grep -Eq '^work: kind=changed .* 1\.1 .* slower$' <<<"$output"
	grep -Eq '^move: to=memory .* 1\.25 .* slower$' <<<"$output"
	run ! grep 'kind=same' <<<"$output"
	run -0 --separate-stderr "$report" compare b a
	[[ ${lines[0]} == "B is faster: 2 of 3 rows differ by more than 2.0 %." ]]
	run -0 --separate-stderr "$report" compare --threshold 30 a b
	# A check that could not be made is none that passed.
	cp -r a few
	jq -c 'select(.round <= 3)' a/invocations.jsonl >few/invocations.jsonl
	answers 1 "no row could be compared" "$report" compare --threshold 30 few few
	run -0 --separate-stderr "$report" compare a b
	grep -Eq '^kernel +6.1 +6.2$' <<<"$output"
	[[ $output == *"Drift not controlled"* ]]
}

as_junit() {
	"$report" compare --json "$@" 2>/dev/null | jq -rf "$ROOT/contrib/compare-junit.jq"
}

@test "the row that broke the threshold is named: in words, JSON and JUnit XML" {
	side a 6.1 1
	side b 6.2 1.1 0.8
	answers 3 "move to=memory is slower by 25 %, more than 5 %" "$report" compare --threshold 5 a b
	run -3 --separate-stderr "$report" compare --threshold 15 --json a b
	jq -e '.schema == 1 and .sides == ["a", "b"] and .threshold == 0.15 and
		(.rows | length) == 3 and (.broke | map([.benchmark, .case, .side])) ==
		[["move", "to=memory", "b"]] and (.broke[0] | .breaks_threshold and
		.verdict == "slower" and .ratio_ci95[0] <= .ratio and .ratio <= .ratio_ci95[1])
		and any(.rows[]; .case == "kind=changed" and .verdict == "slower" and
		(.breaks_threshold | not))' <<<"$output"
	run -0 --separate-stderr "$report" compare --json --same a a
	jq -e '.broke == [] and .threshold == null' <<<"$output"
	[[ $stderr == "False alarms: 0 of 3 "* ]]
	command -v xmllint >/dev/null || skip "no xmllint"
	as_junit --threshold 15 a b >tests.xml
	xmllint --noout --schema "$ROOT/tests/fixtures/junit.xsd" tests.xml
	[[ $(xmllint --xpath 'string(//testcase[failure]/@name)' tests.xml) == to=memory ]]
	[[ $(xmllint --xpath 'count(//testcase) = 3 and //testsuite/@failures = 1' tests.xml) == true ]]
	[[ $(xmllint --xpath 'count(//failure)' - <<<"$(as_junit a b)") == 2 ]]
	sed -i '/kind=same/d' b/invocations.jsonl
	[[ $(xmllint --xpath 'count(//testcase)' - <<<"$(as_junit a b)") == 2 ]]
}

@test "what moves between runs of the same thing is a floor" {
	side one 6.1 1
	side two 6.1 1.15
	side a 6.1 1
	side b 6.1 1.1
	run -0 --separate-stderr "$report" compare --all a b
	grep -Eq '^work: kind=changed .* slower$' <<<"$output"
	run -0 --separate-stderr "$report" compare --all --aa one,two a b
	grep -Eq '^work: kind=changed .* too small to matter  +15 %$' <<<"$output"
}

@test "names are whole in a file" {
	local long

	long=long=$(printf 'x%.0s' {1..90})
	side a 6.1 1
	side b 6.1 1.1
	sed -i "s/kind=changed/kind=changed,$long/" a/invocations.jsonl b/invocations.jsonl
	run -0 --separate-stderr "$report" compare a b
	[[ $output == *"work: kind=changed,$long "* ]]
}

# on_terminal NAME: a comparison whose second row has NAME, too.
on_terminal() {
	side a 6.1 1
	side b 6.1 1.1
	sed -i "s/kind=changed/kind=changed,$1/" a/invocations.jsonl b/invocations.jsonl
	SHELL=/bin/sh run -0 script -qec "'$report' compare --all a b" /dev/null
	! grep -E '^.{82,}' <<<"$output"
}

@test "on a terminal of 80 columns the figures stand below a long name, of which nothing is lost" {
	local long

	command -v script >/dev/null || skip "no script(1)"
	long=long=$(printf 'x%.0s' {1..40})
	on_terminal "$long"
	grep -A 1 "^work: kind=changed,$long" <<<"$output" |
		grep -E '^ +101 ns +111 ns +\+10\.1 ns \[\+9\.[0-9]+, \+10\.[0-9]+\] +1\.1 \['
	long=from=$(printf 'x%.0s' {1..50}),place=$(printf 'y%.0s' {1..40})
	on_terminal "$long"
	grep -A 2 "^work: kind=changed,${long%,*}," <<<"$output" | tr -d '\r' >name
	[[ $(sed -n 2p name) == "    ${long##*,}" ]]
	sed -n 3p name | grep -E '^ +101 ns +111 ns '
}

@test "what is the same is not called different" {
	SESSION=one side a 6.1 1
	SESSION=one side b 6.1 1
	run -0 --separate-stderr "$report" compare --all --threshold 0 a b
	grep -Eq '^work: kind=same .* no clear difference \(within ±' <<<"$output"
	[[ $output == *"in one session, interleaved"* ]]
	[[ $output != *"what differs"* ]]
}

# clocked DIR FACTOR: its core ran at FACTOR times 3 GHz; kind=same and
# kind=changed are bound by the core, to=memory is not.
clocked() {
	jq -c --argjson factor "$2" '.core_hz = 3e9 * $factor |
		if .benchmark == "work" then .value /= $factor else . end' \
		"$1/invocations.jsonl" >clocked
	mv clocked "$1/invocations.jsonl"
}

@test "what the core's frequency explains is not called different" {
	side a 6.1 1
	side b 6.1 1
	clocked a 1
	clocked b 1.04
	run -0 --separate-stderr "$report" compare --all --threshold 1 a b
	[[ $output == *"The core ran 4.0 % faster in B: that explains 2 rows, whose times differ and whose cycles do not."* ]]
	grep -Eq '^work: kind=same .* differs in time, not in cycles' <<<"$output"
	grep -Eq '^move: to=memory .* no clear difference' <<<"$output"
	run -0 "$report" compare --out pages a b
	grep -q 'The core ran 4.0 % faster in B' pages/compare.html
	# Measured in turn, the frequency is the same for both: times alone count.
	SESSION=one side a 6.1 1
	SESSION=one side b 6.1 1
	clocked a 1
	clocked b 0.96
	run -3 --separate-stderr "$report" compare --threshold 1 a b
}

@test "what differs beyond the core's frequency is, by the lesser of both ratios" {
	side a 6.1 1
	side b 6.1 1.1 0.9
	clocked a 1
	clocked b 0.96
	run -3 --separate-stderr "$report" compare --all --threshold 5 a b
	grep -Eq '^work: kind=changed .* 1\.1 .* slower$' <<<"$output"
	grep -Eq '^move: to=memory .* 1\.067 .* slower$' <<<"$output"
	[[ $output == *"The core ran 4.0 % slower in B: that explains 1 row,"* ]]
	# B - A is of what is compared: 303 cycles for kind=changed are 101 ns.
	grep -Eq '^work: kind=changed .* \+30\.3 cycles \[\+2[0-9.]+, \+3[0-9.]+\] ' <<<"$output"
	grep -Eq '^move: to=memory .* -0\.0210 B/cycle \[-0\.02[0-9]+, -0\.01[0-9]+\] ' <<<"$output"
	[[ $output == *"Compared in cycles, as B - A shows: 3 rows, "* ]]
	run -3 --separate-stderr "$report" compare --json --threshold 5 a b
	jq -e 'all(.rows[]; .compared_in_cycles) and
		(.rows[1] | .difference_unit == "cycles" and .difference > 30 and
		.difference < 31 and .difference_ci95[0] < .difference)' <<<"$output"
}

# tiers DIR: kind=changed is a core row, and a hundred details are beside it.
tiers() {
	jq -c '.tier = (if .case == "kind=changed" then "core" else "detail" end) |
		., (select(.case == "kind=same") | range(100) as $i |
			.case = "kind=same,i=\($i)")' "$1/invocations.jsonl" >with_details
	mv with_details "$1/invocations.jsonl"
}

@test "what is called of the core rows does not depend on how many details there are" {
	side a 6.1 1
	side b 6.2 1.016
	for dir in a b; do
		# Six rounds: p is about 0.003.
		jq -c 'select(.round <= 6)' "$dir/invocations.jsonl" >six
		mv six "$dir/invocations.jsonl"
		tiers "$dir"
	done
	run -3 --separate-stderr "$report" compare --threshold 1 a b
	grep -Eq '^work: kind=changed .* slower$' <<<"$output"
	[[ ${lines[0]} == "B is slower: 1 of 103 rows differs by more than 1.0 %." ]]
	[[ $output == *"no clear difference 102, too small to matter 0, not comparable 0 "* ]]
	run ! grep 'kind=same' <<<"$output"
	# The core rows come first, whatever is measured before them.
	run -0 --separate-stderr "$report" compare --all a b
	[[ $(grep -nm 1 '^work: kind=changed ' <<<"$output" | cut -d: -f1) -lt \
		$(grep -nm 1 '^work: kind=same ' <<<"$output" | cut -d: -f1) ]]
	run -0 --separate-stderr "$report" compare --json a b
	jq -e '[.rows[].tier] | .[0] == "core" and (.[1:] | unique) == ["detail"]' <<<"$output"
	for dir in a b; do
		jq -c 'del(.tier)' "$dir/invocations.jsonl" >none
		mv none "$dir/invocations.jsonl"
	done
	run -0 --separate-stderr "$report" compare --threshold 1 a b
}

# in_states DIR ROUNDS: in so many of the ten rounds kind=changed costs four times
# as much.
in_states() {
	jq -c --argjson n "$2" 'if .case == "kind=changed" and .round <= $n then .value *= 4 else . end' \
		"$1/invocations.jsonl" >states
	mv states "$1/invocations.jsonl"
}

@test "levels are compared with levels, and their shares are no verdict" {
	side a 6.1 1
	side b 6.1 1
	in_states a 7
	in_states b 3
	run -0 --separate-stderr "$report" compare --all --threshold 0 a b
	grep -Eq '^work: kind=changed \[low level\] +101 ns \(30 %\) +101 ns \(70 %\) .* no clear difference' <<<"$output"
	grep -Eq '^work: kind=changed \[high level\] +40[0-9] ns \(70 %\) +40[0-9] ns \(30 %\) .* no clear difference' <<<"$output"
	[[ $output == *"In 1 row the rounds of a side fall in two groups"* ]]
	run -0 --separate-stderr "$report" compare --all --json a b
	jq -e '[.rows[] | select(.case == "kind=changed") | .level, .level_shares] ==
		["low", [0.3, 0.7], "high", [0.7, 0.3]] and .rows[0].level == null' <<<"$output"
	# One side of one state, and shares that no chance explains.
	side b 6.1 1
	run -0 --separate-stderr "$report" compare --all --threshold 0 a b
	run ! grep 'kind=changed \[high' <<<"$output"
	run -0 --separate-stderr "$report" compare --all --threshold 0 a b
	grep -Eq '^work: kind=changed \[low level\] .* no clear difference' <<<"$output"
	# Both levels of B cost 10 % more.
	side b 6.1 1.1
	in_states b 5
	run -3 --separate-stderr "$report" compare --threshold 5 a b
	[[ $(grep -Ec '^work: kind=changed \[(low|high) level\] .* 1\.(1|09[0-9]*) \[.* slower$' <<<"$output") -eq 2 ]]
	as_junit --threshold 5 a b | grep -q 'name="kind=changed \[high level\]"'
	# No level has enough rounds of both, but any state of B costs more than all of A's.
	side a 6.1 1
	side b 6.1 10
	in_states a 2
	in_states b 8
	run -3 --separate-stderr "$report" compare --threshold 5 a b
	grep -Eq '^work: kind=changed .* slower$' <<<"$output"
	side a 6.1 1
	in_states a 7
	# B has no states, but lies all over A's gap.
	side b 6.1 1
	jq -c 'if .case == "kind=changed" then .value *= (1 + .round / 3) else . end' b/invocations.jsonl >wide
	mv wide b/invocations.jsonl
	run -0 --separate-stderr "$report" compare --all --threshold 0 a b
	grep -q 'not comparable: one side has two states and the other lies between$' <<<"$output"
	run -0 --separate-stderr "$report" compare --out pages a b a
	grep -q 'kind=changed' pages/compare.html
}

@test "less than the floor is not called different" {
	side a 6.1 1
	side b 6.1 1.03
	answers 0 "--threshold 0: below --floor 5" "$report" compare --floor 5 --threshold 0 a b
	run -3 --separate-stderr "$report" compare --floor 1 --threshold 0 a b
	run -0 --separate-stderr "$report" compare --all --floor 5 a b
	grep -Eq '^work: kind=changed .* too small to matter$' <<<"$output"
	grep -Eq '^work: kind=same .* no clear difference' <<<"$output"
}

@test "a threshold below the usual floor is one" {
	side a 6.1 1
	side b 6.1 1.015
	run -3 --separate-stderr "$report" compare --threshold 1 a b
	[[ $stderr != *"below --floor"* ]]
	run -0 --separate-stderr "$report" compare --threshold 2 a b
}

# hide DIR LEAST ESTIMATE: what costs less than LEAST in kind=changed was below
# resolution, and its estimate ESTIMATE (a jq expression).
hide() {
	jq -c "if .case == \"kind=changed\" and .value < $2 then
		.status = \"below_resolution\" | .resolution = 200 |
		.estimate = ($3) | .value = null else . end" \
		"$1/invocations.jsonl" >hidden
	mv hidden "$1/invocations.jsonl"
}

@test "what was below resolution counts by its estimate" {
	side a 6.1 1
	side b 6.1 1
	hide b 100.7 .value
	run -0 --separate-stderr "$report" compare --all a b
	grep -Eq '^work: kind=changed .* 1 \[0\..* no clear difference' <<<"$output"
	run -0 --separate-stderr "$report" export --format gobench b
	[[ $(grep -c '^BenchmarkWork/kind=changed ' <<<"$output") -eq 10 ]]
	hide b 101.5 .value
	run -0 --separate-stderr "$report" export --format gobench b
	[[ $(grep -c '^BenchmarkWork/kind=changed ' <<<"$output") -eq 0 ]]
}

@test "what is not positive has no ratio, and is not left out" {
	side a 6.1 1
	side b 6.1 1
	hide b 100.1 '-1'
	run -0 --separate-stderr "$report" compare --all a b
	grep -Eq '^work: kind=changed .* not comparable: not positive: no ratio$' <<<"$output"
}

@test "pages" {
	side a 6.1 1
	side b '<script>' 1.1
	run -0 --separate-stderr "$report" compare --out pages a b a
	grep -q 'work: kind=changed | 101 ns | +10\.1 ns .\[+9\.[0-9]*, +10\.[0-9]*.\] (cost +10 %) | .~ |$' pages/compare.md
	run ! grep -E '<script|https?://|src="[^d]' pages/compare.html
}

@test "several runs of a side are its units" {
	for i in 1 2 3 4 5 6; do
		side "a$i" 6.1 "1.00$i"
		side "b$i" 6.1 "1.10$i"
	done
	run -3 --separate-stderr "$report" compare --threshold 5 \
		a1,a2,a3,a4,a5,a6 b1,b2,b3,b4,b5,b6
	grep -Eq '^work: kind=changed .* slower$' <<<"$output"
	run -3 --separate-stderr "$report" compare --threshold 5 \
		a1,a2,a3,a4 b1,b2,b3,b4
	run -0 --separate-stderr "$report" compare --all a1,a2 b1,b2
	[[ ${lines[0]} == "B: no row can be compared: too few rounds: 4 against 4 are needed." ]]
}

@test "rows that cannot be compared say why" {
	side a 6.1 1
	side b 6.1 1
	sed -i 's/"estimator":"median"/"estimator":"min"/; /kind=same/d' \
		b/invocations.jsonl
	run -0 --separate-stderr "$report" compare --all a b
	grep -Eq '^work: kind=same .* not comparable: B has no such row$' <<<"$output"
	grep -Eq '^work: kind=changed .* not comparable: other estimator$' <<<"$output"
}

@test "each run of a side must be comparable" {
	for i in 1 2 3 4; do
		side "a$i" 6.1 1
		side "b$i" 6.1 1
	done
	sed -i 's/"timer":"lfence"/"timer":"clock"/; /kind=same/d' \
		b3/invocations.jsonl
	run -0 --separate-stderr "$report" compare --all a1,a2,a3,a4 b1,b2,b3,b4
	grep -Eq '^work: kind=same .* not comparable: a run of B has no such row$' <<<"$output"
	grep -Eq '^work: kind=changed .* not comparable: other timing method$' <<<"$output"
}

@test "misuse is told in one line" {
	side a 6.1 1
	run -2 --separate-stderr "$report" compare a
	answers 2 "--threshold" "$report" compare --threshold lots a a
	answers 1 "nowhere/invocations.jsonl: No such file" "$report" compare a nowhere
	run -1 --separate-stderr "$report" compare a ,
}

@test "hostile and truncated runs are compared as text" {
	cp -r "$ROOT/tests/fixtures/results/." .
	truncate -s -20 small/invocations.jsonl
	run -0 --separate-stderr "$report" compare --out pages small hostile
	run ! grep -iE '<(script|img|svg|foreignobject|iframe)[ >]' <(without_images pages/compare.html)
	run -0 --separate-stderr "$report" compare --out pages hostile hostile
	run ! grep -iE '<(script|img|svg|foreignobject|iframe)[ >]' <(without_images pages/compare.html)
	run ! grep -P '\x1b' <<<"$output"
}

@test "boots in a directory are the units of their side" {
	local boot

	for boot in 1 2 3 4; do
		side "a/boot-$boot" 6.1 "1.00$boot"
		side "b/boot-$boot" 6.2 "1.10$boot"
	done
	run -0 --separate-stderr "$report" compare a b
	grep -Eq '^work: kind=changed .* 1\.(1|09[0-9]*) .* slower$' <<<"$output"
	mkdir -p empty/none
	answers 1 'empty/invocations.jsonl: No such file' "$report" compare a empty
}

@test "a side that was very noisy is named, and no other" {
	side a 6.1 1
	side b 6.1 1
	run -0 --separate-stderr "$report" compare a b
	[[ $output != *'No verdict can be built'* ]]
	printf '{"schema":1,"phase":"before","round":0,"cpu":1,"measuring":true,"spun_us":1000,"lost_us":100}\n' >b/noise.jsonl
	run -0 --separate-stderr "$report" compare a b
	[[ $output == *'No verdict can be built on these: b (very noisy, 10 % of the time lost).'* ]]
	run -0 "$report" compare --out pages a b
	grep -q 'No verdict can be built on these: b (very noisy' pages/compare.html
}
