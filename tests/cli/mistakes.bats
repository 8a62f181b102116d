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

@test "each mistake has a line of eleven fields, in the order of the program" {
	run -0 --separate-stderr "$BIN/mistakes" --list
	[[ $(fields 3 4 | sed -n 's/^mistakes\t//p') == "$output" ]]
	awk -F '\t' '$1 == "mistake" && (NF != 12 || /\t\t/) { print; bad = 1 }
		END { exit bad }' "$table"
}

@test "the rows that measure them properly exist" {
	local program cases

	while read -r program cases; do
		"$BIN/$program" --list | grep -qxF -- "$cases" || {
			echo "$program has no row $cases"
			return 1
		}
	done < <(fields 5 6)
}

# A result that is counted and not timed holds on any machine.
@test "pages are no faults: what the naive program divides by is another number" {
	try 0 "$BIN/mistakes" "${QUICK[@]}" --json --case 'mistake=fault_around,stat=naive'
	jq -e '.evidence.minor_faults.seen < 256 * .evidence.minor_faults.expected' <<<"$output"
}

@test "where the clock is no TSC, its mistakes are skipped with the reason" {
	try 77 "$BIN/mistakes" "${QUICK[@]}" --json --timer clock --case 'mistake=ticks_as_cycles,stat=naive'
	jq -e '.status == "skipped" and (.reason | contains("not the TSC"))' <<<"$output"
}

@test "the report's page has the figures, the texts and who measures it properly" {
	local id title text

	"$ROOT/scripts/run-all" --bin "$BIN" --only 'mistakes syscall arith' --rounds 1 --effort 5 --out out
	# Figures of our own: right ones of 4 ns and 2 cycles.
	jq -c 'if .benchmark != "mistakes" then .value = 4 | .core_hz = 5e8 | .status = "ok" | .reason = null
		elif .status == "ok" then .value = ({ single_shot: 8.4, unfenced: 3,
			ticks_as_cycles: 2.05 }[.params.mistake] // 1) else . end' out/invocations.jsonl >rows
	mv rows out/invocations.jsonl
	"$BIN/report" make out
	while IFS=$'\t' read -r id title text; do
		grep -F "| $title |" out/report.md
		grep -F "${text:0:40}" out/report.md
	done < <(fields 1 2 9)
	grep -E '^\| Single shot \| 8.4.* ns \| 4.* ns \| 2.1 x \| [^|]*\| yes \| syscall: ' out/report.md
	grep -E '^\| RDTSC without fences \| 3.* ns \| 4.* ns \| 0.75 x \| [^|]*\| yes \| arith: ' out/report.md
	grep -E '^\| Ticks called cycles \| 2.05 cycles \| 2 cycles \| 1.02 x \| [^|]*\| no \| arith: ' out/report.md
	# Its naive program is a row of arith.
	grep -E '^\| Replication for a single instance \| 4.* ns \| 4.* ns \| 1 x \| [^|]*\| no \| arith: ' out/report.md
	grep -E '^\| Pages taken for faults \|.*\| not measured \|.*\| page.*fault: ' out/report.md
	grep -F 'id="program-mistakes"' out/report.html
}

@test "oscost explains one mistake, and all of them" {
	local text

	mkdir tree
	cp -r "$ROOT/scripts" tree/
	ln -s "$BIN" tree/bin
	ln -s "$ROOT/bench" "$ROOT/monitor" tree/
	run -0 --separate-stderr tree/scripts/oscost explain mistakes clock_step
	for text in "The clock's step" "Claimed: at most 0.8 or at least 1.2 times the right figure" \
		"--case $(fields 1 6 | sed -n 's/^clock_step\t//p')"; do
		[[ $output == *"$text"* ]]
	done
	[[ $output != *"Single shot"* ]]
	run -0 --separate-stderr tree/scripts/oscost explain mistakes
	[[ $(grep -c '^  Properly: ' <<<"$output") -eq $(fields 3 | grep -cx mistakes) ]]
	# Where it is a row of another program, there.
	run -0 --separate-stderr tree/scripts/oscost explain context_switch by=pipe place=same_cpu stat=round_trip
	[[ $output == *"A round trip counted as one switch"*"Claimed: at least 2 times the right figure"* ]]
}

@test "the hand-out has a line for each mistake, and an answer for each question" {
	cd "$ROOT"
	diff <(perl scripts/lib/doc-tables.pl docs/teaching.md |
		sed -n 's/^| .* (`\([a-z_]*\)`) | [^|]* | [^|]* | [^|]* |$/\1/p') <(cut -f 2 <(grep '^mistake' "$table"))
	[[ $(sed -n '/^## Questions/,/^## For/p' docs/teaching.md | grep -c '^[0-9]*\. ') -eq \
		$(grep -c '^[0-9]*\. ' docs/answers.md) ]]
}
