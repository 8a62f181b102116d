#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# The one command: each of its words calls what it says, and says what is wrong.

setup() {
	load ../helpers
	cd "$BATS_TEST_TMPDIR" || exit
	# As it is installed, with the programs at hand.
	mkdir tree
	cp -r "$ROOT/scripts" tree/
	ln -s "$BIN" tree/bin
	ln -s "$ROOT/bench" "$ROOT/monitor" "$ROOT/plots" tree/
	ln -s tree/scripts/oscost oscost
}

refused() {
	[[ $status -eq 2 && ${#lines[@]} -eq 0 && ${#stderr_lines[@]} -eq 1 &&
		$stderr == *"$1"* ]]
}

@test "what is no command is refused in one line, nothing is told how" {
	run --separate-stderr ./oscost nosuch
	refused "no command and no benchmark 'nosuch'"
	run --separate-stderr ./oscost ../../bin/sh
	refused "no command and no benchmark"
	run --separate-stderr ./oscost explain
	refused "oscost explain syscall getppid"
	run -2 --separate-stderr ./oscost
	[[ -z $output && $stderr == "usage: oscost COMMAND"* ]]
	run -0 --separate-stderr ./oscost --help
	[[ $output == "usage: oscost COMMAND"* ]]
	rm tree/bin
	mkdir tree/bin
	run --separate-stderr ./oscost run
	refused "run make"
	run --separate-stderr ./oscost list
	refused "run make"
}

@test "rows are listed by their words" {
	local n

	run -0 --separate-stderr ./oscost list getppid via=libc
	[[ $output == "syscall call=getppid,via=libc" ]]
	n=$("$BIN/syscall" --list | wc -l)
	run -0 --separate-stderr ./oscost list
	[[ $(grep -c '^syscall ' <<<"$output") -eq $n ]]
}

@test "a row is explained, and how it is said to be measured alone works" {
	local command

	run -0 --separate-stderr ./oscost explain 'syscall getppid'
	[[ $output == "syscall - "* && $output == *"Measures: ns for one call"* &&
		$output == *"bench/cpu/syscall.c, docs/benchmarks/syscall.md"* &&
		$output == *"call=getppid,via=syscall  ("* ]]
	[[ -e $ROOT/bench/cpu/syscall.c && -e $ROOT/docs/benchmarks/syscall.md ]]
	# How it is timed and what proves it, of the quoted one of several rows.
	grep -E '^Timed:    method [a-z0-9]+, estimator difference$' <<<"$output"
	grep -E '^Evidence: calls ([0-9]+)/\1(,|$)' <<<"$output"
	# Beside others' work a short look may not tell it from nothing.
	grep -E '^Now:      ([0-9.]+ ns, |below_resolution: < )' <<<"$output"
	command=$(sed -n 's/^Alone: *\(.*\) (--json.*/\1/p' <<<"$output")
	PATH=$PWD:$PATH run -0 --separate-stderr bash -c "$command --list"
	[[ $output == call=getppid,via=syscall ]]
	run -1 --separate-stderr ./oscost explain no such row
	[[ -z $output && $stderr == *"no row has all of these words"* ]]
	# Many rows: the first ones.
	run -0 --separate-stderr ./oscost explain procedure
	[[ $output == *" rows; oscost list procedure: all" ]]
}

@test "what cannot be measured here is explained with the reason" {
	run -0 --separate-stderr ./oscost explain file_remote figure=connect
	[[ $output != *Evidence:*null* && $output == *"skipped: no remote file was given"* ]]
	# A row that is no core row among many is not looked at.
	run -0 --separate-stderr ./oscost explain arith op=and
	[[ $output != *"Evidence: "* ]]
}

@test "each word calls its program, with its options and its status" {
	cp -r "$ROOT/tests/fixtures/results/small" small
	run -0 --separate-stderr ./oscost report small
	[[ -s small/report.md ]]
	run -0 --separate-stderr ./oscost compare --all small small
	[[ $output == *"no difference"* || $output == *"not comparable"* ]]
	run -1 --separate-stderr ./oscost compare small nowhere
	run -0 --separate-stderr ./oscost history small
	run -2 --separate-stderr ./oscost run --profile fast
	[[ $stderr == *"PROFILE must be card, quick"* ]]
	run -0 --separate-stderr ./oscost nop --list
	[[ -n $output ]]
	run -3 --separate-stderr ./oscost load sh -c 'exit 3'
}
