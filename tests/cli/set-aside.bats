#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# measures: real programs, beside which no others shall
#
# Evidence that falls short in some rounds of a real run: what it does to the
# row, to the report and to the exit status.

load ../helpers

setup() {
	cd "$BATS_TEST_TMPDIR" || exit
	mkdir bin
	ln -s "$BIN/report" "$BIN/machine" "$FIXTURES/witness" bin/
}

# ran STATUS OPTIONS: ten rounds of the witness, the row that they give, and
# whether run-all would end so.  Only its evidence decides which rounds count: a
# core that another hardware thread uses in some of them is left to test_aggregate.
ran() {
	local round

	mkdir out
	for round in {1..10}; do
		# shellcheck disable=SC2086 # words
		try '0|1|77' "$FIXTURES/witness" --json --invocations 1 --effort 24 --round "$round" $2 || return
		jq -c '.core_share = null' <<<"$output" >>out/invocations.jsonl
	done
	echo '{"schema": 1, "rounds": 10}' >out/run.json
	echo '{"schema": 1}' >out/machine.json
	echo '[]' >out/about.json
	try 0 "$BIN/report" make --root "$ROOT" --no-plots out || return
	try "$1" "$BIN/report" failed out || return
	row=$(jq -c '.rows[0]' out/report.json)
}

# row FILTER: that holds of it.
row() {
	jq -e "$1" <<<"$row" >/dev/null || {
		printf 'not so: %s\n%s\n' "$1" "$row"
		return 1
	}
}

@test "purity of 99.9 % of a share of 99 % in all rounds changes nothing" {
	ran 0 '--how purity --spoilt 10'
	row '.status == "ok" and .n == 10 and .set_aside.reasons.bytes_from_cache == null'
	row '.evidence.bytes_from_cache | .kind == "purity" and .share == 0.99 and
		.seen < .expected'
}

@test "purity below its share in one round of ten: nine count, and it is said" {
	ran 0 '--how purity --spoilt 1 --seen 980'
	row '.status == "ok" and .n == 9 and .set_aside.invocations == 0 and
		.set_aside.reasons.bytes_from_cache > 0'
	grep -q '[0-9]* measurements were excluded, in 1 row' out/report.md
}

@test "purity below its share in all rounds: skipped, and the run is well" {
	ran 0 '--how purity --spoilt 10 --seen 980'
	row '.status == "skipped" and .value == null'
	row '.reason | startswith("excluded: ") and
		contains("bytes_from_cache: 98 %, at least 99 % wanted")'
}

@test "a visit that is excluded is made up for in the same invocation" {
	ran 0 '--how event --spoilt 10 --seen 980'
	row '.status == "ok" and .n == 10 and .set_aside.reasons.bytes_from_cache == 10'
}

@test "a proof that is contradicted in one round of ten: nine count" {
	ran 0 '--how proof --spoilt 1'
	row '.status == "ok" and .n == 9 and .set_aside.invocations == 1 and
		.set_aside.reasons.children_reaped > 0'
	grep -q '[0-9]* measurements and 1 of 10 values of process runs were excluded, in 1 row' out/report.md
}

@test "in half of ten: the row has failed, and run-all ends with 1" {
	printf 'witness\twitness\t--how proof --spoilt 5\t30\n' >suite.tsv
	try 1 "$ROOT/scripts/run-all" --bin bin --suite suite.tsv --out out --rounds 10 --effort 24
	row=$(jq -c '.rows[0]' out/report.json)
	row '.status == "failed" and .value == null and
		(.reason | startswith("the operation did not happen as claimed"))'
}

# waited OPTION...: the row of events beside a process that spins on their CPU, and that of a part of them.
waited() {
	local rows

	rows=$("$FIXTURES/waits" --json --invocations 1 "$@") || [[ $? == 77 ]]
	row=$(jq -c 'select(.case == "event=whole")' <<<"$rows")
	part=$(jq -c 'select(.case == "event=part")' <<<"$rows")
	[[ -n $row && -n $part ]]
	[[ $row != *"counts no waiting"* ]] || skip "this kernel counts no waiting"
}

@test "events that waited for a CPU are left out, counted and lower the grade" {
	waited --every 3
	row '.status == "ok" and .min == 1 and .max == 1 and .tags.waited > 0 and .grade == "D"'
	row '.evidence.samples_without_waiting_for_a_cpu | .kind == "purity" and .seen < .expected'
	row=$part
	row '.status == "ok" and .max == 1 and .tags.waited > 0 and .grade == "D"'
}

@test "where waiting belongs to the operation such events are samples" {
	local own

	own=$("$FIXTURES/waits" --json --invocations 1 --case event=own)
	row=$own
	[[ $row != *"counts no waiting"* ]] || skip "this kernel counts no waiting"
	row '.status == "ok" and .min == 2 and .tags.waited == 0 and
		.evidence.samples_without_waiting_for_a_cpu == null'
}

@test "what was taken earlier and waited in is no sample" {
	row=$("$FIXTURES/waits" --json --invocations 1 --case event=before --every 3)
	[[ $row != *"counts no waiting"* ]] || skip "this kernel counts no waiting"
	row '.status == "ok" and .min == 1 and .max == 1 and .tags.waited > 0'
}

@test "an event that met what most do not is no sample" {
	row=$("$FIXTURES/waits" --json --invocations 1 --case event=again --every 3)
	row '.status == "ok" and .min == 1 and .max == 1 and .samples == 16 and .tags.waited == 0'
}

@test "where the first events waited there are more, though there is no time for any" {
	waited --first 3 --effort 1
	row '.status == "ok" and .max == 1 and .set_aside == null and .tags.waited >= 3'
}

@test "if all waited there is no value" {
	waited
	row '.status == "skipped" and .value == null and .set_aside.visits > 0 and
		(.reason | contains("samples_without_waiting_for_a_cpu: 0 %"))'
}

# Others had the CPU and its caches since the last one.  The first is excluded, so there is another.
@test "each visit begins with warming up, not the first one alone" {
	local how

	for how in once event; do
		row=$("$FIXTURES/witness" --json --invocations 1 --how "$how" --seen 980)
		row '.evidence | .visits > 1 and .visits_warmed_up == .visits'
	done
}

@test "measurements in which a quota held the program back are counted" {
	local group=/sys/fs/cgroup/cpu/oscost-test-$$

	[[ -w /sys/fs/cgroup/cpu/cpu.cfs_period_us ]] || skip "no cpu controller of cgroup v1"
	mkdir "$group" || skip "may not make a cgroup"
	# So little that one turn on a CPU uses it up.
	echo 10000 >"$group/cpu.cfs_period_us"
	echo 1000 >"$group/cpu.cfs_quota_us"
	# shellcheck disable=SC2016 # expands in the new shell
	run --separate-stderr bash -c 'echo $$ >"$1/cgroup.procs" && "$2" --effort 20 --invocations 1 \
		--case "form=memory,iterations=*" --json' bash "$group" "$BIN/loop"
	rmdir "$group"
	((status == 0))
	jq -se 'map(.tags.throttled) | add > 0' <<<"$output"
}
