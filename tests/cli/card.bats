#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The card: the rows that people quote, in words, before all else.

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

# card_run: a results directory with a row for each entry, once for each of six
# rounds; the third is skipped, the fourth has failed.
card_run() {
	mkdir run
	cp "$ROOT"/tests/fixtures/results/small/{machine,run,noise}.json* run
	printf '[]\n' >run/about.json
	each_entry | jq -Rnc '[inputs / "\t"] | unique_by(.[0] | tonumber) as $entries |
		range(1; 7) as $round | $entries[] | (.[0] | tonumber) as $number |
		{schema: 2, benchmark: .[2], case: (.[3] | gsub("\\*"; "1")), status: "ok",
		 tier: "core", unit: "ns", better: "lower", n: 1, samples: 9, iters: 1,
		 round: $round, value: (10000 + 100 * ($round * 3 % 7))}
		| if $number == 3 then .status = "skipped" | .value = null
			| .reason = "no such call: " + ("long " * 40)
		elif $number == 4 then .status = "failed" | .value = null
			| .reason = "children: expected 1, seen 0" else . end' >run/invocations.jsonl
}

# That each pattern names a row is in rows.bats.
@test "there are 20 to 26 entries, with short names, each once" {
	[[ $(grep -vc '^#' "$entries") -ge 20 && $(grep -vc '^#' "$entries") -le 26 ]]
	run ! awk -F '\t' '!/^#/ && (NF != 4 || length($1) > 34 || $1 ~ /=/ ||
		seen[$1]++ || seen[$2 " " $3]++) { print; bad = 1 } END { exit !bad }' "$entries"
}

