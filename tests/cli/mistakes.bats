#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# measures: real programs, beside which no others shall
#
# The lab of wrong numbers: one table says what each mistake is, and the
# program, the report, `oscost explain` and the hand-out say what it says.

setup() {
	load ../helpers
	cd "$BATS_TEST_TMPDIR" || exit
	table=$ROOT/bench/cpu/rows.tsv
}

# fields N...: of the table, without the kind.
fields() {
	awk -F '\t' -v OFS='\t' -v want="$*" '$1 == "mistake" {
		n = split(want, f, " ")
		for (i = 1; i <= n; i++)
			printf "%s%s", $(f[i] + 1), i < n ? OFS : "\n" }' "$table"
}

@test "each mistake has a line of nine fields, in the order of the program" {
	run -0 --separate-stderr "$BIN/mistakes" --list
	[[ $(fields 1) == "$(sed -n 's/^mistake=\(.*\),figure=naive$/\1/p' <<<"$output")" ]]
	[[ ${#lines[@]} -eq $((3 * $(fields 1 | wc -l))) ]]
	awk -F '\t' '$1 == "mistake" && (NF != 10 || /\t\t/) { print; bad = 1 }
		END { exit bad }' "$table"
}

@test "the rows that measure them properly exist" {
	local program cases

	while read -r program cases; do
		"$BIN/$program" --list | grep -qxF -- "$cases" || {
			echo "$program has no row $cases"
			return 1
		}
	done < <(fields 3 4)
}

@test "a factor is that of its figures, and says whether this machine shows it" {
	try 0 "$BIN/mistakes" "${QUICK[@]}" --json
	jq -es 'map(select(.status == "failed")) == []' <<<"$output"
	jq -es '
		(map({ (.case): . }) | add) as $row |
		map(select(.params.figure == "factor")) |
		length > 0 and all(
			($row["mistake=\(.params.mistake),figure=naive"]) as $naive |
			($row["mistake=\(.params.mistake),figure=right"]) as $right |
			.evidence as $said |
			if .status == "skipped" then
				($naive.value == null or $right.value == null) and .reason != null
			else
				# Some that are just above, and some just below what is claimed.
				(.value - $naive.value / $right.value | fabs) <=
					1e-9 * (1 + (.value | fabs)) and
				($said.shown_here == "yes") ==
					(($said.claim_at_most != null and .value <= $said.claim_at_most) or
					($said.claim_at_least != null and .value >= $said.claim_at_least))
			end)' <<<"$output"
	# The program claims what the table claims.
	diff <(jq -r 'select(.params.figure == "factor" and .status == "ok") |
		[.params.mistake, .evidence.claim_at_most // "-", .evidence.claim_at_least // "-"] |
		@tsv' <<<"$output") \
		<(fields 1 5 6 | grep -wFf <(jq -r 'select(.params.figure == "factor" and
			.status == "ok") | .params.mistake' <<<"$output"))
}

# What is counted and not timed holds on any machine.
@test "pages are no faults: what the naive program divides by is another number" {
	try 0 "$BIN/mistakes" "${QUICK[@]}" --json --case 'mistake=fault_around,figure=naive'
	jq -e '.evidence.minor_faults.seen < 256 * .evidence.minor_faults.expected' <<<"$output"
}

@test "where the clock is no TSC, its mistakes are skipped with the reason" {
	try 77 "$BIN/mistakes" "${QUICK[@]}" --json --timer clock --case 'mistake=ticks_as_cycles,*'
	jq -es 'length == 3 and all(.status == "skipped") and
		(.[0].reason | contains("not the TSC")) and
		(.[2].reason | contains("has no value"))' <<<"$output"
}

@test "the report's page has the figures, the texts and who measures it properly" {
	local id title text

	"$ROOT/scripts/run-all" --bin "$BIN" --only 'mistakes syscall' --rounds 1 --effort 5 --out out
	while IFS=$'\t' read -r id title text; do
		grep -F "| $title |" out/report.md
		grep -F "${text:0:40}" out/report.md
	done < <(fields 1 2 7)
	# The proper figure may be below the resolution.
	grep -E '^\| Single shot \|.*\| (&lt; )?[0-9.]+ .s \| syscall: ' out/report.md
	grep -F 'id="program-mistakes"' out/report.html
}

@test "oscost explains one mistake, and all of them" {
	local text

	mkdir tree
	cp -r "$ROOT/scripts" tree/
	ln -s "$BIN" tree/bin
	ln -s "$ROOT/bench" "$ROOT/monitor" tree/
	run -0 --separate-stderr tree/scripts/oscost explain mistakes round_trip
	for text in "A round trip counted as one switch" "at least 2 times the right figure" \
		"--case $(fields 1 4 | sed -n 's/^round_trip\t//p')"; do
		[[ $output == *"$text"* ]]
	done
	[[ $output != *"Single shot"* ]]
	run -0 --separate-stderr tree/scripts/oscost explain mistakes
	[[ $(grep -c '^  Properly: ' <<<"$output") -eq $(fields 1 | wc -l) ]]
}

@test "the hand-out's table is that of the program" {
	local doc=$ROOT/docs/teaching.md

	diff <(sed -n '/<!-- mistakes: begin -->/,/<!-- mistakes: end -->/p' "$doc" |
		sed '1,3d; $d') \
		<(awk -F '\t' '$1 == "mistake" {
			printf "| %s (`%s`) | %s | %s | %s |\n", $3, $2, $8, $9, $10 }' "$table")
	# As many answers as questions.
	[[ $(sed -n '/^## Questions/,/^## Answers/p' "$doc" | grep -c '^[0-9]*\. ') -eq \
		$(sed -n '/^## Answers/,/^## For/p' "$doc" | grep -c '^[0-9]*\. ') ]]
}

@test "crosscheck-mistakes compares with the other programs" {
	run -0 "$ROOT/tests/crosscheck/mistakes" --bin "$BIN" --rounds 1 --only removed
	# shellcheck disable=SC2016 # no expansion is meant
	[[ ${lines[2]} == '| `removed` | '*' ns | '*' | `arith type='* ]]
	run -2 "$ROOT/tests/crosscheck/mistakes" --rounds none
	run -2 "$ROOT/tests/crosscheck/mistakes" --bin "$BIN" --only nosuch
}
