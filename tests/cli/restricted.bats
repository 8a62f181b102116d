#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# measures: real programs, beside which no others shall
#
# Places that allow less: each program ends, and gives a value or a true
# reason; nothing dies without a word.

load ../helpers

# ended STATUS...: the program of the last run ended by itself, with one of them.
ended() {
	local want

	for want in "$@"; do
		[[ $status -ne $want ]] || return 0
	done
	echo "status $status: $stderr"
	return 1
}

# whole_rows FILE: rows, each with a value or a reason, none failed.
whole_rows() {
	jq -es 'length > 0 and all((.status == "ok" and .value != null) or
		.status == "below_resolution" or
		(.status == "skipped" and (.reason | length > 8)))' "$1"
}

@test "where nothing may be bound to a CPU it is measured all the same, and said" {
	local program

	"$FIXTURES/deny" 203 -- true || skip "no filter of system calls is permitted"
	for program in syscall loop sync context_switch core_to_core ipc; do
		run --separate-stderr "$FIXTURES/deny" 203 -- bash -c '"$0" --json --effort 1 \
			--invocations 1 >rows' "$BIN/$program"
		ended 0 77
		whole_rows rows
		jq -es 'all(.cpu == null and (.status != "ok" or .grade == "D"))' rows
	done
	jq -es 'all(.status == "skipped") and
		any(.reason | test("pin the partner to CPU [0-9]+: Operation not permitted"))' rows
	run -0 --separate-stderr "$FIXTURES/deny" 203 -- "$BIN/loop" --effort 1 --invocations 1
	[[ $output == *"bound to no CPU"* ]]
}

@test "where more CPUs are possible than a small mask has, the machine is the same" {
	local many=("$FIXTURES/deny" small-masks --) program

	"${many[@]}" true || skip "no filter of system calls is permitted"
	for program in core_to_core mem_latency; do
		[[ $("${many[@]}" "$BIN/$program" --list) == "$("$BIN/$program" --list)" ]]
	done
	try 0 "${many[@]}" "$BIN/loop" "${QUICK[@]}" --json --cpu 0
	rows 'all(.cpu == 0)'
	try 0 "${many[@]}" "$BIN/machine"
	jq -e --argjson bare "$("$BIN/machine")" \
		'.measuring_cpu == $bare.measuring_cpu and .caches == $bare.caches' <<<"$output"
	# Those that leave it to the scheduler where they run.
	try 0 "${many[@]}" "$BIN/mistakes" "${QUICK[@]}" --json --case 'mistake=unpinned,stat=naive'
	try '0|77' "${many[@]}" "$BIN/file_contention" "${QUICK[@]}" --json --case 'mode=direct,files=own,procs=2'
}

@test "what is skipped as a whole says why" {
	# shellcheck disable=SC2016 # expands in the new shell
	run --separate-stderr bash -c 'ulimit -n 20; "$0" --json --effort 1 --invocations 1 >rows' \
		"$BIN/poll"
	ended 77
	[[ $stderr == "poll: skipped: op="*"descriptors than the hard limit allows"* ]]
	whole_rows rows
}

@test "a small stack is enough" {
	run -0 bash -c 'ulimit -s 64 && "$0" --effort 1 --invocations 1' "$BIN/syscall"
}

@test "a limit on the size of files is told by its name" {
	# The messages go into a pipe: a file would take none of it.
	# shellcheck disable=SC2016 # expands in the new shell
	run -1 bash -c 'ulimit -f 0; "$0" --effort 1 --invocations 1 >rows' "$BIN/loop"
	[[ $output == *"cannot write the output: File too large"* ]]
	# shellcheck disable=SC2016 # expands in the new shell
	run -2 bash -c 'ulimit -f 0; "$0" --only loop --rounds 1 --effort 1 --bin "$1" \
		--out out' "$ROOT/scripts/run-all" "$BIN"
	[[ $output == *"cannot write in out: File too large"*"begin again"* ]]
}

@test "a limit on the size of files takes only what needs a file" {
	# shellcheck disable=SC2016 # expands in the new shell
	run -0 --separate-stderr bash -c 'ulimit -f 0; "$0" --json --effort 1 --invocations 1' "$BIN/loop"
	whole_rows - <<<"$output"
	# shellcheck disable=SC2016 # expands in the new shell
	run --separate-stderr bash -c 'ulimit -f 1024; "$0" --json --effort 1 --invocations 1 |
		cat >&3' "$BIN/page_fault" 3>rows
	ended 0
	whole_rows rows
	jq -es 'map(select(.params.per == null)) |
		(map(select(.params.fault | IN("anonymous", "zero", "shared"))) |
			length == 3 and all(.status == "ok")) and
		(map(select(.params.fault | IN("cow", "file", "major"))) |
			length == 3 and all(.reason | test("File too large")))' rows
}

@test "a program runs without /proc, /sys and /dev" {
	unshare -m mount -t tmpfs none /proc 2>/dev/null || skip "may not mount"
	for place in /proc /sys /dev; do
		# shellcheck disable=SC2016 # expands in the new shell
		run --separate-stderr unshare -m bash -c 'cd "$2" && mount -t tmpfs none "$1" &&
			"$0" --effort 1 --invocations 1 --json >rows' "$BIN/syscall" "$place" "$PWD"
		ended 0
		whole_rows rows
	done
}

@test "the driver says what it misses, in one line" {
	unshare -m mount -t tmpfs none /proc 2>/dev/null || skip "may not mount"
	for place in /proc /dev; do
		# shellcheck disable=SC2016 # expands in the new shell
		run --separate-stderr unshare -m bash -c 'cd "$2" && mount -t tmpfs none "$1" &&
			"$0" --only loop --rounds 1 --effort 1 --bin "$3" --out out' \
			"$ROOT/scripts/run-all" "$place" "$PWD" "$BIN"
		ended 2
		[[ $(grep -c . <<<"$stderr") -eq 1 && $stderr == *"run-all: $place is empty"*"mount"* ]]
	done
}

@test "an invocation keeps its program's name" {
	"$BIN/loop" --effort 30 --invocations 1 >/dev/null &
	names=
	while kill -0 $! 2>/dev/null; do
		child=$(pgrep -P $! || :)
		[[ -z $child ]] || names+=$(cat "/proc/$child/comm" 2>/dev/null || :)
		sleep 0.02
	done
	[[ $names == *looploop* && $names != *exe* ]]
}

@test "no lookup depends on how deep the current directory is" {
	local name

	name=$(printf 'd%.0s' {1..250})
	for _ in {1..18}; do # longer than any path may be
		mkdir "$name"
		cd "$name" || return
	done
	try 0 "$BIN/syscall" --json --effort 1 --invocations 1 --case op=stat,by=syscall \
		--case op=open_close,by=syscall --case op=getcwd,by=syscall
	# A cost may be too small to measure in so short a run.
	jq -es 'length == 3 and .[0].status == "skipped" and
		all(.[1, 2]; .status | IN("ok", "below_resolution"))' <<<"$output"
}
