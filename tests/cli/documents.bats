#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The names in docs/sources.tsv, docs/lmbench.tsv and the lmbench lines of rows.tsv exist.

setup() {
	load ../helpers
	cd "$BATS_TEST_TMPDIR" || exit
}

# answers FILE: the names in backticks in its third column, and the rows of lmbench's lines.
answers() {
	cut -f 3 "$1" | grep -o '`[^`]*`' | tr -d '`'
	[[ $1 != */lmbench.tsv ]] || row_lines lmbench | awk -F '\t' '$3 != "-" { print $3, $4 }'
}

# has_rows PROGRAM PATTERN...: whether each matches a row, of this machine or of
# the one that the names of tests/fixtures are of.
has_rows() {
	local program=$1 pattern name found

	[[ -s $program.names ]] || {
		"$BIN/$program" --list
		sed -n "s/^$program //p" "$ROOT/tests/fixtures/row-names.txt"
	} >"$program.names"
	shift
	for pattern; do
		found=
		while read -r name; do
			# shellcheck disable=SC2053 # it is a pattern
			[[ $name != $pattern ]] || found=1
		done <"$program.names"
		# A row of another host can only be had there.
		[[ $found || $pattern == *net=remote,* ]] || return
	done
}

# exists WORD...: of an answer.
exists() {
	local word=$1 rest=("${@:2}") said

	case $word in
	figure | course)
		row_lines "$word" | cut -f1 | grep -qx -- "${rest[0]}"
		;;
	make)
		grep -qE "^${rest[0]}:" "$ROOT"/Makefile "$ROOT"/mk/*.mk
		;;
	*/* | *.md)
		[[ -e $ROOT/$word ]]
		;;
	*)
		[[ -x $BIN/$word ]] || return
		[[ ${rest[*]} == *=* ]] || {
			said=$("$BIN/$word" --help)
			for word in "${rest[@]}"; do
				grep -qwF -- "$word" <<<"$said" || return
			done
			return
		}
		has_rows "$word" "${rest[@]}"
		;;
	esac
}

all_exist() {
	local answer words bad=0

	answers "$1" >list
	[[ $(wc -l <list) -gt 50 ]] || return
	while read -r answer; do
		read -r -a words <<<"$answer"
		exists "${words[@]}" </dev/null || {
			echo "$1: there is no $answer"
			bad=1
		}
	done <list
	return "$bad"
}

@test "the answers to the sources exist" {
	all_exist "$ROOT/docs/sources.tsv"
}

@test "the answers to lmbench exist" {
	all_exist "$ROOT/docs/lmbench.tsv"
}

@test "a name that does not exist is found" {
	run ! exists nop case=none
	run ! exists nobody
	run ! exists nop --no-such-option
	run ! exists figure none
	run ! exists course none
	run ! exists make none
	run ! exists docs/none.md
	exists nop --counters
}
