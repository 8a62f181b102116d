#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
#
# The driver, with stub programs.

load driver

setup() { driver_setup; }

@test "a program whose number is another's by now is not waited for again" {
	cat >driver <<-'END'
		source "$1/scripts/lib/log.bash"; source "$1/scripts/lib/child.bash"
		wait() { return 143; } # as if a signal had come
		child_wait 1 || echo "$?"
	END
	run -0 timeout 10 bash driver "$ROOT"
	[[ $output == 143 ]]
}

@test "signals that end bash's wait do not end ours" {
	cat >driver <<-'END'
		source "$1/scripts/lib/log.bash"; source "$1/scripts/lib/child.bash"
		trap : TERM
		sh -c 'for i in 1 2 3 4 5 6 7 8; do kill -TERM "$1"; kill -TERM "$1"; sleep 0.1; done; exit 7' _ $$ &
		child_wait $! || echo "$?"
	END
	run -0 timeout 60 bash driver "$ROOT"
	[[ $output == 7 ]]
}

@test "run-all runs each row once in each round and reports" {
	run -0 --separate-stderr drive --out out --profile quick
	[[ $output == "rows: 12" ]]
	[[ $stderr == *"results go to"*/out* ]]
	[[ $stderr == *"round 6 took"* ]]
	[[ $(sort -u out/invocations.jsonl | wc -l) -eq 12 ]]
	jq -e '.rounds == 6 and .effort == 5 and .profile == "quick" and
		.interrupted == false and (.plan | length) == 2 and
		(.programs | length) == 12 and .suite_version == "0.1" and
		(.programs | all(.exit_status == 0 and .reason == null)) and
		.plan[1].args == "--size=1"' out/run.json
	jq -e 'map(.name) == ["good", "other"]' out/run/about.json
	jq -e .tsc out/machine.json
	[[ -z $(find out -name '.*' -type f) && $(find out -mindepth 1 -maxdepth 1 | wc -l) -le 12 ]]
}

@test "run-all gives each program its options and the calibration" {
	# shellcheck disable=SC2016 # expands in the stub
	stub good 'echo "$args $OSCOST_TSC_HZ" >&2; '"$row"
	run -0 drive --out out --rounds 1 --only good --cpu "$(allowed_cpu)" \
		--timer lfence --seed 7 --effort 30
	grep -E -- '^good round 1: --json -n 1 --round 1 --seed [0-9]+ --effort 30 --cpu [0-9]+ --timer lfence --dir [^ ]*/out/\.oscost-files-[A-Za-z0-9]{10} 2000000000\.5$' out/run/log.txt
}

allowed_cpu() {
	taskset -cp $$ | sed 's/.*[^0-9]\([0-9]*\)$/\1/'
}

@test "run-all repeats order and seeds for a seed, and only then" {
	drive --out a --rounds 4 --seed 5
	drive --out b --rounds 2 --seed 5
	drive --out c --rounds 1 --seed 6
	cmp <(head -n 4 a/invocations.jsonl) b/invocations.jsonl
	run ! cmp <(head -n 2 a/invocations.jsonl) c/invocations.jsonl
	# Not the same order in all rounds; these seeds give two.
	[[ $(cut -f 1,2 a/run/journal.tsv | awk '$1 != last { print $2; last = $1 }' |
		sort -u | wc -l) -eq 2 ]]
}

@test "run-all goes on after a failure, tells it once and exits 1" {
	plan 'b breaks - 20' 'good good - 20'
	touch "$bin/report-failed"
	run -1 --separate-stderr drive --out out --rounds 3
	[[ $(grep -c 'b failed' <<<"$stderr") -eq 1 ]]
	[[ $output == "rows: 3" ]]
	jq -e '[.programs[] | select(.id == "b")] | length == 3 and
		all(.exit_status == 1 and
		.reason == "cannot open \"x\\y\": no")' out/run.json
}

