#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# measures: real programs, beside which no others shall
#
# The promises of every benchmark program, checked on all of them: a new file in
# bench/ is tested here before anyone writes a test for it.

load ../helpers

setup_file() {
	local name

	# One complete run of each, which several tests look at.
	mkdir "$BATS_FILE_TMPDIR"/{full,list}
	awk -f "$ROOT/tests/keys.awk" "$ROOT/docs/results-format.md" |
		jq -Rn '[inputs / "\t" | {key: .[0], value: .[1]}] | from_entries' \
			>"$BATS_FILE_TMPDIR/types.json"
	# The clock's rate is measured once: it would be a quarter of a second in each.
	(unset OSCOST_TSC_HZ && full_run nop) || true
	OSCOST_TSC_HZ=$(jq -s '.[0].tsc_hz // empty' "$BATS_FILE_TMPDIR/full/nop.json")
	export OSCOST_TSC_HZ
	# Two at a time, where what each leaves is told apart: only for root.
	for name in $(benches); do
		while (($(jobs -rp | wc -l) >= (EUID ? 1 : 2))); do
			wait -n || true
		done
		[[ $name == nop ]] || full_run "$name" 3>&- &
	done
	wait
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
	cd "$BATS_TEST_TMPDIR" || exit
}

takes_other_numbers() {
	local axis least most step number
	local -a pick

	while read -r axis least most step; do
		pick=()
		for number in "$most" "$least" $((least + 7 * ${step:-1})); do
			try 0 "$BIN/$1" --list --case "$axis=$number" || return
			# A file of gigabytes takes a minute to make.
			[[ $number == "$most" || $number -ge $((1 << 30)) ]] ||
				pick+=(--case "${lines[0]}" --case "${lines[-1]}")
		done
		# Its evidence holds there.
		((!${#pick[@]})) || try '0|77' "$BIN/$1" "${QUICK[@]}" "${pick[@]}" || return
	done < <(open_axes "$1")
}

@test "an open axis takes every number of its range" {
	each_bench takes_other_numbers
	# Or nothing was looked at.
	[[ ! -x $BIN/poll ]] || [[ $(open_axes poll) == fds* ]]
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

stops_cleanly() {
	# A program that cannot be measured here is over before it can be stopped.
	[[ $(<"$full/$1.status") != 77 ]] || return 0
	# One half of them by Ctrl-C, the other by TERM: one handler serves both.
	if [[ $1 < m ]]; then
		SEAL=(--signal INT --group)
		try_sealed 130 "$BIN/$1" --invocations 10000 || return
	else
		SEAL=(--signal TERM)
		try_sealed 143 "$BIN/$1" --invocations 10000 --json || return
	fi
	[[ $stderr == *stopped* ]]
}

# side_by_side CHECK: each_bench, four programs at a time: for those that wait
# more than they run.  Only for root are leftovers of several programs told apart.
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

@test "SIGINT or SIGTERM ends it at once, and nothing is left behind" {
	side_by_side stops_cleanly
}
