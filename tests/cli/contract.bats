#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# measures: real programs, beside which no others shall
#
# What every benchmark program promises, checked on all of them: a new file in
# bench/ is tested here before anyone writes a test for it.

load ../helpers

setup_file() {
	local name

	# One complete run of each, which several tests look at.  Each program is
	# asked for each timing method by the runs of this file together.
	mkdir "$BATS_FILE_TMPDIR"/{full,list}
	awk -f "$ROOT/tests/keys.awk" "$ROOT/docs/results-format.md" |
		jq -Rn '[inputs / "\t" | {key: .[0], value: .[1]}] | from_entries' \
			>"$BATS_FILE_TMPDIR/types.json"
	# The clock's rate is measured once: it would be a quarter of a second in each.
	(unset OSCOST_TSC_HZ && full_run nop) || true
	OSCOST_TSC_HZ=$(jq -s '.[0].tsc_hz // empty' "$BATS_FILE_TMPDIR/full/nop.json")
	export OSCOST_TSC_HZ
	for name in $(benches); do
		[[ $name == nop ]] || full_run "$name" || true
	done
}

# full_run NAME: leaves full/NAME.{json,err,left,status} and list/NAME.
full_run() {
	local stem=$BATS_FILE_TMPDIR/full/$1

	"$BIN/$1" --list >"$BATS_FILE_TMPDIR/list/$1" 2>"$stem.list-err" || true
	timeout -k 5 "$PATIENCE_S" "$ROOT/tests/sealed" "$stem.left" \
		"$BIN/$1" "${QUICK[@]}" --timer lfence --json >"$stem.json" 2>"$stem.err" &&
		echo 0 >"$stem.status" || echo "$?" >"$stem.status"
}

setup() {
	full=$BATS_FILE_TMPDIR/full list=$BATS_FILE_TMPDIR/list
	# It has been listed before.
	# shellcheck disable=SC2317 # the checks call it
	first_case() { sed -n 1p "$list/$1"; }
	cd "$BATS_TEST_TMPDIR" || exit
}

source_of() {
	find "$ROOT"/bench/* "$ROOT/monitor" -maxdepth 1 -name "$1.c" | head -n 1
}

# The comment that opens the source, its lines without indentation.
opening_comment() {
	sed -n '/^\/\*$/,/^ \*\//p' "$(source_of "$1")" |
		sed '/^ \*\//q' | sed '/^\/\*$/d; /^ \*\//d; s/^ \*[[:space:]]*//'
}

help_tells_about_it() {
	local line

	try 0 "$BIN/$1" --help || return
	[[ ${lines[0]} == "usage: $1 "* && -z $stderr ]] || return
	[[ -n $(opening_comment "$1") ]] || return
	while IFS= read -r line; do
		[[ $output == *"$line"* ]] || {
			printf '%s\n' "--help does not say: $line"
			return 1
		}
	done < <(opening_comment "$1")
	for line in Measures Includes After Needs; do
		[[ $output == *"$line:"* ]] || return
	done
	[[ $output == *--case* && $output == *--invocations* ]] || return
	# Each name and each letter of an option is there once.
	[[ -z $(sed -nE 's/^  (-.,|   ) (--[^ ]+).*/\1\n\2/p' <<<"$output" | grep -v '^ ' | sort | uniq -d) ]]
}

@test "--help names the program and shows what its source says of it" {
	each_bench help_tells_about_it
}

describes_itself() {
	try 0 "$BIN/$1" --describe || return
	jq -e --arg name "$1" '.name == $name and
		([.summary, .measures, .includes, .after, .needs]
		 | map(type == "string" and . != "") | all)' <<<"$output" >/dev/null
}

@test "--describe says what it measures, as JSON" {
	each_bench describes_itself
}

tells_version() {
	try 0 "$BIN/$1" --version || return
	[[ $output == "$1 "*[0-9]* ]]
}

@test "--version" {
	each_bench tells_version
}

# refuses MESSAGE NAME OPTION...: misuse is one line on stderr, and exit 2.
refuses() {
	local message=$1 name=$2

	shift 2
	try 2 "$BIN/$name" "$@" || return
	[[ -z $output ]] || return
	says "$name: $message"
}

# open_axes NAME: axis, least, most and step, in bytes, of those that take other
# numbers.
open_axes() {
	"$BIN/$1" --help | sed -n '/^Other numbers/,/^$/s/^  //p' |
		tr ';' '\n' | sed 's/^ //; s/ from / /; s/ to / /; s/ in steps of / /' |
		numfmt --from=iec --field=2- --invalid=ignore --delimiter=' ' |
		tr -s ' '
}

