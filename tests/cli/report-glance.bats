#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# "At a glance" of the report: few rows, in words, before all else.

setup() {
	load ../helpers
	report_setup
	entries=$BATS_TEST_TMPDIR/entries
	row_lines core | awk -F '\t' -v OFS='\t' '$3 != "-" { print $3, $1, $2, $4 }' >"$entries"
}

# each_entry: number, words, program and pattern, one line for each pattern.
each_entry() {
	awk -F '\t' '!/^#/ { e++; n = split($3, p, " ")
		for (i = 1; i <= n; i++) printf "%d\t%s\t%s\t%s\n", e, $1, $2, p[i] }' "$entries"
}

# glance: a results directory with a row for each entry, once for each of six
# rounds; the third is skipped, the fourth has failed.
glance() {
	local round number words program pattern last

	mkdir run
	cp "$ROOT"/tests/fixtures/results/small/{machine,run,noise}.json* run
	printf '[]\n' >run/about.json
	for round in {1..6}; do
		last=0
		while IFS=$'\t' read -r number words program pattern; do
			[[ $number != "$last" ]] || continue
			last=$number
			jq -nc --arg program "$program" --arg case "${pattern//\*/1}" \
				--argjson round "$round" --argjson number "$number" '
				{schema: 2, benchmark: $program, case: $case, status: "ok",
				 unit: "ns", better: "lower", n: 1, samples: 9, iters: 1,
				 round: $round, grade: "A", value: (10000 + 100 * ($round * 3 % 7))}
				| if $number == 3 then .status = "skipped" | .value = null
					| .reason = "no such call: " + ("long " * 40)
				elif $number == 4 then .status = "failed" | .value = null
					| .reason = "children: expected 1, seen 0" else . end'
		done < <(each_entry)
	done >run/invocations.jsonl
}

@test "each entry names rows that its program has" {
	local number words program pattern case hits

	[[ $(grep -vc '^#' "$entries") -ge 20 && $(grep -vc '^#' "$entries") -le 26 ]]
	run ! awk -F '\t' '!/^#/ && (NF != 4 || length($1) > 34 || $1 ~ /=/ ||
		seen[$1]++ || seen[$2 " " $3]++) { print; bad = 1 } END { exit !bad }' "$entries"
	cp "$ROOT/tests/fixtures/row-names.txt" sample # of another machine
	[[ -s sample ]]
	declare -A found=()
	while IFS=$'\t' read -r number words program pattern; do
		hits=0
		while read -r case; do
			# shellcheck disable=SC2053 # a pattern
			[[ $case != $pattern ]] || hits=$((hits + 1))
		done < <({ "$BIN/$program" --list 2>/dev/null
			sed -n "s/^$program //p" sample; } | sort -u)
		found[$number]=$((${found[$number]:-0} + hits))
		# What the machine does not decide is one row.
		[[ $pattern == *'*'* || $hits -le 1 ]]
	done < <(each_entry)
	for number in "${!found[@]}"; do
		[[ ${found[$number]} -ge 1 ]] || {
			echo "matches nothing: $(grep -v '^#' "$entries" | sed -n "${number}p")"
			return 1
		}
	done
}

@test "the console has at most 30 lines of at most 80 columns" {
	glance
	run -0 --separate-stderr "$report" make --no-plots --root "$ROOT" run
	[[ ${#lines[@]} -le 30 ]]
	[[ ${lines[0]} =~ ^operation\ +value\ +95\ %\ interval\ +grade$ ]]
	for line in "${lines[@]}"; do
		[[ ${#line} -le 80 ]]
	done
	[[ $(grep -c ' 10.3 µs  *10\.[12]0 – 10\.[56]0 µs  A$' <<<"$output") -eq $(($(grep -vc '^#' "$entries") - 2)) ]]
	# Those without a value say why.
	[[ ${lines[3]} == *"  skipped: no such call: long long"*"…" ]]
	[[ ${lines[4]} == *"  failed: children: expected 1, seen 0" ]]
	[[ $output == *"noise: grade C on CPU 3, others took 2.1 % of the time: "* ]]
	[[ $output == *"L1 latency, 32 KiB "* ]]
}

@test "of the threads that were tried the most count" {
	glance
	for n in 2 4 16; do
		for round in {1..6}; do
			printf '{"schema": 2, "benchmark": "mem_bandwidth", "case": "kernel=read,isa=best,level=memory,size=1G,threads=%s", "status": "ok", "unit": "B/s", "better": "higher", "value": %se9, "n": 1, "samples": 9, "iters": 1, "round": %s}\n' \
				"$n" "$n" "$round"
		done
	done >>run/invocations.jsonl
	run -0 "$report" summary --root "$ROOT" run
	grep -E '^Memory read, all threads +16.0 GB/s ' <<<"$output"
}

@test "a page begins with it, and warnings come once, behind it" {
	glance
	run -0 "$report" make --no-plots --root "$ROOT" run
	for page in run/report.md run/report.html; do
		first=$(grep -n 'id="headlines"' "$page" | cut -d: -f1)
		second=$(grep -n 'id="warnings"' "$page" | cut -d: -f1)
		[[ $first -lt $second ]]
		[[ $(grep -n '<h2\|^## ' "$page" | head -n 1) == *"At a glance"* ]]
		sed -n "/<body>/,\$p; /^# /,\$p" "$page" | sed '/id="warnings"/,$d' >before
		run ! grep -i 'warning\|class="warn"' before
		[[ $(grep -c 'rows\? failed (first: ' "$page") -eq 1 ]]
		grep -q 'Noise: grade C on CPU 3, others took 2.1 % of the time' "$page"
	done
	grep -q '^| System call (getppid): no such call: long long .*… | skipped |  |  |$' run/report.md
}

@test "what is not part of a run is said" {
	glance
	jq '.plan = [] | .programs = []' run/run.json >without
	mv without run/run.json
	sed -i '/"syscall"/d; s/"args=0,via=direct"/"args=1,via=direct"/' run/invocations.jsonl
	run -0 "$report" summary --root "$ROOT" run
	# A program that was not to run is none of it.
	[[ $output != *"System call (getppid)"* ]]
	[[ $output == *"Procedure call, no arguments "*"no row: not part of this run"* ]]
	mkdir empty
	run -0 --separate-stderr "$report" make --no-plots --root empty run
	[[ $output == *"This run has no operation that is shown at a glance."* ]]
	grep -F 'rows.tsv: No such file' run/report.md
}