@test "run-all counts a skipped program as no failure" {
	plan 's skips - 20' 'good good - 20'
	answers 0 "s skipped in round 1: needs two CPUs" drive --out out --rounds 2
	jq -e '[.programs[] | select(.exit_status == 77)] | length == 2' out/run.json
}

@test "run-all terminates what hangs, and does not wait a third time" {
	plan 'h hangs - 2' 'good good - 20'
	touch "$bin/report-failed"
	answers 1 "no end after 2 s" drive --out out --rounds 3
	jq -e '[.programs[] | select(.id == "h") | .exit_status] == [124, 124, 124]' out/run.json
	jq -e '[.programs[] | select(.id == "good")] | length == 3' out/run.json
	# The rows that it had printed are kept.
	[[ $(grep -c hangs out/invocations.jsonl) -eq 2 ]]
	nobody_left
}

# nobody_left: no stub and no child of one is running, once those that were
# killed have ended.
nobody_left() {
	local i

	for ((i = 0; i < 600; i++)); do
		pgrep -f "$bin/|sleep $nap" || return 0
		sleep 0.1
	done
	return 1
}

@test "run-all keeps whole rows only" {
	stub good 'echo "{\"a\": {\"b\": 1}}"; echo talk; printf "{\"a\": {\"b\": 1}"'
	stub other 'exit 0'
	touch "$bin/report-failed"
	run -1 --separate-stderr drive --out out --rounds 1
	[[ $(<out/invocations.jsonl) == '{"a": {"b": 1}}' ]]
	[[ $stderr == *"other failed in round 1: it printed no row"* ]]
}

@test "Ctrl-C ends the run with a report, --resume completes it" {
	interrupted INT 2 --rounds 3
	[[ $status -eq 130 ]]
	grep -q '^rows: [23]$' said
	grep -q -- '--resume .*/out$' said
	jq -e .interrupted out/run.json
	nobody_left
	# As if it had been killed while writing.
	printf '{"half' >>out/invocations.jsonl
	printf '2\tgo' >>out/run/journal.tsv
	touch go-on
	run -0 --separate-stderr "$ROOT/scripts/run-all" --bin "$bin" --resume out
	[[ $output == "rows: 6" ]]
	jq -e '.interrupted == false and (.programs | length) == 6' out/run.json
	# Nothing was lost, nothing twice, and in the order of a whole run.
	drive --out whole --rounds 3 --seed 3
	cmp out/invocations.jsonl whole/invocations.jsonl
}

@test "TERM does as Ctrl-C does, with its own status" {
	OSCOST_CALLED='oscost run' interrupted TERM 2 --rounds 2
	[[ $status -eq 143 ]]
	grep -q 'go on with: oscost run .*--resume .*/out$' said
	jq -e .interrupted out/run.json
	nobody_left
}

@test "--resume takes no other settings" {
	drive --out out --rounds 1
	run -2 --separate-stderr "$ROOT/scripts/run-all" --bin "$bin" --resume out --rounds 3
	[[ $stderr == *"--rounds: --resume takes its settings from"* ]]
	run -2 "$ROOT/scripts/run-all" --bin "$bin" --resume nowhere
	answers 2 "--resume-failed goes with --resume DIR" "$ROOT/scripts/run-all" --bin "$bin" --resume-failed
}

# cut_and_resume COMMAND...: what COMMAND does to out/ is mended by --resume.
cut_and_resume() {
	rm -rf out
	cp -r whole out
	(cd out && "$@")
	run -0 --separate-stderr "$ROOT/scripts/run-all" --bin "$bin" --resume out
	diff <(sort whole/invocations.jsonl) <(sort out/invocations.jsonl)
	diff <(cut -f 1-3 whole/run/journal.tsv | sort) <(cut -f 1-3 out/run/journal.tsv | sort)
	[[ $(tail -n 1 out/run/journal.tsv | cut -f 5) -eq $(stat -c %s out/invocations.jsonl) ]]
}

