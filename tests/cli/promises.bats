#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# The promises of every benchmark program about its options, and about its output in
# each form, checked on all of them.  contract.bats has their complete runs.

load ../helpers

help_is_whole() {
	local line

	try 0 "$BIN/$1" --help || return
	[[ ${lines[0]} == "usage: $1 "* && -z $stderr ]] || return
	for line in Measures Includes After Needs; do
		[[ $output == *"$line:"* ]] || return
	done
	[[ $output == *--case* && $output == *--rounds* ]] || return
	# Each name and each letter of an option is there once.
	[[ -z $(sed -nE 's/^  (-.,|   ) (--[^ ]+).*/\1\n\2/p' <<<"$output" | grep -v '^ ' | sort | uniq -d) ]]
}

@test "--help names the program, its parts and each option once" {
	each_bench help_is_whole
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

# program_refuses MESSAGE NAME OPTION...: misuse is one line on stderr, and exit 2.
program_refuses() {
	local message=$1 name=$2

	shift 2
	try 2 "$BIN/$name" "$@" || return
	[[ -z $output ]] || return
	says "$name: $message"
}

refuses_other_numbers() {
	local axis least most step number
	local -a no=(many '' -1 99999999999999999999)

	while read -r axis least most step; do
		# One of the words each: one function reads them.
		for number in $((most + ${step:-1})) "${no[axes++ % 4]}"; do
			program_refuses "*'$axis=$number'*matches no case*$axis from *" "$1" \
				--case "$axis=$number" || return
		done
		[[ -z $step ]] || program_refuses "*in steps of*" "$1" --case "$axis=$((least + 1))" || return
	done < <(open_axes "$1")
}

@test "an open axis takes no number outside its range" {
	axes=0
	each_bench refuses_other_numbers
	# Or nothing was looked at.
	[[ ! -x $BIN/poll ]] || ((axes))
}

absent_cpu() {
	local cpus

	cpus=$(sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' /proc/self/status)
	program_refuses "--cpu 999: *($cpus)*" "$1" --cpu 999
}

# misuse NAME N: the Nth way, for the parser is the same in all.
misuse() {
	case $2 in
	0) program_refuses "--cpu takes 0 to 65535, not 'one'*" "$1" --cpu one ;;
	1) program_refuses "--cpu takes 0 to 65535, not '-1'*" "$1" --cpu -1 ;;
	2) program_refuses "--invocations takes 1 to 10000, not '0'*" "$1" --invocations 0 ;;
	3) program_refuses "--effort takes 1 to 10000, not '5x'*" "$1" --effort 5x ;;
	4) program_refuses "--seed: needs a value*" "$1" --seed ;;
	5) program_refuses "*operand*" "$1" operand ;;
	6) program_refuses "--timer clokc: *auto, *clock; did you mean clock[?]*" "$1" --timer clokc ;;
	7) program_refuses "--dir /no/such: *" "$1" --dir /no/such ;;
	8) program_refuses "*--json*--csv*" "$1" --json --csv ;;
	9) program_refuses "--no-such-option: *try --help*" "$1" --no-such-option ;;
	10) program_refuses "*'no=such'*matches no case*" "$1" --case no=such ;;
	esac
}

@test "misuse is refused by each in one of the ways" {
	local name n=0

	for name in $(benches); do
		misuse "$name" $((n++ % 11))
	done
	((n >= 6))
}

csv_is_whole() {
	local pick

	pick=$(first_case "$1")
	try '0|77' "$BIN/$1" "${QUICK[@]}" --csv --timer cpuid --case "$pick" || return
	[[ ${#lines[@]} -ge 2 && ${lines[0]} == schema,benchmark,case,*,timer,* ]] || return
	# Without RDTSCP the row is skipped, and has no method.
	[[ ${lines[1]} == "2,$1,"*"$pick"*,cpuid,* || ${lines[1]} == "2,$1,"*"$pick"*,skipped,*RDTSCP* ]]
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

takes_round() {
	try '0|77' "$BIN/$1" "${QUICK[@]}" --json --case "$(first_case "$1")" \
		--timer none --round 3 || return
	[[ $status -eq 77 ]] || rows 'length >= 1 and
		all(.timer == "none" and .round == 3)'
}

# Noise may have one of the two skip a row that the other has.
aggregates() {
	try '0|77' "$BIN/$1" --effort 1 --invocations 2 --json --seed 7 \
		--timer lfence2 --case "$(first_case "$1")" || return
	[[ $status -eq 77 ]] || rows 'length >= 1 and all(.ci95 == null and .round == null and
		.seed == 7 and .timer == "lfence2" and (.n | IN(1, 2)))'
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

tells_a_full_disk() {
	local pick

	pick=$(first_case "$1")
	run --separate-stderr bash -c '"$@" >/dev/full' _ "$BIN/$1" "${QUICK[@]}" \
		--json --case "$pick"
	[[ $status -eq 1 && $stderr == *write* ]]
}

# The harness does these, which is the same in all: one of them for each program.
@test "each keeps one of the promises about options and output" {
	local name n=0
	local -a promises=(tells_version absent_cpu csv_is_whole table_is_readable takes_round aggregates
		survives_a_lie tells_a_full_disk)

	for name in $(benches); do
		"${promises[n++ % ${#promises[@]}]}" "$name" || {
			printf '^ %s: %s\n' "$name" "${promises[(n - 1) % ${#promises[@]}]}"
			return 1
		}
	done
	((n >= ${#promises[@]}))
}

@test "a program says on a terminal how far it is, without colours, elsewhere nothing" {
	command -v script >/dev/null || skip "no script(1)"
	SHELL=/bin/sh try 0 script -qec "'$BIN/nop' --invocations 3 --effort 1" /dev/null
	[[ $output == *"nop: process run 3 of 3, "*" s left"* ]]
	run ! grep -E $'\e\\[[0-9;]*m' <<<"$output"
	run -0 --separate-stderr "$BIN/nop" --invocations 3 --effort 1
	[[ -z $stderr ]]
}

@test "one format at a time" {
	answers 2 "only one of --json, --csv and --wide" "$BIN/syscall" --wide --json
}

@test "a case that there is not: the nearest that there are" {
	answers 2 "matches no case of --list; nearest: op=getppid,by=libc, " "$BIN/syscall" --case getppid
}
