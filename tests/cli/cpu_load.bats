#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# cpu_load: options, commands, signals, outputs.

load ../helpers

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	CPU_LOAD=$BIN/cpu_load
}

# column NAME: the values of a column of the CSV on stdin, one a line.
column() {
	awk -F , -v name="$1" '
		NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i; next }
		{ print $at }
		END { exit !at }'
}

@test "bad options are refused in one line" {
	local words

	while read -r words; do
		# shellcheck disable=SC2086 # several words
		try 2 "$CPU_LOAD" $words
		says 'cpu_load: *'
		[[ -z $output ]]
	done <<-'EOT'
		--interval 9ms
		--interval soon
		--interval 1s --duration -1s
		--width 0
		--width four
		--cpus 3-1
		--cpus 8191
		--duration 1s -- true
		--nonsense
		true
		--
	EOT
}

@test "help and version" {
	try 0 "$CPU_LOAD" --help
	[[ $output == "usage: cpu_load "*"cpu_load - what "* ]]
	try 0 "$CPU_LOAD" --version
	[[ $output == "cpu_load (oscost "* ]]
}

@test "what is not there is said" {
	try 1 "$CPU_LOAD" --output no/such/dir/x.csv --duration 10ms
	says '*no/such/dir/x.csv: No such file*'
}

@test "a terminal's table is not written into a file: CSV is" {
	try 0 "$CPU_LOAD" --interval 50ms --duration 200ms
	[[ ${lines[0]} == time,t_s,interval_s,late,cpu,state,os_load_pct,* ]]
	[[ $output != *$'\033'* ]]
	# All deadlines were served or are counted as late, on each CPU.
	sum=$(column late <<<"$output" | awk '{ n += $1 + 1 } END { print n }')
	[[ $sum == $((4 * $(column cpu <<<"$output" | sort -u | wc -l))) ]]
}

@test "an unknown event has a reason, a known load is a share" {
	local event

	try 0 "$CPU_LOAD" --interval 50ms --duration 150ms
	for event in $(sed -n 's/^cpu_load: \(.*\): unknown: .*/\1/p' <<<"$stderr" | tr -d ,); do
		run ! grep -q . <(column "$event" <<<"$output")
	done
	paste -d ' ' <(column state <<<"$output") <(column os_load_pct <<<"$output") \
		<(column os_resolution_pct <<<"$output") | awk '
		$1 == "ok" && !($2 >= 0 && $2 <= 100 && $3 > 0) { bad = 1 }
		END { exit bad }'
}

@test "the reason for what is unknown is said once, and is no failure" {
	try 0 "$CPU_LOAD" --interval 20ms --duration 100ms
	(($(grep -c 'instructions.*unknown: ' <<<"$stderr") <= 1))
	[[ $stderr == *"performance monitoring version"* ]]
	# Either all of it is known or the reason is there.
	[[ $stderr == *"unknown: "* || -n $(column instructions <<<"$output") ]]
}

@test "a command's status and output are passed on" {
	try 7 "$CPU_LOAD" -- sh -c 'echo said; exit 7'
	[[ $output == said ]]
	[[ $stderr == *"samples at 1 s"* ]]
	run -127 "$CPU_LOAD" -- ./no-such-command
	: >plain
	try 126 "$CPU_LOAD" -- ./plain
	# Options behind -- are the command's.
	try 0 "$CPU_LOAD" --csv -- echo --cpus
	[[ $output == *"--cpus"*",ok,"* || $output == *",ok,"*"--cpus"* ]]
}

@test "a command's death by a signal is passed on" {
	# shellcheck disable=SC2016 # for the command
	run -137 bash -c '"$0" -- sh -c "kill -KILL \$\$" 2>said' "$CPU_LOAD"
	grep -q 'samples at' said
	# SIGTERM that was sent to us reaches it.
	"$CPU_LOAD" -- sleep "$PATIENCE_S" 2>said &
	until_true pgrep -P $! -x sleep
	kill -TERM $!
	wait $! || status=$?
	((status == 143))
	grep -q 'samples at' said
}

@test "a command begins with the signals as they were" {
	local field way load_output

	for field in SigBlk SigIgn; do
		for way in default ignore; do
			try 0 env "--$way-signal=PIPE" "$CPU_LOAD" -- \
				grep "^$field" /proc/self/status
			load_output=$output
			try 0 env "--$way-signal=PIPE" grep "^$field" /proc/self/status
			echo "$field, SIGPIPE $way: $load_output, not $output"
			[[ $load_output == "$output" ]]
		done
	done
}