@test "the console has at most 30 lines of at most 80 columns" {
	card_run
	jq '.cpu.model = "Intel(R) Xeon(R) Platinum 8375C CPU @ 2.90GHz of a long name"' run/machine.json >with
	mv with run/machine.json
	run -0 --separate-stderr "$report" make --no-plots --root "$ROOT" run
	[[ ${#lines[@]} -le 30 ]]
	[[ ${lines[0]} == "Linux "*" CPUs of Intel(R) Xeon"* ]]
	[[ ${lines[1]} =~ ^grade\ B:\ ([0-9]+)\ of\ ([0-9]+)\ core\ rows\ would\ be\ within\ 5\ %\ in\ another\ run\ like\ this$ ]]
	[[ ${lines[2]} =~ ^operation\ +value\ +95\ %\ interval\ +grade$ ]]
	for line in "${lines[@]}"; do
		[[ ${#line} -le 80 ]]
	done
	[[ $(grep -c ' 10.3 µs  *10\.[12]0 – 10\.[56]0 µs  B$' <<<"$output") -eq $(($(grep -vc '^#' "$entries") - 2)) ]]
	# Those without a value stand last and say why.
	[[ ${lines[-3]} == *": skipped: no such call: long long"*"…" ]]
	[[ ${lines[-2]} == *": failed: children: expected 1, seen 0" ]]
	[[ $output == *"L1 latency, 32 KiB "* ]]
}

@test "times come in the order of their size, then bandwidths" {
	card_run
	jq -c 'if .value == null then . elif .benchmark == "tcp_bandwidth" then .unit = "B/s" | .value *= 1e5
		elif .benchmark == "mem_bandwidth" then .unit = "B/s"
		elif .benchmark == "process" then .value *= 100
		elif .benchmark == "procedure" then .value = 10300
		elif .benchmark == "signal" then .status = "below_resolution" | .value = null | .resolution = 0.5
		else . end' run/invocations.jsonl >with
	mv with run/invocations.jsonl
	run -0 --separate-stderr "$report" card --root "$ROOT" run
	[[ -z $stderr ]]
	grep -q ' 10.3 µs  *10.30 µs in all  A$' <<<"$output"
	[[ ${lines[3]} =~ ^Signal\ to\ itself,\ caught\ +\<\ 0.500\ ns ]]
	awk -F '  +' '{ print $2 }' <<<"$output" | awk '/^[0-9<]/ { print $NF }' | uniq >units
	[[ $(tr '\n' ' ' <units) == "ns µs ms kB/s GB/s " ]]
	[[ ${lines[-1]} == *"failed: "* ]]
}

@test "an earlier run lowers the grade of rows that it had elsewhere, one of another machine does not" {
	card_run
	cp -r run before
	jq '.started_at = "2025-12-31T00:00:00Z"' run/run.json >before/run.json
	jq -c 'if .value then .value *= 1.2 else . end' run/invocations.jsonl >before/invocations.jsonl
	run -0 "$report" make --no-plots --root "$ROOT" before
	[[ ${lines[1]} == "grade B: "* ]]
	run -0 "$report" card --root "$ROOT" run
	[[ ${lines[1]} == "grade D: only 0 of "*" core rows would be within 10 % in another run like this" ]]
	run -0 "$report" make --no-plots --root "$ROOT" run
	grep -q 'earlier runs of this machine lay up to 20 % away' run/report.md
	grep -qF '| Fork, exit and wait | 10.3 µs | 10.10 – 10.60 µs | D | 12.42 µs (1) |' run/report.md
	jq '.hostname = "another"' run/machine.json >before/machine.json
	run -0 "$report" card --root "$ROOT" run
	[[ ${lines[1]} == "grade B: "* ]]
}

@test "report card writes nothing, and says when there is nothing to read" {
	card_run
	cp -r run before
	run -0 "$report" card --root "$ROOT" run
	diff -r before run
	mkdir none
	run -1 --separate-stderr "$report" card --root "$ROOT" none
	[[ -z $output && $(wc -l <<<"$stderr") -eq 1 && $stderr == *none* ]]
}

@test "the picture names the machine and leaves out what has no value" {
	command -v gnuplot >/dev/null || skip "no gnuplot"
	card_run
	run -0 "$report" make --root "$ROOT" run
	[[ $(grep -c '"10.3 µs["( ]' run/plots/card.dat) -eq $(($(grep -vc '^#' "$entries") - 2)) ]]
	grep -F "$(jq -r .cpu.model run/machine.json)" run/plots/card.svg
	grep -F 'Signal to itself, caught' run/plots/card.svg
	run ! grep -F "$(sed -n 3p "$entries" | cut -f 1)" run/plots/card.svg
	if command -v xmllint >/dev/null; then
		xmllint --noout run/plots/card.svg
	else
		python3 -c 'import sys, xml.dom.minidom as d; d.parse(sys.argv[1])' run/plots/card.svg
	fi
	[[ $(stat -c %s run/plots/card.svg) -lt 61440 ]]
	# It is the first picture of the page, and no figure with a number.
	[[ $(grep -n '<figure>' run/report.html | head -n 1 | cut -d: -f1) -lt $(grep -n 'id="warnings"' run/report.html | cut -d: -f1) ]]
	grep -F '](plots/card.svg)' run/report.md
}

@test "the profile card runs the rows of the card alone" {
	run -0 bash -c '
		source "$ROOT/scripts/lib/log.bash"
		source "$ROOT/scripts/lib/plan.bash"
		root=$ROOT
		peer_plan() { :; }
		plan_read_suite "" run
		plan_core "" card
		for i in "${!plan_ids[@]}"; do
			read -ra args <<<"${plan_args[i]}"
			"$BIN/${plan_programs[i]}" --list "${args[@]}" | sed "s/^/${plan_programs[i]} /"
		done'
	[[ $(wc -l <<<"$output") -ge $(($(wc -l <"$entries") - 3)) ]]
	[[ $(wc -l <<<"$output") -le $(wc -l <"$entries") ]]
	[[ $output == *"syscall op=getpid,by=int80"* ]]
}

@test "a page begins with it, and warnings come once, behind it" {
	card_run
	run -0 "$report" make --no-plots --root "$ROOT" run
	for page in run/report.md run/report.html; do
		first=$(grep -n 'id="card"' "$page" | cut -d: -f1)
		second=$(grep -n 'id="warnings"' "$page" | cut -d: -f1)
		[[ $first -lt $second ]]
		[[ $(grep -n '<h2\|^## ' "$page" | head -n 1) == *"Card"* ]]
		sed -n "/<body>/,\$p; /^# /,\$p" "$page" | sed '/id="warnings"/,$d' >before
		run ! grep -i 'warning\|class="warn"' before
		[[ $(grep -c 'rows\? failed (first: ' "$page") -eq 1 ]]
		grep -q 'Grade B: [0-9]* of [0-9]* core rows would be within 5 % in another run like this' "$page"
	done
	grep -q '^| System call (getppid): no such call: long long .*… | skipped |  |  |$' run/report.md
}

@test "what is not part of a run is said" {
	card_run
	jq '.plan = [] | .programs = []' run/run.json >without
	mv without run/run.json
	sed -i '/"syscall"/d; s/"args=0,by=direct"/"args=1,by=direct"/' run/invocations.jsonl
	run -0 "$report" show --root "$ROOT" run
	# A program that was not to run is none of it.
	[[ $output != *"System call (getppid)"* ]]
	[[ $output == *"Procedure call, no arguments: no row: not part of this run"* ]]
	mkdir empty
	run -0 --separate-stderr "$report" make --no-plots --root empty run
	[[ $output == *"This run has no operation of the card."* ]]
	grep -F 'rows.tsv: No such file' run/report.md
}
