#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# tests/crosscheck/pairs: its list and its arithmetic, on values made up. No time
# is judged here.

load ../helpers

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	list=$ROOT/tests/crosscheck/pairs.tsv
}

@test "a table of ratios: medians, and the median of each round's ratio" {
	printf '%s\tloop/ours\t%s\n%s\tloop/plain\t%s\n' 1 1 1 1 2 2 2 1 3 3 3 2 4 10 4 4 |
		awk -f "$ROOT/tests/crosscheck/ratios.awk" >table
	[[ $(tail -n 1 table | tr -s ' ') == 'loop plain 2.5 1.5 1.750 1 : 1' ]]
}

# made A B...: rounds in which the two programs of an operation cost 100 and so much.
made() {
	local round=0 ns

	for ns; do
		printf '%d\tmembarrier alone\t%s\t%s\n' $((++round)) \
			'shootdown op=membarrier,threads=none,others=0' 100 \
			"$round" 'plain membarrier' "$ns"
	done >values
}

judged() { # STATUS
	try "$1" "$ROOT/tests/crosscheck/pairs" --bin "$BIN" --rounds 0 --values values
}

@test "each operation has two who measure it, and each is a row" {
	local what program case operations

	grep -v '^#' "$list" | cut -f1 | sort | uniq -c | awk '$1 < 2 { print; bad = 1 } END { exit bad }'
	while IFS=$'\t' read -r what program case operations; do
		[[ $operations -gt 0 ]]
		[[ $program == plain ]] || "$BIN/$program" --list --case "${case##* }" | grep -q .
	done < <(grep -v '^#' "$list")
}

@test "what costs the same agrees, and what does not is named" {
	made 101 99 100 101 99 100 100 101
	judged 0
	[[ $output == *"plain membarrier / shootdown"*": +0.00 %, interval -1.00 to +1.00, 8 pairs" ]]
	made 178 170 180 175 178 190 178 172
	judged 1
	[[ $output == *": +78.00 %, interval +70.00 to +90.00, 8 pairs: DIFFERENT" ]]
	made 90 120 100 101 99 100 100 101
	judged 77
	[[ $output == *"not resolved" ]]
	made 178 170
	judged 2
	[[ $output == *"too few ratios" ]]
}

@test "the plain loop knows its operations" {
	local what program case operations

	cc -O2 -D_GNU_SOURCE -o plain "$ROOT/tests/crosscheck/pairs.c"
	while IFS=$'\t' read -r what program case operations; do
		[[ $program != plain ]] || ./plain "$case"
	done <"$list"
	run -1 ./plain nosuch
}
