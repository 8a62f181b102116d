#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# measures: real programs, beside which no others shall
#
# Programs that break their promises on purpose (tests/fixtures/bench), to
# prove that the harness notices and cleans up after them.

setup() {
	load ../helpers
	unruly=$FIXTURES/unruly
	cd "$BATS_TEST_TMPDIR" || exit
}

@test "a well-behaved one passes, so that the others prove something" {
	try_sealed 0 "$unruly" --invocations 1 --json
	rows 'length == 2 and all(.status | IN("ok", "below_resolution"))'
	[[ -z $stderr ]]
}

# misbehaves STATUS HOW STDERR [JQ]: unruly ends so, leaves nothing, and its rows are so.
misbehaves() {
	try_sealed "$1" "$unruly" --how "$2" "${QUICK[@]}" --json
	# shellcheck disable=SC2053 # a pattern
	[[ $stderr == $3 ]] || { printf '%s: %s\n' "$2" "$stderr" && return 1; }
	if [[ ${4-} ]]; then rows "$4"; fi
}

@test "a failure in each place is reported, and its litter removed" {
	misbehaves 1 setup 'unruly: unruly setup: No data available' 'length == 2 and
		all(.status == "failed" and (.reason | startswith("unruly setup")))'
	misbehaves 77 skip 'unruly: skipped: unruly has no wish to' 'length == 2 and
		all(.status == "skipped" and .reason == "unruly has no wish to")'
	misbehaves 1 twins '*twice the same case adds=1' 'all(.status == "failed")'
	misbehaves 1 crash '*signal 11*' 'length == 0'
	misbehaves 1 exit '*without a result*' 'length == 0'
	# Text that a library prints is no row.
	misbehaves 1 print 'unruly: a process run wrote a broken row'
	misbehaves 1 half '*broken row*signal 9*' 'length == 0'
	misbehaves 1 child '*left processes behind*'
	misbehaves 1 daemon '*left processes behind*'
	misbehaves 1 ipc '*2 thing(s) left behind*'
}

@test "what a supervisor tells its process runs means nothing by hand" {
	OSCOST_INVOCATION=7:-1:0:1 try_sealed 0 "$unruly" --invocations 1 --json
	rows 'length == 2 and all(.seed != 7)'
}

@test "one that hangs can be stopped; a killed one takes its process run along" {
	SEAL=(--signal INT --group)
	try_sealed 130 "$unruly" --how hang --invocations 1
	SEAL=(--signal TERM)
	try_sealed 143 "$unruly" --how hang --invocations 1
	SEAL=(--signal KILL)
	try_sealed 137 "$unruly" --invocations 10000
}

@test "Ctrl-Z pauses nothing, and says so" {
	"$unruly" --invocations 10000 >/dev/null 2>said 3>&- &
	until_true pgrep -P $! >/dev/null
	kill -TSTP $!
	until_true grep -qs 'State:.T\|Ctrl-Z' /proc/$!/status said || { kill -KILL $! && false; }
	kill -CONT $!
	kill -TERM $!
	status=0
	wait $! || status=$?
	[[ $status -eq 143 ]]
	grep -q 'Ctrl-Z does not pause a measurement: it goes on' said
}

# Full effort, so that a disturbance does not put the one that is measured below
# resolution.
@test "each end of a case has its status, a value or a reason, and evidence" {
	try_sealed 1 "$FIXTURES/verdicts" --invocations 1 --json
	rows 'map({(.params["end"]): .status}) | add == {
		"measured": "ok", "zero": "below_resolution",
		"negative": "below_resolution", "short": "failed",
		"refused": "failed", "skip": "skipped", "late-skip": "skipped",
		"nan": "failed", "dropped": "skipped", "dropped-short": "failed",
		"aside-short": "failed", "beside": "skipped"}'
	rows 'length == 12 and all((.value != null) == (.status == "ok") and
		(.reason == null) == (.status == "ok"))'
	rows '.[] | select(.status == "ok") | .value > 0 and .ticks > 0'
	# Less than nothing is below resolution.
	rows '.[] | select(.params["end"] == "negative") |
		.value == null and .baseline != null and (.reason | contains("<"))'
	rows '.[] | select(.params["end"] == "short") |
		.evidence.rounds.seen < .evidence.rounds.expected and
		(.reason | contains("expected") and contains("seen"))'
	[[ $stderr == *"end=short"* ]]
	# The reasons are those that the program gave.
	rows 'map({(.params["end"]): .reason}) | add |
		.refused == "unfortunate: Input/output error" and
		.skip == "known before" and .["late-skip"] == "found out too late" and
		.dropped == "worth nothing" and
		.["beside"] == .["late-skip"] and
		.nan == "recorded a sample that is not a number"'
}

@test "neither a skip in the end nor disturbed visits hide evidence that is short" {
	try_sealed 1 "$FIXTURES/verdicts" --invocations 1 --json
	rows '[.[] | select(.params["end"] | endswith("-short")) |
		.reason | startswith("the operation did not happen as claimed")] == [true, true]'
}

@test "the table for people says the same" {
	try 1 "$FIXTURES/verdicts" "${QUICK[@]}"
	grep -A 1 ' < [0-9]' <<<"$output" | grep 'too small to measure'
	grep -A 1 ' failed' <<<"$output" | grep unfortunate
	grep -A 1 ' skipped' <<<"$output" | grep 'known before'
}

@test "only skipped cases: the program is skipped" {
	try 77 "$FIXTURES/verdicts" "${QUICK[@]}" --case 'end=skip' --json
	rows 'length == 1 and .[0].status == "skipped"'
}

@test "a later invocation that skips all its rows does not end the run" {
	try_sealed 0 "$unruly" --how later-skip --seed 7 --invocations 2 --json
	rows 'length == 2 and all(.status == "below_resolution" or
		.status == "ok" and .n == 1)'
}

@test "what most invocations skip is skipped, and the program with it" {
	try_sealed 77 "$unruly" --how later-skip --seed 7 --invocations 4 --json
	rows 'length == 2 and all(.status == "skipped" and .n == 4 and
		.value == null and .reason == "unruly was not left alone")'
}

@test "--case picks by whole names, by globs, and more than once" {
	try 0 "$FIXTURES/verdicts" --list --case 'end=*skip' --case 'end=ze?o'
	[[ $output == $'end=zero\nend=skip\nend=late-skip' ]]
}

@test "a benchmark of two processes" {
	try_sealed 0 "$FIXTURES/two" --invocations 1 --json
	rows '.[0].evidence.answers | .expected > 0 and .seen == .expected'
}

@test "one of two processes can be stopped at any time" {
	SEAL=(--signal INT --group)
	try_sealed 130 "$FIXTURES/two" --invocations 100
}