@test "an interrupt ends it with the summary" {
	local sig

	for sig in INT TERM; do
		# With job control: what runs behind has SIGINT ignored else.
		set -m
		"$CPU_LOAD" --interval 20ms --output out.csv 2>said &
		set +m
		until_true grep -q ,ok, out.csv
		kill -"$sig" $!
		wait $!
		grep -q 'deadlines missed' said
		# The last line is whole.
		[[ $(tail -c 1 out.csv | od -An -c) == *'\n' ]]
		rm out.csv
	done
}

@test "what it slept through is counted, and the interval is the longer one" {
	local pid

	"$CPU_LOAD" --interval 50ms --output out.csv 2>said &
	pid=$!
	until_true grep -q ,ok, out.csv
	kill -STOP "$pid"
	until_true grep -q '^State:.*T' "/proc/$pid/status"
	sleep 0.3
	kill -CONT "$pid"
	until_true has_late out.csv
	kill -TERM "$pid"
	wait "$pid"
	# Deadlines, served and missed, are those of the time (and the rest at
	# the end is a sample of its own); intervals add up to it.
	paste -d ' ' <(column interval_s <out.csv) <(column late <out.csv) \
		<(column t_s <out.csv) <(column cpu <out.csv) | awk '
		{ sum[$4] += $1; n[$4] += $2 + 1; last[$4] = $3 }
		END {
			for (cpu in sum) {
				d = sum[cpu] - last[cpu]
				all = int(last[cpu] / 0.05)
				if (d > 1e-3 || d < -1e-3 || n[cpu] < all || n[cpu] > all + 1)
					bad = 1
			}
			exit bad
		}'
}

has_late() { column late <"$1" | awk '$1 >= 1 { seen = 1 } END { exit !seen }'; }

@test "a reader that goes away ends it quietly" {
	# shellcheck disable=SC2016 # for the inner shell
	try 0 bash -c 'set -o pipefail; "$0" --interval 10ms 2>said | head -n 1' "$CPU_LOAD"
	[[ $output == time,* ]]
	run ! grep -qi 'broken pipe' said
	# The command is not disturbed by that.
	# shellcheck disable=SC2016
	run -5 bash -c 'set -o pipefail
		"$0" --csv --interval 10ms -- sh -c "sleep 0.1; exit 5" 2>/dev/null | true' "$CPU_LOAD"
}

@test "a full disk is said and leaves whole lines" {
	answers 1 "/dev/full: No space left" "$CPU_LOAD" --output /dev/full --interval 10ms --duration 1s
	((EUID == 0)) || skip "needs root for a small file system"
	mkdir small
	# shellcheck disable=SC2016
	try '1|3' unshare -m bash -c 'mount -t tmpfs -o size=8k none small || exit 3
		"$0" --output small/out.csv --interval 10ms --duration 10s
		status=$?
		cp small/out.csv . && exit $status' "$CPU_LOAD"
	((status == 1)) || skip "no mounts here"
	awk -F , 'NR == 1 { n = NF } NF != n { exit 1 }' out.csv
	[[ $(tail -c 1 out.csv | od -An -c) == *'\n' ]]
}

# spin: a script that spins and writes what it ran by its own account, in
# seconds, into own.
spin() {
	cat >spin.sh <<-'EOT'
		for ((i = 0; i < 300000; i++)); do :; done
		times >times
		awk 'NR == 1 { gsub(/[ms]/, " "); print $1 * 60 + $2 + $3 * 60 + $4 }' times >own
	EOT
	usable_cpus | tail -n 1
}

# But for the resolution, what times(1) shows, and the kernel's idle time, which is
# wrong by some ms at a single look.  Where the load is not known the CPU may have
# been busy.
@test "the load is not less than what a pinned process ran" {
	local cpu

	cpu=$(spin)
	try 0 "$CPU_LOAD" --cpus "$cpu" --output out -- taskset -c "$cpu" bash spin.sh
	paste -d ' ' <(column interval_s <out) <(column os_load_pct <out) \
		<(column os_resolution_pct <out) | awk -v own="$(cat own)" '
		NF == 3 { known = 1; ran += $1 * $2 / 100; if ($1 * $3 > most) most = $1 * $3 }
		NF == 1 { ran += $1 }
		END { exit !(own > 0 && known && ran + most / 100 >= 0.9 * own - 0.02) }'
}

@test "a terminal gets a table" {
	command -v script >/dev/null || skip "no script(1)"
	# shellcheck disable=SC2016
	SHELL=/bin/bash try 0 script -qec "stty rows 30 cols 200; '$CPU_LOAD' --interval 50ms --duration 120ms" /dev/null
	[[ $output == *$'\033[?7l\033[H'*"system,%"*"core,%"* ]]
	[[ $output == *"deadlines missed"* ]]
}
