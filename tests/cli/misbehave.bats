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

@test "a failing setup is told and its litter removed" {
	try_sealed 1 "$unruly" --how setup "${QUICK[@]}" --json
	says "unruly: unruly setup: No data available"
	rows 'length == 2 and all(.status == "failed" and
		(.reason | startswith("unruly setup")))'
}

@test "what setup skips is skipped, with its reason" {
	try_sealed 77 "$unruly" --how skip "${QUICK[@]}" --json
	says "unruly: skipped: unruly has no wish to"
	rows 'length == 2 and all(.status == "skipped" and
		.reason == "unruly has no wish to")'
}

@test "a crash is a failure, whose signal is named, and cleaned up" {
	try_sealed 1 "$unruly" --how crash "${QUICK[@]}" --json
	[[ -z $output && $stderr == *"signal 11"* ]]
}

@test "an exit from within is no success" {
	try_sealed 1 "$unruly" --how exit "${QUICK[@]}" --json
	[[ -z $output && $stderr == *"without a result"* ]]
}

@test "what a library prints is no row, and hides no failure" {
	try_sealed 1 "$unruly" --how print "${QUICK[@]}" --json
	says "unruly: an invocation wrote a broken row"
}

@test "a process run that is killed while it writes a row has not written it" {
	try_sealed 1 "$unruly" --how half "${QUICK[@]}" --json
	[[ -z $output && $stderr == *"broken row"* && $stderr == *"signal 9"* ]]
}

@test "what a supervisor tells its process runs means nothing by hand" {
	OSCOST_INVOCATION=7:-1:0:1 try_sealed 0 "$unruly" --invocations 1 --json
	rows 'length == 2 and all(.seed != 7)'
}

@test "a child that is left is killed, and the program fails" {
	try_sealed 1 "$unruly" --how child "${QUICK[@]}"
	[[ $stderr == *"left a child behind"* ]]
}

@test "so is a daemon that left its session" {
	try_sealed 1 "$unruly" --how daemon "${QUICK[@]}"
	[[ $stderr == *"left processes behind"* ]]
}

@test "kernel objects that are left are removed, and the program fails" {
	try_sealed 1 "$unruly" --how ipc "${QUICK[@]}"
	[[ $stderr == *"2 thing(s) left behind"* ]]
}

@test "one that hangs and is deaf to signals can be stopped" {
	SEAL=(--signal TERM)
	try_sealed 143 "$unruly" --how hang --invocations 1
	SEAL=(--signal INT --group)
	try_sealed 130 "$unruly" --how hang --invocations 1
}

@test "one that hangs in its teardown can be stopped" {
	SEAL=(--signal TERM)
	try_sealed 143 "$unruly" --how hang-teardown --invocations 1
}

@test "a supervisor that is killed takes its invocation along" {
	SEAL=(--signal KILL)
	try_sealed 137 "$unruly" --invocations 10000
}

@test "Ctrl-Z pauses nothing, and says so" {
	"$unruly" --invocations 10000 >/dev/null 2>said 3>&- &
	until_true pgrep -P $! >/dev/null
	kill -TSTP $!
	until grep -q 'State:.T' /proc/$!/status || grep -q Ctrl-Z said; do sleep 0.1; done
	kill -CONT $!
	kill -TERM $!
	status=0
	wait $! || status=$?
	[[ $status -eq 143 ]]
	grep -q 'Ctrl-Z does not pause a measurement: it goes on' said
}

# The verdicts of one run; of full effort, so that a disturbance does not put
# the one that is measured below resolution.
judged() {
	try_sealed 1 "$FIXTURES/verdicts" --invocations 1 --json
	rows 'length == 12'
}

@test "each end of a case is told as what it is" {
	judged
	rows 'map({(.params["end"]): .status}) | add == {
		"measured": "ok", "zero": "below_resolution",
		"negative": "below_resolution", "short": "failed",
		"refused": "failed", "skip": "skipped", "late-skip": "skipped",
		"nan": "failed", "dropped": "skipped", "dropped-short": "failed",
		"aside-short": "failed", "beside": "skipped"}'
}

