#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# measures: real programs, beside which no others shall
#
# --copies: the operation of any program on several CPUs at once.  --cpus: on which.

setup() {
	load ../helpers
	calmly
	cd "$BATS_TEST_TMPDIR" || exit
	getppid=(--case 'op=getppid,by=syscall')
}

two_cpus() {
	(($(nproc) >= 2)) || skip "needs two CPUs"
}

@test "numbers of CPUs that make no sense are refused" {
	local bad

	for bad in 0 -1 x '1,' ',1' '1,,2' 513 1.5 alle; do
		try 2 "$BIN/nop" --copies "$bad"
		[[ $stderr == "nop: --copies $bad: not numbers"* && -z $output ]]
	done
	try 2 "$BIN/nop" --copies 1 --counters
}

@test "a set of CPUs is the only one that is used, or is refused" {
	local bad first

	for bad in '' x 1- '0,,1' ' 0'; do
		try 2 "$BIN/nop" --cpus "$bad"
		[[ $stderr == "nop: --cpus $bad: not a list of CPUs such as 0-3,7"* && -z $output ]]
	done
	try 2 "$BIN/nop" --cpus "0-$(nproc --all),8191"
	[[ $stderr == *": CPU "[0-9]*" may not be used"* && -z $output ]]
	try 2 "$BIN/nop" --cpus 8192
	[[ $stderr == *": CPU 8192 may not be used"* && -z $output ]]
	first=$(sed -n 's/^Cpus_allowed_list:[^0-9]*\([0-9]*\).*/\1/p' /proc/self/status)
	try 0 "$BIN/nop" --json --effort 1 -n 2 --cpus "$first"
	jq -es --argjson cpu "$first" 'length > 0 and all(.cpu == $cpu)' <<<"$output"
	try 77 "$BIN/core_to_core" --effort 1 -n 1 --cpus "$first"
}

@test "rows are named by the copies and by the case, each number once" {
	HWLOC_SYNTHETIC='package:2 core:4 pu:1' try 0 "$BIN/syscall" --list \
		--copies all,2,1,2 "${getppid[@]}"
	[[ $(grep -c 'copies=threads,.*scaling=latency' <<<"$output") == 3 ]]
	grep -qx 'cpus=8,copies=processes,scaling=rate,op=getppid,by=syscall' <<<"$output"
	grep -qx 'copies=threads,scaling=slope,op=getppid,by=syscall' <<<"$output"
	run ! grep '^cpus=1,.*fairness' <<<"$output"
}

@test "a program that takes several CPUs itself is left alone" {
	answers 77 "runs on several CPUs itself" "$BIN/mem_bandwidth" --copies 1
}

@test "what the machine has no CPUs for is skipped" {
	try 77 "$BIN/syscall" "${QUICK[@]}" --copies 512 "${getppid[@]}"
	[[ $stderr == *"needs 512 CPUs and may use "* && -z $output ]] # no table
	try 0 "$BIN/syscall" "${QUICK[@]}" --copies 1,512 "${getppid[@]}"
	[[ $(grep -c "^syscall: --copies: [0-9]* CPUs here: 512 is skipped$" <<<"$stderr") == 1 ]]
}

# All that the copies say themselves is added up.  (Windows of two that others
# spoil are no samples.)
@test "each copy proves its own operations, in processes and in threads" {
	two_cpus
	try 0 "$BIN/sync" --effort 20 -n 1 --json --copies 1,2 --case 'op=mutex,partner=none'
	jq -es '[.[] | select(.params.scaling == "latency" and .status == "ok")] |
		length >= 2 and all(
			.evidence.copies_at_work.seen == .evidence.copies_at_work.expected and
			.evidence.copies_at_work.seen % .params.cpus == 0 and
			.evidence.calls_right.seen > 0 and
			.evidence.additions.seen == .evidence.additions.expected and
			(.evidence.on_cpus | split(",") | length) == .params.cpus)' \
		<<<"$output"
}

# idle_for MS STATUS: two copies, of which one does nothing every other MS ms; the row of latency is $row.
idle_for() {
	two_cpus
	try "$2" "$FIXTURES/witness" --how event -n 1 --json --copies 2 --idle "$1"
	row=$(jq -c 'select(.params.scaling == "latency")' <<<"$output")
}