takes_other_numbers() {
	local axis least most step number
	local -a pick

	while read -r axis least most step; do
		pick=()
		for number in "$most" "$least" $((least + 7 * ${step:-1})); do
			try 0 "$BIN/$1" --list --case "$axis=$number" || return
			[[ $number == "$most" ]] || pick+=(--case "${lines[0]}" --case "${lines[-1]}")
		done
		for number in $((most + ${step:-1})) many '' -1 99999999999999999999; do
			refuses "*'$axis=$number'*matches no case*$axis from *" "$1" \
				--case "$axis=$number" || return
		done
		[[ -z $step ]] || refuses "*in steps of*" "$1" --case "$axis=$((least + 1))" || return
		# Its evidence holds there.
		try '0|77' "$BIN/$1" "${QUICK[@]}" "${pick[@]}" || return
	done < <(open_axes "$1")
}

@test "an open axis takes every number of its range, and no other" {
	each_bench takes_other_numbers
	# Or nothing was looked at.
	[[ ! -x $BIN/poll ]] || [[ $(open_axes poll) == fds* ]]
}

absent_cpu() {
	local cpus

	cpus=$(sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' /proc/self/status)
	refuses "--cpu 999: *($cpus)*" "$1" --cpu 999
}

@test "an absent CPU is refused, and the usable ones are named" {
	each_bench absent_cpu
}

# misuse NAME N: the Nth way, for the parser is the same in all.
misuse() {
	case $2 in
	0) refuses "--cpu takes 0 to 65535, not 'one'*" "$1" --cpu one ;;
	1) refuses "--cpu takes 0 to 65535, not '-1'*" "$1" --cpu -1 ;;
	2) refuses "--invocations takes 1 to 10000, not '0'*" "$1" --invocations 0 ;;
	3) refuses "--effort takes 1 to 10000, not '5x'*" "$1" --effort 5x ;;
	4) refuses "--seed: needs a value*" "$1" --seed ;;
	5) refuses "*operand*" "$1" operand ;;
	6) refuses "--timer sundial: *lfence*" "$1" --timer sundial ;;
	7) refuses "--dir /no/such: *" "$1" --dir /no/such ;;
	8) refuses "*--json*--csv*" "$1" --json --csv ;;
	9) refuses "--no-such-option: *try --help*" "$1" --no-such-option ;;
	10) refuses "*'no=such'*matches no case*" "$1" --case no=such ;;
	esac
}

@test "misuse is refused by each in one of the ways" {
	local name n=0

	for name in $(benches); do
		misuse "$name" $((n++ % 11))
	done
	((n >= 6))
}

ended_well() {
	local status

	status=$(<"$full/$1.status")
	case $status in
	0) return 0 ;;
	77) [[ -s $full/$1.err ]] && return ;;
	esac
	echo "status $status"
	cat "$full/$1.err"
	return 1
}

@test "a complete run measures, or says why it cannot" {
	each_bench ended_well
}

