#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# "At a glance": each entry of plots/headlines.tsv is a row that exists.

bats_require_minimum_version 1.5.0

BIN=${BIN:-${BUILD:-$BATS_TEST_DIRNAME/../../build}/bin}
list=$BATS_TEST_DIRNAME/../../plots/headlines.tsv

entries()
{
	grep -v '^#' "$list"
}

@test "each entry is a case of its program, and so is its size" {
	local group program name label size cases pattern missing=''

	while IFS=$'\t' read -r group program name label size; do
		[ -n "$group" ] && [ -n "$label" ]
		cases=$("$BIN/$program" --list)
		for pattern in "$name" ${size:+"$size"}; do
			# shellcheck disable=SC2053 # a pattern
			while read -r case; do
				[[ $case == $pattern ]] && continue 2
			done <<<"$cases"
			missing+=" $program:$pattern"
		done
	done < <(entries)
	echo "not listed:$missing"
	[ -z "$missing" ]
}

@test "the list is short, its names differ and fit a line" {
	[ "$(entries | wc -l)" -le 30 ]
	[ -z "$(entries | cut -f 4 | sort | uniq -d)" ]
	[ -z "$(entries | cut -f 4 | awk 'length > 33')" ]
}

@test "a row without a value stands in the summary with its reason" {
	local root=$BATS_TEST_DIRNAME/../..

	cp -r "$root/tests/fixtures/results/small" "$BATS_TEST_TMPDIR/run"
	sed -i '/"procedure"/s/"status": *"ok"/"status":"skipped"/;
		/"procedure"/s/"reason": *null/"reason":"no such luck"/;
		/"procedure"/s/"value": *[0-9.]*/"value":null/' \
		"$BATS_TEST_TMPDIR/run/invocations.jsonl"
	run -0 "$BIN/report" summary --root "$root" "$BATS_TEST_TMPDIR/run"
	[[ ${lines[0]} == *"procedure call"*"skipped"*"no such luck"* ]]
}