@test "windows in which a copy did nothing are excluded, with the reason" {
	idle_for 20 0
	jq -e '.status == "ok" and .value == 1 and
		(.evidence.copies_at_work | .seen == .expected) and
		(.evidence.windows_of_all_copies | .kind == "purity" and 0 < .seen and .seen < .expected)' <<<"$row"
}

@test "a row fails if a copy did nothing in all windows" {
	idle_for 1000000 1
	jq -e '.status == "failed" and .value == null and .set_aside.reasons.windows_of_all_copies > 0 and
		(.evidence.copies_at_work | .kind == "proof" and .seen < .expected)' <<<"$row"
}

@test "each program whose operations it copies can be copied" {
	local one

	two_cpus
	for one in 'file_ops op=stat' 'page_fault fault=anonymous' \
		'mapping op=mmap,size=64K' 'process op=fork,mem=0' \
		'sync op=futex_wake,partner=none'; do
		try '0|77' "$BIN/${one% *}" --effort 20 -n 1 --json --copies 2 --case "${one#* }"
		jq -es '[.[] | select(.params.scaling == "rate") | .params.copies] |
			sort == ["processes", "threads"]' <<<"$output"
		jq -es 'all(.status == "ok" or (.reason | test("excluded")))' <<<"$output"
	done
}

@test "nothing is left of copies that are stopped or killed" {
	two_cpus
	"${calm[@]}" "$BIN/file_ops" --copies 2 -n 10000 --case op=stat >out 2>&1 3>&- &
	sleep 1
	# SIGINT is ignored by what a shell starts in the background.
	kill $!
	wait $! || status=$?
	((status == 143))
	until_true eval '! pgrep -f "$BIN/file_op[s] --copies 2 -n 10000"'
	[[ $(ls) == out ]]
}

# Sixteen threads in an L3 cache, 256 in a socket with one node.
@test "of many pairs of CPUs those of each distance are measured" {
	HWLOC_SYNTHETIC='pack:2 [numa(memory=1GB)] l3:16 core:8 l2:1 l1:1 pu:2' \
		try 0 "$BIN/core_to_core" --pairs 40 --list
	[[ ${#lines[@]} == 80 ]]
	tr -c '0-9\n' ' ' <<<"$output" | awk '
		int($1 / 2) == int($2 / 2) { core++; next }
		int($1 / 16) == int($2 / 16) { l3++; next }
		int($1 / 256) == int($2 / 256) { node++; next }
		{ memory++ }
		END { exit !(core == 20 && l3 == 20 && node == 20 && memory == 20) }'
}

@test "the kinds of CPUs, where there are several" {
	HWLOC_XMLFILE="${ROOT:?}"/tests/fixtures/hybrid.xml try 0 "$BIN/machine" kinds
	[[ $output == $'25 IntelCore\n38 IntelAtom' ]]
	# big.LITTLE: hwloc knows their frequencies, and no names.
	sed 's/"CoreType" value="IntelAtom"/"FrequencyMaxMHz" value="1800"/
		s/"CoreType" value="IntelCore"/"FrequencyMaxMHz" value="2400"/' \
		"$ROOT/tests/fixtures/hybrid.xml" >big-little.xml
	HWLOC_XMLFILE=big-little.xml try 0 "$BIN/machine" kinds
	[[ $output == $'25 kind1\n38 kind0' ]]
}

@test "a run measures the core rows on each kind of CPU" {
	# shellcheck source=scripts/lib/plan.bash
	source "$ROOT/scripts/lib/plan.bash"
	root=$ROOT
	plan_ids=(syscall syscall_cpus certify) plan_programs=(syscall syscall certify)
	plan_args=('' '--copies 1' '') plan_limits=(60 60 60)
	plan_quoted[syscall]=1
	plan_kinds '38 IntelAtom'
	[[ ${plan_ids[*]} == 'syscall syscall_cpus certify syscall_intelatom' ]]
	[[ ${plan_args[3]} == *'--core --cpu 38' ]]
}
