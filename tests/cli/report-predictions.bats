#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Predictions and the coursework table, from frozen results.

setup() {
	load ../helpers
	report_setup .
}

make_report() { "$report" make --root "$ROOT" --no-plots "$@"; }

predict() {
	printf '[syscall]\nbase = 40 ns\nsoftware = 10 ns\nwhy = <b>two traps\n' \
		>small/predictions.ini
}

@test "the template has every operation and can be read back" {
	machine_says=$(perl "$ROOT/scripts/lib/describe.pl")
	run -0 --separate-stderr "$report" predictions --root "$ROOT"
	output=$machine_says$'\n'$output
	[[ $(grep -c '^\[' <<<"$output") -eq \
		$(($(row_lines course | wc -l) + 1)) ]]
	grep -q '^#   processor: ' <<<"$output"
	grep -q '^\[page_fault_byte\]' <<<"$output"
	run ! grep -E '^(base|software|predicted) = *[0-9]' <<<"$output"
	printf '%s\n' "$output" >mine.ini
	run -0 --separate-stderr "$report" predictions --root "$ROOT" mine.ini
	[[ $output == *" 0 of "*" 0 lines cannot be used" ]]
}

@test "a line that cannot be read: file, line, what was expected" {
	printf '[syscall]\nbase = soon\n' >mine.ini
	run -1 --separate-stderr "$report" predictions --root "$ROOT" mine.ini
	[[ $stderr == *"mine.ini:2: base = soon: expected a number and a unit"* ]]
	# Half a sum is no prediction.
	printf '[syscall]\nbase = 100 cycels\nsoftware = 20 ns\n' >mine.ini
	run -1 --separate-stderr "$report" predictions --root "$ROOT" mine.ini
	[[ $output == *": 0 of "* ]]
	answers 1 "nowhere.ini: No such file" "$report" predictions --root "$ROOT" nowhere.ini
}

@test "without predictions there is the table, and how to make them" {
	run -0 --separate-stderr make_report --root "$PWD" small
	grep -q 'rows.tsv: No such file' small/report.md
	mkdir -p here/bench here/monitor
	cp -r "$ROOT"/plots here
	for name in cpu task memory net file; do
		install -D "$ROOT/bench/$name/rows.tsv" "here/bench/$name/rows.tsv"
	done
	run -0 --separate-stderr "$report" make --no-plots --root here small
	grep -q 'There are no predictions: .*make predictions' small/report.md
	grep -q '54.7408 ns' small/report.html
	grep -q '| not measured |' small/report.md
}

@test "predicted and measured stand side by side" {
	predict
	run -0 --separate-stderr make_report small
	grep -q '40.0 ns | 10.0 ns | 50.0 ns | ' small/report.md
	grep -q '&lt;b&gt;two traps' small/report.html
}

@test "coursework prints the table" {
	predict
	run -0 --separate-stderr "$report" coursework --root "$ROOT" small
	[[ $output == *"measured / predicted"* && $output == *"28.317 µs"* ]]
	run -2 --separate-stderr "$report" coursework
}

@test "run-all keeps the predictions as they were when it began" {
	predict
	touch -d 2026-01-01 small/predictions.ini
	mkdir results
	run -0 bash -euc 'out=$1
		record_full() { exit 9; }
		source "$0/scripts/lib/record.bash"
		record_predictions nowhere.ini
		[[ ! -e $out/predictions.ini ]]
		record_predictions small/predictions.ini' "$ROOT" results
	cmp small/predictions.ini results/predictions.ini
	[[ ! small/predictions.ini -nt results/predictions.ini ]]
	printf '[loop]\npredicted = 777 ns\n' >predictions.ini
	cp results/predictions.ini small
	mkdir -p here
	ln -s "$ROOT/bench" here/bench
	mv predictions.ini here
	run -0 --separate-stderr "$report" coursework --root here small
	[[ $output == *"50.0 ns"* && $output != *"777 ns"* ]]
}
