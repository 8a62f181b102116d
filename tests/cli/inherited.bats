#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# measures: real programs, beside which no others shall
# What a parent leaves to its children changes neither how a program ends nor
# what it measures.

setup() {
	load ../helpers
	calmly
	cd "$BATS_TEST_TMPDIR" || exit
	nap=302.$$
}

teardown() { pkill -KILL -f "^sleep $nap" || :; }

getpid=(syscall "${QUICK[@]}" --json --case 'op=getpid,by=libc')

# Its row is there; beside other work it may be too small to measure.
ended_well() { rows 'length == 1 and (.[0].status | IN("ok", "below_resolution"))'; }

@test "where SIGCHLD is ignored all that wait for a child end" {
	local deaf=(env --ignore-signal=CHLD)

	try 0 "${deaf[@]}" "$BIN/${getpid[0]}" "${getpid[@]:1}"
	ended_well
	# Beside other work its samples may all have waited for a CPU.
	try '0|77' "${deaf[@]}" "$BIN/process" "${QUICK[@]}" --json --case 'op=fork,mem=0'
	rows 'length == 1 and .[0].status != "failed"'
	try 7 "${deaf[@]}" "$BIN/cpu_load" -- sh -c 'exit 7'
	try '7|77' "${deaf[@]}" "$BIN/under" ptrace -- sh -c 'exit 7'
	report_setup .
	try 0 "${deaf[@]}" "$report" make --root "$ROOT" small
}

@test "a closed standard descriptor is not the number of another file" {
	try 0 sh -c 'exec "$@" <&- 2>&-' sh "$BIN/${getpid[0]}" "${getpid[@]:1}"
	ended_well
	try 1 sh -c 'exec "$@" >&-' sh "$BIN/${getpid[0]}" "${getpid[@]:1}"
	says '*: cannot write the output: *'
	try 2 sh -c 'exec "$@" 2>&-' sh "$BIN/${getpid[0]}" --none
	[[ -z $output ]]
	# Its number is taken, by what cannot be written.
	try 0 sh -c 'exec "$@" >&- <&- 2>out' sh "$BIN/under" thp=never -- sh -c \
		'[ -e /proc/self/fd/0 ] && [ -e /proc/self/fd/1 ]'
}

@test "output that does not block is written all the same" {
	local unblocked='use Fcntl; fcntl(STDOUT, 1031, 4096);
		fcntl(STDOUT, F_SETFL, O_WRONLY | O_NONBLOCK); exec @ARGV'

	report_setup .
	"$report" export --format csv small >whole
	(($(wc -c <whole) > 4096))
	# The pipe is read once it is full, or the program has ended.
	perl -e "$unblocked" "$report" export --format csv small | {
		sleep 0.2
		cat
	} >piped
	cmp whole piped
}

@test "the children that a shell had are left alone, and those of the program are not" {
	try 0 bash -c "sleep $nap >/dev/null 2>&1 3>&- & exec \"\$@\"" bash \
		"$BIN/${getpid[0]}" "${getpid[@]:1}"
	ended_well
	[[ -z $stderr ]]
	pgrep -f "^sleep $nap"
	answers 1 "left processes behind" bash -c "sleep $nap >/dev/null 2>&1 3>&- & exec \"\$@\"" bash \
		"$FIXTURES/unruly" --how daemon "${QUICK[@]}"
	(($(pgrep -fc "^sleep $nap") == 2))
	try 143 bash -c "sleep $nap >/dev/null 2>&1 3>&- & (sleep 1; kill \$\$) 3>&- & exec \"\$@\"" bash \
		"$FIXTURES/unruly" --how hang --invocations 1
}

# stops PARENT: the process run of a child that is the first of a PID namespace;
# it leads its own group.
stops() {
	first=$(pgrep -P "$1") && run=$(pgrep -n -x syscall --ns "$first" --nslist pid) &&
		(($(ps -o pgid= -p "$run") == run && run != first)) && kill -STOP "$run"
}

@test "the first process of a PID namespace ends none of its orphans" {
	local pid first run

	((!EUID)) || skip 'needs root'
	unshare --pid --fork --mount-proc "$BIN/syscall" --invocations 1 --effort 10000 --json \
		--case "${getpid[-1]}" >out 2>said 3>&- &
	pid=$!
	until_true stops "$pid"
	nsenter -t "$first" -p -m sh -c "sleep $nap >/dev/null 2>&1 3>&- &"
	kill -CONT "$run"
	wait "$pid"
	[[ ! -s said ]]
	jq -e '.status | IN("ok", "below_resolution")' out
}

@test "a message to a terminal that stops who is in the background stops none" {
	timeout -k 5 "$PATIENCE_S" script -qec "stty tostop; '$BIN/tcp_rtt' --invocations 1 --peer none --case '*'; echo ended" \
		/dev/null </dev/null >out
	grep -q ended out
}

@test "no umask takes from a program its own directory" {
	local as=()

	if ((!EUID)); then
		as=(setpriv --reuid=65534 --regid=65534 --clear-groups)
		chmod 777 .
		"${as[@]}" test -x "$BIN/file_ops" -a -w . || skip 'nobody may not execute what was built'
	fi
	try 0 sh -c 'umask 777; exec "$@"' sh "${as[@]}" "$BIN/file_ops" "${QUICK[@]}" --json \
		--case 'op=create,*'
	rows 'all(.status | IN("ok", "below_resolution"))'
}

hangs_in() { child=$(pgrep -P "$1" -x unruly) && [[ -e $(find /proc/"$child"/cwd/ -name deep -path '*.oscost-*' | head -n 1) ]]; }

@test "a process run has none of the files open that its caller left open" {
	local pid child

	"$FIXTURES/unruly" --how hang --invocations 1 3>&- 5<"$0" 900>left &
	pid=$!
	until_true hangs_in "$pid"
	readlink /proc/"$child"/fd/* >open
	kill -TERM "$pid"
	cat open
	run ! grep -E "^($0|$PWD/left)$" open
}

@test "of a PID namespace with the /proc of another no number is taken for one of its own" {
	local foreign=(unshare --pid --fork)

	((!EUID)) || skip 'needs root'
	try 0 "${foreign[@]}" "$BIN/process" "${QUICK[@]}" --json --case 'op=fork,mem=0'
	rows 'all(.status != "failed" and .evidence.parent_resident_bytes == null)'
	try 0 "$BIN/process" "${QUICK[@]}" --json --case 'op=fork,mem=0'
	rows 'all(.evidence.parent_resident_bytes > 0)'
}