@test "what a power cut took is measured again" {
	local size

	drive --out whole --rounds 2 --seed 5
	size=$(stat -c %s whole/invocations.jsonl)
	# Rows that had no place on the disk yet, but a length: zeros.
	for sizes in 0 $((size / 2)) "0 $size" "5 $size" "$((size - 1)) $size"; do
		cut_and_resume bash -c "for size in $sizes; do truncate -s \$size invocations.jsonl; done"
		[[ $stderr == *"process runs lost their rows; they are measured again"* ]]
	done
	cut_and_resume bash -c 'truncate -s 40 run/journal.tsv; truncate -s 400 run/journal.tsv'
	cut_and_resume bash -c 'truncate -s +40 run/journal.tsv; truncate -s +40 invocations.jsonl'
	[[ $stderr != *"lost their rows"* ]]
}

@test "what a program of a killed run still writes is no row" {
	# shellcheck disable=SC2016 # expands in the stub
	stub good 'if [[ -e waiting ]]; then
			touch late
			until [[ -e wrote ]]; do sleep 0.1; done
		else
			(trap "" TERM; until [[ -e late ]]; do sleep 0.1; done; '"$row"'; touch wrote) &
			touch waiting
			wait
		fi; '"$row"
	"$ROOT/scripts/run-all" --bin "$bin" --suite "$suite" --only good --out out \
		--rounds 1 >said 2>&1 &
	until_true test -e waiting
	kill -KILL $!
	run -0 "$ROOT/scripts/run-all" --bin "$bin" --resume out
	[[ $(wc -l <out/invocations.jsonl) -eq 1 ]]
}

@test "what cannot be read is not cut" {
	drive --out whole --rounds 2 --seed 5
	mkdir path
	for broken in 1 2 3 4; do
		rm -rf out calls
		cp -r whole out
		sed -i '$d' out/run/journal.tsv
		# shellcheck disable=SC2016 # expands in the stub
		printf '#!/bin/bash\necho >>calls\n(($(wc -l <calls) != %d)) || exit 1\nexec %s "$@"\n' \
			"$broken" "$(command -v head)" >path/head
		chmod +x path/head
		cp -r out before
		PATH=$PWD/path:$PATH run -1 --separate-stderr "$ROOT/scripts/run-all" --bin "$bin" --resume out
		[[ $stderr == *"cannot be read"* ]]
		cmp before/run/journal.tsv out/run/journal.tsv
		cmp before/invocations.jsonl out/invocations.jsonl
		rm -rf before
	done
	cut_and_resume true
}

