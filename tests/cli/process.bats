#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# measures: real programs, beside which no others shall
# process, thread and context_switch: their evidence, what they say when
# something is missing, and that no child stays behind.

load ../helpers

setup() {
	calmly
	cd "$BATS_TEST_TMPDIR" || return
}

# measured PROGRAM [OPTION]...: one short invocation.
measured() {
	try 0 "$BIN/$1" --invocations 1 --effort 10 --json "${@:2}"
}

# children PID: of a process; none if there is no such process.
children() {
	[[ -z $1 ]] || cat "/proc/$1/task/$1/children" 2>/dev/null || true
}

# kill_ours PID: only if it carries the mark of this test; a number can be
# given to somebody else between two looks.
kill_ours() {
	grep -qsz "^PARTNER_OF=$BATS_TEST_TMPDIR\$" "/proc/$1/environ" || return 0
	kill -9 "$1" 2>/dev/null || true
}

# killed_partner OUTPUT CASE: a run in which partners are killed as they appear;
# prints its status.  At this effort one lives long enough to be found.
killed_partner() {
	local out=$1 pid supervisor inner partner status=0 i

	# A leak check has a helper process, which must not be taken for a partner.
	ASAN_OPTIONS=detect_leaks=0 PARTNER_OF=$BATS_TEST_TMPDIR \
		timeout -k 5 "$PATIENCE_S" \
		"$BIN/context_switch" --invocations 1 --effort 10000 \
		--json --case "$2" >"$out" 2>&1 &
	pid=$!
	for ((i = 0; i < 2000; i++)); do
		for supervisor in $(children "$pid"); do
			for inner in $(children "$supervisor"); do
				for partner in $(children "$inner"); do
					kill_ours "$partner"
					break
				done
			done
		done
		kill -0 "$pid" 2>/dev/null || break
	done
	wait "$pid" || status=$?
	echo "$status"
}

@test "the smaller of two is not larger than either" {
	measured process --case 'op=first_instruction,parent=small,*'
	rows 'map(select(.min) | {(.params.view): .min}) | add |
		.smaller <= (.child // infinite) and
		.smaller <= (.parent // infinite)'
	measured thread --case 'stack=64K,memory=reused,*'
	rows 'map(select(.min) | {(.params.stat): .min}) | add |
		.smaller <= (.to_thread // infinite) and
		.smaller <= (.to_parent // infinite)'
}

@test "a derived row follows from the rows it is made of" {
	# In so short a run each of them may be below resolution, and the
	# difference have no value.
	measured context_switch --effort 40 \
		--case 'between=process,by=eventfd,place=same_cpu,*'
	rows 'map({(.params.stat): .}) | add |
		any(.[]; .status | IN("below_resolution", "skipped")) or
		((.round_trip.value - .mechanism.value) /
			.round_trip.evidence.switches_per_turn -
			.switch.value | fabs) < 0.001 * .switch.value'
}

@test "a hop of a ring takes one switch where nobody preempts his waker" {
	# However short the row and however many the members.
	try 0 chrt --batch 0 "$BIN/context_switch" --invocations 1 --effort 10 \
		--json --case 'procs=2,touch=0,stat=hop' \
		--case 'procs=96,touch=0,stat=hop'
	rows 'length == 2 and all(.status == "skipped" or
		(.evidence.switches_per_turn | . >= 1 and . < 1.1))'
}

@test "who waits for one partner does so beside the sleeping members of a ring" {
	measured context_switch --case 'procs=16,touch=0,stat=hop' --case 'stat=one_shot'
	rows 'all(.[] | select(.params.stat == "one_shot"); .samples > .tags.waited)'
}

@test "partners for which there is no CPU are skipped with the reason" {
	try 0 taskset -c "$(usable_cpus | head -n 1)" "$BIN/context_switch" \
		--invocations 1 --effort 5 --json --case 'between=*,by=futex,*'
	rows 'all(.[] | select(.params.place != "same_cpu");
		.status == "skipped" and (.reason | test("^no ")))'
	rows 'any(.params.place == "same_cpu" and
		(.status | IN("ok", "below_resolution")))'
}

@test "what the exec cases execute is inside of the program" {
	cp "$BIN/process" .
	try 0 ./process "${QUICK[@]}" --json --case 'op=fork_exec' \
		--case 'op=fork_exec,parent=small,program=*'
	rows 'length == 3 and all(.status == "ok")'
}

@test "a limit on processes is respected and named" {
	local as=()
	if ((EUID == 0)); then
		as=(setpriv --reuid=65534 --regid=65534 --clear-groups)
		"${as[@]}" test -x "$BIN/process" || skip "nobody may not run it"
	fi
	try 0 "${as[@]}" prlimit --nproc=12 "$BIN/context_switch" \
		--invocations 1 --effort 5 --json --case 'procs=96,touch=0,stat=hop' \
		--case 'procs=1,touch=0,stat=mechanism'
	rows 'any(.case == "procs=96,touch=0,stat=hop" and
		.status == "skipped" and (.reason | test("ulimit -u is 12")))'
}

@test "a partner that cannot be made is a reason, and no crash" {
	((EUID == 0)) || skip "needs root to become a user with a limit"
	local ask most as=(setpriv --reuid=65534 --regid=65534 --clear-groups)
	"${as[@]}" test -x "$BIN/signal" || skip "nobody may not run it"
	for ask in 'signal op=round_trip,place=same_cpu' 'sync op=futex_wake,partner=same_cpu' \
		'ipc by=pipe,stat=latency,size=8,place=same_cpu'; do
		for most in 1 2 3 4 5; do
			# The leak checker needs a process of its own.
			ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0 \
				run "${as[@]}" prlimit --nproc="$most" "$BIN/${ask%% *}" "${QUICK[@]}" \
				--case "${ask#* }"
			printf '%s, %s processes: %s\n' "$ask" "$most" "$output"
			[[ $status == @(0|77) && $output != *"ended by signal"* ]]
		done
	done
}

# The ring needs 192 descriptors, and so does that of its mechanism; each row
# finds that out anew.
@test "a limit on descriptors is a value or a reason in each row" {
	local most

	for most in 16 32 64 128 256; do
		try 0 prlimit --nofile="$most" "$BIN/context_switch" \
			--invocations 1 --effort 3 --json --case 'procs=*' \
			--case 'by=pipe,*'
		jq -es 'all(.value or (.reason | strings | length > 0)) and
			any((.params.stat | IN("hop", "mechanism_spread")) and
				.status == "skipped" and
				(.reason | test("Too many open files")))' <<<"$output"
	done
}

@test "a partner that is killed ends the program, not in a hang" {
	local case status
	for case in 'between=process,by=condvar,place=same_cpu,stat=round_trip' \
		'procs=16,touch=0,stat=hop'; do
		status=$(killed_partner out "$case")
		((status)) || skip "no partner was found in time"
		[[ $status == 1 ]]
		grep -qxF "context_switch: $case: the partner died" out
	done
}
