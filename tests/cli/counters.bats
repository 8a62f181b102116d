#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# Counters around benchmarks, and the loops of benchmarks under callgrind.

load ../helpers

# The keys that "counters" must have, whatever this machine can count.
readonly events='["instructions", "cycles", "ref_cycles", "llc_references",
	"llc_misses", "branches", "branch_misses", "task_clock_ns",
	"page_faults", "context_switches", "cpu_migrations"]'

# each_known_or_said FILE: a number, or null and a reason, for every event.
each_known_or_said() {
	jq -es --argjson events "$events" 'length > 0 and all(.[] | .counters;
		. as $c | (.scope == "user" or .scope == "user and kernel")
		and all($events[]; . as $e | $c | has($e)
			and ((.[$e] == null) == (.unknown | has($e)))
			and (.[$e] == null or .[$e] >= 0)))' "$1" >/dev/null
}

@test "without --counters nothing is counted" {
	try 0 "$BIN/syscall" "${QUICK[@]}" --json
	jq -es 'all(.[]; has("counters") and .counters == null)' <<<"$output"
}

@test "--counters: batches, each event known or with its reason" {
	try 0 "$BIN/syscall" "${QUICK[@]}" --case '*getppid,by=*' --counters --json
	# Not every kernel has int 0x80.
	jq -c 'select(.status != "skipped")' <<<"$output" >rows
	each_known_or_said rows
	# A system call that does nothing touches no new page.
	jq -es 'all(.[]; .counters.page_faults < 0.01)' rows
	# The CPU time of an operation is of the size of its time.
	jq -es 'all(.[] | select(.status == "ok" and .counters.task_clock_ns);
		.counters.task_clock_ns > .value / 10)' rows
}

@test "--counters: single events; what belongs to them is in them" {
	try 0 "$BIN/page_fault" "${QUICK[@]}" --case 'fault=anonymous*' --counters --json
	printf '%s\n' "$output" | jq -c 'select(.status == "ok" and .counters)' >rows
	[[ ! -s rows ]] || each_known_or_said rows
	jq -es 'all(.[]; .counters.page_faults > 0)' rows
}

@test "--counters: what is derived has none" {
	try 0 "$BIN/arith" "${QUICK[@]}" --case '*load=*' --counters --json
	jq -es 'all(.[] | select(.estimator == "derived"); .counters == null)' <<<"$output"
	# A loop that never sleeps is load to the system.
	jq -es 'any(.[]; .params.load == "system" and .value > 0 and .value < 101)' <<<"$output"
}

@test "--counters: two invocations in one row, and a table for people" {
	try 0 "$BIN/loop" --effort 1 --invocations 2 --case '*each' --counters --json
	printf '%s\n' "$output" >rows
	each_known_or_said rows
	# Where instructions are counted, they are those of the source.
	jq -es 'all(.[] | select(.counters.instructions);
		(.counters.instructions - (if .params.form == "memory" then 4
			else 3 end)) | fabs < 0.1)' rows
	try 0 "$BIN/loop" "${QUICK[@]}" --case '*each' --counters
	# Where its lines break depends on the remarks before it.
	[[ $(tr -s ' \n' ' ' <<<"$output") == *'counted of one operation, user'*': '*page_faults* ]]
}

@test "--counters: nobody gets what is permitted, and the reason for the rest" {
	(($(id -u) == 0)) || skip 'is nobody already'
	chmod 755 "$BATS_TEST_TMPDIR" "$BATS_RUN_TMPDIR"
	try '0|77' setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps=-all \
		"$BIN/syscall" "${QUICK[@]}" --case '*getppid,by=libc' --counters --json
	[[ $status == 77 ]] || each_known_or_said <(printf '%s\n' "$output")
	[[ $status == 77 ]] || jq -es 'all(.[]; .counters.context_switches != null)' <<<"$output"
}

# Loops with the number of instructions that the source has for each time round.
readonly loops='memory 4
register 3
add 66
chase 34'

# collected LOOP N: instructions of N times round, with its call.
collected() {
	valgrind --tool=callgrind --callgrind-out-file=/dev/null \
		--toggle-collect="counted_$1" "$FIXTURES/counted_loops" "$1" "$2" \
		2>&1 | sed -n 's/.*Collected : //p'
}

# counted LOOP N: the same by the counters of this machine.
counted() { "$FIXTURES/counted_loops" "$1" "$2" count | sed -n 's/.* instructions=\([0-9]*\) .*scaled=0$/\1/p'; }

@test "callgrind counts the loops of benchmarks as the source has them" {
	command -v valgrind >/dev/null || skip 'no valgrind here'
	local loop each once twice

	while read -r loop each; do
		once=$(collected "$loop" 1000)
		twice=$(collected "$loop" 2000)
		printf '%s: %s, %s\n' "$loop" "$once" "$twice"
		((twice - once == 1000 * each))
	done <<<"$loops"
}

@test "the counters of this machine, if it has any, agree with callgrind" {
	local loop each once twice

	[[ $(counted memory 1000) ]] || skip 'no instructions are counted here'
	while read -r loop each; do
		once=$(counted "$loop" 1000000)
		twice=$(counted "$loop" 2000000)
		printf '%s: %s, %s\n' "$loop" "$once" "$twice"
		# An interrupt may add an instruction on some processors.
		((twice - once - 1000000 * each < 1000))
		((twice - once - 1000000 * each > -1000))
	done <<<"$loops"
}
