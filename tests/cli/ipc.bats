#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# measures: real programs, beside which no others shall
# ipc, signal, sync, core_to_core, wakeup and poll: what they say when
# something is missing, and that nothing hangs or stays behind.

load ../helpers

setup() {
	calmly
	cd "$BATS_TEST_TMPDIR" || return
}

# quick PROGRAM [OPTION]...: one short invocation, rows in the file rows.
quick() {
	"${calm[@]}" "$BIN/$1" --invocations 1 --effort 5 --json "${@:2}" >rows
}

# cases FILTER: the names of the rows that jq's FILTER selects.
cases() {
	jq -r "select($1) | .case" rows
}

need_two_cpus() {
	(($(nproc) > 1)) || skip "one CPU only"
}

first_cpu() {
	local list
	list=$(taskset -cp $$)
	grep -oE '[0-9]+' <<<"${list##*:}" | head -n 1
}

# one_cpu COMMAND...: with only one CPU to run on.
one_cpu() {
	taskset -c "$(first_cpu)" "$@"
}

@test "a partner is where its row says" {
	need_two_cpus
	local ask
	for ask in 'ipc by=pipe,*' 'signal op=round_trip,*' 'sync op=mutex,*other_cpu*' \
		'context_switch *place=*,stat=round_trip'; do
		quick "${ask%% *}" --case "${ask#* }"
		[[ -n $(cases '.evidence.partner_cpu and .evidence.partner_cpu != .cpu') ]]
		[[ -z $(cases '.evidence.partner_cpu and (.evidence.partner_cpu == .cpu) !=
			((.params.place // .params.partner) == "same_cpu")') ]]
	done
}

@test "on one CPU what needs two is skipped with the reason" {
	local program
	for program in ipc signal sync; do
		one_cpu "${calm[@]}" "$BIN/$program" --invocations 1 --effort 5 --json >rows
		# Beside other tests all can be too small to measure.
		[[ -n $(cases '.status | IN("ok", "below_resolution")') ]]
		[[ -n $(cases '.status == "skipped"') ]]
		[[ -z $(cases '.params.place == "other_cpu" and .status != "skipped"') ]]
		[[ -z $(cases '.params.partner == "other_cpu" and
			.reason != "needs a second CPU"') ]]
	done
}

@test "core_to_core skips as a whole on one CPU" {
	run -77 --separate-stderr one_cpu "$BIN/core_to_core" --invocations 1 --json
	[[ -z $output && $stderr == *"needs a second CPU"* ]]
}

@test "core_to_core measures each pair from both sides" {
	need_two_cpus
	quick core_to_core --pairs 1
	[[ $(cases true | wc -l) -eq 2 ]]
	[[ $(jq -s 'map([.params.from, .params.to]) |
		.[0] == (.[1] | reverse)' rows) == true ]]
}

@test "poll keeps to the limit on descriptors" {
	(ulimit -n 200 && quick poll --case 'op=poll,*' --case 'op=select,*')
	[[ -n $(cases '.params.fds == 100 and (.status | IN("ok", "below_resolution"))') ]]
	[[ -z $(cases '.params.fds >= 500 and .status != "skipped"') ]]
	[[ $(jq -r 'select(.params.fds == 1000) | .reason' rows) == *"ulimit -Hn"* ]]
}

@test "a limit on message queues is a skip" {
	(ulimit -q 0 && quick ipc --case 'by=posix_mq,*' --case 'by=pipe,*,size=8,*')
	[[ -z $(cases '.params.by == "posix_mq" and .status != "skipped"') ]]
	[[ -n $(cases '.params.by == "pipe" and (.status | IN("ok", "below_resolution"))') ]]
}

@test "wakeup without the right to SCHED_FIFO skips those cases" {
	((EUID == 0)) || skip "needs root to give the right away"
	setpriv --bounding-set -sys_nice --inh-caps -sys_nice true ||
		skip "setpriv cannot do it here"
	cp "$BIN/wakeup" . # its directory may be closed to others
	chmod 777 .
	ulimit -r 0
	setpriv --reuid 65534 --clear-groups ./wakeup --invocations 1 \
		--effort 5 --json >rows
	[[ -z $(cases '.params.policy == "fifo" and .status != "skipped"') ]]
	[[ -n $(cases '.params.policy == "other" and .status == "ok"') ]]
	[[ $(jq -r '.reason | strings' rows) == *"use SCHED_FIFO"*"not permitted"* ]]
}

# interrupted PROGRAM: Ctrl-C after a while, in IPC objects of its own.
interrupted() {
	local pid status=0
	# A program that a script starts in the background ignores SIGINT else.
	env --default-signal=INT "$BIN/$1" --invocations 100 --effort 1000 >rows 2>said 3>&- &
	pid=$!
	until pgrep -P $pid >/dev/null; do sleep 0.05; done
	sleep "0.$((RANDOM % 5))"
	kill -INT $pid
	wait $pid || status=$?
	echo "$1: status $status: $(<said)"
	[[ $status -eq 130 && $(<said) == *stopped* && $(wc -l </proc/sysvipc/sem) -eq 1 ]] &&
		! pgrep -P $$ >/dev/null
}
export -f interrupted

@test "Ctrl-C leaves no process, semaphore or queue" {
	((EUID == 0)) || skip "needs root for an IPC namespace"
	unshare --ipc true || skip "no IPC namespaces here"
	local program i
	for program in ipc signal sync wakeup; do
		for i in 1 2; do
			BIN=$BIN unshare --ipc bash -c "interrupted $program"
		done
	done
}

@test "crosscheck-net compares with a loop of its own" {
	run -0 --separate-stderr "${calm[@]}" "$ROOT/tests/crosscheck/net" --bin "$BIN" \
		--rounds 1 --effort 10 --nets pipe --cpu "$(first_cpu)"
	[[ $output == *"pipe same_cpu "*" loop "* ]]
	run -2 "$ROOT/tests/crosscheck/net" --rounds none
}