@test "only what was measured has a value, all others a reason" {
	judged
	rows 'all((.value != null) == (.status == "ok") and
		(.reason == null) == (.status == "ok"))'
	rows '.[] | select(.status == "ok") | .value > 0 and .ticks > 0'
}

@test "less than nothing is below resolution, never a negative value" {
	judged
	rows '.[] | select(.params["end"] == "negative") |
		.value == null and .baseline != null and (.reason | contains("<"))'
}

@test "evidence that is short fails the case and names both numbers" {
	judged
	rows '.[] | select(.params["end"] == "short") |
		.evidence.rounds.seen < .evidence.rounds.expected and
		(.reason | contains("expected") and contains("seen"))'
	[[ $stderr == *"end=short"* ]]
}

@test "neither a skip in the end nor disturbed visits hide evidence that is short" {
	judged
	rows '[.[] | select(.params["end"] | endswith("-short")) |
		.reason | startswith("the operation did not happen as claimed")] == [true, true]'
}

@test "reasons are those that the program gave" {
	judged
	rows 'map({(.params["end"]): .reason}) | add |
		.refused == "unfortunate: Input/output error" and
		.skip == "known before" and .["late-skip"] == "found out too late" and
		.dropped == "worth nothing" and
		.["beside"] == .["late-skip"] and
		.nan == "recorded a sample that is not a number"'
}

@test "the table for people says the same" {
	try 1 "$FIXTURES/verdicts" "${QUICK[@]}"
	grep -A 1 ' < [0-9]' <<<"$output" | grep 'below resolution: '
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

@test "two cases of one name are refused" {
	try 1 "$FIXTURES/twins" "${QUICK[@]}"
	[[ $stderr == *"twice the same case x=1"* ]]
}

@test "a need for two CPUs is told where there is one" {
	[[ $EUID -eq 0 ]] || skip "needy needs root first"
	try 77 taskset -c "$(usable_cpus | head -n 1)" "$FIXTURES/needy" \
		"${QUICK[@]}"
	[[ $stderr == *"needs two CPUs"* ]]
}

@test "a benchmark of two processes" {
	try_sealed 0 "$FIXTURES/two" --invocations 1 --json
	rows '.[0].evidence.answers | .expected > 0 and .seen == .expected'
}

@test "one of two processes can be stopped at any time" {
	SEAL=(--signal INT --group)
	try_sealed 130 "$FIXTURES/two" --invocations 100
}

# The others measure it, ask a question whose answer is the child's death, or
# are the servers of the network programs.
@test "benchmarks have their threads and processes from the partner service" {
	run -0 grep -rlE '(= |err : )(v?fork|pthread_create)\(' "$ROOT/bench" \
		--include='*.c'
	diff <(sort <<<"$output") - <<-END
		$ROOT/bench/cpu/lib/kernel_entry.c
		$ROOT/bench/net/exec/server.c
		$ROOT/bench/task/lib/proc_spawn.c
		$ROOT/bench/task/thread.c
	END
}

# A program of the usual policy gets a little of that CPU now and then; one of a
# lower real-time priority gets nothing, so the kernel counts no wait.
@test "a CPU that a real-time task has is named while the program waits for it" {
	local all cpu hog program policy

	(($(nproc) > 1)) || skip "needs a second CPU, for this test"
	timeout 5 chrt -f 2 true 2>/dev/null || skip "no real-time tasks allowed here"
	cpu=$(usable_cpus | tail -n 1)
	all=$(usable_cpus | paste -sd ,)
	# What this shell starts would wait on the hog's CPU, too.
	taskset -pc "$(usable_cpus | head -n 1)" "$BASHPID"
	for policy in '--other 0' '--fifo 1'; do
		timeout -k 1 150 taskset -c "$cpu" chrt --fifo 2 \
			bash -c 'while :; do :; done' 3>&- &
		hog=$!
		# shellcheck disable=SC2086
		timeout 150 chrt $policy taskset -c "$all" "$unruly" \
			--effort 10000 --invocations 100 --cpu "$cpu" \
			>/dev/null 2>said 3>&- &
		program=$!
		until_true grep -q "for CPU $cpu: a real-time task" said || :
		kill "$hog"
		kill "$program"
		wait "$program" || (($? == 143))
		[[ $(grep -c "for CPU $cpu" said) == 1 ]]
	done
}
