#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# scripts/load-plot: the load of each core against time.

load ../helpers

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	command -v gnuplot >/dev/null || skip "no gnuplot"
	PLOT=$ROOT/scripts/load-plot
}

# csv LINES: a file of cpu_load with "t interval cpu os core" a line.
csv() {
	{
		echo 'time,t_s,interval_s,late,cpu,state,os_load_pct,os_resolution_pct,core_load_pct'
		awk '{ gsub(/-/, ""); print "x," $1 "," $2 ",0," $3 ",ok," $4 "," 2 / $2 "," $5 }' FS='\t'
	} >run.csv
}

@test "both figures: values hold for the interval before, a gap stays one" {
	csv <<-'EOT'
		1	1	0	100	25
		2	1	0	50	50
		3	1	0	-	-
		4	1	0	-	-
		5	1	0	10	5
	EOT
	try 0 "$PLOT" run.csv
	[[ -s plots/cpu_load-system.svg && -s plots/cpu_load-system.pdf ]]
	[[ -s plots/cpu_load-processor.svg && -s plots/cpu_load-processor.pdf ]]
	diff - plots/cpu_load-system.dat <<-'EOT'
		# 0
		1 0 100 NaN NaN ""
		1 1 100 NaN NaN ""
		1 2 50 NaN NaN ""

		1 4 10 NaN NaN ""
		1 5 10 NaN NaN ""


	EOT
}

@test "without counters there is one figure, and it is said" {
	csv <<-'EOT'
		1	1	0	100	-
	EOT
	try 0 "$PLOT" run.csv
	says '*unknown (no counters)*'
	[[ -s plots/cpu_load-system.svg && ! -e plots/cpu_load-processor.svg ]]
}

@test "what is too short for the system's clock is not drawn" {
	csv <<-'EOT'
		0.002	0.002	0	100	40
	EOT
	try 0 "$PLOT" run.csv
	says '*too short to be drawn*'
	[[ ! -e plots/cpu_load-system.svg && -s plots/cpu_load-processor.svg ]]
}

@test "of many cores the busiest 8 are drawn" {
	for cpu in {0..63}; do
		printf '1\t1\t%s\t%s\t-\n' "$cpu" "$cpu"
	done | csv
	try 0 "$PLOT" run.csv
	[[ $(grep '^#' plots/cpu_load-system.dat | tr -d '\n') == "# 56# 57# 58# 59# 60# 61# 62# 63" ]]
	[[ -s plots/cpu_load-system.svg ]]
}

@test "what is no recording is refused" {
	try 2 "$PLOT"
	try 2 "$PLOT" nowhere.csv
	echo 'a,b' >other.csv
	try 1 "$PLOT" other.csv
	says '*not a CSV of cpu_load'
	csv </dev/null
	answers 1 "nothing is known" "$PLOT" run.csv
}

@test "what cpu_load writes can be drawn" {
	try 0 "$BIN/cpu_load" --interval 100ms --duration 300ms --output run.csv
	try 0 "$PLOT" run.csv
	[[ -s plots/cpu_load-system.svg ]]
}