@test "a run of earlier versions, which have no folder run/, is gone on with" {
	drive --out out --rounds 2 --seed 5
	cp -r out old
	mv old/run/* old
	rmdir old/run
	sed -i '$d' old/journal.tsv
	run -0 "$ROOT/scripts/run-all" --bin "$bin" --resume old
	diff <(sort out/invocations.jsonl) <(sort old/invocations.jsonl)
	[[ ! -e old/run && $(wc -l <old/journal.tsv) -eq 4 ]]
}

@test "what failed is measured again on request" {
	# shellcheck disable=SC2016 # expands in the stub
	stub other 'echo "{\"round\": $round}"; [[ -e mended ]]'
	run drive --out out --rounds 2
	jq -e '[.programs[].exit_status] | sort == [0, 0, 1, 1]' out/run.json
	touch mended
	run -0 "$ROOT/scripts/run-all" --bin "$bin" --resume out
	jq -e '[.programs[].exit_status] | sort == [0, 0, 1, 1]' out/run.json
	run -0 --separate-stderr "$ROOT/scripts/run-all" --bin "$bin" --resume out --resume-failed
	[[ $stderr == *"2 process runs failed; they are measured again"* ]]
	jq -e '[.programs[].exit_status] == [0, 0, 0, 0]' out/run.json
}

@test "an invocation whose rows had no place is not over" {
	# shellcheck disable=SC2016 # expands in the stub
	stub other '[[ -e room ]] && echo "{\"round\": $round}" && exit
		echo "other: cannot write the output: $(<why)" >&2; exit 1'
	for why in "No space left on device" "Disk quota exceeded" "Input/output error"; do
		rm -rf out room
		echo "$why" >why
		run -1 --separate-stderr drive --out out --rounds 1
		[[ $stderr == *"cannot write in "*": $why ("*"go on with: "*"--resume "* ]]
		case $why in
		Input*) [[ $stderr != *"make room"* ]] ;;
		*) [[ $stderr == *"make room"* ]] ;;
		esac
		touch room
		run -0 "$ROOT/scripts/run-all" --bin "$bin" --resume out
		jq -e '[.programs[].exit_status] == [0, 0]' out/run.json
	done
}

@test "what is asked for once runs in the first round alone, also after --resume" {
	printf 'file_cache_machine\tother\t\t60\n' >>"$suite"
	run -0 drive --out out --rounds 3
	jq -e '[.programs[] | select(.id == "file_cache_machine").round] == [1] and
		(.programs | length) == 7' out/run.json
	sed -i '/file_cache_machine/d' out/run/journal.tsv
	run -0 "$ROOT/scripts/run-all" --bin "$bin" --resume out --suite "$suite"
	jq -e '[.programs[] | select(.id == "file_cache_machine").round] == [1]' out/run.json
}

@test "run-all refuses what it cannot do, in one line" {
	refuses 2 "--file-cache takes machine, not 'mine'" drive --out out --file-cache mine
	refuses 2 "--profile takes card, quick, default or publish, not 'fast'" drive --out out --profile fast
	refuses 2 "not 'quik'; did you mean quick?" drive --out out --profile quik
	refuses 2 "unknown program 'nonsense'; the plan has 2" drive --out out --only "good nonsense"
	refuses 2 "CPU 999 is none that this process may use" drive --out out --cpu 999
	refuses 2 "--cpu takes 0 to 65535, not 'one'" drive --out out --cpu one
	refuses 2 "--prio takes 1 to 99, not '100'" drive --out out --prio 100
	refuses 2 "--rounds takes 1 to 1000, not '-1'" drive --out out --rounds -1
	refuses 2 "--rounds needs a value" drive --out out --rounds
	refuses 2 "unknown argument '--fast'" drive --out out --fast
	refuses 2 "no program nowhere/report; run make first" drive --out out --bin nowhere
	plan 'gone gone - 20'
	refuses 2 "no program $bin/gone; run make first" drive --out out
	plan 'good good - x'
	refuses 2 "limit of good: 'x' is no number from 1 to 86400" drive --out out
	plan 'good good - 5' 'good other - 5'
	refuses 2 "two rows have the id good" drive --out out
	[[ ! -e out ]]
}

@test "run-all refuses a directory that it cannot use" {
	touch file
	answers 2 "file is not a directory" drive --out file
	answers 2 "cannot make the directory" drive --out file/below
	answers 2 "is not empty" drive --out "$bin"
}

@test "ONLY takes ids, programs and patterns" {
	plan 'a.1 good - 9' 'a.2 good - 9' 'b other - 9'
	run -0 drive --out o1 --rounds 1 --only good
	run -0 drive --out o2 --rounds 1 --only 'a.2 b'
	run -0 drive --out o3 --rounds 1 --only 'a.*'
	jq -e '[.plan[].id] == ["a.1", "a.2"]' o1/run.json
	jq -e '[.plan[].id] == ["a.2", "b"]' o2/run.json
	jq -e '[.plan[].id] == ["a.1", "a.2"]' o3/run.json
}

@test "run-all draws a progress line on a terminal only" {
	command -v script >/dev/null || skip "no script(1)"
	SHELL=/bin/sh TERM=vt100 run -0 script -qec \
		"$ROOT/scripts/run-all --bin $bin --suite $suite --out out --rounds 2" /dev/null
	# How far, by the clock: the stubs may take no step of it.
	[[ $output =~ \[\ *[0-9]+%\]\ round\ 2,\ [a-z]+,\ .*left ]]
	[[ $output != *"round 1 took"* ]]
}

@test "run-all works on one CPU" {
	run -0 taskset -c "$(allowed_cpu)" "$ROOT/scripts/run-all" --bin "$bin" \
		--suite "$suite" --out out --rounds 2
}

@test "TERM to the whole group, which make passes on, makes the report" {
	# In the middle of a program, and of a command that the driver writes with.
	# shellcheck disable=SC2016 # expands in the stub
	stub other '[[ -e slow || $round == 1 ]] || { touch waiting; sleep '"$nap"'; }; '"$row"
	mkdir path
	# shellcheck disable=SC2016 # expands in the script
	printf '#!/bin/bash\n[[ ! -e slow || $(grep -c . out/run/journal.tsv) -lt 2 ]] || { touch waiting; sleep 1; }\nPATH=%q exec sync "$@"\n' \
		"$PATH" >path/sync
	chmod +x path/sync
	printf 'all:\n\t@%s\n' "$ROOT/scripts/run-all --bin $bin --suite $suite --out out --rounds 2" >Makefile
	for slow in '' 1; do
		rm -rf out waiting
		[[ ! $slow ]] || touch slow
		PATH=$PWD/path:$PATH setsid env -u MAKEFLAGS -u MAKELEVEL make >said 2>&1 &
		pid=$!
		until_true test -e waiting
		kill -TERM -- "-$pid"
		wait "$pid" || :
		cat said
		[[ $(grep -c 'stopping' said) -eq 1 ]]
		grep '^rows:' said
		grep "go on with: .*--resume $PWD/out" said
	done
}

@test "a second Ctrl-C quits at once" {
	# shellcheck disable=SC2016 # expands in the stub
	stub good 'trap "" TERM; touch waiting; sleep '"$nap"' & wait; sleep '"$nap"
	env --default-signal=INT "$ROOT/scripts/run-all" --bin "$bin" \
		--suite "$suite" --out out --only good >said 2>&1 &
	pid=$!
	until_true test -e waiting
	kill -INT "$pid"
	until_true grep -q 'Ctrl-C to quit' said
	while kill -INT "$pid" 2>/dev/null; do sleep 0.1; done
	status=0
	wait "$pid" || status=$?
	[[ $status -eq 130 ]]
	run ! grep '^rows:' said
	nobody_left
}

@test "a signal within a second of the first is no second Ctrl-C: timeout and make send two" {
	cat >driver <<-'END'
		source "$1/scripts/lib/log.bash"
		source "$1/scripts/lib/progress.bash"
		source "$1/scripts/lib/child.bash"
		now_us() { now=$made_up; }
		trap 'echo "at $made_up: $?, $stopping"' EXIT
		for made_up in 7500000 7500010 8499999; do child_stop "$2"; done
		made_up=8500000
		child_stop 2
		made_up=never
	END
	for number in 1 2 15; do
		run -130 --separate-stderr bash driver "$ROOT" "$number"
		[[ $output == "at 8500000: 130, $number" ]]
	done
}

@test "Ctrl-Z does not stop the front of a run that goes on, and says so" {
	# shellcheck disable=SC2016 # expands in the stub
	stub good 'touch waiting; until [[ -e go-on ]]; do sleep 0.1; done; '"$row"
	"$ROOT/scripts/run-all" --bin "$bin" --suite "$suite" --only good --out out --rounds 1 >said 2>&1 &
	pid=$!
	until_true test -e waiting
	kill -TSTP "$pid"
	until_true grep -qs 'State:.T\|Ctrl-Z' "/proc/$pid/status" said || { kill -KILL "$pid" && false; }
	kill -CONT "$pid"
	touch go-on
	wait "$pid"
	grep 'Ctrl-Z does not pause a measurement: it goes on' said
	grep '^rows: 1$' said
}

@test "a row that the card has not, by ONLY, is measured; an empty plan is misuse" {
	export ROOT
	run -2 --separate-stderr "$ROOT/scripts/run-all" --bin "$bin" --suite /dev/null --out out
	[[ $stderr == *"has no rows"* && ! -e out ]]
	# shellcheck disable=SC2016 # expands in the new shell
	run -0 bash -c 'source "$ROOT/scripts/lib/log.bash"
		source "$ROOT/scripts/lib/plan.bash"
		root=$ROOT
		declare -A conf=() saved=()
		peer_plan() { :; }
		plan_read_suite "" run
		plan_select "tcp_rtt_netlab procedure"
		plan_core "tcp_rtt_netlab procedure" card
		for i in "${!plan_ids[@]}"; do echo "${plan_ids[i]} ${plan_args[i]}"; done'
	grep -F "tcp_rtt_netlab $(sed -n 's/^run\ttcp_rtt_netlab\t[^\t]*\t\([^\t]*\).*/\1/p' "$ROOT/bench/net/rows.tsv")" <<<"$output" |
		{ ! grep -F loopback; }
	grep -F 'procedure  --case' <<<"$output"
}

