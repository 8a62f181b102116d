# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# Loaded by every .bats file.

bats_require_minimum_version 1.5.0

: "${BIN:?set by make check-cli}"
ROOT=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
FIXTURES=${FIXTURES:-${BIN%/*}/fixtures}
# Each test has its own records: it must not find what another one kills.
export OSCOST_RECORDS=$BATS_RUN_TMPDIR/records-${BATS_SUITE_TEST_NUMBER:-all}
export ROOT FIXTURES

# The smallest run that still goes through every phase.
declare -ga QUICK=(--effort 1 --invocations 1)

# Nothing takes as long as this; what hangs must not hang the tests.
readonly PATIENCE_S=${PATIENCE_S:-600}

# Files that need no more: each test in a directory of its own.
setup() { cd "$BATS_TEST_TMPDIR" || return; }

# benches: the names of all benchmark programs; other things in $BIN, such as
# the report, have no source there.
benches() {
	local path name

	for path in "$ROOT"/bench/*/*.c; do
		name=${path##*/}
		[[ ! -x $BIN/${name%.c} ]] || printf '%s\n' "${name%.c}"
	done
}

# each_bench CHECK: call CHECK with each benchmark's name; fails in the end if
# it failed for any.  Inside CHECK `set -e` is off: end its lines in
# `|| return`.
each_bench() {
	local name bad=0

	for name in $(benches); do
		"$1" "$name" || {
			printf '^ %s\n' "$name"
			bad=1
		}
	done
	return "$bad"
}

# calmly: from now on try runs commands (others take "${calm[@]}") at a real-time priority, where one may be had.
# All samples of a program that sleeps (for a disk, a partner) could else have waited
# for a CPU that other tests had, and a row without samples tests nothing.
calm=()
calmly() { ! chrt -r 1 true 2>/dev/null || calm=(chrt -r 1); }

# try STATUS COMMAND...: run it and compare the status, a pattern such as 0 or
# '0|77'.  Sets output and stderr.
try() {
	local want=$1

	shift
	run --separate-stderr timeout -k 5 "$PATIENCE_S" "${calm[@]}" "$@"
	# shellcheck disable=SC2053 # a pattern
	[[ $status == @($want) ]] && return
	printf '%s\nstatus %s, not %s\n%s\n%s\n' "$*" "$status" "$want" \
		"$output" "$stderr"
	return 1
}

# answers STATUS TEXT COMMAND...: it ends with that status and reports TEXT.
answers() {
	run --separate-stderr "${@:3}"
	[[ $status -eq $1 && $stderr == *"$2"* ]] && return
	printf '%s\nstatus %s, not %s, or without "%s":\n%s\n%s\n' "${*:3}" "$status" "$1" "$2" \
		"$output" "$stderr"
	return 1
}

# refuses STATUS TEXT COMMAND...: the same, in one line and with no other output.
refuses() {
	answers "$@" || return
	[[ -z $output && ${#stderr_lines[@]} -eq 1 ]]
}

# until_true COMMAND...: look again until it is so, for two minutes at least.
until_true() {
	local i

	for ((i = 0; i < 1200; i++)); do
		"$@" && return
		sleep 0.1
	done
	return 1
}

# try_sealed STATUS COMMAND...: the same, and nothing may be left behind.
# SEAL holds more options for tests/sealed.
try_sealed() {
	local want=$1 report=$BATS_TEST_TMPDIR/report

	shift
	: >"$report"
	try "$want" "$ROOT/tests/sealed" "$report" "${SEAL[@]}" "$@" || return
	[[ ! -s $report ]] && return
	printf '%s\nleft behind:\n' "$*"
	cat "$report"
	return 1
}

declare -ga SEAL=()

# says PATTERN: whether stderr is one line that matches.
says() {
	# shellcheck disable=SC2053 # a pattern
	[[ $stderr == $1 && $stderr != *$'\n'* ]] && return
	printf 'stderr is not one line like %s:\n%s\n' "$1" "$stderr"
	return 1
}

# rows FILTER [JQ-ARG]...: whether FILTER is true of the rows in $output, as
# one array.
rows() {
	local filter=$1

	shift
	jq -es "$@" "$filter" <<<"$output" >/dev/null && return
	printf 'not so: %s\n%s\n' "$filter" "$output"
	return 1
}

# row_lines KIND: its lines of rows.tsv (docs/rows.md), without the kind.
row_lines() {
	sed -n "s/^$1\t//p" "$ROOT"/bench/{cpu,task,memory,net,file}/rows.tsv "$ROOT"/monitor/rows.tsv
}

report=$BIN/report

# report_setup [NAME...]: for tests of $report: the test's own directory, with
# copies of these of tests/fixtures/results.
report_setup() {
	local name

	cd "$BATS_TEST_TMPDIR" || return
	for name; do
		cp -r "$ROOT/tests/fixtures/results/$name" . || return
	done
}

# disassembled NAME...: their machine code, for code in all tests of a file.
disassembled() {
	local name

	for name; do
		objdump -d --no-show-raw-insn "$BIN/$name" >"$BATS_FILE_TMPDIR/$name.s" || return
	done
}

# code PROGRAM FUNCTION: its instructions, one to a line, without addresses.
code() {
	awk -v head="<$2>:" '
		$2 == head { inside = 1; next }
		/^$/ { inside = 0 }
		inside { sub(/^[^\t]*\t/, ""); gsub(/[ \t]+/, " "); print }
	' "$BATS_FILE_TMPDIR/$1.s"
}

# without_images FILE: a page without the images and the script that the report
# puts there.
without_images() {
	sed -E '/^<script>$/,/^<\/script>$/d
		s|<img alt="[^"<>]*" src="data:image/svg\+xml;base64,[A-Za-z0-9+/=]*">||' "$1"
}

# first_case NAME: the first case of a program.
first_case() {
	"$BIN/$1" --list 2>/dev/null | sed -n 1p
}

# usable_cpus: one number a line.
usable_cpus() {
	local part

	for part in $(taskset -cp "$$" | sed 's/.*: //; s/,/ /g'); do
		seq "${part%-*}" "${part#*-}"
	done
}

# open_axes NAME: axis, least, most and step, in bytes, of those that take other
# numbers.
open_axes() {
	"$BIN/$1" --help | sed -n '/^Other numbers/,/^$/s/^  //p' |
		tr ';' '\n' | sed 's/^ //; s/ from / /; s/ to / /; s/ in steps of / /' |
		numfmt --from=iec --field=2- --invalid=ignore --delimiter=' ' |
		tr -s ' '
}

# block PAGE LANGUAGE: the code of all its blocks in that language.
block() {
	awk -v start="\`\`\`$2" '$0 == "```" { on = 0 } on; $0 == start { on = 1 }' "$ROOT/$1"
}
