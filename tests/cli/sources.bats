#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# docs/sources.md and docs/lmbench.md: what they name exists, and the rows of
# lmbench's summary are those of the report.

setup() {
	load ../helpers
	cd "$BATS_TEST_TMPDIR" || exit
}

# answers FILE: what stands in backticks in the second column of its tables.
answers() {
	awk -F ' [|] ' '/^[|]/ && $2 !~ /^-+$/ { print $2 }' "$1" |
		grep -o '`[^`]*`' | tr -d '`'
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

@test "what answers the sources exists" {
	all_exist "$ROOT/docs/sources.md"
}

@test "what answers lmbench exists" {
	all_exist "$ROOT/docs/lmbench.md"
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

@test "the rows of lmbench's summary are those of the report" {
	awk -F ' [|] ' '/^## Programs/ { exit } /^## / { group = substr($0, 4) }
		$2 ~ /^`/ { gsub(/^[|] /, "", $1); gsub(/`/, "", $2)
			sub(/ *[|]$/, "", $3); print group "\t" $1 "\t" $2 "\t" $3 }' \
		"$ROOT/docs/lmbench.md" | sort >told
	awk -F '\t' '{ sub(/^[0-9]+ /, "", $1); if ($5 == "-") $5 = ""
		print $1 "\t" $2 "\t" $3 " " $4 "\t" $5 }' <(row_lines lmbench) |
		sort >known
	[[ -s known ]]
	diff -u known told
}