@test "the rows that a program's line leaves out are of PROFILE=publish" {
	export ROOT
	# shellcheck disable=SC2016 # expands in the new shell
	run -0 bash -c 'source "$ROOT/scripts/lib/log.bash"
		source "$ROOT/scripts/lib/plan.bash"; source "$ROOT/scripts/lib/settings.bash"
		root=$ROOT bin=/bin
		peer_check() { :; }
		peer_kinds() { :; }
		peer_plan() { :; }
		for profile in default quick card publish; do
			declare -A conf=([profile]=$profile [only]="mem_bandwidth page_fault_cpus" [cpu]=0 [suite]= [file-cache]=)
			plan_ids=() plan_programs=() plan_args=() plan_limits=()
			configure
			echo "$profile ${plan_args[*]}"
		done'
	grep -E '^default --case [^ ]*isa=best.*--copies 1,2,all --case fault=anonymous$' <<<"$output"
	grep -E '^quick --case [^ ]*isa=best.* --core --copies' <<<"$output"
	grep -E '^card +--case kernel=read,isa=best,level=memory,[^ ]* --case kernel=write,isa=best[^ ]* --case kernel=copy,isa=libc' <<<"$output"
	grep -Ex 'publish +--copies 1,2,all --case fault=anonymous' <<<"$output"
	# Patterns that leave rows out fit more than one machine: none names the ISA of one.
	run ! grep -E 'isa=(avx|sse|neon|sve|rvv)' "$ROOT"/bench/*/rows.tsv
}

@test "two drivers cannot share a directory" {
	command -v flock >/dev/null || skip "no flock(1)"
	drive --out out --rounds 1
	exec 7<out
	flock -n 7
	# It would wait for what a killed one left.
	mkdir path
	printf '#!/bin/sh\n[ "$1" = -w ] && exec %s -n "$3"\n' "$(command -v flock)" >path/flock
	chmod +x path/flock
	PATH=$PWD/path:$PATH run -2 --separate-stderr "$ROOT/scripts/run-all" --bin "$bin" --resume out
	[[ $stderr == *"another run-all is at work in out"* ]]
}

@test "a full disk loses no row that was kept" {
	mkdir small
	unshare -m mount -t tmpfs none small 2>/dev/null || skip "may not mount"
	# shellcheck disable=SC2016 # expands in the stub
	stub good 'printf "{\"round\": $round, \"x\": \"%07000000d\"}\n" 0'
	# shellcheck disable=SC2016 # expands in the new shell
	run -1 --separate-stderr unshare -m bash -c '
		mount -t tmpfs -o size=40m none small
		"$@"
		status=$?
		cut -c 1-12 small/out/invocations.jsonl >rows
		cut -f 1 small/out/run/journal.tsv >journal
		exit $status' bash "$ROOT/scripts/run-all" --bin "$bin" \
		--suite "$suite" --only good --out small/out --rounds 9
	[[ $stderr == *"cannot write in"*"make room, then go on with:"*"--resume "* ]]
	[[ -s rows && $(wc -l <rows) -eq $(wc -l <journal) ]]
	[[ $(wc -l <rows) -lt 9 ]]
}

# in_small COMMAND...: it, with a small disk in the directory small.
in_small() {
	mkdir -p small
	unshare -m mount -t tmpfs none small 2>/dev/null || skip "may not mount"
	run --separate-stderr unshare -m bash -c 'mount -t tmpfs -o size=40m none small; "$@"' bash "$@"
}

@test "what a disk that filled up has swallowed is not over, and --resume brings it back" {
	# Without room for a row there is none for a message either.
	# shellcheck disable=SC2016 # expands in the stub
	stub good 'if ((round == 2)) && [[ ! -e freed ]]; then head -c 100M /dev/zero >small/filler; fi
		'"$row"' || exit 1'
	# shellcheck disable=SC2016 # expands in the function
	both() {
		"$ROOT/scripts/run-all" --bin "$bin" --suite "$suite" --out small/out --rounds 3 --seed 1 2>first
		echo "status $?"
		cat small/out/run/journal.tsv >journal
		touch freed
		rm small/filler
		"$ROOT/scripts/run-all" --bin "$bin" --suite "$suite" --resume small/out
		cut -f 1-3 small/out/run/journal.tsv | sort >journal.again
		jq -r '"\(.round)\t\(.benchmark)"' small/out/invocations.jsonl | sort >rows
	}
	export -f both
	export ROOT bin suite
	in_small bash -c both
	[[ $status -eq 0 && $output == "status 1"* ]]
	grep -q 'cannot write in .*: No space left on device .*; make room, then go on with: .*--resume' first
	run ! grep -v $'\t0\t' journal
	[[ $(wc -l <journal) -lt 6 ]]
	diff journal.again <(printf '%s\tgood\t0\n%s\tother\t0\n' 1 1 2 2 3 3)
	diff rows <(cut -f 1,2 journal.again)
}

@test "a program that writes nothing although there is room is run once more, then it has failed" {
	# shellcheck disable=SC2016 # expands in the stub
	stub good 'echo "$round" >>tries; [[ $round == 1 && $(wc -l <tries) -gt 1 ]] && '"$row"' || exit 1'
	run -0 --separate-stderr drive --out out --only good --rounds 2 --seed 1
	[[ $(tr '\n' ' ' <tries) == '1 1 2 2 ' ]]
	diff <(cut -f 1-3 out/run/journal.tsv) <(printf '%s\tgood\t%s\n' 1 0 2 1)
	[[ $stderr == *"good failed in round 2: exit status 1 without a message"* ]]
}

@test "a directory of results that is removed or renamed in mid-run is said in one line" {
	for how in 'rm -r out' 'rm -r out/run' 'mv out else' 'mv out else; mkdir out'; do
		rm -rf out else
		stub good "$row; if ((round == 1)); then $how; fi"
		run -1 --separate-stderr drive --out out --only good --rounds 2
		[[ $stderr == *"$PWD/out, or a file in it, was removed or renamed" ]]
		run ! grep -vE '^run-all: (results go|hint|round|[^ ]*/out, or a file)' <<<"$stderr"
	done
	stub good "$row"
	run -0 "$ROOT/scripts/run-all" --bin "$bin" --suite "$suite" --resume else
	[[ $(wc -l <else/run/journal.tsv) -eq 2 && -z $(find else -name '.*') ]]
}

@test "a clock that is set back changes no duration" {
	# shellcheck disable=SC2016 # expands in the new shell
	run -0 bash -c '
		source "$0/scripts/lib/progress.bash"
		unset EPOCHREALTIME
		EPOCHREALTIME=5.000000
		now_us
		start=$((now - 2000000))
		EPOCHREALTIME=1.000000
		took_us "$start"
		((took >= 2000000)) && echo yes' "$ROOT"
	[[ $output == yes ]]
}
