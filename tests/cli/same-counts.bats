#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# How same-counts compares the rows of two builds; no machine is booted.

load ../helpers

# rows FILE [BENCHMARK VALUE...]: a row for each value, as each boot would give
# one; 100 in a sample.
rows() {
	local file=$1 benchmark=${2-} value

	for value in "${@:3}"; do
		printf '{"benchmark":"%s","case":"x=1","status":"%s","value":%s,"iters":100}\n' \
			"$benchmark" "$([[ $value == null ]] && echo failed || echo ok)" "$value"
	done >>"$BATS_TEST_TMPDIR/$file"
}

compare() {
	cd "$BATS_TEST_TMPDIR" || return
	run "$ROOT/tests/lab/same-counts" --compare base new
}

setup() {
	rows base nop 5 5 5
	rows new nop 5 5 5
}

# is STATUS LAST-LINE
is() {
	[[ $status == "$1" && ${lines[-1]} == "$2" ]] || {
		echo "status $status: $output"
		return 1
	}
}

@test "identical rows: status 0" {
	rows base syscall 400 401 402
	rows new syscall 402 400 401
	compare
	is 0 '2 rows of both, 2 identical, 0 different'
	[[ ${#lines[@]} == 1 ]]
}

@test "a loop that is one longer differs; one that rounds, and boots that overlap, do not" {
	rows base loop 3100 3100 3100
	rows new loop 3101 3101 3101
	rows base procedure 31 31 31
	rows new procedure 30.991 30.991 30.991
	rows base thread 1000 1000 1200
	rows new thread 1100 1190 1200
	compare
	is 1 '4 rows of both, 1 identical, 1 different'
	[[ ${lines[0]} == 'differs: loop x=1: 3100 3101 (0.032 %)' ]]
}

@test "a row of the kernel may differ by 0.4 %, not by 0.6 %" {
	rows base syscall 1000 1000 1000
	rows new syscall 1004 1004 1004
	compare
	is 0 '2 rows of both, 1 identical, 0 different'
	rows base signal 1000 1000 1000
	rows new signal 994 994 994
	compare
	is 1 '3 rows of both, 1 identical, 1 different'
	[[ ${lines[0]} == 'differs: signal x=1: 1000 994 (-0.6 %)' ]]
}

@test "a middle that moved is unsteady if the fastest sample did not" {
	for side in base new; do
		rows $side thread 1000 1000 1000
		sed -i '/thread/s/"value"/"min":900,"value"/' "$BATS_TEST_TMPDIR/$side"
		rows $side ipc 1000 1000 1000
		sed -i '/ipc/s/"value"/"min":900,"max":1000,"better":"higher","value"/' \
			"$BATS_TEST_TMPDIR/$side"
	done
	sed -i '/thread/s/1000/1100/; /ipc/s/1000/1100/g' "$BATS_TEST_TMPDIR/new"
	compare
	is 1 '3 rows of both, 1 identical, 1 different'
	[[ ${lines[0]} == 'differs: ipc x=1: 1000 1100 (10 %)' ]]
	[[ ${lines[1]} == 'unsteady: thread x=1: 1000 1100 (10 %)' ]]
}

@test "a row of one side only is listed, with the other's status" {
	rows base syscall 10 10 10
	rows base signal 10 10 10
	rows new signal null null null
	rows new poll 10 10 10
	compare
	is 0 '1 rows of both, 1 identical, 0 different'
	[[ $output == *'only in base: syscall x=1
'* && $output == *'only in base: signal x=1 (new: failed)
'* && $output == *'only in new: poll x=1
'* ]]
}

@test "nothing in common is not the same" {
	: >"$BATS_TEST_TMPDIR/new"
	compare
	is 1 '0 rows of both, 0 identical, 0 different'
}

@test "misuse" {
	run "$ROOT/tests/lab/same-counts" --compare base
	[[ $status == 2 && $output == 'usage: '* ]]
	run make -s -C "$ROOT" same-counts
	[[ $status == 2 && $output == *BASE=commit* ]]
	run make -s -C "$ROOT" same-counts BASE=no-such-commit
	[[ $status == 2 && $output == *no-such-commit* ]]
}