keeps_the_format() {
	local wrong

	wrong=$(jq -rs --arg name "$1" --slurpfile documented \
		"$BATS_FILE_TMPDIR/types.json" "\$documented[0] as \$types |
		$(<"$ROOT/tests/rows.jq")" "$full/$1.json" 2>&1) || wrong+=" (jq)"
	[[ -z $wrong ]] && return
	head -n 20 <<<"$wrong"
	return 1
}

@test "--json: all keys of docs/results-format.md, and no others" {
	each_bench keeps_the_format
}

lists_what_it_measures() {
	[[ -s $list/$1 && ! -s $full/$1.list-err ]] || return
	diff <(sort "$list/$1") <(jq -r .case "$full/$1.json" | sort) &&
		[[ -z $(sort "$list/$1" | uniq -d) ]]
}

@test "every case of --list has exactly one row" {
	each_bench lists_what_it_measures
}

left_nothing() {
	[[ ! -s $full/$1.left ]] && return
	cat "$full/$1.left"
	return 1
}

@test "nothing is left behind: files, shared memory, IPC, processes" {
	each_bench left_nothing
}

csv_is_whole() {
	local pick

	pick=$(first_case "$1")
	try '0|77' "$BIN/$1" "${QUICK[@]}" --csv --timer cpuid --case "$pick" || return
	[[ ${#lines[@]} -ge 2 && ${lines[0]} == schema,benchmark,case,*,timer,* ]] || return
	# Without RDTSCP the row is skipped, and has no method.
	[[ ${lines[1]} == "2,$1,"*"$pick"*,cpuid,* || ${lines[1]} == "2,$1,"*"$pick"*,skipped,*RDTSCP* ]]
}

@test "--csv is a header and rows" {
	each_bench csv_is_whole
}

# A long name is folded at its commas.
table_is_readable() {
	local pick term

	pick=$(first_case "$1")
	try '0|77' "$BIN/$1" "${QUICK[@]}" --timer cpuid2 --case "$pick" || return
	[[ $output == *"timer cpuid2, "* || $status -eq 77 ]] || return
	for term in ${pick//,/ }; do
		[[ $output == *"$term"* ]] || return
	done
	[[ $output != *' nan '* && $output != *' inf '* ]]
}

@test "without an option it prints a table for people" {
	each_bench table_is_readable
}

takes_round() {
	try '0|77' "$BIN/$1" "${QUICK[@]}" --json --case "$(first_case "$1")" \
		--timer none --round 3 || return
	[[ $status -eq 77 ]] || rows 'length >= 1 and
		all(.timer == "none" and .round == 3)'
}

@test "a round is handed through" {
	each_bench takes_round
}

# Noise may have one of the two skip a row that the other has.
aggregates() {
	try '0|77' "$BIN/$1" --effort 1 --invocations 2 --json --seed 7 \
		--timer lfence2 --case "$(first_case "$1")" || return
	[[ $status -eq 77 ]] || rows 'length >= 1 and all(.ci95 == null and .round == null and
		.seed == 7 and .timer == "lfence2" and (.n | IN(1, 2)))'
}

@test "two invocations make one row without an interval" {
	each_bench aggregates
}

runs_on_one_cpu() {
	local cpu pick

	cpu=$(usable_cpus | head -n 1)
	# Which cases there are may depend on the CPUs.
	pick=$(taskset -c "$cpu" "$BIN/$1" --list | sed -n 1p)
	try '0|77' taskset -c "$cpu" "$BIN/$1" "${QUICK[@]}" --json --timer clock \
		${pick:+--case "$pick"} || return
	[[ $status -eq 77 && -n $stderr ]] ||
		rows 'all(.cpu == $cpu and .timer == "clock")' --argjson cpu "$cpu"
}

@test "it works, or says why not, where it may use one CPU only" {
	each_bench runs_on_one_cpu
}

never_measures_an_invention() {
	try 1 env HWLOC_SYNTHETIC="pack:1 core:4 pu:2" "$BIN/$1" "${QUICK[@]}" \
		--json || return
	[[ $stderr == *"invented machine"* ]] || return
	[[ -z $output ]] || rows 'all(.status != "ok" and .value == null)'
}

@test "an invented machine is never measured" {
	each_bench never_measures_an_invention
}

# hwloc that swears to 64 CPUs which are not there.
survives_a_lie() {
	[[ $(nproc --all) -lt 64 ]] || return 0
	try '1|2' env HWLOC_SYNTHETIC="pack:1 core:64 pu:1" HWLOC_THISSYSTEM=1 \
		"$BIN/$1" "${QUICK[@]}" --json --cpu 63 || return
	[[ $stderr == *63* ]] || return
	[[ -z $output ]] || rows 'all(.value == null)'
}

@test "a machine that hwloc invents against better knowledge is not either" {
	each_bench survives_a_lie
}

tells_a_full_disk() {
	local pick

	pick=$(first_case "$1")
	run --separate-stderr bash -c '"$@" >/dev/full' _ "$BIN/$1" "${QUICK[@]}" \
		--json --case "$pick"
	[[ $status -eq 1 && $stderr == *write* ]]
}

@test "results that cannot be written are an error" {
	each_bench tells_a_full_disk
}

stops_cleanly() {
	# What cannot be measured here is over before it can be stopped.
	[[ $(<"$full/$1.status") != 77 ]] || return 0
	SEAL=(--signal INT --group)
	try_sealed 130 "$BIN/$1" --invocations 10000 || return
	SEAL=(--signal TERM)
	try_sealed 143 "$BIN/$1" --invocations 10000 --json || return
	[[ $stderr == *stopped* ]]
}

# side_by_side CHECK: each_bench, four programs at a time: for those that wait
# more than they run.  What is left behind is told apart for root only.
side_by_side() {
	local name

	((EUID == 0)) || {
		each_bench "$1"
		return
	}
	for name in $(benches); do
		while (($(jobs -rp | wc -l) >= 4)); do
			wait -n || true
		done
		mkdir "$name"
		{
			BATS_TEST_TMPDIR=$PWD/$name
			"$1" "$name" && rm -r "$name"
		} >"$name/said" 2>&1 3>&- &
	done
	wait
	tail -n +1 ./*/said 2>/dev/null && return 1
	return 0
}

@test "SIGINT and SIGTERM end it at once, and nothing is left behind" {
	side_by_side stops_cleanly
}
